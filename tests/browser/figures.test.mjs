// SPDX-License-Identifier: Apache-2.0
/* On ten machines, every place of the page that shows the same fact shows the same figure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const MACHINES = [
    "dgx-1",
    "dgx-2",
    "dgx-a100",
    "hgx-a100-4",
    "hgx-h100",
    "p4d.24xlarge",
    "polaris",
    "gb200-tray",
    "g6e.48xlarge",
    null,
]; // null for the example with faults
const text = async (selector) =>
    (await it.page.locator(selector).first().innerText()).replace(/\s+/g, " ");
const first = (pattern, where) => pattern.exec(where)?.[1];

/* What the drawing says about the links between GPU 0 and its neighbours over NVLink, as [other end, GB/s]. */
const nvlinks = (gpu) =>
    it.page.evaluate(
        (id) =>
            [...document.querySelectorAll("#canvas g.edge")]
                .filter((edge) => edge.id.split("--").includes(id))
                .map((edge) => [
                    edge.id.split("--").find((end) => end !== id),
                    /^NVLink .*: ([\d.]+) GB\/s/.exec(edge.getAttribute("aria-label"))?.[1],
                ])
                .filter(([, bw]) => bw),
        gpu,
    );

test("bandwidth, channels, P2P, GPUDirect RDMA, findings and links are the same wherever they are shown", async () => {
    for (const machine of MACHINES) {
        if (machine) await it.visit(`${it.server.url}/#machine=${machine}&release=2.27.7&hosts=2`);
        else await it.open(exampleFile("h100-with-faults").path, "release=2.27.7&hosts=2");
        await it.settled();
        await it.unfold();
        const name = machine ?? "faults",
            figures = await text('section[aria-label="Figures"] dl'),
            say = (id) => text(`[data-question="${id}"]`);
        const expected = await text("#expected dl"),
            busbw = first(/AllReduce at 1 GiB (?:≈ )?([\d.]+) GB\/s/, expected);
        await soon.equal(
            async () => first(/AllReduce ([\d.]+) GB\/s at 1 GiB/, await say("busbw")),
            busbw,
            `${name}: bus bandwidth`,
        );
        const algorithm = first(/GB\/s bus bandwidth, (\w+ \w+)/, expected);
        await soon.equal(
            async () => first(/at 1 GiB, (\w+ \w+)/, await say("busbw")),
            algorithm,
            `${name}: algorithm`,
        );
        assert.deepEqual(
            /AllReduce at 1 GiB ([\d.]+) GB\/s, (\w+ \w+)/.exec(figures)?.slice(1),
            [busbw, algorithm],
            `${name}: AllReduce among the figures`,
        );
        await soon.equal(
            first(/Channels (\d+)/, figures),
            async () => first(/(\d+); ring/, await say("channels")),
            `${name}: channels`,
        );
        const [, pairs, all] = /P2P (\d+) of (\d+) ordered/.exec(figures),
            off = /(\d+) of \d+ not/.exec(await say("p2p"));
        assert.equal(Number(pairs), off ? all - off[1] : Number(all), `${name}: P2P`);
        const said = await say("gdr"),
            [, direct, of] = /GPUDirect RDMA (\d+) of (\d+) GPU/.exec(figures) ?? [],
            without = /(\d+) of \d+ pairs without/.exec(said);
        if (name === "gb200-tray") assert.match(said, /one NVLink domain uses no NIC/);
        else assert.equal(Number(direct), without ? of - without[1] : Number(of), `${name}: GDR`);
        const counted = Number(first(/(\d+) faults?/, await text("#verdict h2")) ?? 0);
        await soon.equal(
            () =>
                it.page.evaluate(
                    () =>
                        [...document.querySelectorAll("#findings [data-finding]")].filter(
                            (row) =>
                                row.querySelector(".sev")?.matches(".sev-warning, .sev-error") &&
                                !row.parentElement.closest("[data-finding]"),
                        ).length,
                ),
            counted,
            `${name}: findings`,
        );
        const gpu = await it.page.locator('#canvas g.node[id^="GPU/"]').first().getAttribute("id"),
            links = await nvlinks(gpu);
        assert.equal(
            links.length > 0,
            machine !== "g6e.48xlarge",
            `${name}: the drawing has its NVLinks`,
        );
        // The file has faults, and on the HGX A100 NCCL 2.27.7 finds rings and no tree.
        assert.equal(counted > 0, [null, "hgx-a100-4"].includes(machine), `${name}: has findings`);
        await it.device(gpu).click();
        await it.page.locator("#panel .path-head").waitFor();
        for (const [end, bw] of links) {
            if (!end.startsWith("GPU/")) {
                // to the NVSwitch: this much reaches each other GPU
                await soon.match(
                    () => text("#panel table:not(#own-nics) tbody"),
                    new RegExp(`NVL ${bw} 2`),
                    `${name}: NVLink at the switch`,
                );
                continue;
            }
            const row = await it.page.evaluate(
                (id) =>
                    [...document.querySelectorAll("#panel table:not(#own-nics) tbody tr")]
                        .map((one) => one.innerText.replace(/\s+/g, " "))
                        .find((one) => one.startsWith(`${id} `)),
                await it
                    .device(end)
                    .evaluate(
                        (node) => node.querySelector("text").textContent.trim().split(" · ")[0],
                    ),
            );
            assert.match(row ?? "", new RegExp(` NVL ${bw} 1`), `${name}: NVLink to ${end}`);
        }
    }
});
