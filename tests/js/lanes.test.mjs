// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { bandOf, lanes, lineOf } from "../../static/js/lanes.js";

/* Two rows of four GPUs over and under a band. */
const places = { "NVS/0-0": { x: 200, y: 100, w: 400, h: 20 } };
for (let i = 0; i < 8; i++)
    places[`GPU/0-${i}`] = { x: 50 + 100 * (i % 4), y: i < 4 ? 50 : 150, w: 80, h: 20 };
places["NET/0-0"] = { x: 50, y: 10, w: 40, h: 10 };
const centre = (id) => places[id] ?? null,
    band = bandOf(Object.keys(places), centre),
    gpu = (i) => `GPU/0-${i}`,
    step = (a, b) => ({ from: gpu(a), to: gpu(b), a, b });

test("a band is one wide NVSwitch: not a narrow one, not two", () => {
    assert.equal(band.id, "NVS/0-0");
    assert.equal(
        bandOf(["NVS/0-0"], () => ({ x: 0, y: 0, w: 40, h: 20 })),
        null,
    );
    assert.equal(bandOf(["NVS/0-0", "NVS/0-1"], centre), null);
    assert.equal(bandOf([gpu(0)], centre), null);
    assert.equal(bandOf([...Object.keys(places), "box:tray:0"], centre), null, "a rack");
});

test("a ring's steps share no piece of a line, and keep to their own row's side", () => {
    const ring = [0, 7, 6, 5, 4, 3, 2, 1].map((a, i, all) => step(a, all[(i + 1) % 8])),
        rows = lanes(ring, band, centre);
    assert.equal(rows.length, 8);
    const pieces = rows.flatMap(({ from, to, y }) => [
        { x: [from.x, from.x], y: [from.y, y] },
        { x: [from.x, to.x], y: [y, y] },
        { x: [to.x, to.x], y: [y, to.y] },
    ]);
    const among = (a, b) =>
        Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b));
    pieces.forEach((one, i) =>
        pieces.slice(i + 1).forEach((other) => {
            const [x, y] = [among(one.x, other.x), among(one.y, other.y)];
            assert.ok(!(x === 0 && y > 0) && !(y === 0 && x > 0), JSON.stringify([one, other]));
        }),
    );
    const y = (a) => rows.find(({ i }) => ring[i].a === a).y;
    assert.ok(y(2) < y(0) && y(0) < y(6), "above, both rows, below");
    for (const row of rows) assert.ok(row.y > 60 && row.y < 140, "between the rows");
});

test("a tree's lanes go down with its generations: no child's is above its parent's", () => {
    const up = { 1: 0, 2: 1, 3: 2, 4: 3, 5: 4 },
        depth = ({ b }) => {
            let count = 0;
            for (let at = b; at in up; at = up[at]) count++;
            return count;
        };
    const steps = [4, 2, 5, 1, 3].map((child) => step(child, up[child])),
        rows = lanes(steps, band, centre, depth),
        y = (child) => rows.find(({ i }) => steps[i].a === child).y;
    for (const child of [2, 3, 4, 5]) assert.ok(y(child) >= y(child - 1), String(child));
    assert.ok(y(5) > y(1));
});

test("NVLS is short lines to the band and back; steps of NICs are left to their arrows", () => {
    const rows = lanes(
        [
            { from: gpu(1), to: "NVS/0-0" },
            { from: "NVS/0-0", to: gpu(1) },
            { from: "NET/0-0", to: gpu(0) },
            { from: gpu(5), to: "NVS/0-0" },
        ],
        band,
        centre,
    );
    assert.deepEqual(
        rows.map(({ i, straight }) => [i, straight]),
        [
            [0, true],
            [1, true],
            [3, true],
        ],
    );
    assert.deepEqual([rows[0].from.y, rows[0].to.y], [60, 90]);
    assert.deepEqual([rows[1].from.y, rows[1].to.y], [90, 60]);
    assert.deepEqual([rows[2].from.y, rows[2].to.y], [140, 110]);
    assert.notEqual(rows[0].from.x, rows[1].from.x);
    assert.match(lineOf(rows[0]).d, /^M[\d.]+,60 L[\d.]+,90$/);
});

test("one GPU above another: a line that goes straight along", () => {
    const [row] = lanes([step(1, 5)], band, centre);
    assert.match(lineOf(row).d, /^M/);
    assert.ok(!lineOf(row).d.includes("NaN"));
});
