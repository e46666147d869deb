// SPDX-License-Identifier: Apache-2.0
/* Before a machine is open: one place for whatever describes a machine, the machine types, what was opened lately, and
 * examples with their pictures. */
import { copyButton, h } from "../dom.js";
import { address, DEFAULTS } from "../state.js";
import { detectedView } from "./detected.js";
import { aloneResults } from "./bandwidth.js";
import { aloneView } from "./log.js";
import { machinePicker } from "./machine_picker.js";

const COMMAND = "NCCL_TOPO_DUMP_FILE=/tmp/topo.xml \\\n  ./all_reduce_perf -b 8 -e 8 -g 8";

/** actions: open(blob, name), openMany(files), example(row), machine(type). inputs: rows of /v1/inputs, machines: of
 * /v1/machines, null while they are not known. recent: rows of recent.js.
 *  problem: a node with what went wrong last, or null. log, results: those that imply no machine, {name, answer}, or
 *  null. pasted: text of the field. pictures: of pictures.js. */
export function startView({
    examples,
    inputs,
    machines,
    recent = [],
    pictures,
    actions,
    problem,
    log = null,
    results = null,
    state,
    pasted = "",
}) {
    const file = h("input.unseen", {
        type: "file",
        id: "file",
        multiple: true,
        "aria-label": "Topology file",
        tabindex: "-1",
        onchange: () =>
            file.files.length > 1
                ? actions.openMany([...file.files])
                : file.files[0] && actions.open(file.files[0], file.files[0].name),
    });
    const text = h("textarea", {
        id: "paste",
        "data-key": "paste",
        value: pasted,
        rows: "2",
        spellcheck: "false",
        autocomplete: "off",
        placeholder: 'or paste text here: <system version="1"> …, nvidia-smi topo -m, a log',
        "aria-label": "Text that describes a machine",
    });
    const read = () => text.value.trim() && actions.open(new Blob([text.value]), "pasted.txt");
    return h(
        "div.start",
        null,
        h(
            "header",
            null,
            h("h1", null, "See how NCCL sees a machine"),
            h(
                "p",
                null,
                "NCCL is the library by which GPUs exchange data. Orrery computes what it decides on your machine, " +
                    "what is wrong with the machine, and what that costs.",
            ),
            h("p", { id: "see-faults" }, faultyExample(examples, actions)),
        ),
        problem,
        log && aloneView({ log, machines, actions }),
        results && aloneResults({ results, state, machines, actions }),
        h(
            "section.drop",
            { "aria-label": "Your dump" },
            h("h2", null, "Drop files anywhere on this page"),
            h(
                "p",
                null,
                "A topology dump, ",
                h("code", null, "nvidia-smi topo -m"),
                ", lstopo's XML, an NCCL log or results of nccl-tests. The format is detected automatically. " +
                    "Several dumps, or an archive of them, make a cluster.",
            ),
            h(
                "p.drop-line",
                null,
                h(
                    "button.primary",
                    { type: "button", id: "choose", onclick: () => file.click() },
                    "Choose files…",
                ),
                file,
                text,
                h("button", { type: "button", id: "read", onclick: read }, "Read the pasted text"),
            ),
        ),
        recent.length > 0 &&
            h(
                "section",
                { id: "recent", "aria-label": "Recently opened" },
                h("h2", null, "Recently opened"),
                h(
                    "ul.recent",
                    null,
                    recent.map((row) =>
                        h(
                            "li",
                            null,
                            h(
                                "a",
                                {
                                    href: address(DEFAULTS, {
                                        id: row.id,
                                        machine: row.machine ?? "",
                                    }),
                                    "data-key": `recent:${row.id}`,
                                },
                                row.name || row.id.slice(0, 12),
                            ),
                            h("span.muted", null, row.sentence ? ` ${row.sentence}` : ""),
                        ),
                    ),
                ),
            ),
        h(
            "section",
            { "aria-label": "Machine types" },
            h("h2", null, "No file? Choose your machine type"),
            folded(
                "Machine types of makers and clouds",
                h("div", { id: "machine-type" }, machineTypes(machines, actions)),
            ),
        ),
        h(
            "section",
            { "aria-label": "How to get a dump" },
            h("h2", { id: "how" }, "How to get a dump"),
            h(
                "p",
                null,
                "Run any NCCL program with one more variable; rank 0 writes the file while it starts.",
            ),
            h("div.command", null, h("pre", { tabindex: "0" }, COMMAND), copyButton(COMMAND)),
            fold(
                "Formats that Orrery reads, and the commands that make them",
                h("ul", { id: "inputs" }, inputList(inputs)),
            ),
            fold(
                "In a container or under Slurm",
                h(
                    "p.muted",
                    null,
                    "Set it on rank 0's host and choose a path that survives the job. A dump contains PCI ids, " +
                        "bus ids and link speeds, but no data.",
                ),
            ),
            detectedView({ found: actions.detected(), actions }),
        ),
        h(
            "section.of-examples",
            { "aria-label": "Example machines" },
            h("h2", null, "Example machines"),
            h("div", { id: "examples" }, exampleList(examples, actions, pictures)),
        ),
    );
}

/** A button that opens the example with faults; null while examples are not known. */
export function faultyExample(examples, actions) {
    const row = (examples ?? []).find(({ id }) => /faults/.test(id));
    return row
        ? h(
              "button.primary",
              { type: "button", "data-key": "see-faults", onclick: () => actions.example(row) },
              "See a machine with two faults",
          )
        : null;
}

/** A machine of a type in place of a file. machines: null while they are not known. */
export const machineTypes = (machines, actions) => machinePicker(machines, actions.machine);

export const inputList = (inputs) =>
    (inputs ?? []).map((row) => h("li", null, `${row.title}: `, h("code", null, row.made_by)));

/* The first that fits, by the id of an example. */
/** @type {[string, RegExp][]} */
const GROUPS = [
    ["With faults", /faults/],
    ["Clouds", /^(aws|azure|gcp|oci)/],
    ["Blackwell and Grace", /(b200|b300|gb300|gh200|blackwell)/],
    ["H100 and H200", /h[12]00/],
    ["A100", /a100/],
    ["Earlier GPUs and PCIe cards", /./],
];
const ORDER = [
    "With faults",
    "H100 and H200",
    "Blackwell and Grace",
    "A100",
    "Earlier GPUs and PCIe cards",
    "Clouds",
];

/** Examples by their group: [[heading, rows]]. */
export function grouped(examples) {
    const groupOf = ({ id }) => GROUPS.find(([, fits]) => fits.test(id))[0];
    return ORDER.map((name) => [name, examples.filter((row) => groupOf(row) === name)]).filter(
        ([, rows]) => rows.length,
    );
}

/** examples: null while they are not known. */
export function exampleList(examples, actions, pictures = null) {
    if (!examples?.length)
        return h("p.muted", null, examples ? "This server has no examples." : "Loading…");
    const card = (row) =>
        h(
            "li",
            null,
            h(
                "button",
                { type: "button", "data-example": row.id, onclick: () => actions.example(row) },
                pictures?.of(row.file),
                h("span", null, h("b", null, row.title), h("span.muted", null, row.description)),
            ),
        );
    const [first, ...rest] = grouped(examples),
        group = (/** @type {any} */ [name, rows]) => [
            h("h3", null, name),
            h("ul.examples", null, rows.map(card)),
        ];
    return [
        group(first),
        rest.length > 0 &&
            folded(`${rest.reduce((sum, [, rows]) => sum + rows.length, 0)} more`, rest.map(group)),
    ];
}

const fold = (title, what) => h("details.fold", null, h("summary", null, title), what);

/* Open where there is room, folded on a phone. */
const folded = (title, ...what) =>
    h(
        "details.folded-away",
        { open: matchMedia("(min-width: 760px)").matches },
        h("summary", null, title),
        ...what,
    );
