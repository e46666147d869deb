// SPDX-License-Identifier: Apache-2.0
/* Shared by all browser tests: one daemon, one browser, a page per test that fails on any complaint, and helpers to
 * read the page. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { SECTIONS } from "../../static/js/state.js";
import {
    choose,
    keep,
    newPage,
    openFile,
    patience,
    ready,
    root,
    startBrowser,
    startServer,
    temporaryFolder,
} from "./support.mjs";

/** assert's words for what the page is to show: `await soon.equal(() => rows.count(), 3)`. Functions among the
 * arguments are asked again until the assertion holds, because a page answers when it can and not at once. What is
 * still wrong after a minute fails as with assert. */
export const soon = Object.fromEntries(
    ["ok", "equal", "notEqual", "deepEqual", "match", "doesNotMatch"].map((word) => [
        word,
        async (...said) => {
            for (const end = Date.now() + patience; ;) {
                try {
                    const values = said.map((value) =>
                        value instanceof Function ? value() : value,
                    );
                    return assert[word](...(await Promise.all(values)));
                } catch (failure) {
                    if (Date.now() > end) throw failure;
                }
                await new Promise((done) => setTimeout(done, 50));
            }
        },
    ]),
);

const ACT = "orrery: an act"; // a click or a key, as the page tells it to the test
const TABLE = join(root, "build/tasks.md"),
    HEAD = "| task | who | clicks and keys | seconds | machine |\n|---|---|---|---|---|\n";

/* A row of build/tasks.md, which takes the place of the last run's. */
function note(name, cells) {
    const rows = existsSync(TABLE) ? readFileSync(TABLE, "utf8").split("\n").slice(2) : [],
        others = rows.filter((row) => row && !row.startsWith(`| ${name} |`));
    mkdirSync(dirname(TABLE), { recursive: true });
    writeFileSync(
        TABLE,
        `${HEAD}${[...others, `| ${[name, ...cells].join(" | ")} |`].join("\n")}\n`,
    );
}

/** An object whose `page` and `server` are those of the running test; start: how the server is started. */
export function fixture(start = startServer) {
    const it = { page: null, server: null, browser: null };
    const folder = temporaryFolder();
    before(async () => {
        it.server = await start();
        it.browser = await startBrowser();
    });
    after(async () => {
        await it.browser?.close();
        assert.equal(await it.server?.stop(), 0, "SIGTERM ends the daemon with 0");
    });
    beforeEach(async () => (it.page = await newPage(it.browser)));
    afterEach(async () => {
        const { complaints } = it.page;
        await it.page.context().close();
        assert.deepEqual(complaints, [], "no error, no refused policy");
    });
    it.write = (name, text) => {
        const path = join(folder, name);
        writeFileSync(path, text);
        return path;
    };
    /* A test of what somebody comes for: what they click and press and the seconds until `answered()`, or the end, are
     * noted in build/tasks.md. A text that is pasted or a file that is dropped is neither. */
    it.task = (who, name, act) =>
        test(name, async () => {
            const start = performance.now();
            let acts = 0,
                cells = null;
            it.page.on("console", (message) => message.text() === ACT && acts++);
            await it.page.addInitScript((said) => {
                for (const kind of ["pointerdown", "keydown"])
                    addEventListener(kind, (one) => one.isTrusted && console.debug(said), true);
            }, ACT);
            it.answered = () =>
                (cells ??= [
                    acts,
                    ((performance.now() - start) / 1000).toFixed(1),
                    `${cpus().length} cores, load ${loadavg()[0].toFixed(0)}`,
                ]);
            await act();
            if (!process.env.ORRERY_SLOW) note(name, [who, ...it.answered()]);
        });
    it.another = async (options) => {
        await it.page.context().close();
        return (it.page = await newPage(it.browser, options));
    };
    /* Asks until it is true; waitForFunction would need eval, which the page's policy forbids. */
    it.until = (question, argument) =>
        soon.ok(() => it.page.evaluate(question, argument), `never true: ${question}`);
    it.settled = () =>
        it.until(
            () =>
                !document.querySelector(".busy.on") &&
                !document.querySelector("#scaling[aria-busy]")?.offsetParent,
        );
    it.choose = (selector, value) => choose(it.page, selector, value);
    /* By the button for files; with a fragment as from a link to a stored dump, which loads the page once. */
    it.open = async (file, fragment = "") => {
        if (!fragment) return openFile(it.page, it.server.url, file);
        const { id, input } = await keep(it.server.url, file),
            release = input?.logged_release ? `&release=${input.logged_release}` : "";
        await it.visit(`${it.server.url}/#id=${id}${release}&${fragment}`);
    };
    /* As from a link in a mail: nothing of the page is there before. */
    it.visit = async (url) => {
        await it.page.goto("about:blank");
        await it.page.goto(url);
        await ready(it.page);
        await it.settled();
    };
    it.device = (id) => it.page.locator(`#canvas g.node[id="${id}"]`);
    it.cell = (from, to) => it.page.locator(`#matrix [data-key="${from}>${to}"]`);
    it.key = (key) => it.page.locator(`[data-key="${key}"]`);
    /* To a view by the name of its tab, through its section of the rail if that is another. */
    it.view = async (name) => {
        const [section] = SECTIONS.find(([, , views]) => views.some(([, label]) => label === name));
        if (!(await it.tab(name).count())) await it.key(`go:${section}`).click();
        await it.tab(name).click();
    };
    /* Opens the question: release, hosts, settings and assumptions. */
    it.ask = async () => {
        if ((await it.key("question").getAttribute("aria-expanded")) !== "true")
            await it.key("question").click();
        await it.page.locator("#hosts").waitFor();
    };
    it.hosts = async (count) => {
        await it.ask();
        await it.page.locator("#hosts").fill(String(count));
        await it.page.locator("#hosts").press("Enter");
    };
    /* An action of the menu after the logo, or of "Share". */
    it.menu = async (key, menu = "menu") => {
        await it.page.locator(`#${menu}-button`).click();
        await it.key(key).click();
    };
    /* Everything that the verdict has folded. */
    it.unfold = async (where = "#verdict-body") => {
        const closed = it.page.locator(`${where} details:not([open]):visible`);
        for (let i = 0; i < 40 && (await closed.count()); i++)
            await closed.first().locator("> summary").click();
    };
    it.tab = (name) => it.page.getByRole("tab", { name, exact: true });
    it.lit = () =>
        it.page
            .locator("#canvas .edge.lit")
            .evaluateAll((edges) => edges.map((edge) => edge.id).sort());
    it.wideAsWindow = () =>
        it.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    const complaintsOfAxe = async (name, runOnly) => {
        if (!(await it.page.evaluate(() => Boolean(globalThis.axe))))
            await it.page.evaluate(`${axeSource()}; axe.configure({ noHtml: true });`);
        const violations = await it.page.evaluate(
            async (only) =>
                (
                    await globalThis.axe.run(document, {
                        runOnly: only,
                        resultTypes: ["violations"],
                    })
                ).violations.map(
                    (row) => `${row.id}: ${row.nodes.map((node) => node.target).slice(0, 3)}`,
                ),
            runOnly,
        );
        assert.deepEqual(violations, [], name);
    };
    it.axe = (name) => complaintsOfAxe(name, ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]);
    const theme = async (name) => {
        await it.page.emulateMedia({ colorScheme: name });
        await it.until(
            (now) =>
                document.documentElement.dataset.theme === now &&
                [...document.querySelectorAll("g.graph[class*='theme-']")].every((graph) =>
                    graph.classList.contains(`theme-${now}`),
                ),
            name,
        );
    };
    /* As shown, and the contrasts once more in dark colours: nothing else of what axe looks at depends on them. */
    it.axeInBoth = async (name) => {
        await it.axe(name);
        await theme("dark");
        await complaintsOfAxe(`${name}, dark`, { type: "rule", values: ["color-contrast"] });
        await theme("light");
    };
    return it;
}

let source = "";
const axeSource = () =>
    (source ||= readFileSync(
        createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
        "utf8",
    ));
