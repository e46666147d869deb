// SPDX-License-Identifier: Apache-2.0
/* What is asked about a log first: did the job work, what went wrong, what ran, and which algorithms NCCL chose. */
import { copyButton, facts, h, table } from "../dom.js";
import { choicesText, hostsText, ranges, ranRows, shownEvents, ticketText } from "../triage.js";

const SHOWN = 60;
const MARKS = {
    failed: "✗",
    hung: "✗",
    incomplete: "!",
    "worked with warnings": "!",
    worked: "✓",
    "cannot tell": "?",
};

export function triageView(triage) {
    const copy = copyButton(ticketText(triage), "Copy for a ticket");
    copy.setAttribute("aria-label", "Copy for a ticket");
    return h(
        "section",
        { id: "log-triage", "data-verdict": triage.verdict },
        h(
            "div.outcome",
            h(
                "h2",
                { id: "log-outcome" },
                h("span.mark", { "aria-hidden": "true" }, MARKS[triage.verdict] ?? ""),
                `Verdict: ${triage.verdict} `,
                copy,
            ),
            triage.sentences.map((sentence) => h("p", sentence)),
        ),
        lastCollectives(triage.last_collectives),
        events(triage),
        ran(triage.ran),
        settings(triage.ran.settings),
        choices(triage.choices),
    );
}

function lastCollectives(rows) {
    return (
        rows.length > 0 &&
        h(
            "details",
            { id: "log-collectives", open: true },
            h("summary", "The last collective of each rank"),
            table(
                "The last collective of each rank",
                ["#Line", "Collective", "#opCount", "~Ranks"],
                rows
                    .slice(0, SHOWN)
                    .map((row) => [
                        String(row.line),
                        row.collective,
                        row.op_count,
                        ranges(row.ranks),
                    ]),
                { tag: "table", scroll: false },
            ),
        )
    );
}

function events(triage) {
    const rows = shownEvents(triage);
    return (
        rows.length > 0 &&
        h(
            "details",
            { id: "log-events", open: true },
            h("summary", `Errors and warnings (${rows.length})`),
            table(
                "Errors and warnings",
                ["#Line", "Severity", "#Times", "~Ranks and hosts", "~Message, meaning and remedy"],
                rows.slice(0, SHOWN).map((event) => ({
                    props: { "data-event": event.id },
                    cells: [
                        String(event.line),
                        event.severity,
                        String(event.count),
                        [
                            event.ranks.length && ranges(event.ranks),
                            event.hosts.length && hostsText(event.hosts),
                        ]
                            .filter(Boolean)
                            .join("; ") || "unknown",
                        [
                            h("code", event.text),
                            h("div", event.means ?? "Orrery does not know this message."),
                            event.advice && h("div.muted", event.advice),
                        ],
                    ],
                })),
            ),
            rows.length > SHOWN && h("p.note", `${rows.length - SHOWN} more are not listed.`),
        )
    );
}

function ran(what) {
    const rows = ranRows(what);
    return (
        rows.length > 0 &&
        h(
            "details",
            { id: "log-ran", open: true },
            h("summary", "What ran"),
            facts(rows),
            h(
                "dl.facts",
                rows.map(([name, value]) => [h("dt", name), h("dd", value)]),
            ),
        )
    );
}

function settings(rows) {
    return (
        rows.length > 0 &&
        h(
            "details",
            { id: "log-settings" },
            h("summary", `Settings (${rows.length})`),
            facts(
                rows.map(({ name, values, ignored, effect }) => [
                    name,
                    [
                        values
                            .map(({ value, hosts }) =>
                                values.length > 1 && hosts.length
                                    ? `${value} (${hostsText(hosts)})`
                                    : value,
                            )
                            .join("; "),
                        ignored && h("div", `NCCL ignored it: ${ignored}.`),
                        effect && h("div.muted", effect),
                    ],
                ]),
            ),
        )
    );
}

function choices(what) {
    return (
        what.rows.length > 0 &&
        h(
            "details",
            { id: "log-choices", open: what.differ > 0 },
            h("summary", `Algorithms that NCCL chose (${choicesText(what)})`),
            table(
                "Algorithms that NCCL chose",
                ["Collective", "#From (bytes)", "#To (bytes)", "Log", "Predicted", "Same"],
                what.rows.map((row) => [
                    row.collective,
                    String(row.from),
                    String(row.to),
                    row.logged,
                    row.predicted ?? "–",
                    row.agrees === null ? "–" : row.agrees ? "=" : "≠",
                ]),
                { tag: "table", scroll: false },
            ),
            what.why && h("p.note", what.why),
        )
    );
}
