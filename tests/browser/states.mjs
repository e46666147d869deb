// SPDX-License-Identifier: Apache-2.0
/* States of the page other than the full view: the name of each state, and how to reach it. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { dump, machine, malformed, nvl72 } from "./dumps.mjs";
import { logOf } from "./logs.mjs";
import { resultsOf } from "./results.mjs";
import { choose, exampleFile, openFile, ready, realDump } from "./support.mjs";

const file = (name, text) => {
    const path = join(tmpdir(), `${name}.xml`);
    writeFileSync(path, text);
    return path;
};
const seventyTwo = machine({ gpus: 72, nics: 72, cpus: 36, switches: 72, hosts: 18 });
const open = (page, server, name, text, fragment = "") =>
    openAt(page, server, file(name, text), fragment);
const openAt = async (page, server, path, fragment) => {
    await openFile(page, server.url, path);
    if (!fragment) return;
    const url = `${page.url()}&${fragment}`;
    await page.goto("about:blank");
    await page.goto(url);
    await ready(page);
};
const h100 = exampleFile("h100-nvswitch").path,
    faults = exampleFile("h100-with-faults").path;
const provider = readFileSync(exampleFile("workstation").path, "utf8")
    .replace(/<gpu [^>]*\/>/g, "")
    .replace(/<nic>[^]*?<\/nic>/g, "");
const matrix =
    `\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\tPIX\t0-15\t0\nGPU1\tNV4\t X ` +
    `\tPXB\t0-15\t0\nNIC0\tPIX\tPXB\t X\n\nNIC Legend:\n\n  NIC0: mlx5_0\n`;
/** Stores a dump and gives its id. */
export const keep = async (server, name, text) =>
    (
        await (
            await fetch(`${server.url}/v1/topologies?name=${name}`, { method: "POST", body: text })
        ).json()
    ).id;
const four = async (server) => {
    // hosts of one kind, the third is the odd one out
    const text = readFileSync(h100, "utf8"),
        all = [];
    for (let i = 0; i < 4; i++)
        all.push(
            await keep(
                server,
                `host-${i}`,
                i === 2
                    ? text.replace('link_width="16"', 'link_width="4"')
                    : `${text}<!-- ${i} -->`,
            ),
        );
    return all;
};
const cluster =
    (graph, ...lines) =>
    async (page, server) => {
        const hosts = [];
        for (const [text, count] of lines)
            hosts.push({ topology: await keep(server, `kind-${hosts.length}`, text), count });
        const { id } = await (
            await fetch(`${server.url}/v1/clusters`, {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body: JSON.stringify({ name: "row 7", hosts }),
            })
        ).json();
        await page.goto(`${server.url}/#place=clusters&cluster=${id}&tab=rings&graph=${graph}`);
        await page.locator("#canvas g.station").first().waitFor();
        await page.locator("#canvas").scrollIntoViewIfNeeded();
    };
const good = readFileSync(h100, "utf8"),
    bad = readFileSync(faults, "utf8"),
    few = good.replace(/<net name="mlx5_[^"]*" dev="7"[^>]*>/, "");
const paste = async (page, server, text) => {
    await page.goto(server.url);
    await page.locator("#paste").fill(text);
    await page.locator("#read").click();
    await page.locator("#input").waitFor({ state: "attached" });
};
const log =
    (change, act = () => {}) =>
    async (page, server) => {
        await openFile(page, server.url, exampleFile("workstation").path);
        await page.keyboard.press("g");
        await page.locator("#log-file").setInputFiles({
            name: "job.log",
            mimeType: "text/plain",
            buffer: Buffer.from(await logOf(page, server.url, change)),
        });
        await page.locator("#log-verdict").waitFor();
        await act(page);
    };
const rack = (fragment) => (page, server) =>
    openAt(
        page,
        server,
        realDump("machines/machine-gb200-nvl72.xml") ?? file("rack", nvl72),
        fragment,
    );
const pair = (a, b, fragment) => async (page, server) => {
    await openFile(page, server.url, a);
    const url = `${page.url()}&view=compare&with=${await keep(server, "degraded", readFileSync(b))}${fragment}`;
    await page.goto("about:blank");
    await page.goto(url);
    await page.locator("#pair-summary").waitFor();
    if (fragment.includes("side")) await page.locator("#canvas-b svg").waitFor();
};
const pairOf = (a, b) => (realDump(a) && realDump(b) ? [realDump(a), realDump(b)] : [h100, faults]);
const a100 = pairOf("real/timez-nccl_topo_dump_normal.xml", "real/timez-nccl_topo_dump.xml"),
    gb300 = pairOf(
        "real/gb300-2tray-0405-healthy-fused.xml",
        "real/gb300-2tray-fault-rank5-count0-fused.xml",
    );
const refusal = (status, title, detail, advice) => ({
    status,
    contentType: "application/problem+json",
    body: JSON.stringify({ type: "/problems/x", title, status, detail, advice, instance: "1" }),
});

/** {name: act(page, server)}; what the page complains of in "gone" is the point of it. */
export const STATES = {
    loading: async (page, server) => {
        await page.route("**/analysis*", () => {}); // never answered
        await page.goto(server.url);
        await page.locator("#file").setInputFiles(file("loading", dump));
        await page.locator("#panel").waitFor();
    },
    healthy: (page, server) => openAt(page, server, h100),
    broken: (page, server) => openAt(page, server, faults, "hosts=2"),
    "broken-lit": (page, server) => openAt(page, server, faults, "hosts=2&finding=slow-link"),
    bandwidth: async (page, server) => {
        await openAt(page, server, h100, "view=bandwidth&hosts=2");
        await page.locator("#results-file").setInputFiles({
            name: "results.txt",
            mimeType: "text/plain",
            buffer: Buffer.from(
                await resultsOf(server.url, {
                    type: "hgx-h100",
                    hosts: 2,
                    scale: (size) => (size >= 2 ** 20 ? 0.4 : 1),
                }),
            ),
        });
        await page.locator("#results-verdict").waitFor();
    },
    "not-understood": async (page, server) => {
        await page.goto(server.url);
        await page.locator("#paste").fill("hello world");
        await page.locator("#read").click();
        await page.locator("#forms").waitFor();
    },
    "one-gpu": (page, server) => open(page, server, "one-gpu", machine({ gpus: 1, nics: 1 })),
    "sixteen-nics": (page, server) =>
        open(
            page,
            server,
            "sixteen-nics",
            machine({ gpus: 8, nics: 16, switches: 8 }),
            "hosts=2&view=matrix",
        ),
    "seventy-two": (page, server) => open(page, server, "seventy-two", seventyTwo),
    "seventy-two-matrix": (page, server) =>
        open(page, server, "seventy-two", seventyTwo, "view=matrix&cell=bw"),
    nvl72: rack(""),
    "nvl72-ring": rack("view=channels"),
    "nvl72-ring-alone": rack("view=channels&layout=alone"),
    "nvl72-nvls": rack("view=channels&graph=nvls"),
    "cluster-ring": cluster("ring", [good, 5], [bad, 1], [good, 120], [few, 2]),
    "cluster-tree": cluster("tree", [good, 5], [bad, 1], [good, 120], [few, 2]),
    "clusters-none": async (page, server) => {
        await page.goto(`${server.url}/#place=clusters`);
        await page.locator("#cluster-text").waitFor();
    },
    "hosts-512": (page, server) =>
        open(
            page,
            server,
            "hosts-512",
            machine({ gpus: 8, nics: 8, switches: 8 }),
            "hosts=512&view=hosts",
        ),
    "hosts-512-tree": (page, server) =>
        open(
            page,
            server,
            "hosts-512",
            machine({ gpus: 8, nics: 8, switches: 8 }),
            "hosts=512&view=hosts&graph=tree",
        ),
    refused: async (page, server) => {
        await page.goto(server.url);
        await page.locator("#file").setInputFiles(file("refused", malformed));
        await page.locator(".problem").first().waitFor();
    },
    "refused-setting": (page, server) =>
        open(page, server, "refused-setting", dump, "panel=settings&NCCL_P2P_LEVLE=SYS"),
    gone: async (page, server) => {
        await open(page, server, "gone", dump);
        await page.route("**/v1/**", (route) => route.abort("connectionrefused"));
        await page.locator("#question").click();
        await page.locator("#hosts").fill("3");
        await page.locator("#hosts").press("Enter");
        await page.locator(".problem").first().waitFor();
        await page.waitForTimeout(200);
        page.complaints = page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
    },
    token: async (page, server) => {
        await page.route("**/v1/**", (route) =>
            route.fulfill({
                ...refusal(401, "A token is needed", "no token was sent", "send one"),
                headers: { "WWW-Authenticate": "Bearer" },
            }),
        );
        await page.goto(server.url);
        await page.locator("#token").waitFor();
    },
    search: async (page, server) => {
        await open(page, server, "search", machine({ gpus: 8, nics: 8, switches: 4 }));
        await page.keyboard.press("/");
        await page.locator("#search").fill("mlx5_1");
        await page.waitForTimeout(150);
    },
    export: async (page, server) => {
        await open(page, server, "export", dump);
        await page.keyboard.press("e");
        await page.locator("#export").waitFor();
    },
    keys: async (page, server) => {
        await page.goto(server.url);
        await page.keyboard.press("?");
        await page.locator("dialog[open]").waitFor();
    },
    "log-none": (page, server) => open(page, server, "log-none", dump, "view=log"),
    "log-agrees": log((text) => text),
    "log-differs": log((text) => text.replaceAll("/PHB)", "/SYS)")),
    "log-topic": log(
        (text) => text.replaceAll("/PHB)", "/SYS)"),
        async (page) => {
            await page.locator('[data-key="topic-of:paths"]').click();
        },
    ),
    "compare-none": (page, server) => open(page, server, "compare-none", dump, "view=compare"),
    "compare-marked": pair(...a100, ""),
    "compare-side": pair(...a100, "&row=hardware.0&beside=side"),
    "compare-trays": pair(...gb300, "&beside=side"),
    "compare-decisions": pair(...a100, "&row=paths.0"),
    set: async (page, server) => {
        await page.goto(`${server.url}/#place=set&set=${(await four(server)).join(",")}`);
        await page.locator("#majority-summary").waitFor();
    },
    picked: async (page, server) => {
        const all = await four(server);
        await page.goto(`${server.url}/#place=library&q=host-`);
        for (const id of all.slice(0, 3)) await page.locator(`[data-key="pick:${id}"]`).check();
    },
    "input-matrix": (page, server) => paste(page, server, matrix),
    "input-places": (page, server) => paste(page, server, provider),
    "input-assumed": async (page, server) => {
        await paste(page, server, provider);
        await choose(page, "#assume", "g5.48xlarge");
        await ready(page);
    },
    "export-vm": async (page, server) => {
        await open(page, server, "export-vm", dump);
        await page.keyboard.press("e");
        await page.locator("summary", { hasText: "Bus ids" }).click();
    },
    detected: async (page, server) => {
        await page.goto(server.url);
        await page.locator("#detect").click();
        await page.locator("#notes li").first().waitFor();
    },
};
