// SPDX-License-Identifier: Apache-2.0
/* The search of the picker of machine types. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { matching, newestFirst, typeText } from "../../static/js/machine_types.js";

const row = (name, also, title, family, gpu, nets = 8) => ({
    name,
    also,
    title,
    family,
    gpu,
    gpus: 8,
    nvlink: "switched",
    nets,
    net_gbps: 400,
    gdr: true,
});
const rows = [
    row("hgx-h100", [], "HGX H100, 8 GPUs", "NVIDIA", "H100 SXM"),
    row("p5.48xlarge", ["p5"], "8x H100", "AWS", "H100 SXM"),
    row("hgx-b200", [], "HGX B200", "NVIDIA", "B200", 1),
];
const names = (text) => matching(rows, text).map(({ name }) => name);

test("every word counts, in any order and case, in names, other names, titles, families and GPUs", () => {
    assert.deepEqual(names(""), ["hgx-h100", "p5.48xlarge", "hgx-b200"]);
    assert.deepEqual(names("H100"), ["hgx-h100", "p5.48xlarge"]);
    assert.deepEqual(names("sxm hgx"), ["hgx-h100"]);
    assert.deepEqual(
        [names("aws"), names("P5"), names("nvidia b200"), names("tpu")],
        [["p5.48xlarge"], ["p5.48xlarge"], ["hgx-b200"], []],
    );
});

test("what a type has, in a sentence with units", () => {
    assert.equal(
        typeText(rows[0]),
        "8 × H100 SXM, NVSwitch; 8 NIC ports of 400 Gb/s with GPUDirect RDMA",
    );
    assert.equal(
        typeText(rows[2]),
        "8 × B200, NVSwitch; 1 NIC port of 400 Gb/s with GPUDirect RDMA",
    );
    assert.equal(
        typeText({ ...rows[0], nets: 0, nvlink: "none" }),
        "8 × H100 SXM, no NVLink; no NICs",
    );
});

test(
    "of a family the newest generation comes first, of one generation the larger machines, then by title; " +
        "workstation cards are of the same generation as their larger siblings",
    () => {
        const types = [
            ["DGX-1", 60, 8],
            ["DGX Spark", 121, 1],
            ["HGX H100, 4 GPUs", 90, 4],
            ["HGX H100", 90, 8],
            ["DGX H100", 90, 8],
            ["RTX PRO 6000", 120, 8],
            ["GB200 tray", 100, 4],
            ["B200", 100, 8],
            ["B300", 103, 8],
        ].map(([title, sm, gpus]) => ({ family: "NVIDIA", title, sm, gpus }));
        assert.deepEqual(
            newestFirst(types).map(({ title }) => title),
            [
                "B300",
                "B200",
                "RTX PRO 6000",
                "GB200 tray",
                "DGX Spark",
                "DGX H100",
                "HGX H100",
                "HGX H100, 4 GPUs",
                "DGX-1",
            ],
        );
        assert.deepEqual(
            newestFirst([types[0], { ...types[8], family: "AWS" }]).map(({ family }) => family),
            ["NVIDIA", "AWS"],
            "families keep their order",
        );
    },
);
