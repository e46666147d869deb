// SPDX-License-Identifier: Apache-2.0
/* How the input was read: what was recognised, what was assumed, what is missing and the command that would supply it,
 * and the machine type that fills it in. */
import { capital } from "../diagnosis.js";
import { copyable, dropDown, fold, h, listOf } from "../dom.js";
import { onPage } from "../page_words.js";
import { graphCount } from "../graph_file.js";

/** input: of a summary or an analysis; machine: what its summary counts; machines: rows of /v1/machines, null while
 * they are not known. open: its lists are shown at once, and the machine type is chosen here; otherwise
 * assumptionControls() are beside the figures. actions: assume(name). */
export function inputView({ input, machine = null, state, machines, actions, open = true }) {
    if (!input) return null;
    const { assumed, missing } = input;
    return h("section", { id: "input", "aria-label": "Input" }, [
        h("h2", [
            "Input",
            assumed.length > 0 && h("span.count", `${assumed.length} assumed`),
            missing.length > 0 && h("span.count", `${missing.length} missing`),
        ]),
        h("p", h("b", input.title), input.recognised && `: ${input.recognised}.`),
        input.logged_release &&
            h("p", { id: "logged-release" }, [
                state.release === input.logged_release
                    ? `NCCL ${input.logged_release} is chosen, as the log names it.`
                    : `The log names NCCL ${input.logged_release}; another release is chosen.`,
            ]),
        input.graph_file &&
            h("p", { id: "graph-file" }, [
                `A graph file with ${graphCount(input.graph_file)} is in use: its graphs replace the search.`,
            ]),
        assumed.length > 0 &&
            fold(
                "assumed",
                "What is assumed, and the answers that rest on it",
                listOf("ul.findings", { id: "assumed" }, assumed, (row) => [
                    capital(row.what),
                    ".",
                    h("span.muted", ` (${row.touches.join(", ")})`),
                ]),
                { open },
            ),
        missing.length > 0 &&
            fold(
                "missing",
                "What is missing, and the command that supplies it",
                listOf("ul.findings", { id: "missing" }, missing, (row) => [
                    capital(onPage(row.what)),
                    row.command && copyable(row.command),
                ]),
                { open },
            ),
        open && isPartial(input, state) && machineChoice(state, machine, machines, actions),
    ]);
}

/** Whether a machine type would fill something in. */
const isPartial = (input, state) =>
    input.kind !== "machine-type" &&
    (input.assumed.some(({ what }) => !FUSED.test(what)) ||
        input.missing.length > 0 ||
        Boolean(state.assume));
const FUSED = /fuse_nics/; // for a dump that is complete

const SPEEDS = ["10", "25", "50", "100", "200", "400", "800"];

/** Kinds of CPUs by the words of assume_cpu. */
export const CPUS = { intel: "Intel", amd: "AMD", arm: "Arm", power: "POWER", zhaoxin: "Zhaoxin" };

/** The word of the CPUs that are assumed; "" if none are. */
export function cpusAssumed(input) {
    const said = (input?.assumed ?? []).map(({ what }) =>
        /^CPUs are assumed to be (\w+)/.exec(what),
    );
    return said.find(Boolean)?.[1].toLowerCase() ?? "";
}

const JOINED = ["1", "2", "4", "8", "9", "16", "18", "36", "72"];
export const joinedText = (domain) => (domain === "1" ? "no hosts" : `${domain} hosts`);

/** Whether NVLink may join the machine to others, as it joins the trays of a rack: its GPUs have NVSwitches and C2C. A
 * dump of several hosts says itself what is joined. */
export const isTray = ({ doc, systems }) =>
    doc.summary?.machine?.nvlink === "switched" &&
    (doc.system?.links ?? []).some(([, , type]) => type === "C2C") &&
    (systems === 1 || doc.cluster !== null);

/** What else can be assumed: speed and GPUDirect RDMA of NICs that the input does not describe, the CPUs, the hosts
 * that NVLink joins, and the machine type. [] if the input leaves nothing open. ids: what the ids of these elements
 * begin with. actions: assumeNics(word), assume(name), take(field, word). */
export function assumptionControls({ model, machine = null, state, machines, actions, ids = "" }) {
    const { input } = model.doc;
    if (!input) return [];
    const [speed, ...flags] = state.assume_nics.split("-"),
        gdr = !flags.length,
        now = nicsAssumed(input);
    const become = (gbps, direct) =>
        actions.assumeNics(
            direct ? (gbps === "default" ? "" : gbps) : `${gbps || "default"}-no-gdr`,
        );
    const usual = !speed || speed === "default",
        cpu = cpusAssumed(input),
        field = (name, label, options, current, choose) =>
            dropDown(`${ids}assume-${name}`, label, options, current, choose);
    return [
        (input.assumed.some(({ what }) => FUSED.test(what)) || state.fuse_nics === "always") &&
            h("p.controls", [
                field(
                    "fused",
                    "NIC ports",
                    Object.entries({ "": "as the dump lists them", always: "fused, as in a job" }),
                    state.fuse_nics === "always" ? "always" : "",
                    (when) => actions.take("fuse_nics", when),
                ),
            ]),
        input.assumed_nics > 0 &&
            h("p.controls", [
                field(
                    "speed",
                    "NIC speed",
                    [
                        ["default", now && usual ? `${now.gbps} Gb/s` : "as the input suggests"],
                        ...SPEEDS.filter((one) => one !== now?.gbps || speed === one).map((one) => [
                            one,
                            `${one} Gb/s`,
                        ]),
                    ],
                    speed || "default",
                    (gbps) => become(gbps, gdr),
                ),
                " ",
                field(
                    "gdr",
                    "GPUDirect RDMA",
                    Object.entries({ on: "on", off: "off" }),
                    gdr && now?.gdr !== false ? "on" : "off",
                    (word) => become(speed || "default", word === "on"),
                ),
            ]),
        cpu &&
            h("p.controls", [
                field("cpu", "CPUs", Object.entries(CPUS), cpu, (word) =>
                    actions.take("assume_cpu", word),
                ),
            ]),
        (isTray(model) || state.domain) &&
            h("p.controls", [
                field(
                    "domain",
                    "NVLink joins",
                    [
                        [
                            "",
                            input.kind === "machine-type" ? "hosts of a rack" : "as the input says",
                        ],
                        ...[...new Set([...JOINED, state.domain])]
                            .filter(Boolean)
                            .map((hosts) => [hosts, joinedText(hosts)]),
                    ],
                    state.domain,
                    (hosts) => actions.take("domain", hosts),
                ),
            ]),
        isPartial(input, state) && machineChoice(state, machine, machines, actions, ids),
    ].filter(Boolean);
}

/** What the service assumes about NIC ports: {text, gbps, gdr}; null if nothing. */
export function nicsAssumed(input) {
    const text = (input?.assumed ?? []).map((row) => row.what).find((what) => NICS.test(what)),
        [, gbps, how] = NICS.exec(text ?? "") ?? [];
    return text ? { text, gbps, gdr: how === "with" } : null;
}
const NICS = /NIC ports? ha\w+ ([\d.]+) Gb\/s, (with|without) GPUDirect RDMA/;

/** The types that have as many GPUs and NIC ports as were found, which come first; none if nothing was found, or nearly
 * all fit. */
export const fitting = (machine, rows) => {
    const fit = machine?.gpus
        ? rows.filter(
              (row) => row.gpus === machine.gpus && (!machine.nets || row.nets === machine.nets),
          )
        : [];
    return fit.length < rows.length / 2 ? fit : [];
};

/** Options of a choice of machine types: those of a group that comes first ("" title: none), then all by family. */
export function machineOptions(rows, first = [], title = "", selected = "") {
    const option = (row) =>
            h("option", { value: row.name, selected: row.name === selected }, row.title),
        families = [...new Set(rows.map((row) => row.family))];
    return [
        first.length > 0 && h("optgroup", { label: title }, first.map(option)),
        families.map((family) =>
            h("optgroup", { label: family }, [
                rows.filter((row) => row.family === family).map(option),
            ]),
        ),
    ];
}

function machineChoice(state, machine, machines, actions, ids = "") {
    const rows = machines ?? [];
    const likely = state.assume ? [] : fitting(machine, rows); // which the input itself says
    const chosen = rows.find((row) => row.name === state.assume || row.also.includes(state.assume)),
        known = rows.some((row) => row.name === state.assume);
    return [
        h("p", [
            dropDown(
                `${ids}assume`,
                "Machine type",
                [
                    ["", "not chosen"],
                    state.assume && !known && [state.assume, state.assume],
                    machineOptions(
                        rows,
                        likely,
                        `As many GPUs${machine?.nets ? " and NIC ports" : ""} as here`,
                        state.assume,
                    ),
                ],
                state.assume,
                actions.assume,
            ),
        ]),
        chosen &&
            h("p.muted", { id: `${ids}type-source` }, [
                chosen.source
                    ? `Its facts are from ${chosen.source}.`
                    : "Its facts were not looked up; they are common knowledge.",
                chosen.unsure && ` Not certain: ${chosen.unsure}.`,
            ]),
    ];
}
