// SPDX-License-Identifier: Apache-2.0
/* From a pasted `nvidia-smi topo -m` to the verdict: keys and clicks are counted and tested; the seconds are printed
 * for ./dev stopwatch. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fixture } from "./fixture.mjs";
import { root } from "./support.mjs";

const it = fixture();
const matrix = readFileSync(join(root, "tests/golden/show/topo-m.input"), "utf8");

/* Counts what the user does, and notes when the verdict appears. */
function watch() {
    window.stopwatch = { clicks: 0, keys: 0 };
    window.addEventListener(
        "click",
        ({ isTrusted }) => (window.stopwatch.clicks += isTrusted),
        true,
    );
    window.addEventListener(
        "keydown",
        ({ key, isTrusted }) => (window.stopwatch.keys += isTrusted && key !== "Control"),
        true,
    );
    window.addEventListener("paste", () => (window.stopwatch.pasted = performance.now()), true);
    new MutationObserver(() => {
        if (window.stopwatch.pasted && document.querySelector("#verdict h2"))
            window.stopwatch.answered ??= performance.now();
    }).observe(document, { childList: true, subtree: true });
}

test("a pasted matrix is answered with a verdict after one key and no click", async (t) => {
    await it.page
        .context()
        .grantPermissions(["clipboard-read", "clipboard-write"], { origin: it.server.url });
    await it.page.addInitScript(watch);
    await it.page.goto(it.server.url);
    await it.page.locator("#paste").waitFor();
    await it.page.evaluate((text) => navigator.clipboard.writeText(text), matrix);
    await it.page.keyboard.press("Control+V");
    await it.page.locator("#verdict h2").waitFor();
    const { clicks, keys, pasted, answered } = await it.page.evaluate(() => window.stopwatch);
    assert.deepEqual({ clicks, keys }, { clicks: 0, keys: 1 });
    const verdict = await it.page.locator("#verdict h2").innerText();
    assert.match(verdict, /GB\/s on 1 host/);
    t.diagnostic(
        `stopwatch: ${clicks} clicks, ${keys} key press (Ctrl+V) and ${((answered - pasted) / 1000).toFixed(2)} ` +
            `s from the pasted matrix to the verdict “${verdict}”`,
    );
});
