// SPDX-License-Identifier: Apache-2.0
/* The library of kept dumps; uploads with progress; work that can be stopped; a server that needs a token. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { startServer } from "./support.mjs";

const it = fixture();
const rows = () => it.page.locator("#library tbody tr");
const kept = async (name, text) =>
    (
        await it.page.request.post(
            `${it.server.url}/v1/topologies?name=${encodeURIComponent(name)}`,
            { data: text, headers: { "Content-Type": "application/octet-stream" } },
        )
    ).json();
const variant = (n) => dump.replace('guid="0x1"', `guid="0x${n}"`);
const library = async (fragment = "") => {
    await it.page.goto("about:blank");
    await it.page.goto(`${it.server.url}/#place=library${fragment}`);
    await it.page.locator("#library, #library-empty, .problem").first().waitFor();
};

test("an empty library says so; what is opened is kept there and opens again", async () => {
    await library();
    await soon.equal(() => it.page.locator("#library-empty").count(), 1);
    await it.key("add-dump").click();
    await it.page.locator("#file").setInputFiles(it.write("three-gpus.xml", dump));
    await it.page.locator("#glance").waitFor();
    await it.menu("library");
    await rows().first().waitFor();
    await soon.match(() => rows().first().textContent(), /three-gpus.*3 Ampere GPUs/);
    await rows().first().getByRole("link").click();
    await it.device(ids.gpu0).waitFor();
});

test("chosen dumps are labelled in one request, and deleted together", async () => {
    const made = [];
    for (const n of [1, 2, 3]) made.push(await kept(`bulk-${n}`, variant(300 + n)));
    await it.page.request.patch(`${it.server.url}/v1/topologies/${made[0].id}`, {
        data: { labels: { row: "a", old: "yes" } },
    });
    await library("&q=bulk-");
    await it.until(() => document.querySelectorAll("#library tbody tr").length === 3);
    assert.equal(await it.key("label-chosen").count(), 0, "nothing is chosen");
    for (const { id } of made.slice(0, 2)) await it.key(`pick:${id}`).click();
    await it.key("label-chosen").click();
    await it.page.locator("#labels-of-all").fill("rack=seventeen\nold=");
    await it.page.locator("#dialog-yes").click();
    await it.until(
        () => document.querySelector("#library")?.textContent.split("rack=seventeen").length === 3,
    );
    const labels = async ({ id }) =>
        (await (await it.page.request.get(`${it.server.url}/v1/topologies/${id}`)).json()).labels;
    assert.deepEqual(await labels(made[0]), { row: "a", rack: "seventeen" });
    assert.deepEqual(await labels(made[1]), { rack: "seventeen" });
    assert.deepEqual(await labels(made[2]), {});
    await it.key("delete-chosen").click();
    await it.page.locator("#dialog-yes").click();
    await it.until(() => document.querySelectorAll("#library tbody tr").length === 1);
    assert.match(await rows().first().textContent(), /bulk-3/);
    assert.equal(await it.key("delete-chosen").count(), 0);
});

test("search by name and label, from the address too", async () => {
    const a = await kept("alpha", variant(101)),
        b = await kept("beta", variant(102));
    await it.page.request.patch(`${it.server.url}/v1/topologies/${b.id}`, {
        data: { labels: { rack: "seven" } },
    });
    await library();
    await it.page.locator("#library-search").focus();
    await it.page.keyboard.type("seven");
    await it.until(() => document.querySelectorAll("#library tbody tr").length === 1);
    await soon.match(() => rows().first().textContent(), /beta.*rack=seven/);
    await soon.match(() => it.page.url(), /q=seven/);
    await soon.equal(
        () => it.page.locator("#library-search").inputValue(),
        "seven",
        "typing is not disturbed",
    );
    await library("&q=alpha");
    await soon.deepEqual(
        () => rows().evaluateAll((all) => all.map((row) => row.dataset.topology)),
        [a.id],
    );
    await library("&q=no-such-thing");
    await soon.match(() => it.page.locator("#library-empty").textContent(), /no-such-thing/);
});

test("a name and labels are changed in a dialog, by keyboard", async () => {
    const { id } = await kept("gamma", variant(103));
    await library();
    await it.key(`edit:${id}`).focus();
    await it.page.keyboard.press("Enter");
    await it.page.locator("#edit-name").fill("gamma two");
    await it.page.locator("#edit-labels").fill("not a label");
    await it.page.locator("#dialog-yes").click();
    await soon.equal(
        () => it.page.locator("#edit-labels").count(),
        1,
        "a line that is not a label keeps the dialog open",
    );
    await it.page.locator("#edit-labels").fill("rack=8\nhost = node17");
    await it.page.locator("#dialog-yes").click();
    await it.until(
        (key) =>
            /gamma two.*host=node17.*rack=8|gamma two.*rack=8.*host=node17/.test(
                document.querySelector(`[data-topology="${key}"]`)?.textContent,
            ),
        id,
    );
    const now = await (await it.page.request.get(`${it.server.url}/v1/topologies/${id}`)).json();
    assert.deepEqual([now.name, now.labels], ["gamma two", { rack: "8", host: "node17" }]);
});

test("deleting asks first", async () => {
    const { id } = await kept("delta", variant(104));
    await library();
    await it.key(`delete:${id}`).click();
    await soon.match(() => it.page.locator("dialog[open]").textContent(), /Delete “delta”\?/);
    await it.page.keyboard.press("Escape");
    await soon.equal(() => it.page.locator(`[data-topology="${id}"]`).count(), 1);
    await it.key(`delete:${id}`).click();
    await it.page.locator("#dialog-yes").click();
    await it.until((key) => !document.querySelector(`[data-topology="${key}"]`), id);
    await soon.equal(
        async () => (await it.page.request.get(`${it.server.url}/v1/topologies/${id}`)).status(),
        404,
    );
});

test("more than a page is loaded when asked for", async () => {
    for (let n = 0; n < 53; n++) await kept(`many ${n}`, variant(2000 + n));
    await library("&q=many");
    await it.page.locator("#more, #library tbody tr:nth-child(53)").first().waitFor();
    if (await it.page.locator("#more").count()) await it.page.locator("#more").click();
    await it.until(() => document.querySelectorAll("#library tbody tr").length === 53);
});

test("an upload shows how far it is and can be cancelled", async () => {
    let letGo;
    const held = new Promise((done) => (letGo = done));
    await it.page.route("**/v1/topologies?*", async (route) => {
        await held;
        await route.abort().catch(() => {});
    });
    await it.page.goto(it.server.url);
    await it.page.locator("#file").setInputFiles(it.write("three-gpus.xml", dump));
    await it.page.locator("#busy.on").waitFor();
    await soon.match(() => it.page.locator("#busy").textContent(), /sending|reading|computing/);
    await it.page.locator("#stop").click();
    await it.until(() => !document.querySelector("#busy.on"));
    await soon.equal(() => it.page.locator(".problem").count(), 0);
    letGo();
});

test("a long analysis can be stopped and asked again", async () => {
    await it.open(it.write("three-gpus.xml", dump));
    let letGo;
    const held = new Promise((done) => (letGo = done));
    await it.page.route("**/analysis?*", async (route) => {
        await held;
        await route.continue().catch(() => {});
    });
    await it.hosts(7);
    await it.page.locator("#busy.on").waitFor();
    await it.page.locator("#stop").focus();
    await it.page.keyboard.press("Enter");
    await it.page.locator(".problem").first().waitFor();
    await soon.match(() => it.page.locator(".problem").first().textContent(), /Cancelled/);
    letGo();
    await it.page.unroute("**/analysis?*");
    await it.key("again").first().click();
    await it.until(() =>
        /7 hosts, 21 ranks/.test(document.querySelector("#expected")?.textContent),
    );
});

test("a server that needs a token is given one, which no storage keeps", async () => {
    const seen = [];
    await it.page.route("**/v1/**", async (route) => {
        const given = (await route.request().allHeaders()).authorization ?? "";
        seen.push(given);
        if (given === "Bearer right") return route.continue();
        return route.fulfill({
            status: 401,
            contentType: "application/problem+json",
            headers: { "WWW-Authenticate": "Bearer" },
            body: JSON.stringify({
                type: "/problems/unauthorized",
                title: "A token is needed",
                status: 401,
                detail: "no token was sent",
                instance: "1",
                advice: "send one",
            }),
        });
    });
    await it.page.goto(`${it.server.url}/#place=library`);
    await it.page.locator("#token").fill("wrong");
    await it.page.keyboard.press("Enter");
    await it.page.locator("dialog .bad").waitFor();
    await it.axe("token");
    await it.page.locator("#token").fill("right");
    await it.page.locator("#dialog-yes").click();
    await it.page.locator("#library, #library-empty").first().waitFor();
    await soon.equal(() => it.page.locator("dialog[open]").count(), 0);
    await it.key("add-dump").click();
    await it.page.locator("#file").setInputFiles(it.write("with-token.xml", variant(900)));
    await it.device(ids.gpu0).waitFor();
    assert.equal(seen.at(-1), "Bearer right", "uploads, analyses and drawings carry it");
    const stored = await it.page.evaluate(() =>
        JSON.stringify([
            { ...localStorage },
            { ...sessionStorage },
            document.cookie,
            location.href,
        ]),
    );
    assert.doesNotMatch(stored, /right/);
    await it.page.reload();
    await it.page.locator("#token").waitFor();
    await it.page.locator("#dialog-no").click();
    await it.page.locator(".problem").first().waitFor();
    await soon.match(() => it.page.locator(".problem").first().textContent(), /token is needed/i);
});

test(
    "a real server with tokens: asked on the first request; a reader may not write and may take another " +
        "token",
    async () => {
        const hash = (token) => createHash("sha256").update(token).digest("hex");
        const server = await startServer(
            "--token-file",
            it.write(
                "tokens",
                `reader read ${hash("read-me")}\nboth read,write ${hash("write-me")}\n`,
            ),
        );
        try {
            await it.page.goto(server.url);
            await it.page.locator("#token").fill("read-me");
            await it.page.locator("#dialog-yes").click();
            await it.page.locator(".examples button").first().waitFor();
            await it.page.locator("#file").setInputFiles(it.write("three-gpus.xml", dump));
            await it.page.locator(".problem").first().waitFor();
            await soon.match(() => it.page.locator(".problem").first().textContent(), /write/);
            await it.key("other-token").click();
            await it.page.locator("#token").fill("write-me");
            await it.page.locator("#dialog-yes").click();
            await it.device(ids.gpu0).waitFor();
            await it.settled(); // the page asks on while the machine is shown
        } finally {
            assert.equal(await server.stop(), 0);
        }
    },
);

test("axe finds nothing on library and dialogs, light and dark; a phone shows them whole", async () => {
    const { id } = await kept("epsilon", variant(105));
    await library("&q=epsilon");
    await it.axeInBoth("library");
    await it.key(`edit:${id}`).click();
    await it.axeInBoth("edit");
    await it.page.keyboard.press("Escape");
    await it.another({ width: 390, height: 844 });
    await library();
    await soon.ok(() => it.wideAsWindow());
});
