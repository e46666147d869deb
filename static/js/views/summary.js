/* What machine this is, what NCCL makes of it, and what the reader noticed. */
import { h } from "../dom.js";
import { figures } from "../model.js";
import { questions } from "../questions.js";
import { address } from "../state.js";
import { inputView } from "./input.js";
import { excerptView } from "./problem.js";

const SEVERITIES = ["error", "warning", "info"];

/** before: the index of the last question's answer about the same machine, to show what a change changed. actions: line(n). */
export function summaryView({ model = null, before = null, summary, source, state, releases, machines = null, actions, findings = model?.doc.findings }) {
    const doc = model?.doc, machine = doc?.summary?.machine ?? summary?.machine;
    const old = new Map(before ? figures(before.doc) : []);
    return [
        machine?.sentence && h("p", { class: "sentence" }, capital(machine.sentence), "."),
        doc?.verified === false && h("p.unverified", null, h("span.badge", null, "nearest release"), ` NCCL ${doc.asked} is not emulated. These are the results of NCCL ${doc.nccl}, the nearest release; they may differ.`),
        inputView({ input: doc?.input ?? summary?.input, machine, state, machines, actions }),
        findings && findingList(findings, source, actions),
        model && answers(model, before, state, releases),
        doc && h("section", { "aria-label": "Figures" },
            h("h2", null, "Figures"),
            h("dl.facts", null, figures(doc).map(([name, value]) => [
                h("dt", null, name),
                h("dd", null, value,
                    old.has(name) && old.get(name) !== value && h("div.was", null, `was ${old.get(name)}`)),
            ]))),
        doc?.assumptions?.length > 0 && h("section", null,
            h("h2", null, "Taken for granted"),
            h("ul.findings", null, doc.assumptions.filter((row) => !row.id.startsWith("input-")).map((row) => h("li.muted", null, row.text)))),
    ];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function findingList(findings, source, actions) {
    const rows = [...findings].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
    const counts = SEVERITIES.map((name) => [name, rows.filter((row) => row.severity === name).length]).filter(([, n]) => n);
    return h("section", { id: "findings", "aria-label": "Findings" },
        h("h2", null, "Findings", counts.map(([name, n]) => h(`span.count.sev-${name}`, null, `${n} ${name}${n > 1 && name !== "info" ? "s" : ""}`)), !rows.length && h("span.count.muted", null, "none")),
        rows.length > 0 && h("ul.findings", null, rows.map((row) => finding(row, source, actions))));
}

const TONES = { good: ["✓", "fine"], note: ["·", "worth a look"], bad: ["!", "needs attention"], open: ["?", "needs more"] };

/* The fifteen questions, each a link to its evidence. */
function answers(model, before, state, releases) {
    const old = new Map(before ? questions(before, { releases }).map((row) => [row.id, row.answer]) : []);
    return h("section", { "aria-label": "At a glance" },
        h("h2", null, "At a glance"),
        h("dl.glance", { id: "glance" }, questions(model, { releases }).map((row) => [
            h("dt", null, row.ask),
            h(`dd.tone-${row.tone}`, { "data-question": row.id },
                h("span.tone", { role: "img", "aria-label": TONES[row.tone][1], title: TONES[row.tone][1] }, TONES[row.tone][0]),
                h("span", null, row.patch ? h("a", { href: address(state, row.patch), "data-key": `question:${row.id}` }, row.answer) : row.answer,
                    old.has(row.id) && old.get(row.id) !== row.answer && row.id !== "release" && h("div.was", null, `was: ${old.get(row.id)}`))),
        ])));
}

function finding(row, source, actions) {
    const line = row.where?.line;
    return h("li", null,
        h("h3", null, h(`span.sev.sev-${row.severity}`, null, row.severity), row.title),
        row.detail && h("p", null, capital(row.detail), line ? " (" : ".", line && h("button.text", { type: "button", "data-key": `line:${line}`, onclick: () => actions.line(line) }, `line ${line}`), line ? ")." : ""),
        line && source && excerptView(source, line, row.where.column, 1),
        row.why && h("p.muted", null, row.why),
        row.advice && h("p", null, row.advice),
        row.commands?.length > 0 && h("p", null, row.commands.map((command, i) => [i > 0 && h("br"), h("code", null, command)])));
}
