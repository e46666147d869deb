// SPDX-License-Identifier: Apache-2.0
/* "Is this the bandwidth I should get?" Compares results of nccl-tests with the prediction: the verdict, the chart,
 * explanations, the rows, and what was assumed. */
import { pasting } from "./parts.js";
import {
    aboutText,
    bandText,
    fitText,
    markOf,
    picture,
    predictedPicture,
    predictedText,
    PROGRAMS,
    rangeText,
    reasons,
    reasonText,
    tableAt,
} from "../bandwidth.js";
import { sizeText } from "../compare.js";
import { capital } from "../diagnosis.js";
import {
    button,
    copyable,
    dropDown,
    fileButton,
    fold,
    h,
    listOf,
    numberField,
    sign,
    table,
    textButton,
    withCode,
} from "../dom.js";
import { bandwidth, joined } from "../model.js";
import { bandwidthChart } from "./bandwidth_chart.js";
import { machineOptions } from "./input.js";
import { machinePicker } from "./machine_picker.js";
import { problemView } from "./problem.js";

/** results: of results.js. actions: open(blob, name), noResults(), resultsOn(type), hosts(n), log(blob, name),
 * tested(program), resultsTable(index), program(name), axes(scale). */
export function bandwidthView({ model, state, results, machines, actions }) {
    const { answer, problem, busy, name, guessed, withLog, tested, table } = results;
    if (busy) return h("p.muted", { id: "judging" }, "Reading the results and predicting…");
    if (!answer && !problem) return alone(model, results.predicted, state, actions);
    return [
        problem
            ? [problemView(problem), forget(name, actions.noResults)]
            : judged(answer, {
                  name,
                  forgotten: actions.noResults,
                  guessed,
                  table,
                  state,
                  actions,
              }),
        controls({ state, guessed, tested, machines, actions }),
        withLog &&
            h("p", [
                button("results-log", "Check the NCCL log in the same text", () =>
                    actions.log(results.blob, name),
                ),
            ]),
    ];
}

/** Results whose machine is unknown, before a machine is open: what they say, and a choice of machine types. results:
 * {name, answer}. actions: resultsOn(type), forgetResults(), axes(scale). */
export const aloneResults = ({ results: { name, answer }, state, machines, actions }) =>
    h("section", { id: "results-alone", "aria-label": "Results" }, [
        judged(answer, {
            name,
            forgotten: actions.forgetResults,
            state,
            actions: { ...actions, resultsTable: null },
        }),
        h("h2", "Choose the machine that the results are from"),
        machinePicker(machines, actions.resultsOn, "Compare with this machine"),
    ]);

const forget = (name, forgotten) =>
    h("p.muted", name, " ", textButton("no-results", "forget", forgotten));

const resultsButton = (actions, label) =>
    fileButton("results-file", label, "Results of nccl-tests", ([file]) =>
        actions.open(file, file.name),
    );

/** The programs of nccl-tests; first: rows before them. */
export const programs = (id, current, choose, first = []) =>
    dropDown(id, "Program", [...first, ...PROGRAMS.map((one) => [one, one])], current, choose);

/* Chooses what the results are compared with, and other results. */
const controls = ({ state, guessed, tested, machines, actions }) =>
    h("div.toolbar", { id: "results-controls" }, [
        dropDown(
            "results-machine",
            "Machine type",
            [
                [
                    "",
                    guessed
                        ? `guessed: ${state.machine}`
                        : state.machine
                          ? "choose…"
                          : "the open machine",
                ],
                machineOptions(machines ?? [], [], "", guessed ? "" : state.machine),
            ],
            null,
            (type) => type && actions.resultsOn(type),
        ),
        h("label.field", [
            "Hosts ",
            numberField(
                "results-hosts",
                state.hosts,
                { id: "results-hosts", class: null, least: 1 },
                actions.hosts,
            ),
        ]),
        programs("results-program", tested, actions.tested, [["", "as the results say"]]),
        resultsButton(actions, "Choose other results…"),
    ]);

/* The place for results: a file, or text to paste. */
const chooser = (actions) =>
    pasting(
        "results",
        {
            name: "Results as text",
            file: resultsButton(actions, "Choose results…"),
            hint: "or drop a file of nccl-tests on this page, or paste it:",
            placeholder:
                "#       size         count      type   redop    root     time   algbw   busbw …",
        },
        actions.open,
    );

function judged(whole, { name, forgotten, guessed = false, table = null, state, actions }) {
    const answer = tableAt(whole, table),
        [mark, tone] = markOf(answer.verdict),
        shown = picture(answer),
        assumed = answer.assumed ?? [];
    return [
        h(
            "section",
            {
                id: "results-verdict",
                "aria-label": "Verdict on the results",
                "data-verdict": answer.verdict,
                class: `tone-${tone}`,
            },
            h("h2", sign(mark, "tone"), ` Verdict: ${answer.verdict}`),
            h("p", answer.sentence),
            answer.leads?.map((text) => h("p.lead", withCode(text))),
            h("p.muted", [
                aboutText(answer),
                ".",
                answer.per_nic > 0 &&
                    ` Each NIC carried ${bandwidth(answer.per_nic)} GB/s in each direction.`,
                guessed && [
                    " ",
                    textButton("choose-machine", "Choose the machine", () =>
                        document.getElementById("results-machine").focus(),
                    ),
                ],
            ]),
            forget(name, forgotten),
        ),
        bandwidthChart(
            shown,
            `Bus bandwidth against message size. ${answer.sentence}`,
            state.axes,
            actions,
        ),
        shapes(answer.shapes ?? []),
        explanations(answer),
        tables(whole, table ?? whole.table, actions),
        rows(answer.rows, true),
        (assumed.length > 0 || guessed) &&
            h("section", { id: "results-assumed" }, [
                h("h2", "What was assumed"),
                h("ul.findings", [
                    guessed &&
                        h("li", [
                            "The machine was not given: it was opened for these results. Another type can be " +
                                "chosen below.",
                        ]),
                    assumed.map((text) => h("li", `${capital(text.replace(/\.$/, ""))}.`)),
                ]),
            ]),
        answer.band && h("p.note", { id: "results-band" }, bandText(answer.band)),
    ];
}

const shapes = (list) =>
    list.length > 0 &&
    listOf("ul.findings", { id: "results-shapes" }, list, (row) => [
        h("b", row.kind),
        `: ${row.sentence}`,
    ]);

/* Causes that were tried and fit, then advice, for which nothing speaks. */
const explanations = ({ explanations: list = [], verdict, advice, all_tried: all = true }) =>
    (list.length > 0 || advice || verdict === "low") &&
    h("section", { id: "results-explanations" }, [
        h("h2", "What would explain it"),
        list.length > 0
            ? listOf("ol.findings", list, (row) => [
                  h("b", capital(row.what)),
                  ` (${fitText(row.fit)})`,
                  row.evidence && h("p", row.evidence),
                  h("p", h("b", "Confirm: "), withCode(row.confirm)),
              ])
            : verdict === "low" &&
              h("p.note", [
                  all
                      ? "No configuration that was tried gives this curve."
                      : "Not all configurations were tried: the analyses allowed for explanations were spent.",
              ]),
        advice && h("p", { id: "results-advice" }, withCode(advice)),
    ]);

function tables({ tables: list = [] }, current, actions) {
    if (list.length <= 1) return null;
    return h("section", { id: "results-tables" }, [
        h("h2", `${list.length} tables in these results`),
        h("ul.findings", [
            list.map((row, i) =>
                h("li", { class: `tone-${markOf(row.verdict)[1]}` }, [
                    sign(markOf(row.verdict)[0], "tone"),
                    " ",
                    actions.resultsTable
                        ? textButton(
                              `results-table:${i}`,
                              `Line ${row.line}, ${row.collective ?? "unknown program"}`,
                              () => actions.resultsTable(i),
                              { pressed: i === current },
                          )
                        : `Line ${row.line}`,
                    ": ",
                    h("b", row.verdict),
                    row.sentence && `. ${row.sentence}`,
                ]),
            ),
        ]),
    ]);
}

/* measured: the rows of results; else what is predicted. */
function rows(list, measured) {
    const gbps = (bw) => (bw > 0 ? bandwidth(bw) : "–");
    const cells = (row, mark) => [
        sizeText(row.size),
        ...(measured ? [bandwidth(row.busbw), gbps(row.in_place)] : []),
        gbps(row.expected),
        ...(measured ? [rangeText(row), [sign(mark, "tone"), ` ${row.verdict}`]] : []),
        joined(" ", [row.algorithm, row.protocol]) || "–",
        row.channels > 0 ? String(row.channels) : "–",
    ];
    return h("div", [
        table(
            measured ? "Rows of the results" : "Predicted rows",
            [
                "#Size",
                ...(measured ? ["#Measured", "#In place"] : []),
                "#Predicted",
                ...(measured ? ["#Normal", "Verdict"] : []),
                "Algorithm and protocol",
                "#Channels",
            ],
            list.map((row) => {
                const [mark, tone] = markOf(row.verdict);
                return {
                    tag: `tr.tone-${tone}`,
                    props: measured ? { "data-verdict": row.verdict } : null,
                    cells: cells(row, mark),
                };
            }),
            {
                id: "bandwidth-rows",
                tag: "table",
                rowHeads: true,
                caption: measured
                    ? "Row by row, bus bandwidth in GB/s"
                    : "Predicted bus bandwidth in GB/s",
            },
        ),
        measured && reasons(list).map((row) => h("p.note", `${reasonText(row)}.`)),
    ]);
}

/* Without results: what the open machine should give, and how to measure it. */
function alone(model, { doc, problem }, state, actions) {
    const shown = doc?.rows.length > 0 && predictedPicture(doc),
        command = commandFor(state.program, model.doc);
    return [
        h("div.toolbar", programs("program", state.program, actions.program)),
        model.doc.ranks < 2
            ? h("p.note", "Nothing is predicted for one rank: it sends nothing.")
            : problem
              ? problemView(problem)
              : !doc
                ? h("p.muted", "Computing…")
                : shown && [
                      h("p", { id: "predicted" }, h("b", "Predicted: "), `${predictedText(doc)}.`),
                      bandwidthChart(
                          shown,
                          `Predicted bus bandwidth against message size. ${predictedText(doc)}.`,
                          state.axes,
                          actions,
                      ),
                      fold("predicted-rows", "The predicted figures", () =>
                          rows(shown.rows, false),
                      ),
                      doc.assumed.length > 0 &&
                          fold(
                              "predicted-assumed",
                              "What was assumed",
                              listOf(
                                  "ul.findings",
                                  doc.assumed,
                                  (text) => `${capital(text.replace(/\.$/, ""))}.`,
                              ),
                          ),
                      h("p.note", [
                          "Computed with NCCL's own model: a prediction, not a measurement.",
                      ]),
                  ],
        h("h2", "Is it what you measure?"),
        h("p", [
            "Measure with nccl-tests, and open its output here. Orrery says whether each size is as expected, " +
                "and what would explain it if it is not.",
        ]),
        copyable(command),
        chooser(actions),
    ];
}

/** The command of nccl-tests that measures a program on the whole machine. */
function commandFor(name, { local_ranks, ranks, hosts }) {
    const program = `./build/${name}_perf -b 8 -e 8G -f 2`;
    return hosts > 1
        ? `mpirun -np ${ranks} -N ${local_ranks} ${program} -g 1 | tee results.txt`
        : `${program} -g ${local_ranks} | tee results.txt`;
}
