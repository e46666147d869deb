// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { communicatorsText } from "../../static/js/log.js";
import { choicesText, ranges, ranRows, shownEvents, ticketText } from "../../static/js/triage.js";

const ran = {
    release: [{ value: "NCCL 2.27.7", hosts: ["a"], line: 1 }],
    driver: [],
    network: [
        { value: "IB", hosts: ["a"], line: 2 },
        { value: "Socket", hosts: ["b"], line: 3 },
    ],
    plugin: [],
    provider: [],
    tuner: [],
    topo_file: [],
    settings: [
        {
            name: "NCCL_ALGO",
            values: [{ value: "Ring", hosts: ["a"], line: 4 }],
            effect: null,
            ignored: null,
        },
    ],
    network_kind: "InfiniBand",
    infiniband_unused: false,
    connections: { p2p: 1, shm: 2, net: 3, net_gdr: 2, net_pxn: 1, collnet: 0 },
    nvls: false,
    coll_channels: 16,
    p2p_channels: 32,
};
const event = (severity, text) => ({
    id: "x",
    severity,
    text,
    line: 7,
    count: 1,
    ranks: [0, 1, 2, 5],
    hosts: ["a"],
});
const triage = {
    verdict: "failed",
    sentences: ["The job failed.", "Why."],
    events: [event("note", "harmless"), event("error", "Call failed")],
    ran,
};

test("ranks as ranges", () => {
    assert.equal(ranges([]), "");
    assert.equal(ranges([3]), "3");
    assert.equal(ranges([0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
});

test("hosts that differ are named, equal ones are not", () => {
    const rows = Object.fromEntries(ranRows(ran));
    assert.equal(rows.Release, "NCCL 2.27.7");
    assert.equal(rows.Network, "IB (a); Socket (b)");
    assert.match(
        rows.Connections,
        /^1 P2P, 2 shared memory, 3 network \(2 with GPUDirect RDMA, 1 through/,
    );
    assert.equal(rows["NVLS multicast"], "not available");
    assert.equal(rows.Channels, "16 for collectives, 32 for point-to-point");
    assert.equal(rows["CUDA driver"], undefined);
});

test("text for a ticket begins with the verdict and leaves notes out", () => {
    const text = ticketText(triage);
    assert.match(text, /^Verdict: failed\n\nThe job failed\.\nWhy\.\n/);
    assert.match(text, /- line 7, error, 1 time, ranks 0-2, 5, hosts a: Call failed/);
    assert.match(text, /- NCCL_ALGO=Ring/);
    assert.doesNotMatch(text, /harmless/);
    assert.equal(shownEvents(triage).length, 1);
});

test("choices and communicators in words", () => {
    assert.equal(choicesText({ agree: 1, differ: 0, not_compared: 0 }), "1 of 1 size as predicted");
    assert.equal(
        choicesText({ agree: 3, differ: 1, not_compared: 2 }),
        "3 of 4 sizes as predicted, 2 not compared",
    );
    assert.equal(choicesText({ agree: 0, differ: 0, not_compared: 2 }), "2 not compared");
    const of = (ranks) => ({ ranks, ranks_seen: 1 });
    assert.equal(communicatorsText([]), "not in the log");
    assert.equal(
        communicatorsText([1, 2, 3].map(of), 2),
        "1 rank, 1 of them here; 2 ranks, 1 of them here; and 1 more",
    );
});
