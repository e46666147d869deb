// SPDX-License-Identifier: Apache-2.0
/* The short matrix of many trays: trays, the common values of their pairs, and the pair that an address names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hostsText, index, shortName } from "../../static/js/model.js";
import { chosenTrays, together, trays } from "../../static/js/trays.js";

const gpu = (system, n, rank) => ({ id: `GPU/${system}-${n}`, rank, dev: n });
const path = (from, to, type, bw) => ({ from, to, type, bw, hops: [to] });
const gpus = [gpu(0, 1, 0), gpu(0, 2, 1), gpu(1, 1, 2), gpu(1, 2, 3)],
    net = { id: "NET/1-0" };
const paths = gpus.flatMap((a) =>
    gpus.map((b) =>
        path(a.id, b.id, a === b ? "LOC" : "NVL", a.rank === 0 && b.rank === 3 ? 100 : 300),
    ),
);
const doc = { hosts: 1, system: { nodes: [...gpus, net], links: [] }, paths };
const model = index(doc),
    racks = trays(model);

test("trays in order, with their ranks; GPUs are named by rank where each tray numbers its own", () => {
    assert.deepEqual(
        racks.map(({ name, ranks, gpus: own, nets }) => [name, ranks, own.length, nets.length]),
        [
            ["Tray 0", "0–1", 2, 0],
            ["Tray 1", "2–3", 2, 1],
        ],
    );
    assert.equal(shortName(model, "GPU/1-1"), "Rank 2");
    assert.equal(hostsText(doc), "1 NVLink domain of 2 hosts");
    assert.equal(hostsText({ hosts: 2, system: { nodes: [gpus[0]] } }), "2 hosts");
});

test("pairs that agree are one value, others are counted; a device and itself are not a pair", () => {
    assert.deepEqual(
        [together(model, racks[0].gpus, racks[0].gpus, "bw")].map(({ text, mixed }) => [
            text,
            mixed,
        ]),
        [["300", false]],
    );
    const mixed = together(model, racks[0].gpus, racks[1].gpus, "bw");
    assert.deepEqual([mixed.text, mixed.mixed], ["300 100", true]);
    assert.match(mixed.label, /^3 of 4: NVL, 300 GB\/s.*; 1 of 4: NVL, 100 GB\/s/);
    assert.equal(together(model, racks[0].gpus, [], "type").text, "");
    assert.equal(together(model, racks[0].gpus, racks[1].nets, "type").text, "·", "no path");
});

test("two trays of an address", () => {
    assert.deepEqual(
        chosenTrays(racks, "1,0")?.map(({ name }) => name),
        ["Tray 1", "Tray 0"],
    );
    for (const text of ["", "all", "0,2", "x,1", "0"])
        assert.equal(chosenTrays(racks, text), null, text);
});
