// SPDX-License-Identifier: Apache-2.0
/* The first questions about a log: did the job work, what went wrong, what ran, and which algorithms NCCL chose. */
import { joined } from "../model.js";
import { copyButton, facts, h, leftOut, sign, table } from "../dom.js";
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
    return h("section", { id: "log-triage", "data-verdict": triage.verdict }, [
        h("div.outcome", [
            h("h2", { id: "log-outcome" }, [
                sign(MARKS[triage.verdict] ?? ""),
                `Verdict: ${triage.verdict} `,
                copy,
            ]),
            triage.sentences.map((sentence) => h("p", sentence)),
        ]),
        lastCollectives(triage.last_collectives),
        events(triage),
        ran(triage.ran),
        settings(triage.ran.settings),
        choices(triage.choices),
    ]);
}

/* A part of the triage that can be folded; nothing if there are no rows. */
const part = (id, title, rows, open, ...what) =>
    rows.length > 0 && h("details", { id: `log-${id}`, open }, [h("summary", title), what]);

const lastCollectives = (rows) =>
    part(
        "collectives",
        "The last collective of each rank",
        rows,
        true,
        table(
            "The last collective of each rank",
            ["#Line", "Collective", "#opCount", "~Ranks"],
            rows
                .slice(0, SHOWN)
                .map(({ line, collective, op_count: count, ranks }) => [
                    String(line),
                    collective,
                    count,
                    ranges(ranks),
                ]),
            { tag: "table", scroll: false },
        ),
    );

function events(triage) {
    const rows = shownEvents(triage);
    return part(
        "events",
        `Errors and warnings (${rows.length})`,
        rows,
        true,
        table(
            "Errors and warnings",
            ["#Line", "Severity", "#Times", "~Ranks and hosts", "~Message, meaning and remedy"],
            rows.slice(0, SHOWN).map((event) => ({
                props: { "data-event": event.id },
                cells: [
                    String(event.line),
                    event.severity,
                    String(event.count),
                    joined("; ", [
                        event.ranks.length && ranges(event.ranks),
                        event.hosts.length && hostsText(event.hosts),
                    ]) || "unknown",
                    [
                        h("code", event.text),
                        h("div", event.means ?? "Orrery does not know this message."),
                        event.advice && h("div.muted", event.advice),
                    ],
                ],
            })),
        ),
        leftOut(rows.length - SHOWN),
    );
}

const ran = (what) => part("ran", "What ran", ranRows(what), true, facts(ranRows(what)));

function settings(rows) {
    const values = (all) =>
        all.map(({ value, hosts }) =>
            all.length > 1 && hosts.length ? `${value} (${hostsText(hosts)})` : value,
        );
    const told = rows.map((row) => [
        row.name,
        [
            values(row.values).join("; "),
            row.ignored && h("div", `NCCL ignored it: ${row.ignored}.`),
            row.effect && h("div.muted", row.effect),
        ],
    ]);
    return part("settings", `Settings (${rows.length})`, rows, false, facts(told));
}

const choices = (what) =>
    part(
        "choices",
        `Algorithms that NCCL chose (${choicesText(what)})`,
        what.rows,
        what.differ > 0,
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
    );
