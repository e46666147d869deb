// SPDX-License-Identifier: Apache-2.0
/* Shared parts of charts over message sizes. at: axes() of chart.js, or plotAxes() of bandwidth.js; frame: of the
 * plot. */
import { sizeText } from "../compare.js";
import { s } from "../dom.js";

const EDGE = 90; // units before the right edge, within which texts are to the left of their line
const tick = (size) => sizeText(size).replace("iB", "");

/** Bandwidths at the left, sizes below. last: the size at the right edge; upright: with lines for sizes too. */
export const plotGrid = (at, { w, h, left, right, top, bottom }, sizes, last, upright = false) => [
    at.yTicks.map((bw) => [
        s("path", { class: "grid", d: `M${left},${at.y(bw)}H${w - right}` }),
        s("text", { x: left - 6, y: at.y(bw) + 3.5, class: "y" }, [
            String(Number(bw.toPrecision(2))),
        ]),
    ]),
    sizes.map((size) => [
        upright && s("path", { class: "grid", d: `M${at.x(size)},${top}V${h - bottom}` }),
        s("text", { x: at.x(size), y: h - bottom + 16, class: size === last ? "x end" : "x" }, [
            tick(size),
        ]),
    ]),
];

/** Marks the sizes at which the algorithm or protocol changes: rows {size, name}. */
export const crossingMarks = (rows, at, { w, h, top, bottom }) =>
    rows.map(({ size, name }, i) => {
        const x = at.x(size),
            late = x > w - EDGE;
        return [
            s("path", { class: "cross", d: `M${x},${top}V${h - bottom}` }, [
                s("title", null, `${sizeText(size)}: ${name}`),
            ]),
            s(
                "text",
                {
                    x: x + (late ? -3 : 3),
                    y: h - bottom - 5 - (i % 4) * 12,
                    class: late ? "cross-at end" : "cross-at",
                },
                tick(size),
            ),
        ];
    });
