/* What machine this is, what NCCL makes of it, and what the reader noticed. */
import { h } from "../dom.js";
import { figures } from "../model.js";
import { excerptView } from "./problem.js";

/** before: the document of the last question about the same machine, to show what a change changed. */
export function summaryView({ doc, before, summary, source, findings = doc?.findings }) {
    const machine = doc?.summary?.machine ?? summary?.machine;
    const old = new Map(before ? figures(before) : []);
    return [
        machine?.sentence && h("p", { class: "sentence" }, capital(machine.sentence), "."),
        doc?.verified === false && h("p.unverified", null, h("span.badge", null, "not verified"), ` NCCL ${doc.nccl} is emulated, but not verified against references.`),
        doc && h("section", { "aria-label": "Figures" },
            h("dl.facts", null, figures(doc).map(([name, value]) => [
                h("dt", null, name),
                h("dd", null, value,
                    old.has(name) && old.get(name) !== value && h("div.was", null, `was ${old.get(name)}`)),
            ]))),
        findings?.length > 0 && h("section", { "aria-label": "Findings" },
            h("h2", null, "Findings"),
            h("ul.findings", null, findings.map((row) => finding(row, source)))),
        doc?.assumptions?.length > 0 && h("section", null,
            h("h2", null, "Taken for granted"),
            h("ul.findings", null, doc.assumptions.map((row) => h("li.muted", null, row.text)))),
    ];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function finding(row, source) {
    const line = row.where?.line;
    return h("li", null,
        h("h3", null, h(`span.sev.sev-${row.severity}`, null, row.severity), row.title),
        row.detail && h("p", null, capital(row.detail), line ? ` (line ${line}).` : "."),
        line && source && excerptView(source, line, row.where.column),
        row.why && h("p.muted", null, row.why),
        row.advice && h("p", null, row.advice));
}
