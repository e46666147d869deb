// SPDX-License-Identifier: Apache-2.0
/* "Which GPUs should a job of k take?" The best sets with their NICs, what another choice costs, and what
 * stays free.
 * */
import { PROGRAMS } from "../bandwidth.js";
import { capital } from "../diagnosis.js";
import { copyButton, fold, h } from "../dom.js";
import { command, costOf, placeRows, readSet, shownRow, toggled, usualCount } from "../place.js";
import { problemView } from "./problem.js";

const MOST_BOXES = 16;

/** placing: {answer, problem}. actions: count(n), free(list), pick(set), rival(set), program(name). */
export function placeView({ model, state, placing, actions }) {
    const { answer, problem } = placing,
        gpus = model.gpus.length;
    return [
        controls(state, gpus, actions),
        problem
            ? problemView(problem)
            : !answer
              ? h("p.muted", null, "Comparing sets of GPUs…")
              : answered(model, state, answer, actions),
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
        h("label.field", null, "GPUs of the job ", count),
        h(
            "label.field",
            null,
            "Program ",
            h(
                "select",
                {
                    id: "place-program",
                    "data-key": "place-program",
                    onchange: (event) => actions.program(event.target.value),
                },
                PROGRAMS.map((program) =>
                    h("option", { value: program, selected: program === state.program }, program),
                ),
            ),
        ),
        h("label.field", null, "Compare with GPUs ", rival),
        gpus <= MOST_BOXES &&
            h(
                "fieldset.boxes",
                null,
                h("legend", null, "Free GPUs"),
                Array.from({ length: gpus }, (_, gpu) =>
                    h(
                        "label",
                        null,
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

function answered(model, state, answer, actions) {
    const rows = placeRows(answer),
        shown = shownRow(rows, state.pick),
        cost = costOf(shown, rows),
        { hosts } = answer;
    if (!shown) return h("p", null, capital(answer.sentence));
    return [
        h("p", { id: "place-sentence" }, answer.sentence),
        h(
            "div.command",
            null,
            h("pre", { tabindex: "0" }, command(model, shown)),
            copyButton(command(model, shown)),
        ),
        h(
            "p",
            { id: "place-cost" },
            `On the drawing: GPUs ` +
                `${shown.gpus.join(", ")}${shown.nics.length ? ` with ${shown.nics.join(", ")}` : ""}`,
            cost ? [". ", h("b", null, `Costs ${cost}`), "."] : ".",
        ),
        h(
            "div.scroll",
            { tabindex: "0", role: "group", "aria-label": "Sets of GPUs" },
            h(
                "table.wide",
                { id: "place-sets" },
                h("caption.unseen", null, "Sets of GPUs, the best first"),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        [
                            "GPUs",
                            ...hosts.map(
                                (row) => `GB/s, ${row.hosts} host${row.hosts === 1 ? "" : "s"}`,
                            ),
                            "Of the best",
                            "NICs",
                            "Limited by",
                            "Left free",
                            "Alike",
                        ].map((name) => h("th", null, name)),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    rows.map((row) =>
                        h(
                            "tr",
                            { "data-set": row.key, "aria-current": row === shown ? "true" : null },
                            h(
                                "th",
                                { scope: "row" },
                                h(
                                    "button.text",
                                    {
                                        type: "button",
                                        "data-key": `set:${row.key}`,
                                        "aria-pressed": String(row === shown),
                                        onclick: () => actions.pick(row.key),
                                    },
                                    row.gpus.join(", "),
                                ),
                                row.rival && h("span.muted", null, " (yours)"),
                            ),
                            row.hosts.map((value) => h("td.num", null, value)),
                            h("td.num", null, row.share),
                            h("td.wrap", null, row.nics.join(", ") || "–"),
                            h("td.wrap", null, row.limit),
                            h("td.wrap", null, row.left),
                            h("td", null, row.same),
                        ),
                    ),
                ),
            ),
        ),
        !answer.exact &&
            h(
                "p.note",
                null,
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
                null,
                answer.assumed.map((text) => h("li", null, capital(text), ".")),
            ),
            { id: "place-assumed" },
        ),
    ];
}
