// SPDX-License-Identifier: Apache-2.0
/* Several hosts: the overview with tiles and rails, down to one host and back, from 1 to 512. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const { path: h100 } = exampleFile("h100-nvswitch");
const tiles = () => it.page.locator("#canvas g.host");

test("one host says what several would show", async () => {
    await it.open(it.write("three.xml", dump), "view=hosts");
    await soon.equal(() => it.page.locator("#one-host").count(), 1);
    await soon.equal(() => it.page.locator("#crumbs").count(), 0);
    await it.key("take:4").click();
    await it.until(() => document.querySelectorAll("#canvas g.host").length === 4);
    await soon.match(() => it.page.url(), /hosts=4/);
});

test("a tile leads into its host, the crumbs lead out again", async () => {
    await it.open(h100, "hosts=8&view=hosts");
    await soon.equal(() => tiles().count(), 8);
    await soon.equal(() => it.page.locator("#hosts-table tbody tr").count(), 8);
    await soon.match(
        () => it.page.locator("#hosts-summary").textContent(),
        /8 hosts of 8 ranks, 8 rails/,
    );
    await it.page.locator('#canvas g.host[id="HOST/3"]').click();
    await it.until(() => document.querySelector("#canvas g.gpu"));
    await soon.match(
        () => it.page.locator("#crumbs").textContent(),
        /8 hosts \/ Host 3, ranks 24–31/,
    );
    await soon.match(() => it.page.url(), /host=3/);
    const ranks = (await it.page.locator("#order button").allTextContents()).map(Number);
    assert.ok(
        [24, 25, 26, 27, 28, 29, 30, 31].every((rank) => ranks.includes(rank)) && ranks.length <= 9,
        `the ring's steps are those of this host: ${ranks}`,
    );
    await it.key("host-after").click();
    await soon.match(() => it.page.locator("#crumbs").textContent(), /Host 4/);
    await it.key("all-hosts").click();
    await it.until(() => document.querySelectorAll("#canvas g.host").length === 8);
    await soon.equal(() => it.page.locator('#canvas g.host.picked[id="HOST/4"]').count(), 1);
});

test("by keyboard: h, a tile, Enter; channels turn with brackets", async () => {
    await it.open(h100, "hosts=4&view=hosts");
    await soon.match(() => it.page.locator("#channel-no").textContent(), /channel 0/);
    await it.page.keyboard.press("]");
    await soon.match(() => it.page.locator("#channel-no").textContent(), /channel 1/);
    const d = () => it.page.locator("#canvas .edge path").first().getAttribute("d");
    await it.until(() => document.querySelector("#canvas g.host"));
    await it.page.keyboard.press("m");
    await it.until(() => document.querySelector("#canvas g.gpu"));
    await it.page.keyboard.press("h");
    await it.until(() => document.querySelector("#canvas g.host"));
    await soon.ok(() => d());
    await it.page.locator('#canvas g.host[id="HOST/2"]').focus();
    await it.page.keyboard.press("ArrowLeft"); // along the ring
    await it.until(() => document.activeElement.id === "HOST/3");
    await it.page.keyboard.press("ArrowRight");
    await it.page.keyboard.press("Enter");
    await it.until(() => /Host 2/.test(document.querySelector("#crumbs")?.textContent));
});

test("the address names the host, the graph and the channel", async () => {
    await it.open(h100, "hosts=16&view=hosts&graph=tree&channel=1&host=5");
    await soon.match(() => it.page.locator("#channel-no").textContent(), /Tree, channel 1/);
    await soon.equal(() => it.page.locator('#canvas g.host.picked[id="HOST/5"]').count(), 1);
    await soon.match(() => it.page.locator("#hosts-table tr.on").textContent(), /^Host 5/);
});

test("512 hosts: all are there, only those in sight are drawn, near ones in full", async () => {
    await it.open(h100, "hosts=512&view=hosts");
    await soon.equal(() => tiles().count(), 512);
    await soon.equal(() => it.page.locator("#canvas g.host.away").count(), 0);
    for (let i = 0; i < 9; i++) await it.page.getByRole("button", { name: "Zoom in" }).click();
    await soon.ok(async () => (await it.page.locator("#canvas g.host.away").count()) > 300);
    await soon.equal(() => it.page.locator("#canvas svg.far").count(), 0);
    const inSight = "#canvas g.host:not(.away)";
    await soon.ok(() => it.page.locator(`${inSight} .ranks`).first().isVisible());
    await soon.equal(
        () => it.page.locator(`${inSight} .ranks`).count(),
        () => it.page.locator(inSight).count(),
    );
    await it.page.getByRole("button", { name: "Show all" }).click();
    await soon.equal(() => it.page.locator("#canvas g.host.away").count(), 0);
    await soon.equal(() => it.page.locator("#hosts-table tbody tr").count(), 512);
});

test("axe finds nothing on the hosts, light and dark; a phone shows them whole", async () => {
    await it.open(h100, "hosts=8&view=hosts");
    await it.axeInBoth("the view");
    await it.another({ width: 390, height: 844 });
    await it.open(h100, "hosts=64&view=hosts&graph=tree");
    await soon.ok(() => it.wideAsWindow());
});
