// SPDX-License-Identifier: Apache-2.0
/* The inspector while nothing is selected: the finding that was chosen on the drawing, or the machine itself. */
import { capital } from "../diagnosis.js";
import { facts, fold, h } from "../dom.js";
import { figures } from "../model.js";
import { deviceCard } from "./device.js";
import { finding } from "./findings.js";

/** before: the index of the last question's answer about the same machine, to show what a change changed. source,
 * actions: as finding() takes them. */
export function machineView({ model, before, source, state, actions }) {
    const { doc } = model,
        old = new Map(/** @type {any} */ (before ? figures(before.doc) : [])),
        chosen = // next to the verdict, the card of the finding shows it
            state.view !== "verdict" && (doc.findings ?? []).find(({ id }) => id === state.finding),
        sentence = doc.summary?.machine?.sentence;
    return [
        chosen &&
            h("section.findings", { id: "chosen-finding", "aria-label": "Finding" }, [
                finding(chosen, { model, source, state, actions }),
            ]),
        sentence && h("p", { class: "sentence" }, capital(sentence), "."),
        h("section", { "aria-label": "Figures" }, [
            h("h2", "This machine"),
            facts(figures(doc), { old }),
        ]),
        deviceCard(doc, actions),
        h("p.note", [
            "Select a device or a link in the drawing, or a cell of the matrix. Shift+click a second device to see " +
                "the path between the two.",
        ]),
        doc.assumptions?.length > 0 &&
            fold(
                `${doc.topology}:always`,
                "Assumed for every machine",
                h("ul.findings", [
                    doc.assumptions
                        .filter((row) => !row.id.startsWith("input-"))
                        .map((row) => h("li.muted", row.text)),
                ]),
            ),
    ];
}
