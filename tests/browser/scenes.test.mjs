// SPDX-License-Identifier: Apache-2.0
/* axe on scenes that no other test file checks in both themes; and the length of the start page on a phone. */
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { STATES } from "./states.mjs";

const it = fixture();

for (const name of [
    "keys",
    "set",
    "detected",
    "input-matrix",
    "input-places",
    "input-assumed",
    "export",
    "search",
    "token",
])
    test(`axe finds nothing: ${name}, light and dark`, async () => {
        await STATES[name](it.page, it.server);
        await it.axeInBoth(name);
    });

test("on a phone the start page is two screens long, and what is folded away opens", async () => {
    await it.another({ width: 390, height: 844 });
    await it.page.goto(it.server.url);
    await it.page.locator(".examples").first().waitFor();
    await soon.ok(
        async () => (await it.page.evaluate(() => document.documentElement.scrollHeight)) < 2 * 844,
    );
    await it.axe("folded");
    const last = it.page.locator("[data-example]").last();
    await soon.equal(() => last.isVisible(), false);
    await it.page.locator("#examples summary").press("Enter");
    await soon.ok(async () => (await last.isVisible()) && (await it.wideAsWindow()));
    await it.axe("unfolded");
});

test("on a wide screen all examples are there", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator(".examples").first().waitFor();
    for (const one of await it.page.locator("[data-example]").all())
        await soon.ok(() => one.isVisible());
});
