// SPDX-License-Identifier: Apache-2.0
/* The answers of an open machine as people use them: matrix, settings, releases, channels, tuning, paths, addresses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";

const it = fixture(),
    dumpFile = () => it.write("three-gpus.xml", dump);
const fact = (name) => it.page.locator(`dl.facts dt:text-is("${name}") + dd`);

test(
    "a cell of the matrix shows the path, its narrowest hop, the verdict and its rule, and lights the " +
        "path",
    async () => {
        await it.open(dumpFile(), "view=matrix");
        await soon.equal(() => it.cell(ids.gpu0, ids.gpu1).textContent(), "NVL");
        await soon.equal(() => it.cell(ids.gpu0, ids.gpu2).textContent(), "SYS");
        await it.cell(ids.gpu0, ids.gpu2).click();
        const panel = it.page.locator("#panel");
        await soon.match(() => panel.locator("h2").first().textContent(), /GPU 0 → GPU 2/);
        await soon.equal(() => panel.locator(".hops tbody tr").count(), 5);
        await soon.equal(() => panel.locator(".hops tr.narrow").count(), 1);
        await soon.match(() => panel.locator(".hops tr.narrow").textContent(), /SYS.*narrowest/);
        await soon.match(
            () => panel.locator(".verdict").textContent(),
            /P2P.*no.*longer than the P2P level allows.*SYS against PXB.*NCCL_P2P_LEVEL/s,
        );
        await soon.equal(async () => (await it.lit()).length, 5);
        await soon.equal(() => it.page.locator("#canvas .edge.narrowest").count(), 1);
        await soon.equal(() => it.page.locator("#canvas .node.picked").count(), 2);
        await it.page.keyboard.press("Escape");
        await soon.deepEqual(() => it.lit(), []);
    },
);

test("a selection moves within the matrix, which is not made anew, and one cell can be reached by Tab", async () => {
    await it.open(dumpFile(), "view=matrix&hosts=2");
    await it.page.locator("#matrix").evaluate((table) => table.setAttribute("data-seen", "1"));
    for (const to of [ids.gpu2, ids.net]) {
        await it.cell(ids.gpu0, to).click();
        await soon.deepEqual(
            () =>
                it.page
                    .locator('#matrix [aria-selected="true"] button')
                    .evaluateAll((all) => all.map((one) => one.dataset.key)),
            [`${ids.gpu0}>${to}`],
        );
        await soon.deepEqual(
            () =>
                it.page
                    .locator('#matrix button[tabindex="0"]')
                    .evaluateAll((all) => all.map((one) => one.dataset.key)),
            [`${ids.gpu0}>${to}`],
        );
        await soon.equal(() => it.page.locator("#matrix th.on").count(), 2);
    }
    await soon.equal(() => it.page.locator("#matrix[data-seen]").count(), 1);
    await it.page.keyboard.press("Escape");
    await it.until(() => !document.querySelector('#matrix [aria-selected="true"], #matrix th.on'));
    await soon.equal(() => it.page.locator('#matrix button[tabindex="0"]').count(), 1);
});

test("the matrix says type, bandwidth, hops or verdict in the same place", async () => {
    await it.open(dumpFile(), "view=matrix");
    const place = await it.cell(ids.gpu0, ids.gpu2).boundingBox();
    const says = async (name) => {
        await it.page.locator("#drawer").getByRole("button", { name, exact: true }).click();
        await soon.deepEqual(
            () => it.cell(ids.gpu0, ids.gpu2).boundingBox(),
            place,
            `${name} moves nothing`,
        );
        return it.cell(ids.gpu0, ids.gpu2).textContent();
    };
    await soon.match(() => says("GB/s"), /^\d+(\.\d+)?$/);
    await soon.equal(() => says("Hops"), "5");
    await soon.equal(() => says("Verdict"), "–");
    await soon.equal(() => says("Type"), "SYS");
});

test("a change of hosts brings the NICs and tells what it changed", async () => {
    await it.open(dumpFile(), "view=matrix&release=2.27.7");
    await soon.equal(() => it.cell(ids.gpu0, ids.net).count(), 0);
    await it.page.locator("#two-hosts").click();
    await it.cell(ids.gpu0, ids.net).waitFor();
    await soon.match(() => fact("Ranks").textContent(), /6 on 2 hosts.*was 3/);
    await it.cell(ids.gpu0, ids.net).click();
    await soon.equal(() => it.page.locator("#panel .verdict").count(), 2);
    await soon.match(() => it.page.url(), /hosts=2/);
});

test("a changed setting is a chip, changes the verdict, and goes away again", async () => {
    await it.open(dumpFile(), `view=matrix&cell=verdict&panel=settings`);
    await it.page.locator("#filter").fill("p2p_level");
    await it.page.locator("#set-NCCL_P2P_LEVEL").fill("SYS");
    await it.page.locator("#set-NCCL_P2P_LEVEL").press("Enter");
    await it.page.locator(".chip").waitFor();
    await it.settled();
    await it.until(
        (key) => document.querySelector(`#matrix [data-key="${key}"]`)?.textContent !== "–",
        `${ids.gpu0}>${ids.gpu2}`,
    );
    await soon.equal(() => it.page.locator(".chip span").textContent(), "NCCL_P2P_LEVEL=SYS");
    await soon.match(() => it.page.url(), /NCCL_P2P_LEVEL=SYS/);
    await it.page.getByRole("button", { name: "Remove NCCL_P2P_LEVEL" }).click();
    await it.until(
        (key) => document.querySelector(`#matrix [data-key="${key}"]`)?.textContent === "–",
        `${ids.gpu0}>${ids.gpu2}`,
    );
    await soon.equal(() => it.page.locator(".chip").count(), 0);
});

test("a refused setting says so and can be taken back", async () => {
    await it.open(dumpFile(), "NCCL_NO_SUCH_THING=1");
    await soon.match(() => it.page.locator(".problem").first().textContent(), /NCCL_NO_SUCH_THING/);
    await it.page.getByRole("button", { name: "Remove NCCL_NO_SUCH_THING" }).click();
    await it.page.locator("#canvas svg").waitFor();
    await soon.equal(() => it.page.locator(".problem").count(), 0);
});

test("another release can be asked", async () => {
    await it.open(dumpFile());
    await it.ask();
    const chosen = await it.page.locator("#release").inputValue();
    const others = (
        await it.page
            .locator("#release option")
            .evaluateAll((all) => all.map((option) => option.value))
    ).filter((name) => name !== chosen);
    assert.ok(others.includes("2.27.7"), others.join());
    await it.choose("#release", "2.27.7");
    await it.page.waitForURL(/release=2\.27\.7/);
    await it.settled();
    await soon.equal(() => it.page.locator("#release").inputValue(), "2.27.7");
});

test("the choice of releases is grouped by minor release and names tags that behave alike", async () => {
    await it.open(dumpFile());
    await soon.equal(() => it.page.locator(".unverified").count(), 0);
    await it.ask();
    const groups = await it.page
        .locator("#release optgroup")
        .evaluateAll((all) =>
            all.map((group) => [
                group.label,
                [...group.children].map((option) => option.textContent),
            ]),
        );
    const [, of_2_18] =
        groups.find(([label]) => label === "NCCL 2.18") ?? assert.fail(JSON.stringify(groups));
    assert.deepEqual(of_2_18, [
        "2.18.5 (also 2.18.6)",
        "2.18.3",
        "2.18.1 – PyTorch 2.1.0 and 2.1.2 (CUDA 12)",
    ]);
});

test("a ring lies on the drawing, step by step", async () => {
    await it.open(dumpFile(), "view=channels&hosts=2");
    await it.page.locator("#canvas .overlay .step").first().waitFor();
    await soon.equal(
        () => it.page.locator("#canvas .overlay .step").count(),
        4,
        "in by the NIC, twice between GPUs, out by the NIC",
    );
    await it.page.keyboard.press(".");
    await soon.equal(() => it.page.locator("#canvas .overlay .step.now").count(), 1);
    await soon.ok(async () => (await it.lit()).length > 0);
    await it.page.keyboard.press("]");
    await it.page.waitForURL(/channel=1/);
    await soon.match(() => it.page.locator("#channel-no").textContent(), /Ring, channel 1 of \d+/);
    await it.page.locator('[data-graph="tree"] button').click();
    await soon.match(() => it.page.locator("#channel-no").textContent(), /Tree, channel 0/);
    await soon.ok(async () => (await it.page.locator("#canvas .overlay .step").count()) >= 2);
});

test("every ring at once as NCCL writes it, one of them chosen; the lines of a log, by rank", async () => {
    await it.open(dumpFile(), "view=channels&hosts=2");
    const rows = it.page.locator("#channels tbody tr");
    await soon.match(
        () => rows.first().innerText(),
        /^00\/\d+\s+0 1 2 3 4 5|^00\/\d+\s+[0-5 ]+\s+\S+\s+\S+$/,
    );
    await it.key("channel:1").click();
    await it.page.waitForURL(/channel=1/);
    await soon.match(() => it.page.locator("#channels tr.on").innerText(), /^01\//);
    await it.page.locator('[data-graph="tree"] button').click();
    await soon.match(() => rows.first().innerText(), /->0->/);
    await it.view("As NCCL logs it");
    const lines = it.page.locator("#logged");
    await soon.match(() => lines.textContent(), /^Channel 00\/\d+ : /m);
    await it.page.locator("#logged-rank").fill("2");
    await it.page.locator("#logged-rank").press("Enter");
    await it.until(() => /->2->/.test(document.querySelector("#logged").textContent));
    await soon.doesNotMatch(
        () => lines.textContent(),
        /^Channel 00/m,
        "rank 0 alone prints the rings",
    );
    await it.axeInBoth("as NCCL logs it");
});

test("a channel that another question does not have gives way to the last one", async () => {
    await it.open(dumpFile(), "view=channels&layout=alone&channel=63");
    await it.until(
        () => !/channel=63/.test(location.hash) && document.querySelector("#canvas svg"),
    );
    await it.settled();
    const [, at, of] = /Ring, channel (\d+) of (\d+)/.exec(
        await it.page.locator("#channel-no").textContent(),
    );
    assert.equal(Number(at), Number(of) - 1);
    await soon.equal(() => it.page.locator(".stage .problem").count(), 0);
});

test("the inspector has one place and width; a key and a button hide it, the drawing shows it", async () => {
    await it.open(dumpFile());
    const panel = it.page.locator("#panel"),
        place = () => panel.evaluate((body) => JSON.stringify(body.getBoundingClientRect()));
    await soon.match(() => panel.textContent(), /This machine/);
    const before = await place();
    for (const name of ["Matrix", "Channels", "Tuning", "Log", "Dump"]) {
        await it.view(name);
        await soon.equal(() => place(), before, name);
    }
    await it.view("Drawing");
    await it.page.keyboard.press("z");
    await soon.ok(async () => !(await panel.isVisible()));
    await it.key("panel-hide").click();
    await soon.ok(() => panel.isVisible());
    await it.page.keyboard.press("z");
    await it.device(ids.gpu0).click();
    await soon.match(() => panel.textContent(), /1b:00\.0/);
    await it.page.keyboard.press("Escape");
    await soon.match(() => panel.textContent(), /This machine/, "nothing is selected: the machine");
    await it.key("go:verdict").click();
    await soon.ok(() => it.page.locator("#verdict").isVisible());
});

test("views of figures have no drawing; what is selected there is still lit when it is back", async () => {
    await it.open(dumpFile(), `view=tuning&from=${ids.gpu0}&to=${ids.gpu2}`);
    await soon.ok(async () => !(await it.page.locator("#canvas").isVisible()));
    await it.view("Drawing");
    await soon.ok(() => it.page.locator("#canvas").isVisible());
    await soon.equal(async () => (await it.lit()).length, 5);
});

test("the tuning table has bandwidth and latency, and marks the highest", async () => {
    await it.open(dumpFile(), "view=tuning");
    await soon.ok(async () => (await it.page.locator("#tuning .best").count()) >= 1);
    await it.page.getByRole("button", { name: "Broadcast" }).click();
    await it.page.waitForURL(/collective=Broadcast/);
    await soon.ok(async () => (await it.page.locator("#tuning tbody tr").count()) >= 2);
});

test("a device is selected in the drawing, a second one with Shift makes a path", async () => {
    await it.open(dumpFile());
    await it.device(ids.gpu0).click();
    await soon.match(() => it.page.locator("#panel").textContent(), /1b:00\.0/);
    await it.device(ids.gpu2).click({ modifiers: ["Shift"] });
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
});

test("the address restores everything, back and forward work", async () => {
    await it.open(
        dumpFile(),
        `hosts=2&NCCL_P2P_LEVEL=NVL&view=channels&panel=selection&from=${ids.gpu0}&to=${ids.gpu2}&graph=tree&cell=bw`,
    );
    const there = it.page.url();
    await soon.equal(() => it.key("question").textContent(), "NCCL 2.30.72 hosts1 setting");
    await soon.equal(() => it.tab("Channels").getAttribute("aria-selected"), "true");
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
    await soon.match(() => it.page.locator("#channel-no").textContent(), /Tree/);
    await soon.ok(async () => (await it.lit()).length > 0);
    await it.page.locator('[data-graph="ring"] button').click();
    await it.page.goBack();
    await soon.equal(() => it.page.url(), there);
    await soon.match(() => it.page.locator("#channel-no").textContent(), /Tree/);
});
