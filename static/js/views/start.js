// SPDX-License-Identifier: Apache-2.0
/* The page before a machine is open: one place for anything that describes a machine, the machine types, what was
 * opened recently, and examples with their pictures. */
import { costBar, decidingLine, headline } from "../diagnosis.js";
import { button, copyable, fileButton, h, link, listOf, sign } from "../dom.js";
import { isRack, typeText } from "../machine_types.js";
import { index } from "../model.js";
import { address, DEFAULTS } from "../state.js";
import { detectedView } from "./detected.js";
import { aloneResults } from "./bandwidth.js";
import { aloneView } from "./log.js";
import { machinePicker } from "./machine_picker.js";
import { costSegments } from "./verdict.js";

const COMMAND = "NCCL_TOPO_DUMP_FILE=/tmp/topo.xml \\\n  ./all_reduce_perf -b 8 -e 8 -g 8";

/** actions: open(blob, name), openMany(files), example(row), machine(type). inputs: rows of /v1/inputs, machines: of
 * /v1/machines, null while they are not known. recent: rows of recent.js. live: the analysis of the example with
 * faults, null while it is not known. problem: a node with what went wrong last, or null. log, results: those that
 * imply no machine, {name, answer}, or null. pictures: of pictures.js. */
export function startView({
    examples,
    inputs,
    machines,
    recent = [],
    live = null,
    pictures,
    actions,
    problem,
    log = null,
    results = null,
    state,
}) {
    const text = h("textarea", {
        id: "paste",
        "data-key": "paste",
        rows: "2",
        spellcheck: "false",
        autocomplete: "off",
        placeholder: 'or paste text here: <system version="1"> …, nvidia-smi topo -m, a log',
        "aria-label": "Text that describes a machine",
    });
    const read = () => text.value.trim() && actions.open(new Blob([text.value]), "pasted.txt");
    return h("div.start", [
        h("header", [
            h("h1", "See how NCCL sees a machine"),
            h("p", [
                "NCCL is the library that GPUs use to exchange data. Orrery computes what NCCL decides on your " +
                    "machine, what is wrong with that machine, and what it costs.",
            ]),
        ]),
        h("section", { id: "see-faults", "aria-label": "A machine with faults" }, [
            faultyExample({ examples, live, pictures, actions }),
        ]),
        problem,
        log && aloneView({ log, machines, actions }),
        results && aloneResults({ results, state, machines, actions }),
        h("section.drop", { "aria-label": "Your dump" }, [
            h("h2", "Drop files anywhere on this page"),
            h("p", [
                "A topology dump, ",
                h("code", "nvidia-smi topo -m"),
                ", lstopo's XML, an NCCL log or results of nccl-tests. The format is detected automatically. " +
                    "Several dumps, or an archive of them, make a cluster.",
            ]),
            h("p.drop-line", [
                fileButton(
                    "file",
                    "Choose files…",
                    "Topology file",
                    (files) =>
                        files.length > 1
                            ? actions.openMany(files)
                            : actions.open(files[0], files[0].name),
                    { class: "primary", multiple: true },
                ),
                text,
                button(null, "Read the pasted text", read, { id: "read" }),
            ]),
        ]),
        recent.length > 0 &&
            h("section", { id: "recent", "aria-label": "Recently opened" }, [
                h("h2", "Recently opened"),
                listOf("ul.recent", recent, (row) => [
                    link(
                        address(DEFAULTS, { id: row.id, machine: row.machine ?? "" }),
                        `recent:${row.id}`,
                        row.name || row.id.slice(0, 12),
                    ),
                    h("span.muted", row.sentence ? ` ${row.sentence}` : ""),
                ]),
            ]),
        h("section", { "aria-label": "Machine types" }, [
            h("h2", "No file? Choose your machine type"),
            folded(
                "Machine types of makers and clouds",
                h("div", { id: "machine-type" }, machineTypes(machines, actions)),
            ),
        ]),
        h("section", { "aria-label": "How to get a dump" }, [
            h("h2", { id: "how" }, "How to get a dump"),
            h("p", [
                "Run any NCCL program with one more variable; rank 0 writes the file while it starts.",
            ]),
            copyable(COMMAND),
            fold(
                "Formats that Orrery reads, and the commands that make them",
                h("ul", { id: "inputs" }, inputList(inputs)),
            ),
            fold(
                "In a container or under Slurm",
                h("p.muted", [
                    "Set it on rank 0's host and choose a path that survives the job. A dump contains PCI ids, " +
                        "bus ids and link speeds, but no data.",
                ]),
            ),
            detectedView({ found: actions.detected(), actions }),
        ]),
        h("section.of-examples", { "aria-label": "Example machines" }, [
            h("h2", "Example machines"),
            h("div", { id: "examples" }, exampleList({ examples, machines, actions, pictures })),
        ]),
    ]);
}

/** The example that has faults; undefined if this server has none. */
export const faulty = (examples) => examples?.find(({ id }) => /faults/.test(id));

/** That example with its verdict, as on its own page. Each part of the bar opens it with that fault repaired. */
export function faultyExample({ examples, live, pictures, actions }) {
    const row = faulty(examples);
    if (!row) return null;
    const model = live && index(live),
        cost = model && costBar(model),
        open = (patch = {}) => actions.example(row, { hosts: live?.hosts ?? 1, ...patch });
    return [
        pictures?.of(row.file),
        h("div", [
            h("p.muted", `Example: ${row.title}`),
            h("p.live-line", [
                model && sign("✗"),
                model ? decidingLine(live, headline(live)) : "Computing…",
            ]),
            cost &&
                costSegments(
                    cost,
                    () => false,
                    ({ device }) => `Open it with ${device} repaired`,
                    ({ finding }) => open({ repair: finding }),
                ),
            button("see-faults", "See what is wrong with it", () => open(), { class: "primary" }),
        ]),
    ];
}

/** A machine of a type in place of a file. machines: null while they are not known. */
export const machineTypes = (machines, actions) => machinePicker(machines, actions.machine);

export const inputList = (inputs) =>
    (inputs ?? []).map((row) => h("li", `${row.title}: `, h("code", row.made_by)));

const RACKS = "NVL72 racks and their trays";

/* Situations; an example belongs to the first one that fits its id. */
/** @type {[string, RegExp][]} */
const SITUATIONS = [
    ["A slow NIC", /faults/],
    ["No GPUDirect RDMA", /^(workstation|aws-p3|t4-8gpu|gcp-a2)/],
    ["Cloud VMs", /^(aws|azure|gcp|oci)/],
    [RACKS, /(gb300|grace-blackwell|gh200)/],
    ["Hosts with NVSwitch", /(h[12]00|b[23]00|a100|dgx-2)/],
    ["PCIe cards and direct NVLink", /./],
];

/** Examples by situation: [[heading, rows]]. */
export function grouped(examples) {
    const of = ({ id }) => SITUATIONS.find(([, fits]) => fits.test(id))[0];
    return SITUATIONS.map(([name]) => [name, examples.filter((row) => of(row) === name)]).filter(
        ([, rows]) => rows.length,
    );
}

/** examples: null while they are not known. machines: types, of which the racks are examples too. */
export function exampleList({ examples, machines, actions, pictures = null }) {
    if (!examples?.length)
        return h("p.muted", examples ? "This server has no examples." : "Loading…");
    const card = (row) =>
        h("li", [
            button(
                null,
                [
                    pictures?.of(row.file),
                    h("span", h("b", row.title), h("span.muted", row.description)),
                ],
                () => actions.example(row),
                { "data-example": row.id },
            ),
        ]);
    const rack = (row) =>
        h("li", [
            button(
                `rack:${row.name}`,
                h("span", h("b", row.title), h("span.muted", typeText(row))),
                () => actions.machine(row.name),
            ),
        ]);
    const racks = (machines ?? []).filter(isRack);
    const [first, ...rest] = grouped(examples),
        group = (/** @type {any} */ [name, rows]) => [
            h("h3", name),
            h("ul.examples", name === RACKS && racks.map(rack), rows.map(card)),
        ];
    return [
        group(first),
        rest.length > 0 &&
            folded(`${rest.reduce((sum, [, rows]) => sum + rows.length, 0)} more`, rest.map(group)),
    ];
}

const fold = (title, what) => h("details.fold", h("summary", title), what);

/* It is open if there is room, and folded on a phone. */
const folded = (title, ...what) =>
    h("details.folded-away", { open: matchMedia("(min-width: 760px)").matches }, [
        h("summary", title),
        ...what,
    ]);
