// SPDX-License-Identifier: Apache-2.0
/* A channel along the band of NVSwitches: where each step leaves its GPU, the lane on which it runs along the band, and
 * where it arrives. Two GPUs of one row keep to the lanes beside that row, those of both rows to the ones between:
 *
 *        GPU 0   GPU 1   GPU 2            each GPU sends at its left and receives at its right, so that no two
 *         | ^     | ^     | ^             steps share a line
 *         | +-----+ +-----+ |   lane 0
 *         +-----------------+   lane 1
 *
 * A tree keeps the order of its generations instead: the root's lane is the highest, and no child is above its parent.
 * Steps to and from the NVSwitch itself are short lines between a GPU and the band. Pure functions. */

// of a tile's width, from its middle: where GPUs above and below the band send and receive, beside each other
const PORTS = { "-1": 0.14, 1: 0.23 };
const ALONG = 3; // times as wide as high: a band to run along
const SPREAD = 0.62; // share of the space between the rows that lanes use
const CORNER = 3;

/** The switch that GPUs above and below can run along, {x, y, w, h, id}, null if there is none, as over the trays of a
 * rack, which have arrows from tray to tray. */
export function bandOf(ids, centre) {
    if (ids.some((id) => id.startsWith("box:tray:"))) return null;
    const switches = ids.filter((id) => id.startsWith("NVS/")),
        box = switches.length === 1 ? centre(switches[0]) : null;
    return box && box.w > ALONG * box.h ? { ...box, id: switches[0] } : null;
}

/** [{i, from: {x, y}, to: {x, y}, y}]: the steps {from, to} that run along the band, with y of their lane; steps of
 * other devices are left out. depth(step): its generation in a tree, from 0 at the root; null for a ring. */
export function lanes(steps, band, centre, depth = null) {
    const rows = [];
    steps.forEach(({ from, to }, i) => {
        const a = placed(from, band, centre),
            b = placed(to, band, centre);
        if (!a || !b || from === to || !(a.side || b.side)) return;
        const start = a.side ? port(a, -1) : { x: port(b, 1).x, y: band.y + (b.side * band.h) / 2 },
            end = b.side ? port(b, 1) : { x: port(a, -1).x, y: band.y + (a.side * band.h) / 2 };
        rows.push({
            i,
            from: start,
            to: end,
            straight: !(a.side && b.side),
            group: a.side === b.side ? a.side : 0,
            depth: depth ? depth(steps[i]) : 0,
        });
    });
    const along = rows.filter((row) => !row.straight),
        order = depth
            ? along.toSorted((a, b) => a.depth - b.depth || span(a) - span(b))
            : [-1, 0, 1].flatMap((side) =>
                  along
                      .filter(({ group }) => group === side)
                      .sort((a, b) => (side > 0 ? span(b) - span(a) : span(a) - span(b))),
              );
    for (const row of order) row.lane = free(row, order, depth);
    const last = Math.max(0, ...order.map(({ lane }) => lane)),
        height = gap(rows, band) * SPREAD;
    for (const row of along) row.y = band.y + (last ? height * (row.lane / last - 0.5) : 0);
    return rows;
}

const span = ({ from, to }) => Math.abs(from.x - to.x);
const overlap = (a, b) =>
    Math.max(Math.min(a.from.x, a.to.x), Math.min(b.from.x, b.to.x)) <=
    Math.min(Math.max(a.from.x, a.to.x), Math.max(b.from.x, b.to.x));

/* The highest lane that is free where this step runs; lanes of another group, or of parents, are above it. */
function free(row, order, tree) {
    const before = order.filter(({ lane }) => lane !== undefined),
        least = Math.max(
            0,
            ...before
                .filter((one) =>
                    tree ? one.depth < row.depth && overlap(one, row) : one.group < row.group,
                )
                .map(({ lane }) => lane + 1),
        );
    const taken = new Set(before.filter((one) => overlap(one, row)).map(({ lane }) => lane));
    let lane = least;
    while (taken.has(lane)) lane++;
    return lane;
}

/* The side of the band on which a GPU is: -1 above, 1 below, 0 the band itself; null if it is not beside the band. */
function placed(id, band, centre) {
    if (id === band.id) return { side: 0 };
    const at = /^(GPU|DEV)\//.test(id) ? centre(id) : null;
    return at && { ...at, side: at.y < band.y ? -1 : 1 };
}

const port = (at, way) => ({
    x: at.x + way * PORTS[at.side] * at.w,
    y: at.y - (at.side * at.h) / 2,
});

/* The space between the rows of GPUs. */
function gap(rows, band) {
    const edges = rows.flatMap(({ from, to }) => [from.y, to.y]),
        above = Math.max(...edges.filter((y) => y < band.y), band.y - band.h),
        below = Math.min(...edges.filter((y) => y > band.y), band.y + band.h);
    return below - above;
}

/** The line of a row as the d of a path, with rounded corners, and the point before its end. */
export function lineOf({ from, to, y, straight }) {
    if (straight) return { d: `M${from.x},${from.y} L${to.x},${to.y}`, before: from };
    const across = Math.sign(to.x - from.x),
        radius = (end) => Math.min(CORNER, Math.abs(y - end.y), Math.abs(to.x - from.x) / 2),
        one = radius(from),
        two = radius(to),
        up = (end) => Math.sign(end.y - y) || 1;
    return {
        d:
            `M${from.x},${from.y} L${from.x},${y + up(from) * one} Q${from.x},${y} ${from.x + across * one},${y} ` +
            `L${to.x - across * two},${y} Q${to.x},${y} ${to.x},${y + up(to) * two} L${to.x},${to.y}`,
        before: { x: to.x, y },
    };
}
