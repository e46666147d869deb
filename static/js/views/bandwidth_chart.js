// SPDX-License-Identifier: Apache-2.0
/* The chart of results: measured points over the predicted curve with its normal range, on logarithmic axes. */
import { markOf, NARROW, outline, PLOT, plotAxes, scaled, SCALES } from "../bandwidth.js";
import { pathOf } from "../chart.js";
import { sizeText } from "../compare.js";
import { choices, h, s } from "../dom.js";
import { crossingMarks, plotGrid } from "./plot.js";

/* Each verdict has a shape of its own, so that it does not depend on colour alone. */
const SHAPES = {
    "as expected": "M-3.5,0A3.5,3.5 0 1 1 3.5,0A3.5,3.5 0 1 1 -3.5,0Z",
    low: "M-4.5,-3.5H4.5L0,4.5Z",
    high: "M-4.5,3.5H4.5L0,-4.5Z",
    "cannot judge": "M-3,-3H3V3H-3Z",
};
const pointClass = (verdict) => `point v-${markOf(verdict)[1]}`;

/** whole: of bandwidth.js's picture(). label: the chart in words, for people who cannot see it. scale: of SCALES.
 * actions: axes(scale). */
export function bandwidthChart(whole, label, scale, actions) {
    const shown = scaled(whole, scale),
        frame = matchMedia("(max-width: 759px)").matches ? NARROW : PLOT,
        at = plotAxes(shown, frame, scale);
    return h("div", [
        h("div.toolbar", choices("Axes", SCALES, scale, actions.axes)),
        at
            ? chart(shown, at, frame, label)
            : h("p.note", [
                  `There is nothing to draw: no row ${scale === "linear" ? "from 1 MiB on " : ""}has a bus ` +
                      `bandwidth above 0.`,
              ]),
    ]);
}

function chart(shown, at, frame, label) {
    const { w, h: height, left, top, bottom } = frame,
        inside = ({ size }) => size > at.first && size < at.last,
        clamp = (size) => Math.min(at.last, Math.max(at.first, size));
    const band = outline(shown.band),
        crossings = shown.crossings.filter(inside),
        zones = shown.shapes.filter((row) => row.to > at.first && row.from <= at.last);
    return h("figure.chart", { id: "bandwidth-chart" }, [
        s("svg", { viewBox: `0 0 ${w} ${height}`, role: "img", "aria-label": label }, [
            plotGrid(at, frame, at.xTicks, at.last, true),
            s("text", { x: left, y: top - 3, class: "axis" }, "bus bandwidth, GB/s"),
            zones.map((row, i) => {
                const from = at.x(clamp(row.from)),
                    wide = Math.max(6, at.x(clamp(row.to)) - from),
                    y = height - bottom - 7 - i * 17;
                return [
                    s("rect", { class: "shape-zone", x: from, y, width: wide, height: 4 }, [
                        s("title", null, row.name),
                    ]),
                    s("text", { x: from + wide, y: y - 3, class: "shape-name end" }, row.name),
                ];
            }),
            crossingMarks(crossings, at, frame),
            band.length > 0 && s("path", { class: "band", d: `${pathOf(band, at)}Z` }),
            shown.explained &&
                s("path", { class: "explained", d: pathOf(shown.explained.points, at) }),
            s("path", { class: "predicted-curve", d: pathOf(shown.expected, at) }),
            shown.measured.map(({ size, bw, verdict }) =>
                s(
                    "path",
                    {
                        class: pointClass(verdict),
                        d: SHAPES[verdict] ?? SHAPES["cannot judge"],
                        transform: `translate(${at.x(size).toFixed(1)},${at.y(bw).toFixed(1)})`,
                    },
                    s("title", null, `${sizeText(size)}: ${bw} GB/s, ${verdict}`),
                ),
            ),
        ]),
        legend(shown, crossings, zones),
    ]);
}

const swatch = (...marks) =>
    s("svg", { class: "swatch", viewBox: "0 0 24 10", "aria-hidden": "true" }, marks);

function legend(shown, crossings, zones) {
    const verdicts = [...new Set(shown.measured.map(({ verdict }) => verdict))];
    return h("figcaption", [
        h("ul.keys", { id: "bandwidth-legend" }, [
            verdicts.map((verdict) =>
                h("li", [
                    swatch(
                        s("path", {
                            class: pointClass(verdict),
                            d: SHAPES[verdict] ?? SHAPES["cannot judge"],
                            transform: "translate(12,5)",
                        }),
                    ),
                    `measured, ${verdict}`,
                ]),
            ),
            h("li", swatch(s("path", { class: "predicted-curve", d: "M1,5H23" })), "predicted"),
            shown.band.high.length > 0 &&
                h("li", swatch(s("path", { class: "band", d: "M1,1H23V9H1Z" })), "normal range"),
            shown.explained &&
                h("li", [
                    swatch(s("path", { class: "explained", d: "M1,5H23" })),
                    shown.explained.name,
                ]),
            crossings.length > 0 &&
                h("li", [
                    swatch(s("path", { class: "cross", d: "M12,0V10" })),
                    "NCCL changes algorithm or protocol",
                ]),
            zones.length > 0 &&
                h("li", [
                    swatch(s("rect", { class: "shape-zone", x: 1, y: 3, width: 22, height: 4 })),
                    "shape of the measured curve",
                ]),
        ]),
    ]);
}
