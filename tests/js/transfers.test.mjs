// SPDX-License-Identifier: Apache-2.0
/* Windows of the point-to-point schedule, and the names of transfers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../static/js/report.js";
import {
    kindOf,
    nicText,
    overText,
    rankText,
    rowOf,
    sentence,
    transferRows,
    transferStep,
    windowAt,
} from "../../static/js/transfers.js";

const nic = (net, proxy, path = "PIX", gdr = 1) => ({ net, proxy, path, gdr });
const to = { rank: 10, transport: "NET", path: "NET", nics: [nic("NET/0-2", 2, "PXN")] };
const from = {
    rank: 9,
    transport: "NET",
    path: "NET",
    nics: [nic("NET/0-0", 1), nic("NET/0-1", 1, "PHB", 0)],
};
const near = { rank: 3, transport: "P2P", path: "NVL", read: true, via: -1 };
const doc = {
    nccl: "2.27.7",
    ranks: 16,
    nodes: 2,
    p2p_channels: 16,
    p2p_channels_per_peer: 2,
    group: null,
    schedule: [
        {
            rank: 1,
            node: 0,
            count: 16,
            rounds: [
                { round: 2, channels: [0, 8], send: near, receive: null },
                { round: 9, channels: [1, 9], send: to, receive: from },
            ],
        },
    ],
};

test("a rank and a round are in windows of sixteen", () => {
    assert.deepEqual([0, 15, 16, 131071].map(windowAt), ["0-15", "0-15", "16-31", "131056-131071"]);
});

test("transfers are called by what carries them", () => {
    assert.deepEqual(
        [
            to,
            from,
            near,
            null,
            { transport: "SHM", path: "PHB" },
            { transport: "SELF", path: "LOC" },
        ].map((way) => kindOf(way, 1)),
        ["PXN", "NET", "NVL", "", "SHM", "LOC"],
    );
    assert.equal(overText(near), "P2P, NVL, by reading");
    assert.equal(
        overText({ transport: "P2P", path: "NVB", read: false, via: 3 }),
        "P2P, NVB, through rank 3",
    );
    assert.equal(overText({ transport: "SHM", path: "SYS" }), "shared memory, SYS");
    assert.equal(nicText(to, 1), "NET 2 through rank 2 (PXN), GPUDirect");
    assert.equal(nicText(from, 1), "NET 0, PIX, GPUDirect; NET 1, PHB");
    assert.equal(nicText({ nics: [null] }, 1), "none, or unknown without the channel");
    assert.equal(nicText(near, 1), "");
});

test("ranks of a group have two numbers", () => {
    assert.equal(rankText(doc, 3), "3");
    assert.equal(rankText({ group: { world: [5, 13] } }, 1), "1 (13)");
});

test("the first rank stands for one that is not in the window; what is not known is said", () => {
    assert.equal(rowOf(doc, 1), rowOf(doc, 40));
    assert.match(sentence(doc), /16 ranks on 2 nodes; .* over 2 of 16 channels\.$/);
    const old = {
        ...doc,
        nccl: "2.12.12",
        schedule: [
            {
                ...doc.schedule[0],
                rounds: [{ round: 0, channels: null, send: null, receive: null }],
            },
        ],
    };
    assert.match(sentence(old), /Which ones NCCL 2\.12\.12 takes is not known/);
});

test("as a table for other programs", () => {
    const rows = transferRows(doc);
    assert.equal(rows.length, 3);
    assert.ok(rows.every((row) => row.length === rows[0].length));
    assert.equal(
        csv(rows).split("\r\n")[2],
        "1,9,1 9,10,NET,NET,NET/0-2,2,1,9,NET,NET,NET/0-0 NET/0-1,1 0",
    );
    assert.equal(csv(rows).split("\r\n")[1], "1,2,0 8,3,P2P,NVL,,,,,,,,");
});

test("a send is a step on the drawing of its host", () => {
    const model = {
        doc: { local_ranks: 8 },
        gpus: [],
        gpuOfRank: new Map([
            [1, "GPU/0-1"],
            [3, "GPU/0-3"],
        ]),
    };
    assert.deepEqual(transferStep(model, doc, 1, 9), {
        a: 1,
        b: 10,
        from: "GPU/0-1",
        to: "NET/0-2",
    });
    assert.deepEqual(transferStep(model, doc, 1, 2), {
        a: 1,
        b: 3,
        from: "GPU/0-1",
        to: "GPU/0-3",
    });
    assert.equal(transferStep(model, doc, 1, 3), null);
    assert.equal(transferStep(model, null, 1, 3), null);
});
