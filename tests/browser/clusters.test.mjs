// SPDX-License-Identifier: Apache-2.0
/* Clusters: the list, a description that is kept, one cluster from above with its groups, by mouse, keyboard
 * and address. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarOf } from "../support/archives.mjs";
import { fixture, soon } from "./fixture.mjs";
import { exampleFile, root } from "./support.mjs";

const it = fixture();
const good = readFileSync(exampleFile("h100-nvswitch").path),
    bad = readFileSync(exampleFile("h100-with-faults").path);
const post = async (path, data, type = "application/octet-stream") =>
    (
        await it.page.request.post(`${it.server.url}${path}`, {
            data,
            headers: { "Content-Type": type },
        })
    ).json();
const machine = async (dump) => (await post("/v1/topologies", dump)).id;
const make = async () =>
    post(
        "/v1/clusters",
        JSON.stringify({
            name: "row 7",
            hosts: [{ topology: await machine(good), count: 7 }, { topology: await machine(bad) }],
        }),
        "application/json",
    );
const rack = async (...fabrics) =>
    (
        await post(
            "/v1/clusters",
            JSON.stringify({
                hosts: await Promise.all(
                    fabrics.map(async (fabric) => ({
                        topology: await machine(good),
                        count: 2,
                        ...(fabric && { domain: "rack", fabric }),
                    })),
                ),
            }),
            "application/json",
        )
    ).id;
const lit = () =>
    it.page.locator("#tiles [data-lit]").evaluateAll((all) => all.map((one) => one.dataset.key));
const uuid = "8f4c0000-0000-0000-0000-000000000001";
const go = async (fragment) => {
    await it.page.goto("about:blank");
    await it.page.goto(`${it.server.url}/#place=clusters${fragment}`);
    await it.page.locator("#cluster-text, #cluster-sentence, .problem").first().waitFor();
    await it.until(() => document.querySelector('.clusters[aria-busy="false"]'));
};

test("none is kept; one is described, kept, looked at, deleted", async () => {
    await it.page.goto(it.server.url);
    await it.menu("clusters");
    await it.page.locator("#clusters-empty").waitFor();
    const id = await machine(good);
    await it.page.locator("#cluster-text").fill(`{"hosts": [{"topology": "${id}", "count": 0}]}`);
    await it.key("keep-cluster").click();
    await it.page.locator(".problem").waitFor();
    await soon.match(() => it.page.locator(".problem").textContent(), /Count must be/);
    await it.page
        .locator("#cluster-text")
        .fill(`{"name": "pair", "hosts": [{"topology": "${id}", "count": 2}]}`);
    await it.key("keep-cluster").click();
    await it.page.locator("#cluster-sentence").waitFor();
    await soon.match(
        () => it.page.locator("#cluster-sentence").textContent(),
        /2 hosts of 1 kind; 16 ranks host by host on 2 nodes/,
    );
    await it.tab("Kinds of hosts").click();
    await soon.equal(() => it.page.locator("#aligned").count(), 1);
    await it.key("all-clusters").click();
    await it.page.locator("#clusters").waitFor();
    await soon.match(() => it.page.locator("#clusters tbody tr").textContent(), /pair/);
    await it.page.getByRole("button", { name: "Delete pair" }).click();
    await it.page.locator("#clusters-empty").waitFor();
});

test(
    "hosts with findings carry a mark on the ring and the tree; the mark leads to the finding, the finding " +
        "lights the host",
    async () => {
        const { id } = await make();
        for (const graph of ["ring", "tree"]) {
            await go(`&cluster=${id}&tab=rings&graph=${graph}`);
            const mark = it.page.locator("#canvas .badge-at");
            await mark.first().waitFor();
            await soon.equal(() => mark.count(), 1, "one host differs");
            const station = await mark.getAttribute("data-badge");
            await mark.press("Enter");
            await soon.equal(
                () =>
                    it.page.evaluate(
                        () => document.activeElement.closest("[data-finding]")?.dataset.finding,
                    ),
                "cluster-odd-host",
            );
            await soon.deepEqual(() => lit(), ["host:7"]);
            await it.tab("Rings").click();
            await soon.deepEqual(
                () =>
                    it.page
                        .locator("#canvas .picked")
                        .evaluateAll((all) => all.map((one) => one.id)),
                [station],
            );
            await it.tab("Faults").click();
            await it.key("light:cluster-odd-host").click();
            await soon.deepEqual(() => lit(), []);
        }
    },
);

test(
    "hosts alike with a fault carry its mark, those of another kind the mark of theirs, which name " +
        "their hosts " +
        "and light them",
    async () => {
        const [whole, faulty] = [await machine(good), await machine(bad)];
        const make = async (...hosts) =>
            (await post("/v1/clusters", JSON.stringify({ hosts }), "application/json")).id;
        for (const graph of ["ring", "tree"]) {
            await go(
                `&cluster=${await make({ topology: faulty, count: 9 })}&tab=rings&graph=${graph}`,
            );
            await it.page.locator("#canvas .badge-at").first().waitFor();
            await soon.equal(
                () => it.page.locator("#canvas .badge-at").count(),
                () => it.page.locator("#canvas g.station").count(),
                "all hosts are of one kind, and have the fault",
            );
        }
        await go(
            `&cluster=${await make({ topology: whole, count: 4 }, { topology: faulty, count: 4 })}`,
        );
        const finding = it.page.locator('[data-finding="slow-link:1"]');
        await finding.waitFor();
        await soon.match(
            () => finding.textContent(),
            /A (GPU|NIC)'s PCIe link .* than those of equal (GPUs|NICs) on hosts 4–7: /,
        );
        await finding.getByRole("button").click();
        await soon.deepEqual(() => lit(), ["host:4", "host:5", "host:6", "host:7"]);
        await it.tab("Rings").click();
        await it.until(() => document.querySelectorAll("#canvas .picked").length > 0);
        const picked = await it.page
            .locator("#canvas .picked")
            .evaluateAll((all) => all.map((one) => one.id));
        assert.ok(
            picked.every((id) => Number(id.split(":")[1]) >= 2),
            `the faulty hosts, not the first ones: ${picked}`,
        );
    },
);

test("a cluster says first what its hosts get and why; every fault has its gain and lights its hosts", async () => {
    const { id } = await make();
    await go(`&cluster=${id}`);
    const line = it.page.locator("#cluster-verdict h2");
    await line.filter({ hasText: "because of" }).waitFor();
    await soon.match(
        () => line.textContent(),
        /^✗8 hosts: AllReduce \d+ of \d+ GB\/s, because of 1 host$/,
    );
    const gains = it.page.locator(".cost-bar button");
    await soon.equal(() => gains.count(), 2, "two faults cost something");
    await gains.first().click();
    await soon.deepEqual(() => lit(), ["host:7"]);
    await soon.equal(() => it.page.locator("#faults tbody tr").count(), 2);
    await soon.match(
        () => it.page.locator("#faults tbody tr").first().textContent(),
        /\+\d+.*\+\d+/,
    );
    await soon.deepEqual(
        () => it.page.locator("#faults tbody td:nth-child(4)").allInnerTexts(),
        async () => (await gains.locator("b").allInnerTexts()).map((gain) => gain.trim()),
        "the table and the bar say the same figures",
    );
    await it.key("light:fault:0").click();
    await soon.deepEqual(() => lit(), [], "chosen again it is dark again");
    await soon.equal(
        () => it.key("facts:slurm-drain").count(),
        0,
        "Slurm knows hosts by their names",
    );
    const [report] = await Promise.all([
        it.page.waitForEvent("download"),
        it.key("facts:report").click(),
    ]);
    assert.match(readFileSync(await report.path(), "utf8"), /8 hosts: AllReduce \d+ of \d+ GB\/s/);
    const named = await post(
        "/v1/clusters",
        JSON.stringify({
            hosts: [
                { topology: await machine(good), count: 2, names: ["a", "b"] },
                { topology: await machine(bad), names: ["c"] },
            ],
        }),
        "application/json",
    );
    await go(`&cluster=${named.id}`);
    const [download] = await Promise.all([
        it.page.waitForEvent("download"),
        it.key("facts:slurm-drain").click(),
    ]);
    assert.match(readFileSync(await download.path(), "utf8"), /^scontrol update nodename=/m);
    // a cluster without faults: no bar, and no list to hand out
    const whole = await post(
        "/v1/clusters",
        JSON.stringify({ hosts: [{ topology: await machine(good), count: 4 }] }),
        "application/json",
    );
    await go(`&cluster=${whole.id}`);
    await line.filter({ hasText: "✓4 hosts: AllReduce" }).waitFor();
    await soon.equal(() => it.page.locator(".cost-bar, #faults, .take").count(), 0);
});

test("hosts that are slow alike are marked, and the first of them is shown", async () => {
    const half = String(good).replaceAll('speed="400000"', 'speed="200000"');
    const { id } = await post(
        "/v1/clusters",
        JSON.stringify({
            hosts: [
                { topology: await machine(good), count: 2 },
                { topology: await machine(half), count: 2 },
            ],
        }),
        "application/json",
    );
    await go(`&cluster=${id}`);
    await soon.deepEqual(
        () => it.page.locator("#tiles button.cell").allTextContents(),
        ["0", "1", "✗2", "✗3"],
    );
    await soon.match(
        () => it.page.locator("#chosen-host").textContent(),
        /^Host 2 .*slower than others with the same GPUs/,
    );
    await it.page.locator("#chosen-host svg g.node.gpu").first().waitFor();
    await soon.doesNotMatch(
        () => it.page.locator("#cluster-findings").textContent(),
        /No host differs/,
    );
});

test("a cell a host: coloured by its verdict, by rack, by keyboard; the chosen one shows its machine", async () => {
    const names = (...of) => of.map((n) => `node${n}`);
    const { id } = await post(
        "/v1/clusters",
        JSON.stringify({
            hosts: [
                {
                    topology: await machine(good),
                    count: 3,
                    names: names(10, 2, 1),
                    switch: "leaf2",
                },
                { topology: await machine(bad), names: names(3), switch: "leaf10" },
            ],
        }),
        "application/json",
    );
    await go(`&cluster=${id}`);
    await it.page.locator("#tiles .cell-fault").first().waitFor();
    await soon.deepEqual(
        () => it.page.locator("#tiles h3").allTextContents(),
        ["Leaf switch leaf2", "Leaf switch leaf10"],
    );
    await soon.deepEqual(
        () => it.page.locator("#tiles button.cell").allTextContents(),
        ["node1", "node2", "node10", "✗node3"],
    );
    await soon.deepEqual(
        () => it.page.locator("#tiles .legend li").allTextContents(),
        ["✗ 1 with a fault", " 3 like most"],
    );
    const chosen = it.page.locator("#chosen-host");
    await soon.match(() => chosen.textContent(), /^node3 /, "which differs, until one is chosen");
    await it.page.locator("#tiles button.cell").first().focus();
    await it.page.keyboard.press("Enter");
    await soon.match(() => chosen.textContent(), /^node1 /);
    await it.page.keyboard.press("End");
    await it.page.keyboard.press("Enter");
    await soon.match(() => it.page.url(), /from=host:3/);
    await soon.match(
        () => chosen.textContent(),
        /^node3 .*Kind B: .*mlx5_5: GPUDirect RDMA is off/,
    );
    await it.page.locator("#canvas-host .badge-at").first().waitFor();
    await it.axe("a chosen host");
    await it.key("open-host").click();
    await it.page.locator("#glance").waitFor();
    await soon.match(() => it.page.url(), /hosts=4/);
});

test("each tab has its own address; addresses from before there were tabs lead to them", async () => {
    const { id } = await make();
    const shown = () => it.page.locator("#cluster-tab").getAttribute("data-tab");
    for (const [fragment, tab] of [
        ["", "faults"],
        ["&graph=tree&channel=2", "rings"],
        ["&groups=tp%3D8", "groups"],
        ["&rank=3", "transfers"],
        ["&groups=tp%3D8&tab=faults", "faults"],
        ["&tab=nonsense", "faults"],
    ]) {
        await go(`&cluster=${id}${fragment}`);
        await soon.equal(() => shown(), tab, fragment);
    }
    await it.tab("Order").click();
    await soon.match(() => it.page.url(), /tab=order/);
    await it.page.locator("#order-sentence").waitFor();
    await soon.match(() => it.page.locator("#order-sentence").textContent(), /GB\/s/);
});

test("what 1, 2, 4 and all hosts get, alone and with another release", async () => {
    const { id } = await make();
    await go(`&cluster=${id}&tab=scaling`);
    const row = it.page.locator("#outcomes tbody tr").first();
    await row.waitFor();
    await soon.deepEqual(
        async () => (await it.page.locator("#outcomes th").allTextContents()).slice(2),
        ["1 host", "2 hosts", "4 hosts", "8 hosts"],
    );
    await soon.match(() => row.textContent(), /^AllReduce1 GiB\d+\d+\d+\d+$/);
    await soon.match(
        () => it.page.locator("#scaling-sentence").textContent(),
        /AllReduce at 1 GiB gets .* on 1, 2, 4 and 8 hosts/,
    );
    await it.choose("#cluster-against", "2.21.5");
    await row.filter({ hasText: "→" }).waitFor();
    await soon.match(() => it.page.url(), /against=2\.21\.5/);
    await it.axe("scaling of a cluster");
});

test("another release for all hosts: what they get first, then the rules", async () => {
    const { id } = await make();
    await go(`&cluster=${id}&tab=releases`);
    await it.choose("#cluster-against", "2.21.5");
    await it.page.locator("#outcomes").waitFor();
    await soon.match(() => it.page.url(), /against=2\.21\.5/);
    await soon.match(
        () => it.page.locator("#diff-summary").textContent(),
        /on 8 hosts changes most/,
    );
    await soon.match(
        () => it.page.locator("#outcomes tbody tr").first().textContent(),
        /^AllReduce1 GiB\d+ → \d+ \(−\d+ %\)$/,
    );
    await soon.ok(async () => (await it.page.locator("#cluster-reasons tbody tr").count()) > 2);
    await it.choose("#cluster-release", "2.21.5");
    await it.until(() => /release=2\.21\.5/.test(location.hash));
    await it.page.locator("#diff-summary", { hasText: /Nothing changes|No/ }).waitFor();
});

test("a cluster shows who differs and who sets what", async () => {
    const { id } = await make();
    await go(`&cluster=${id}`);
    await soon.equal(() => it.page.locator("#tiles button.cell").count(), 8);
    await it.page.locator('#tiles [data-key="host:7"].cell-fault').waitFor();
    const odd = await it.page.locator('[data-finding="cluster-odd-host"]').textContent();
    assert.match(odd, /^warning Some hosts differ from the majority: host 7 has /);
    assert.match(odd, /The job gets [\d.]+ GB\/s with them and [\d.]+ GB\/s without them/);
    await it.tab("Kinds of hosts").click();
    await soon.match(() => it.page.locator("#kinds tbody tr").nth(1).textContent(), /slowest/);
    await soon.ok(async () => (await it.page.locator("#alignment tbody tr").count()) > 0);
    await it.tab("Rails").click();
    await soon.match(() => it.page.locator("#rails").textContent(), /hops of the rings/);
    await soon.equal(() => it.page.locator("#nics, #busy-links").count(), 0, "made on demand");
    await it.unfold("#cluster-tab");
    await soon.ok(
        async () =>
            (await it.page.locator("#nics tbody tr").count()) > 0 &&
            (await it.page.locator("#busy-links tbody tr").count()) > 0,
    );
});

test(
    "an archive with 63 dumps and one more are dropped; one click later the host that differs is named, with " +
        "what differs and what the job gets without it",
    async () => {
        const dumps = Array.from({ length: 63 }, (_, i) => [
            `row7/host${i}.xml`,
            i === 40 ? bad.toString() : good.toString(),
        ]);
        await it.page.goto(it.server.url);
        await it.key("go:clusters").waitFor();
        await it.page.evaluate(
            async ([archive, last]) => {
                const dataTransfer = new DataTransfer(),
                    bytes = Uint8Array.from(atob(archive), (letter) => letter.charCodeAt(0));
                dataTransfer.items.add(new File([bytes], "row7.tar.gz"));
                dataTransfer.items.add(new File([last], "host63.xml"));
                dataTransfer.items.add(new File(["see the wiki"], "notes.txt"));
                for (const type of ["dragover", "drop"])
                    document.body.dispatchEvent(
                        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
                    );
            },
            [gzipSync(tarOf(dumps)).toString("base64"), good.toString()],
        );
        await it.page.locator("#refused").waitFor();
        await soon.match(
            () => it.page.locator("#refused").textContent(),
            /1 file was not kept.*notes\.txt.*for example NCCL_TOPO_DUMP_FILE/,
        );
        let clicks = 0;
        const click = async (locator) => {
            clicks++;
            await locator.click();
        };
        await click(it.page.getByRole("button", { name: "Make a cluster of 64 hosts" }));
        const finding = it.page.locator('[data-finding="cluster-odd-host"]');
        await finding.waitFor();
        const told = await finding.textContent();
        assert.match(
            told,
            /host40 has mlx5_3 at 32 GT\/s x8, most at 32 GT\/s x16; host40 has mlx5_5 with gdr="0"/,
        );
        assert.match(told, /Host 40 \(host40\) differs\. /);
        assert.match(
            told,
            /The job gets \d+(\.\d+)? GB\/s with them and \d+(\.\d+)? GB\/s without them/,
        );
        await soon.doesNotMatch(
            () => it.page.locator("#cluster-findings").textContent(),
            /leave such/i,
        );
        await it.page.locator("#tiles .cell-fault").first().waitFor();
        await soon.deepEqual(
            () => it.page.locator("#tiles button:is(.cell-fault, .cell-odd)").allTextContents(),
            ["✗host40"],
        );
        assert.ok(clicks <= 4);
        await it.menu("library");
        await it.page.locator("#together").waitFor();
        await it.axe("library with choices");
        await it.page.locator('#library input[data-key^="hosts:"]').first().fill("3");
        await it.page.locator('#library input[data-key^="hosts:"]').first().press("Enter");
        await it.page.getByRole("button", { name: /Make a cluster of (4|66) hosts/ }).waitFor();
        // the click that leaves the field is the click on the button
        await it.page.locator('#library input[data-key^="hosts:"]').first().fill("2");
        await it.page.getByRole("button", { name: /Make a cluster of/ }).click();
        await it.page.locator("#tiles button.cell").first().waitFor();
    },
);

test("hosts of a machine type", async () => {
    const { id } = await post(
        "/v1/clusters",
        JSON.stringify({
            hosts: [{ machine: "hgx-h100", count: 3 }, { topology: await machine(bad) }],
        }),
        "application/json",
    );
    await go(`&cluster=${id}`);
    await soon.equal(() => it.page.locator("#tiles button.cell").count(), 4);
    await it.page.locator("#tiles button.cell").first().click();
    await it.page.locator("#chosen-host .host-picture svg g.node.gpu").first().waitFor();
    await it.until(() => document.querySelectorAll("#chosen-host g.node.gpu").length === 8);
    await it.key("open-host").click();
    await it.page.locator("#glance").waitFor();
    await soon.match(() => it.page.url(), /machine=hgx-h100.*hosts=4|hosts=4.*machine=hgx-h100/);
});

const kept = (description) => post("/v1/clusters", JSON.stringify(description), "application/json");
const standing = (wanted) =>
    it.until(
        (state) => document.getElementById("cluster-verdict")?.dataset.state === state,
        wanted,
    );

test("a tick stands for figures that nothing would raise and that rest on nothing assumed", async () => {
    const matrix = await machine(readFileSync(join(root, "tests/golden/show/topo-m.input"))),
        faulty = await machine(bad);
    await go(`&cluster=${(await kept({ hosts: [{ topology: faulty }] })).id}`);
    await standing("free");
    assert.match(
        await it.page.locator("#cluster-verdict").textContent(),
        /^!1 host: AllReduce .*2 faults cost no bandwidth of this job/,
    );
    await go(`&cluster=${(await kept({ hosts: [{ topology: matrix, count: 2 }] })).id}`);
    await standing("assumed");
    assert.match(
        await it.page.locator("#cluster-verdict").textContent(),
        /^\?2 hosts: .*rest on assumed values/,
    );
    await go(`&cluster=${(await kept({ hosts: [{ machine: "hgx-h100", count: 2 }] })).id}`);
    await standing("good");
});

test("NVLink domains are made on the page: the same hosts as another cluster", async () => {
    const tray = await machine(readFileSync(exampleFile("gb300-tray").path)),
        { id } = await kept({ name: "rack", hosts: [{ topology: tray, count: 4 }] });
    await go(`&cluster=${id}&tab=kinds`);
    await it.choose("#domain-size", "2");
    const list = await it.page.locator("#domain-size").elementHandle();
    await it.page.evaluate(() => void (location.hash += "&q=anything")); // a redraw keeps the choice
    await soon.ok(() => list.evaluate((node) => !node.isConnected));
    await it.key("make-domains").click();
    await it.until(() =>
        /4 hosts .* 2 systems after fusing/.test(
            document.getElementById("cluster-sentence")?.textContent,
        ),
    );
    await soon.match(() => it.page.locator("h1").first().textContent(), /^rack, other domains/);
});

test("NVLink domains: who is of which clique, and who keeps all apart", async () => {
    await go(`&cluster=${await rack({ uuid, clique: 3 }, { uuid, clique: 4 })}&tab=kinds`);
    await soon.match(
        () => it.page.locator("#domains-sentence").textContent(),
        /^The hosts of a clique are one system/,
    );
    await soon.deepEqual(
        () => it.page.locator("#domains tbody tr").allTextContents(),
        [`rack${uuid}32160–1`, `rack${uuid}42162–3`],
    );
    await it.axe("NVLink domains");
    await it.tab("Faults").click();
    await soon.match(
        () => it.page.locator('[data-finding="domain-split"]').textContent(),
        /hosts 0-1 are in clique 3, hosts 2-3 in clique 4/,
    );
    await go(`&cluster=${await rack({ uuid, clique: 3 }, null)}&tab=kinds`);
    await soon.match(
        () => it.page.locator("#domains-sentence").textContent(),
        /^Hosts stay apart: .* \(hosts 2–3\)$/,
    );
    await it.tab("Faults").click();
    await soon.equal(() => it.page.locator('[data-finding="domain-unused"]').count(), 1);
    await go(`&cluster=${await rack(null)}&tab=kinds`);
    await soon.equal(() => it.page.locator("#domains-sentence").count(), 0);
});

test("rings and trees between hosts: drawn, stepped through, in the address, taken away", async () => {
    const { id } = await make();
    await go(`&cluster=${id}&tab=rings`);
    const stations = it.page.locator("#canvas g.node.station"),
        title = () => it.page.locator('#canvas [id="note:caption"]').textContent();
    await stations.first().waitFor();
    await soon.equal(() => stations.count(), 8);
    await soon.match(
        () => it.page.locator("#canvas g.node.marked").textContent(),
        /Host 7: slowest/,
    );
    await it.key("next").click();
    await it.until(() =>
        /ring of channel 1 of/.test(
            document.querySelector('#canvas [id="note:caption"]').textContent,
        ),
    );
    await it.key("Graph:tree").focus();
    await it.page.keyboard.press("Enter");
    await it.until(() =>
        /tree of channel 0/.test(document.querySelector('#canvas [id="note:caption"]').textContent),
    );
    await soon.match(() => it.page.url(), /graph=tree/);
    await go(`&cluster=${id}&graph=tree&channel=2`);
    await it.page.locator("#canvas g.node.gpu").first().waitFor();
    await soon.match(() => title(), /tree of channel 2 of/);
    await soon.equal(
        () => it.page.locator("#canvas g.node.gpu").count(),
        64,
        "such few ranks are shown one by one",
    );
    await soon.equal(() => it.page.locator("#canvas g.edge.path").count(), 63);
    const [download] = await Promise.all([
        it.page.waitForEvent("download"),
        it.key("take:dot").click(),
    ]);
    assert.match(readFileSync(await download.path(), "utf8"), /view-tree/);
});

test("rails by kind of host; why the slowest is slow; what is fullest", async () => {
    const few = good.toString().replace(/<net name="mlx5_[^"]*" dev="7"[^>]*>/, "");
    assert.notEqual(few, good.toString());
    const { id } = await post(
        "/v1/clusters",
        JSON.stringify({
            hosts: [
                { topology: await machine(good), count: 40 },
                { topology: await machine(bad) },
                { topology: await machine(few) },
            ],
        }),
        "application/json",
    );
    await go(`&cluster=${id}&tab=rails`);
    await soon.equal(() => it.page.locator("#rail-map tbody tr").count(), 3);
    await soon.equal(() => it.page.locator("#rail-map .gone").count(), 1);
    await soon.match(
        () => it.page.locator("#rail-map tbody tr").nth(2).textContent(),
        /^C41.*missing$/,
    );
    await soon.match(
        () => it.page.locator("#fullest").textContent(),
        /^The fullest over all rings: NET \d+ .*%/,
    );
    await it.tab("Kinds of hosts").click();
    await soon.match(
        () => it.page.locator("#kinds tbody tr").nth(1).textContent(),
        /slowest.* instead of /,
    );
});

test("more hosts than cells: each run of equal hosts is one", async () => {
    const { id } = await post(
        "/v1/clusters",
        JSON.stringify({
            hosts: [
                { topology: await machine(good), count: 2047 },
                { topology: await machine(bad) },
                { topology: await machine(good) },
            ],
        }),
        "application/json",
    );
    await go(`&cluster=${id}`);
    await it.page.locator("#tiles .cell-fault").first().waitFor();
    await soon.deepEqual(
        () => it.page.locator("#tiles button.cell").allTextContents(),
        ["0–2046", "✗2047", "2048"],
    );
});

test("groups, from the field and from the address", async () => {
    const { id } = await make();
    await go(`&cluster=${id}&tab=groups`);
    await it.page.locator("#layout").fill("tp=8,pp=4");
    await it.page.locator("#layout").press("Enter");
    await it.page.locator("#groups").waitFor();
    await soon.match(() => it.page.url(), /groups=tp=8(%2C|,)pp=4/);
    await go(`&cluster=${id}&groups=tp%3D8`);
    await soon.match(() => it.page.locator("#groups tbody tr").first().textContent(), /^tp8/);
    await go(`&cluster=${id}&groups=tp%3D7`);
    await soon.match(() => it.page.locator(".problem").textContent(), /does not fit 64 ranks/);
    await go(`&cluster=${"0".repeat(32)}`);
    await soon.match(() => it.page.locator(".problem").textContent(), /no cluster/);
});

test("axe finds nothing, light and dark; a phone shows it whole", async () => {
    const { id } = await make();
    await go("");
    await it.axeInBoth("clusters");
    await go(`&cluster=${id}&groups=tp%3D8`);
    await it.axeInBoth("cluster");
    await go(`&cluster=${id}&finding=fault:0&from=host:7`);
    await it.page.locator("#canvas-host svg").waitFor();
    await it.axeInBoth("faults of a cluster");
    await it.another({ width: 390, height: 844 });
    await go(`&cluster=${id}&groups=tp%3D8`);
    await soon.ok(() => it.wideAsWindow());
    for (const tab of ["faults", "rings", "rails", "kinds", "order", "transfers"]) {
        await go(`&cluster=${id}&tab=${tab}&from=host:7`);
        await soon.ok(() => it.wideAsWindow(), tab);
    }
    await go(`&cluster=${await rack({ uuid, clique: 3 })}&tab=kinds`);
    await soon.ok(() => it.wideAsWindow());
});
