// SPDX-License-Identifier: Apache-2.0
/* The view Bandwidth: the expected figures of the open machine, and results of nccl-tests compared with them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture(),
    text = (selector) => it.page.locator(selector).textContent();

test(
    "without results: the predicted curve of a collective, its crossovers, and the command that measures " +
        "it",
    async () => {
        await it.open(exampleFile("h100-nvswitch").path, "view=bandwidth&hosts=2");
        await it.page.locator("#bandwidth-chart > svg").waitFor();
        await soon.match(
            () => text("#drawer .command pre"),
            /^mpirun -np 16 -N 8 \.\/build\/all_reduce_perf -b 8 -e 8G -f 2 -g 1/,
        );
        await soon.deepEqual(
            async () =>
                (await it.page.locator("#bandwidth-chart text.x").allTextContents()).filter(
                    (label) => /^1 [KMG]$/.test(label),
                ),
            ["1 K", "1 M", "1 G"],
        );
        await soon.ok(
            async () => (await it.page.locator("#bandwidth-chart > svg .cross").count()) > 1,
            "crossovers are marked",
        );
        await soon.match(
            () => text("#bandwidth-legend"),
            /predicted.*NCCL changes algorithm or protocol/,
        );
        await it.axe("all sizes");
        await it.key("Axes:linear").click();
        await it.until(() =>
            [...document.querySelectorAll("#bandwidth-chart text.y")].some(
                (label) => label.textContent === "0",
            ),
        );
        await it.page.locator("#results-paste").fill("half a table");
        await it.choose("#program", "alltoall");
        await it.until(
            () =>
                /alltoall_perf/.test(document.querySelector("#drawer .command pre").textContent) &&
                /GB\/s at 8 GiB for alltoall with NCCL .* on 2 hosts, 16 ranks; P2P Simple; limited by/.test(
                    document.querySelector("#predicted")?.textContent,
                ),
        );
        await soon.equal(
            () => it.page.locator("#results-paste").inputValue(),
            "half a table",
            "what was typed stays",
        );
        await it.visit(it.page.url());
        await soon.equal(
            () => it.key("Axes:linear").getAttribute("aria-pressed"),
            "true",
            "the address says how the axes run",
        );
        await it.page.locator('[data-key="fold:predicted-rows"]').click();
        const expected = await it.page.locator("#bandwidth-rows tbody tr").last().textContent();
        assert.match(expected, /8 GiB[\d.]+P2P Simple\d+/);
    },
);

test("the key b opens the view; one rank has nothing to predict", async () => {
    await it.open(exampleFile("workstation").path);
    await it.page.locator("body").press("b");
    await it.page.locator("#bandwidth-chart > svg").waitFor();
    await soon.equal(() => it.tab("Bandwidth").getAttribute("aria-selected"), "true");
    await it.visit(`${it.page.url()}&gpus=0`);
    await it.until(() =>
        /Nothing is predicted for one rank/.test(document.querySelector("#drawer").textContent),
    );
});

test("a phone and dark colours: the chart is as wide as the window", async () => {
    for (const options of [{ width: 390, height: 844 }, { theme: "dark" }]) {
        await it.another(options);
        await it.open(exampleFile("h100-nvswitch").path, "view=bandwidth");
        await it.page.locator("#bandwidth-chart > svg").waitFor();
        await soon.ok(() => it.wideAsWindow());
        await it.axe(JSON.stringify(options));
    }
});
