// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import * as compare from "../../static/js/compare.js";
import { index } from "../../static/js/model.js";
import { DEFAULTS } from "../../static/js/state.js";

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
    paths: [
        { from: A, to: B, type: "PIX", bw: 24, hops: [S, B] },
        { from: A, to: N, type: "PIX", bw: 24, hops: [S, N] },
    ],
});

test("the other side is a release and settings, in any order, and is written in one", () => {
    const side = compare.otherSide(["NCCL_B=2", "2.7.8", "NCCL_A="]);
    assert.deepEqual(side, { release: "2.7.8", settings: { NCCL_B: "2", NCCL_A: "" } });
    assert.deepEqual(compare.writeSide(side), ["2.7.8", "NCCL_A=", "NCCL_B=2"]);
    assert.deepEqual(compare.writeSide({ release: "", settings: {} }), []);
});

test("what the other side asks: its release, its settings over this side's, an empty one taken away", () => {
    const state = {
        ...DEFAULTS,
        release: "2.27.7",
        settings: { NCCL_A: "1", NCCL_C: "3" },
        against: ["NCCL_A=", "NCCL_B=2"],
    };
    const other = compare.stateOfOther(state);
    assert.deepEqual(
        [other.release, other.settings, other.against],
        ["2.27.7", { NCCL_C: "3", NCCL_B: "2" }, []],
    );
});

test("swapping twice gives the same comparison", () => {
    const state = {
        ...DEFAULTS,
        release: "2.27.7",
        settings: { NCCL_A: "1" },
        against: ["2.7.8", "NCCL_A=", "NCCL_B=2"],
    };
    const once = compare.swapped(state, "2.27.7");
    assert.deepEqual(
        [once.release, once.settings, once.against],
        ["2.7.8", { NCCL_B: "2" }, ["2.27.7", "NCCL_A=1", "NCCL_B="]],
    );
    const twice = compare.swapped(once, "2.7.8");
    assert.deepEqual(
        [twice.release, twice.settings, twice.against],
        [state.release, state.settings, state.against],
    );
});

test("a side is named by what tells it from the other", () => {
    const a = { nccl: "2.30.7", settings: { NCCL_P2P_LEVEL: "SYS", NCCL_X: "1" } },
        b = { nccl: "2.30.7", settings: { NCCL_X: "1" } };
    assert.equal(compare.sideName(a, b), "P2P_LEVEL=SYS");
    assert.equal(compare.sideName(b, a), "P2P_LEVEL=default");
    assert.equal(
        compare.sideName({ nccl: "2.7.8", settings: {} }, { nccl: "2.30.7", settings: {} }),
        "2.7.8",
    );
    assert.equal(compare.sideName(b, b), "2.30.7");
});

test("places are pairs of devices if they name two", () => {
    assert.deepEqual(compare.pairOf(model, { a: 0, b: 1 }), { from: A, to: B });
    assert.deepEqual(compare.pairOf(model, { rank: 1, net: N }), { from: B, to: N });
    assert.equal(compare.pairOf(model, { rank: 1, channel: 0 }), null);
    assert.equal(compare.pairOf(model, { a: 0, b: 9 }), null);
    assert.equal(compare.placeText(model, { rank: 1, channel: 3 }), "GPU 1 channel 3");
    assert.equal(
        compare.placeText(model, { function: "AllReduce", bytes: 524288 }),
        "AllReduce 512 KiB",
    );
    assert.equal(compare.placeText(model, {}), "the whole");
});

test("values in few words", () => {
    const say = (what, value) => compare.valueText(model, what, value);
    assert.deepEqual(
        [
            say("bw", 370.800018),
            say("p2p", 1),
            say("hops", [S, B]),
            say("net", N),
            say("x", null),
            say("rings", [0, 1]),
            say("link", 5000),
            say("y", false),
        ],
        ["371", "1", "PCIe 1a:00.0 GPU 1", "NET 0", "–", "0 1", "∞", "no"],
    );
});

test("marks: links of the system by themselves, a chosen path by its links, devices by rank", () => {
    const diff = {
        sections: {
            system: { changes: [{ where: [{ type: "PCI", from: A, to: S }] }] },
            paths: { changes: [{ where: [{ from: A, to: B }] }] },
            net_devs: { changes: [{ where: [{ rank: 1, channel: 0 }] }] },
        },
    };
    assert.deepEqual(compare.marksOf(model, diff, null), { links: [[A, S, "PCI"]], devices: [] });
    const path = compare.findChange(diff, "paths.0");
    assert.deepEqual(compare.marksOf(model, diff, path), {
        links: [
            [A, S, "PCI"],
            [S, B, "PCI"],
        ],
        devices: [A, B],
    });
    assert.deepEqual(compare.marksOf(model, diff, compare.findChange(diff, "net_devs.0")).devices, [
        B,
    ]);
    assert.deepEqual(compare.findChange(diff, "why.pxn"), {
        section: "why",
        change: null,
        id: "pxn",
    });
    assert.equal(compare.findChange(diff, "paths.7").change, null);
    assert.equal(compare.findChange(diff, "nonsense").section, "");
});

test("sizes as people write them", () =>
    assert.deepEqual([8, 1024, 1536, 2 ** 30, 2 ** 34].map(compare.sizeText), [
        "8 B",
        "1 KiB",
        "1.5 KiB",
        "1 GiB",
        "16 GiB",
    ]));

test("outcomes as a table: the largest messages first, a column for each number of hosts", () => {
    const row = (collective, size, hosts, before, after) => ({
        collective,
        size,
        hosts,
        before,
        after,
        change: before && (after - before) / before,
    });
    const { hosts, rows } = compare.outcomeRows([
        row("all_reduce", 2 ** 20, 2, 10, 5),
        row("all_reduce", 2 ** 30, 2, 376, 376.5),
        row("all_reduce", 2 ** 30, 1, 400, 500),
        row("alltoall", 2 ** 30, 1, null, null),
    ]);
    assert.deepEqual(hosts, [1, 2]);
    assert.deepEqual(
        rows.map(({ name, size, cells }) => [name, size, cells.map((at) => at && at.change)]),
        [
            ["AllReduce", 2 ** 30, [0.25, 0]],
            ["AllReduce", 2 ** 20, [null, -0.5]],
        ],
        "changes too small to measure are 0; rows that cannot be predicted are left out",
    );
    assert.deepEqual(compare.outcomeRows([]).rows, [], "one rank sends nothing");
    assert.deepEqual([0.0123, -0.034, 0].map(compare.changeText), ["+1.2 %", "−3.4 %", "none"]);
});
