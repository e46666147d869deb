/* Before a machine is open: example machines, a place for a dump, and how to get one. */
import { copyButton, h } from "../dom.js";
import { detectedView } from "./detected.js";
import { aloneResults } from "./bandwidth.js";
import { aloneView } from "./log.js";
import { machinePicker } from "./machine_picker.js";

const FIRST = 6; // examples that a phone shows at first
const COMMAND = "NCCL_TOPO_DUMP_FILE=/tmp/topo.xml \\\n  ./all_reduce_perf -b 8 -e 8 -g 8";

/** actions: open(blob, name), example(row), machine(type). inputs: rows of /v1/inputs, machines: of /v1/machines, null while they are not known.
 *  problem: a node with what went wrong last, or null. log, results: those that imply no machine, {name, answer}, or null. pasted: text of the field. */
export function startView({ examples, inputs, machines, actions, problem, log = null, results = null, state, pasted = "" }) {
    const file = h("input.unseen", { type: "file", id: "file", "aria-label": "Topology file", tabindex: "-1",
        onchange: () => file.files[0] && actions.open(file.files[0], file.files[0].name) });
    const text = h("textarea", { id: "paste", "data-key": "paste", value: pasted, rows: "6", spellcheck: "false", autocomplete: "off", placeholder: "<system version=\"1\"> …   or what nvidia-smi topo -m prints, lstopo's XML, an NCCL log, results of nccl-tests",
        "aria-label": "Text that describes a machine" });
    const read = () => text.value.trim() && actions.open(new Blob([text.value]), "pasted.txt");
    return h("div.start", null,
        h("header", null,
            h("h1", null, "See how NCCL sees a machine"),
            h("p.muted", null, "Paths, peer-to-peer and GPUDirect verdicts, rings, trees and the tuning model of a chosen NCCL release, with the rule behind each.")),
        problem,
        log && aloneView({ log, machines, actions }),
        results && aloneResults({ results, state, machines, actions }),
        h("section", { "aria-label": "Your dump" },
            h("h2", null, "Your dump"),
            h("div.drop", null,
                h("button", { type: "button", id: "choose", onclick: () => file.click() }, "Choose a file…"), file,
                h("span.muted", null, "or drop or paste a file anywhere on this page. The format is detected automatically.")),
            text,
            h("button", { type: "button", id: "read", onclick: read }, "Read the pasted text"),
            h("h2", null, "No file? Choose your machine type"),
            folded("Machine types of makers and clouds", h("div", { id: "machine-type" }, machineTypes(machines, actions))),
            h("h2", { id: "how" }, "How to get one"),
            h("p", null, "Run any NCCL program with one more variable; rank 0 writes the file while it starts."),
            h("div.command", null, h("pre", { tabindex: "0" }, COMMAND), copyButton(COMMAND)),
            folded("No NCCL job at hand? These also work. Orrery lists what it had to assume.", h("ul", { id: "inputs" }, inputList(inputs))),
            h("p.muted", null, "In a container or under Slurm, set it on rank 0's host and choose a path that survives the job. A dump contains PCI ids, bus ids and link speeds, but no data."),
            detectedView({ found: actions.detected(), actions })),
        h("section", { "aria-label": "Example machines" },
            h("h2", null, "Example machines"),
            h("div", { id: "examples" }, exampleList(examples, actions))));
}

/** A machine of a type in place of a file. machines: null while they are not known. */
export const machineTypes = (machines, actions) => machinePicker(machines, actions.machine);

export const inputList = (inputs) => (inputs ?? []).map((row) => h("li", null, `${row.title}: `, h("code", null, row.made_by)));

/** examples: null while they are not known. */
export function exampleList(examples, actions) {
    if (!examples?.length)
        return h("p.muted", null, examples ? "This server has no examples." : "Loading…");
    const rows = (some) => h("ul.examples", null, some.map((row) => h("li", null,
        h("button", { type: "button", "data-example": row.id, onclick: () => actions.example(row) },
            h("b", null, row.title), h("span.muted", null, row.description)))));
    return [rows(examples.slice(0, FIRST)), examples.length > FIRST && folded(`${examples.length - FIRST} more`, rows(examples.slice(FIRST)))];
}

/* Open where there is room, folded on a phone. */
const folded = (title, ...what) => h("details.folded-away", { open: matchMedia("(min-width: 760px)").matches }, h("summary", null, title), ...what);
