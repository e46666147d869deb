// SPDX-License-Identifier: Apache-2.0
/* Foreign pages in a real browser: one whose host name resolves to this machine, and one of another site that posts. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { dump } from "./dumps.mjs";
import { startServer } from "./support.mjs";

let server, browser, stranger;

before(async () => {
    server = await startServer();
    stranger = createServer((_, response) => response.end("<!doctype html><title>x</title>"));
    await new Promise((done) => stranger.listen(0, "127.0.0.1", done));
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
        args: ["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1"],
    });
});
after(async () => {
    await browser.close();
    stranger.close();
    assert.equal(await server.stop(), 0);
});

test("a name that somebody leads to this machine gets 421", async () => {
    const page = await browser.newPage();
    const answer = await page.goto(server.url.replace("127.0.0.1", "evil.example"));
    assert.equal(answer.status(), 421);
});

test("a post that another site sends without asking stores nothing", async () => {
    const page = await browser.newPage();
    const dumps = async () => (await fetch(`${server.url}/v1/topologies`)).text();
    const nothing = await dumps();
    const [sent] = await Promise.all([
        page.waitForResponse((answer) => answer.url().startsWith(server.url)),
        page
            .goto(`http://evil.example:${stranger.address().port}/`)
            .then(() =>
                page.evaluate(
                    ([url, body]) =>
                        fetch(url, { method: "POST", mode: "no-cors", body }).catch(() => 0),
                    [`${server.url}/v1/topologies`, dump],
                ),
            ),
    ]);
    assert.equal(sent.status(), 403);
    assert.equal(await dumps(), nothing);
});
