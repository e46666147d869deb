// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import * as pairs from "../../static/js/pairs.js";
import { format, parse } from "../../static/js/state.js";

const A = "GPU/0-1b000",
    B = "GPU/0-1c000",
    N = "NET/0-0",
    S = "PCI/0-1a000";
const model = index({
    hosts: 1,
    ranks: 2,
    local_ranks: 2,
    system: {
        nodes: [{ id: A, rank: 0 }, { id: B, rank: 1 }, { id: N }, { id: S }],
        links: [
            [A, S, "PCI", 24],
            [S, B, "PCI", 24],
            [S, N, "PCI", 24],
        ],
    },
    paths: [{ from: A, to: B, type: "PIX", bw: 24, hops: [S, B] }],
});
const device = (node, name) => ({ kind: "gpu", name, node, line: 1 });
const pair = {
    a: { topology: "a".repeat(32), name: "good" },
    b: { topology: "b".repeat(32), name: "" },
    match: [
        [A, "GPU/0-7b000"],
        [B, "GPU/0-7c000"],
        [S, "PCI/0-7a000"],
        [N, null],
    ],
    hardware: {
        count: 2,
        left_out: 0,
        rows: [
            {
                what: "missing",
                text: "is missing",
                device_a: device(N, "NIC mlx5_0"),
                device_b: null,
                a: null,
                b: null,
                gpus: 0,
                nets: 2,
            },
            {
                what: "nvlinks",
                text: "NVLinks to another GPU",
                device_a: device(A, "GPU 0"),
                device_b: device("GPU/0-7b000", "GPU 0"),
                other_a: device(B, "GPU 1"),
                other_b: device("GPU/0-7c000", "GPU 1"),
                a: "4",
                b: "1",
            },
        ],
    },
    numbering: {
        count: 1,
        left_out: 0,
        rows: [
            {
                what: "rank",
                text: "rank",
                device_a: device(A, "GPU 0"),
                device_b: device("GPU/0-7b000", "GPU 1"),
                a: "0",
                b: "1",
            },
        ],
    },
    sections: {
        paths: {
            compared: 2,
            changed: 1,
            left_out: 0,
            changes: [
                {
                    what: "type",
                    text: "types of paths",
                    a: "PIX",
                    b: "SYS",
                    count: 1,
                    where: [{ from: A, to: B }],
                    because: [],
                    certain: true,
                },
            ],
        },
    },
};

test("a row is found by its text, a section without one, nonsense is nothing", () => {
    assert.equal(pairs.findRow(pair, "hardware.1").row, pair.hardware.rows[1]);
    assert.deepEqual(pairs.findRow(pair, "numbering"), {
        section: "numbering",
        row: null,
        change: null,
    });
    assert.equal(pairs.findRow(pair, "paths.0").change, pair.sections.paths.changes[0]);
    assert.equal(pairs.findRow(pair, "hardware.9").row, null);
    assert.equal(pairs.findRow(pair, "x.y").section, "");
});

test("marks are each side's own devices, and what only one side has is told apart", () => {
    const a = pairs.marksOfPair(model, pair, null, "a"),
        b = pairs.marksOfPair(model, pair, null, "b");
    assert.deepEqual(a.only, [N]);
    assert.deepEqual(a.devices.sort(), [A, B]);
    assert.deepEqual(b.only, []);
    assert.deepEqual(b.devices.sort(), ["GPU/0-7b000", "GPU/0-7c000"]);
    const path = pairs.marksOfPair(model, pair, pairs.findRow(pair, "paths.0"), "b");
    assert.deepEqual(
        path.devices.sort(),
        ["GPU/0-7b000", "GPU/0-7c000"],
        "decisions are told with a's names and marked with b's",
    );
    assert.deepEqual(
        path.links.map(([from, to]) => [from, to]),
        [
            ["GPU/0-7b000", "PCI/0-7a000"],
            ["PCI/0-7a000", "GPU/0-7c000"],
        ],
    );
});

test("rows in words, and for a spreadsheet", () => {
    assert.deepEqual(pairs.rowText(pair.hardware.rows[0]), {
        device: "NIC mlx5_0",
        other: "",
        text: "is missing, with 2 ports",
        a: "there",
        b: "missing",
    });
    assert.deepEqual(pairs.rowText(pair.hardware.rows[1]), {
        device: "GPU 0",
        other: "",
        text: "NVLinks to GPU 1",
        a: "4",
        b: "1",
    });
    assert.equal(pairs.rowText(pair.numbering.rows[0]).other, "GPU 1");
    const rows = pairs.pairRows(pair);
    assert.deepEqual(rows[0].slice(-2), ["good", "b".repeat(12)]);
    assert.equal(rows.length, 4);
});

test("a set is a label, a search or ids", () => {
    assert.equal(String(pairs.setQuery("label:rack=7")), "label=rack%3D7");
    assert.equal(String(pairs.setQuery("q:h100")), "q=h100");
    assert.equal(String(pairs.setQuery("aa,bb")), "topology=aa&topology=bb");
    assert.match(pairs.setText("label:rack=7"), /label rack=7/);
    assert.match(pairs.setText("aa,bb,cc"), /^3 chosen/);
});

test("the address holds the second dump, the row and the set", () => {
    const text = "view=compare&with=abc&row=hardware.2&beside=side",
        state = parse(text);
    assert.deepEqual(
        [state.view, state.with, state.row, state.beside],
        ["compare", "abc", "hardware.2", "side"],
    );
    assert.equal(parse(`#${format(state)}`).with, "abc");
    assert.equal(parse("place=set&set=q:x").place, "set");
    assert.equal(parse("beside=above").beside, "ghost");
});
