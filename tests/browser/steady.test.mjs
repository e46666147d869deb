// SPDX-License-Identifier: Apache-2.0
/* Nothing moves unless the reader moves it: toggles shift no layout. Real dumps, every view, clean. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, realDump, without } from "./support.mjs";

const it = fixture();

/* The browser's own measure of what moved, shifts right after an input included. */
const watch = () =>
    it.page.evaluate(() => {
        globalThis.shifts = [];
        new PerformanceObserver((list) =>
            globalThis.shifts.push(
                ...list.getEntries().map((entry) => ({
                    value: entry.value,
                    of: entry.sources.map(
                        (source) =>
                            source.node?.id || source.node?.className || source.node?.nodeName,
                    ),
                })),
            ),
        ).observe({ type: "layout-shift" });
    });
const shifted = async (act) => {
    await it.page.evaluate(() => (globalThis.shifts.length = 0));
    await act();
    await it.settled();
    await it.page.waitForTimeout(200);
    return it.page.evaluate(() => globalThis.shifts);
};

test("toggles shift nothing: colours, cells, sides, panels, channels, steps, loads, folding, selection", async () => {
    const { path } = exampleFile("h100-nvswitch");
    await it.open(path, "hosts=2&view=matrix&against=NCCL_P2P_LEVEL=SYS");
    await it.page.locator("#matrix-changes").waitFor();
    await watch();
    const click = (key) => () => it.key(key).click();
    const steady = async (name, act) => assert.deepEqual(await shifted(act), [], name);
    for (const key of [
        "Cells say:bw",
        "Cells say:verdict",
        "Cells say:type",
        "Side:b",
        "Side:a",
        "panel:settings",
        "panel:selection",
        "panel:why",
        "panel:selection",
        "fold",
        "fold",
    ])
        await steady(key, click(key));
    await steady("theme", () => it.menu("theme"));
    await steady("cell", () => it.page.locator("#matrix button:not(:disabled)").nth(1).click());
    await it.page.keyboard.press("c");
    for (const key of ["next", "previous"]) await steady(key, click(key));
    for (const key of [".", ".", ",", "l", "l"])
        await steady(`key ${key}`, () => it.page.keyboard.press(key));
    await it.page.keyboard.press("t");
    await it.page.locator("#chart").focus();
    for (const key of ["ArrowRight", "Home", "End"])
        await steady(`chart ${key}`, () => it.page.keyboard.press(key));
});

for (const [name, gpus] of [
    ["machines/machine-workstation-4090x2.xml", 2],
    ["machines/machine-dgx1-v100.xml", 8],
    ["machines/machine-dgx-a100.xml", 8],
    ["machines/machine-hgx-h100.xml", 8],
    ["real/gb300-1tray-healthy.xml", 4],
]) {
    const file = realDump(name);
    test(`every view of ${name}`, { skip: without(name) }, async () => {
        await it.open(file, "hosts=2&against=2.12.12");
        await soon.equal(() => it.page.locator("#glance dd").count(), 15);
        await soon.equal(() => it.page.locator("#canvas g.node.gpu").count(), gpus);
        for (const [key, shown] of [
            ["x", `#matrix tbody tr:nth-child(${gpus})`],
            ["c", "#loads tbody tr"],
            ["t", "#chart .envelope"],
            ["h", "#hosts-table tbody tr:nth-child(2)"],
            ["d", "#diff-summary, #drawer .problem"],
            ["r", "#source .line"],
            ["m", "#canvas g.gpu"],
        ]) {
            await it.page.keyboard.press(key);
            await it.page.locator(shown).first().waitFor();
            await soon.ok(() => it.wideAsWindow(), key);
        }
        await it.page.keyboard.press("d");
        await it.axe(name);
    });
}
