// SPDX-License-Identifier: Apache-2.0
/* Arrows over a drawing: who sends to whom, as elements of SVG. */
import { s } from "./dom.js";
import { lanes, lineOf } from "./lanes.js";

const GUTTER = 30,
    GAP = 4; // units between the columns of trays, and half of those between rows

/** One arrow a step {from, to}, ids of the drawing; now: the step to mark, -1 if all are alike. Steps between trays of
 * a rack share a hook from tray to tray, which the page shows until it is near. centre(id): {x, y, w, h}, null if not
 * drawn; trayOf(id): the id of its tray's box, "" if there is none; height: of the drawing; pixel: in units of the
 * drawing; band: bandOf(), or null; depth: as lanes() takes it. */
export function arrows(steps, now, { centre, trayOf, height, pixel, band = null, depth = null }) {
    const hooks = new Map(),
        laid = new Map(band && lanes(steps, band, centre, depth).map((row) => [row.i, row]));
    const rows = steps.map((step, i) => {
        if (laid.has(i)) return laneArrow(step, laid.get(i), i === now, pixel);
        const a = trayOf(step.from),
            b = trayOf(step.to),
            crosses = Boolean(a && b && a !== b);
        if (crosses && !hooks.has(`${a}>${b}`)) hooks.set(`${a}>${b}`, hook(a, b, centre, pixel));
        return arrow(step, i === now, crosses && i !== now, { centre, height, pixel });
    });
    return [...hooks.values(), ...rows].filter(Boolean);
}

/* A curve between two tiles that bulges to its left: arrows to the right go above, arrows back go below. */
function arrow({ from, to }, now, crosses, { centre, height, pixel }) {
    const a = centre(from),
        b = centre(to);
    if (!a || !b || from === to) return null;
    const dx = b.x - a.x,
        dy = b.y - a.y,
        length = Math.hypot(dx, dy);
    const bend = Math.min(length * 0.28, height * 0.22);
    const mid = {
        x: (a.x + b.x) / 2 + (dy / length) * bend,
        y: (a.y + b.y) / 2 - (dx / length) * bend,
    };
    const start = border(a, mid),
        end = border(b, mid),
        head = Math.min((now ? 10 : 8) * pixel, length * 0.3);
    return s(
        "g",
        {
            class: `step${now ? " now" : ""}${crosses ? " cross" : ""}`,
            "data-step": `${from}>${to}`,
        },
        s("path", {
            class: "line",
            d: `M${start.x},${start.y} Q${mid.x},${mid.y} ${end.x},${end.y}`,
        }),
        arrowHead(mid, end, head),
    );
}

/* A step along the band. */
function laneArrow({ from, to }, row, now, pixel) {
    const { d, before } = lineOf(row),
        size = Math.min((now ? 10 : 8) * pixel, Math.abs(row.to.y - before.y) * 0.7);
    return s("g", { class: `step lane${now ? " now" : ""}`, "data-step": `${from}>${to}` }, [
        s("path", { class: "line", d }),
        arrowHead(before, row.to, size),
    ]);
}

/* Tray to tray, between the columns and rows of trays. Close by, the devices' own arrows are shown in its place. */
function hook(from, to, centre, pixel) {
    const a = centre(from),
        b = centre(to),
        right = a.x + a.w / 2,
        left = b.x - b.w / 2,
        aside = GUTTER / 4;
    const near = a.x === b.x && Math.abs(a.y - b.y) < 1.5 * a.h,
        way = near
            ? [
                  [right, a.y + (b.y - a.y) * 0.2],
                  [right + aside, a.y + (b.y - a.y) * 0.2],
                  [right + aside, b.y - (b.y - a.y) * 0.2],
                  [right, b.y - (b.y - a.y) * 0.2],
              ]
            : b.x > a.x
              ? [
                    [right, a.y + a.h / 3],
                    [right + 2 * aside, a.y + a.h / 3],
                    [right + 2 * aside, b.y - b.h / 2 - GAP],
                    [left - 2 * GAP, b.y - b.h / 2 - GAP],
                    [left - 2 * GAP, b.y],
                    [left, b.y],
                ]
              : [
                    [a.x, a.y + a.h / 2],
                    [a.x, a.y + a.h / 2 + GAP],
                    [left - 3 * aside, a.y + a.h / 2 + GAP],
                    [left - 3 * aside, b.y],
                    [left, b.y],
                ];
    const [x, y] = way.at(-2),
        [endX, endY] = way.at(-1);
    return s("g", { class: "hook", "data-step": `${from}>${to}` }, [
        s("path", { class: "line", d: `M${way.map((at) => at.join(",")).join("L")}` }),
        arrowHead({ x, y }, { x: endX, y: endY }, 9 * pixel),
    ]);
}

function arrowHead(from, tip, size) {
    const angle = Math.atan2(tip.y - from.y, tip.x - from.x),
        wing = (turn) =>
            `${tip.x - size * Math.cos(angle + turn)},${tip.y - size * Math.sin(angle + turn)}`;
    return s("path", { class: "head", d: `M${tip.x},${tip.y} L${wing(0.42)} L${wing(-0.42)} Z` });
}

/* Where the line from a tile's middle to a point leaves the tile. */
function border(tile, to) {
    const dx = to.x - tile.x,
        dy = to.y - tile.y;
    const scale = Math.min(
        tile.w / 2 / Math.max(1e-6, Math.abs(dx)),
        tile.h / 2 / Math.max(1e-6, Math.abs(dy)),
    );
    return scale < 1
        ? { x: tile.x + dx * scale, y: tile.y + dy * scale }
        : { x: tile.x, y: tile.y };
}
