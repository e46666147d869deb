// SPDX-License-Identifier: Apache-2.0
/* Opening a machine: from examples, files, pasted and dropped texts; and refusals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids, malformed } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { examples, ready, realDump, without } from "./support.mjs";

const it = fixture(),
    dumpFile = () => it.write("three-gpus.xml", dump),
    malformedFile = () => it.write("broken.xml", malformed);
const fact = (name) => it.page.locator(`dl.facts dt:text-is("${name}") + dd`);

test("the empty page teaches how to get a dump, and copies the command", async () => {
    await it.page
        .context()
        .grantPermissions(["clipboard-read", "clipboard-write"], { origin: it.server.url });
    await it.page.goto(it.server.url);
    await it.page.getByRole("button", { name: /^Copy: NCCL_TOPO_DUMP_FILE/ }).click();
    await soon.match(
        () => it.page.evaluate(() => navigator.clipboard.readText()),
        /^NCCL_TOPO_DUMP_FILE=\/tmp\/topo\.xml /,
    );
    await soon.ok(() => it.wideAsWindow());
});

test("examples open with a drawing and figures: a third of them, and all with ORRERY_ALL=1", async () => {
    const rows = examples().filter((row, i) => process.env.ORRERY_ALL || i % 3 === 0);
    assert.ok(rows.length > 0, "there are examples");
    for (const row of rows) {
        await it.page.goto("about:blank");
        await it.page.goto(it.server.url);
        await it.page.locator(`[data-example="${row.id}"]`).click();
        await ready(it.page);
        await soon.ok(
            async () => (await it.page.locator("#canvas svg g.gpu").count()) > 0,
            `${row.id} has GPUs in its drawing`,
        );
        await soon.match(
            () => it.page.locator(".machine-name b").textContent(),
            new RegExp(row.title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")),
        );
        await soon.equal(() => it.page.locator(".stage .problem").count(), 0);
    }
});

test("the start page shows the example with faults and its verdict; a part of the bar opens it repaired", async () => {
    let answer;
    const held = new Promise((done) => (answer = done));
    await it.page.route(/\/v1\/.*analy/, async (route) => {
        await held;
        await route.continue();
    });
    await it.page.goto(it.server.url);
    const card = it.page.locator("#see-faults");
    await soon.equal(
        () => card.locator(".live-line").textContent(),
        "Computing…",
        "no mark before there is a verdict",
    );
    answer();
    await card.locator(".cost-bar button").first().waitFor();
    await soon.match(
        () => card.locator(".live-line").textContent(),
        /^✗2 faults cost \d+ % on 2 hosts$/,
    );
    await soon.deepEqual(
        () => card.locator(".cost-bar button").allTextContents(),
        ["+57 mlx5_3", "+56 mlx5_5"],
    );
    await it.axe("the start page");
    await card.locator(".cost-bar button").first().click();
    await ready(it.page);
    await soon.match(() => it.page.url(), /hosts=2.*repair=slow-link/);
    await soon.match(() => it.page.locator("#verdict h2").textContent(), /1 fault costs/);
    await it.page.goBack();
    await it.key("see-faults").click();
    await ready(it.page);
    await soon.match(() => it.page.locator("#verdict h2").textContent(), /2 faults cost/);
    await soon.match(() => it.page.url(), /hosts=2/);
});

test("examples by situation; a rack is an example too", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator(".examples").first().waitFor();
    await soon.deepEqual(
        () => it.page.locator("#examples h3").allTextContents(),
        [
            "A slow NIC",
            "No GPUDirect RDMA",
            "Cloud VMs",
            "NVL72 racks and their trays",
            "Hosts with NVSwitch",
            "PCIe cards and direct NVLink",
        ],
    );
    await it.key("rack:gb300-nvl72").click();
    await ready(it.page);
    await soon.match(() => it.page.url(), /machine=gb300-nvl72/);
});

test("a chosen file is shown, with its own name", async () => {
    await it.open(dumpFile());
    await soon.equal(() => it.page.locator(".machine-name b").textContent(), "three-gpus");
    await soon.equal(() => fact("Ranks").textContent(), "3");
    for (const id of [ids.gpu0, ids.gpu1, ids.gpu2])
        await soon.equal(() => it.device(id).count(), 1);
});

test("pasted text is read", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(dump);
    await it.page.getByRole("button", { name: "Read the pasted text" }).click();
    await ready(it.page);
    await soon.equal(() => it.device(ids.gpu2).count(), 1);
});

test("what is pasted stays while examples come late, and when it is refused", async () => {
    let letGo;
    const held = new Promise((done) => (letGo = done));
    await it.page.route("**/v1/examples", async (route) => (await held, route.continue()));
    await it.page.route("**/examples/index.json", async (route) => (await held, route.continue()));
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").fill(malformed);
    letGo();
    await it.page.locator(".examples button").first().waitFor();
    await soon.equal(() => it.page.locator("#paste").inputValue(), malformed);
    await it.page.locator("#read").click();
    await it.page.locator(".problem").waitFor();
    await soon.equal(() => it.page.locator("#paste").inputValue(), malformed);
});

test("a dropped file is read, over an open machine too", async () => {
    await it.page.goto(it.server.url);
    const drop = (text) =>
        it.page.evaluate((xml) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([xml], "dropped.xml", { type: "text/xml" }));
            for (const type of ["dragover", "drop"])
                document.body.dispatchEvent(
                    new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
                );
        }, text);
    await drop(dump);
    await ready(it.page);
    await drop(dump.replace('rank="2"', 'rank="7"').replace("200000", "400000"));
    await it.until((before) => location.href !== before, it.page.url());
    await ready(it.page);
    await soon.equal(() => it.device(ids.gpu2).count(), 1);
});

test("malformed XML shows line and column, with the line of the input", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator("#file").setInputFiles(malformedFile());
    const problem = it.page.locator(".problem");
    await problem.waitFor();
    await soon.match(
        () => problem.locator(".where").textContent(),
        /broken\.xml:4:\d+ \(line 4, column \d+\)/,
    );
    await soon.match(() => problem.locator(".here").textContent(), /^4\s*<\/cpu>/);
    await soon.equal(() => problem.locator(".caret").count(), 1);
    await it.page.locator("#file").setInputFiles(dumpFile());
    await ready(it.page);
});

test("bytes that are not a topology are refused with advice, and the page goes on", async () => {
    await it.page.goto(it.server.url);
    await it.page
        .locator("#file")
        .setInputFiles(it.write("picture.png", "\x89PNG\r\n\x1a\nnothing"));
    await it.page.locator(".problem h2").waitFor();
    await it.page.locator("#paste").fill(dump);
    await it.page.locator("#read").click();
    await ready(it.page);
});

test("an address of a machine that is missing says so", async () => {
    await it.page.goto(`${it.server.url}/#id=0123456789abcdef0123456789abcdef`);
    await it.page.locator(".problem").waitFor();
    await soon.equal(() => it.key("file-choose").count(), 1);
});

for (const [name, gpus] of [
    ["machines/machine-workstation-4090x2.xml", 2],
    ["machines/machine-dgx1-v100.xml", 8],
    ["machines/machine-dgx-a100.xml", 8],
    ["machines/machine-hgx-h100.xml", 8],
    ["real/gb300-1tray-healthy.xml", 4],
]) {
    const file = realDump(name);
    test(`real dump: ${name}`, { skip: without(name) }, async () => {
        await it.open(file);
        await it.page.keyboard.press("x");
        await soon.equal(() => it.page.locator("#matrix tbody tr").count(), gpus);
        await soon.equal(() => it.page.locator("#canvas g.node.gpu").count(), gpus);
        await it.page.locator("#matrix tbody tr").first().locator("button").nth(1).click();
        await soon.ok(async () => (await it.lit()).length > 0, "the path is lit");
        await it.page.keyboard.press("c");
        await soon.ok(
            async () => (await it.page.locator("#canvas .overlay .step").count()) >= gpus - 1,
            "a ring is drawn",
        );
    });
}

test(
    "a topology without GPUs says what it lacks and how to get it",
    { skip: without("provider/aws-p4d-24xl-a100.xml") },
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator("#file").setInputFiles(realDump("provider/aws-p4d-24xl-a100.xml"));
        await it.page.locator(".problem").first().waitFor();
        await soon.match(() => it.page.locator("main").textContent(), /NCCL_TOPO_DUMP_FILE/);
    },
);
