// SPDX-License-Identifier: Apache-2.0
/* Exports what is shown: as a picture, a table, a document or a report. */
import * as api from "../api.js";
import { anonymiser } from "../anonymise.js";
import { announce, button, field, h, listOf } from "../dom.js";
import { csv, markdown, tableOf } from "../report.js";
import { png, save, standalone } from "../save.js";
import { question } from "../state.js";
import { tablePicture } from "../table_picture.js";

/** Opens the dialog. context: {state, loaded: {model, doc, summary}, other, releases, diagram, theme, wanted: the
 * drawing's query}. */
export function exportDialog(context) {
    const {
            state,
            loaded: { model, doc, summary },
        } = context,
        hide = h("input", { type: "checkbox", id: "anonymise" }),
        status = h("p.note", { id: "export-status", role: "status" }, "");
    const ending = ["nvidia-smi-topo", "nccl-log"].includes(doc.input?.kind) ? "txt" : "xml",
        gpus = busIds("vm-gpus", "GPUs"),
        nics = busIds("vm-nics", "NICs");
    const table = tableOf({ ...context, model }),
        tables = tablePicture(document.querySelector("#drawer"));
    const compared =
        state.view === "diff"
            ? context.other?.diff
            : state.view === "compare"
              ? context.pair
              : null;
    const inPixels = "the same in pixels, at double size";
    const asPicture = (name, what, make) => [
        [`${name}svg`, "SVG", what, make],
        [`${name}png`, "PNG", inPixels, make && (async (clean) => png(clean(make())))],
    ];
    const files = [
        ...asPicture("", "the whole picture, as shown", () => svgText(context)),
        ...asPicture(
            "table.",
            tables ? "the tables, as shown" : "no table is shown",
            tables && (() => tables),
        ),
        [
            "dot",
            "DOT",
            "for Graphviz, if the server draws the view",
            state.view === "hosts" || state.view === "tuning"
                ? null
                : () =>
                      api.diagram(state.id, question(state), {
                          ...context.wanted,
                          local: "",
                          format: "dot",
                      }),
        ],
        [
            "csv",
            "CSV",
            table ? `the table: ${table[0]}` : "this view has no table",
            table && (() => csv(table[1])),
        ],
        [
            "json",
            "JSON",
            compared ? "the differences" : "the whole analysis",
            () => JSON.stringify(compared ?? doc, null, 1),
        ],
        [
            "md",
            "Markdown",
            "a report for a ticket",
            () =>
                markdown({
                    model,
                    other: context.other,
                    state,
                    summary,
                    releases: context.releases,
                    link: hide.checked ? "" : location.href,
                }),
        ],
        [
            ending,
            ending === "xml" ? "XML" : "Text",
            "the input, as uploaded unless made anonymous",
            async () =>
                hide.checked ? (await api.anonymised(state.id)).text : api.source(state.id),
        ],
        [
            "nccl.xml",
            "NCCL XML",
            "the same as NCCL's topology XML, with what was assumed",
            () => api.xml(state.id, given({ assume: state.assume, release: state.release })),
        ],
        [
            "vm.xml",
            "VM file",
            "for NCCL_TOPO_FILE in a virtual machine here: places without devices",
            () => api.vmFile(state.id, given({ gpus: gpus.value, nics: nics.value })),
        ],
    ];
    const take = async (kind, make) => {
        try {
            const replaced = hide.checked ? (await api.anonymised(state.id)).replaced : [],
                clean = hide.checked ? anonymiser({ replaced, doc, summary }) : (text) => text;
            const made = await make(clean),
                machine = hide.checked
                    ? "machine"
                    : fileName(summary?.name || state.id.slice(0, 12)),
                name = `${machine}-${kind === "csv" ? table[0] : state.view}.${kind}`;
            save(
                name,
                typeof made === "string" ? clean(made) : made,
                TYPES[kind.split(".").at(-1)],
            );
            status.textContent = `${name} was made.`;
            announce(status.textContent);
        } catch (error) {
            status.textContent = `It could not be made: ${error.message}.`;
        }
    };
    const dialog = h(
        "dialog.help",
        { id: "export", "aria-labelledby": "export-title", onclose: () => dialog.remove() },
        h("h2", { id: "export-title" }, "Take away"),
        h("p", [
            h("label", [
                hide,
                " Anonymous: host names, GUIDs, hashes and ids are replaced, the same everywhere; bus ids and " +
                    "models stay",
            ]),
        ]),
        listOf("ul.exports", files, ([kind, label, what, make]) => [
            button(`export:${kind}`, label, () => take(kind, make), { disabled: !make }),
            h("span.muted", what),
        ]),
        h("details", [
            h("summary", "Bus ids in the virtual machine"),
            h("p.muted", [
                "In the order of the real ones, separated by commas, or as REAL=NEW. If left " +
                    "empty, the real ones stay.",
            ]),
            h("p", h("label.field", "GPUs", gpus)),
            h("p", h("label.field", "NICs", nics)),
        ]),
        status,
        h("form", { method: "dialog" }, [
            h("p.buttons", [
                h("button", "Close"),
                button("print", "Print…", () => {
                    dialog.close();
                    print();
                }),
            ]),
        ]),
    );
    document.body.append(dialog);
    dialog.showModal();
}

const busIds = (id, what) =>
    field(id, {
        placeholder: "0000:00:05.0, 0000:00:06.0",
        "aria-label": `Bus ids of the ${what} in the virtual machine`,
    });
/* A query of the texts that are not empty, without their blanks. */
const given = (texts) =>
    new URLSearchParams(
        Object.entries(texts)
            .map(([name, text]) => [name, text.replace(/\s+/g, "")])
            .filter(([, text]) => text),
    );

const TYPES = {
    txt: "text/plain",
    svg: "image/svg+xml",
    png: "image/png",
    dot: "text/vnd.graphviz",
    csv: "text/csv;charset=utf-8",
    json: "application/json",
    md: "text/markdown",
    xml: "application/xml",
};
const fileName = (text) =>
    text
        .replace(/[^\w.-]+/g, "-")
        .replace(/^[-.]+|[-.]+$/g, "")
        .slice(0, 60) || "machine";

function svgText({ state, diagram }) {
    const chart = document.querySelector(
        state.view === "tuning" ? "#chart svg" : "#bandwidth-chart > svg",
    );
    if (chart) return standalone(chart, null);
    if (!diagram.svg) throw new Error("there is no picture yet");
    return diagram.asWhole(standalone);
}
