// SPDX-License-Identifier: Apache-2.0
/* Why a decision is what it is: the answer, then the evidence: rule, limiting link, values with their origin, settings
 * that would change it. */
import { button, docsLink, facts, h, listOf, table, textButton } from "../dom.js";
import { shortName } from "../model.js";
import {
    CHAPTERS,
    comparedText,
    evidence,
    internals,
    openWhy,
    whyOfMachine,
    whyOfSelection,
} from "../why.js";
import { answered } from "./problem.js";

/** explained: {why, data, problem}. actions: why(text), limit(from, to), whatIf(setting, value), setting(name). */
export function whyView({ model, state, explained, actions }) {
    const open = openWhy(model, state);
    return [
        questions("Of the selection", whyOfSelection(model, state), open, actions),
        questions("Of the machine", whyOfMachine(model, state), open, actions),
        answered(
            explained.why === open ? { answer: explained.data, problem: explained.problem } : {},
            (data) => answer(model, data, actions),
            "Trying settings…",
        ),
    ];
}

function questions(label, rows, open, actions) {
    if (!rows.length) return null;
    return h("div.why", { role: "group", "aria-label": label }, [
        h("span.muted", `${label} `),
        rows.map((row) => [
            button(`why:${row.why}`, row.label, () => actions.why(row.why), {
                pressed: row.why === open,
            }),
            " ",
        ]),
    ]);
}

const answer = (model, data, actions) =>
    h("div", { id: "why", "data-decision": data.decision, "data-verdict": data.verdict }, [
        h("h2", data.question),
        h("p", { id: "why-answer" }, data.answer),
        data.advice && h("p", { id: "why-advice" }, data.advice),
        h("section.verdict", { id: "why-rule", "aria-label": "Rule" }, [
            h("h3", [
                `Rule of NCCL ${data.nccl}${data.verified ? "" : " (the nearest emulated release)"}`,
                h("span.mono", data.rule),
            ]),
            h("p", data.text),
            h("p.small", docsLink(`nccl/${CHAPTERS[data.decision]}`, "How NCCL decides this")),
        ]),
        data.limit && limit(model, data.limit, actions),
        compared(evidence(data.compared), "compared", "Values that were compared"),
        changing(data, actions),
        data.assumptions.length > 0 &&
            h("section.verdict", { "aria-label": "Assumed" }, [
                h("h3", "Assumed"),
                listOf("ul", data.assumptions, (row) => row.text),
            ]),
        maintainers(data),
    ]);

function limit(model, link, actions) {
    const shown = (id) => (model.nodes.has(id) || id.includes("/") ? shortName(model, id) : id);
    return h("p", { id: "why-limit" }, [
        textButton(
            "why-limit",
            `${shown(link.from)} → ${shown(link.to)}`,
            () => actions.limit(link.from, link.to),
            { title: "Show it on the drawing" },
        ),
        ` ${link.text}`,
    ]);
}

/* Settings that change the decision, each with what else it changes; then those that do not change it. */
function changing(data, actions) {
    const change = data.what_if.filter((row) => row.changes),
        stay = data.what_if.filter((row) => !row.changes);
    const text = (row) => `${row.setting}=${row.value || "default"}`;
    const open = (row) =>
        button(
            `what-if:${row.setting}=${row.value}`,
            text(row),
            () => actions.whatIf(row.setting, row.value),
            { class: "text mono", title: "Show all that changes with it" },
        );
    return h("section.verdict", { id: "what-if", "aria-label": "What would change it" }, [
        h("h3", "What would change it"),
        !change.length &&
            h("p", [
                stay.length
                    ? "None of the settings that were tried."
                    : "Orrery knows no setting that affects this.",
            ]),
        change.map((row) =>
            h("div.what-if", { "data-setting": row.setting }, [
                h("p", open(row), h("span.muted", `, now ${row.now}: `), h("b", row.then)),
                row.consequences.length > 0 &&
                    listOf("ul", row.consequences, (one) => [
                        `${one.of ? `${one.of}: ` : ""}${one.text} ${one.before} → ${one.after}`,
                    ]),
                !row.refused &&
                    h("p.muted", [
                        row.changed === 1
                            ? "1 fact changes in total"
                            : `${row.changed} facts change in total`,
                    ]),
            ]),
        ),
        stay.length > 0 &&
            h("p.muted", { id: "stays" }, [
                "Tried, without effect: ",
                stay.flatMap((row, i) => [i ? ", " : "", open(row)]),
            ]),
        data.not_tried > 0 &&
            h("p.note", [
                `${data.not_tried} more were not tried, because the time for this request was used up.`,
            ]),
    ]);
}

/* Details for maintainers of Orrery, closed at first. */
function maintainers(data) {
    const rows = internals(data.compared);
    return (
        (rows.length > 0 || data.release_rules.length > 0) &&
        h("details", { id: "why-maintainers" }, [
            h("summary", "For maintainers of Orrery"),
            facts(
                data.release_rules.map((row) => [
                    row.behaviour,
                    h("dd", { title: row.sentence }, [
                        `${row.value} `,
                        h("span.muted", `since ${row.since}`),
                    ]),
                ]),
            ),
            compared(rows, "compared-internal", "Figures of the search"),
        ])
    );
}

function compared(rows, id, label) {
    if (!rows.length) return null;
    return table(
        label,
        ["~Compared", "~Value", "~Origin"],
        rows.map((row) => ({
            props: { "data-origin": row.origin },
            cells: [row.name, comparedText(row), row.source ?? "computed"],
        })),
        { id },
    );
}
