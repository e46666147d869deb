// SPDX-License-Identifier: Apache-2.0
/* "Which GPUs should a job of k take?" The best sets with their NICs, what another choice costs, and what stays
 * free. */
import { capital } from "../diagnosis.js";
import { copyable, field, fold, h, share, listOf, numberField, table, textButton } from "../dom.js";
import { plural } from "../model.js";
import { command, costOf, placeRows, readSet, shownRow, toggled, usualCount } from "../place.js";
import { programs } from "./bandwidth.js";
import { answered } from "./problem.js";

const MOST_BOXES = 16;

/** placing: {answer, problem}. actions: count(n), free(list), pick(set), rival(set), program(name). */
export function placeView({ model, state, placing, actions }) {
    const { answer, problem } = placing,
        rows = answer ? placeRows(answer) : [],
        shown = shownRow(rows, state.pick);
    return [
        answered(
            placing,
            () =>
                shown
                    ? advice(model, answer, shown, costOf(shown, rows))
                    : h("p", capital(answer.sentence)),
            "Comparing sets of GPUs…",
        ),
        controls(state, model.gpus.length, actions),
        !problem && shown && sets(answer, rows, shown, actions),
    ];
}

function controls(state, gpus, actions) {
    const free = state.free ? readSet(state.free) : null,
        most = free ? free.length : gpus;
    const count = numberField(
        "place-count",
        state.count || usualCount(most),
        { id: "place-count", least: 1, most },
        actions.count,
    );
    const rival = field("place-rival", {
        class: "short",
        placeholder: "0,1,2,3",
        "aria-label": "GPUs to compare with",
        value: state.rival,
        onchange: () => actions.rival(rival.value.replaceAll(" ", "")),
    });
    return h("div.toolbar", { id: "place-controls" }, [
        h("label.field", "GPUs of the job ", count),
        programs("place-program", state.program, actions.program),
        h("label.field", "Compare with GPUs ", rival),
        gpus <= MOST_BOXES &&
            h("fieldset.boxes", [
                h("legend", "Free GPUs"),
                Array.from({ length: gpus }, (_, gpu) =>
                    h("label", [
                        h("input", {
                            type: "checkbox",
                            "data-key": `free:${gpu}`,
                            checked: !free || free.includes(gpu),
                            onchange: () => actions.free(toggled(state.free, gpu, gpus)),
                        }),
                        ` ${gpu}`,
                    ]),
                ),
            ]),
    ]);
}

/* The GPUs to take, and the cost of a choice that is not the best. */
const advice = (model, answer, shown, cost) => [
    h("p", { id: "place-sentence" }, answer.sentence),
    copyable(command(model, shown)),
    h("p", { id: "place-cost" }, [
        `On the drawing: GPUs ` +
            `${shown.gpus.join(", ")}${shown.nics.length ? ` with ${shown.nics.join(", ")}` : ""}`,
        cost ? [". ", h("b", `Costs ${cost}`), "."] : ".",
    ]),
];

function sets(answer, rows, shown, actions) {
    const { hosts } = answer,
        best = answer.best[0]?.busbw ?? 0;
    return [
        table(
            "Sets of GPUs, the best first",
            [
                "GPUs",
                ...hosts.map((row) => `#GB/s, ${plural(row.hosts, "host")}`),
                "#Of the best",
                "~NICs",
                "~Limited by",
                "~Left free",
                "Alike",
            ],
            rows.map((row) => ({
                props: { "data-set": row.key, "aria-current": row === shown ? "true" : null },
                cells: [
                    [
                        textButton(
                            `set:${row.key}`,
                            row.gpus.join(", "),
                            () => actions.pick(row.key),
                            { pressed: row === shown },
                        ),
                        row.rival && h("span.muted", " (yours)"),
                    ],
                    ...row.hosts,
                    [
                        row.entry.busbw !== null &&
                            share(row.entry.busbw, best, "of the best", null),
                        " ",
                        row.share,
                    ],
                    row.nics.join(", ") || "–",
                    row.limit,
                    row.left,
                    row.same,
                ],
            })),
            { id: "place-sets", rowHeads: true },
        ),
        !answer.exact &&
            h("p.note", [
                `Not every set was compared: ${answer.scored} of ` +
                    `${answer.sets}.${
                        answer.bound === null
                            ? ""
                            : ` No set gets more than ${Math.round(answer.bound)} GB/s.`
                    }`,
            ]),
        fold(
            `${answer.topology}:place`,
            `What this assumes (${answer.assumed.length})`,
            listOf("ul", answer.assumed, (text) => [capital(text), "."]),
            { id: "place-assumed" },
        ),
    ];
}
