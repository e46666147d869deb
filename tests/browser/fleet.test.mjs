// SPDX-License-Identifier: Apache-2.0
/* The hosts in groups: verdicts, filters, a host over time, a cluster of them; and the operator's six tasks. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile } from "./support.mjs";

const it = fixture();
const HEALTHY = readFileSync(exampleFile("h100-nvswitch").path, "utf8"),
    KINDS = {
        healthy: HEALTHY,
        narrow: HEALTHY.replaceAll('link_width="16"', 'link_width="8"'),
        faulty: readFileSync(exampleFile("h100-with-faults").path, "utf8"),
        slow: HEALTHY.replaceAll('speed="400000"', 'speed="200000"'),
    };
const HOSTS = 12,
    ODD = { 5: "narrow", 7: "slow", 11: "narrow" };

const post = async (host, kind, rack = `r${host % 2}`) => {
    const query = [`host=node${host}`, `rack=${rack}`]
        .map((text) => `label=${encodeURIComponent(text)}`)
        .join("&");
    const text = KINDS[kind].replace(/guid="0x/g, `guid="0x${host + 1}`);
    const answer = await it.page.request.post(`${it.server.url}/v1/topologies?${query}`, {
        data: text,
        headers: { "Content-Type": "application/octet-stream" },
    });
    assert.ok(answer.ok(), await answer.text());
    return (await answer.json()).id;
};
const rows = () =>
    it.page.locator("#groups tbody tr").evaluateAll((all) => all.map((row) => row.dataset.group));
const fleet = async (fragment = "") => {
    await it.page.goto("about:blank");
    await it.page.goto(`${it.server.url}/#place=fleet${fragment}`);
    await it.page.locator("#groups, #fleet-empty").first().waitFor();
};

test("without a host it says how to send one", async () => {
    await fleet();
    await soon.match(
        () => it.page.locator("#fleet-empty").textContent(),
        /orrery detect --post http/,
    );
});

test("hosts come in groups with verdicts and what differs", async () => {
    for (let host = 1; host <= HOSTS; host++) await post(host, "healthy");
    for (const [host, kind] of Object.entries(ODD)) await post(Number(host), kind);
    await it.page.goto(`${it.server.url}/#place=library`);
    await it.key("fleet").click();
    await soon.deepEqual(rows, ["node1", "node5", "node7"]);
    await soon.match(
        () => it.page.locator("#fleet-summary").textContent(),
        /9 of 12 hosts are like node1, and 3 differ in 2 ways/,
    );
    const text = (name) => it.page.locator(`[data-group=${name}]`).textContent();
    await soon.match(() => text("node1"), /9 like node1.*most are so/);
    await soon.match(() => text("node5"), /2 like node5.*node11.*slower.*instead of.*16 → 8/);
    await soon.match(() => text("node7"), /1 like node7.*slower.*400/);
});

test("marked text is still marked when an answer redraws the page", async () => {
    await fleet("&q=rack%3Dr0");
    // in one step of the page, which redraws the field whenever an answer arrives
    await it.page.evaluate(() => {
        const field = document.getElementById("fleet-search");
        field.focus();
        field.select();
    });
    await it.page.evaluate(() => void (location.hash += "&days=1"));
    await soon.equal(() => it.key("fleet-days").inputValue(), "1");
    await it.page.keyboard.type("volta");
    await soon.equal(() => it.page.locator("#fleet-search").inputValue(), "volta");
});

test("the address and the filters narrow them", async () => {
    await fleet("&q=rack%3Dr0");
    await soon.deepEqual(rows, ["node2"]);
    await it.page.locator("#fleet-search").fill("hopper rack=r1");
    await soon.deepEqual(rows, ["node1", "node5", "node7"]);
    await it.key("Verdict:slower").click();
    await soon.deepEqual(rows, ["node5", "node7"]);
    await soon.match(() => it.page.url(), /verdict=slower/);
    await it.key("fleet-days").selectOption("1");
    await soon.deepEqual(rows, ["node5", "node7"]);
    await it.key("Verdict:").click();
    await soon.deepEqual(rows, ["node5", "node7"], "no other host changed");
    await it.page.locator("#fleet-search").fill("volta");
    await it.page.locator("#fleet-empty").waitFor();
    await fleet();
    await soon.ok(async () => (await it.key("fleet-expect").locator("option").count()) > 1);
    await it.key("fleet-expect").selectOption("hgx-h100");
    await soon.match(() => it.page.locator("[data-group=node1]").textContent(), /as fast/);
});

test("a host says since when it is as it is", async () => {
    await fleet();
    await it.key("host:node7").click();
    await soon.match(
        () => it.page.locator("#host-history").textContent(),
        /How node7 changed.*Since \d{4}-\d\d-\d\d.*slower.*AllReduce.*instead of.*400/,
    );
    await post(7, "healthy");
    await fleet("&node=node7");
    await soon.equal(() => it.page.locator("#host-history li").count(), 2);
    await soon.match(
        () => it.page.locator("#host-history li").first().textContent(),
        /as fast.*200.*400/,
        "the latest first",
    );
    await it.key("host:node3").click();
    await soon.match(() => it.page.locator("#host-history").textContent(), /never differed/);
    await it.key("history-close").click();
    await soon.equal(() => it.page.locator("#host-history").count(), 0);
    await post(7, "slow");
});

test("six tasks of an operator, from the hosts to a link", async (t) => {
    const begun = Date.now();
    let clicks = 0,
        before = begun;
    const click = (key) => (clicks++, it.key(key).click());
    const done = (task) => {
        t.diagnostic(`${task}: ${clicks} clicks, ${((Date.now() - before) / 1000).toFixed(1)} s`);
        before = Date.now();
    };
    for (const host of [9, 10]) await post(host, "faulty");
    await fleet();
    await soon.deepEqual(rows, ["node1", "node5", "node9", "node7"]);
    await it.axe("hosts in groups");
    done("find the odd hosts");
    await click("fleet-cluster");
    await it.page.locator("#faults").waitFor();
    await soon.match(
        () => it.page.locator("#faults").textContent(),
        /node9.*node10/,
        "a fault names its hosts",
    );
    done("what they cost");
    const download = it.page.waitForEvent("download");
    await click("facts:slurm-drain");
    const drained = readFileSync(await (await download).path(), "utf8");
    assert.match(drained, /nodename=node(9,node10|\[9-10\])|node9\b/);
    assert.doesNotMatch(drained, /node1\b/);
    done("drain list");
    await click("tab:releases");
    await it.key("cluster-against").selectOption("2.21.5");
    clicks++;
    await it.page.locator("#diff-summary").waitFor();
    done("upgrade");
    await click("tab:scaling");
    await it.page.locator("#scaling-sentence").waitFor();
    done("scale");
    await soon.match(() => it.page.url(), /cluster=[0-9a-f]{32}/);
    const link = it.page.url();
    await it.page.goto("about:blank");
    await it.page.goto(link);
    await it.page.locator("#scaling-sentence").waitFor();
    done("link");
    assert.equal(clicks, 5);
});

test("chosen dumps are exported in one archive that the page takes again", async () => {
    await it.page.goto(`${it.server.url}/#place=library`);
    const ids = [await post(1, "healthy"), await post(7, "slow")];
    for (const id of ids) await it.key(`pick:${id}`).click();
    const download = it.page.waitForEvent("download");
    await it.key("export-chosen").click();
    const path = await (await download).path();
    const { execFileSync } = await import("node:child_process");
    const names = execFileSync("tar", ["tzf", path], { encoding: "utf8" }).trim().split("\n");
    assert.deepEqual(
        names.map((name) => name.slice(0, 12)).sort(),
        ids.map((id) => id.slice(0, 12)).sort(),
    );
    for (const name of names) {
        const text = execFileSync("tar", ["xzOf", path, name], { encoding: "utf8" });
        const kind = name.startsWith(ids[0].slice(0, 12)) ? "healthy" : "slow";
        assert.ok(text.includes(kind === "slow" ? 'speed="200000"' : 'speed="400000"'));
    }
});

test("of hosts that all differ, none is called like most", async () => {
    await post(21, "healthy", "pair");
    await post(22, "slow", "pair");
    await fleet("&q=rack%3Dpair");
    await soon.match(
        () => it.page.locator("#groups tbody").textContent(),
        /1 like node2[12].*none is like another/,
    );
    await it.key("fleet-cluster").click();
    await soon.match(
        () => it.page.locator("#tiles .legend").textContent(),
        /^(✗ 1 with a fault)? [12] unlike any other$/,
    );
});
