/* The search of the picker of machine types. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { matching, typeText } from "../../static/js/machine_types.js";

const row = (name, also, title, family, gpu, nets = 8) => ({ name, also, title, family, gpu, gpus: 8, nvlink: "switched", nets, net_gbps: 400, gdr: true });
const rows = [row("hgx-h100", [], "HGX H100, 8 GPUs", "NVIDIA", "H100 SXM"), row("p5.48xlarge", ["p5"], "8x H100", "AWS", "H100 SXM"), row("hgx-b200", [], "HGX B200", "NVIDIA", "B200", 1)];
const names = (text) => matching(rows, text).map(({ name }) => name);

test("every word counts, in any order and case, in names, other names, titles, families and GPUs", () => {
    assert.deepEqual(names(""), ["hgx-h100", "p5.48xlarge", "hgx-b200"]);
    assert.deepEqual(names("H100"), ["hgx-h100", "p5.48xlarge"]);
    assert.deepEqual(names("sxm hgx"), ["hgx-h100"]);
    assert.deepEqual([names("aws"), names("P5"), names("nvidia b200"), names("tpu")], [["p5.48xlarge"], ["p5.48xlarge"], ["hgx-b200"], []]);
});

test("what a type has, in a sentence with units", () => {
    assert.equal(typeText(rows[0]), "8 × H100 SXM, NVSwitch; 8 NIC ports of 400 Gb/s with GPUDirect RDMA");
    assert.equal(typeText(rows[2]), "8 × B200, NVSwitch; 1 NIC port of 400 Gb/s with GPUDirect RDMA");
    assert.equal(typeText({ ...rows[0], nets: 0, nvlink: "none" }), "8 × H100 SXM, no NVLink; no NICs");
});
