// SPDX-License-Identifier: Apache-2.0
/* "Which GPUs should a job of k take?" The best sets with their NICs, what another choice costs, and what
 * stays free.
 * */
import { capital } from "../diagnosis.js";
import { button, copyButton, fold, h, table } from "../dom.js";
import { plural } from "../model.js";
import { command, costOf, placeRows, readSet, shownRow, toggled, usualCount } from "../place.js";
import { programs } from "./bandwidth.js";
import { problemView } from "./problem.js";

const MOST_BOXES = 16;

/** placing: {answer, problem}. actions: count(n), free(list), pick(set), rival(set), program(name). */
export function placeView({ model, state, placing, actions }) {
    const { answer, problem } = placing,
        rows = answer ? placeRows(answer) : [],
        shown = shownRow(rows, state.pick);
    return [
        problem
            ? problemView(problem)
            : !answer
              ? h("p.muted", "Comparing sets of GPUs…")
              : shown
                ? advice(model, answer, shown, costOf(shown, rows))
                : h("p", capital(answer.sentence)),
        controls(state, model.gpus.length, actions),
        !problem && shown && sets(answer, rows, shown, actions),
    ];
}

function controls(state, gpus, actions) {
    const free = state.free ? readSet(state.free) : null,
        most = free ? free.length : gpus;
    const count = h("input.short", {
        type: "number",
        id: "place-count",
        "data-key": "place-count",
        min: "1",
        max: String(most),
        value: String(state.count || usualCount(most)),
        onchange: () => Number(count.value) >= 1 && actions.count(Math.floor(Number(count.value))),
    });
    const rival = h("input.short", {
        id: "place-rival",
        "data-key": "place-rival",
        placeholder: "0,1,2,3",
        "aria-label": "GPUs to compare with",
        value: state.rival,
        onchange: () => actions.rival(rival.value.replaceAll(" ", "")),
    });
    return h(
        "div.toolbar",
        { id: "place-controls" },
        h("label.field", "GPUs of the job ", count),
        programs("place-program", state.program, actions.program),
        h("label.field", "Compare with GPUs ", rival),
        gpus <= MOST_BOXES &&
            h(
                "fieldset.boxes",
                h("legend", "Free GPUs"),
                Array.from({ length: gpus }, (_, gpu) =>
                    h(
                        "label",
                        h("input", {
                            type: "checkbox",
                            "data-key": `free:${gpu}`,
                            checked: !free || free.includes(gpu),
                            onchange: () => actions.free(toggled(state.free, gpu, gpus)),
                        }),
                        ` ${gpu}`,
                    ),
                ),
            ),
    );
}

/* What to take, and what it costs if it is not the best. */
const advice = (model, answer, shown, cost) => [
    h("p", { id: "place-sentence" }, answer.sentence),
    h(
        "div.command",
        h("pre", { tabindex: "0" }, command(model, shown)),
        copyButton(command(model, shown)),
    ),
    h(
        "p",
        { id: "place-cost" },
        `On the drawing: GPUs ` +
            `${shown.gpus.join(", ")}${shown.nics.length ? ` with ${shown.nics.join(", ")}` : ""}`,
        cost ? [". ", h("b", `Costs ${cost}`), "."] : ".",
    ),
];

function sets(answer, rows, shown, actions) {
    const { hosts } = answer;
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
                        button(`set:${row.key}`, row.gpus.join(", "), () => actions.pick(row.key), {
                            class: "text",
                            pressed: row === shown,
                        }),
                        row.rival && h("span.muted", " (yours)"),
                    ],
                    ...row.hosts,
                    row.share,
                    row.nics.join(", ") || "–",
                    row.limit,
                    row.left,
                    row.same,
                ],
            })),
            { id: "place-sets", rowHeads: true },
        ),
        !answer.exact &&
            h(
                "p.note",
                `Not every set was compared: ${answer.scored} of ` +
                    `${answer.sets}.${
                        answer.bound === null
                            ? ""
                            : ` No set gets more than ` + `${Math.round(answer.bound)} GB/s.`
                    }`,
            ),
        fold(
            `${answer.topology}:place`,
            `What this assumes (${answer.assumed.length})`,
            h(
                "ul",
                answer.assumed.map((text) => h("li", capital(text), ".")),
            ),
            { id: "place-assumed" },
        ),
    ];
}
