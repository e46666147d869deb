// SPDX-License-Identifier: Apache-2.0
/* The tuning chart as arithmetic: logarithmic axes, curves of bus bandwidth, and what is chosen at one size. Pure
 * functions. */

export const FRAME = { w: 560, h: 290, left: 54, right: 12, top: 12, bottom: 30 };
export const NARROW = { ...FRAME, w: 358, h: 250 };

/** Bus bandwidth in GB/s of a message of `bytes` that takes `time` microseconds. */
export const busBandwidth = (bytes, time, share) => (time > 0 ? (bytes / time / 1000) * share : 0);

/** The curves of a collective: [{algorithm, protocol, name, points: [[bytes, GB/s], ...]}]; combinations that cannot be
 * used are left out. */
export function curves(predictions, collective) {
    const row = predictions?.functions?.[collective];
    return (row?.ways ?? []).map(({ algorithm, protocol, times }) => ({
        algorithm,
        protocol,
        name: `${algorithm} ${protocol}`,
        points: predictions.sizes
            .map((bytes, i) => [bytes, times[i]])
            .filter(([, time]) => time > 0)
            .map(([bytes, time]) => [bytes, busBandwidth(bytes, time, row.bus_share)]),
    }));
}

/** What is chosen, range by range: [{from, to, name, ...}], to: the next range's from, or null. */
export function ranges(predictions, collective) {
    const rows = predictions?.functions?.[collective]?.ranges ?? [];
    return rows.map((row, i) => ({
        ...row,
        to: rows[i + 1]?.from ?? null,
        name: `${row.algorithm} ${row.protocol}`,
    }));
}

export const chosenAt = (rows, bytes) => rows.findLast((row) => row.from <= bytes) ?? rows[0];

/** Every algorithm and protocol at one of the sizes, fastest first: [{name, algorithm, protocol, time, bw, chosen}]. */
export function waysAt(predictions, collective, bytes) {
    const row = predictions?.functions?.[collective],
        i = predictions?.sizes?.indexOf(bytes) ?? -1;
    const chosen = chosenAt(ranges(predictions, collective), bytes)?.name;
    return (row?.ways ?? [])
        .map((way) => ({
            algorithm: way.algorithm,
            protocol: way.protocol,
            name: `${way.algorithm} ${way.protocol}`,
            time: way.times[i],
        }))
        .filter((way) => way.time > 0)
        .map((way) => ({
            ...way,
            bw: busBandwidth(bytes, way.time, row.bus_share),
            chosen: way.name === chosen,
        }))
        .sort((a, b) => a.time - b.time);
}

/** The bus bandwidth of the choice at one of the sizes; undefined if nothing can be chosen. */
export const busBandwidthAt = (predictions, collective, bytes) =>
    waysAt(predictions, collective, bytes).find(({ chosen }) => chosen)?.bw;

/** Axes over some curves: x(bytes), y(GB/s), ticks, and size(x) back to the nearest of the sizes. */
export function axes(sizes, lines, frame = FRAME) {
    const values = lines.flatMap((line) => line.points.map(([, bw]) => bw)).filter((bw) => bw > 0);
    const low = Math.floor(Math.log10(Math.min(...values, 1))),
        high = Math.log10(Math.max(...values, 1) * 1.25);
    const first = Math.log2(sizes[0]),
        last = Math.log2(sizes.at(-1)),
        width = frame.w - frame.left - frame.right,
        height = frame.h - frame.top - frame.bottom;
    const x = (bytes) => frame.left + ((Math.log2(bytes) - first) / (last - first)) * width;
    const y = (bw) => frame.top + ((high - Math.log10(bw)) / (high - low)) * height;
    const decades = [];
    for (let power = low; power <= high; power++) decades.push(10 ** power);
    return {
        x,
        y,
        xTicks: sizes.filter((bytes) => Math.log2(bytes) % 4 === 2 || bytes === sizes[0]),
        yTicks: decades,
        size: (px) =>
            sizes[
                Math.max(
                    0,
                    Math.min(
                        sizes.length - 1,
                        Math.round(((px - frame.left) / width) * (sizes.length - 1)),
                    ),
                )
            ],
    };
}

/** The d of a path through points on the axes. */
export const pathOf = (points, { x, y }) =>
    points
        .map(([bytes, bw], i) => `${i ? "L" : "M"}${x(bytes).toFixed(1)},${y(bw).toFixed(1)}`)
        .join("");

/** The curve of the choices: in each range, the curve of its algorithm and protocol. */
export const envelope = (lines, rows) =>
    rows
        .map((range) => {
            const line = lines.find((one) => one.name === range.name);
            return (line?.points ?? []).filter(
                ([bytes]) => bytes >= range.from && (range.to === null || bytes < range.to),
            );
        })
        .flat();

/** 5.8 -> "5.8 µs", 15700 -> "15.7 ms". */
export function timeText(microseconds) {
    const [unit, per] =
        microseconds >= 1e6 ? ["s", 1e6] : microseconds >= 1000 ? ["ms", 1000] : ["µs", 1];
    return `${Number((microseconds / per).toPrecision(3))} ${unit}`;
}
