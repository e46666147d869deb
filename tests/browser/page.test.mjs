/* The page as people use it, in headless Chromium against the real daemon. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { dump, ids, malformed } from "./dumps.mjs";
import { examples, newPage, openFile, ready, realDump, startBrowser, startServer, temporaryFolder, without } from "./support.mjs";

let server, browser, page;
const folder = temporaryFolder();
const write = (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
};
const dumpFile = write("three-gpus.xml", dump), malformedFile = write("broken.xml", malformed);

before(async () => {
    server = await startServer();
    browser = await startBrowser();
});
after(async () => {
    await browser?.close();
    assert.equal(await server?.stop(), 0, "SIGTERM ends the daemon with 0");
});
beforeEach(async () => (page = await newPage(browser)));
afterEach(async () => {
    const { complaints } = page;
    await page.context().close();
    assert.deepEqual(complaints, [], "no error, no refused policy");
});

const another = async (options) => {
    await page.context().close();
    return (page = await newPage(browser, options));
};
const device = (id) => page.locator(`#canvas g.node[id="${id}"]`);
const cell = (from, to) => page.locator(`#matrix [data-key="${from}>${to}"]`);
const tab = (name) => page.getByRole("tab", { name, exact: true });
const fact = (name) => page.locator(`dl.facts dt:text-is("${name}") + dd`);
const lit = () => page.locator("#canvas .edge.lit").evaluateAll((edges) => edges.map((edge) => edge.id).sort());
const wideAsWindow = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
/* Asks until it is so; waitForFunction would need eval, which the page's policy forbids. */
const until = async (question, argument) => {
    for (let i = 0; i < 200; i++) {
        if (await page.evaluate(question, argument))
            return;
        await page.waitForTimeout(50);
    }
    assert.fail(`never true: ${question}`);
};
const settled = async () => {
    await until(() => !document.querySelector(".busy.on"));
};
const withDump = async (fragment = "") => {
    await openFile(page, server.url, dumpFile);
    if (fragment) {
        const url = `${page.url()}&${fragment}`;
        await page.goto("about:blank");
        await page.goto(url);
        await ready(page);
    }
};

test("the empty page teaches how to get a dump, and copies the command", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    await page.goto(server.url);
    await page.getByRole("button", { name: /^Copy: NCCL_TOPO_DUMP_FILE/ }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^NCCL_TOPO_DUMP_FILE=\/tmp\/topo\.xml /);
    assert.ok(await wideAsWindow());
});

test("every example opens with a drawing and figures", async () => {
    const rows = examples();
    assert.ok(rows.length > 0, "there are examples");
    for (const row of rows) {
        await page.goto("about:blank");
        await page.goto(server.url);
        await page.locator(`[data-example="${row.id}"]`).click();
        await ready(page);
        assert.ok(await page.locator("#canvas svg g.gpu").count() > 0, `${row.id} has GPUs in its drawing`);
        assert.match(await page.locator(".machine-name b").textContent(), new RegExp(row.title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
        assert.equal(await page.locator(".stage .problem").count(), 0);
    }
});

test("a chosen file is shown, with its own name", async () => {
    await withDump();
    assert.equal(await page.locator(".machine-name b").textContent(), "three-gpus");
    assert.equal(await fact("Ranks").textContent(), "3");
    for (const id of [ids.gpu0, ids.gpu1, ids.gpu2])
        assert.equal(await device(id).count(), 1);
});

test("pasted text is read", async () => {
    await page.goto(server.url);
    await page.locator("#paste").fill(dump);
    await page.getByRole("button", { name: "Read the pasted text" }).click();
    await ready(page);
    assert.equal(await device(ids.gpu2).count(), 1);
});

test("what is pasted stays while examples come late, and when it is refused", async () => {
    let letGo;
    const held = new Promise((done) => (letGo = done));
    await page.route("**/v1/examples", async (route) => (await held, route.continue()));
    await page.route("**/examples/index.json", async (route) => (await held, route.continue()));
    await page.goto(server.url);
    await page.locator("#paste").fill(malformed);
    letGo();
    await page.locator(".examples button").first().waitFor();
    assert.equal(await page.locator("#paste").inputValue(), malformed);
    await page.locator("#read").click();
    await page.locator(".problem").waitFor();
    assert.equal(await page.locator("#paste").inputValue(), malformed);
});

test("a dropped file is read, over an open machine too", async () => {
    await page.goto(server.url);
    const drop = (text) => page.evaluate((xml) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([xml], "dropped.xml", { type: "text/xml" }));
        for (const type of ["dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }, text);
    await drop(dump);
    await ready(page);
    await drop(dump.replace('rank="2"', 'rank="7"').replace("200000", "400000"));
    await until((before) => location.href !== before, page.url());
    await ready(page);
    assert.equal(await device(ids.gpu2).count(), 1);
});

test("malformed XML shows line and column, with the line of the input", async () => {
    await page.goto(server.url);
    await page.locator("#file").setInputFiles(malformedFile);
    const problem = page.locator(".problem");
    await problem.waitFor();
    assert.match(await problem.locator(".where").textContent(), /broken\.xml:4:\d+ \(line 4, column \d+\)/);
    assert.match(await problem.locator(".here").textContent(), /^4\s*<\/cpu>/);
    assert.equal(await problem.locator(".caret").count(), 1);
    await page.locator("#file").setInputFiles(dumpFile);
    await ready(page);
});

test("bytes that are no topology are refused with advice, and the page goes on", async () => {
    await page.goto(server.url);
    await page.locator("#file").setInputFiles(write("picture.png", "\x89PNG\r\n\x1a\nnothing"));
    await page.locator(".problem h2").waitFor();
    await page.locator("#paste").fill(dump);
    await page.locator("#read").click();
    await ready(page);
});

test("a cell of the matrix shows the path, its narrowest hop, the verdict and its rule, and lights the path", async () => {
    await withDump("view=matrix");
    assert.equal(await cell(ids.gpu0, ids.gpu1).textContent(), "NVL");
    assert.equal(await cell(ids.gpu0, ids.gpu2).textContent(), "SYS");
    await cell(ids.gpu0, ids.gpu2).click();
    const panel = page.locator("#panel");
    assert.match(await panel.locator("h2").first().textContent(), /GPU 0 → GPU 2/);
    assert.equal(await panel.locator(".hops tbody tr").count(), 5);
    assert.equal(await panel.locator(".hops tr.narrow").count(), 1);
    assert.match(await panel.locator(".hops tr.narrow").textContent(), /SYS.*narrowest/);
    assert.match(await panel.locator(".verdict").textContent(), /P2P.*no.*longer than the P2P level allows.*SYS against PXB.*NCCL_P2P_LEVEL/s);
    assert.equal((await lit()).length, 5);
    assert.equal(await page.locator("#canvas .edge.narrowest").count(), 1);
    assert.equal(await page.locator("#canvas .node.picked").count(), 2);
    await page.keyboard.press("Escape");
    assert.deepEqual(await lit(), []);
});

test("a selection moves within the matrix, which is not made anew, and one cell can be reached by Tab", async () => {
    await withDump("view=matrix&hosts=2");
    await page.locator("#matrix").evaluate((table) => table.setAttribute("data-seen", "1"));
    for (const to of [ids.gpu2, ids.net]) {
        await cell(ids.gpu0, to).click();
        assert.deepEqual(await page.locator('#matrix [aria-selected="true"] button').evaluateAll((all) => all.map((one) => one.dataset.key)), [`${ids.gpu0}>${to}`]);
        assert.deepEqual(await page.locator('#matrix button[tabindex="0"]').evaluateAll((all) => all.map((one) => one.dataset.key)), [`${ids.gpu0}>${to}`]);
        assert.equal(await page.locator("#matrix th.on").count(), 2);
    }
    assert.equal(await page.locator("#matrix[data-seen]").count(), 1);
    await page.keyboard.press("Escape");
    await until(() => !document.querySelector('#matrix [aria-selected="true"], #matrix th.on'));
    assert.equal(await page.locator('#matrix button[tabindex="0"]').count(), 1);
});

test("the matrix says type, bandwidth, hops or verdict in the same place", async () => {
    await withDump("view=matrix");
    const place = await cell(ids.gpu0, ids.gpu2).boundingBox();
    const says = async (name) => {
        await page.getByRole("button", { name, exact: true }).click();
        assert.deepEqual(await cell(ids.gpu0, ids.gpu2).boundingBox(), place, `${name} moves nothing`);
        return cell(ids.gpu0, ids.gpu2).textContent();
    };
    assert.match(await says("GB/s"), /^\d+(\.\d+)?$/);
    assert.equal(await says("Hops"), "5");
    assert.equal(await says("Verdict"), "–");
    assert.equal(await says("Type"), "SYS");
});

test("a change of hosts brings the NICs and tells what it changed", async () => {
    await withDump("view=matrix&release=2.27.7");
    assert.equal(await cell(ids.gpu0, ids.net).count(), 0);
    await page.locator("#two-hosts").click();
    await cell(ids.gpu0, ids.net).waitFor();
    assert.match(await fact("Ranks").textContent(), /6 on 2 hosts.*was 3/);
    await cell(ids.gpu0, ids.net).click();
    assert.equal(await page.locator("#panel .verdict").count(), 2);
    assert.match(page.url(), /hosts=2/);
});

test("a changed setting is a chip, changes the verdict, and goes away again", async () => {
    await withDump(`view=matrix&cell=verdict&panel=settings`);
    await page.locator("#filter").fill("p2p_level");
    await page.locator("#set-NCCL_P2P_LEVEL").fill("SYS");
    await page.locator("#set-NCCL_P2P_LEVEL").press("Enter");
    await page.locator(".chip").waitFor();
    await settled();
    await until((key) => document.querySelector(`#matrix [data-key="${key}"]`)?.textContent !== "–", `${ids.gpu0}>${ids.gpu2}`);
    assert.equal(await page.locator(".chip span").textContent(), "NCCL_P2P_LEVEL=SYS");
    assert.match(page.url(), /NCCL_P2P_LEVEL=SYS/);
    await page.getByRole("button", { name: "Remove NCCL_P2P_LEVEL" }).click();
    await until((key) => document.querySelector(`#matrix [data-key="${key}"]`)?.textContent === "–", `${ids.gpu0}>${ids.gpu2}`);
    assert.equal(await page.locator(".chip").count(), 0);
});

test("a refused setting says so and can be taken back", async () => {
    await withDump("NCCL_NO_SUCH_THING=1");
    assert.match(await page.locator(".problem").first().textContent(), /NCCL_NO_SUCH_THING/);
    await page.getByRole("button", { name: "Remove NCCL_NO_SUCH_THING" }).click();
    await page.locator("#canvas svg").waitFor();
    assert.equal(await page.locator(".problem").count(), 0);
});

test("another release can be asked", async () => {
    await withDump();
    const chosen = await page.locator("#release").inputValue();
    const others = (await page.locator("#release option").evaluateAll((all) => all.map((option) => option.value))).filter((name) => name !== chosen);
    assert.ok(others.includes("2.27.7"), others.join());
    await page.locator("#release").selectOption("2.27.7");
    await page.waitForURL(/release=2\.27\.7/);
    await settled();
    assert.equal(await page.locator("#release").inputValue(), "2.27.7");
});

test("the choice of releases is grouped by minor release and names tags that behave alike", async () => {
    await withDump();
    assert.equal(await page.locator(".unverified").count(), 0);
    const groups = await page.locator("#release optgroup").evaluateAll((all) => all.map((group) => [group.label, [...group.children].map((option) => option.textContent)]));
    const [, of_2_18] = groups.find(([label]) => label === "NCCL 2.18") ?? assert.fail(JSON.stringify(groups));
    assert.deepEqual(of_2_18, ["2.18.5 (also 2.18.6)", "2.18.3", "2.18.1 – PyTorch 2.1.0 and 2.1.2 (CUDA 12)"]);
});

test("a ring lies on the drawing, step by step", async () => {
    await withDump("view=channels&hosts=2");
    await page.locator("#canvas .overlay .step").first().waitFor();
    assert.equal(await page.locator("#canvas .overlay .step").count(), 4, "in by the NIC, twice between GPUs, out by the NIC");
    await page.keyboard.press(".");
    assert.equal(await page.locator("#canvas .overlay .step.now").count(), 1);
    assert.ok((await lit()).length > 0);
    await page.keyboard.press("]");
    await page.waitForURL(/channel=1/);
    assert.match(await page.locator("#channel-no").textContent(), /Ring, channel 1 of \d+/);
    await page.locator('[data-graph="tree"] button').click();
    assert.match(await page.locator("#channel-no").textContent(), /Tree, channel 0/);
    assert.ok(await page.locator("#canvas .overlay .step").count() >= 2);
});

test("a channel that another question does not have gives way to the last one", async () => {
    await withDump("view=channels&layout=alone&channel=63");
    await until(() => !/channel=63/.test(location.hash) && document.querySelector("#canvas svg"));
    await settled();
    const [, at, of] = /Ring, channel (\d+) of (\d+)/.exec(await page.locator("#channel-no").textContent());
    assert.equal(Number(at), Number(of) - 1);
    assert.equal(await page.locator(".stage .problem").count(), 0);
});

test("the tuning table has bandwidth and latency, and marks the highest", async () => {
    await withDump("view=tuning");
    assert.ok(await page.locator("#tuning .best").count() >= 1);
    await page.getByRole("button", { name: "Broadcast" }).click();
    await page.waitForURL(/collective=Broadcast/);
    assert.ok(await page.locator("#tuning tbody tr").count() >= 2);
});

test("a device is selected in the drawing, a second one with Shift makes a path", async () => {
    await withDump();
    await device(ids.gpu0).click();
    assert.match(await page.locator("#panel").textContent(), /1b:00\.0/);
    await device(ids.gpu2).click({ modifiers: ["Shift"] });
    assert.match(await page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
});

test("the address restores everything, back and forward work", async () => {
    await withDump(`hosts=2&NCCL_P2P_LEVEL=NVL&view=channels&panel=selection&from=${ids.gpu0}&to=${ids.gpu2}&graph=tree&cell=bw`);
    const there = page.url();
    assert.equal(await page.locator("#hosts").inputValue(), "2");
    assert.equal(await page.locator(".chip").count(), 1);
    assert.equal(await tab("Channels").getAttribute("aria-selected"), "true");
    assert.match(await page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
    assert.match(await page.locator("#channel-no").textContent(), /Tree/);
    assert.ok((await lit()).length > 0);
    await page.locator('[data-graph="ring"] button').click();
    await page.goBack();
    assert.equal(page.url(), there);
    assert.match(await page.locator("#channel-no").textContent(), /Tree/);
});

test("an address of a machine that is not there says so", async () => {
    await page.goto(`${server.url}/#id=0123456789abcdef0123456789abcdef`);
    await page.locator(".problem").waitFor();
    assert.equal(await page.locator("#choose").count(), 1);
});

test("wheel, drag, keys and buttons move the drawing; it fits again", async () => {
    await withDump();
    const look = () => page.locator("#canvas svg").getAttribute("viewBox");
    const whole = await look(), box = await page.locator("#canvas").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.wheel(0, -400);
    await until((before) => document.querySelector("#canvas svg").getAttribute("viewBox") !== before, whole);
    const near = await look();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 60, box.y + 50, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await look(), near);
    await page.locator("#canvas").focus();
    const dragged = await look();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await look(), dragged);
    await page.keyboard.press("0");
    assert.equal(await look(), whole);
    await page.getByRole("button", { name: "Zoom in" }).click();
    assert.notEqual(await look(), whole);
    await page.getByRole("button", { name: "Show all" }).click();
    assert.equal(await look(), whole);
});

test("colours follow the system and the toggle, nothing moves", async () => {
    await another({ theme: "dark" });
    await withDump("view=matrix");
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await colour(), place = await device(ids.gpu0).boundingBox();
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    await page.locator("#theme").click();
    assert.notEqual(await colour(), dark);
    await page.locator("#canvas svg .theme-light, #canvas svg[class*='theme-light'], #canvas g[class*='theme-light']").first().waitFor({ state: "attached" });
    assert.deepEqual(await device(ids.gpu0).boundingBox(), place);
    await page.reload();
    await ready(page);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "light", "the choice is kept");
    await page.locator("#theme").click();
    assert.equal(await colour(), dark);
});

test("everything can be reached by keyboard", async () => {
    await withDump();
    await page.keyboard.press("x");
    assert.equal(await tab("Matrix").getAttribute("aria-selected"), "true");
    await page.locator("#matrix [tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    assert.match(await page.locator("#panel h2").first().textContent(), /GPU 0 → GPU 2/);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.key), `${ids.gpu0}>${ids.gpu2}`, "the focus stays");
    await device(ids.gpu1).focus();
    await page.keyboard.press("Enter");
    assert.match(await page.locator("#panel h2").first().textContent(), /GPU 1/);
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog.help").isVisible());
    await page.keyboard.press("Escape");
    await tab("Matrix").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await tab("Channels").getAttribute("aria-selected"), "true");
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Channels/);
});

test("a phone shows all of it without scrolling sideways", async () => {
    await another({ width: 390, height: 844 });
    await page.goto(server.url);
    assert.ok(await wideAsWindow(), "start");
    await withDump("hosts=2&view=matrix");
    for (const view of ["machine", "matrix", "channels", "tuning"]) {
        await tab(view[0].toUpperCase() + view.slice(1)).click();
        assert.ok(await wideAsWindow(), view);
    }
    for (const panel of ["Summary", "Selection", "Settings"]) {
        await tab(panel).click();
        assert.ok(await wideAsWindow(), panel);
    }
});

test("axe finds nothing to complain about, on any view, light and dark", async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const check = async (name) => {
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"] }));
        assert.deepEqual(violations.map((row) => `${row.id}: ${row.nodes.map((node) => node.target).slice(0, 3)}`), [], name);
    };
    for (const theme of ["light", "dark"]) {
        await another({ theme });
        await page.goto(server.url);
        await page.locator(".start").waitFor();
        await check(`start, ${theme}`);
        await page.locator("#file").setInputFiles(malformedFile);
        await page.locator(".problem").waitFor();
        await check(`problem, ${theme}`);
        for (const scene of ["", `view=matrix&hosts=2&from=${ids.gpu0}&to=${ids.net}&panel=selection`, "view=matrix&cell=verdict", "view=channels&hosts=2",
            "view=tuning", "panel=settings&NCCL_P2P_LEVEL=NVL", `from=${ids.gpu0}&panel=selection`, "NCCL_FOO=1"]) {
            await withDump(scene);
            await check(`${scene}, ${theme}`);
        }
    }
});

test("what a picture could carry beside shapes is thrown away", async () => {
    const evil = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10" onload="document.title='run'">
        <script>document.title = "run"</script><style>* { fill: red }</style><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onclick="1"/></foreignObject>
        <g id="${ids.gpu0}" class="node gpu" onclick="1"><title>x</title><a xlink:href="javascript:1" href="https://example.org/" xlink:title="GPU 0"><path d="M0,0 h5 v5 z" style="fill:red" fill="url(https://example.org/x)"/></a></g>
        <image href="https://example.org/x.png"/><use href="https://example.org/x.svg#a"/></svg>`;
    await page.route("**/diagram.svg*", (route) => route.fulfill({ contentType: "image/svg+xml", body: evil }));
    await withDump();
    assert.equal(await device(ids.gpu0).getAttribute("aria-label"), "GPU 0");
    const left = await page.locator("#canvas").evaluate((canvas) => [...canvas.querySelectorAll("*")].flatMap((node) => [node.localName,
        ...[...node.attributes].filter(({ name, value }) => /^on|href|^style$/.test(name) || /url\(/.test(value)).map(({ name }) => `@${name}`)]));
    assert.deepEqual([...new Set(left)].filter((name) => !["svg", "g", "title", "path"].includes(name)), []);
    assert.notEqual(await page.title(), "run");
    page.complaints = page.complaints.filter((text) => !/Content Security Policy/.test(text)); // the policy is the second wall
});

test("a server that is gone is told, with what to do, and the page recovers", async () => {
    await withDump();
    await page.route("**/v1/**", (route) => route.abort("connectionrefused"));
    await page.locator("#hosts").fill("3");
    await page.locator("#hosts").press("Enter");
    await page.locator(".problem").first().waitFor();
    assert.match(await page.locator(".problem").first().textContent(), /cannot be reached.*orrery serve/);
    await page.unroute("**/v1/**");
    await page.locator("#hosts").fill("2");
    await page.locator("#hosts").press("Enter");
    await page.locator("#canvas svg").waitFor();
    assert.equal(await page.locator(".problem").count(), 0);
    page.complaints = page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
});

test("nothing runs from another place, and the policy forbids inline code", async () => {
    const hosts = new Set();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    await withDump();
    assert.deepEqual([...hosts].filter((origin) => origin !== "null"), [server.url]);
    assert.match(await page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content"), /^default-src 'self';/);
    assert.equal(await page.locator("script:not([src]), [onclick]").count(), 0);
    assert.doesNotMatch(await (await page.request.get(server.url)).text(), /<style|\bstyle=|\bon[a-z]+=/);
});

for (const [name, gpus] of [["machines/machine-workstation-4090x2.xml", 2], ["machines/machine-dgx1-v100.xml", 8], ["machines/machine-dgx-a100.xml", 8],
    ["machines/machine-hgx-h100.xml", 8], ["real/gb300-1tray-healthy.xml", 4]]) {
    const file = realDump(name);
    test(`real dump: ${name}`, { skip: without(name) }, async () => {
        await openFile(page, server.url, file);
        await page.keyboard.press("x");
        assert.equal(await page.locator("#matrix tbody tr").count(), gpus);
        assert.equal(await page.locator("#canvas g.node.gpu").count(), gpus);
        await page.locator("#matrix tbody tr").first().locator("button").nth(1).click();
        assert.ok((await lit()).length > 0, "the path is lit");
        await page.keyboard.press("c");
        assert.ok(await page.locator("#canvas .overlay .step").count() >= gpus - 1, "a ring is drawn");
    });
}

test("a topology without GPUs says what it lacks and how to get it", { skip: without("provider/aws-p4d-24xl-a100.xml") }, async () => {
    await page.goto(server.url);
    await page.locator("#file").setInputFiles(realDump("provider/aws-p4d-24xl-a100.xml"));
    await page.locator(".problem").first().waitFor();
    assert.match(await page.locator("main").textContent(), /NCCL_TOPO_DUMP_FILE/);
});
