// SPDX-License-Identifier: Apache-2.0
/* The tasks that people come with: clicks are counted. And the page by keyboard alone. (Dumps of 64 hosts:
 * clusters.test.mjs; a broken dump: verdict.test.mjs.) */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, ready } from "./support.mjs";

const it = fixture();
const text = (selector) => it.page.locator(selector).first().innerText();
const focused = () =>
    it.page.evaluate(() => ({
        key: document.activeElement.dataset.key ?? "",
        id: document.activeElement.id,
        role: document.activeElement.getAttribute("role") ?? "",
        text: document.activeElement.textContent.trim().slice(0, 60),
    }));
/* Presses Tab until the focused element fits; returns how often. */
async function tabTo(fits, most = 40) {
    for (let i = 1; i <= most; i++) {
        await it.page.keyboard.press("Tab");
        if (fits(await focused())) return i;
    }
    return assert.fail(`not reached by ${most} times Tab: ${fits}`);
}

/* Eight GPUs, each with the NIC next to it, as nvidia-smi topo -m prints them, colours included. */
function matrix() {
    const names = [
        ...Array.from({ length: 8 }, (_, i) => `GPU${i}`),
        ...Array.from({ length: 8 }, (_, i) => `NIC${i}`),
    ];
    const cell = (a, b) =>
        a === b
            ? " X "
            : a < 8 && b < 8
              ? "NV18"
              : a % 8 === b % 8
                ? "PIX"
                : a % 8 < 4 === b % 8 < 4
                  ? "NODE"
                  : "SYS";
    return (
        `\x1b[4m\t${names.join("\t")}\tCPU Affinity\tNUMA ` +
        `Affinity\x1b[0m\n${names
            .map(
                (name, a) =>
                    `${name}\t${names.map((_, b) => cell(a, b)).join("\t")}` +
                    `${a < 8 ? `\t0-31\t${a < 4 ? 0 : 1}` : ""}`,
            )
            .join("\n")}\n\nNIC Legend:\n\n${names
            .slice(8)
            .map((name, i) => `  ${name}: mlx5_${i}`)
            .join("\n")}\n`
    );
}

it.task(
    "support engineer",
    "a pasted matrix: the NIC of GPU 3, its GPUDirect RDMA, and AllReduce on four hosts with what it " +
        "assumes, " +
        "in three clicks; the assumption is changed beside the figure",
    async () => {
        let clicks = 0;
        const click = async (locator) => {
            clicks++;
            await locator.click();
        };
        await it.page.goto(it.server.url);
        await it.page.locator("#paste").fill(matrix());
        await click(it.page.locator("#read"));
        await ready(it.page);
        await click(it.page.getByText("Which NIC each GPU uses"));
        await soon.match(
            () => it.page.locator('#gpu-nics tr[data-rank="3"]').first().innerText(),
            /^3\s+mlx5_3.*PIX.*\s+yes/s,
        );
        await click(it.key("scale:4"));
        await it.until(() =>
            /Expected on 4 hosts, 32 ranks/.test(document.getElementById("expected")?.textContent),
        );
        const expected = await text("#expected");
        assert.match(expected, /AllReduce at 1 GiB\s+≈ \d+(\.\d+)? GB\/s/);
        await soon.match(
            () => text("#assumes"),
            /assumed 8 NIC ports have 400 Gb\/s, with GPUDirect RDMA, and \d more$/,
        );
        assert.ok(clicks <= 3);
        it.answered();
        const bandwidth = async () =>
                Number(/AllReduce at 1 GiB\s+≈ (\d+(\.\d+)?)/.exec(await text("#expected"))[1]),
            before = await bandwidth();
        await it.choose("#assume-speed", "100");
        await it.until(() =>
            /have 100 Gb\/s, with/.test(document.getElementById("assumes")?.textContent),
        );
        await soon.ok(
            async () => 2 * (await bandwidth()) < before,
            async () => `${await bandwidth()} after ${before}`,
        );
        await soon.match(() => it.page.url(), /assume_nics=100/);
        await it.ask();
        await soon.equal(
            () => it.page.locator(".chip span").first().textContent(),
            "NICs assumed at 100 Gb/s",
        );
        await it.choose("#assume-gdr", "off");
        await it.until(() =>
            /have 100 Gb\/s, without/.test(document.getElementById("assumes")?.textContent),
        );
        await it.unfold("#glance");
        await soon.match(
            () => text('[data-question="gdr"]'),
            /64 of 64 pairs without|[1-9]\d* of \d+ pairs without/,
        );
        await it.axe("assumptions");
        await it.key("Hosts of the job:4").focus();
        await it.page.getByRole("button", { name: "Assume the usual NICs" }).click();
        await it.until(() =>
            /have 400 Gb\/s, with/.test(document.getElementById("assumes")?.textContent),
        );
        await soon.equal(() => bandwidth(), before);
    },
);

it.task(
    "newcomer",
    "a paste that is not understood: what was seen, without a terminal's sequences, and every accepted " +
        "form",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator("#paste").fill("\x1b[1mhello\x1b[0m world\nsecond line");
        await it.page.locator("#read").click();
        await it.page.locator("#seen").waitFor();
        await soon.equal(
            () => it.page.locator("#seen pre").textContent(),
            "hello world\nsecond line",
        );
        const { inputs } = await (await it.page.request.get(`${it.server.url}/v1/inputs`)).json();
        await soon.equal(
            () => it.page.locator("#forms li").count(),
            inputs.length + 1,
            "results of nccl-tests too",
        );
        await soon.match(() => text("#forms"), /nvidia-smi topo -m/);
        await it.axe("not understood");
    },
);

it.task(
    "support engineer",
    "findings, devices and links: a title lights them, a mark on the link opens the finding, a link and its " +
        "label are selected",
    async () => {
        const dump = readFileSync(exampleFile("hgx-a100-4").path, "utf8"),
            at = dump.indexOf('count="4"');
        await it.open(
            it.write("one-link.xml", `${dump.slice(0, at)}count="1"${dump.slice(at + 9)}`),
        );
        const mark = it
            .key("badge:GPU/0-12000--DEV/0-1c000")
            .or(it.key("badge:GPU/0-12000--GPU/0-1c000"))
            .first();
        await soon.match(() => mark.getAttribute("aria-label"), /fewer NVLinks/);
        const finding = it.key("light:nvlink-count");
        await finding.click();
        await it.until(
            () =>
                document.querySelector("#canvas .picked")?.id === "GPU/0-12000" &&
                document.querySelectorAll("#canvas .edge.lit").length === 1,
        );
        await soon.match(() => it.page.url(), /finding=nvlink-count/);
        await soon.equal(() => finding.getAttribute("aria-pressed"), "true");
        await it.page.keyboard.press("Escape");
        await it.until(() => !document.querySelector("#canvas .lit"));
        await it.ask();
        await mark.focus();
        await it.page.keyboard.press("Enter");
        await it.page.locator("#findings").waitFor();
        await it.until(() => document.querySelectorAll("#canvas .edge.lit").length >= 1);
        for (const [what, place, ends] of [
            // only a link unlike the others has a label
            [
                "the label",
                it.page.locator("#canvas .edge.nvl text:visible").first(),
                "^GPU 0 → (?!PCIe)",
            ],
            [
                "the line",
                it.page.locator('#canvas [id="GPU/0-12000--PCI/0-11000"] path.reach'),
                "GPU 0 → PCIe 11:00.0",
            ],
        ]) {
            await place.click({ force: true });
            await it.until(
                (wanted) =>
                    new RegExp(wanted).test(document.querySelector("#panel h2")?.textContent ?? ""),
                ends,
            );
            await soon.ok(async () => (await it.lit()).length === 1, what);
            await soon.match(() => text("#panel"), /GB\/s, one link/);
        }
    },
);

it.task(
    "expert",
    "a path without Shift: a device, Path to…, the other device; the panel can be hidden",
    async () => {
        await it.open(exampleFile("h100-nvswitch").path);
        await it.device("GPU/0-19000").click();
        await it.key("extend").click();
        await soon.match(() => text("#extending"), /click the device at the other end/);
        await it.device("GPU/0-3c000").click();
        await it.until(() =>
            /GPU 0 → GPU 1/.test(document.querySelector("#panel h2")?.textContent),
        );
        const before = await it.page.locator("#canvas").boundingBox();
        await it.key("panel-hide").click();
        await soon.equal(() => it.page.locator("#panel").isVisible(), false);
        await soon.ok(
            async () => (await it.page.locator("#canvas").boundingBox()).width > before.width * 1.3,
        );
        await it.page.keyboard.press("z");
        await soon.ok(() => it.page.locator("#panel").isVisible());
    },
);

it.task(
    "keyboard user",
    "by keyboard alone: from the start page to an example, past the drawing to the tabs, a device, a " +
        "path, the " +
        "panel",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator('[data-example="h100-with-faults"]').waitFor();
        await it.page.locator("#type-search").focus();
        await tabTo(({ text: words }) => words.startsWith("8x H100 with two faults"), 60);
        await it.page.keyboard.press("Enter");
        await ready(it.page);
        await it.visit(it.page.url());
        await it.page.keyboard.press("Tab");
        await soon.equal(async () => (await focused()).text, "Skip to the drawing");
        await it.page.keyboard.press("Tab");
        await it.page.keyboard.press("Enter"); // to the tabs
        await soon.equal(async () => (await focused()).key, "view:verdict");
        await it.page.keyboard.press("m");
        await it.tab("Drawing").focus();
        await it.page.keyboard.press("ArrowRight");
        await soon.equal(async () => (await focused()).key, "view:matrix");
        await it.page.locator("#matrix").waitFor();
        await it.page.locator("#canvas").focus();
        await it.page.keyboard.press("Tab");
        const first = (await focused()).id;
        await it.page.keyboard.press("PageDown");
        await soon.notEqual(async () => (await focused()).id, first);
        await it.page.keyboard.press("Enter");
        await soon.match(() => text("#panel h2"), /\S/);
        const toTable = await tabTo(({ key }) => key === "Cells say:type");
        assert.ok(
            toTable <= 12,
            `${toTable} times Tab from a device to the table: its badges and tools lie between, no other device`,
        );
        await tabTo(({ key }) => key.startsWith("panel:"));
        await it.page.keyboard.press("ArrowRight");
        await soon.equal(async () => (await focused()).role, "tab");
    },
);

it.task(
    "operator",
    "what was opened is offered again; pictures of examples come into sight; links to the page have words of " +
        "their own",
    async () => {
        await it.page.goto(it.server.url);
        await it.page.locator('[data-example="h100-with-faults"]').click();
        await ready(it.page);
        await soon.match(
            () => it.page.locator('meta[name="description"]').getAttribute("content"),
            /H100.*as NCCL \d/,
        );
        await it.menu("home");
        await it.page.locator("#recent a").first().waitFor();
        await soon.match(() => text("#recent"), /8x H100 with two faults/);
        await it.page.locator(".examples").first().scrollIntoViewIfNeeded();
        await it.page.locator(".examples img").first().waitFor();
        await soon.ok(() =>
            it.page
                .locator(".examples img")
                .first()
                .evaluate((picture) => picture.decode().then(() => picture.naturalWidth > 0)),
        );
        await it.axe("start with what was opened");
        await it.page.locator("#recent a").first().click();
        await ready(it.page);
    },
);

it.task(
    "expert",
    "a link that is selected names its findings, and their titles open them",
    async () => {
        await it.open(
            exampleFile("h100-with-faults").path,
            "panel=selection&from=PCI/0-5a000&to=NIC/0-5e000",
        );
        const finding = it.page
            .locator("#panel button.text", { hasText: "PCIe link has fewer lanes" })
            .first();
        await finding.click();
        await it.until(() => /finding=slow-link/.test(location.href));
    },
);

it.task(
    "operator",
    "a slow node for a ticket: what repairing each device brings, what is left after the first, the command " +
        "that checks it, and eight lines with the link, in five clicks",
    async () => {
        await it.page
            .context()
            .grantPermissions(["clipboard-read", "clipboard-write"], { origin: it.server.url });
        const copied = () => it.page.evaluate(() => navigator.clipboard.readText()),
            line = () => text("#verdict h2");
        await it.open(exampleFile("h100-with-faults").path);
        await soon.match(line, /2 faults cost 25 % on 2 hosts/);
        await it.key("cost:slow-link").click();
        await soon.match(line, /1 fault costs \d+ % on 2 hosts/);
        await soon.match(
            () => text("#cost-total"),
            /^399 GB\/s as shown; 455 GB\/s with everything/,
        );
        await it.key("as-is").click();
        await soon.match(line, /2 faults/);
        await it.page
            .locator('#findings [data-finding="slow-link"] button:text-is("Copy")')
            .first()
            .click();
        await soon.match(copied, /^lspci -vv/);
        await it.menu("copy-summary", "share");
        await soon.match(copied, /Costs 57 of 455 GB\/s.*\n.*Costs 56 of 455 GB\/s/);
        const summary = await copied();
        it.answered();
        assert.ok(summary.split("\n").length <= 8, summary);
        await it.visit(summary.split("\n").at(-1));
        await soon.match(line, /2 faults cost 25 % on 2 hosts/, "the link leads to the same");
    },
);
