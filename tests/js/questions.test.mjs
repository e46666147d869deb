/* The questions of the first screen whose answers are the service's findings. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { index } from "../../static/js/model.js";
import { questions } from "../../static/js/questions.js";

const doc = { ranks: 1, hosts: 1, settings: {}, paths: [], p2p: [], system: { nodes: [{ id: "GPU/0-1b000", rank: 0 }, { id: "NIC/0-5e000" }], links: [["NIC/0-5e000", "GPU/0-1b000", "PCI", 12]] } };
const slow = { id: "slow-link", detail: "0000:5e:00.0 has x8", where: { node: "NIC/0-5e000" }, places: [{ node: "NIC/0-5e000" }], more_places: 0 };
const slower = (findings) => questions(index({ ...doc, findings })).find((row) => row.id === "degraded");

test("a device is slower than its equals where a finding says so, and only there", () => {
    assert.equal(slower([]).tone, "good");
    assert.equal(slower([{ ...slow, id: "shared-uplink" }]).tone, "good");
    const row = slower([{ ...slow, id: "shared-uplink" }, slow]);
    assert.deepEqual([row.answer, row.tone, row.patch], ["0000:5e:00.0 has x8", "bad", { view: "machine", panel: "selection", from: "NIC/0-5e000", to: "" }]);
    assert.equal(slower([slow, { ...slow, id: "nvlink-count", places: [{}, {}], more_places: 3 }]).answer, "0000:5e:00.0 has x8; 5 more devices");
    assert.deepEqual(slower([{ ...slow, where: undefined, places: [] , more_places: 1 }]).patch, { view: "machine" });
});

test("the findings that it reads are in the catalogue", () => {
    const catalogue = readFileSync(new URL("../../docs/findings.md", import.meta.url), "utf8");
    for (const id of ["nvlink-count", "slow-link", "port-slow"]) {
        assert.equal(slower([{ ...slow, id }]).tone, "bad", id);
        assert.ok(catalogue.includes(`[${id}](#${id})`), id);
    }
});
