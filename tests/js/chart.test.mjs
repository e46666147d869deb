// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import * as chart from "../../static/js/chart.js";

const sizes = [8, 16, 32, 64];
const predictions = {
    sizes,
    functions: {
        AllReduce: {
            bus_share: 1.5,
            ways: [
                { algorithm: "Ring", protocol: "LL", times: [1, 2, 4, 8] },
                { algorithm: "Tree", protocol: "Simple", times: [null, 3, 3, 3] },
                { algorithm: "PAT", protocol: "Simple", times: [null, null, null, null] },
            ],
            ranges: [
                { from: 8, algorithm: "Ring", protocol: "LL" },
                { from: 25, algorithm: "Tree", protocol: "Simple" },
            ],
        },
    },
};

test("bus bandwidth is bytes over time, times the collective's share", () => {
    assert.equal(chart.busBandwidth(2e9, 1e6, 1.5), 3);
    assert.equal(chart.busBandwidth(8, 0, 1), 0);
});

test("curves leave out sizes at which a way cannot be taken", () => {
    const [ring, tree, pat] = chart.curves(predictions, "AllReduce");
    assert.deepEqual([ring.points.length, tree.points.length, pat.points.length], [4, 3, 0]);
    assert.deepEqual(chart.curves(predictions, "Nothing"), []);
    assert.deepEqual(chart.curves(undefined, "AllReduce"), []);
});

test("ranges end where the next begins; the envelope follows each in turn", () => {
    const rows = chart.ranges(predictions, "AllReduce");
    assert.deepEqual(
        rows.map((row) => [row.name, row.to]),
        [
            ["Ring LL", 25],
            ["Tree Simple", null],
        ],
    );
    assert.equal(chart.chosenAt(rows, 24).name, "Ring LL");
    assert.equal(chart.chosenAt(rows, 25).name, "Tree Simple");
    assert.deepEqual(
        chart.envelope(chart.curves(predictions, "AllReduce"), rows).map(([bytes]) => bytes),
        sizes,
    );
});

test("at one size the ways come fastest first, the chosen one marked", () => {
    assert.deepEqual(
        chart.waysAt(predictions, "AllReduce", 32).map((way) => [way.name, way.time, way.chosen]),
        [
            ["Tree Simple", 3, true],
            ["Ring LL", 4, false],
        ],
    );
    assert.deepEqual(chart.waysAt(predictions, "AllReduce", 33), []);
});

test("axes: sizes go left to right, fast goes up, a place gives its size back", () => {
    const at = chart.axes(sizes, chart.curves(predictions, "AllReduce"));
    assert.ok(at.x(8) < at.x(64) && at.y(0.01) > at.y(0.02));
    for (const bytes of sizes) assert.equal(at.size(at.x(bytes) + 2), bytes);
    assert.equal(at.size(-100), 8);
});

test("times as people write them", () =>
    assert.deepEqual([5.81, 999.4, 15734, 2.5e6].map(chart.timeText), [
        "5.81 µs",
        "999 µs",
        "15.7 ms",
        "2.5 s",
    ]));
