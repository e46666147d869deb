// SPDX-License-Identifier: Apache-2.0
/* The choice of GPUs: the request, the rows, the cost of another choice, and the marks on the drawing. */
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import {
    command,
    costOf,
    leftText,
    placeMarks,
    placeQuery,
    placeRows,
    shownRow,
    toggled,
    usualCount,
} from "../../static/js/place.js";
import { DEFAULTS } from "../../static/js/state.js";

const on = (hosts, busbw) => ({
    hosts,
    busbw,
    algorithm: "Ring",
    protocol: "Simple",
    limit: `${hosts} NICs of 12 GB/s`,
    limited_by: "nics",
});
const set = (gpus, nics, busbw, hosts, more) => ({
    gpus,
    nics,
    order: gpus,
    busbw,
    hosts,
    left: { gpus: [3, 5], busbw, next: busbw },
    ...more,
});
const answer = {
    best: [
        set([0, 2], ["a", "b"], 120, [on(1, 240), on(2, 80)], { same: 16 }),
        set([0, 1], ["a"], 60, [on(1, 240), on(2, 40)], { same: 1 }),
    ],
    compared: null,
};

test("the query: half of the GPUs, one and two hosts, what is free and what is compared", () => {
    assert.deepEqual([1, 2, 3, 8].map(usualCount), [1, 2, 2, 4]);
    const asked = new URLSearchParams("release=2.27.7&hosts=1&nics=mlx5_0");
    assert.equal(
        placeQuery(asked, DEFAULTS, 8).toString(),
        "release=2.27.7&count=4&collective=all_reduce",
    );
    assert.equal(
        placeQuery(
            asked,
            { ...DEFAULTS, hosts: 4, count: 3, free: "0,1,4,5", rival: "0,1,4" },
            8,
        ).toString(),
        "release=2.27.7&hosts=4&count=3&collective=all_reduce&free=0%2C1%2C4%2C5&compare=0%2C1%2C4",
    );
    assert.match(placeQuery(asked, { ...DEFAULTS, free: "0,1,4,5" }, 8).toString(), /count=2/);
});

test("a GPU is taken out of the free ones, or put back; all of them are not a list", () => {
    assert.equal(toggled("", 2, 4), "0,1,3");
    assert.equal(toggled("0,1,3", 2, 4), "");
    assert.equal(toggled("3,1", 0, 4), "0,1,3");
});

test("rows have their share of the best, what limits them, and what stays free", () => {
    const rows = placeRows(answer);
    assert.deepEqual(
        rows.map((row) => [row.key, row.hosts, row.share, row.limit, row.same]),
        [
            ["0,2", ["240", "80"], "best", "2 NICs of 12 GB/s", "16 sets"],
            ["0,1", ["240", "40"], "50 %", "2 NICs of 12 GB/s", "1 set"],
        ],
    );
    assert.equal(leftText(answer.best[0].left), "3, 5: another such job gets 120 GB/s");
    assert.equal(leftText({ gpus: [], busbw: null, next: null }), "none");
    assert.equal(shownRow(rows, "0,1").key, "0,1");
    assert.equal(shownRow(rows, "7").key, "0,2", "what is not a row is the best");
    assert.equal(shownRow([], ""), null);
});

test("another choice costs what it gets less, on the number of hosts where it shows most", () => {
    const rows = placeRows({ ...answer, compared: set([1, 3], [], 90, [on(1, 240), on(2, 60)]) });
    assert.deepEqual(
        rows.map((row) => row.rival),
        [false, false, true],
    );
    assert.equal(costOf(rows[0], rows), "");
    assert.equal(
        costOf(rows[1], rows),
        "50 % less than the best set: 40 instead of 80 GB/s on 2 hosts",
    );
    assert.equal(
        costOf(rows[2], rows),
        "25 % less than the best set: 60 instead of 80 GB/s on 2 hosts",
    );
    const alone = placeRows({ best: [set([0], [], null, [on(1, null)])], compared: null });
    assert.deepEqual([alone[0].share, costOf(alone[0], alone)], ["–", ""]);
});

test("the GPUs of a set, the ports of its NICs and their cards are marked; the command names devices", () => {
    const model = index({
        system: {
            nodes: [
                { id: "GPU/0-1", rank: 0, dev: 3 },
                { id: "GPU/0-2", rank: 1, dev: 1 },
                { id: "NIC/0-5" },
                { id: "NET/0-0" },
            ],
            links: [
                ["NIC/0-5", "NET/0-0", "NET", 12],
                ["NET/0-0", "NIC/0-5", "NET", 12],
            ],
        },
    });
    assert.deepEqual(
        placeMarks(model, { "NET/0-0": "a", "NET/0-1": "c" }, { gpus: [0, 1, 9], nics: ["a"] }),
        ["GPU/0-1", "GPU/0-2", "NET/0-0", "NIC/0-5"],
    );
    assert.equal(command(model, { entry: { order: [1, 0] } }), "CUDA_VISIBLE_DEVICES=1,3");
});
