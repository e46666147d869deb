// SPDX-License-Identifier: Apache-2.0
/* The text of the dump, and the links between it and the drawing. */
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";

const it = fixture();
const lit = () =>
    it.page
        .locator("#source .lit")
        .evaluateAll((all) => all.map((row) => Number(row.dataset.line)));
const lineOf = (text) => dump.split("\n").findIndex((line) => line.includes(text)) + 1;

test("the line of a selected device is lit and in sight; a line selects its device", async () => {
    await it.open(it.write("three.xml", dump));
    await it.device(ids.gpu2).click();
    await it.key("show-source").click();
    await it.page.locator("#source .lit").first().waitFor();
    const line = lineOf("0000:9b:00.0");
    await soon.deepEqual(() => lit(), [line, line + 1]);
    await soon.ok(() => it.page.locator("#source .lit").first().isVisible());
    await it.page.locator(`#source [data-line="${lineOf("mlx5_0")}"]`).click();
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /NET 0/);
    await soon.deepEqual(() => lit(), [lineOf("mlx5_0")]);
    await soon.equal(() => it.page.locator("#canvas .node.picked").getAttribute("id"), ids.net);
});

test("by keyboard: r, arrows from device to device, Enter", async () => {
    await it.open(it.write("three.xml", dump));
    await it.page.keyboard.press("r");
    await it.page.locator("#source .line").first().waitFor();
    await it.page.locator("#source").focus();
    for (let i = 0; i < 3; i++) await it.page.keyboard.press("ArrowDown");
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 0/);
    await it.page.keyboard.press("ArrowDown");
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 1/);
});

test("the address names a device or a line", async () => {
    await it.open(it.write("three.xml", dump), `view=source&from=${ids.gpu1}`);
    await it.page.locator("#source .lit").first().waitFor();
    await soon.ok(async () => (await lit()).includes(lineOf('pci busid="0000:1c:00.0"')));
    await it.open(it.write("three.xml", dump), "view=source&line=2");
    await it.page.locator("#source .lit").first().waitFor();
    await soon.deepEqual(() => lit(), [2]);
});

test("a finding leads to its line", async () => {
    const odd = dump.replace('version="1"', 'version="2"');
    await it.open(it.write("odd.xml", odd));
    await it.page.locator("#findings").waitFor();
    const button = it.page.locator("#findings [data-key^='line:']").first();
    if (!(await button.isVisible()))
        // a note
        await it.page.locator("#notes-of-machine > summary").click();
    const line = Number(/line (\d+)/.exec(await button.textContent())[1]);
    await button.click();
    await it.page.locator("#source .lit").first().waitFor();
    await soon.deepEqual(() => lit(), [line]);
});

test("of a large dump only what is in sight is made", async () => {
    const large = dump.replace("</system>", `${"<!-- padding -->\n".repeat(20000)}</system>`);
    await it.open(it.write("large.xml", large), "view=source&line=15000");
    await it.page.locator("#source .lit").waitFor();
    await soon.ok(async () => (await it.page.locator("#source .line").count()) < 200);
    await soon.equal(() => it.page.locator("#source .lit").textContent(), "15000<!-- padding -->");
});

test("axe finds nothing on the dump, light and dark; a phone shows it whole", async () => {
    await it.open(it.write("three.xml", dump), `view=source&from=${ids.gpu1}`);
    await it.page.locator("#source .lit").first().waitFor();
    await it.axeInBoth("the view");
    await it.another({ width: 390, height: 844 });
    await it.open(it.write("three.xml", dump), "view=source");
    await soon.ok(() => it.wideAsWindow());
});
