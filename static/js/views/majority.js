// SPDX-License-Identifier: Apache-2.0
/* A set of dumps against what most of them are like: who deviates, and in what. */
import { h } from "../dom.js";
import { setText } from "../pairs.js";
import { address, DEFAULTS } from "../state.js";
import { problemView } from "./problem.js";

/** majority: {doc, problem}. actions: library(), majorityAgain(). */
export function majorityView({ majority, state, actions }) {
    const { doc, problem } = majority;
    return h(
        "div.library",
        null,
        h(
            "header",
            null,
            h("h1", null, "Comparison with the majority"),
            h("p.muted", null, setText(state.set)),
            h(
                "button",
                { type: "button", "data-key": "back-to-library", onclick: actions.library },
                "Library",
            ),
        ),
        problem
            ? [problemView(problem, { again: actions.majorityAgain })]
            : !doc
              ? h("p.muted", null, "Comparing…")
              : answer(doc, state),
    );
}

function answer(doc, state) {
    const names = new Map(
            doc.members.map((row) => [row.topology, row.name || row.topology.slice(0, 12)]),
        ),
        asks = { release: state.release, hosts: state.hosts, settings: state.settings };
    const open = (id) =>
        h(
            "a",
            { href: address(DEFAULTS, { ...asks, id }), "data-key": `open:${id}` },
            names.get(id) ?? id.slice(0, 12),
        );
    const beside = (id) =>
        id === doc.reference
            ? open(id)
            : h(
                  "a",
                  {
                      href: address(DEFAULTS, {
                          ...asks,
                          id: doc.reference,
                          with: id,
                          view: "compare",
                      }),
                      "data-key": `beside:${id}`,
                  },
                  names.get(id) ?? id.slice(0, 12),
              );
    return [
        h("p", { id: "majority-summary" }, doc.summary),
        doc.findings.length > 0 &&
            h(
                "ul.findings",
                { id: "set-findings" },
                doc.findings.map((row) =>
                    h(
                        "li",
                        { "data-finding": row.catalogue },
                        h(
                            "p",
                            null,
                            h(`b.sev-${row.severity}`, null, row.severity),
                            " ",
                            h("b", null, row.title),
                        ),
                        h("p", null, row.detail, "."),
                        h("p.muted", null, row.why, " ", row.advice),
                    ),
                ),
            ),
        doc.rows.length > 0 && [h("h2", null, "What differs"), rowsTable(doc, beside)],
        doc.left_out > 0 &&
            h(
                "p.note",
                null,
                `${doc.left_out} more difference${doc.left_out === 1 ? " is" : "s are"} not listed.`,
            ),
        h("h2", null, "All dumps of the set"),
        membersTable(doc, open, beside),
    ];
}

const rowsTable = (doc, beside) =>
    h(
        "div.scroll",
        { tabindex: "0", role: "group", "aria-label": "What differs" },
        h(
            "table.wide",
            { id: "deviations" },
            h("caption.unseen", null, "What differs from the majority"),
            h(
                "thead",
                null,
                h(
                    "tr",
                    null,
                    h("th", null, "Device"),
                    h("th", null, "What"),
                    h("th", null, "Majority"),
                    h("th", null, "Others"),
                ),
            ),
            h(
                "tbody",
                null,
                doc.rows.map((row) =>
                    h(
                        "tr",
                        null,
                        h("td.wrap", null, row.device.name),
                        h("td.wrap", null, row.other ? `${row.text}: ${row.other.name}` : row.text),
                        h(
                            "td.wrap",
                            null,
                            row.majority === null
                                ? h("span.muted", null, "no majority")
                                : `${row.majority} (${row.majority_count})`,
                            row.odd && h("span.muted", null, ", differs from most"),
                        ),
                        h(
                            "td.wrap",
                            null,
                            row.deviants.map((one, i) => [
                                i > 0 && ", ",
                                beside(one.topology),
                                `: ${one.value}`,
                            ]),
                        ),
                    ),
                ),
            ),
        ),
    );

const decisions = (row) =>
    Object.entries(row.decisions ?? {})
        .filter(([, n]) => n)
        .map(([name, n]) => `${n} in ${name}`)
        .join(", ");
const membersTable = (doc, open, beside) =>
    h(
        "div.scroll",
        { tabindex: "0", role: "group", "aria-label": "The dumps of the set" },
        h(
            "table.wide",
            { id: "members" },
            h("caption.unseen", null, "The dumps of the set"),
            h(
                "thead",
                null,
                h(
                    "tr",
                    null,
                    h("th", null, "Dump"),
                    h("th.num", null, "Hardware"),
                    h("th.num", null, "Names"),
                    h("th", null, "NCCL decides differently"),
                    h("th", null, "Compare with the reference"),
                ),
            ),
            h(
                "tbody",
                null,
                [...doc.members]
                    .sort((x, y) => y.hardware - x.hardware || y.numbering - x.numbering)
                    .map((row) =>
                        h(
                            "tr",
                            { "data-member": row.topology },
                            h(
                                "td.wrap",
                                null,
                                open(row.topology),
                                row.topologies > 1 &&
                                    h("span.muted", null, ` and ${row.topologies - 1} like it`),
                            ),
                            h("td.num", null, String(row.hardware)),
                            h("td.num", null, String(row.numbering)),
                            h("td.wrap", null, decisions(row) || "–"),
                            h(
                                "td.wrap",
                                null,
                                row.topology === doc.reference
                                    ? "the reference"
                                    : beside(row.topology),
                            ),
                        ),
                    ),
            ),
        ),
    );
