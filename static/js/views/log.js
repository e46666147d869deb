// SPDX-License-Identifier: Apache-2.0
/* A log: its triage first, then the comparison with the prediction: what was recovered, what agrees topic by topic,
 * the first difference and its likely causes. */
import { copyButton, fold, h } from "../dom.js";
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
 * compare it with.
 *  log: {name, answer}. actions: logOn(type), forgetLog(). */
export function aloneView({ log, machines, actions }) {
    const { triage, why_no_check, implied_machine } = log.answer;
    return h(
        "section",
        { id: "log-alone", "aria-label": "Log" },
        h(
            "h2",
            null,
            log.name,
            " ",
            h(
                "button.text",
                { type: "button", "data-key": "forget-log", onclick: actions.forgetLog },
                "forget",
            ),
        ),
        triageView(triage),
        h("p.note", { id: "why-not-compared" }, `The machine was not compared: ${why_no_check}.`),
        log.answer.log.library === "NCCL" && typeChoice(machines, implied_machine, actions),
    );
}

/* The types that fit the log's lines come first. */
function typeChoice(machines, implied, actions) {
    const rows = machines ?? [],
        fits = rows.filter((row) => implied?.fits.includes(row.name));
    return h(
        "p",
        null,
        h(
            "label.field",
            null,
            "Compare with a machine of the type ",
            h(
                "select",
                {
                    id: "log-machine",
                    "data-key": "log-machine",
                    onchange: (event) => event.target.value && actions.logOn(event.target.value),
                },
                h("option", { value: "" }, "choose…"),
                machineOptions(rows, fits, "Fits the log's lines"),
            ),
        ),
    );
}

/** log: {name, answer, problem, busy, implied}. actions: log(blob, name), noLog(), logOn(type), topic(name),
 * select(from, to), against(list). */
export function logView({ model, state, log, machines, actions }) {
    return [
        chooser(log, machines, actions),
        log.busy
            ? h("p.muted", { id: "checking" }, "Reading the log and predicting… ")
            : log.problem
              ? problemView(log.problem)
              : !log.answer
                ? empty()
                : answer(model, state, log, actions),
    ];
}

function chooser(log, machines, actions) {
    const file = h("input.unseen", {
        type: "file",
        id: "log-file",
        "aria-label": "NCCL log",
        accept: ".log,.txt,.out,.xml,text/plain",
        tabindex: "-1",
        onchange: () => file.files[0] && actions.log(file.files[0], file.files[0].name),
    });
    const text = h("textarea", {
        id: "log-paste",
        "data-key": "log-paste",
        rows: "2",
        spellcheck: "false",
        autocomplete: "off",
        "aria-label": "Log as text",
        placeholder: "host:123:456 [0] NCCL INFO …",
    });
    return h(
        "div.toolbar",
        { id: "log-chooser" },
        h(
            "button",
            { type: "button", "data-key": "log-choose", onclick: () => file.click() },
            "Choose a log…",
        ),
        file,
        h("span.muted", null, "or drop it on this page, or paste it:"),
        text,
        h(
            "button",
            {
                type: "button",
                "data-key": "log-read",
                onclick: () =>
                    text.value.trim() && actions.log(new Blob([text.value]), "pasted.log"),
            },
            "Check the pasted text",
        ),
        log.answer &&
            h(
                "button.text",
                { type: "button", "data-key": "no-log", onclick: actions.noLog },
                "forget",
            ),
        log.answer && typeChoice(machines, log.implied, actions),
    );
}

function empty() {
    return h(
        "div",
        { id: "no-log" },
        h(
            "p",
            null,
            "Orrery compares a debug log of a job on this machine with the prediction, fact by fact. The log is " +
                "not kept: an address names the view, not the log.",
        ),
        h("div.command", null, h("pre", { tabindex: "0" }, COMMAND), copyButton(COMMAND)),
        h(
            "p.muted",
            null,
            "Several ranks, launchers' prefixes, colours and wrapped lines are understood; NCCL_GRAPH_DUMP_FILE " +
                "as well.",
        ),
    );
}

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
            h(
                "p.note",
                { id: "log-implied" },
                `No topology was given, and no known type but ${implied.fits.join(" or ")} fits the log: ` +
                    `${implied.lines.map((row) => `line ${row.line}: ${row.says}`).join("; ")}.`,
            ),
        check?.assumed?.length > 0 &&
            h(
                "details",
                { id: "log-assumed", open: true },
                h("summary", null, "Assumed"),
                h(
                    "ul",
                    null,
                    check.assumed.map((sentence) => h("li", null, `${sentence}.`)),
                ),
            ),
        !check
            ? [h("p.note", null, `The machine was not compared: ${why_no_check}.`), !other && about]
            : [
                  surveyText(survey) &&
                      h(
                          "p",
                          { id: "log-communicators" },
                          h("b", null, surveyText(survey)),
                          ` Below: communicator ${check.communicator}.`,
                      ),
                  h("p", { id: "log-verdict" }, h("b", null, verdictText(check))),
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
                  h(
                      "div",
                      { id: "log-facts", role: "tabpanel", tabindex: "-1" },
                      topic ? facts(model, check, topic, actions) : topics(check, actions),
                  ),
              ],
    ];
    return [
        other &&
            h(
                "section",
                { id: "other-machine", "aria-label": "Another machine" },
                h("p", null, h("b", null, other)),
                h(
                    "p",
                    null,
                    h(
                        "button",
                        { type: "button", "data-key": "log-own", onclick: actions.logOwn },
                        "Open the machine of the log",
                    ),
                    " ",
                    h("span.muted", null, "Or choose its type above."),
                ),
            ),
        triageView(triage),
        h("h2", null, "The machine, compared with the prediction"),
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
        null,
        h("h2", null, "What the log says of the job"),
        h(
            "dl.facts",
            { id: "log-recovered" },
            rows.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]),
        ),
    );
}

function first(model, check, actions) {
    const fact = check.first_difference;
    return h(
        "div",
        { id: "first-difference" },
        h("h2", null, `First difference, line ${fact.line}`),
        h(
            "dl.facts",
            null,
            h("dt", null, "Of"),
            h("dd", null, place(model, fact, actions)),
            h("dt", null, "Log"),
            h("dd", null, named(model, fact.logged)),
            h("dt", null, "Predicted"),
            h("dd", null, named(model, fact.predicted)),
        ),
    );
}

function causes(check) {
    return h(
        "div",
        { id: "causes" },
        h("h2", null, "Likely causes"),
        h(
            "ul",
            null,
            check.causes.map((row) =>
                h(
                    "li",
                    null,
                    h("b", null, row.what),
                    `: ${row.why} `,
                    row.tested &&
                        h(
                            "span",
                            null,
                            `With it, ${row.differences_left} of ${check.differ} differences are left. `,
                        ),
                    h("span.muted", null, row.advice),
                ),
            ),
        ),
    );
}

function topics(check, actions) {
    const asked = [
        ...new Set(
            check.topics.filter((row) => row.verdict === "not-told").map((row) => row.ask_for),
        ),
    ];
    return [
        asked.length > 0 &&
            h(
                "p.note",
                { id: "log-subsystems" },
                `NCCL_DEBUG_SUBSYS=${asked.join(",")} prints what is not in the log.`,
            ),
        h(
            "table",
            { id: "log-topics" },
            h("caption.unseen", null, "What agrees, topic by topic"),
            h(
                "thead",
                null,
                h(
                    "tr",
                    null,
                    h("th", null, "Topic"),
                    h("th.num", null, "Agree"),
                    h("th.num", null, "Differ"),
                    h("th", null, "Verdict"),
                ),
            ),
            h(
                "tbody",
                null,
                check.topics.map((row) =>
                    h(
                        "tr",
                        { "data-topic": row.topic },
                        h(
                            "td",
                            null,
                            row.verdict === "not-told"
                                ? (TOPICS[row.topic] ?? row.topic)
                                : h(
                                      "button.text",
                                      {
                                          type: "button",
                                          "data-key": `topic-of:${row.topic}`,
                                          onclick: () => actions.topic(row.topic),
                                      },
                                      TOPICS[row.topic] ?? row.topic,
                                  ),
                        ),
                        h("td.num", null, row.agree || ""),
                        h("td.num", null, row.differ || ""),
                        h(
                            "td.wrap",
                            null,
                            row.verdict === "not-told"
                                ? h("span.muted", null, `not in the log (${row.ask_for})`)
                                : row.verdict === "differs"
                                  ? "≠ differs"
                                  : "= agrees",
                        ),
                    ),
                ),
            ),
        ),
    ];
}

function facts(model, check, topic, actions) {
    const rows = factRows(check, topic);
    return [
        h(
            "div.scroll",
            { tabindex: "0", role: "group", "aria-label": TOPICS[topic] ?? topic },
            h(
                "table.wide",
                null,
                h("caption.unseen", null, `Facts: ${TOPICS[topic] ?? topic}`),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th.num", null, "Line"),
                        h("th", null, "What"),
                        h("th", null, "Log"),
                        h("th", null, "Predicted"),
                        h("th", null, "Same"),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    rows
                        .slice(0, SHOWN)
                        .map((fact) =>
                            h(
                                "tr",
                                { "data-verdict": fact.verdict },
                                h("td.num", null, String(fact.line)),
                                h("td.wrap", null, place(model, fact, actions)),
                                h("td.wrap", null, named(model, fact.logged)),
                                h("td.wrap", null, named(model, fact.predicted)),
                                h(
                                    "td",
                                    null,
                                    fact.verdict === "differs"
                                        ? "≠"
                                        : fact.verdict === "agrees"
                                          ? "="
                                          : "–",
                                ),
                            ),
                        ),
                ),
            ),
        ),
        rows.length > SHOWN && h("p.note", null, `${rows.length - SHOWN} more are not listed.`),
    ];
}

/* What a fact is about, as a button that shows its devices on the drawing, and as the log has it. */
function place(model, fact, actions) {
    const nodes = fact.nodes.filter((id) => model.nodes.has(id)),
        text = named(model, fact.what);
    return [
        nodes.length
            ? h(
                  "button.text",
                  {
                      type: "button",
                      "data-key": `fact:${fact.line}:${fact.what}`,
                      onclick: () => actions.select(nodes[0], nodes[1] ?? ""),
                  },
                  text,
              )
            : text,
        text !== fact.what && h("span.muted", null, ` (${fact.what})`),
    ];
}
