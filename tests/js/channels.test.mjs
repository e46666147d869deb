// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import {
    channelCount,
    channelSteps,
    drawnAlone,
    linksOf,
    loads,
} from "../../static/js/channels.js";
import { folded } from "../../static/js/detail.js";
import { index } from "../../static/js/model.js";
import { entries, find } from "../../static/js/search.js";
import { devicesIn } from "../../static/js/source.js";

/* Three GPUs at an NVSwitch; the first two have a PCIe switch with a NIC each, alike. */
const [A, B, C, V, N0, N1] = [
    "GPU/0-1b000",
    "GPU/0-2b000",
    "GPU/0-3b000",
    "NVS/0-0",
    "NET/0-0",
    "NET/0-1",
];
const both = (a, b, type, bw) => [
    [a, b, type, bw],
    [b, a, type, bw],
];
const block = (gpu, net, n) => [
    ...both("CPU/0-0", `PCI/0-${n}a000`, "PCI", 24),
    ...both(`PCI/0-${n}a000`, gpu, "PCI", 24),
    ...both(`PCI/0-${n}a000`, `NIC/0-${n}c000`, "PCI", 24),
    ...both(`NIC/0-${n}c000`, net, "NET", 25),
];
const ids = [
    A,
    B,
    C,
    V,
    N0,
    N1,
    "CPU/0-0",
    "PCI/0-1a000",
    "PCI/0-2a000",
    "NIC/0-1c000",
    "NIC/0-2c000",
];
const doc = {
    hosts: 2,
    ranks: 6,
    local_ranks: 3,
    system: {
        nodes: ids.map((id) => ({
            id,
            ...([A, B, C].includes(id) ? { rank: [A, B, C].indexOf(id) } : {}),
        })),
        links: [
            ...[A, B, C].flatMap((id) => both(id, V, "NVL", 100)),
            ...block(A, N0, 1),
            ...block(B, N1, 2),
            ...both("CPU/0-0", C, "PCI", 24),
        ],
    },
    paths: [
        [A, B],
        [B, C],
        [C, A],
        [B, A],
        [C, B],
    ]
        .map(([from, to]) => ({ from, to, type: "NVL", bw: 100, hops: [V, to] }))
        .concat([
            { from: N0, to: A, type: "PIX", bw: 24, hops: ["NIC/0-1c000", "PCI/0-1a000", A] },
            { from: A, to: N0, type: "PIX", bw: 24, hops: ["PCI/0-1a000", "NIC/0-1c000", N0] },
        ]),
    graphs: [
        {
            name: "ring",
            channels: 2,
            bw_intra: 40,
            bw_inter: 12,
            intra: [
                [0, 1, 2],
                [0, 1, 2],
            ],
            inter: [],
        },
        {
            name: "tree",
            channels: 1,
            bw_intra: 20,
            bw_inter: 12,
            intra: [[0, 1, 2]],
            inter: [[N0, N0]],
        },
        { name: "nvls", channels: 1, bw_intra: 60, bw_inter: 12, intra: [[0]], inter: [[N0, N0]] },
        { name: "collnet_direct", channels: 1, bw_intra: 5, bw_inter: 5, intra: [[1]], inter: [] },
    ],
    explanations: {
        loads: {
            ring: [
                [A, V, "NVL", 80, [0, 1]],
                [V, A, "NVL", 80, [0, 1]],
                ["PCI/0-1a000", A, "PCI", 6, [1]],
            ],
            nvls: [
                [V, "DEV/0-1b000", "NVL", 60, [0]],
                ["DEV/0-1b000", A, "LOC", 60, [0]],
            ],
        },
    },
    channels: {
        rings: [],
        trees: [],
        nvls: { channels: 2, heads: [0], tree: [{ up: [-1, -1, -1, 0, -1, -1] }] },
    },
};
const model = index(doc);

test("loads are the service's, the fullest link first; a GPU and the rank on it are one device", () => {
    const rows = loads(model, "ring");
    assert.deepEqual(
        rows.map(({ from, to, used, left, channels }) => [from, to, used, left, channels]),
        [
            [A, V, 80, 20, [0, 1]],
            [V, A, 80, 20, [0, 1]],
            ["PCI/0-1a000", A, 6, 18, [1]],
        ],
    );
    assert.deepEqual(
        loads(
            index({
                ...doc,
                system: {
                    nodes: [...doc.system.nodes, { id: "DEV/0-1b000" }],
                    links: [...doc.system.links, ["DEV/0-1b000", A, "LOC", 5000]],
                },
            }),
            "nvls",
        ).map(({ from, to, used }) => [from, to, used]),
        [[V, A, 60]],
    );
    assert.deepEqual(loads(model, "tree"), []);
});

test("NVLS goes from every GPU to the switch and back, and between hosts by the heads", () => {
    assert.deepEqual(
        channelSteps(model, "nvls", 0).map(({ a, b }) => `${a}>${b}`),
        ["0>switch", "switch>0", "1>switch", "switch>1", "2>switch", "switch>2", "3>0"],
    );
    assert.deepEqual(linksOf(model, A, V), [[A, V, "NVL"]]);
    assert.deepEqual(channelSteps(model, "nvls", 9), []);
});

test("CollNet direct goes to the head of the channel", () => {
    assert.equal(channelCount(model, "collnet_direct"), 1);
    assert.deepEqual(
        channelSteps(model, "collnet_direct", 0, 1).map(({ a, b }) => `${a}>${b}`),
        ["3>4", "4>3", "5>4", "4>5"],
    );
    const found = model.doc.graphs.find((row) => row.name === "collnet_direct"),
        before = found.inter;
    found.inter = [[N0, N0]];
    assert.deepEqual(
        channelSteps(model, "collnet_direct", 0, 1)
            .slice(4)
            .map(({ a, b }) => `${a}>${b}`),
        ["NIC>4", "4>NIC"],
        "by its NIC to the network",
    );
    found.inter = before;
    assert.deepEqual(["ring", "tree", "collnet_direct", "collnet", "nvls"].map(drawnAlone), [
        "ring",
        "tree",
        "collnet_direct",
        "collnet_direct",
        "",
    ]);
    assert.deepEqual(channelSteps(model, "collnet_chain", 0), []);
});

test("of two blocks alike the second is folded; GPUs and the blocks' switches stay", () => {
    const { hidden, blocks } = folded(model);
    assert.equal(blocks, 1);
    assert.deepEqual([...hidden].sort(), ["NET/0-1", "NIC/0-2c000"]);
    const odd = index({
        ...doc,
        system: {
            ...doc.system,
            links: doc.system.links.map(([a, b, type, bw]) => [
                a,
                b,
                type,
                b === "NIC/0-2c000" ? 12 : bw,
            ]),
        },
    });
    assert.equal(folded(odd).blocks, 0, "an odd one out is not hidden");
});

test("devices are found by bus id, rank, name, GUID and id; what is said whole comes first", () => {
    const xml =
        `<cpu numaid="0"><pci busid="0000:1c:00.0"><nic><net name="mlx5_4" dev="0" ` +
        `guid="0xABCDEF"/></nic></pci></cpu>`;
    const list = entries(model, xml.split("\n"), devicesIn(xml)),
        hit = (text) => find(list, text).map((entry) => entry.id);
    assert.equal(hit("1b:00.0")[0], A);
    assert.equal(hit("0000:2b:00.0")[0], B);
    assert.equal(hit("rank 2")[0], C);
    assert.equal(hit("mlx5_4")[0], N0);
    assert.equal(hit("0xabcdef")[0], N0);
    assert.equal(hit("GPU/0-1B000")[0], A);
    assert.equal(hit("gpu").length, 3);
    assert.deepEqual([hit(""), hit("nothing")], [[], []]);
});
