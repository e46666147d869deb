// SPDX-License-Identifier: Apache-2.0
/* A cluster from above: tiles, the odd ones out, the fullest links, sentences. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    behind,
    busiest,
    calledHosts,
    clusterBar,
    describe,
    domainSentence,
    lineHosts,
    fullestSentence,
    hostNames,
    hostsOf,
    letter,
    litHosts,
    litKinds,
    nicSentences,
    odd,
    order,
    racks,
    railMap,
    railSentence,
    ranges,
    runs,
    runsOf,
    sentence,
    tiles,
    used,
    withDomains,
} from "../../static/js/cluster.js";

const kind = (hosts, more) => ({
    hosts,
    host_count: hosts.reduce((sum, [from, to]) => sum + to - from + 1, 0),
    ...more,
});
const view = {
    hosts: 5,
    systems: 5,
    nodes: 5,
    order: "cyclic",
    host_ranks: [8, 8, 4, 8, 8],
    kinds: [
        kind([
            [0, 1],
            [3, 4],
        ]),
        kind([[2, 2]]),
    ],
};

test("kinds have letters", () =>
    assert.deepEqual([0, 25, 26, 27, 52].map(letter), ["A", "Z", "AA", "AB", "BA"]));

test("every host has a tile of its kind", () =>
    assert.deepEqual(
        tiles(view).map(({ host, kind: k, ranks }) => [host, k, ranks]),
        [
            [0, 0, 8],
            [1, 0, 8],
            [2, 1, 4],
            [3, 0, 8],
            [4, 0, 8],
        ],
    ));

test("many hosts are told in runs, few one by one", () => {
    assert.deepEqual(
        runs(view).map(({ from, to }) => [from, to]),
        [
            [0, 0],
            [1, 1],
            [2, 2],
            [3, 3],
            [4, 4],
        ],
    );
    assert.deepEqual(
        runs(view, 4).map(({ from, to, kind: k }) => [from, to, k]),
        [
            [0, 1, 0],
            [2, 2, 1],
            [3, 4, 0],
        ],
    );
    assert.equal(hostsOf(view.kinds[0]), "0–1, 3–4");
    assert.equal(
        hostsOf(
            kind([
                [0, 0],
                [2, 2],
                [4, 9],
            ]),
            2,
        ),
        "0, 2, …",
    );
});

test("the odd ones out are those that the service names; why a kind is behind", () => {
    assert.deepEqual(odd({ kinds: [{ odd: false }, { odd: true }] }), [1]);
    assert.equal(
        behind({
            behind: [
                { graph: "ring", field: "bw_inter", value: 12, best: 24 },
                { graph: "ring", field: "type_inter", value: "PHB", best: "PIX" },
            ],
        }),
        "ring: bandwidth of a channel between hosts 12 instead of 24 GB/s; ring: longest path to a NIC PHB " +
            "instead of PIX",
    );
    assert.equal(behind({ behind: [] }), "");
});

test("which NIC of each kind carries which rail; none if it is missing", () => {
    const nic = (k, rail) => ({ kind: k, net: `NET/0-${rail}`, rail });
    const { rails, rows } = railMap({
        kinds: view.kinds,
        nics: [nic(0, 1), nic(0, 0), nic(1, 0), nic(1, 0)],
    });
    assert.deepEqual(rails, [0, 1]);
    assert.deepEqual(
        rows.map(({ cells }) => cells.map((nics) => nics.length)),
        [
            [1, 1],
            [2, 0],
        ],
    );
});

test("the fullest of all", () => {
    assert.equal(fullestSentence({ nic: null, links: [] }), "No ring uses a NIC or link.");
    assert.equal(
        fullestSentence({
            nic: { kind: 1, net: "NET/0-2", rail: 2, bw: 24, port_bw: 25 },
            links: [
                { kind: 0, from: "CPU/0-0", to: "CPU/0-1", type: "SYS", bw: 6, link_bw: 12 },
                { kind: 0, from: "a", to: "b", type: "NET", bw: 1, link_bw: 1 },
            ],
        }),
        "The fullest over all rings: NET 2 (rail 2) of B at 96 %; NUMA 0 → NUMA 1 of A at 50 % (inter-CPU).",
    );
});

test("links by how full they are, NICs that carry something", () => {
    const link = (kind_, bw, link_bw) => ({
        kind: kind_,
        from: "a",
        to: "b",
        type: "PCI",
        bw,
        link_bw,
    });
    assert.deepEqual(
        busiest({ links: [link(0, 10, 40), link(1, 20, 20), link(0, 1, 0)] }).map(
            (row) => row.share,
        ),
        [1, 0.25],
    );
    assert.equal(busiest({ links: Array.from({ length: 50 }, () => link(0, 1, 2)) }).length, 12);
    assert.deepEqual(
        used({
            nics: [
                { net: "x", channels_in: 0, channels_out: 0 },
                { net: "y", channels_in: 0, channels_out: 1 },
            ],
        }).map((row) => row.net),
        ["y"],
    );
});

test("sentences", () => {
    assert.match(railSentence({ hops: 0, crossing: 0 }), /No ring leaves/);
    assert.match(railSentence({ hops: 8, crossing: 0 }), /All 8 hops/);
    assert.match(railSentence({ hops: 8, crossing: 2 }), /^6 of 8 .* 2 enter/);
    assert.equal(
        sentence(view, { ranks: 36, summary: { channels: 1 } }),
        "5 hosts of 2 kinds; 36 ranks dealt out in turn on 5 nodes, 1 channel.",
    );
    assert.match(
        sentence({ ...view, systems: 1 }, { ranks: 36, summary: { channels: 2 } }),
        /1 system after fusing/,
    );
});

test("NVLink domains in a sentence, and hosts in ranges", () => {
    const said = {
        rule: "ON",
        text: "The hosts of a clique are one system.",
        line: null,
        crosses_cliques: false,
    };
    assert.equal(domainSentence({ ...said, rule: "NOT_STATED" }), "");
    assert.equal(domainSentence(said), said.text);
    assert.match(
        domainSentence({ ...said, crosses_cliques: true }),
        /one system\. Cliques of one UUID talk/,
    );
    assert.equal(
        domainSentence(
            { ...said, rule: "NOT_COMPLETED", text: "One is not.", line: 1 },
            { hosts: [{ count: 2 }, { count: 3 }] },
        ),
        "Hosts stay apart: One is not. (hosts 2–4)",
    );
    assert.equal(lineHosts({ hosts: [{ count: 2 }, {}] }, 1), "host 2");
    assert.equal(
        ranges([
            [0, 2],
            [5, 5],
        ]),
        "0–2, 5",
    );
});

test("hosts of a kind by number and name", () => {
    const names = hostNames({
        description: {
            hosts: [{ count: 2, names: ["n1", "n2"] }, {}, { count: 2, names: ["n4", "n5"] }],
        },
    });
    assert.deepEqual(names, ["n1", "n2", "", "n4", "n5"]);
    assert.equal(calledHosts(kind([[4, 4]]), names), "host 4 (n5)");
    assert.equal(calledHosts(kind([[0, 2]]), names), "hosts 0–2 (n1, n2)");
    assert.equal(calledHosts(kind([[2, 2]]), names), "host 2");
});

test("what concerns hosts beside one another comes first", () => {
    assert.deepEqual(
        order([{ id: "a" }, { id: "cluster-odd-host" }, { id: "b" }]).map((row) => row.id),
        ["cluster-odd-host", "a", "b"],
    );
});

test("dumps in the order of their hosts are runs of equal hosts", () => {
    assert.deepEqual(runsOf(["a", "a", "b", "a"]), [
        { id: "a", count: 2, names: [] },
        { id: "b", count: 1, names: [] },
        { id: "a", count: 1, names: [] },
    ]);
    assert.deepEqual(JSON.parse(describe(runsOf(["a", "a", "b"]))), {
        hosts: [
            { topology: "a", count: 2 },
            { topology: "b", count: 1 },
        ],
    });
    assert.deepEqual(JSON.parse(describe(runsOf(["a", "a", "b"], ["n1", "n2", "n3"]))), {
        hosts: [
            { topology: "a", count: 2, names: ["n1", "n2"] },
            { topology: "b", count: 1, names: ["n3"] },
        ],
    });
    for (const names of [["n1", "n1", "n3"], ["n1", "n 2", "n3"], ["n1"]])
        assert.equal(
            describe(runsOf(["a", "a", "b"], names)),
            describe(runsOf(["a", "a", "b"])),
            "names that cannot name hosts stay out",
        );
});

const fault = (hosts, fixed, more) => ({
    finding: "slow-link",
    device: "mlx5_3",
    hosts_text: "hosts",
    hosts: hosts.map((host) => ({ host, name: null })),
    fixed,
    ...more,
});

test("the bar of a cluster: what there is, what each repair gains, what only all of them bring", () => {
    const said = { now: 200, all_repaired: 300, unit: "GB/s", for: "AllReduce" };
    const { now, repaired, parts, rest } = clusterBar({
        ...said,
        faults: [fault([1], 240), fault([2], 200), fault([3], null), fault([4], 230)],
    });
    assert.deepEqual(
        [now, repaired, rest, ...parts.map(({ finding, gain }) => [finding, gain])],
        [200, 300, 30, ["fault:0", 40], ["fault:3", 30]],
    );
    assert.equal(clusterBar({ ...said, now: 299.9, faults: [fault([1], 300)] }), null);
});

test("cells by rack, names in their natural order; hosts of a chosen fault or finding", () => {
    const record = {
        description: {
            hosts: [
                { count: 2, names: ["n10", "n9"], switch: "s1" },
                { count: 3, names: ["a", "b", "c"], domain: "d" },
            ],
        },
    };
    const one = {
        view: { ...view, kinds: view.kinds.map((row, k) => ({ ...row, odd: k === 1 })) },
        record,
        verdict: { faults: [fault([4], 1)] },
        findings: [{ key: "cluster-odd-host", kinds: [1] }],
    };
    assert.deepEqual(
        racks(one).map(({ rack, cells }) => [rack, cells.map((cell) => [cell.name, cell.state])]),
        [
            [
                "Domain d",
                [
                    ["a", "odd"],
                    ["b", "good"],
                    ["c", "fault"],
                ],
            ],
            [
                "Leaf switch s1",
                [
                    ["n9", "good"],
                    ["n10", "good"],
                ],
            ],
        ],
    );
    const lit = (chosen) => [...litHosts(one, chosen)];
    assert.deepEqual([lit("fault:0"), lit("cluster-odd-host"), lit("fault:7")], [[4], [2], []]);
    assert.deepEqual([...litKinds(one, "fault:0"), ...litKinds(one, "")], [0]);
    assert.deepEqual(
        racks({ ...one, verdict: null })[0].cells.map(({ state }) => state),
        ["odd", "good", "good"],
        "without a verdict no host has a fault",
    );
});

test("the same hosts with other NVLink domains: lines are split, names stay with their hosts", () => {
    const description = {
        hosts: [
            {
                topology: "a",
                count: 3,
                names: ["x", "y", "z"],
                domain: "old",
                fabric: { uuid: "u" },
            },
            { machine: "m" },
        ],
        ranks: "block",
    };
    assert.deepEqual(withDomains(description, 2), {
        ranks: "block",
        hosts: [
            { topology: "a", count: 2, names: ["x", "y"], domain: "domain 0" },
            { topology: "a", count: 1, names: ["z"], domain: "domain 1" },
            { machine: "m", count: 1, domain: "domain 1" },
        ],
    });
    assert.deepEqual(withDomains(description, 1).hosts, [
        { topology: "a", count: 3, names: ["x", "y", "z"] },
        { machine: "m", count: 1 },
    ]);
});

test("the NICs of a host as its cluster file describes them", () => {
    const hosts = [
        { count: 2, nics: [{ name: "mlx5_0", rail: "1", leaf: "L1", subnet: "10.1.0.0/16" }] },
        { nics: [{ rail: "2" }] },
        {},
    ];
    assert.deepEqual(nicSentences({ hosts }, 1, 0), [
        "mlx5_0: rail 1, leaf L1, subnet 10.1.0.0/16",
    ]);
    assert.deepEqual(nicSentences({ hosts }, 2, 0), ["NIC 0: rail 2"]);
    assert.deepEqual(nicSentences({ hosts }, 3, 0), []);
    assert.deepEqual(nicSentences({ hosts, ranks: [] }, 0, 1), ["NIC 0: rail 2"]);
});
