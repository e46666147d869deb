// SPDX-License-Identifier: Apache-2.0
/* The levels in effect, and where each comes from. */
import assert from "node:assert/strict";
import test from "node:test";
import { levelRows } from "../../static/js/levels.js";

const settings = [
    "NCCL_P2P_LEVEL",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_CROSS_NIC",
    "NCCL_MAX_NCHANNELS",
].map((name) => ({ name, default_text: `usual ${name}` }));
const doc = {
    nccl: "2.30.7",
    hosts: 2,
    ranks: 4,
    p2p: [{ p2p: 1 }, { p2p: 0 }],
    gdr: [],
    paths: [],
    graphs: [
        { name: "ring", channels: 2, cross_nic: 2 },
        { name: "nvls", channels: 0, cross_nic: 1 },
    ],
    summary: { channels: 8 },
    explanations: {
        p2p: [
            { rule: "P2P_WITHIN_LEVEL", level: "PXB", by_user: false },
            { rule: "P2P_OTHER_HOST", level: "LOC", by_user: false },
        ],
        gdr: [],
    },
};
const row = (rows, name) => rows.find((one) => one.name === name);

test("a default says of which release; what decided counts more than the default's text", () => {
    const rows = levelRows({ doc }, settings, {});
    assert.deepEqual(row(rows, "NCCL_P2P_LEVEL"), {
        what: "P2P between GPUs",
        name: "NCCL_P2P_LEVEL",
        value: "PXB",
        from: "default of NCCL 2.30.7",
        asked: false,
        result: "1 of 2 pairs use P2P",
    });
    assert.equal(row(rows, "NCCL_NET_GDR_LEVEL").value, "usual NCCL_NET_GDR_LEVEL");
    assert.equal(row(rows, "NCCL_CROSS_NIC").result, "Ring: in pairs that swap NICs");
    assert.equal(rows.length, settings.length, "a setting that the release lacks has no row");
});

test("a setting of the question is named, and so is another that decides in its place", () => {
    const other = {
        ...doc,
        hosts: 1,
        explanations: {
            p2p: [
                {
                    rule: "P2P_BEYOND_LEVEL",
                    level: "LOC",
                    by_user: true,
                    setting: "NCCL_P2P_DISABLE",
                },
            ],
        },
    };
    const rows = levelRows({ doc: other }, settings, {
        NCCL_P2P_DISABLE: "1",
        NCCL_MAX_NCHANNELS: "4",
    });
    assert.deepEqual(
        ["NCCL_P2P_LEVEL", "NCCL_MAX_NCHANNELS", "NCCL_CROSS_NIC"].map((name) => {
            const { value, from, asked } = row(rows, name);
            return [value, from, asked];
        }),
        [
            ["LOC", "NCCL_P2P_DISABLE=1", true],
            ["4", "NCCL_MAX_NCHANNELS=4", true],
            ["usual NCCL_CROSS_NIC", "default of NCCL 2.30.7", false],
        ],
    );
    assert.equal(row(rows, "NCCL_CROSS_NIC").result, "", "one host enters and leaves nowhere");
});
