// SPDX-License-Identifier: Apache-2.0
/* Going about: link loads, NVLS and CollNet channels, folding, the search, arrows along links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const { path: h100 } = exampleFile("h100-nvswitch");
const focused = () =>
    it.page.evaluate(() => document.activeElement.id || document.activeElement.dataset.key);

test("the load of links: figures on the drawing, a table, what is left; a link is told by itself", async () => {
    await it.open(h100, "view=channels");
    await it.key("Drawn:load").click();
    await soon.ok(async () => (await it.page.locator("#canvas .weights g").count()) >= 8);
    await soon.ok(
        async () => (await it.page.locator("#canvas .edge.load3").count()) >= 8,
        "the NVLinks of this ring are full",
    );
    const row = it.page.locator("#loads tbody tr").first();
    await soon.match(() => row.textContent(), /GPU 0 → NVSwitchNVL12yes36037110\.8/);
    await it.key("graph:tree").click();
    await it.until(() =>
        /Load of links, Tree/.test(document.querySelector("#loads caption").textContent),
    );
    const shares = await it.page
        .locator("#loads tbody tr")
        .evaluateAll((rows) =>
            rows.map((one) => Number(one.cells[4].textContent) / Number(one.cells[5].textContent)),
        );
    assert.ok(
        shares.length > 8 && shares.every((share) => share <= 1),
        `a tree takes no more of a link than it has: ${shares}`,
    );
    await it.key("graph:ring").click();
    await row.getByRole("button").click();
    await soon.match(() => it.page.locator("#link-load").textContent(), /Ring0 1 2 3.*36010\.8/);
    await soon.deepEqual(async () => (await it.lit()).length, 1);
    await it.page.keyboard.press("l");
    await soon.equal(() => it.page.locator("#canvas .weights").count(), 1);
    await soon.equal(() => it.page.locator("#canvas .weights g").count(), 0, "l takes it away");
    await it.page.keyboard.press("l");
    await soon.match(() => it.page.url(), /layout=load/);
});

test("NVLS has steps of its own; brackets turn its channels, comma and point step", async () => {
    await it.open(h100, "view=channels&graph=nvls&hosts=2");
    await soon.match(() => it.page.locator("#order").textContent(), /Heads: ranks 0, 1/);
    await soon.ok(async () => (await it.page.locator("#order button").count()) >= 16);
    await it.page.keyboard.press(".");
    await soon.equal(() => it.page.locator("#canvas .overlay .now").count(), 1);
    await soon.equal(async () => (await it.lit()).length, 1);
    await it.page.keyboard.press("]");
    await soon.match(() => it.page.locator("#channel-no").textContent(), /NVLS, channel 1 of 16/);
});

test("CollNet, if it is asked for", async () => {
    await it.open(
        it.write("coll.xml", dump.replace('gdr="1"/></nic>', 'gdr="1" coll="1"/></nic>')),
        "view=channels&hosts=2&NCCL_COLLNET_ENABLE=1&graph=collnet_chain&release=2.27.7",
    );
    await soon.match(() => it.page.locator("#channel-no").textContent(), /CollNet chain/);
    await it.page.locator('#graphs [data-key="graph:collnet_direct"]').click();
    await soon.equal(
        () => it.page.locator("#canvas .overlay .step").count(),
        () => it.page.locator("#order button").count(),
        "on the machine, to the head and on to its NIC",
    );
    await soon.match(
        async () => (await it.page.locator("#order button").allTextContents()).join(" "),
        /0→NIC/,
    );
    await it.key("Drawn:alone").click();
    await it.page.locator('#canvas .view-collnet_direct g.node[id="network"]').waitFor();
    await soon.match(
        () => it.page.locator('#canvas [id="GPU/0-1b000~head"]').textContent(),
        /head of share 0/,
    );
    await it.visit(it.page.url());
    await it.page.locator('#canvas .view-collnet_direct g.node[id="network"]').waitFor();
    await it.axe("CollNet direct");
});

test("folding hides what is alike and bus ids, moves nothing, and shows what is selected", async () => {
    await it.open(h100);
    const place = await it.device("GPU/0-d9000").boundingBox();
    await it.page.locator("#fold").click();
    await it.page.locator("#canvas svg.less").waitFor();
    await soon.match(() => it.page.url(), /detail=less/);
    await soon.ok(async () => (await it.page.locator("#canvas .folded").count()) > 7);
    await soon.equal(() => it.device("NET/0-5").isVisible(), false);
    await soon.equal(() => it.device("NET/0-0").isVisible(), true);
    await soon.deepEqual(() => it.device("GPU/0-d9000").boundingBox(), place);
    await it.open(h100, "detail=less&panel=selection&from=NET/0-5");
    await it.until(() => document.querySelector("#canvas svg.less"));
    await soon.equal(() => it.device("NET/0-5").isVisible(), true);
    await it.page.keyboard.press("f");
    await soon.equal(() => it.page.locator("#canvas .folded").count(), 0);
});

test("/ finds a device by bus id, name, rank, GUID; Enter selects, Shift+Enter makes a path", async () => {
    await it.open(it.write("three.xml", dump), "hosts=2");
    const search = async (text, keys) => {
        await it.page.keyboard.press("/");
        await it.page.locator("#search").fill(text);
        await it.page.locator("#found [aria-selected='true']").waitFor();
        for (const key of keys) await it.page.keyboard.press(key);
        await it.until(() => !document.querySelector("#search"));
        return it.page.locator("#panel h2").first().textContent();
    };
    await soon.equal(() => search("9b:00", ["Enter"]), "GPU 2");
    await soon.equal(() => search("mlx5_0", ["Enter"]), "NET 0");
    await soon.equal(() => search("rank 1", ["Enter"]), "GPU 1");
    await soon.equal(
        () => search("gpu", ["ArrowDown", "ArrowDown", "Shift+Enter"]),
        "GPU 1 → GPU 2",
    );
    await it.key("search").click();
    await it.page.locator("#search").fill("0xnothing");
    await soon.match(
        () => it.page.locator(".search .note").textContent(),
        /Nothing here is called/,
    );
    await it.axe("search");
    await it.page.keyboard.press("Escape");
});

test("a found device is chosen by mouse", async () => {
    await it.open(it.write("three.xml", dump));
    await it.key("search").click();
    await it.page.locator("#search").fill("1c:00");
    await it.page.locator("#found li").first().click();
    await soon.equal(() => it.page.locator("#panel h2").first().textContent(), "GPU 1");
});

test("arrows go from a device along its links", async () => {
    await it.open(it.write("three.xml", dump));
    await it.device(ids.gpu0).focus();
    const view = await it.page.locator("#canvas svg").getAttribute("viewBox");
    await it.page.keyboard.press("ArrowRight");
    await soon.equal(() => focused(), ids.gpu1);
    await it.page.keyboard.press("ArrowUp");
    await soon.match(() => focused(), /^PCI\//);
    await soon.equal(
        () => it.page.locator("#canvas svg").getAttribute("viewBox"),
        view,
        "the drawing stays",
    );
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /^PCIe/);
});

test("axe finds nothing on loads and folding, light and dark; a phone shows them whole", async () => {
    await it.open(h100, "view=channels&layout=load&detail=less");
    await it.axeInBoth("the view");
    await it.another({ width: 390, height: 844 });
    await it.open(h100, "view=channels&layout=load");
    await soon.ok(() => it.wideAsWindow());
});
