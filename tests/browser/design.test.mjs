// SPDX-License-Identifier: Apache-2.0
/* The page of components, and the rules of the design system. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, ready, root } from "./support.mjs";

const it = fixture();
const css = join(root, "static/css");

test("every component in both themes, without a complaint of axe", async () => {
    await it.page.goto(`${it.server.url}/design.html`);
    await it.page.locator(".themes > section").nth(1).waitFor();
    for (const theme of ["light", "dark"])
        await soon.ok(
            async () =>
                (await it.page.locator(`[data-theme="${theme}"] .cost-bar button`).count()) === 2,
            theme,
        );
    await it.axe("components");
});

test("sizes of type are tokens everywhere but in drawings and on paper", () => {
    for (const name of readdirSync(css).filter((one) => !/^(tokens|diagram|print)/.test(one)))
        assert.doesNotMatch(readFileSync(join(css, name), "utf8"), /font(-size)?: [\d.]+px/, name);
});

test("scripts and styles take less than 250 KB compressed", async () => {
    const sizes = [];
    it.page.on("response", async (response) => {
        if (/\/(js|css)\//.test(response.url()))
            sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await it.open(exampleFile("h100-with-faults").path);
    const sum = (await Promise.all(sizes)).reduce((a, b) => a + b, 0);
    assert.ok(sum > 50e3 && sum < 250e3, `${sum} bytes`);
});

test("nothing shifts after the first paint, from the address to the verdict", async () => {
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    await it.page.addInitScript(() => {
        globalThis.shifts = [];
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
                globalThis.shifts.push([
                    entry.value,
                    ...entry.sources.map(
                        ({ node }) => node?.id || node?.className || node?.nodeName,
                    ),
                ]);
        }).observe({ type: "layout-shift", buffered: true });
    });
    const url = it.page.url();
    await it.page.goto("about:blank");
    await it.page.goto(url);
    await ready(it.page);
    await it.settled();
    const shifts = await it.page.evaluate(() => globalThis.shifts);
    assert.ok(shifts.reduce((sum, [value]) => sum + value, 0) < 0.01, JSON.stringify(shifts));
});

test("forced colours show what is chosen; 200 % zoom leaves everything in reach", async () => {
    await it.page.emulateMedia({ forcedColors: "active" });
    await it.open(exampleFile("h100-with-faults").path, "hosts=2&view=matrix");
    const border = (key) => it.key(key).evaluate((one) => getComputedStyle(one).borderBottomColor);
    await soon.notEqual(
        () => border("view:matrix"),
        () => border("view:source"),
    );
    await it.view("Overview");
    const [width, style] = await it.page
        .locator(".cost-bar button")
        .first()
        .evaluate((one) => [
            getComputedStyle(one).borderTopWidth,
            getComputedStyle(one).borderTopStyle,
        ]);
    assert.deepEqual([width, style], ["1px", "solid"], "switches of repairs have an edge");
    await it.page.emulateMedia({ forcedColors: "none" });
    await it.another({ width: 720, height: 450 }); // 1440 x 900 at 200 %
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    await soon.ok(() => it.wideAsWindow());
    for (const key of ["go:machine", "go:communication", "go:compare", "go:verdict"]) {
        await it.key(key).click();
        await soon.ok(() => it.wideAsWindow(), key);
    }
    await it.ask();
    await it.menu("copy-summary", "share");
    await it.menu("library");
});
