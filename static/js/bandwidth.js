// SPDX-License-Identifier: Apache-2.0
/* Results of nccl-tests beside the prediction: what is drawn and what the table says, from an answer of check-perf or
 * of predict. Pure functions. */
import { axes } from "./chart.js";
import { sizeText } from "./compare.js";
import { bandwidth, joined, plural, words } from "./model.js";

/** Whether text holds results of nccl-tests, by the names that their columns have in every form. The service decides;
 * what it does not recognise is read as something else. */
export const isResults = (text) =>
    !/^\s*</.test(text) && /\b(busbw|bus_bw|bus bandwidth)\b/i.test(text);

/** A verdict as a mark and as the tone of its colour; the page shows the word next to them. */
export const VERDICTS = {
    "as expected": ["✓", "good"],
    low: ["▼", "fault"],
    high: ["▲", "limited"],
    "cannot judge": ["?", "open"],
};
export const markOf = (verdict) => VERDICTS[verdict] ?? VERDICTS["cannot judge"];

/* The points that a logarithmic chart can show: those above 0. */
const positive = (points) => points.filter(([size, bw]) => size > 0 && bw > 0);

/** A curve of an explanation has a value for each row, or for each point of the curve. */
function explained(answer) {
    const [best] = answer.explanations ?? [],
        sizes = [answer.rows, answer.curve].find((rows) => rows?.length === best?.curve?.length);
    return sizes
        ? { name: best.what, points: positive(sizes.map((row, i) => [row.size, best.curve[i]])) }
        : null;
}

/** The programs of nccl-tests, as the service names them. */
export const PROGRAMS = words(
    "all_reduce all_gather reduce_scatter broadcast reduce alltoall alltoallv sendrecv gather scatter hypercube",
);

/** The table of an answer that is shown: the one with that index, or the one that the service chose. */
export const tableAt = (answer, index) => ({
    ...answer,
    ...answer.tables?.[index ?? answer.table],
});

/** How the normal range came about, in a sentence. */
export function bandText({ network, based_on, low, high, results, sources, wide }) {
    if (!(high > 0)) return `No normal range: ${based_on}.`;
    const from =
        results > 0
            ? `${based_on}: ${plural(results, "result")} of at least ${sources} source${sources === 1 ? "" : "s"}`
            : based_on;
    return (
        `The normal range at this size is ${Math.round(low * 100)} to ${Math.round(high * 100)} % of the ` +
        `prediction. It rests on ${from}${network ? ` (${network})` : ""}.${
            wide ? " It is wide, because few results are like this one." : ""
        }`
    );
}

/** What is drawn for an answer: {measured: [{size, bw, verdict}], expected, band: {low, high}, explained: {name,
 * points} | null, crossings: [{size, name}], shapes: [{from, to, name}]}. */
export function picture(answer) {
    const curve =
        answer.curve?.length > 1 ? answer.curve : answer.rows.filter((row) => row.expected > 0);
    return {
        measured: answer.rows
            .filter((row) => row.size > 0 && row.busbw > 0)
            .map((row) => ({ size: row.size, bw: row.busbw, verdict: row.verdict })),
        expected: positive(curve.map((row) => [row.size, row.expected])),
        band: {
            low: positive(curve.map((row) => [row.size, row.low])),
            high: positive(curve.map((row) => [row.size, row.high])),
        },
        explained: explained(answer),
        crossings: (answer.crossovers ?? []).map((row) => ({
            size: row.size,
            name: `${row.from} → ${row.to}`,
        })),
        shapes: (answer.shapes ?? [])
            .filter((row) => row.from > 0 && row.to >= row.from)
            .map((row) => ({ from: row.from, to: row.to, name: row.kind })),
    };
}

/** The same for what the service predicts without results, and its rows for the table. */
export const predictedPicture = ({ rows, crossovers }) => ({
    ...picture({
        rows: rows.map(({ size, busbw }) => ({ size, expected: busbw })),
        crossovers,
    }),
    rows: rows.map((row) => ({ ...row, expected: row.busbw })),
});

/** The prediction at its largest size, in a sentence. */
export function predictedText({ collective, rows, limit, release, hosts, ranks }) {
    const last = rows.at(-1);
    return (
        `${bandwidth(last.busbw)} GB/s at ${sizeText(last.size)} for ${collective} with NCCL ${release} on ` +
        `${plural(hosts, "host")}, ${ranks} ranks; ${last.algorithm} ${last.protocol}; limited by ${limit}`
    );
}

export const PLOT = { w: 1000, h: 400, left: 52, right: 14, top: 14, bottom: 30 };
export const NARROW = { ...PLOT, w: 360, h: 280, left: 44 };
/** How the axes run: over all sizes, or where the plateau is. */
export const SCALES = Object.entries({
    log: "All sizes, logarithmic",
    linear: "From 1 MiB, linear",
});
const LEAST = 0.01,
    NAMED = [2 ** 10, 2 ** 20, 2 ** 30],
    LARGE = 2 ** 20; // GB/s that nccl-tests still prints; sizes that carry a label; where "linear" begins

/** A picture with only the points that a scale shows. */
export function scaled(shown, scale) {
    const fits = (/** @type {any} */ [size, bw]) =>
            scale === "linear" ? size >= LARGE : bw >= LEAST,
        keep = (points) => points.filter(fits);
    return {
        ...shown,
        measured: shown.measured.filter(({ size, bw }) => fits([size, bw])),
        expected: keep(shown.expected),
        band: { low: keep(shown.band.low), high: keep(shown.band.high) },
        explained: shown.explained && { ...shown.explained, points: keep(shown.explained.points) },
    };
}

/** Axes over what scaled() gave: chart.js's, with ticks at 1 KiB, 1 MiB and 1 GiB and at the ends, and no less than
 * nccl-tests prints; linear: from 0 up. null if there is nothing to draw. */
export function plotAxes(shown, frame = PLOT, scale = "log") {
    const lines = [
        shown.expected,
        shown.band.low,
        shown.band.high,
        shown.explained?.points ?? [],
        shown.measured.map(({ size, bw }) => [size, bw]),
    ].map((points) => ({ points }));
    const sizes = [...new Set(lines.flatMap(({ points }) => points.map(([size]) => size)))].sort(
        (a, b) => a - b,
    );
    if (!sizes.length) return null;
    if (sizes.length === 1) sizes.unshift(sizes[0] / 2);
    const at = {
            ...axes(sizes, lines, frame),
            ...(scale === "linear" ? linear(lines, frame) : {}),
        },
        [first, last] = [sizes[0], sizes.at(-1)],
        near = (a, b) => Math.abs(at.x(a) - at.x(b)) < 48;
    const named = NAMED.filter((size) => size >= first && size <= last),
        ends = [first, last].filter(
            (size, i, both) =>
                !named.some((one) => near(one, size)) && (i === 0 || !near(both[0], size)),
        );
    return { ...at, first, last, xTicks: [...named, ...ends].sort((a, b) => a - b) };
}

function linear(lines, frame) {
    const most = Math.max(...lines.flatMap(({ points }) => points.map(([, bw]) => bw))) * 1.06,
        step = [1, 2, 5, 10]
            .map((by) => by * 10 ** Math.floor(Math.log10(most / 5)))
            .find((by) => most / by <= 6);
    const y = (bw) => frame.h - frame.bottom - (bw / most) * (frame.h - frame.top - frame.bottom);
    return { y, yTicks: Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step) };
}

/** The outline of a band, for the points of an SVG polygon's path: along the top and back along the bottom. [] if it
 * has no width. */
export const outline = ({ low, high }) =>
    low.length && high.length ? [...high, ...[...low].reverse()] : [];

/** "331–371"; "–" if no range is known. */
export const rangeText = ({ low, high }) =>
    high > 0 ? `${bandwidth(low)}–${bandwidth(high)}` : "–";

/** 0.97 -> "fits 97 %". */
export const fitText = (fit) => `fits ${Math.round(fit * 100)} %`;

/** Consecutive rows with the same verdict and reason as one: [{from, to, verdict, why}], for a sentence instead of many
 * cells. */
export function reasons(rows) {
    const found = [];
    for (const { size, verdict, why } of rows.filter((row) => row.why)) {
        const last = found.at(-1);
        if (last?.why === why && last.verdict === verdict) last.to = size;
        else found.push({ from: size, to: size, verdict, why });
    }
    return found;
}
export const reasonText = ({ from, to, verdict, why }) =>
    `${from === to ? sizeText(from) : `${sizeText(from)} to ${sizeText(to)}`}: ${verdict}, because ${why}`;

/** Rows for a spreadsheet. */
export const resultRows = (answer) => [
    RESULTS.map(([head]) => head),
    ...answer.rows.map((row) => RESULTS.map(([, field]) => row[field] ?? "")),
];
const RESULTS = [
    ["bytes", "size"],
    ["bus GB/s", "busbw"],
    ["in place bus GB/s", "in_place"],
    ["microseconds", "time"],
    ["expected GB/s", "expected"],
    ["low GB/s", "low"],
    ["high GB/s", "high"],
    ...["verdict", "why", "algorithm", "protocol", "channels"].map((name) => [name, name]),
];

/** The subject of an answer, in one sentence: program, ranks and machine. The machine's own sentence has the hosts and
 * the release. */
export function aboutText({ machine, ranks, collective }) {
    const what = joined(", ", [
        collective ? `${collective}_perf` : "program not known",
        ranks > 0 && plural(ranks, "rank"),
    ]);
    return machine?.sentence
        ? `${what}; machine: ${machine.sentence}${machine.source === "guessed" ? " (guessed)" : ""}`
        : `${what}; machine not known`;
}
