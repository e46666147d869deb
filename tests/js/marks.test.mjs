// SPDX-License-Identifier: Apache-2.0
/* Where findings are marked: on a channel's picture by its own ids, on a cluster's drawing by its hosts. */
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import {
    findingsByKind,
    marksOfChannel,
    marksOfCluster,
    marksOfMachine,
} from "../../static/js/marks.js";

const nodes = ["GPU/0-1000", "GPU/0-2000", "NIC/0-3000", "NET/0-0", "PCI/0-9000", "CPU/0-0"].map(
    (id, i) => ({ id, ...(i < 2 ? { rank: i } : {}) }),
);
const links = [
    ["CPU/0-0", "PCI/0-9000", "PCI"],
    ["PCI/0-9000", "GPU/0-1000", "PCI"],
    ["PCI/0-9000", "NIC/0-3000", "PCI"],
    ["NIC/0-3000", "NET/0-0", "NET"],
    ["CPU/0-0", "GPU/0-2000", "PCI"],
].flatMap(([a, b, type]) => [
    [a, b, type, 24],
    [b, a, type, 24],
]);
const slow = {
    id: "slow-link",
    severity: "warning",
    title: "slow",
    places: [{ node: "NIC/0-3000" }],
};
const path = {
    from: "GPU/0-1000",
    to: "NET/0-0",
    type: "PIX",
    bw: 12,
    hops: ["PCI/0-9000", "NIC/0-3000", "NET/0-0"],
};
const model = index({
    system: { nodes, links },
    paths: [path],
    findings: [slow, { ...slow, id: "note", severity: "info" }],
    ranks: 2,
    hosts: 2,
});

test("the drawing of the machine marks the device and its link, and no note", () => {
    assert.deepEqual(
        marksOfMachine(model).map((row) => [
            row.node ?? row.link.join(" "),
            row.severity,
            row.findings.length,
        ]),
        [
            ["NIC/0-3000", "warning", 1],
            ["NIC/0-3000 PCI/0-9000 PCI", "warning", 1],
        ],
    );
});

test("a channel's picture marks the port of the NIC on every host, and paths over the link", () => {
    const drawn = [
        "GPU/0-1000",
        "NET/0-0",
        "host1/NET/0-0",
        "GPU/0-2000~out",
        "GPU/0-1000--NET/0-0",
        "NET/0-0--host1/NET/0-0",
    ];
    assert.deepEqual(
        marksOfChannel(model, drawn).map((row) => row.node ?? row.link.join(" ").trim()),
        ["NET/0-0", "host1/NET/0-0", "GPU/0-1000 NET/0-0"],
    );
    assert.deepEqual(marksOfChannel(model, drawn)[2].findings, [slow]);
});

const view = {
    kinds: [
        {
            hosts: [
                [0, 4],
                [6, 9],
            ],
            odd: false,
        },
        { hosts: [[5, 5]], odd: true },
        { hosts: [[10, 12]], odd: false },
    ],
};
const odd = { id: "cluster-odd-host", severity: "warning", title: "odd" },
    off = { id: "gdr-off", severity: "warning", title: "off", where: { node: "NET/0-5" } };
const stations = [
    { id: "station:0", title: "Host 0: 0 1 of the ring" },
    { id: "station:1", title: "▼ Host 5: slowest, unlike most: 8 9 of the ring" },
    { id: "station:2", title: "4 hosts alike, 6…9" },
    { id: "station:3", title: "2 hosts alike, such as 11: ranks 88–95" },
];
const marked = (findings, others) =>
    marksOfCluster(view, findingsByKind(view, findings, others), stations).map(
        ({ node, severity, findings: rows }) => [
            node,
            severity,
            rows.map(({ key }) => key).join(" "),
        ],
    );

test(
    "a cluster's drawing marks hosts that differ from most, where a finding says so; no host differs: all of " +
        "them",
    () => {
        assert.deepEqual(marked([odd, { ...odd, id: "uneven-hosts" }]), [
            ["station:1", "warning", "cluster-odd-host"],
        ]);
        assert.deepEqual(marked([{ ...odd, severity: "info" }]), [], "notes carry no mark");
        const even = { kinds: view.kinds.map((kind) => ({ ...kind, odd: false })) };
        assert.equal(
            marksOfCluster(
                even,
                findingsByKind(even, [{ ...odd, id: "cluster-nic-order" }]),
                stations,
            ).length,
            4,
        );
    },
);

test(
    "a finding about a device marks every tile of its kind, of one host and of many alike: the first host's, " +
        "and those of other kinds by what their machines have",
    () => {
        assert.deepEqual(marked([off, odd]), [
            ["station:0", "warning", "gdr-off"],
            ["station:1", "warning", "cluster-odd-host"],
            ["station:2", "warning", "gdr-off"],
        ]);
        assert.deepEqual(
            marked(
                [],
                [
                    [
                        2,
                        [
                            { ...off, severity: "error" },
                            { ...off, id: "note", severity: "info" },
                            { ...off, id: "whole", where: undefined },
                        ],
                    ],
                ],
            ),
            [["station:3", "error", "gdr-off:2"]],
        );
    },
);
