// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import * as channels from "../../static/js/channels.js";
import * as model from "../../static/js/model.js";

/* Two GPUs behind one switch, a third across the CPU link, a NIC beside the first; two hosts of it. */
const A = "GPU/0-1b000",
    B = "GPU/0-1c000",
    C = "GPU/0-9b000",
    N = "NET/0-0",
    S = "PCI/0-1a000",
    X = "CPU/0-0",
    Y = "CPU/0-1";
const doc = {
    nccl: "2.27.7",
    hosts: 2,
    ranks: 6,
    local_ranks: 3,
    system: {
        nodes: [
            { id: C, type: "GPU", rank: 2, sm: 80, gdr: 1 },
            { id: A, type: "GPU", rank: 0, sm: 80, gdr: 1, dev: 0 },
            { id: B, type: "GPU", rank: 1, sm: 80, gdr: 0 },
            { id: N, type: "NET", dev: 0, port: 1, bw: 25, gdr: 1 },
            { id: S, type: "PCI" },
            { id: X, type: "CPU", arch: 1 },
            { id: Y, type: "CPU", arch: 1 },
        ],
        links: [
            [A, S, "PCI", 24],
            [S, B, "PCI", 24],
            [S, X, "PCI", 24],
            [X, Y, "SYS", 10],
            [Y, C, "PCI", 12],
        ],
    },
    paths: [
        { from: A, to: A, type: "LOC", bw: 5000, hops: [] },
        { from: A, to: B, type: "PIX", bw: 24, hops: [S, B] },
        { from: A, to: C, type: "SYS", bw: 10, hops: [S, X, Y, C] },
        { from: A, to: N, type: "PIX", bw: 24, hops: [S, N] },
    ],
    p2p: [
        { a: 0, b: 1, p2p: 1, read: 1, via: -1 },
        { a: 0, b: 2, p2p: 0, read: 0, via: -1 },
    ],
    gdr: [{ rank: 0, net: N, send: 0, recv: 1 }],
    explanations: {
        rules: { P2P_BEYOND_LEVEL: "The path is longer than the P2P level allows." },
        p2p: [
            {
                a: 0,
                b: 2,
                verdict: 0,
                rule: "P2P_BEYOND_LEVEL",
                distance: "SYS",
                level: "PXB",
                setting: "NCCL_P2P_LEVEL",
                by_user: false,
            },
        ],
        gdr: [],
        paths: [],
    },
    graphs: [
        {
            name: "ring",
            pattern: 4,
            channels: 2,
            bw_intra: 12,
            bw_inter: 12,
            type_intra: "SYS",
            type_inter: "PIX",
            inter: [
                [N, N],
                ["NET/0-9", N],
            ],
        },
    ],
    channels: {
        count: 2,
        rings: [
            [0, 1, 2, 3, 4, 5],
            [0, 4, 5, 3, 2, 1],
        ],
        trees: [{ up: [-1, 0, 1, 0, 3, 4], down: [], depth: 4 }],
    },
    tuning: {
        bandwidths: { AllReduce: { Tree: { LL: 0, Simple: 9 }, Ring: { LL: 3, Simple: 12.5 } } },
        latencies: { AllReduce: { Tree: { LL: 1, Simple: 2 }, Ring: { LL: 3, Simple: 4 } } },
    },
};
const m = model.index(doc);

test("a physical GPU with one rank is one device, one with several is not", () => {
    const [D, E, G, H] = ["DEV/0-1b000", "DEV/0-9b000", "GPU/0-9b000", "GPU/0-1009b000"];
    const nodes = [A, G, H]
        .map((id, rank) => ({ id, type: "GPU", rank }))
        .concat([
            { id: D, type: "DEV" },
            { id: E, type: "DEV" },
        ]);
    const both = (a, b, type, bw) => [
        [a, b, type, bw],
        [b, a, type, bw],
    ];
    const links = [
        ...both(A, D, "LOC", 5000),
        ...both(D, X, "PCI", 24),
        ...both(X, E, "PCI", 12),
        ...both(E, G, "LOC", 5000),
        ...both(E, H, "LOC", 5000),
    ];
    const folded = model.index({
        system: { nodes, links },
        paths: [
            { from: A, to: G, type: "PHB", bw: 12, hops: [D, X, E, G] },
            { from: A, to: A, type: "LOC", bw: 5000, hops: [] },
        ],
    });
    const rows = model.hops(folded, folded.paths.get(`${A}>${G}`));
    assert.deepEqual(
        rows.map((row) => [row.from, row.to, row.bw]),
        [
            [A, X, 24],
            [X, E, 12],
            [E, G, 5000],
        ],
    );
    assert.deepEqual(
        [folded.nodes.has(D), folded.nodes.has(E), model.shortName(folded, E)],
        [false, true, "GPU 9b:00.0"],
    );
    assert.deepEqual(model.hops(folded, folded.paths.get(`${A}>${A}`)), []);
});

test("bandwidths are short", () => {
    assert.deepEqual(
        [721.799988, 21.6000004, 0.100000001, 5000, 0, 24, undefined].map(model.bandwidth),
        ["722", "21.6", "0.1", "∞", "0", "24", "–"],
    );
});

test("bus ids as people write them", () => {
    assert.equal(model.busId("1b000"), "1b:00.0");
    assert.equal(model.busId("9a001"), "9a:00.1");
    assert.equal(model.busId("800001000"), "8000:01:00.0");
    assert.equal(model.busId("1205000"), "0012:05:00.0");
});

test("GPUs come by rank", () =>
    assert.deepEqual(
        m.gpus.map((node) => node.id),
        [A, B, C],
    ));

test("names are short", () => {
    assert.deepEqual(
        [A, C, N, S, X].map((id) => model.shortName(m, id)),
        ["GPU 0", "GPU 2", "NET 0", "PCIe 1a:00.0", "NUMA 0"],
    );
});

test("a path's hops carry their links, the first slowest is the narrowest", () => {
    const rows = model.hops(m, m.paths.get(`${A}>${C}`));
    assert.deepEqual(
        rows.map((row) => [row.from, row.to, row.type, row.bw]),
        [
            [A, S, "PCI", 24],
            [S, X, "PCI", 24],
            [X, Y, "SYS", 10],
            [Y, C, "PCI", 12],
        ],
    );
    assert.deepEqual(
        rows.map((row) => row.narrowest),
        [false, false, true, false],
    );
    assert.equal(model.narrowestHop([{ bw: 3 }, { bw: 3 }]), 0);
    assert.equal(model.narrowestHop([]), -1);
});

test("of two links between the same devices, the one that carries the path counts", () => {
    const two = model.index({
        system: {
            nodes: [{ id: A, type: "GPU", rank: 0 }],
            links: [
                [A, X, "PCI", 3],
                [A, X, "C2C", 224],
                [X, Y, "SYS", 6],
            ],
        },
        paths: [
            { from: A, to: Y, type: "SYS", bw: 6, hops: [X, Y] },
            { from: A, to: X, type: "C2C", bw: 224, hops: [X] },
        ],
    });
    assert.deepEqual(channels.linksOf(two, A, Y), [
        [A, X, "C2C"],
        [X, Y, "SYS"],
    ]);
    assert.equal(model.hops(two, two.paths.get(`${A}>${X}`))[0].bw, 224);
});

test("verdicts come with their rule", () => {
    const yes = model.verdict(m, A, B),
        no = model.verdict(m, A, C),
        gdr = model.verdict(m, A, N);
    assert.deepEqual([yes.yes, yes.code, yes.rows[0].text], [true, "R", "yes, by reading"]);
    assert.deepEqual([no.yes, no.code], [false, "–"]);
    assert.equal(
        model.reason(m, no.rows[0].why),
        "The path is longer than the P2P level allows. SYS against PXB.",
    );
    assert.deepEqual([gdr.kind, gdr.yes, gdr.part, gdr.code], ["GDR", false, true, "–R"]);
    assert.equal(model.verdict(m, N, A).code, "–R");
    assert.equal(model.verdict(m, X, A), null);
    assert.equal(model.verdict(m, B, C), null);
});

test("cells say what was asked, in letters and not by colour alone", () => {
    assert.equal(model.cell(m, A, C, "type").text, "SYS");
    assert.equal(model.cell(m, A, C, "bw").text, "10");
    assert.equal(model.cell(m, A, C, "hops").text, "4");
    assert.deepEqual(
        [model.cell(m, A, C, "verdict").text, model.cell(m, A, C, "verdict").kind],
        ["–", "no"],
    );
    assert.equal(model.cell(m, A, N, "verdict").kind, "part");
    assert.equal(model.cell(m, C, A, "type").label, "no path");
    assert.match(model.cell(m, A, B, "type").label, /PIX, 24 GB\/s, 2 hops, P2P yes/);
});

test("a ring over two hosts leaves by one NIC and enters by the other", () => {
    const steps = channels.channelSteps(m, "ring", 0);
    assert.deepEqual(steps, [
        { a: 0, b: 1, from: A, to: B },
        { a: 1, b: 2, from: B, to: C },
        { a: 2, b: 3, from: C, to: N },
        { a: 5, b: 0, from: N, to: A },
    ]);
    assert.equal(channels.channelSteps(m, "ring", 1).at(-1).a, 1);
    assert.equal(channels.channelSteps(m, "ring", 1).find((step) => step.a === 3).from, "NET/0-9");
    assert.deepEqual(channels.channelSteps(m, "ring", 9), []);
});

test("a tree's steps go up to the parent", () => {
    assert.deepEqual(
        channels.channelSteps(m, "tree", 0).map(({ a, b }) => [a, b]),
        [
            [1, 0],
            [2, 1],
            [3, 0],
        ],
    );
});

test("the links of a step are those of its path", () => {
    assert.deepEqual(channels.linksOf(m, A, B), [
        [A, S, "PCI"],
        [S, B, "PCI"],
    ]);
    assert.deepEqual(channels.linksOf(m, B, A), []);
});

test("tuning rows mark the highest bandwidth", () => {
    const rows = model.tuningRows(doc.tuning, "AllReduce");
    assert.deepEqual(
        rows.map((row) => row.algorithm),
        ["Tree", "Ring"],
    );
    assert.deepEqual(
        rows.flatMap((row) => row.cells.filter((cell) => cell.best)),
        [{ protocol: "Simple", bw: 12.5, latency: 4, best: true }],
    );
    assert.deepEqual(model.tuningRows({}, "AllReduce"), []);
});

test("figures tell the machine in a few lines", () => {
    const predictions = {
        sizes: [2 ** 30],
        functions: {
            AllReduce: {
                bus_share: 1.5,
                ways: [{ algorithm: "Ring", protocol: "Simple", times: [2 ** 30 / 10e3] }],
                ranges: [{ from: 8, algorithm: "Ring", protocol: "Simple" }],
            },
        },
    };
    const figures = new Map(model.figures({ ...doc, predictions }));
    assert.equal(figures.get("Ranks"), "6 on 2 hosts");
    assert.equal(figures.get("P2P"), "1 of 2 ordered pairs");
    assert.equal(figures.get("AllReduce at 1 GiB"), "15 GB/s, Ring Simple");
});

test("an analysis without anything in it breaks nothing", () => {
    const empty = model.index({});
    assert.deepEqual(empty.gpus, []);
    assert.ok(model.figures({}).length);
    assert.deepEqual(channels.channelSteps(empty, "ring", 0), []);
});

test("excerpts show the line with its neighbours, and where in it", () => {
    const rows = model.excerpt("one\r\ntwo\nthree\tx\nfour\nfive", 3, 6);
    assert.deepEqual(
        rows.map((row) => row.number),
        [1, 2, 3, 4, 5],
    );
    assert.deepEqual(
        rows.filter((row) => row.here).map((row) => [row.text, row.caret]),
        [["three x", 5]],
    );
    assert.deepEqual(
        model.excerpt("a", 1, 0).map((row) => row.caret),
        [-1],
    );
    assert.deepEqual(
        model.excerpt("a\nb", 9, 1).map((row) => row.number),
        [],
    );
});

test("an excerpt of a very long line is cut around the column", () => {
    const [row] = model.excerpt(`${"x".repeat(5000)}!${"y".repeat(5000)}`, 1, 5001);
    assert.ok(row.text.length < 420);
    assert.equal(row.text[row.caret], "!");
});

test("an excerpt shows whole elements, and ends between attributes if it must cut", () => {
    const attributes = (n) =>
        Array.from({ length: n }, (_, i) => `name${i}="some value"`).join(" ");
    assert.equal(
        model.excerpt(`<pci ${attributes(14)}>`, 1, 1)[0].text,
        `<pci ${attributes(14)}>`,
        "324 characters, as a pci element has",
    );
    const [{ text }] = model.excerpt(`<pci ${attributes(40)}>`, 1, 1);
    assert.match(text, /value" …$/);
    assert.ok(text.length < 402);
});

test("sequences of a terminal are not shown, and a mark below a line keeps its place", () => {
    assert.equal(model.withoutEscapes("\x1b[4mGPU0\x1b[0m \x1b]0;title\x07x"), "GPU0 x");
    const [row] = model.excerpt("\x1b[1m<bad\x1b[0m attribute", 1, 14, 0); // the column after both sequences
    assert.deepEqual([row.text, row.caret], ["<bad attribute", 5]);
});

test("a bus id that is made up is in no name, and the facts say so", () => {
    const made = (id, type) => ({ id, type, id_assumed: true }),
        system = {
            nodes: [
                made("PCI/0-100000", "PCI"),
                made("PCI/0-200000", "PCI"),
                made("NIC/0-210000", "NIC"),
            ],
            links: [],
        },
        assumed = model.index({ ...doc, system }),
        name = (id) => model.shortName(assumed, id);
    assert.deepEqual(
        system.nodes.map(({ id }) => name(id)),
        ["PCIe switch 0", "PCIe switch 1", "NIC 0"],
    );
    const said = (one, id) => new Map(model.deviceFacts(one, id)).get("Bus id");
    assert.match(said(assumed, "PCI/0-200000"), /made up/);
    assert.equal(said(model.index(doc), S), "1a:00.0");
});
