// SPDX-License-Identifier: Apache-2.0
/* The NICs that each GPU uses, and the facts that one host does not show. */
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import { hidesNetwork, inShort, netName, nicTable } from "../../static/js/nics.js";
import { questions } from "../../static/js/questions.js";

const path = (from, to, type, bw) => ({ from, to, type, bw, hops: [to] });
const doc = {
    hosts: 2,
    ranks: 4,
    local_ranks: 2,
    settings: {},
    p2p: [],
    graphs: [],
    channels: { count: 2 },
    summary: { machine: { nets: 2 }, net_names: { "NET/0-0": "mlx5_0" } },
    system: {
        nodes: [
            { id: "GPU/0-1b000", rank: 0 },
            { id: "GPU/0-1c000", rank: 1 },
            { id: "NIC/0-5e000" },
            { id: "NET/0-0" },
            { id: "NET/0-1" },
        ],
        links: [
            ["NIC/0-5e000", "NET/0-0", "NET", 50],
            ["NET/0-0", "NIC/0-5e000", "NET", 50],
        ],
    },
    paths: [
        path("GPU/0-1b000", "NET/0-0", "PIX", 48),
        path("GPU/0-1b000", "NET/0-1", "PXN", 40),
        path("GPU/0-1c000", "NET/0-0", "PHB", 20),
    ],
    gdr: [
        { rank: 0, net: "NET/0-0", send: 1, recv: 1 },
        { rank: 1, net: "NET/0-0", send: 1, recv: 0 },
    ],
    net_devs: [
        { rank: 0, channel: 0, net: "NET/0-1", proxy_rank: 1 },
        { rank: 0, channel: 1, net: "NET/0-0", proxy_rank: 0 },
        { rank: 0, channel: 2, net: "NET/0-1", proxy_rank: 1 },
        { rank: 1, channel: 0, net: "NET/0-0", proxy_rank: 1 },
    ],
};

test("each GPU has its own NIC first, then those of other GPUs (PXN)", () => {
    const rows = nicTable(index(doc));
    assert.deepEqual(
        rows.map((row) => [
            row.rank,
            row.nics.map(({ name, bus, type, bw, gdr, via, channels }) => [
                name,
                bus,
                type,
                bw,
                gdr,
                via,
                channels,
            ]),
        ]),
        [
            [
                0,
                [
                    ["mlx5_0", "5e:00.0", "PIX", 48, "yes", null, 1],
                    ["NET 1", "", "PXN", 40, "?", 1, 2],
                ],
            ],
            [1, [["mlx5_0", "5e:00.0", "PHB", 20, "sends only", null, 1]]],
        ],
    );
    assert.deepEqual(
        rows.map(inShort).map(({ nics, more }) => [nics.map((nic) => nic.name), more]),
        [
            [["mlx5_0"], 1],
            [["mlx5_0"], 0],
        ],
    );
    assert.deepEqual(
        inShort({
            rank: 0,
            nics: [
                { name: "a", via: 1 },
                { name: "b", via: 2 },
            ],
        }),
        { rank: 0, nics: [{ name: "a", via: 1 }], more: 1 },
    );
    assert.deepEqual(
        nicTable(index({ ...doc, net_devs: undefined })).map((row) => row.nics),
        [[], []],
    );
    assert.equal(netName(index({ ...doc, summary: {} }), "NET/0-0"), "NET 0");
});

test("a machine with NICs hides its network on one host; large ones are not asked again", () => {
    assert.equal(hidesNetwork(doc), false);
    assert.equal(hidesNetwork({ ...doc, hosts: 1 }), true);
    assert.equal(hidesNetwork({ ...doc, hosts: 1, summary: { machine: { nets: 0 } } }), false);
    assert.equal(hidesNetwork({ ...doc, hosts: 1, local_ranks: 72 }), false);
});

test("questions about the network are answered for two hosts, and say so; the link changes the number of hosts", () => {
    const alone = index({
            ...doc,
            hosts: 1,
            net_devs: [],
            gdr: [],
            system: { nodes: doc.system.nodes.slice(0, 2), links: [] },
        }),
        row = (id, network) => questions(alone, { network }).find((one) => one.id === id);
    assert.equal(row("nics", null).tone, "open");
    for (const id of ["nics", "gdr", "pxn"]) {
        assert.match(row(id, index(doc)).answer, /^on 2 hosts: /, id);
        assert.equal(row(id, index(doc)).patch.hosts, 2, id);
    }
    assert.doesNotMatch(row("p2p", index(doc)).answer, /hosts/);
});
