// SPDX-License-Identifier: Apache-2.0
/* Every view can be exported: pictures, tables, documents, a report; anonymous if wanted; on paper. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dump, ids } from "./dumps.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const secret = dump
    .replace('guid="0x1"', 'guid="0xa088c20300e0f1d2"')
    .replaceAll('host_hash="0x1"', 'host_hash="0xfeedc0ffee12345"');
const openExport = async () => {
    await it.menu("export", "share");
    await it.page.locator("#export").waitFor();
};
const take = async (kind, press = (key) => it.key(key).click()) => {
    const [download] = await Promise.all([
        it.page.waitForEvent("download"),
        press(`export:${kind}`),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
};

test("the machine as SVG and PNG, with what is marked on it; DOT, JSON, CSV, Markdown, XML", async () => {
    await it.open(
        it.write("node17.xml", secret),
        `view=matrix&hosts=2&from=${ids.gpu0}&to=${ids.gpu2}`,
    );
    await openExport();
    const svg = await take("svg"),
        text = svg.bytes.toString();
    assert.equal(svg.name, "node17-matrix.svg");
    assert.match(text, /^<svg[^>]* width="\d+" height="\d+"/);
    assert.doesNotMatch(text, /class=|style=|<script|url\(http/);
    assert.match(text, /stroke="rgb\(176, 18, 91\)"/, "the lit path has its colour");
    const [, w, h] = /width="(\d+)" height="(\d+)"/.exec(text).map(Number),
        png = await take("png");
    assert.deepEqual(
        [
            png.bytes.subarray(1, 4).toString(),
            png.bytes.readUInt32BE(16),
            png.bytes.readUInt32BE(20),
        ],
        ["PNG", 2 * w, 2 * h],
    );
    await soon.match(async () => (await take("dot")).bytes.toString(), /^(strict )?(di)?graph/m);
    await soon.equal(async () => JSON.parse((await take("json")).bytes).ranks, 6);
    const csv = await take("csv");
    assert.equal(csv.name, "node17-matrix-type.csv");
    assert.match(csv.bytes.toString(), /^,GPU 0,GPU 1,GPU 2,NET 0\r\nGPU 0,LOC,NVL,SYS,/);
    const report = (await take("md")).bytes.toString();
    assert.match(report, /^# node17 as NCCL/);
    assert.match(report, /## GPU 0 to GPU 2/);
    await soon.equal(async () => (await take("xml")).bytes.toString(), secret);
});

test("anonymous: no GUID, hash, name or id in any of them, and the dump analyses the same", async () => {
    await it.open(it.write("customer-node17.xml", secret), "hosts=2");
    await it.page.keyboard.press("e");
    await it.page.locator("#anonymise").check();
    const id = /id=([0-9a-f]+)/.exec(it.page.url())[1];
    for (const kind of ["svg", "dot", "json", "csv", "md", "xml"]) {
        const file = await take(kind);
        assert.doesNotMatch(
            file.bytes.toString(),
            new RegExp(`a088c203|feedc0ffee|customer|${id}`),
            kind,
        );
        assert.doesNotMatch(file.name, /customer/);
    }
    const clean = (await take("xml")).bytes;
    const analysis = async (body) =>
        (
            await it.page.request.post(`${it.server.url}/v1/analyze?hosts=2`, {
                data: body,
                headers: { "Content-Type": "application/octet-stream" },
            })
        ).json();
    const [a, b] = [await analysis(Buffer.from(secret)), await analysis(clean)];
    for (const section of ["paths", "p2p", "gdr", "graphs", "channels", "tuning"])
        assert.deepEqual(b[section], a[section], section);
});

test("by keyboard: e, a button, Escape", async () => {
    await it.open(it.write("node17.xml", dump));
    await it.page.keyboard.press("e");
    await it.key("export:csv").focus();
    const file = await take("csv", () => it.page.keyboard.press("Enter"));
    assert.match(file.name, /csv$/);
    await soon.match(() => it.page.locator("#export-status").textContent(), /was made/);
    await it.page.keyboard.press("Escape");
    await it.until(() => !document.querySelector("#export"));
});

test("every view has its picture and table", async () => {
    const { path } = exampleFile("h100-nvswitch");
    for (const [fragment, what] of [
        ["view=channels", /^graph,from,to,link/],
        ["view=tuning", /^collective,bytes/],
        ["view=hosts&hosts=4", /^graph,channel,from host/],
        ["view=diff&against=2.27.7", /^section,what/],
        ["view=source", null],
    ]) {
        await it.open(path, fragment);
        await openExport();
        await soon.match(async () => (await take("svg")).bytes.toString(), /<svg/, fragment);
        if (what)
            await soon.match(async () => (await take("csv")).bytes.toString(), what, fragment);
        else await soon.ok(() => it.key("export:csv").isDisabled());
    }
});

test("tables as pictures: every cell with its colours and words, wherever the page was scrolled to", async () => {
    const { path } = exampleFile("h100-nvswitch");
    await it.another({ width: 390, height: 844 });
    for (const fragment of [
        "view=matrix&hosts=2",
        "view=matrix&hosts=2&cell=verdict",
        "view=tuning",
        "view=channels",
    ]) {
        await it.open(path, fragment);
        await it.page.evaluate(() =>
            document
                .querySelectorAll("#drawer, #drawer *")
                .forEach((node) => node.scrollTo(500, 500)),
        );
        const cells = await it.page.locator("#drawer table").evaluateAll((all) =>
            all
                .flatMap((table) =>
                    [...table.querySelectorAll("caption:not(.unseen), td, th")]
                        .map((cell) => cell.innerText.split(/\s+/))
                        .flat(),
                )
                .filter(Boolean)
                .sort(),
        );
        await openExport();
        const file = await take("table.svg"),
            text = file.bytes.toString(),
            drawn = [...text.matchAll(/<text x="(-?[\d.]+)" y="(-?[\d.]+)"[^>]*>([^<]*)</g)];
        assert.match(file.name, /-(matrix|tuning|channels)\.table\.svg$/);
        assert.deepEqual(drawn.flatMap(([, , , what]) => what.split(/\s+/)).sort(), cells);
        const [, w, h] = /width="(\d+)" height="(\d+)"/.exec(text).map(Number);
        assert.deepEqual(
            drawn.filter(([, x, y]) => x < 0 || y < 0 || +x > w || +y > h),
            [],
        );
        const places = new Set(drawn.map(([, x, y]) => `${x},${y}`));
        assert.equal(places.size, drawn.length, "no two texts at one place");
        const png = (await take("table.png")).bytes;
        assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * w, 2 * h]);
    }
    await it.open(path, "view=source");
    await openExport();
    await soon.ok(() => it.key("export:table.svg").isDisabled());
});

test("on paper nothing is cut off and controls are gone", async () => {
    await it.open(it.write("node17.xml", dump), "view=matrix");
    await it.page.emulateMedia({ media: "print" });
    await soon.equal(() => it.page.locator("#rail").isVisible(), false);
    await soon.equal(() => it.page.locator(".tools:visible").count(), 0);
    await soon.ok(() => it.page.locator("#matrix").isVisible());
    const clipped = await it.page.evaluate(() =>
        [".side-body", ".drawer-body", "#main"].filter((name) => {
            const node = document.querySelector(name);
            return (
                node.scrollHeight > node.clientHeight + 1 &&
                getComputedStyle(node).overflow !== "visible"
            );
        }),
    );
    assert.deepEqual(clipped, []);
});

test("axe finds nothing on the export, light and dark", async () => {
    await it.open(it.write("node17.xml", dump));
    await openExport();
    await it.axeInBoth("the view");
});
