// SPDX-License-Identifier: Apache-2.0
/* Common to all views: moving the drawing, colours, keys, narrow screens, accessibility, safety, an unreachable
 * server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dump, ids, malformed } from "./dumps.mjs";
import { SECTIONS } from "../../static/js/state.js";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, ready } from "./support.mjs";

const it = fixture(),
    dumpFile = () => it.write("three-gpus.xml", dump),
    malformedFile = () => it.write("broken.xml", malformed);

test("wheel, drag, keys and buttons move the drawing; it fits again", async () => {
    await it.open(dumpFile());
    const look = () => it.page.locator("#canvas svg").getAttribute("viewBox");
    const whole = await look(),
        box = await it.page.locator("#canvas").boundingBox();
    await it.page.mouse.move(box.x + box.width / 2, box.y + 20);
    await it.page.mouse.wheel(0, -400);
    await it.until(
        (before) => document.querySelector("#canvas svg").getAttribute("viewBox") !== before,
        whole,
    );
    const near = await look();
    await it.page.mouse.down();
    await it.page.mouse.move(box.x + box.width / 2 - 60, box.y + 50, { steps: 4 });
    await it.page.mouse.up();
    await soon.notEqual(() => look(), near);
    await it.page.locator("#canvas").focus();
    const dragged = await look();
    await it.page.keyboard.press("ArrowRight");
    await soon.notEqual(() => look(), dragged);
    await it.page.keyboard.press("0");
    await soon.equal(() => look(), whole);
    await it.page.getByRole("button", { name: "Zoom in" }).click();
    await soon.notEqual(() => look(), whole);
    await it.page.getByRole("button", { name: "Show all" }).click();
    await soon.equal(() => look(), whole);
});

test("colours follow the system and the toggle, nothing moves", async () => {
    await it.another({ theme: "dark" });
    await it.open(dumpFile(), "view=matrix");
    const colour = () => it.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await colour(),
        place = await it.device(ids.gpu0).boundingBox();
    await soon.equal(() => it.page.locator("html").getAttribute("data-theme"), "dark");
    await it.menu("theme");
    await soon.notEqual(() => colour(), dark);
    await it.page
        .locator(
            "#canvas svg .theme-light, #canvas svg[class*='theme-light'], #canvas g[class*='theme-light']",
        )
        .first()
        .waitFor({ state: "attached" });
    await soon.deepEqual(() => it.device(ids.gpu0).boundingBox(), place);
    await it.page.reload();
    await ready(it.page);
    await soon.equal(
        () => it.page.locator("html").getAttribute("data-theme"),
        "light",
        "the choice is kept",
    );
    await it.menu("theme");
    await soon.equal(() => colour(), dark);
});

test("everything can be reached by keyboard", async () => {
    await it.open(dumpFile());
    await it.page.keyboard.press("x");
    await soon.equal(() => it.tab("Matrix").getAttribute("aria-selected"), "true");
    await it.page.locator("#matrix [tabindex='0']").focus();
    await it.page.keyboard.press("ArrowRight");
    await it.page.keyboard.press("ArrowRight");
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
    await soon.equal(
        () => it.page.evaluate(() => document.activeElement.dataset.key),
        `${ids.gpu0}>${ids.gpu2}`,
        "the focus stays",
    );
    await it.device(ids.gpu1).focus();
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.locator("#panel h2").first().textContent(), /GPU 1/);
    await it.page.keyboard.press("?");
    await soon.ok(() => it.page.locator("dialog.help").isVisible());
    await it.page.keyboard.press("Escape");
    await it.tab("Matrix").focus();
    await it.page.keyboard.press("ArrowLeft");
    await soon.equal(() => it.tab("Drawing").getAttribute("aria-selected"), "true");
    await soon.match(() => it.page.evaluate(() => document.activeElement.textContent), /Drawing/);
});

test("a phone shows all of it without scrolling sideways", async () => {
    await it.another({ width: 390, height: 844 });
    await it.page.goto(it.server.url);
    await soon.ok(() => it.wideAsWindow(), "start");
    await it.open(dumpFile(), "hosts=2&view=matrix");
    for (const [, , views] of SECTIONS)
        for (const [, view] of views) {
            await it.view(view);
            await soon.ok(() => it.wideAsWindow(), view);
        }
    for (const panel of ["Selection", "Why", "Question"]) {
        await it.tab(panel).click();
        await soon.ok(() => it.wideAsWindow(), panel);
    }
});

/* Tables that are cut off beside no bar of their own, and texts in columns that are too narrow for a word. */
const cramped = () => [
    ...[...document.querySelectorAll("#drawer, #panel, #verdict-body")]
        .filter((body) => body.scrollWidth > body.clientWidth + 1)
        .map((body) => `${body.id}: ${body.scrollWidth} in ${body.clientWidth}`),
    ...[...document.querySelectorAll("#drawer :is(td, dd), #panel :is(td, dd)")]
        .filter((one) => one.offsetParent && one.textContent.length > 3 && one.clientWidth < 24)
        .map((one) => `${one.textContent} in ${one.clientWidth}`),
];

test("no view and no panel of a wide window is cramped or cut off", async () => {
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    for (const width of [1440, 1280, 1024]) {
        await it.page.setViewportSize({ width, height: 900 });
        for (const [, , views] of SECTIONS)
            for (const [, view] of views) {
                await it.view(view);
                await it.settled();
                await soon.deepEqual(() => it.page.evaluate(cramped), [], `${view} at ${width}`);
            }
        await it.ask();
        for (const panel of ["Why", "Question"]) {
            await it.tab(panel).click();
            await soon.deepEqual(() => it.page.evaluate(cramped), [], `${panel} at ${width}`);
            await soon.ok(
                async () => (await it.page.locator("#panel").boundingBox())?.width > 300,
                `${panel} at ${width}`,
            );
        }
    }
});

test("at 200 % zoom no view is cramped, cut off, or wider than its window", async () => {
    await it.another({ width: 640, height: 400 }); // 1280 x 800
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    for (const [, , views] of SECTIONS)
        for (const [, view] of views) {
            await it.view(view);
            await it.settled();
            await soon.deepEqual(() => it.page.evaluate(cramped), [], view);
            await soon.ok(() => it.wideAsWindow(), view);
        }
});

test("single letters can be switched off, and the palette finds views, settings and devices", async () => {
    await it.open(dumpFile());
    await it.menu("shortcuts");
    await it.page.keyboard.press("x");
    await soon.equal(() => it.page.locator("#matrix").count(), 0);
    for (const [text, selector] of [
        ["matrix", "#matrix"],
        ["NCCL_P2P_LEVEL", "#set-NCCL_P2P_LEVEL:focus"],
        ["GPU 1", "#canvas .node.picked"],
    ]) {
        await it.page.keyboard.press("Control+k");
        await it.page.locator("#search").fill(text);
        await it.page.keyboard.press("Enter");
        await it.page.locator(selector).first().waitFor();
    }
    await it.menu("shortcuts");
    await it.page.keyboard.press("o");
    await it.page.locator("#verdict h2").waitFor();
});

test("a button that copied says so, though the view is made anew meanwhile", async () => {
    await it.page.addInitScript(() => {
        const wait = setTimeout;
        globalThis.setTimeout = (act, ms, ...more) =>
            ms === 1600 ? (globalThis.afterCopying = act) && 0 : wait(act, ms, ...more);
    });
    await it.open(dumpFile(), "view=logged");
    const copy = it.page.locator("#drawer .copy");
    await copy.click();
    await soon.match(() => copy.textContent(), /^(Copied|Select it)$/);
    const said = await copy.textContent(),
        before = await copy.elementHandle();
    await it.page.keyboard.press("w");
    await soon.ok(() => before.evaluate((button) => !button.isConnected), "made anew");
    await soon.equal(() => copy.textContent(), said);
    await it.page.evaluate(() => globalThis.afterCopying());
    await soon.equal(() => copy.textContent(), "Copy the lines");
});

test("old addresses lead to the places of now", async () => {
    await it.open(dumpFile(), "panel=summary");
    await soon.ok(() => it.page.locator("#verdict h2").isVisible());
    await soon.equal(() => it.key("go:verdict").getAttribute("aria-current"), "page");
    await it.open(dumpFile(), "view=hosts&panel=settings");
    await soon.ok(() => it.page.locator("#release").isVisible());
    await soon.equal(() => it.key("go:communication").getAttribute("aria-current"), "page");
});

test("axe finds nothing to complain about, on any view, light and dark", async () => {
    await it.page.goto(it.server.url);
    await it.page.locator(".start").waitFor();
    await it.axeInBoth("start");
    await it.page.locator("#file").setInputFiles(malformedFile());
    await it.page.locator(".problem").waitFor();
    await it.axeInBoth("problem");
    for (const scene of [
        "",
        `view=matrix&hosts=2&from=${ids.gpu0}&to=${ids.net}&panel=selection`,
        "view=matrix&cell=verdict",
        "view=channels&hosts=2",
        "view=tuning",
        "panel=settings&NCCL_P2P_LEVEL=NVL",
        `from=${ids.gpu0}&panel=selection`,
        "NCCL_FOO=1",
    ]) {
        await it.open(dumpFile(), scene);
        await it.axeInBoth(scene);
    }
    await it.open(exampleFile("h100-with-faults").path, "hosts=2");
    for (const [, , views] of SECTIONS)
        for (const [, view] of views) {
            await it.view(view);
            await it.settled();
            await it.axeInBoth(view);
        }
});

test("what a picture could carry beside shapes is thrown away", async () => {
    const evil =
        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 ` +
        `0 10 10" onload="document.title='run'">
        <script>document.title = "run"</script><style>* { fill: red }</style><foreignObject><body ` +
        `xmlns="http://www.w3.org/1999/xhtml" onclick="1"/></foreignObject>
        <g id="${ids.gpu0}" class="node gpu" onclick="1"><title>x</title><a xlink:href="javascript:1" ` +
        `href="https://example.org/" xlink:title="GPU 0"><path d="M0,0 h5 v5 z" style="fill:red" ` +
        `fill="url(https://example.org/x)"/></a></g>
        <image href="https://example.org/x.png"/><use href="https://example.org/x.svg#a"/></svg>`;
    await it.page.route("**/diagram.svg*", (route) =>
        route.fulfill({ contentType: "image/svg+xml", body: evil }),
    );
    await it.open(dumpFile());
    await soon.equal(() => it.device(ids.gpu0).getAttribute("aria-label"), "GPU 0");
    const left = await it.page
        .locator("#canvas")
        .evaluate((canvas) =>
            [...canvas.querySelectorAll("*")].flatMap((node) => [
                node.localName,
                ...[...node.attributes]
                    .filter(
                        ({ name, value }) => /^on|href|^style$/.test(name) || /url\(/.test(value),
                    )
                    .map(({ name }) => `@${name}`),
            ]),
        );
    assert.deepEqual(
        [...new Set(left)].filter((name) => !["svg", "g", "title", "path"].includes(name)),
        [],
    );
    await soon.notEqual(() => it.page.title(), "run");
    // the policy is the second wall
    it.page.complaints = it.page.complaints.filter((text) => !/Content Security Policy/.test(text));
});

test("a server that is gone is told, with what to do, and the page recovers", async () => {
    await it.open(dumpFile());
    await it.page.route("**/v1/**", (route) => route.abort("connectionrefused"));
    await it.hosts(3);
    await it.page.locator(".problem").first().waitFor();
    await soon.match(
        () => it.page.locator(".problem").first().textContent(),
        /cannot be reached.*orrery serve/,
    );
    await it.page.unroute("**/v1/**");
    await it.hosts(2);
    await it.page.locator("#canvas svg").waitFor();
    await soon.equal(() => it.page.locator(".problem").count(), 0);
    it.page.complaints = it.page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
});

test("nothing runs from another place, and the policy forbids inline code", async () => {
    const hosts = new Set();
    it.page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    await it.open(dumpFile());
    assert.deepEqual(
        [...hosts].filter((origin) => origin !== "null"),
        [it.server.url],
    );
    await soon.match(
        () => it.page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content"),
        /^default-src 'self';/,
    );
    await soon.equal(() => it.page.locator("script:not([src]), [onclick]").count(), 0);
    assert.doesNotMatch(
        await (await it.page.request.get(it.server.url)).text(),
        /<style|\bstyle=|\bon[a-z]+=/,
    );
});
