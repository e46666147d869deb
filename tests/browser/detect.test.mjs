// SPDX-License-Identifier: Apache-2.0
/* The machine that the service runs on, from the first page. A double of NVML tells of its GPUs what a test wrote. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { temporaryFolder } from "./support.mjs";

const said = join(temporaryFolder(), "gpus");
process.env.LD_LIBRARY_PATH = join(
    dirname(resolve(process.env.ORRERY ?? "build/orrery")),
    "tests/doubles",
);
process.env.ORR_FAKE_NVML = said;
const gpu = (slot) =>
    `gpu 0000:00:${slot}.0\n  name NVIDIA H100\n  capability 9.0\n  ids 233010de 16c110de\n  pcie 5 16 5\n`;

const it = fixture();

test("without a driver the page says what is missing and what to do; by keyboard", async () => {
    writeFileSync(said, "error 9\n");
    await it.page.goto(it.server.url);
    await it.page.locator("#detect").focus();
    await it.page.keyboard.press("Enter");
    await it.page.locator("#notes li").first().waitFor();
    const text = await it.page.locator("#detected").textContent();
    assert.match(text, /Found 0 GPUs/);
    assert.match(text, /Driver Not Loaded.*nvidia-smi/);
    await soon.equal(() => it.page.locator("#show-detected").count(), 0);
    await soon.equal(() => it.page.evaluate(() => document.activeElement.id), "detect");
    await it.axe("notes of a detection");
});

test("with GPUs the machine can be shown, and the address leads to it", async () => {
    writeFileSync(said, gpu("1e") + gpu("1f"));
    await it.page.goto(it.server.url);
    await it.page.locator("#detect").click();
    await it.page.locator("#show-detected").click();
    await it.page.locator("#canvas g.node[id^='GPU/']").first().waitFor();
    await soon.match(() => it.page.url(), /id=[0-9a-f]{32}/);
    await soon.equal(() => it.page.locator("#canvas g.node[id^='GPU/']").count(), 2);
});

test("on a phone nothing of it is wider than the page", async () => {
    writeFileSync(said, "error 9\n");
    const page = await it.another({ width: 390, height: 844 });
    await page.goto(it.server.url);
    await page.locator("#detect").click();
    await page.locator("#notes li").first().waitFor();
    await soon.ok(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});
