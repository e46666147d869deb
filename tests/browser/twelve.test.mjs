// SPDX-License-Identifier: Apache-2.0
/* The twelve interactions worth having, one after the other, each on two of four real machines: by mouse or keyboard,
 * and again from the address that it left. With ORRERY_ALL each is done on all four (./dev soak). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { logOf } from "./logs.mjs";
import { realDump, without } from "./support.mjs";

const it = fixture();
const MACHINES = [
    "machines/machine-workstation-4090x2.xml",
    "machines/machine-dgx1-v100.xml",
    "machines/machine-dgx-a100.xml",
    "real/gb300-1tray-healthy.xml",
];
const heading = () => it.page.locator("#panel h2").first().textContent();
/* Goes to the address that the page shows, as somebody would who got it in a ticket. */
const again = () => it.visit(it.page.url());

let led = 0; // machines whose findings lead to a line
/* Each is called with the file and the two first GPUs; the page is at the machine alone. */
const INTERACTIONS = {
    "1 two devices: the path, its hops, what decides": async (file, a, b) => {
        await it.device(a).click();
        await it.device(b).click({ modifiers: ["Shift"] });
        await soon.match(heading, /GPU \d+ → GPU \d+/);
        await it.until(() => document.querySelector("#canvas .edge.lit"));
        const lit = await it.lit(),
            title = await heading();
        await soon.ok(
            async () => (await it.page.locator("#panel tr", { hasText: "narrowest" }).count()) > 0,
        );
        await again();
        await soon.deepEqual(async () => [await it.lit(), await heading()], [lit, title]);
        await it.page.keyboard.press("w");
        await it.page.locator("#why").waitFor();
        await soon.match(() => it.page.locator("#why").textContent(), /Rule of NCCL/);
    },
    "2 the matrix": async (file, a, b) => {
        await it.page.keyboard.press("x");
        for (const mode of ["GB/s", "Hops", "Verdict"])
            await it.page
                .locator("#drawer")
                .getByRole("button", { name: mode, exact: true })
                .click();
        await it.cell(a, b).click();
        await soon.match(
            () => it.page.url(),
            /view=matrix.*cell=verdict|cell=verdict.*view=matrix/,
        );
        await again();
        await soon.equal(() => it.page.locator('#matrix [aria-selected="true"]').count(), 1);
    },
    "3 the stepper": async () => {
        await it.page.keyboard.press("c");
        await it.page.keyboard.press(".");
        await soon.equal(() => it.page.locator("#canvas .overlay .now").count(), 1);
        await it.page.keyboard.press("]");
        await soon.match(() => it.page.locator("#channel-no").textContent(), /channel 1 of/);
        await again();
        await soon.match(() => it.page.locator("#channel-no").textContent(), /channel 1 of/);
        await it.page.keyboard.press("l");
        await soon.ok(async () => (await it.page.locator("#loads tbody tr").count()) > 0);
    },
    "4 findings": async () => {
        /* The list has the service's findings, with links to their evidence; if there are none, it must say so. */
        const id = new URLSearchParams(new URL(it.page.url()).hash.slice(1)).get("id");
        const findings = await (
                await fetch(`${it.server.url}/v1/topologies/${id}/analysis/findings`)
            ).json(),
            lines = findings.filter((row) => row.where?.line);
        await it.page.locator("#findings").waitFor();
        await soon.equal(
            async () => (await it.page.locator("#findings [data-key^='line:']").count()) > 0,
            lines.length > 0,
            `${lines.length} findings have a line`,
        );
        if (!findings.length)
            return assert.match(
                await it.page.locator("#findings").textContent(),
                /^Nothing was found\.$/,
            );
        if (!lines.length)
            return assert.ok(
                (await it.page.locator("#findings").textContent()).includes(findings[0].title),
                "those without a line are there all the same",
            );
        led++;
        const notes = it.page.locator("#notes-of-machine > summary");
        if (!(await it.page.locator("#findings [data-key^='line:']:visible").count()))
            await notes.click();
        await it.page.locator("#findings [data-key^='line:']:visible").first().click();
        await soon.match(() => it.page.url(), /line=\d+/);
        await again();
        await soon.ok(async () => (await it.page.locator("#source .line").count()) > 0);
    },
    "5 what if": async () => {
        await it.page.keyboard.press("d");
        await it.page.locator("#against-setting").fill("NCCL_P2P_DISABLE=1");
        await it.page.locator("#against-setting").press("Enter");
        await it.page.locator("#diff-summary").waitFor();
        const text = await it.page.locator("#diff-summary").textContent();
        await again();
        await soon.equal(() => it.page.locator("#diff-summary").textContent(), text);
    },
    "6 two dumps": async (file) => {
        const other = readFileSync(file, "utf8").replace(/link_width="(8|16)"/, 'link_width="2"');
        const { id } = await (
            await fetch(`${it.server.url}/v1/topologies?name=narrow`, {
                method: "POST",
                body: other,
            })
        ).json();
        await it.page.keyboard.press("v");
        await it.page.locator(`#second option[value="${id}"]`).waitFor({ state: "attached" });
        await it.choose("#second", id);
        await it.page.locator("#pair-summary").waitFor();
        await soon.ok(async () => (await it.page.locator("#hardware tbody tr").count()) > 0);
        await soon.match(() => it.page.locator("#hardware tbody").textContent(), /lanes/i);
        await again();
        await soon.ok(
            async () => (await it.page.locator("#canvas .changed").count()) > 0,
            "what differs is marked on the picture",
        );
    },
    "7 a log, dropped or pasted": async () => {
        const text = await logOf(it.page, it.server.url);
        await it.page.keyboard.press("g");
        await it.page.locator("#log-paste").fill(text);
        await it.key("log-read").click();
        await it.page.locator("#log-verdict").waitFor();
        await soon.match(
            () => it.page.locator("#log-verdict").textContent(),
            /^All \d+ facts of the log agree/,
        );
        await again();
        await it.page.locator("#no-log").waitFor();
    },
    "8 one address for all of it": async (file, a) => {
        await it.visit(
            `${it.page.url()}` +
                `&release=2.27.7&hosts=2&NCCL_CROSS_NIC=0&view=channels&graph=tree&channel=0&panel=selection&from=${a}`,
        );
        await soon.match(() => it.key("question").textContent(), /2 hosts/);
        await soon.match(() => it.page.locator("#channel-no").textContent(), /Tree/);
        await soon.match(() => heading(), /^GPU \d/);
    },
    "9 keys alone": async (file, a) => {
        await it.device(a).focus();
        await it.page.keyboard.press("Enter");
        await soon.match(() => heading(), /^GPU \d/);
        const before = await it.page.evaluate(() => document.activeElement.id);
        for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
            await it.page.keyboard.press(key);
        await soon.ok(
            async () =>
                before &&
                (await it.page.evaluate(() => document.activeElement.closest("#canvas") !== null)),
        );
        await it.page.keyboard.press("?");
        await it.page.locator("dialog[open]").waitFor();
        await it.page.keyboard.press("Escape");
    },
    "10 dark and light": async () => {
        const before = await it.page.evaluate(() => document.documentElement.dataset.theme);
        await it.menu("theme");
        await it.until((was) => document.documentElement.dataset.theme !== was, before);
    },
    "11 taken away": async () => {
        await it.page.keyboard.press("e");
        for (const kind of ["svg", "csv", "md"]) {
            const [download] = await Promise.all([
                it.page.waitForEvent("download"),
                it.key(`export:${kind}`).click(),
            ]);
            assert.ok(readFileSync(await download.path()).length > 20, kind);
        }
        await it.page.keyboard.press("Escape");
    },
    "12 folded; hosts from above, and down to one; search": async (file, a) => {
        await it.page.keyboard.press("f");
        await it.until(() => document.querySelector("#canvas svg.less"));
        await it.visit(`${it.page.url()}&hosts=4&view=hosts`);
        await it.key("host:2").click();
        await soon.match(() => it.page.locator("#crumbs").textContent(), /4 hosts.*Host 2/);
        await it.page.keyboard.press("/");
        await it.page.locator("#search").fill(a.split("-")[1]);
        await it.page.locator("#found li").first().waitFor();
        await it.page.keyboard.press("Enter");
        await soon.match(() => heading(), /^GPU/);
    },
};

for (const [i, name] of MACHINES.entries()) {
    const file = realDump(name),
        chosen = Object.entries(INTERACTIONS).filter(
            (_, k) => process.env.ORRERY_ALL || (i + k) % 2 === 0,
        );
    test(`twelve interactions: ${name}`, { skip: without(name) }, async (t) => {
        await it.open(file);
        const start = it.page.url();
        const [a, b] = await it.page
            .locator("#canvas g.node.gpu")
            .evaluateAll((nodes) => nodes.map((node) => node.id));
        for (const [what, act] of chosen)
            await t.test(what, async () => {
                await it.visit(start);
                await act(file, a, b);
            });
    });
}

test(
    "of these machines, some have findings that lead to a line",
    { skip: without(...MACHINES) },
    () => assert.ok(led > 0),
);
