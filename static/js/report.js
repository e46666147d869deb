// SPDX-License-Identifier: Apache-2.0
/* Writes what the page shows as CSV of its tables, and as Markdown for a ticket. Pure functions. */
import { resultRows } from "./bandwidth.js";
import { loads } from "./channels.js";
import { ranges, waysAt } from "./chart.js";
import { placeText, SECTIONS, sideName, sizeText, valueText } from "./compare.js";
import {
    assumed,
    bySeverity,
    capital,
    costText,
    decidingLine,
    expected,
    headline,
} from "./diagnosis.js";
import { hostLinks, shape } from "./hosts.js";
import { logRows } from "./log.js";
import {
    bandwidth,
    cell,
    figures,
    hops,
    hostsText,
    joined,
    shortName,
    verdict,
    words,
} from "./model.js";
import { pairRows } from "./pairs.js";
import { questions } from "./questions.js";
import { transferRows } from "./transfers.js";

/** Rows of values as CSV (RFC 4180). Texts that a spreadsheet would run as a formula get a space in front. */
export function csv(rows) {
    const field = (value) => {
        const text = value === null || value === undefined ? "" : String(value),
            safe =
                typeof value === "string" && /^[=+@\t\r]|^-[^\d–-]/.test(text) ? ` ${text}` : text;
        return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    return rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

/** GPU x (GPU + NET) as rows: type, bw, hops or verdict; with the other side of a comparison, "before→after" where it
 * changes. */
export function matrixRows(model, mode, after = null) {
    const columns = [...model.gpus, ...model.nets];
    const say = (from, to) => {
        const a = cell(model, from, to, mode).text,
            b = after ? cell(after, from, to, mode).text : a;
        return a === b ? a : `${a}→${b}`;
    };
    return [
        ["", ...columns.map((node) => shortName(model, node.id))],
        ...model.gpus.map((row) => [
            shortName(model, row.id),
            ...columns.map((column) => say(row.id, column.id)),
        ]),
    ];
}

/* The tables of views: of what tableOf() takes, [name of the file, ...rows], the first of which is the head; null:
 * there is none yet. */
const TABLES = {
    channels: ({ model }) => [
        "channels",
        words("graph|from|to|link|channels|used GB/s|of GB/s|left GB/s"),
        ...(model.doc.graphs ?? []).flatMap(({ name }) =>
            loads(model, name).map(({ from, to, type, channels, used, bw, left }) => {
                return [name, from, to, type, channels.length, used, bw, left];
            }),
        ),
    ],
    tuning: ({ model: { doc } }) => [
        "tuning",
        words("collective|bytes|algorithm|protocol|microseconds|bus GB/s|chosen"),
        ...Object.keys(doc.predictions?.functions ?? {}).flatMap((name) =>
            doc.predictions.sizes.flatMap((bytes) =>
                waysAt(doc.predictions, name, bytes).map((way) => {
                    const { algorithm, protocol, time, bw, chosen } = way;
                    return [name, bytes, algorithm, protocol, time, bw, chosen ? "yes" : "no"];
                }),
            ),
        ),
    ],
    hosts: ({ model, state: { graph, channel } }) => {
        const rail = (n) => shape(model).rails[n] ?? "";
        return [
            "hosts",
            words("graph|channel|from host|from rank|rail|to host|to rank|rail"),
            ...hostLinks(model, graph, channel).map(({ from, a, out, to, b, into }) => {
                return [graph, channel, from, a, rail(out), to, b, rail(into)];
            }),
        ];
    },
    transfers: ({ schedule }) => schedule?.doc && ["transfers", ...transferRows(schedule.doc)],
    diff: ({ model, other }) =>
        other?.diff && [
            "differences",
            [
                ...words("section|what|where|places"),
                sideName(other.diff.a, other.diff.b),
                sideName(other.diff.b, other.diff.a),
                "because",
            ],
            ...Object.entries(other.diff.sections).flatMap(([name, section]) =>
                section.changes.map((row) => [
                    name,
                    row.text,
                    placeText(model, row.where[0] ?? {}),
                    row.count,
                    valueText(model, row.what, row.a),
                    valueText(model, row.what, row.b),
                    row.because.join(" "),
                ]),
            ),
        ],
    bandwidth: ({ results }) => results?.answer && ["bandwidth", ...resultRows(results.answer)],
    log: ({ log }) => log?.answer?.check && ["log", ...logRows(log.answer.check)],
    compare: ({ pair }) => pair && ["comparison", ...pairRows(pair)],
    source: () => null,
};
const theMatrix = ({ model, other, state: { cell: mode } }) => [
    `matrix-${mode}`,
    ...matrixRows(model, mode, other?.model),
];

/** The table of a view as rows, with a name for its file: [name, rows]; null if it has none.
 * @param {any} shown {model, other, pair, log, results, schedule, state} */
export function tableOf(shown) {
    const [name, ...rows] = (TABLES[shown.state.view] ?? theMatrix)(shown) || [];
    return name ? [name, rows] : null;
}

const escape = (text) =>
    String(text).replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
/** @param {any[][]} rows the first is the head */
const table = ([head, ...rows]) =>
    [
        `| ${head.map(escape).join(" | ")} |`,
        `|${head.map(() => "---|").join("")}`,
        ...rows.map((row) => `| ${row.map(escape).join(" | ")} |`),
    ].join("\n");

const STATES = {
    good: "good",
    assumed: "good if the assumptions hold",
    limited: "limited",
    fault: "fault",
    open: "not known",
};

function verdictText(doc, add) {
    const head = headline(doc),
        figures = expected(doc);
    if (head)
        add(
            `Verdict: ${head.title}`,
            escape(head.sentence),
            head.advice && `Do: ${escape(head.advice)}`,
        );
    if (figures.length)
        add(
            "Expected",
            figures
                .map(
                    ([name, value]) =>
                        `- ${name}: ${value}${assumedText(doc, assumed(doc, ["tuning"]))}`,
                )
                .join("\n"),
            "Predicted with NCCL's own model, not measured.",
        );
    if (doc.input?.assumed.length)
        add(
            "Assumed about the input",
            doc.input.assumed.map((row, i) => `${i + 1}. ${escape(capital(row.what))}.`).join("\n"),
        );
}

/* " (≈ rests on assumptions 1, 3)": of the list above. */
const assumedText = (doc, texts) =>
    texts.length
        ? ` (≈ rests on assumption${texts.length > 1 ? "s" : ""} ` +
          `${doc.input.assumed.flatMap((row, i) => (texts.includes(row.what) ? [i + 1] : [])).join(", ")})`
        : "";

/* Causes with their costs, what follows from each below it; notes by title. */
function findingsText({ doc, bar }, add) {
    const { faults, notes } = bySeverity(doc.findings ?? []);
    const line = (row, cause = row) =>
        joined(" ", [
            `- **${row.severity}** ${escape(row.title)}:`,
            escape(costText(row, bar, cause).replace(/.$/, "$&.")),
            `${escape(capital(row.detail))}${row.where?.line ? ` (line ${row.where.line})` : ""}.`,
        ]);
    if (faults.length)
        add(
            "Findings",
            faults
                .map(({ cause, consequences }) =>
                    [
                        `${line(cause)} ${escape(cause.advice ?? "")}`,
                        ...consequences.map((row) => `  ${line(row, cause)}`),
                    ].join("\n"),
                )
                .join("\n"),
        );
    if (notes.length)
        add(
            "Notes",
            notes
                .flatMap(({ cause, consequences }) => [cause, ...consequences])
                .map((row) => `- ${escape(row.title)}: ${escape(row.detail)}.`)
                .join("\n"),
        );
}

/** Verdict, faults, evidence and the figures asked for, for a ticket. link: the page's address, or "". */
export function markdown({ model, other, state, summary, releases, link }) {
    const { doc } = model,
        parts = [],
        add = (title, ...text) => parts.push(`## ${title}\n\n${text.filter(Boolean).join("\n\n")}`);
    const settings = Object.entries(doc.settings ?? {}).map(([name, value]) => `${name}=${value}`);
    parts.push(
        `# ${escape(summary?.name || "A machine")} as NCCL ${doc.nccl} sees it`,
        joined("\n", [
            `${doc.summary?.machine?.sentence ?? ""}.`,
            `${doc.hosts} host${doc.hosts > 1 ? "s" : ""}, ${doc.ranks} ` +
                `ranks${settings.length ? `; ${settings.join(", ")}` : ""}.`,
            doc.verified === false &&
                (doc.asked
                    ? `Orrery does not know NCCL ${doc.asked}: these are the results of the nearest release.`
                    : `What Orrery knows of NCCL ${doc.nccl} has not been compared with NCCL's own results.`),
            link && `[Open in Orrery](${link})`,
        ]),
    );
    verdictText(doc, add);
    findingsText(model, add);
    add(
        "At a glance",
        table([
            ["Question", "State", "Answer"],
            ...questions(model, { releases }).map((row) => [
                row.ask,
                STATES[row.tone] ?? "",
                row.answer + assumedText(doc, row.assumes),
            ]),
        ]),
    );
    if (state.from && state.to)
        add(
            `${shortName(model, state.from)} to ${shortName(model, state.to)}`,
            pathText(model, state),
        );
    if (other?.diff)
        add(
            "Against the other side",
            `${sideName(other.diff.a, other.diff.b)} → ${sideName(other.diff.b, other.diff.a)}: ` +
                `${other.diff.summary}`,
            table([
                ["Rule or setting", "Before", "After", "Facts", "In"],
                ...other.diff.reasons.map((row) => [
                    row.text || row.id,
                    row.a,
                    row.b,
                    row.changed,
                    row.sections.map((name) => SECTIONS[name] ?? name).join(", "),
                ]),
            ]),
        );
    add("Figures", table([["Figure", "Value"], ...figures(doc)]));
    const chosen = ranges(doc.predictions, state.collective);
    if (chosen.length)
        add(
            `What is chosen for ${state.collective}`,
            table([
                ["From", "Algorithm", "Protocol"],
                ...chosen.map((row) => [sizeText(row.from), row.algorithm, row.protocol]),
            ]),
            "A model, not a measurement.",
        );
    return `${parts.join("\n\n")}\n`;
}

function pathText(model, { from, to }) {
    const path = model.paths.get(`${from}>${to}`),
        decision = verdict(model, from, to);
    if (!path) return "NCCL keeps no path between these two.";
    return [
        `${path.type}, ${bandwidth(path.bw)} GB/s. ${(decision?.rows ?? [])
            .map((row) => `${row.what}: ${row.text}.`)
            .join(" ")}`,
        table([
            ["Hop", "To", "Link", "GB/s", ""],
            ...hops(model, path).map((row, i) => [
                i + 1,
                shortName(model, row.to),
                row.type,
                bandwidth(row.bw),
                row.narrowest ? "narrowest" : "",
            ]),
        ]),
    ].join("\n\n");
}

/** The eight lines that somebody pastes into a ticket or a chat. */
export function summaryText({ model, name, link }) {
    const { doc, bar } = model,
        head = headline(doc),
        settings = Object.entries(doc.settings ?? {}).map(([key, value]) => `${key}=${value}`),
        { faults } = bySeverity(doc.findings ?? []),
        assumes = doc.input?.assumed ?? [];
    return joined("\n", [
        `${name || "Machine"}: ${head ? decidingLine(doc, head) : "not diagnosed"}`,
        capital(doc.summary?.machine?.sentence ?? ""),
        [`NCCL ${doc.nccl}`, `${hostsText(doc)}, ${doc.ranks} ranks`, ...settings].join("; "),
        expected(doc)
            .slice(0, 1)
            .map(([what, value]) => `${what}: ${value}`)[0],
        ...faults
            .slice(0, 2)
            .map(({ cause }) =>
                joined(". ", [`- ${cause.title}: ${cause.detail}`, costText(cause, bar)]),
            ),
        head?.advice && `Do: ${head.advice}`,
        assumes.length > 0 &&
            `Assumed: ${assumes[0].what}${assumes.length > 1 ? `, and ${assumes.length - 1} more` : ""}`,
        link,
    ]);
}
