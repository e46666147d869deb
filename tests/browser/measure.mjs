// SPDX-License-Identifier: Apache-2.0
/* Measures how fast the page is: ./dev bench page [DUMP]. Prints the figures and the machine, without a judgement.
 *   verdict: from the last byte of the analysis (and of the drawing) until the verdict is painted, two frames after it
 *   is there, and how much moved after the first paint (CLS)
 *   panning: frames drawn and dropped by Chromium's own trace while the drawing is dragged for two seconds */
import { cpus, loadavg } from "node:os";
import { exampleFile, newPage, openFile, ready, startBrowser, startServer } from "./support.mjs";

const file = process.argv[2] ?? exampleFile("h100-nvswitch").path,
    server = await startServer(),
    browser = await startBrowser();
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

console.log(
    `${cpus()[0].model}, ${cpus().length} cores, ${loadavg()[0].toFixed(1)} processes waiting on average`,
);

async function verdict(fragment) {
    const times = [];
    for (let run = 0; run < 7; run++) {
        const page = await newPage(browser);
        await openFile(page, server.url, file);
        const url = `${page.url()}${fragment}`;
        await page.addInitScript(() => {
            globalThis.moved = 0;
            new PerformanceObserver((list) => {
                for (const shift of list.getEntries()) globalThis.moved += shift.value;
            }).observe({ type: "layout-shift", buffered: true });
            const seen = () => document.querySelector("#verdict h2, #hosts-table, #matrix");
            new MutationObserver((_, observer) => {
                if (!seen()) return;
                observer.disconnect();
                requestAnimationFrame(() =>
                    requestAnimationFrame(() => (globalThis.shownAt = performance.now())),
                );
            }).observe(document, { childList: true, subtree: true });
        });
        await page.goto("about:blank");
        await page.goto(url);
        await page.waitForTimeout(2000); // questions to the page would cost it time
        await ready(page);
        times.push(
            await page.evaluate(() => {
                const end = (part) =>
                    performance
                        .getEntriesByType("resource")
                        // the first: the page asks about two hosts later; of many hosts it draws itself
                        .find((entry) => entry.name.includes(part))?.responseEnd ?? 0;
                return {
                    analysis: globalThis.shownAt - end("/analysis"),
                    both: globalThis.shownAt - Math.max(end("/analysis"), end("/diagram.svg")),
                    start: globalThis.shownAt,
                    moved: globalThis.moved,
                };
            }),
        );
        await page.context().close();
    }
    const of = (name) =>
        `${Math.round(median(times.map((time) => time[name])))} ms (worst ` +
        `${Math.round(Math.max(...times.map((time) => time[name])))})`;
    console.log(
        `shown${fragment ? ` ${fragment}` : ""}: ${of("analysis")} after the analysis, ${of("both")} ` +
            `after the drawing too, ${of("start")} after the address was opened; CLS ` +
            `${Math.max(...times.map(({ moved }) => moved)).toFixed(3)}`,
    );
}

async function panning(fragment, name) {
    const page = await newPage(browser);
    await openFile(page, server.url, file);
    await page.goto("about:blank");
    await page.goto(
        `${page.url() === "about:blank" ? "" : page.url()}${server.url}` +
            `/#${new URLSearchParams({ id: await idOf() })}${fragment}`,
    );
    await ready(page);
    await page.waitForTimeout(500);
    const box = await page.locator("#canvas").boundingBox(),
        middle = { x: box.x + box.width / 2, y: box.y + 12 };
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await browser.startTracing(page, {
        categories: [
            "devtools.timeline",
            "disabled-by-default-devtools.timeline.frame",
            "devtools.timeline.frame",
        ],
    });
    const start = Date.now();
    // a mouse does not wait until the page has drawn its last move: every 8 ms, as 125 a second
    const moves = [];
    for (let i = 0; Date.now() - start < 2000; i++) {
        moves.push(
            page.mouse.move(middle.x + 150 * Math.sin(i / 12), middle.y + 60 * Math.sin(i / 7)),
        );
        await new Promise((done) => setTimeout(done, 8));
    }
    await Promise.all(moves);
    const seconds = (Date.now() - start) / 1000,
        trace = JSON.parse(await browser.stopTracing()),
        count = (event) => trace.traceEvents.filter((one) => one.name === event).length;
    await page.mouse.up();
    const scripts = trace.traceEvents
        .filter((one) => one.name === "EventDispatch" && one.args?.data?.type === "pointermove")
        .map((one) => one.dur / 1000);
    console.log(
        `panning ${name}: ${(count("DrawFrame") / seconds).toFixed(0)} frames a second drawn, ` +
            `${count("DroppedFrame")} dropped of ${count("BeginFrame")} begun, a move takes ` +
            `${median(scripts).toFixed(2)} ` +
            `ms of script (worst ${Math.max(...scripts).toFixed(1)})`,
    );
    await page.context().close();
}

let id = "";
const idOf = async () =>
    (id ||= (await (await fetch(`${server.url}/v1/topologies`)).json()).items[0].id);

await verdict("");
await verdict("&hosts=2&view=matrix");
await verdict("&hosts=512");
await verdict("&hosts=512&view=hosts");
await panning("", "the machine");
await panning("&hosts=2&view=channels", "the machine with a ring");
await panning("&hosts=512&view=hosts", "512 hosts");
await browser.close();
await server.stop();
