// SPDX-License-Identifier: Apache-2.0
/* Two dumps side by side: the choice of the second, the hardware that differs, and what NCCL decides differently for
 * it. */
import { SECTIONS } from "../compare.js";
import { button, choices, dropDown, fileButton, h, leftOut, table, textButton } from "../dom.js";
import { calledText, findRow, rowText } from "../pairs.js";
import { tabs } from "./frame.js";
import { section } from "./differences.js";
import { machineOptions } from "./input.js";
import { outcomesView } from "./outcomes.js";
import { answered } from "./problem.js";

/** pair: {doc, problem}. kept: dumps of the library, machines: machine types, null while not known. actions: with(id),
 * second(blob, name), secondType(type), pairRow(text), beside(text), swapPair(), select(from, to). */
export const compareView = ({ model, state, pair, kept, machines, actions }) => [
    chooser(state, pair, kept, machines, actions),
    !state.with && !pair.problem
        ? empty()
        : answered(
              { answer: pair.doc, problem: pair.problem },
              (doc) => answer(model, state, doc, actions),
              "Comparing…",
              { again: actions.pairAgain },
          ),
];

function chooser(state, pair, kept, machines, actions) {
    const rows = (kept ?? []).filter((row) => row.id !== state.id),
        known = rows.some((row) => row.id === state.with);
    const called = pair.doc ? calledText(pair.doc.b) : state.with.slice(0, 12),
        kinds = rows.map(({ id, name, machine }) => [
            id,
            `${name || id.slice(0, 12)}${machine ? ` – ${machine.gpus} GPUs` : ""}`,
        ]);
    return h("div.toolbar", { id: "second-chooser" }, [
        dropDown(
            "second",
            "With",
            [
                ["", kept ? "choose a dump" : "loading…"],
                state.with && !known && [state.with, called],
                ...kinds,
            ],
            state.with,
            actions.with,
        ),
        fileButton("second-file", "File…", "Second topology file", ([file]) =>
            actions.second(file, file.name),
        ),
        dropDown(
            "second-type",
            "or a machine type",
            [["", "choose…"], machineOptions(machines ?? [])],
            null,
            (type) => type && actions.secondType(type),
        ),
        state.with &&
            choices(
                "Picture",
                [
                    ["ghost", "Marked", "What differs is marked on this machine's picture"],
                    ["side", "Side by side", "Both machines, each with its own marks"],
                ],
                state.beside,
                actions.beside,
            ),
        state.with &&
            button("swap-pair", "Swap", actions.swapPair, { title: "Swap the two dumps" }),
        state.with && textButton("no-second", "clear", () => actions.with("")),
    ]);
}

const empty = () =>
    h("div", { id: "no-second" }, [
        h("p", [
            "Choose another dump from the library, or drop a file. Devices are matched by their role in the " +
                "machine, not by bus id. So you can compare a host with its neighbour, with itself a month ago, or " +
                "with what its machine type should have.",
        ]),
        h("p.muted", "The library compares three or more dumps with their majority."),
    ]);

function answer(model, state, doc, actions) {
    const chosen = findRow(doc, state.row),
        current = chosen.section || "hardware",
        names = { a: calledText(doc.a), b: calledText(doc.b), reasons: false };
    const options = [
        ["hardware", `Hardware ${doc.hardware.count}`],
        ["numbering", `Names ${doc.numbering.count}`],
        ...Object.entries(SECTIONS)
            .filter(([name]) => doc.sections[name])
            .map(([name, label]) => [name, `${label} ${doc.sections[name].changed}`]),
    ];
    return [
        h("p", { id: "pair-summary" }, [
            h("b", names.a),
            " and ",
            h("b", names.b),
            ": ",
            doc.summary,
        ]),
        outcomesView(doc.outcomes),
        tabs("row", "pair-rows", options, current, actions.pairRow),
        h("div", { id: "pair-rows", role: "tabpanel", tabindex: "-1" }, [
            current === "hardware" || current === "numbering"
                ? unlikes(doc[current], current, chosen.row, names, actions)
                : section(model, doc.sections[current], current, chosen.change, names, {
                      ...actions,
                      change: actions.pairRow,
                  }),
        ]),
    ];
}

function unlikes(list, kind, chosen, names, actions) {
    if (!list.count)
        return h("p", [
            kind === "hardware"
                ? "Every device has its equal."
                : "Devices have the same names and numbers.",
        ]);
    const label = kind === "hardware" ? "Hardware that differs" : "Names and numbers that differ";
    return [
        table(
            label,
            ["~Device", "~What", names.a, names.b],
            list.rows.map((row, i) => {
                const text = rowText(row),
                    key = `${kind}.${i}`,
                    on = row === chosen;
                return {
                    tag: on ? "tr.on" : "tr",
                    props: { "data-row": key },
                    cells: [
                        [
                            textButton(
                                `pair:${key}`,
                                text.device,
                                () => actions.pairRow(on ? kind : key, row),
                                { pressed: on },
                            ),
                            text.other && h("div.muted", `there ${text.other}`),
                        ],
                        text.text,
                        h("td.wrap.value", text.a),
                        h("td.wrap.value.after", text.b),
                    ],
                };
            }),
            { id: kind },
        ),
        leftOut(list.left_out),
    ];
}
