/* The verdict first, then what is expected, the questions at a glance, findings by cost, and what all of it rests on. */
import {
    bySeverity,
    capital,
    costs,
    costText,
    expected,
    headline,
    assumed as assumptionsOf,
} from "../diagnosis.js";
import { choices, docsLink, fold, h, withCode } from "../dom.js";
import { figures, hostsText } from "../model.js";
import { questions } from "../questions.js";
import { address } from "../state.js";
import { TONES } from "../tones.js";
import { assumptionControls, inputView, nicsAssumed } from "./input.js";
import { nicTable } from "../nics.js";
import { nicSummary } from "./nics.js";
import { excerptView } from "./problem.js";

/** before: the index of the last question's answer about the same machine, to show what a change changed. actions: line(n). */
export function summaryView({
    model = null,
    network = null,
    before = null,
    summary,
    source,
    state,
    releases,
    machines = null,
    known = {},
    actions,
    findings = model?.doc.findings,
}) {
    const doc = model?.doc,
        machine = doc?.summary?.machine ?? summary?.machine,
        input = doc?.input ?? summary?.input;
    const old = new Map(before ? figures(before.doc) : []);
    const about = inputView({ input, machine, state, machines, actions, open: !doc }),
        partial = input?.assumed.length > 0 || input?.missing.length > 0;
    return [
        doc && verdict(doc, known.results),
        doc?.verified === false &&
            h(
                "p.unverified",
                null,
                h("span.badge", null, "nearest release"),
                ` NCCL ${doc.asked} is not emulated. These are the results of NCCL ${doc.nccl}, the nearest release; they may differ.`,
            ),
        doc && expectation(doc, network?.doc, before?.doc, { machine, state, machines, actions }),
        partial && about, // what an input lacks comes before answers that rest on it
        model && answers(model, before, state, { network, releases, known, actions }),
        findings && findingList(findings, { doc, source, state, actions }),
        machine?.sentence && h("p", { class: "sentence" }, capital(machine.sentence), "."),
        !partial && about,
        doc &&
            h(
                "section",
                { "aria-label": "Figures" },
                h("h2", null, "Figures"),
                h(
                    "dl.facts",
                    null,
                    figures(doc).map(([name, value]) => [
                        h("dt", null, name),
                        h(
                            "dd",
                            null,
                            value,
                            old.has(name) &&
                                old.get(name) !== value &&
                                h("div.was", null, `was ${old.get(name)}`),
                        ),
                    ]),
                ),
            ),
        doc?.assumptions?.length > 0 &&
            h(
                "section",
                null,
                h("h2", null, "Assumed"),
                h(
                    "ul.findings",
                    null,
                    doc.assumptions
                        .filter((row) => !row.id.startsWith("input-"))
                        .map((row) => h("li.muted", null, row.text)),
                ),
            ),
    ];
}

function verdict(doc, results) {
    const head = headline(doc, results);
    return (
        head &&
        h(
            "section",
            { id: "verdict", "aria-label": "Verdict", "data-state": head.state },
            h("h2", null, h("span.mark", { "aria-hidden": "true" }, head.mark), head.title),
            head.measured &&
                h(
                    "p",
                    { id: "verdict-results" },
                    capital(head.measured),
                    !/\.$/.test(head.measured) && ".",
                ),
            h("p", null, head.sentence),
            head.advice && h("p", null, h("b", null, "Do: "), withCode(head.advice)),
        )
    );
}

const HOSTS = [1, 2, 4, 8, 16],
    several = (doc) => hostsText(doc).includes("domain");

/* The figures, the assumptions that they rest on, and the controls that change these. */
function expectation(doc, network, before, { machine, state, machines, actions }) {
    const rows = expected(doc, network),
        old = new Map(before ? expected(before) : []),
        { input } = doc;
    const nics = nicsAssumed(input)?.text,
        assumes = assumptionsOf(doc, ["tuning"]),
        others = assumes.filter((text) => text !== nics),
        said = nics && assumes.includes(nics) ? nics : others.shift();
    return (
        rows.length > 0 &&
        h(
            "section",
            { id: "expected", "aria-label": "Expected" },
            h("h2", null, `Expected on ${hostsText(doc)}, ${doc.ranks} ranks`),
            h(
                "dl.facts",
                null,
                rows.map(([name, value]) => [
                    h("dt", null, name),
                    h(
                        "dd",
                        null,
                        assumes.length > 0 && "≈ ",
                        value,
                        old.has(name) &&
                            old.get(name) !== value &&
                            h("div.was", null, `was ${old.get(name)}`),
                    ),
                ]),
            ),
            h(
                "p.controls",
                null,
                h("span.muted", null, several(doc) ? "Domains " : "Hosts "),
                choices(
                    "Hosts of the job",
                    HOSTS.map((n) => [n, String(n)]),
                    doc.hosts,
                    actions.hosts,
                ),
            ),
            input &&
                h(
                    "div.assumes",
                    null,
                    said && h("p.small", null, "≈ assumes: ", said, "."),
                    others.length > 0 &&
                        fold(
                            `${doc.topology}:tuning-assumes`,
                            `and ${others.length} more assumption${others.length > 1 ? "s" : ""}`,
                            h(
                                "ul",
                                null,
                                others.map((text) => h("li.small", null, capital(text), ".")),
                            ),
                        ),
                    assumptionControls({ input, machine, state, machines, actions }),
                ),
            h("p.small", null, "Predicted with NCCL's own model, not measured."),
        )
    );
}

/* The fifteen questions, each a link to its evidence. */
function answers(model, before, state, context) {
    const table = nicTable(context.network ?? model).filter((row) => row.nics.length);
    const old = new Map(
            before
                ? questions(before, { releases: context.releases })
                      .filter((row) => row.tone !== "open")
                      .map((row) => [row.id, row.answer])
                : [],
        ),
        rows = questions(model, context);
    return h(
        "section",
        { "aria-label": "At a glance" },
        h("h2", null, "At a glance"),
        h(
            "p.small",
            { "aria-hidden": "true" },
            Object.entries(TONES)
                .filter(([tone]) => rows.some((row) => row.tone === tone))
                .map(([, [mark, word]]) => `${mark} ${word}`)
                .join("  ·  "),
        ),
        h(
            "dl.glance",
            { id: "glance" },
            rows.map((row) => [
                h("dt", null, row.ask),
                h(
                    `dd.tone-${row.tone ?? "none"}`,
                    { "data-question": row.id },
                    row.tone
                        ? h(
                              "span.tone",
                              {
                                  role: "img",
                                  "aria-label": TONES[row.tone][1],
                                  title: TONES[row.tone][1],
                              },
                              TONES[row.tone][0],
                          )
                        : h("span.tone"),
                    h(
                        "span",
                        null,
                        row.patch
                            ? h(
                                  "a",
                                  {
                                      href: address(state, row.patch),
                                      "data-key": `question:${row.id}`,
                                  },
                                  row.answer,
                              )
                            : row.answer,
                        row.id === "nics" &&
                            table.length > 0 &&
                            fold(`${model.doc.topology}:nics`, "Which NIC each GPU uses", () =>
                                nicSummary(table, context.actions.nic),
                            ),
                        assumption(row, model.doc),
                        old.has(row.id) &&
                            old.get(row.id) !== row.answer &&
                            !["release", "peers", "log"].includes(row.id) &&
                            h("div.was", null, `was: ${old.get(row.id)}`),
                    ),
                ),
            ]),
        ),
    );
}

/* One is said at once, several on demand. */
const LONG = 90; // characters that a line of the list takes
const assumption = ({ id, assumes }, doc) =>
    assumes.length > 1 || assumes[0]?.length > LONG
        ? fold(
              `${doc.topology}:assumes:${id}`,
              `≈ rests on ${assumes.length} assumption${assumes.length > 1 ? "s" : ""}`,
              h(
                  "ul",
                  null,
                  assumes.map((text) => h("li", null, capital(text), ".")),
              ),
          )
        : assumes.length > 0 && h("div.small", null, `≈ assumes: ${assumes[0]}.`);

function findingList(findings, about) {
    const { faults, notes } = bySeverity(findings),
        counts = ["error", "warning"]
            .map((name) => [name, faults.filter(({ severity }) => severity === name).length])
            .filter(([, n]) => n);
    return h(
        "section",
        { id: "findings", "aria-label": "Findings" },
        h(
            "h2",
            null,
            "Findings",
            counts.map(([name, n]) =>
                h(`span.count.sev-${name}`, null, `${n} ${name}${n > 1 ? "s" : ""}`),
            ),
            !findings.length && h("span.count.muted", null, "none"),
        ),
        faults.length > 0 &&
            h(
                "ul.findings",
                null,
                faults.map((group) => groupView(group, about)),
            ),
        notes.length > 0 &&
            fold(
                "notes",
                `${notes.length} note${notes.length > 1 ? "s" : ""} (info)`,
                h(
                    "ul.findings",
                    null,
                    notes.map((group) => groupView(group, about)),
                ),
                { id: "notes-of-machine" },
            ),
    );
}

function groupView({ cause, consequences }, about) {
    const n = consequences.length;
    return h(
        "li",
        { "data-finding": cause.id },
        finding(cause, about),
        n > 0 &&
            fold(
                `${about.doc?.topology}:${cause.id}:${cause.detail}:follows`,
                `${n} consequence${n > 1 ? "s" : ""} of this`,
                h(
                    "ul.findings",
                    null,
                    consequences.map((row) =>
                        h("li", { "data-finding": row.id }, finding(row, about)),
                    ),
                ),
            ),
    );
}

const MOST_PLACES = 4;

/* What, its cost, the values and the advice; why, commands and the lines of the dump on demand. */
function finding(row, { doc, source, state, actions }) {
    const line = row.where?.line,
        cost = costText(row),
        said = doc?.summary?.verdict?.finding === row.id; // the verdict gives its advice
    const labels = [
        row.why && "why",
        row.commands?.length > 0 && "commands",
        line && source && "lines of the dump",
    ].filter(Boolean);
    return [
        h(
            "h3",
            null,
            h(`span.sev.sev-${row.severity}`, null, row.severity),
            doc && row.places?.some((place) => place.node)
                ? h(
                      "button.text",
                      {
                          type: "button",
                          "data-key": `light:${row.id}`,
                          title: "Show on the drawing",
                          "aria-pressed": String(state.finding === row.id),
                          onclick: () => actions.light(row.id),
                      },
                      row.title,
                  )
                : row.title,
        ),
        cost && h(costs(row) ? "p.cost" : "p.small", null, cost, "."),
        row.detail &&
            h(
                "p",
                null,
                capital(row.detail),
                line ? " " : ".",
                line &&
                    h(
                        "span.together",
                        null,
                        "(",
                        h(
                            "button.text",
                            {
                                type: "button",
                                "data-key": `line:${line}`,
                                onclick: () => actions.line(line),
                            },
                            `line ${line}`,
                        ),
                        ").",
                    ),
            ),
        row.places?.some((place) => place.node) &&
            h(
                "p.small",
                null,
                "On the drawing: ",
                row.places
                    .filter((place) => place.node)
                    .slice(0, MOST_PLACES)
                    .map((place, i) => [
                        i > 0 && ", ",
                        h(
                            "button.text",
                            {
                                type: "button",
                                "data-key": `place:${row.id}:${place.node}`,
                                onclick: () => actions.placed(place.node),
                            },
                            place.device || place.node,
                        ),
                    ]),
                row.places.length + row.more_places > MOST_PLACES &&
                    ` and ${row.places.length + row.more_places - MOST_PLACES} more`,
            ),
        row.advice && !said && h("p", null, h("b", null, "Do: "), withCode(row.advice)),
        labels.length > 0 &&
            fold(`${doc?.topology}:${row.id}:${row.detail}`, capital(labels.join(", ")), () => [
                row.why &&
                    h(
                        "p.muted",
                        null,
                        row.why,
                        " ",
                        docsLink(`findings.html#${row.id}`, "About this finding"),
                    ),
                row.commands?.length > 0 &&
                    h(
                        "p",
                        null,
                        row.commands.map((command, i) => [
                            i > 0 && h("br"),
                            h("code", null, command),
                        ]),
                    ),
                line && source && excerptView(source, line, row.where.column, 1),
            ]),
    ];
}
