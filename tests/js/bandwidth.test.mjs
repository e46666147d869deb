// SPDX-License-Identifier: Apache-2.0
/* Drawing and texts of the Bandwidth view for an answer of check-perf. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as perf from "../../static/js/bandwidth.js";

const sizes = [8, 1024, 2 ** 20, 2 ** 28, 2 ** 30];
const answer = {
    verdict: "low",
    sentence: "87 GB/s at 1 GiB is 24 % of what this machine should give.",
    machine: {
        name: "hgx-h100",
        source: "guessed",
        sentence: "hgx-h100, 2 hosts of 8 GPUs, NCCL 2.27.7",
    },
    release: "2.27.7",
    hosts: 2,
    ranks: 16,
    collective: "all_reduce",
    rows: sizes.map((size, i) => ({
        size,
        busbw: [0, 0.04, 21, 80, 87.1][i],
        in_place: [0, 0.05, 20, 81, 87][i],
        time: 30 + i,
        expected: [0, 0.05, 22, 330, 360][i],
        low: [0, 0.02, 15, 300, 331][i],
        high: [0, 0.09, 30, 340, 371][i],
        verdict: ["cannot judge", "cannot judge", "as expected", "low", "low"][i],
        why: i < 2 ? "launch overhead dominates below 1 MiB" : undefined,
        algorithm: "Ring",
        protocol: "Simple",
        channels: 16,
    })),
    curve: sizes.map((size, i) => ({
        size,
        expected: [0.001, 0.05, 22, 330, 360][i],
        low: [0, 0.02, 15, 300, 331][i],
        high: [0.002, 0.09, 30, 340, 371][i],
    })),
    crossovers: [{ size: 65536, from: "Tree/LL", to: "Tree/LL128" }],
    shapes: [{ kind: "knee", from: 2 ** 20, to: 2 ** 28, sentence: "…" }],
    explanations: [
        {
            what: "2 of 8 NICs are used: predicted 90, measured 87",
            fit: 0.968,
            confirm: "ls",
            curve: [0, 0.05, 20, 82, 90],
        },
    ],
    assumed: [],
};

test("results are known by the names of their columns, in every form; logs, dumps and XML are not results", () => {
    for (const text of [
        "#       size  count  type  redop  root  time  algbw  busbw #wrong",
        '{"out_of_place": {"time": 1, "alg_bw": 2, "bus_bw": 3}}',
        "# Avg bus bandwidth    : 1.2",
        "| Size | BusBW |",
        "size,busbw\n8,0.1",
    ])
        assert.ok(perf.isResults(text), text);
    for (const text of [
        "a:1:2 [0] NCCL INFO Channel 00/02 : 0 1",
        '<system version="1"/>',
        "<graphs/>",
        "\tGPU0\tGPU1",
        "machine type: hgx-h100",
    ])
        assert.ok(!perf.isResults(text), text);
    assert.ok(!perf.isResults("<html> busbw"));
});

test("a picture holds what a logarithmic chart can show: no zeros", () => {
    const shown = perf.picture(answer);
    assert.deepEqual(
        shown.measured.map(({ size, verdict }) => [size, verdict]),
        [
            [1024, "cannot judge"],
            [2 ** 20, "as expected"],
            [2 ** 28, "low"],
            [2 ** 30, "low"],
        ],
    );
    assert.deepEqual(
        shown.expected.map(([, bw]) => bw),
        [0.001, 0.05, 22, 330, 360],
    );
    assert.equal(shown.band.low.length, 4);
    assert.deepEqual(shown.explained, {
        name: "2 of 8 NICs are used: predicted 90, measured 87",
        points: [
            [1024, 0.05],
            [2 ** 20, 20],
            [2 ** 28, 82],
            [2 ** 30, 90],
        ],
    });
    assert.deepEqual(shown.crossings, [{ size: 65536, name: "Tree/LL → Tree/LL128" }]);
    assert.deepEqual(shown.shapes, [{ from: 2 ** 20, to: 2 ** 28, name: "knee" }]);
});

test("an answer that says less: no curve, no explanation, no crossovers, one row", () => {
    const { curve, crossovers, shapes, explanations, ...less } = answer,
        shown = perf.picture({ ...less, rows: less.rows.slice(-1) });
    assert.deepEqual(
        [shown.expected, shown.explained, shown.crossings, shown.shapes],
        [[[2 ** 30, 360]], null, [], []],
    );
    const at = perf.plotAxes(perf.scaled(shown, "log"));
    assert.ok(Number.isFinite(at.x(2 ** 30)) && Number.isFinite(at.y(360)));
    assert.equal(
        perf.plotAxes(perf.scaled(perf.picture({ ...less, rows: less.rows.slice(0, 1) }), "log")),
        null,
        "nothing above 0",
    );
    assert.equal(
        perf.picture({ ...answer, explanations: [{ what: "x", fit: 1, curve: [1, 2, 3] }] })
            .explained,
        null,
        "a curve of other sizes is not drawn",
    );
});

test("axes: 1 KiB, 1 MiB and 1 GiB carry labels, and the first size; no decade below what nccl-tests prints", () => {
    const at = perf.plotAxes(perf.scaled(perf.picture(answer), "log"));
    assert.deepEqual(at.xTicks, [2 ** 10, 2 ** 20, 2 ** 30]);
    assert.equal(Math.min(...at.yTicks), 0.01);
    assert.ok(
        at.x(2 ** 10) < at.x(2 ** 20) && at.x(2 ** 20) < at.x(2 ** 30) && at.y(0.1) > at.y(100),
    );
    const rows = answer.rows.map((row) => ({
        ...row,
        size: row.size * 2 ** 13,
        busbw: row.busbw + 1,
    }));
    assert.deepEqual(
        perf.plotAxes(
            perf.scaled(perf.picture({ ...answer, rows, curve: [], explanations: [] }), "log"),
        ).xTicks,
        [2 ** 16, 2 ** 20, 2 ** 30, 2 ** 43],
    );
});

test("linear from 1 MiB on: 0 at the bottom, round figures, no small sizes", () => {
    const shown = perf.scaled(perf.picture(answer), "linear"),
        at = perf.plotAxes(shown, perf.PLOT, "linear");
    assert.deepEqual([at.first, at.last], [2 ** 20, 2 ** 30]);
    assert.deepEqual(at.yTicks, [0, 100, 200, 300]);
    assert.ok(
        Math.abs(at.y(200) - (at.y(100) + at.y(300)) / 2) < 1e-9 &&
            at.y(0) === perf.PLOT.h - perf.PLOT.bottom,
    );
    assert.equal(
        perf.plotAxes(
            perf.scaled(
                perf.picture({
                    ...answer,
                    rows: answer.rows.slice(0, 2),
                    curve: [],
                    explanations: [],
                }),
                "linear",
            ),
            perf.PLOT,
            "linear",
        ),
        null,
    );
});

test("the band is one outline, along its top and back along its bottom; none without a range", () => {
    const around = perf
        .outline(perf.scaled(perf.picture(answer), "log").band)
        .map(([size]) => size);
    assert.deepEqual(around, [1024, 2 ** 20, 2 ** 28, 2 ** 30, 2 ** 30, 2 ** 28, 2 ** 20, 1024]);
    assert.deepEqual(perf.outline({ low: [], high: [] }), []);
});

test("every verdict has a mark of its own; an unknown one counts as not judged", () => {
    const marks = ["as expected", "low", "high", "cannot judge"].map(
        (verdict) => perf.markOf(verdict)[0],
    );
    assert.equal(new Set(marks).size, 4);
    assert.deepEqual(perf.markOf("something"), perf.markOf("cannot judge"));
});

test("one sentence for rows in a row with the same reason; texts with units", () => {
    assert.deepEqual(perf.reasons(answer.rows).map(perf.reasonText), [
        "8 B to 1 KiB: cannot judge, because launch overhead dominates below 1 MiB",
    ]);
    assert.equal(perf.rangeText({ low: 331.4, high: 371 }), "331–371");
    assert.equal(perf.rangeText({ low: 0, high: 0 }), "–");
    assert.equal(perf.fitText(0.968), "fits 97 %");
    assert.equal(
        perf.aboutText(answer),
        "all_reduce_perf, 16 ranks; machine: hgx-h100, 2 hosts of 8 GPUs, NCCL 2.27.7 (guessed)",
    );
    assert.equal(
        perf.aboutText({ machine: null, collective: null }),
        "program not known; machine not known",
    );
    assert.equal(perf.resultRows(answer).length, 1 + sizes.length);
});

test("tables of one answer; commands within a sentence; how the range came about", () => {
    const both = {
        ...answer,
        table: 1,
        tables: [
            { ...answer, verdict: "as expected", line: 4 },
            { ...answer, line: 90 },
        ],
    };
    assert.deepEqual(
        [
            perf.tableAt(both, null).line,
            perf.tableAt(both, 0).verdict,
            perf.tableAt(answer, null).verdict,
        ],
        [90, "as expected", "low"],
    );
    const band = {
        network: "InfiniBand or RoCE",
        based_on: "published results of the same kind",
        low: 0.92,
        high: 1.03,
        results: 12,
        sources: 6,
        wide: false,
    };
    assert.equal(
        perf.bandText(band),
        "The normal range at this size is 92 to 103 % of the prediction. It rests on published results of the " +
            "same kind: 12 results of at least 6 sources (InfiniBand or RoCE).",
    );
    assert.match(
        perf.bandText({
            ...band,
            results: 0,
            wide: true,
            based_on: "no published result of this kind of network",
        }),
        /rests on no published result of this kind of network.*It is wide/,
    );
    assert.equal(
        perf.bandText({
            ...band,
            low: 0,
            high: 0,
            based_on: "no published result of this kind of network",
        }),
        "No normal range: no published result of this kind of network.",
    );
});

test("values that were not printed or predicted are left out: null, not 0", () => {
    const none = {
        size: 1024,
        busbw: null,
        in_place: null,
        time: null,
        expected: null,
        low: null,
        high: null,
        verdict: "cannot judge",
        why: "nothing is predicted for this size",
        algorithm: null,
        protocol: null,
    };
    const shown = perf.picture({
        ...answer,
        rows: [none],
        curve: undefined,
        explanations: [{ what: "x", fit: 0.5, curve: [null] }],
    });
    assert.deepEqual(
        [shown.measured, shown.expected, shown.band, shown.explained.points],
        [[], [], { low: [], high: [] }, []],
    );
    assert.equal(perf.rangeText(none), "–");
    assert.deepEqual(perf.resultRows({ rows: [none] })[1].slice(1, 7), ["", "", "", "", "", ""]);
});

test("without results: what is predicted, with its crossovers", () => {
    const doc = {
        collective: "all_reduce",
        release: "2.30.7",
        hosts: 1,
        ranks: 8,
        limit: "8 NICs of 48 GB/s",
        crossovers: [{ size: 2 ** 20, from: "Tree/LL", to: "Ring/Simple" }],
        rows: [
            { size: 8, busbw: 0.0006, algorithm: "Tree", protocol: "LL", channels: 1 },
            { size: 2 ** 20, busbw: 40, algorithm: "Ring", protocol: "Simple", channels: 16 },
            { size: 2 ** 33, busbw: 460.7, algorithm: "Ring", protocol: "Simple", channels: 16 },
        ],
    };
    const shown = perf.predictedPicture(doc);
    assert.deepEqual(shown.crossings, [{ size: 2 ** 20, name: "Tree/LL → Ring/Simple" }]);
    assert.deepEqual(
        shown.rows.map((row) => [row.size, row.algorithm, row.expected]),
        [
            [8, "Tree", 0.0006],
            [2 ** 20, "Ring", 40],
            [2 ** 33, "Ring", 460.7],
        ],
    );
    assert.deepEqual(
        [shown.expected.length, shown.measured, shown.explained, perf.outline(shown.band)],
        [3, [], null, []],
    );
    assert.equal(
        perf.predictedText(doc),
        "461 GB/s at 8 GiB for all_reduce with NCCL 2.30.7 on 1 host, 8 ranks; Ring Simple; limited by 8 NICs " +
            "of 48 GB/s",
    );
});
