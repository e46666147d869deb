// SPDX-License-Identifier: Apache-2.0
/* Channels on the machine: lanes along the band of NVSwitches, heads of NVLS, and the sliders of size and release. */
import { test } from "node:test";
import { fixture } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const H100 = exampleFile("h100-nvswitch").path;
const counted = (selector, count) =>
    it.until(
        ([what, wanted]) => document.querySelectorAll(what).length === wanted,
        [selector, count],
    );
/* A slider is moved to a value as a hand moves it, in one step of the page. */
const slide = (id, value) =>
    it.page.evaluate(
        ([name, to]) => {
            const input = document.getElementById(name);
            input.value = to;
            input.dispatchEvent(new Event("input", { bubbles: true }));
            input.dispatchEvent(new Event("change", { bubbles: true }));
        },
        [id, String(value)],
    );
const says = (id, pattern) =>
    it.until(
        ([name, text]) => new RegExp(text).test(document.getElementById(name)?.textContent ?? ""),
        [id, pattern],
    );

test("a ring runs in lanes along the band, a tree has a root, NVLS uses the band and its heads", async () => {
    await it.open(H100, "view=channels&hosts=2");
    await counted(".overlay .lane", 7); // of 8 hops, the last leaves by the NIC
    await counted(".overlay .step:not(.lane)", 2);
    await it.key("graph:tree").click();
    await it.until(() => document.querySelector(".overlay .tag")?.textContent === "root");
    await it.key("graph:nvls").click();
    await counted(".overlay .tag", 8);
    await counted(".canvas .nvs.used", 1);
    await counted('.overlay .lane[data-step$=">NVS/0-0"]', 8);
    await it.axeInBoth("NVLS along the band");
    await it.key("graph:ring").click();
    await counted(".canvas .nvs.used", 0);
    await counted(".overlay .tag", 0);
});

test("a machine without a band of NVSwitches keeps its arrows", async () => {
    await it.open(exampleFile("v100-cube-mesh").path, "view=channels");
    await counted(".overlay .step", 8);
    await counted(".overlay .lane", 0);
});

test("the slider of sizes says what NCCL chooses, and draws the graph of that algorithm", async () => {
    await it.open(H100, "view=channels&hosts=2");
    await says("message-text", "^1 GiB: NVLSTree Simple, 16 channels, \\d+ GB/s$");
    await slide("message", 9);
    await says("message-text", "^4 KiB: Tree LL, 1 channel, ");
    await it.until(() => /graph=tree/.test(location.hash) && /size=4096/.test(location.hash));
    await says("channel-no", "^Tree, channel 0");
    await slide("message", 27);
    await says("channel-no", "^NVLS, channel 0");
});

test("the slider of releases says what another one changes, and marks it on the drawing", async () => {
    await it.open(H100, "view=channels&hosts=2");
    await says("release-slider-text", "^2\\.30\\.7, as asked$");
    const at = await it.page.evaluate(() => Number(document.getElementById("release-slider").max));
    await slide("release-slider", 0);
    await says("release-slider-text", "instead of 2\\.30\\.7$");
    await says("release-changes", "facts change");
    await it.until(() => document.querySelectorAll("#canvas .edge.changed").length > 0);
    await it.axe("sliders");
    await it.key("all-changes").click();
    await it.page.locator("#diff-summary").waitFor();
    await it.view("Channels");
    await slide("release-slider", at);
    await says("release-slider-text", "as asked$");
    await it.until(() => !document.getElementById("release-changes"));
    await counted("#canvas .edge.changed", 0);
});
