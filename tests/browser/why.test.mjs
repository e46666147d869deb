// SPDX-License-Identifier: Apache-2.0
/* The panel that explains a decision: rule, values, the limiting link on the drawing, settings that would change it; on
 * a made-up dump and on real ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, realDump, without } from "./support.mjs";

const it = fixture();
const three = () => it.write("three.xml", dump);
const why = () => it.page.locator("#why");
const told = (decision) => it.page.locator(`#why[data-decision="${decision}"]`).waitFor();
const text = async (where) => (await it.page.locator(where).textContent()).replace(/\s+/g, " ");

test("a pair without P2P: why, what limits, and the setting that would change it", async () => {
    await it.open(three(), `from=${ids.gpu0}&to=${ids.gpu2}&panel=selection`);
    await it.key(`ask:p2p:${ids.gpu0}:${ids.gpu2}`).click();
    await told("p2p");
    await soon.match(() => text("#why h2"), /Can rank 0 .* use P2P with rank 2/);
    await soon.match(
        () => text("#why-answer"),
        /^No: rank 0 .* cannot use P2P with rank 2 .* longer than the P2P level PXB/,
    );
    await soon.match(
        () => text("#why-advice"),
        /^With NCCL_P2P_LEVEL=SYS the answer would be: yes/,
    );
    await soon.match(() => text("#why-rule"), /Rule of NCCL 2\.30\.7.*P2P_BEYOND_LEVEL/);
    await soon.match(
        () => text("#compared"),
        /P2P levelPXBdefault of NCCL_P2P_LEVEL in NCCL 2\.30\.7/,
    );
    await soon.match(() => text("#compared"), /path type by hardwareSYSmeasured in the dump/);
    await soon.match(() => text('[data-setting="NCCL_P2P_LEVEL"]'), /NCCL_P2P_LEVEL=SYS.*: yes/);
    await soon.match(() => text("#stays"), /NCCL_P2P_DISABLE=1/);
    await soon.match(() => it.page.url(), /panel=why.*why=p2p:GPU\/0-1b000:GPU\/0-9b000/);
});

test("what only maintainers of Orrery look at is in a fold that is closed at first", async () => {
    await it.open(exampleFile("h100-nvswitch").path, "hosts=2&panel=why&why=graph:ring");
    await told("graph");
    const behaviour = it.page.locator("#why-maintainers dt", { hasText: "steps_all" }),
        steps = it.page.locator("#compared-internal", { hasText: "steps taken" });
    await soon.equal(async () => (await behaviour.isVisible()) || (await steps.isVisible()), false);
    await soon.doesNotMatch(() => text("#compared"), /steps taken/);
    await it.page.locator("#why-maintainers summary").click();
    await soon.ok(async () => (await behaviour.isVisible()) && (await steps.isVisible()));
});

test("the limiting link is shown on the drawing, and the question stays", async () => {
    await it.open(three(), `from=${ids.gpu0}&to=${ids.gpu2}&panel=why`);
    await told("p2p");
    await it.key("why-limit").click();
    await it.until(() => document.querySelectorAll("#canvas .edge.lit").length === 1);
    await told("p2p");
    await soon.match(() => it.page.url(), /why=p2p:GPU\/0-1b000:GPU\/0-9b000/);
    await soon.match(() => text("#why h2"), /rank 0 .* rank 2/);
});

test("a setting becomes the other side of the comparison, and the address says so", async () => {
    await it.open(three(), `from=${ids.gpu0}&to=${ids.gpu2}&panel=why`);
    await told("p2p");
    await it.key("what-if:NCCL_P2P_LEVEL=SYS").click();
    await it.page.locator("#diff-summary").waitFor();
    await soon.match(() => it.page.url(), /against=NCCL_P2P_LEVEL=SYS/);
    await soon.match(() => text("#diff-summary"), /facts? change/);
    await told("p2p");
});

test("by keyboard and address: w opens it, a question is chosen, back returns", async () => {
    await it.open(exampleFile("h100-nvswitch").path, "hosts=2");
    await it.page.keyboard.press("w");
    await told("channels");
    await it.key("why:nvls").focus();
    await it.page.keyboard.press("Enter");
    await told("nvls");
    await soon.match(() => text("#why-answer"), /^NVLink SHARP \(NVLS\) is on, with /);
    await soon.equal(
        () => it.page.evaluate(() => document.activeElement.dataset.key),
        "why:nvls",
        "the focus stays",
    );
    const url = it.page.url();
    await it.page.goBack();
    await told("channels");
    await it.visit(url);
    await told("nvls");
});

test("a graph, a collective of a size and the NIC of a GPU are asked if they are shown", async () => {
    await it.open(exampleFile("h100-nvswitch").path, "hosts=2&view=channels");
    await it.key("graph:tree").click();
    await it.key("ask:graph:tree").click();
    await told("graph");
    await soon.match(() => text("#why h2"), /Why does the tree graph have/);
    await soon.match(() => text("#why-limit"), /The most used link/);
    await it.page.keyboard.press("t");
    await it.key("ask:algorithm").click();
    await told("algorithm");
    await soon.match(() => text("#why h2"), /AllReduce of 1 GiB/);
    await it.visit(it.page.url().replace(/why=[^&]*/, "why=nic:GPU/0-19000:1"));
    await it.page.locator("#why, .problem").first().waitFor();
});

test("a question that the machine does not answer is a clear error, not a broken panel", async () => {
    await it.open(three(), "panel=why&why=graph:nvls");
    await it.page.locator("#panel .problem").waitFor();
    await soon.match(() => text("#panel .problem"), /does not build the nvls graph here/);
    await it.visit(it.page.url().replace("graph:nvls", "p2p:GPU/0-1:GPU/0-2"));
    await it.page.locator("#panel .problem").waitFor();
});

const REAL = [
    ["real/perlmutter-a100-nid001056.xml", "hosts=2", "gdr:GPU/0-3000:NET/0-1"],
    ["real/panlichen-topo.xml", "", "channels"],
    ["real/oci-BM.GPU.H100.8.xml", "hosts=2&release=2.27.7", "graph:ring"],
    ["real/gb300-1tray-healthy.xml", "hosts=2", "nvls"],
];
for (const [file, question, asked] of REAL)
    test(`a real machine says why: ${file}, ${asked}`, { skip: without(file) }, async () => {
        await it.open(realDump(file), `${question}&panel=why&why=${asked}`);
        await told(asked.split(":")[0]);
        await soon.match(() => text("#why-rule"), /Rule of NCCL/);
        await soon.ok(async () => (await text("#why-answer")).length > 40);
        const [name, value] = (
            await it.page.locator("#what-if [data-key^='what-if:']").first().textContent()
        ).split("=");
        const said = () => why().getAttribute("data-verdict");
        const before = await said(),
            then = await it.page.locator(".what-if b").allTextContents();
        await it.visit(`${it.page.url()}&${name}=${value === "default" ? "" : value}`);
        await told(asked.split(":")[0]);
        const after = await said();
        if (then.length)
            assert.ok(
                after !== before && after === then[0],
                `${name}=${value}: ${after}, promised ${then[0]}`,
            );
        else assert.equal(after, before);
    });

test("axe finds nothing, light and dark; a phone shows it whole", async () => {
    await it.open(three(), `from=${ids.gpu0}&to=${ids.gpu2}&panel=why`);
    await told("p2p");
    await it.axeInBoth("the view");
    await it.another({ width: 390, height: 844 });
    await it.open(exampleFile("h100-nvswitch").path, "hosts=2&panel=why&why=graph:ring");
    await told("graph");
    await soon.ok(() => it.wideAsWindow());
    await soon.ok(() => why().isVisible());
});
