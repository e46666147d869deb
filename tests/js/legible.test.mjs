// SPDX-License-Identifier: Apache-2.0
/* Shortens texts to the available space. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { briefLink, briefNames, fitting } from "../../static/js/legible.js";
import { outdented } from "../../static/js/model.js";

test("a tile's names, longest first; without bus ids where less is asked", () => {
    assert.deepEqual(briefNames(["GPU 10 · rank 10", "0008:06:00.0"], "gpu"), [
        "GPU 10 · rank 10 · 0008:06:00.0",
        "GPU 10 · rank 10",
        "GPU 10",
        "10",
    ]);
    assert.deepEqual(briefNames(["GPU 10 · rank 10", "12:00.0"], "gpu", true), ["GPU 10", "10"]);
    assert.deepEqual(briefNames(["PCIe switch 10:00.0"], "pci"), [
        "PCIe switch 10:00.0",
        "PCIe switch 10:00.0",
        "PCIe switch",
        "PCIe",
    ]);
    assert.deepEqual(briefNames(["0008:04:00.0"], "pci", true), ["PCIe", "PCIe"]);
    assert.deepEqual(briefNames(["NUMA node 1", "Arm"], "cpu", true), ["NUMA 1", "1"]);
    assert.deepEqual(briefNames(["60 hosts alike, 7…125", "GPUs 0 1"], "station").slice(2), [
        "60 hosts",
        "60×",
    ]);
    assert.deepEqual(briefNames(["▼ Host 5: slowest", "0 1"], "station").slice(2), [
        "▼ Host 5",
        "▼ 5",
    ]);
    assert.deepEqual(briefNames(["Tray 3", "0 1"], "station").slice(2), ["Tray 3", "3"]);
    assert.deepEqual(briefNames(["NVSwitch"], "nvs"), ["NVSwitch", "NVSwitch", "NVSwitch", "NVS"]);
});

test("a link's figure, with its warning; with its kind in rings and trees", () => {
    assert.equal(briefLink("Gen4 x16 · 24 GB/s"), "24");
    assert.equal(briefLink("inter-CPU 1.5 GB/s"), "1.5");
    assert.equal(briefLink("⚠ Gen3 x8 · 6 GB/s"), "⚠ 6");
    assert.equal(briefLink("NVL 722 GB/s", true), "NVL 722");
    assert.equal(briefLink("NET", true), "NET");
});

test("tiles of a kind say alike: the longest that all have room for", () => {
    const names = ["GPU 0 · rank 0", "GPU 0", "0"],
        tile = (w, h = 34) => ({ names, box: { w, h }, own: 10 });
    const said = (tiles, scale) => fitting(tiles, scale).map((fits) => fits?.text ?? null);
    assert.deepEqual(said([tile(120), tile(120)], 1), [names[0], names[0]]);
    assert.deepEqual(said([tile(120), tile(60)], 1), [names[1], names[1]], "one is too narrow");
    assert.deepEqual(said([tile(120), tile(60)], 0.35), [names[2], names[2]]);
    assert.deepEqual(
        said([tile(120), tile(120, 4)], 0.35),
        [names[2], null],
        "one has no room for anything",
    );
    const [{ size }] = fitting([tile(120)], 0.4);
    assert.ok(size * 0.4 >= 7.5 && size <= 34);
});

test("an excerpt loses the indentation that its lines share", () => {
    const rows = [
        { text: "    <a>", caret: -1 },
        { text: "      <b>", caret: 6 },
        { text: "", caret: -1 },
    ];
    assert.deepEqual(outdented(rows), [
        { text: "<a>", caret: -1 },
        { text: "  <b>", caret: 2 },
        { text: "", caret: -1 },
    ]);
});

test("where each tray numbers its GPUs from 0, a GPU is called by its rank in brief too", () => {
    assert.deepEqual(briefNames(["GPU 0", "rank 68"], "gpu"), [
        "GPU 0 · rank 68",
        "GPU 0",
        "rank 68",
        "68",
    ]);
    assert.equal(briefNames(["GPU 0 · rank 0", "12:00.0"], "gpu").at(-1), "0");
});
