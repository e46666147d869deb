// SPDX-License-Identifier: Apache-2.0
/* What is asked about a log first: did the job work, what went wrong, what ran, and which algorithms NCCL chose. */
import { copyButton, h } from "../dom.js";
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
            null,
            h(
                "h2",
                { id: "log-outcome" },
                h("span.mark", { "aria-hidden": "true" }, MARKS[triage.verdict] ?? ""),
                `Verdict: ${triage.verdict} `,
                copy,
            ),
            triage.sentences.map((sentence) => h("p", null, sentence)),
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
            h("summary", null, "The last collective of each rank"),
            h(
                "table",
                null,
                h("caption.unseen", null, "The last collective of each rank"),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th.num", null, "Line"),
                        h("th", null, "Collective"),
                        h("th.num", null, "opCount"),
                        h("th", null, "Ranks"),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    rows
                        .slice(0, SHOWN)
                        .map((row) =>
                            h(
                                "tr",
                                null,
                                h("td.num", null, String(row.line)),
                                h("td", null, row.collective),
                                h("td.num", null, row.op_count),
                                h("td.wrap", null, ranges(row.ranks)),
                            ),
                        ),
                ),
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
            h("summary", null, `Errors and warnings (${rows.length})`),
            h(
                "div.scroll",
                { tabindex: "0", role: "group", "aria-label": "Errors and warnings" },
                h(
                    "table.wide",
                    null,
                    h("caption.unseen", null, "Errors and warnings, in order of appearance"),
                    h(
                        "thead",
                        null,
                        h(
                            "tr",
                            null,
                            h("th.num", null, "Line"),
                            h("th", null, "Severity"),
                            h("th.num", null, "Times"),
                            h("th", null, "Ranks and hosts"),
                            h("th", null, "Message, meaning and remedy"),
                        ),
                    ),
                    h(
                        "tbody",
                        null,
                        rows
                            .slice(0, SHOWN)
                            .map((event) =>
                                h(
                                    "tr",
                                    { "data-event": event.id },
                                    h("td.num", null, String(event.line)),
                                    h("td", null, event.severity),
                                    h("td.num", null, String(event.count)),
                                    h(
                                        "td.wrap",
                                        null,
                                        [
                                            event.ranks.length && ranges(event.ranks),
                                            event.hosts.length && hostsText(event.hosts),
                                        ]
                                            .filter(Boolean)
                                            .join("; ") || "unknown",
                                    ),
                                    h(
                                        "td.wrap",
                                        null,
                                        h("code", null, event.text),
                                        h(
                                            "div",
                                            null,
                                            event.means ?? "Orrery does not know this message.",
                                        ),
                                        event.advice && h("div.muted", null, event.advice),
                                    ),
                                ),
                            ),
                    ),
                ),
            ),
            rows.length > SHOWN && h("p.note", null, `${rows.length - SHOWN} more are not listed.`),
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
            h("summary", null, "What ran"),
            h(
                "dl.facts",
                null,
                rows.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]),
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
            h("summary", null, `Settings (${rows.length})`),
            h(
                "dl.facts",
                null,
                rows.map((row) => [
                    h("dt", null, row.name),
                    h(
                        "dd",
                        null,
                        row.values
                            .map(
                                ({ value, hosts }) =>
                                    value +
                                    (row.values.length > 1 && hosts.length
                                        ? ` (${hostsText(hosts)})`
                                        : ""),
                            )
                            .join("; "),
                        row.ignored && h("div", null, `NCCL ignored it: ${row.ignored}.`),
                        row.effect && h("div.muted", null, row.effect),
                    ),
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
            h("summary", null, `Algorithms that NCCL chose (${choicesText(what)})`),
            h(
                "table",
                null,
                h("caption.unseen", null, "Algorithms that NCCL chose"),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th", null, "Collective"),
                        h("th.num", null, "From (bytes)"),
                        h("th.num", null, "To (bytes)"),
                        h("th", null, "Log"),
                        h("th", null, "Predicted"),
                        h("th", null, "Same"),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    what.rows.map((row) =>
                        h(
                            "tr",
                            null,
                            h("td", null, row.collective),
                            h("td.num", null, String(row.from)),
                            h("td.num", null, String(row.to)),
                            h("td", null, row.logged),
                            h("td", null, row.predicted ?? "–"),
                            h("td", null, row.agrees === null ? "–" : row.agrees ? "=" : "≠"),
                        ),
                    ),
                ),
            ),
            what.why && h("p.note", null, what.why),
        )
    );
}
