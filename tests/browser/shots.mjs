// SPDX-License-Identifier: Apache-2.0
/* Pictures of the page for looking at: node tests/browser/shots.mjs [NAME=FILE ...], into build/screenshots. */
import { basename, join } from "node:path";
import { STATES } from "./states.mjs";
import {
    examples,
    exampleFile,
    newPage,
    openFile,
    ready,
    realDump,
    shotFolder,
    startBrowser,
    startServer,
} from "./support.mjs";

const sizes = { desk: [1440, 900], wide: [1280, 800], phone: [390, 844] };
const scenes = {
    summary: "",
    path: "SELECT",
    matrix: "view=matrix&cell=bw",
    channels: "view=channels&hosts=2",
    ring: "view=channels&layout=alone&hosts=2",
    alone: "view=channels&layout=alone&graph=tree&hosts=2",
    load: "view=channels&layout=load&hosts=2",
    folded: "detail=less",
    tuning: "view=tuning",
    hosts: "view=hosts&hosts=8",
    transfers: "view=transfers&hosts=2&rank=1&round=9",
    differences: "view=diff&against=2.12.12&hosts=2",
    before: "view=matrix&side=both&against=2.7.8&hosts=2",
    source: "view=source",
    why: "panel=why&hosts=2",
    "why-path": "SELECT",
    settings: "panel=settings&NCCL_P2P_LEVEL=NVL",
};
const real = {
    workstation: "machines/machine-workstation-4090x2.xml",
    dgx1: "machines/machine-dgx1-v100.xml",
    a100: "machines/machine-dgx-a100.xml",
    gb300: "real/gb300-1tray-healthy.xml",
};
const beside = Object.entries(real)
    .map(([name, path]) => [name, realDump(path)])
    .filter(([, file]) => file);
const machines = process.argv.slice(2).length
    ? process.argv.slice(2).map((text) => [text.split("=")[0], text.split("=")[1]])
    : beside.length
      ? beside
      : examples().map((row) => [row.id, exampleFile(row.id).path]);
const only = process.env.SCENES?.split(","),
    onlySize = process.env.SIZES?.split(","),
    themes = (process.env.THEMES ?? "light,dark").split(",");
const folder = shotFolder(),
    server = await startServer(),
    browser = await startBrowser();
const complaints = [];
for (const [size, [width, height]] of Object.entries(sizes)) {
    if (onlySize && !onlySize.includes(size)) continue;
    for (const theme of themes) {
        const page = await newPage(browser, { width, height, theme });
        const take = (name) =>
            page.screenshot({
                path: join(folder, `${name}-${size}-${theme}.png`),
                fullPage: size === "phone",
            });
        if (!only || only.includes("library")) {
            await page.goto(`${server.url}/#place=library`);
            await page.locator("#library, #library-empty").first().waitFor();
            await take("library");
            await page.goto("about:blank");
        }
        if (!only || only.includes("start")) {
            await page.goto(server.url);
            await page.locator(".examples, .start p").first().waitFor();
            await page.waitForTimeout(200);
            await take("start");
        }
        const complain = (one) =>
            complaints.push(...one.complaints.map((text) => `${size} ${theme}: ${text}`));
        for (const [name, act] of Object.entries(STATES)) {
            if (only && !only.includes(name)) continue;
            const own = await newPage(browser, { width, height, theme }); // what it does to requests ends with it
            await act(own, server);
            await own.waitForTimeout(200);
            await own.screenshot({
                path: join(folder, `state-${name}-${size}-${theme}.png`),
                fullPage: size === "phone",
            });
            complain(own);
            await own.context().close();
        }
        for (const [name, file] of machines) {
            await openFile(page, server.url, file);
            const base = page.url();
            for (const [scene, fragment] of Object.entries(scenes)) {
                if (only && !only.includes(scene)) continue;
                await page.goto("about:blank");
                await page.goto(
                    `${base}&${fragment === "SELECT" ? "hosts=2&view=matrix" : fragment}`,
                );
                await ready(page);
                if (fragment === "SELECT")
                    // a path, and in "why" what decides about it
                    await page
                        .locator("#matrix tbody tr")
                        .first()
                        .locator("button:not(:disabled)")
                        .last()
                        .click();
                if (scene.startsWith("why")) {
                    await page.keyboard.press("w");
                    await page.locator("#why, #panel .problem").first().waitFor();
                }
                await page.waitForTimeout(150);
                await take(`${name}-${scene}`);
            }
        }
        complain(page);
        await page.context().close();
    }
}
await browser.close();
await server.stop();
for (const text of complaints) console.error(text);
console.log(
    basename(folder),
    complaints.length ? `${complaints.length} complaints` : "no complaints",
);
