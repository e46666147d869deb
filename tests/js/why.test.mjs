// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import {
    comparedText,
    evidence,
    internals,
    openWhy,
    parseWhy,
    whyOfMachine,
    whyOfSelection,
    writeWhy,
} from "../../static/js/why.js";

const doc = {
    ranks: 4,
    hosts: 2,
    local_ranks: 2,
    net_devs: [
        { rank: 0, channel: 0, net: "NET/0-0", proxy_rank: 0 },
        { rank: 0, channel: 1, net: "NET/0-0", proxy_rank: 0 },
    ],
    system: {
        nodes: [
            { id: "GPU/0-1b000", type: "GPU", rank: 0 },
            { id: "GPU/0-1c000", type: "GPU", rank: 1 },
            { id: "NET/0-0", type: "NET" },
            { id: "CPU/0-0", type: "CPU" },
            { id: "PCI/0-1000", type: "PCI" },
        ],
        links: [],
    },
    paths: [
        ["GPU/0-1b000", "GPU/0-1c000"],
        ["GPU/0-1b000", "NET/0-0"],
        ["NET/0-0", "GPU/0-1b000"],
        ["GPU/0-1b000", "CPU/0-0"],
    ].map(([from, to]) => ({ from, to, type: "PIX", bw: 12, hops: [] })),
    graphs: [
        { name: "ring", pattern: 4, channels: 2 },
        { name: "nvls", pattern: 0, channels: 0 },
    ],
    predictions: { functions: { AllReduce: {} } },
};
const model = index(doc),
    asked = (state) =>
        whyOfSelection(model, { from: "", to: "", channel: 0, ...state }).map((row) => row.why);

test("a question survives the address, and nonsense is not a question", () => {
    assert.deepEqual(parseWhy(writeWhy("p2p", "GPU/0-1b000", "GPU/0-1c000")), {
        decision: "p2p",
        from: "GPU/0-1b000",
        to: "GPU/0-1c000",
    });
    assert.deepEqual(parseWhy("nic:GPU/0-1b000:1"), {
        decision: "nic",
        from: "GPU/0-1b000",
        channel: "1",
    });
    assert.deepEqual(parseWhy("algorithm:AllReduce:1048576"), {
        decision: "algorithm",
        collective: "AllReduce",
        bytes: "1048576",
    });
    assert.deepEqual(parseWhy("tree"), { decision: "tree" });
    for (const text of [
        "",
        "p2p",
        "p2p:a",
        "p2p:a:",
        "tree:x",
        "constructor",
        "toString:1",
        "graph",
    ])
        assert.equal(parseWhy(text), null, text);
});

test("what is selected says what can be asked", () => {
    const [a, b, net, cpu] = ["GPU/0-1b000", "GPU/0-1c000", "NET/0-0", "CPU/0-0"];
    assert.deepEqual(asked({ from: a, to: b }), [`p2p:${a}:${b}`, `path:${a}:${b}`]);
    assert.deepEqual(asked({ from: a, to: net }), [
        `gdr:${a}:${net}`,
        `pxn:${a}:${net}`,
        `path:${a}:${net}`,
    ]);
    assert.deepEqual(asked({ from: net, to: a }), [`gdr:${net}:${a}`, `path:${net}:${a}`]);
    assert.deepEqual(asked({ from: a, to: cpu }), [`path:${a}:${cpu}`]);
    assert.deepEqual(asked({ from: a, channel: 1 }), [`nic:${a}:1`]);
    assert.deepEqual(asked({ from: a, channel: 7 }), [`nic:${a}:0`]);
    assert.deepEqual(asked({ from: "PCI/0-1000", to: a }), []);
    assert.deepEqual(asked({ from: "GPU/0-ff000", to: a }), []);
    assert.deepEqual(asked({}), []);
});

test("of the machine only graphs that were asked for are asked about", () => {
    assert.deepEqual(
        whyOfMachine(model, { collective: "AllReduce", size: 0 }).map((row) => row.why),
        ["graph:ring", "tree", "channels", "nvls", "algorithm:AllReduce:1048576"],
    );
});

test("the open question is the address's, else the selection's, else the channels", () => {
    const state = { from: "", to: "", channel: 0, why: "" };
    assert.equal(openWhy(model, state), "channels");
    assert.equal(openWhy(model, { ...state, from: "GPU/0-1b000" }), "nic:GPU/0-1b000:0");
    assert.equal(openWhy(model, { ...state, why: "nvls" }), "nvls");
    assert.equal(openWhy(model, { ...state, why: "nonsense" }), "channels");
});

test("values are shown with their unit", () => {
    assert.equal(comparedText({ value: 12.34567, unit: "GB/s" }), "12.35 GB/s");
    assert.equal(comparedText({ value: 524288 }), "524288");
    assert.equal(comparedText({ value: "PHB" }), "PHB");
});

test("figures for maintainers are apart from the evidence", () => {
    const rows = [
        { name: "P2P level" },
        { name: "steps taken", internal: true },
        { name: "bandwidth" },
    ];
    assert.deepEqual(
        evidence(rows).map((row) => row.name),
        ["P2P level", "bandwidth"],
    );
    assert.deepEqual(
        internals(rows).map((row) => row.name),
        ["steps taken"],
    );
});
