// SPDX-License-Identifier: Apache-2.0
/* The documentation in the browser: its look, its search, and the links that lead to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();

test("the documentation reads well, and its search finds a section that opens", async () => {
    await it.page.goto(`${it.server.url}/docs`);
    await soon.match(() => it.page.url(), /\/docs\/$/);
    await it.page.locator("nav input:not([hidden])").waitFor();
    await it.axe("the first page of the documentation");
    await it.page.locator("nav input").fill("pxn nic");
    const first = it.page.locator("nav .results a").first();
    await first.waitFor();
    await soon.match(() => first.textContent(), /PXN/);
    await it.axe("results of a search");
    await first.click();
    await it.page.waitForURL(/#pxn/);
    await soon.equal(
        () => it.page.locator("nav [aria-current]").textContent(),
        "NCCL: P2P and GPUDirect RDMA",
    );
    await it.page.locator("nav input:not([hidden])").fill("zzzz");
    await it.page.locator("nav .results li").waitFor();
    await soon.equal(
        () => it.page.locator("nav .results").textContent(),
        "No section contains “zzzz”.",
    );
});

test("pages fit a phone, in dark colours too", async () => {
    await it.page.setViewportSize({ width: 390, height: 844 });
    await it.page.emulateMedia({ colorScheme: "dark" });
    for (const page of [
        "index.html",
        "guides/dump.html",
        "findings.html",
        "nccl/release-table.html",
    ]) {
        await it.page.goto(`${it.server.url}/docs/${page}`);
        await it.page.locator("nav input:not([hidden])").waitFor();
        await soon.ok(
            () => it.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            page,
        );
    }
    await it.page.goto(`${it.server.url}/docs/guides/dump.html`);
    await it.axe("a guide in dark colours");
    await it.page.emulateMedia({ colorScheme: "light" });
    await it.page.setViewportSize({ width: 1280, height: 800 });
});

test("findings and explanations lead to what the documentation says about them", async () => {
    await it.open(exampleFile("h100-with-faults").path);
    for (const summary of await it.page.locator("[data-finding] summary").all())
        if (await summary.isVisible()) await summary.click();
    const links = await it.page
        .locator("[data-finding] a", { hasText: "About this finding" })
        .evaluateAll((all) => all.map((link) => link.href));
    assert.ok(links.length > 0);
    for (const link of links) {
        await it.page.goto(link);
        await soon.equal(
            () => it.page.locator(`[id="${new URL(link).hash.slice(1)}"]`).count(),
            1,
            link,
        );
    }
});
