// SPDX-License-Identifier: Apache-2.0
/* The pictures of README.md, of an example machine: ./dev pictures writes them into tests/pictures. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
    exampleFile,
    newPage,
    openFile,
    ready,
    root,
    startBrowser,
    startServer,
} from "./support.mjs";

const folder = join(root, "tests/pictures"),
    server = await startServer(),
    browser = await startBrowser();
mkdirSync(folder, { recursive: true });
const scenes = [
    ["healthy", "h100-nvswitch", "hosts=2"],
    ["faults", "h100-with-faults", "hosts=2"],
    [
        "differences",
        "v100-cube-mesh",
        "hosts=2&view=matrix&side=both&against=2.7.8&panel=selection&from=GPU/0-1b000&to=GPU/0-b2000",
    ],
];
for (const [name, machine, fragment] of scenes) {
    const page = await newPage(browser, { width: 1120, height: 700 });
    await openFile(page, server.url, exampleFile(machine).path);
    const url = page.url();
    await page.goto("about:blank");
    await page.goto(`${url}&${fragment}`);
    await ready(page);
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
}
await browser.close();
await server.stop();
const drawn = spawnSync(
    process.env.ORRERY ?? join(root, "build/orrery"),
    ["render", "--output", join(folder, "workstation.svg"), exampleFile("workstation-2gpu").path],
    { stdio: "inherit" },
);
process.exit(drawn.status ?? 1);
