// SPDX-License-Identifier: Apache-2.0
/* The tuning model: a chart of bus bandwidth over message size, the choice from each size on, and the model's own
 * figures. */
import { choices, h, s, table, textButton } from "../dom.js";
import {
    axes,
    chosenAt,
    curves,
    envelope,
    FRAME,
    NARROW,
    pathOf,
    ranges,
    timeText,
    waysAt,
} from "../chart.js";
import { sizeText } from "../compare.js";
import { bandwidth, tuningRows } from "../model.js";
import { writeWhy } from "../why.js";
import { crossingMarks, plotGrid } from "./plot.js";

/** other: {model, names} of a comparison, whose choice is drawn too. actions: collective(name), size(bytes). */
export function tuningView({ model, other, state, actions }) {
    const tuning = model.doc.tuning ?? {},
        collectives = Object.keys(tuning.bandwidths ?? {});
    if (!collectives.length) return h("p", "The analysis holds no tuning model.");
    const collective = collectives.includes(state.collective)
        ? state.collective
        : collectives.at(-1);
    const predictions = model.doc.predictions,
        lines = curves(predictions, collective);
    return [
        h("div.toolbar", [choices("Collective", collectives, collective, actions.collective)]),
        lines.length > 0
            ? predicted(predictions, collective, lines, other, state, actions)
            : h("p.note", [
                  model.doc.ranks > 1
                      ? "No algorithm and protocol can be used for this collective."
                      : "One rank sends nothing: there is nothing to choose.",
              ]),
        figures(tuning, collective),
    ];
}

function predicted(predictions, collective, lines, other, state, actions) {
    const { sizes } = predictions,
        rows = ranges(predictions, collective),
        size = sizes.includes(state.size) ? state.size : 2 ** 30;
    const ways = waysAt(predictions, collective, size),
        now = chosenAt(rows, size);
    return [
        h("div.predicted", [
            chart(
                sizes,
                lines,
                rows,
                size,
                other && {
                    rows: ranges(other.model.doc.predictions, collective),
                    lines: curves(other.model.doc.predictions, collective),
                    name: other.names.b,
                },
                collective,
                actions,
            ),
            h("div.at", [
                table(
                    `${collective} of ${sizeText(size)}`,
                    ["Algorithm and protocol", "#Time", "#GB/s bus"],
                    ways.map((way) => ({
                        tag: way.chosen ? "tr.on" : "tr",
                        cells: [
                            [swatch(way), way.name, way.chosen && h("b", " chosen")],
                            timeText(way.time),
                            bandwidth(way.bw),
                        ],
                    })),
                    {
                        id: "at-size",
                        tag: "table",
                        rowHeads: true,
                        scroll: false,
                        caption: [
                            `${collective} of ${sizeText(size)} `,
                            textButton(
                                "ask:algorithm",
                                "Why?",
                                () => actions.why(writeWhy("algorithm", collective, size)),
                                {
                                    "aria-label": `Why does ${collective} of ${sizeText(size)} use that?`,
                                },
                            ),
                        ],
                    },
                ),
            ]),
        ]),
        table(
            `What NCCL chooses for ${collective}, by size`,
            ["#From", "#Bytes", "Algorithm", "Protocol", "#Channels", "#Threads"],
            rows.map((row) => ({
                tag: row === now ? "tr.on" : "tr",
                cells: [
                    sizeText(row.from),
                    String(row.from),
                    row.algorithm,
                    row.protocol,
                    String(row.channels),
                    String(row.threads),
                ],
            })),
            {
                id: "ranges",
                tag: "table",
                scroll: false,
                caption: `What NCCL chooses for ${collective}, by size`,
            },
        ),
        h("p.note", [
            "Computed from NCCL's own model, for a sum of 32-bit floats: a prediction, not a measurement. Bus " +
                "bandwidth is counted as nccl-tests does. Channels and threads are those at the first size.",
        ]),
    ];
}

const swatch = ({ algorithm, protocol }) =>
    s(
        "svg",
        {
            class: `swatch a-${algorithm} p-${protocol}`,
            viewBox: "0 0 24 8",
            "aria-hidden": "true",
        },
        s("path", { class: "curve", d: "M1,4H23" }),
    );

function chart(sizes, lines, rows, size, after, collective, actions) {
    const frame = matchMedia("(max-width: 759px)").matches ? NARROW : FRAME,
        at = axes(sizes, [...lines, ...(after?.lines ?? [])], frame),
        { w, h: height, left, top, bottom } = frame;
    const move = (event) => {
        const step = {
            ArrowLeft: -1,
            ArrowDown: -1,
            ArrowRight: 1,
            ArrowUp: 1,
            Home: -99,
            End: 99,
        }[event.key];
        if (!step) return;
        event.preventDefault();
        actions.size(sizes[Math.max(0, Math.min(sizes.length - 1, sizes.indexOf(size) + step))]);
    };
    const pick = (event) => {
        const box = event.currentTarget.getBoundingClientRect();
        actions.size(at.size(((event.clientX - box.left) / box.width) * w));
    };
    const now = chosenAt(rows, size);
    return h(
        "div.chart",
        {
            id: "chart",
            tabindex: "0",
            role: "slider",
            "data-key": "chart",
            "aria-label": `Message size, ${collective}`,
            "aria-valuemin": "0",
            "aria-valuemax": String(sizes.length - 1),
            "aria-valuenow": String(sizes.indexOf(size)),
            "aria-valuetext": `${sizeText(size)}: ${now?.name}`,
            onkeydown: move,
        },
        s("svg", { viewBox: `0 0 ${w} ${height}`, "aria-hidden": "true", onclick: pick }, [
            plotGrid(
                at,
                frame,
                at.xTicks.filter((_, i) => frame === FRAME || i % 2 === 0),
                sizes.at(-1),
            ),
            s("text", { x: left, y: top - 2, class: "axis" }, "GB/s bus"),
            crossingMarks(
                rows.slice(1).map(({ from, name }) => ({ size: from, name })),
                at,
                frame,
            ),
            lines.map((line) =>
                s("path", {
                    class: `curve a-${line.algorithm} p-${line.protocol}`,
                    d: pathOf(line.points, at),
                }),
            ),
            after &&
                s("path", {
                    class: "envelope other",
                    d: pathOf(envelope(after.lines, after.rows), at),
                }),
            s("path", { class: "envelope", d: pathOf(envelope(lines, rows), at) }),
            s("path", { class: "cursor", d: `M${at.x(size)},${top}V${height - bottom}` }),
        ]),
        h("p.note", [
            "The thick line is what NCCL chooses; vertical lines mark crossover points.",
            after ? ` The thick dashed line is ${after.name}.` : "",
        ]),
    );
}

function figures(tuning, collective) {
    const rows = tuningRows(tuning, collective),
        protocols = rows[0]?.cells.map((cell) => cell.protocol) ?? [];
    const figure = ({ bw, best }, value) =>
        h(`td.num${best ? ".best" : ""}${bw > 0 ? "" : ".zero"}`, bw > 0 ? bandwidth(value) : "–");
    return [
        table(
            "Tuning table",
            ["Algorithm", "GB/s", "µs"].flatMap((head, i) =>
                i ? protocols.map((protocol) => `#${protocol}, ${head}`) : head,
            ),
            rows.map(({ algorithm, cells }) => [
                algorithm,
                ...cells.map((cell) => figure(cell, cell.bw)),
                ...cells.map((cell) => figure({ ...cell, best: false }, cell.latency)),
            ]),
            {
                id: "tuning",
                tag: "table",
                rowHeads: true,
                caption: "The model that decides: bandwidth and latency",
            },
        ),
        h("p.note", [
            "NCCL takes the combination with the least latency + size ÷ bandwidth. A dash: not available here. " +
                "The highest bandwidth is bold.",
        ]),
    ];
}
