// SPDX-License-Identifier: Apache-2.0
/* Compares a set of dumps with what most of them are like: which dumps deviate, and in what. */
import { button, h, link, table } from "../dom.js";
import { setText } from "../pairs.js";
import { address, DEFAULTS } from "../state.js";
import { outcomesView } from "./outcomes.js";
import { answered } from "./problem.js";

/** majority: {doc, problem}. actions: library(), majorityAgain(). */
export function majorityView({ majority, state, actions }) {
    const { doc, problem } = majority;
    return h("div.library", [
        h("header", [
            h("h1", "Comparison with the majority"),
            h("p.muted", setText(state.set)),
            button("back-to-library", "Library", actions.library),
        ]),
        answered({ answer: doc, problem }, () => answer(doc, state), "Comparing…", {
            again: actions.majorityAgain,
        }),
    ]);
}

function answer(doc, state) {
    const names = new Map(
            doc.members.map((row) => [row.topology, row.name || row.topology.slice(0, 12)]),
        ),
        asks = { release: state.release, hosts: state.hosts, settings: state.settings };
    const to = (patch, key, id) =>
        link(address(DEFAULTS, { ...asks, ...patch }), key, names.get(id) ?? id.slice(0, 12));
    const open = (id) => to({ id }, `open:${id}`, id);
    const beside = (id) =>
        id === doc.reference
            ? open(id)
            : to({ id: doc.reference, with: id, view: "compare" }, `beside:${id}`, id);
    return [
        h("p", { id: "majority-summary" }, doc.summary),
        effect(doc, beside),
        doc.findings.length > 0 &&
            h("ul.findings", { id: "set-findings" }, [
                doc.findings.map((row) =>
                    h("li", { "data-finding": row.catalogue }, [
                        h("p", h(`b.sev-${row.severity}`, row.severity), " ", h("b", row.title)),
                        h("p", row.detail, "."),
                        h("p.muted", row.why, " ", row.advice),
                    ]),
                ),
            ]),
        doc.rows.length > 0 && [h("h2", "What differs"), rowsTable(doc, beside)],
        doc.left_out > 0 &&
            h("p.note", [
                `${doc.left_out} more difference${doc.left_out === 1 ? " is" : "s are"} not listed.`,
            ]),
        h("h2", "All dumps of the set"),
        membersTable(doc, open, beside),
    ];
}

/* The bandwidth of the dump that loses or gains most. */
const largest = (row) =>
    Math.max(0, ...(row.outcomes ?? []).map((one) => Math.abs(one.change ?? 0)));
const effect = (doc, beside) => {
    const most = [...doc.members].sort((x, y) => largest(y) - largest(x))[0];
    if (largest(most) < 0.02) return null;
    return [
        h("h2", "What ", beside(most.topology), " gets, compared with the reference"),
        outcomesView(most.outcomes),
    ];
};

const rowsTable = (doc, beside) =>
    table(
        "What differs",
        ["~Device", "~What", "~Majority", "~Others"],
        doc.rows.map((row) => [
            row.device.name,
            row.other ? `${row.text}: ${row.other.name}` : row.text,
            [
                row.majority === null
                    ? h("span.muted", "no majority")
                    : `${row.majority} (${row.majority_count})`,
                row.odd && h("span.muted", ", differs from most"),
            ],
            row.deviants.map((one, i) => [i > 0 && ", ", beside(one.topology), `: ${one.value}`]),
        ]),
        { id: "deviations" },
    );

const decisions = (row) =>
    Object.entries(row.decisions ?? {})
        .filter(([, n]) => n)
        .map(([name, n]) => `${n} in ${name}`)
        .join(", ");
const membersTable = (doc, open, beside) =>
    table(
        "The dumps of the set",
        "~Dump|#Hardware|#Names|~NCCL decides differently|~Compare with the reference",
        [...doc.members]
            .sort((x, y) => y.hardware - x.hardware || y.numbering - x.numbering)
            .map((row) => ({
                props: { "data-member": row.topology },
                cells: [
                    [
                        open(row.topology),
                        row.topologies > 1 && h("span.muted", ` and ${row.topologies - 1} like it`),
                    ],
                    String(row.hardware),
                    String(row.numbering),
                    decisions(row) || "–",
                    row.topology === doc.reference ? "the reference" : beside(row.topology),
                ],
            })),
        { id: "members" },
    );
