// SPDX-License-Identifier: Apache-2.0
/* Starts the daemon and a browser for the tests, and stops both. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { readDescription } from "./openapi.mjs";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
/** A folder that is gone when the process ends. */
export function temporaryFolder() {
    const folder = mkdtempSync(join(tmpdir(), "orrery-browser-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    return folder;
}
export const shots = process.env.SCREENSHOTS ?? join(root, "build/screenshots");

/** A dump by its place in ../shared/topologies: machines/NAME is kept in this repository too, others are null if
 * ../shared is not beside the checkout. */
export function realDump(path) {
    const [folder, name] = path.split("/");
    const file =
        folder === "machines"
            ? join(root, "tests/conformance/topologies", name)
            : join(root, "../shared/topologies", path);
    return existsSync(file) ? file : null;
}

/** The `skip` option for a test of these dumps: false, or the reason why it is skipped. */
export const without = (...paths) =>
    paths.every(realDump) ? false : "../shared is not beside this checkout";

export const examples = () => {
    return JSON.parse(readFileSync(join(root, "static/examples/index.json"), "utf8"));
};

/** The file of an example by a part of its id; the first one by default. */
export function exampleFile(part) {
    const rows = examples(),
        row = rows.find(({ id }) => id.includes(part)) ?? rows[0];
    return { ...row, path: join(root, "static/examples", row.file) };
}

const program = process.env.ORRERY ? resolve(process.env.ORRERY) : join(root, "build/orrery");

export const startServer = (...options) => startProgram(program, ...options);

/** Another program of the build, such as one with another release table. */
export const built = (name) => join(dirname(program), name);

export async function startProgram(started, ...options) {
    const child = spawn(
        started,
        [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--database",
            ":memory:",
            "--analysis-time",
            "0",
            "--static",
            join(root, "static"),
            ...options,
        ],
        { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
    );
    process.on("exit", () => child.kill("SIGKILL")); // a test that throws leaves no daemon behind
    let said = "";
    const url = await new Promise((done, fail) => {
        const timer = setTimeout(
            () => fail(new Error(`orrery did not say where it listens: ${said}`)),
            20000,
        );
        const hear = (bytes) => {
            said += bytes;
            const match = /listening on (http:\/\/[0-9.]+:\d+)/.exec(said);
            if (match) {
                clearTimeout(timer);
                done(match[1]);
            }
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
        child.on("error", fail);
        child.on("exit", (code) => fail(new Error(`orrery ended with ${code}: ${said}`)));
    });
    const stop = () =>
        new Promise((done) => {
            child.removeAllListeners("exit");
            child.on("exit", (code, signal) => done(code ?? signal));
            child.kill("SIGTERM");
        });
    return { url, stop };
}

/* Chromium without its windows: the same engine, at half the processor time of the whole program. CHROMIUM names
 * another one. */
export const startBrowser = () =>
    chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
        headless: true,
        args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
    });

/* Files of the page itself are not part of the interface. */
const isFile = (pathname) =>
    /^\/(docs|index\.html|design\.html|icon\.svg|favicon\.ico|(css|js|examples|docs)\/.*)?$/.test(
        pathname,
    );
const description = readDescription(program);

function holdCallsToDescription(page) {
    const watch = (request, say) => {
        const url = request.url();
        if (/^http:/.test(url) && !isFile(new URL(url).pathname)) {
            const complaint = say(url);
            if (complaint) page.complaints.push(complaint);
        }
    };
    page.on("request", (request) =>
        watch(request, (url) =>
            description.wrongCall(
                request.method(),
                url,
                request.postDataBuffer() ? request.headers()["content-type"] : undefined,
            ),
        ),
    );
    page.on("response", (response) =>
        watch(response.request(), (url) =>
            description.wrongStatus(response.request().method(), url, response.status()),
        ),
    );
}

/* ORRERY_SLOW=5 runs the tests as on a machine five times slower, whose answers arrive late and in any order: an
 * assertion that looks at the page at once, and not when it is ready, fails here first. */
const slowness = Number(process.env.ORRERY_SLOW ?? 1);
/** Milliseconds until a test calls a page stuck: far more than any answer needs. */
export const patience = 60000;
async function slowDown(page) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
    await page.route("**/*", async (route) => {
        await new Promise((done) => setTimeout(done, Math.random() * 60 * slowness));
        await route.continue().catch(() => {}); // the page was closed meanwhile
    });
}

/** A page that fails the test on any error of its own: exceptions, refused policies, missing files, calls that
 * openapi.yaml does not describe. */
export async function newPage(
    browser,
    { width = 1280, height = 800, theme = "light", reduced = false } = {},
) {
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: reduced ? "reduce" : "no-preference",
        hasTouch: width < 500,
    });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    if (slowness > 1) await slowDown(page);
    page.complaints = [];
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    page.on("console", (message) => {
        if (
            message.type() === "error" &&
            !/the server responded with a status of 4\d\d/.test(message.text())
        )
            page.complaints.push(message.text());
    });
    holdCallsToDescription(page);
    return page;
}

export async function openFile(page, url, path) {
    await page.goto(url);
    await page.locator("#file").setInputFiles(path);
    await ready(page);
}

/** Stores a file as the page does; gives its summary. */
export async function keep(url, path) {
    const name = basename(path).replace(/\.[a-z]+$/i, ""),
        response = await fetch(`${url}/v1/topologies?${new URLSearchParams({ name })}`, {
            method: "POST",
            body: readFileSync(path),
        });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
}

/* Chooses from a list. In one step of the page: an answer that arrives meanwhile makes the list anew, and the choice
 * from the old one is lost. */
export async function choose(page, selector, value) {
    await page
        .locator(`${selector} option[value="${value}"]`)
        .first()
        .waitFor({ state: "attached" });
    await page.evaluate(
        ([of, chosen]) => {
            const list = document.querySelector(of);
            list.value = chosen;
            list.dispatchEvent(new Event("input", { bubbles: true }));
            list.dispatchEvent(new Event("change", { bubbles: true }));
        },
        [selector, value],
    );
}

/** The analysis is there and the drawing shown. */
export async function ready(page) {
    try {
        await page.locator("#canvas svg, .problem").first().waitFor({ state: "attached" });
    } catch (cause) {
        throw new Error(`no drawing, but: ${await page.locator("main").innerText()}`, { cause });
    }
    await page.locator(".busy:not(.on)").waitFor({ state: "attached" });
    await page
        .locator(
            "#panel[hidden], #panel #why-answer, #panel dl.facts, #panel .note, #panel .settings, #not-here, " +
                "#panel .path-head, .problem",
        )
        .first()
        .waitFor({ state: "attached" });
    // the lists of releases, machines and examples arrive together, and the page is drawn again
    await page.locator("body[data-lists]").waitFor({ state: "attached" });
}

export function shotFolder() {
    mkdirSync(shots, { recursive: true });
    return shots;
}
