// SPDX-License-Identifier: Apache-2.0
/* Findings as cards: the device as a chip that lights it on the drawing, the cost, one sentence of cause, what to do,
 * the command that checks it; the rest on demand. */
import { bySeverity, capital, costs, costText, placeName } from "../diagnosis.js";
import { button, copyable, docsLink, fold, h, textButton, withCode } from "../dom.js";
import { plural } from "../model.js";
import { excerptView } from "./problem.js";

/** about: {model: null while there is no answer, source, state, actions: light(id), placed(node), line(n)}. */
export function findingList(findings, about) {
    const { faults, notes } = bySeverity(findings);
    const cards = (rows) => h("ul.findings", [rows.map((group) => card(group, about))]);
    return h("section", { id: "findings", "aria-label": "Findings" }, [
        !findings.length && h("p.muted", "Nothing was found."),
        faults.length > 0 && cards(faults),
        notes.length > 0 &&
            fold("notes", plural(notes.length, "note"), cards(notes), { id: "notes-of-machine" }),
    ]);
}

function card({ cause, consequences }, about) {
    return h("li", { "data-finding": cause.id }, [
        finding(cause, about),
        consequences.length > 0 &&
            fold(
                `${about.model?.doc.topology}:${cause.id}:${cause.detail}:follows`,
                `${plural(consequences.length, "consequence")} of this`,
                h("ul.findings", [
                    consequences.map((row) =>
                        h("li", { "data-finding": row.id }, finding(row, about, cause)),
                    ),
                ]),
            ),
    ]);
}

const MOST_CHIPS = 4;

/** One finding, without what follows from it: a list of nodes. */
export function finding(row, { model, source, state, actions }, cause = row) {
    const doc = model?.doc,
        cost = costText(row, model?.bar, cause),
        line = row.where?.line,
        drawn = doc ? (row.places ?? []).filter((place) => place.node) : [],
        more = drawn.length + row.more_places - MOST_CHIPS;
    return [
        h("p.card-head", [
            h(`span.sev.sev-${row.severity}`, row.severity),
            drawn.slice(0, MOST_CHIPS).map((place) =>
                button(
                    `place:${row.id}:${place.node}`,
                    placeName(model, place),
                    () => actions.placed(place.node),
                    {
                        class: "device",
                        title: "Show on the drawing",
                        pressed: state.from === place.node,
                    },
                ),
            ),
            more > 0 && h("span.muted", `and ${more} more`),
        ]),
        h("h3", [
            drawn.length
                ? textButton(`light:${row.id}`, row.title, () => actions.light(row.id), {
                      title: "Show on the drawing",
                      pressed: state.finding === row.id,
                  })
                : row.title,
        ]),
        cost && h(costs(row) ? "p.cost" : "p.small", cost, "."),
        row.detail &&
            h("p", [
                capital(row.detail),
                line && [
                    " ",
                    h("span.whole", [
                        "(",
                        textButton(`line:${line}`, `line ${line}`, () => actions.line(line)),
                        ")",
                    ]),
                ],
                ".",
            ]),
        row.advice && h("p", h("b", "Do: "), withCode(row.advice)),
        row.commands?.length > 0 && row.severity !== "info" && copyable(row.commands[0]),
        evidence(row, line, source, doc),
    ];
}

function evidence(row, line, source, doc) {
    const others = (row.commands ?? []).slice(row.severity === "info" ? 0 : 1);
    return (
        (row.why || others.length > 0) &&
        fold(`${doc?.topology}:${row.id}:${row.detail}`, "Evidence", () => [
            row.why &&
                h("p", row.why, " ", docsLink(`findings.html#${row.id}`, "About this finding")),
            others.map(copyable),
            line && source && excerptView(source, line, row.where.column, 1),
        ])
    );
}
