// SPDX-License-Identifier: Apache-2.0
/* Point-to-point transfers: rounds by ranks, one rank's table, keys, address, CSV; of one machine, of a cluster, of a
 * group. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const { path: h100 } = exampleFile("h100-nvswitch");
const transfer = (rank, round) => it.key(`transfer:${rank}:${round}`);
const shown = () => it.page.locator("#transfers").waitFor();
const text = (id) => it.page.locator(id).textContent();

test("a machine alone: who meets whom by NVLink, by mouse and by keys", async () => {
    await it.open(h100, "release=2.27.7");
    await it.page.keyboard.press("p");
    await shown();
    await soon.match(() => it.page.url(), /view=transfers/);
    await soon.equal(() => it.page.locator("#transfers tbody tr").count(), 8);
    await soon.equal(
        () =>
            it.page
                .locator("#transfers tbody tr")
                .first()
                .locator("button")
                .allTextContents()
                .then((all) => all.join(" ")),
        "0 1 3 6 2 7 5 4",
    );
    await transfer(1, 3).click();
    await soon.match(() => it.page.url(), /rank=1&round=3/);
    await soon.equal(() => text("#rank-no"), "Rank 1 of 8");
    await soon.match(
        () => it.page.locator('#rounds tr[data-round="3"]').textContent(),
        /7P2P, NVL.*3P2P, NVL/,
    );
    await soon.ok(async () => (await it.lit()).length >= 1, "the way is lit on the machine");
    await it.page.locator("body").press(".");
    await soon.equal(() => text("#round-no"), "Round 4 of 8");
    await it.page.keyboard.press("]");
    await soon.equal(() => text("#rank-no"), "Rank 2 of 8");
    await it.page.keyboard.press("[");
    await it.page.keyboard.press(",");
    await transfer(1, 3).focus();
    await it.page.keyboard.press("ArrowRight");
    await it.page.keyboard.press("ArrowDown");
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.url(), /rank=2&round=4/);
});

test(
    "hosts: the network by the peer's rail, through another GPU; a link leads into the middle of many " +
        "ranks",
    async () => {
        await it.open(h100, "view=transfers&hosts=2&release=2.27.7&rank=1&round=9");
        await shown();
        await it.until(() => document.querySelector("#rank-no")?.textContent === "Rank 1 of 16");
        await soon.equal(() => it.page.locator("#rounds tr.on").getAttribute("data-round"), "9");
        await soon.match(
            () => it.page.locator("#rounds tr.on").textContent(),
            /10networkNET 2 through rank 2 \(PXN\), GPUDirect/,
        );
        await soon.ok(async () => (await it.page.locator("#transfers button.k-PXN").count()) > 8);
        await it.visit(
            it.page
                .url()
                .replace("hosts=2", "hosts=512")
                .replace("rank=1", "rank=4000")
                .replace("round=9", "round=2050"),
        );
        await shown();
        await it.until(
            () => document.querySelector("#rank-no")?.textContent === "Rank 4000 of 4096",
        );
        await soon.equal(
            () =>
                it.page
                    .locator('[aria-selected="true"]:has([data-key="transfer:4000:2050"])')
                    .count(),
            1,
        );
        await it.key("rank:number").fill("7");
        await it.key("rank:number").press("Enter");
        await it.until(() => document.querySelector("#rank-no")?.textContent === "Rank 7 of 4096");
        await it.key("round:next").click();
        await it.until(
            () => document.querySelector("#round-no")?.textContent === "Round 2051 of 4096",
        );
    },
);

test("a rank's rounds go into a spreadsheet; an old release does not tell its channels", async () => {
    await it.open(h100, "view=transfers&hosts=4&release=2.12.12");
    await shown();
    await soon.match(() => text("#transfers-sentence"), /not known/);
    const coming = it.page.waitForEvent("download");
    await it.key("transfers-csv").click();
    const file = await coming,
        lines = readFileSync(await file.path(), "utf8")
            .trim()
            .split("\r\n");
    assert.equal(file.suggestedFilename(), "transfers-of-rank-0.csv");
    assert.equal(lines.length, 33);
    assert.match(lines[0], /^rank,round,channels,sends to/);
    assert.match(lines[10], /^0,9,,/);
    await it.menu("export", "share");
    await soon.match(() => it.page.locator("#export").textContent(), /the table: transfers/);
    await soon.equal(() => it.key("export:table.svg").isDisabled(), false);
});

const post = async (path, data, type = "application/octet-stream") =>
    (
        await it.page.request.post(`${it.server.url}${path}`, {
            data,
            headers: { "Content-Type": type },
        })
    ).json();
const go = async (fragment) => {
    const topology = (await post("/v1/topologies", readFileSync(h100))).id;
    const { id } = await post(
        "/v1/clusters",
        JSON.stringify({ name: "row", hosts: [{ topology, count: 4 }] }),
        "application/json",
    );
    await it.page.goto("about:blank");
    await it.page.goto(`${it.server.url}/#place=clusters&cluster=${id}${fragment}`);
    await shown();
    await it.until(() => document.querySelector('.clusters[aria-busy="false"]'));
};

test("of a cluster, and of one of its groups", async () => {
    await go("&rank=17&round=20");
    await it.until(() => document.querySelector("#rank-no")?.textContent === "Rank 17 of 32");
    await transfer(18, 21).click();
    await it.until(() => document.querySelector("#round-no")?.textContent === "Round 21 of 32");
    await it.tab("Groups").click();
    await it.page.locator("#layout").fill("tp=8,dp=4");
    await it.page.locator("#layout").press("Enter");
    await it.page.locator("#groups").waitFor();
    await it.tab("Transfers").click();
    await it.key("Transfers of:dp").click();
    await it.until(() => document.querySelector("#rank-no")?.textContent === "Rank 0 (0) of 4");
    await it.key("group:number").fill("3");
    await it.key("group:number").press("Enter");
    await it.until(() => document.querySelector("#rank-no")?.textContent === "Rank 0 (3) of 4");
    await soon.match(() => it.page.url(), /group=dp:3/);
    await soon.match(() => it.page.locator("#rounds tbody").textContent(), /2 \(19\)network/);
    await go("&groups=tp%3D8%2Cdp%3D4&group=dp%3A3");
    await it.until(() => document.querySelector("#rank-no")?.textContent === "Rank 0 (3) of 4");
});

test("a rank that is missing is told, axe finds nothing, a phone shows it whole", async () => {
    await it.open(h100, "view=transfers&hosts=2");
    await shown();
    await it.axeInBoth("transfers");
    await it.visit(`${it.page.url()}&rank=4000`);
    await it.page.locator("#drawer .problem").waitFor();
    await soon.match(() => text("#drawer .problem"), /last one is 15/);
    await it.another({ width: 390, height: 844 });
    await it.open(h100, "view=transfers&hosts=2");
    await shown();
    await soon.ok(() => it.wideAsWindow());
    await go("&tab=transfers");
    await soon.ok(() => it.wideAsWindow());
});
