// SPDX-License-Identifier: Apache-2.0
/* An NVL72 with 72 GPUs in 18 trays: legible at first sight, more detail when zoomed in, rings from tray to tray. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nvl72 } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";

const it = fixture();
const open = (fragment = "") => it.open(it.write("rack.xml", nvl72), fragment);
/* Heights in pixels of the texts that are shown, by what they belong to. */
const texts = () =>
    it.page.evaluate(() =>
        [...document.querySelectorAll("#canvas g.node text")]
            .filter((text) => text.textContent && text.getClientRects().length)
            .map((text) => ({
                text: text.textContent,
                kind: text.closest("g.node").classList[1],
                size: parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a,
            })),
    );
const shown = (selector) =>
    it.page.evaluate(
        (what) =>
            [...document.querySelectorAll(what)].filter(
                (one) => getComputedStyle(one).display !== "none" && one.getClientRects().length,
            ).length,
        selector,
    );

test("at a first look: every tray by its name, every GPU and its rank, in letters of nine pixels", async () => {
    for (const [width, height] of [
        [1280, 800],
        [1440, 900],
        [1920, 1080],
    ]) {
        await it.another({ width, height });
        await open("view=machine");
        const all = await texts();
        await soon.equal(() => it.page.locator("#canvas g.node.gpu").count(), 72);
        await soon.equal(() => it.page.locator("#canvas g.node.tray").count(), 18);
        assert.deepEqual(
            all.filter((one) => one.size < 9),
            [],
            `${width} wide`,
        );
        assert.equal(all.filter((one) => /^rank \d+$/.test(one.text)).length, 72);
        assert.ok(all.some((one) => one.text === "Tray 17 · ranks 68–71"));
        assert.equal(all.filter((one) => one.kind === "nvs").length, 1, "one bar for the fabric");
        assert.equal(
            all.filter((one) => one.kind === "nic").length,
            0,
            "NICs' bus ids are for who looks closely",
        );
    }
});

test("closer in, NICs say their bus ids", async () => {
    await open();
    for (let i = 0; i < 4; i++)
        await it.page.locator("#stage").getByRole("button", { name: "Zoom in" }).click();
    await soon.equal(async () => (await texts()).filter((one) => one.kind === "nic").length, 72);
});

test("a ring goes from tray to tray; close by, from GPU to GPU; a step lights its links", async () => {
    await open("view=channels");
    await soon.equal(() => shown("#canvas .overlay .hook"), 18);
    await soon.equal(() => shown("#canvas .overlay .step.cross"), 0);
    await it.page.keyboard.press("f");
    await it.until(() => document.querySelector("#canvas svg.less"));
    await soon.equal(() => shown("#canvas .overlay .step"), 0, "folded, there are trays alone");
    await it.page.keyboard.press("f");
    for (let i = 0; i < 5; i++)
        await it.page.locator("#stage").getByRole("button", { name: "Zoom in" }).click();
    await soon.equal(() => shown("#canvas .overlay .hook"), 0);
    await soon.equal(() => shown("#canvas .overlay .step.cross"), 18);
    await it.key("step:3").click(); // from the last GPU of a tray to the first of the next
    await soon.equal(() => it.page.locator("#canvas .overlay .now:not(.cross)").count(), 1);
    await soon.equal(async () => (await it.lit()).length, 2, "up to the fabric and down again");
});

test("NVLS lights the links to the fabric instead of drawing a line for each GPU", async () => {
    await open("view=channels&graph=nvls");
    await soon.equal(async () => (await it.lit()).length, 72);
    await soon.equal(() => it.page.locator("#canvas .overlay .step").count(), 0);
});

test("the ring by itself stops once at each tray", async () => {
    await open("view=channels&layout=alone");
    await soon.equal(() => it.page.locator("#canvas g.node.station").count(), 18);
    await soon.deepEqual(async () => (await texts()).filter((one) => one.size < 9), []);
});

test("axe finds nothing, light and dark; a phone shows all trays by name", async () => {
    await open("view=channels");
    await it.axeInBoth("a rack");
    await it.another({ width: 390, height: 844 });
    await open();
    await soon.ok(() => it.wideAsWindow());
    const all = await texts();
    assert.ok(all.some((one) => one.text === "Tray 17") && all.every((one) => one.size >= 7));
});

test(
    "the matrix tray by tray, a pair of trays, and all GPUs; GPUs are named by rank, the domain is one of 18 " +
        "hosts",
    async () => {
        await open("view=matrix&cell=bw");
        await soon.equal(() => it.page.locator("#matrix tbody tr").count(), 18);
        await soon.ok(
            () =>
                it.page
                    .locator("#matrix")
                    .evaluate(
                        (table) =>
                            table.getBoundingClientRect().right <=
                            document.querySelector("#drawer").getBoundingClientRect().right,
                    ),
            "no column is cut off",
        );
        await soon.equal(
            async () => (await it.page.locator("#matrix .mixed").count()) > 0,
            true,
            "own NICs are nearer and farther",
        );
        await it.axe("trays");
        await it.key("trays:3>5").focus();
        await it.page.keyboard.press("Enter");
        await it.until(() => document.querySelectorAll("#matrix tbody tr").length === 4);
        await soon.match(() => it.page.url(), /trays=3(%2C|,)5/);
        await soon.match(
            () => it.page.locator("#matrix tbody th").first().textContent(),
            /^Rank 12$/,
        );
        await it.page.locator("#matrix tbody button").first().click();
        await it.until(() =>
            /^Rank 12 → Rank 20$/.test(document.querySelector("#panel h2")?.textContent),
        );
        await it.key("Rows:all").click();
        await it.until(() => document.querySelectorAll("#matrix tbody tr").length === 72);
        await it.key("go:verdict").click();
        await soon.match(
            () => it.page.locator("#expected h2").textContent(),
            /^Expected on 1 NVLink domain of 18 hosts, 72 ranks$/,
        );
        await it.ask();
        await soon.match(() => it.page.locator(".ask").textContent(), /Domains/);
    },
);
