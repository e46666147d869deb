// SPDX-License-Identifier: Apache-2.0
/* The verdict: one line that decides, the bar of what each fault costs, and below it faults, checks and what all of it
 * rests on. */
import {
    assumed as assumptionsOf,
    capital,
    costBar,
    decidingLine,
    expected,
    headline,
} from "../diagnosis.js";
import { button, facts, fold, h, link, listOf, sign, textButton, withCode } from "../dom.js";
import { bandwidth, hostsText, plural } from "../model.js";
import { nicTable } from "../nics.js";
import { questions } from "../questions.js";
import { address, repairs } from "../state.js";
import { TONES } from "../tones.js";
import { findingList } from "./findings.js";
import { assumptionControls, inputView, nicsAssumed } from "./input.js";
import { nicSummary } from "./nics.js";
import { scalingChart } from "./scaling.js";

/** The head of the verdict, above the drawing. known: what was found out since, as questions() takes it. actions:
 * repair(finding), hosts(n). */
export function verdictHead({ model, scaling, state, known, actions }) {
    const { doc } = model,
        head = headline(doc, known.results);
    if (!head) return null;
    const cost = model.bar,
        repaired = (cost?.parts ?? []).filter(({ finding }) => repairs(state).includes(finding));
    return h(
        "section.decides",
        { id: "verdict", "aria-label": "Verdict", "data-state": head.state },
        h("div.says", [
            h("h2", sign(head.mark), decidingLine(doc, head)),
            state.repair &&
                h("p", { id: "repaired" }, [
                    `With ${repaired.map(({ device }) => device).join(" and ") || state.repair} repaired. `,
                    textButton("as-is", "Show the machine as it is", () => actions.repair("")),
                ]),
            head.measured &&
                h("p", { id: "verdict-results" }, [
                    capital(head.measured),
                    !/\.$/.test(head.measured) && ".",
                ]),
            cost ? bar(cost, repaired, costBar(model), state, actions) : h("p", head.sentence),
        ]),
        scaling && scalingChart(scaling, doc.cluster?.hosts ?? doc.hosts, actions),
    );
}

/* What there is as the machine is, what each repair gains, and what all of them together give: each gain is a switch
 * that takes its fault as repaired. left: the bar of the machine in view, null if nothing costs anything there. */
function bar(cost, repaired, left, state, actions) {
    const everything = repaired.length === cost.parts.length;
    const now = left?.for === cost.for ? left.now : everything ? cost.repaired : null;
    return [
        costSegments(
            cost,
            (part) => repaired.includes(part),
            ({ device, text }) =>
                `Repairing ${device} gains ${text} ${cost.unit}: show it repaired`,
            ({ finding }) => actions.repair(finding),
        ),
        h("p.small", { id: "cost-total" }, [
            state.repair && now !== null && [h("b", bandwidth(now)), ` ${cost.unit} as shown; `],
            h("b", bandwidth(cost.repaired)),
            ` ${cost.unit} with everything repaired (${cost.for}).`,
        ]),
    ];
}

/** The bar of costBar(): each part that a repair gains is a switch. isOn(part), title(part), press(part). */
export function costSegments(cost, isOn, title, press) {
    const styled = (node, value) => (node.style.setProperty("flex-grow", String(value)), node);
    return h("div.cost-bar", { role: "group", "aria-label": "What each repair gains" }, [
        styled(h("span.now", h("b", cost.texts.now), " now"), cost.now),
        cost.parts.map((part) =>
            styled(
                button(
                    `cost:${part.finding}`,
                    [isOn(part) && "✓ ", h("b", `+${part.text}`), ` ${part.device}`],
                    () => press(part),
                    { pressed: isOn(part), title: title(part) },
                ),
                part.share,
            ),
        ),
        cost.rest > 0 &&
            styled(h("span.rest", h("b", `+${cost.texts.rest}`), " together"), cost.rest),
    ]);
}

/** The body of the verdict, beside the drawing. before: the index of the last question's answer about the same machine,
 * to show what a change changed; findings: those of a machine without an answer.
 * @param {any} context */
export function verdictBody({
    model = null,
    network = null,
    before = null,
    summary,
    source,
    state,
    releases,
    machines = null,
    known = {},
    receipt = "",
    which = [],
    actions,
    findings = model?.doc.findings,
}) {
    const doc = model?.doc,
        machine = doc?.summary?.machine ?? summary?.machine,
        input = doc?.input ?? summary?.input;
    return [
        receipt &&
            h("p.receipt", { id: "receipt" }, [
                receipt,
                known.log && [
                    " ",
                    link(address(state, { view: "log" }), null, "What the log says"),
                ],
                known.results && [
                    " ",
                    link(address(state, { view: "bandwidth" }), null, "What the results say"),
                ],
            ]),
        doc?.verified === false &&
            h("p.unverified", [
                h("span.badge", doc.asked ? "nearest release" : "not compared"),
                doc.asked
                    ? ` Orrery does not know NCCL ${doc.asked}. These are the results of NCCL ${doc.nccl}, ` +
                      `the nearest release; they may differ.`
                    : ` What Orrery knows of NCCL ${doc.nccl} has not been compared with NCCL's own results.`,
            ]),
        which.map((question) => answersOf(question, actions)),
        doc && undrawnAdvice(doc),
        findings && findingList(findings, { model, source, state, actions }),
        model && checks(model, before, state, { network, releases, known, actions }),
        doc && expectation(doc, network?.doc, before?.doc),
        input && inputSection({ model, doc, input, machine, state, machines, actions }),
    ];
}

/* The advice of a verdict that does not belong to a finding. */
const undrawnAdvice = ({ summary }) =>
    summary?.verdict?.advice &&
    !summary.verdict.finding &&
    h("p", h("b", "Do: "), withCode(summary.verdict.advice));

function expectation(doc, network, before) {
    const rows = expected(doc, network),
        old = new Map(/** @type {any} */ (before ? expected(before) : [])),
        rests = assumptionsOf(doc, ["tuning"]).length > 0;
    if (!rows.length) return null;
    return h("section", { id: "expected", "aria-label": "Expected" }, [
        h("h2", `Expected on ${hostsText(doc)}, ${doc.ranks} ranks`),
        facts(rows, { old, lead: rests && "≈ " }),
        h("p.small", "Predicted with NCCL's own model, not measured."),
    ]);
}

/* What the input is. One badge for everything assumed, which opens the list and the controls that assume something
 * else. */
function inputSection({ model, doc, input, machine, state, machines, actions }) {
    const open = !doc && input.assumed.length + input.missing.length > 0,
        more = input.assumed.length - 1;
    const said = nicsAssumed(input)?.text ?? assumptionsOf(doc ?? { input }, ["tuning"])[0];
    return h("section", { id: "assumes", "aria-label": "What the input says" }, [
        fold(
            `${doc?.topology}:assumes`,
            said
                ? h("span", [
                      h("span.badge", "assumed"),
                      ` ${capital(said)}${more > 0 ? `, and ${more} more` : ""}`,
                  ])
                : `Input: ${input.title}`,
            [
                model && assumptionControls({ model, machine, state, machines, actions }),
                inputView({ input, machine, state, machines, actions, open }),
            ],
            { open },
        ),
    ]);
}

const LEAST_CHANGE = 0.005; // of a bandwidth: answers that are closer are the same

/* A verdict that rests on an assumption is a question: its answers side by side. */
function answersOf({ id, ask, hosts, field, rows }, actions) {
    const known = rows.map(({ busbw }) => busbw).filter((busbw) => busbw !== null),
        same = Math.max(...known) <= Math.min(...known) * (1 + LEAST_CHANGE);
    return h("div.which", { id: `which-${id}`, role: "group", "aria-label": ask }, [
        h("p", [
            h("b", ask),
            ` AllReduce at 1 GiB on ${plural(hosts, "host")}`,
            same ? ` is the same ${rows.map(({ label }) => label).join(" and ")}.` : ":",
        ]),
        !same &&
            rows.map(({ word, label, busbw, on }) =>
                button(
                    `${id}:${word}`,
                    [
                        h("b", busbw === undefined ? "…" : `${bandwidth(busbw)} GB/s`),
                        h("span", label),
                    ],
                    () => actions.take(field, word),
                    { pressed: on },
                ),
            ),
    ]);
}

/* The questions: what limits is said, what passed is one line, facts are another. */
function checks(model, before, state, context) {
    const rows = questions(model, context),
        old = new Map(
            before
                ? questions(before, { releases: context.releases })
                      .filter((row) => row.tone !== "open")
                      .map((row) => [row.id, row.answer])
                : [],
        );
    const passed = rows.filter((row) => ["good", "assumed"].includes(row.tone)),
        limits = rows.filter((row) => row.tone === "limited"),
        failed = rows.filter((row) => row.tone === "fault"),
        facts = rows.filter((row) => !row.tone || row.tone === "open"),
        resting = passed.filter((row) => row.tone === "assumed").length;
    const nics = nicTable(context.network ?? model).filter((row) => row.nics.length);
    const list = (some) => answers(some, old, model, state),
        { topology } = model.doc;
    const folded = (some, tone, id, more = null) =>
        some.length > 0 &&
        fold(
            `${topology}:${id}`,
            h(`span.tone-${tone}`, [
                sign(TONES[tone][0], "tone"),
                ` ${plural(some.length, "check")} ${id}`,
                more,
            ]),
            list(some),
            { id },
        );
    return h("section", { id: "glance", "aria-label": "Checks" }, [
        limits.length > 0 && list(limits),
        folded(failed, "fault", "failed"),
        folded(
            passed,
            "good",
            "passed",
            resting > 0 &&
                h("span.muted", [
                    `, ${resting === passed.length ? "" : `${resting} of them `}if the assumptions hold`,
                ]),
        ),
        nics.length > 0 &&
            fold(`${topology}:nics`, "Which NIC each GPU uses", () =>
                nicSummary(nics, context.actions.nic),
            ),
        facts.length > 0 &&
            fold(`${topology}:facts`, "More about this machine", list(facts), { id: "more" }),
    ]);
}

const toneOf = (mark, word) =>
    h("span.tone", { role: "img", "aria-label": word, title: word }, mark);

/* Each a link to its evidence. */
const answers = (rows, old, model, state) =>
    h("dl.glance", [
        rows.map((row) => [
            h("dt", row.ask),
            h(`dd.tone-${row.tone ?? "none"}`, { "data-question": row.id }, [
                row.tone ? toneOf(...TONES[row.tone]) : h("span.tone"),
                h("span", [
                    row.patch
                        ? link(address(state, row.patch), `question:${row.id}`, row.answer)
                        : row.answer,
                    assumption(row, model.doc),
                    old.has(row.id) &&
                        old.get(row.id) !== row.answer &&
                        !["release", "peers", "log"].includes(row.id) &&
                        h("div.was", `was: ${old.get(row.id)}`),
                ]),
            ]),
        ]),
    ]);

/* One is said at once, several on demand. */
const LONG = 90; // characters that a line of the list takes
const assumption = ({ id, assumes }, doc) =>
    assumes.length > 1 || assumes[0]?.length > LONG
        ? fold(
              `${doc.topology}:assumes:${id}`,
              `≈ rests on ${plural(assumes.length, "assumption")}`,
              listOf("ul", assumes, (text) => [capital(text), "."]),
          )
        : assumes.length > 0 && h("div.small", `≈ assumes: ${assumes[0]}.`);
