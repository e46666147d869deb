// SPDX-License-Identifier: Apache-2.0
/* A log: its triage first, then the comparison with the prediction: what was recovered, what agrees topic by topic, the
 * first difference and its likely causes. */
import { pasting } from "./parts.js";
import {
    button,
    copyable,
    dropDown,
    facts,
    fileButton,
    fold,
    h,
    leftOut,
    listOf,
    table,
    textButton,
} from "../dom.js";
import { onPage } from "../page_words.js";
import {
    applied,
    communicatorsText,
    factRows,
    named,
    otherMachine,
    surveyText,
    TOPICS,
    verdictText,
} from "../log.js";
import { machineOptions } from "./input.js";
import { problemView } from "./problem.js";
import { tabs } from "./frame.js";
import { triageView } from "./triage.js";

const COMMAND =
    "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,NET your-job 2>&1 | tee job.log";
const SHOWN = 300;

/** A log that neither prints nor implies its machine, before a machine is open: its triage, and the machine types to
 * compare it with. log: {name, answer}. actions: logOn(type), forgetLog(). */
export function aloneView({ log, machines, actions }) {
    const { triage, why_no_check, implied_machine } = log.answer;
    return h("section", { id: "log-alone", "aria-label": "Log" }, [
        h("h2", [log.name, " ", textButton("forget-log", "forget", actions.forgetLog)]),
        triageView(triage),
        h("p.note", { id: "why-not-compared" }, `The machine was not compared: ${why_no_check}.`),
        log.answer.log.library === "NCCL" && typeChoice(machines, implied_machine, actions),
    ]);
}

/* Types that fit the log's lines come first. */
function typeChoice(machines, implied, actions) {
    const rows = machines ?? [],
        fits = rows.filter((row) => implied?.fits.includes(row.name));
    return h("p", [
        dropDown(
            "log-machine",
            "Compare with a machine of the type",
            [["", "choose…"], machineOptions(rows, fits, "Fits the log's lines")],
            null,
            (type) => type && actions.logOn(type),
        ),
    ]);
}

/** log: {name, answer, problem, busy, implied}. actions: log(blob, name), noLog(), logOn(type), topic(name),
 * select(from, to), against(list). */
export const logView = ({ model, state, log, machines, actions }) => [
    chooser(log, machines, actions),
    log.busy
        ? h("p.muted", { id: "checking" }, "Reading the log and predicting… ")
        : log.problem
          ? problemView(log.problem)
          : !log.answer
            ? empty()
            : answer(model, state, log, actions),
];

const chooser = (log, machines, actions) =>
    pasting(
        "log",
        {
            name: "Log as text",
            file: fileButton(
                "log-file",
                "Choose a log…",
                "NCCL log",
                ([file]) => actions.log(file, file.name),
                { accept: ".log,.txt,.out,.xml,text/plain" },
            ),
            hint: "or drop it on this page, or paste it:",
            placeholder: "host:123:456 [0] NCCL INFO …",
        },
        actions.log,
        log.answer && textButton("no-log", "forget", actions.noLog),
        log.answer && typeChoice(machines, log.implied, actions),
    );

const empty = () =>
    h("div", { id: "no-log" }, [
        h("p", [
            "Orrery compares a debug log of a job on this machine with the prediction, fact by fact. The log is " +
                "not stored. A link includes it only if you choose so under Share.",
        ]),
        copyable(COMMAND),
        h("p.muted", [
            "Mixed ranks, launcher prefixes, ANSI colours and wrapped lines are fine; NCCL_GRAPH_DUMP_FILE " +
                "as well.",
        ]),
    ]);

function answer(
    model,
    state,
    { answer: { triage, log, check, communicators_compared: survey, why_no_check }, implied },
    actions,
) {
    const shown =
            check?.topics.filter((row) => row.verdict !== "not-told").map((row) => row.topic) ?? [],
        topic = shown.includes(state.topic) ? state.topic : "";
    const other = otherMachine({ log, check }, model);
    const about = recovered(log, check); // below what is wrong
    const compared = () => [
        implied?.type &&
            h("p.note", { id: "log-implied" }, [
                `No topology was given, and no known type but ${implied.fits.join(" or ")} fits the log: ` +
                    `${implied.lines.map((row) => `line ${row.line}: ${row.says}`).join("; ")}.`,
            ]),
        check?.assumed?.length > 0 &&
            h("details", { id: "log-assumed", open: true }, [
                h("summary", "Assumed"),
                listOf("ul", check.assumed, (sentence) => `${sentence}.`),
            ]),
        !check
            ? [h("p.note", `The machine was not compared: ${why_no_check}.`), !other && about]
            : [
                  surveyText(survey) &&
                      h("p", { id: "log-communicators" }, [
                          h("b", surveyText(survey)),
                          ` Below: communicator ${check.communicator}.`,
                      ]),
                  h("p", { id: "log-verdict" }, h("b", verdictText(check))),
                  check.first_difference && first(model, check, actions),
                  check.causes.length > 0 && !other && causes(check),
                  !other && about,
                  tabs(
                      "topic",
                      "log-facts",
                      [["", "Topics"], ...shown.map((name) => [name, TOPICS[name] ?? name])],
                      topic,
                      actions.topic,
                  ),
                  h("div", { id: "log-facts", role: "tabpanel", tabindex: "-1" }, [
                      topic ? factTable(model, check, topic, actions) : topics(check, actions),
                  ]),
              ],
    ];
    return [
        other &&
            h("section", { id: "other-machine", "aria-label": "Another machine" }, [
                h("p", h("b", other)),
                h("p", [
                    button("log-own", "Open the machine of the log", actions.logOwn),
                    " ",
                    h("span.muted", "Or choose its type above."),
                ]),
            ]),
        triageView(triage),
        h("h2", "The machine, compared with the prediction"),
        other && about,
        ...(other
            ? [
                  fold(
                      "log:other-machine",
                      "The comparison with the machine that is shown",
                      compared,
                      { id: "log-compared" },
                  ),
              ]
            : compared()),
    ];
}

function recovered(log, check) {
    const rows = [
        ["Release", log.releases.join(", ") || "not in the log"],
        [
            "Hosts",
            log.hosts.length > 6
                ? `${log.hosts.slice(0, 6).join(", ")} and ${log.hosts.length - 6} more`
                : log.hosts.join(", ") || "not in the log",
        ],
        ["Communicators", communicatorsText(log.communicators)],
        [
            "Lines",
            `${log.lines} in all, ${log.nccl_lines} from NCCL; ${log.understood} ` +
                `understood${log.rejoined ? `, ${log.rejoined} wrapped ones put together` : ""}`,
        ],
        [
            "Settings",
            log.settings.map((row) => `${row.name}=${row.value}`).join(" ") || "none in the log",
        ],
        check && ["Predicted for", applied(check)],
    ].filter(Boolean);
    return h(
        "div",
        h("h2", "What the log says about the job"),
        facts(rows, { id: "log-recovered" }),
    );
}

function first(model, check, actions) {
    const fact = check.first_difference;
    return h("div", { id: "first-difference" }, [
        h("h2", `First difference, line ${fact.line}`),
        facts([
            ["Of", place(model, fact, actions)],
            ["Log", named(model, fact.logged)],
            ["Predicted", named(model, fact.predicted)],
        ]),
    ]);
}

const causes = (check) =>
    h("div", { id: "causes" }, [
        h("h2", "Likely causes"),
        listOf("ul", check.causes, (row) => [
            h("b", row.what),
            `: ${row.why} `,
            row.tested &&
                h("span", [
                    `With it, ${row.differences_left} of ${check.differ} differences are left. `,
                ]),
            h("span.muted", onPage(row.advice)),
        ]),
    ]);

function topics(check, actions) {
    const asked = [
        ...new Set(
            check.topics.filter((row) => row.verdict === "not-told").map((row) => row.ask_for),
        ),
    ];
    return [
        asked.length > 0 &&
            h("p.note", { id: "log-subsystems" }, [
                `NCCL_DEBUG_SUBSYS=${asked.join(",")} prints what is not in the log.`,
            ]),
        table(
            "What agrees, topic by topic",
            ["Topic", "#Agree", "#Differ", "~Verdict"],
            check.topics.map((row) => ({
                props: { "data-topic": row.topic },
                cells: [
                    row.verdict === "not-told"
                        ? (TOPICS[row.topic] ?? row.topic)
                        : textButton(`topic-of:${row.topic}`, TOPICS[row.topic] ?? row.topic, () =>
                              actions.topic(row.topic),
                          ),
                    row.agree || "",
                    row.differ || "",
                    row.verdict === "not-told"
                        ? h("span.muted", `not in the log (${row.ask_for})`)
                        : row.verdict === "differs"
                          ? "≠ differs"
                          : "= agrees",
                ],
            })),
            { id: "log-topics", tag: "table", scroll: false },
        ),
    ];
}

function factTable(model, check, topic, actions) {
    const rows = factRows(check, topic);
    return [
        table(
            TOPICS[topic] ?? topic,
            ["#Line", "~What", "~Log", "~Predicted", "Same"],
            rows.slice(0, SHOWN).map((fact) => ({
                props: { "data-verdict": fact.verdict },
                cells: [
                    String(fact.line),
                    place(model, fact, actions),
                    named(model, fact.logged),
                    named(model, fact.predicted),
                    fact.verdict === "differs" ? "≠" : fact.verdict === "agrees" ? "=" : "–",
                ],
            })),
        ),
        leftOut(rows.length - SHOWN),
    ];
}

/* The subject of a fact, as a button that shows its devices on the drawing, and as the log writes it. */
function place(model, fact, actions) {
    const nodes = fact.nodes.filter((id) => model.nodes.has(id)),
        text = named(model, fact.what);
    return [
        nodes.length
            ? textButton(`fact:${fact.line}:${fact.what}`, text, () =>
                  actions.select(nodes[0], nodes[1] ?? ""),
              )
            : text,
        text !== fact.what && h("span.muted", ` (${fact.what})`),
    ];
}
