/* GPU x (GPU + NET): type, bandwidth, hops or verdict of each path. */
import { choices, h } from "../dom.js";
import { cell, KINDS, shortName } from "../model.js";

const made = new WeakMap(); // table -> {model, other, mode, side} that it shows

/** Moves the selection within a matrix that shows the same analysis; false: it has to be made anew. Thousands of cells
 *  take long to make. */
export function moveSelection(table, { model, other, state }) {
    const shown = table && made.get(table);
    if (!shown || shown.model !== model || shown.mode !== state.cell || shown.other !== (other?.model ?? null) || shown.side !== state.side)
        return false;
    const columns = [...model.gpus, ...model.nets];
    const r = model.gpus.findIndex((node) => node.id === state.from), c = columns.findIndex((node) => node.id === state.to);
    for (const th of table.querySelectorAll("th.on"))
        th.classList.remove("on");
    table.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    for (const button of table.querySelectorAll('button[tabindex="0"]'))
        button.tabIndex = -1;
    const rows = table.tBodies[0].rows, both = r >= 0 && c >= 0;
    rows[r]?.cells[0].classList.add("on");
    table.tHead.rows[0].cells[c + 1].classList.toggle("on", c >= 0);
    if (both)
        rows[r].cells[c + 1].setAttribute("aria-selected", "true");
    const entry = rows[Math.max(0, r)]?.cells[1 + (both ? c : 0)]?.firstChild;
    if (entry)
        entry.tabIndex = 0;
    return true;
}

/** other: {model, names: {a, b}} where two answers are compared. actions: cell(mode), side(name), select(from, to), hosts(n). */
export function matrixView({ model, other, state, actions }) {
    const { gpus, nets } = model, columns = [...gpus, ...nets], after = other?.model;
    const used = new Set();
    let changes = 0;
    const rows = gpus.map((row) => columns.map((column) => {
        const value = both(model, after, row.id, column.id, state);
        changes += value.changed ? 1 : 0;
        for (const kind of [value.kind, value.changed && state.side === "both" && value.was])
            if (kind)
                used.add(kind);
        return value;
    }));
    const grid = h(columns.length > DENSE ? "table.matrix.dense" : "table.matrix", { role: "grid", id: "matrix", "aria-label": `Paths from GPUs to GPUs and NICs: ${NAMES[state.cell]}`, onkeydown: walk },
        h("thead", null, h("tr", null, h("td", null, ""), columns.map((node, i) =>
            h(`th${i === gpus.length && i ? ".gap" : ""}`, { scope: "col", title: node.id }, heading(model, node))))),
        h("tbody", null, gpus.map((row, r) => h("tr", null,
            h("th", { scope: "row", title: row.id }, shortName(model, row.id)),
            columns.map((column, c) => {
                const value = rows[r][c];
                return h(c === gpus.length && c ? "td.gap" : "td", { role: "gridcell", "aria-selected": "false" }, h(`button${value.kind ? `.k-${value.kind}` : ""}${value.changed ? ".changed" : ""}`, {
                    type: "button", "data-key": `${row.id}>${column.id}`, title: `${shortName(model, row.id)} → ${shortName(model, column.id)}: ${value.label}`,
                    "aria-label": `${shortName(model, row.id)} to ${shortName(model, column.id)}: ${value.text}, ${value.label}`,
                    tabindex: "-1", disabled: value.text === "" && value.label === "no path",
                    onclick: () => actions.select(row.id, column.id),
                }, value.text || "·"));
            })))));
    made.set(grid, { model, other: after ?? null, mode: state.cell, side: state.side });
    moveSelection(grid, { model, other, state });
    return [
        h("div.toolbar", null,
            choices("Cells say", [["type", "Type"], ["bw", "GB/s"], ["hops", "Hops"], ["verdict", "Verdict"]], state.cell, actions.cell),
            after && choices("Side", [["a", other.names.a], ["b", other.names.b], ["both", "Both"]], state.side, actions.side),
            after && h("span.muted", { id: "matrix-changes" }, changes ? `${changes} of ${gpus.length * columns.length} cells change; a corner marks them` : "no cell changes")),
        gpus.length > 0 ? h("div.beside", null, h("div.scroll", null, grid), h("div.legend", null, legend(state.cell, used))) : h("p", null, "No GPU takes part."),
        nets.length === 0 && gpus.length > 0 && (model.doc.hosts === 1
            ? h("p.note", null, "With one host NCCL drops the NICs from the graph. ", h("button.text", { type: "button", id: "two-hosts", onclick: () => actions.hosts(2) }, "Take two hosts"), " to see paths to them.")
            : h("p.note", null, "The dump holds no NIC.")),
    ];
}

/* A cell before, after, or both as "SYS→NVB", and whether it changes. */
function both(model, after, from, to, { cell: mode, side }) {
    const a = cell(model, from, to, mode);
    if (!after)
        return a;
    const b = cell(after, from, to, mode), changed = a.text !== b.text;
    const label = changed ? `${a.label}; ${a.text || "nothing"} before, ${b.text || "nothing"} after: ${b.label}` : a.label;
    const shown = side === "a" ? a : b;
    return { ...shown, text: side === "both" && changed ? `${a.text || "·"}→${b.text || "·"}` : shown.text, label, changed, was: a.kind };
}

const DENSE = 20; // columns that fit in full width
const NAMES = { type: "type", bw: "bandwidth in GB/s", hops: "number of hops", verdict: "P2P and GPUDirect RDMA verdicts" };

function heading(model, node) {
    const [word, ...rest] = shortName(model, node.id).split(" ");
    return [h("small", null, word), rest.join(" ")];
}

function legend(mode, used) {
    if (mode === "verdict")
        return [
            ["yes", "W / R", "P2P by writing / by reading"], ["yes", "SR", "GDR sending and receiving"],
            ...(used.has("part") ? [["part", "–R", "one direction only"]] : []), ["no", "–", "no"],
        ].map(([kind, text, meaning]) => h("span", null, h(`span.kind.k-${kind}`, null, text), meaning));
    return Object.keys(KINDS).filter((kind) => used.has(kind) && kind !== "LOC").map((kind) =>
        h("span", null, h(`span.kind.k-${kind}`, null, kind), KINDS[kind]));
}

/** Arrow keys go from cell to cell of a grid of buttons, as in a spreadsheet. */
export function walk(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -1e6], End: [0, 1e6] };
    const step = steps[event.key], at = event.target.closest("td");
    if (!step || !at)
        return;
    event.preventDefault();
    const rows = [...event.currentTarget.tBodies[0].rows], clamp = (n, most) => Math.min(most, Math.max(0, n));
    const row = rows[clamp(rows.indexOf(at.parentNode) + step[0], rows.length - 1)];
    const to = row.cells[1 + clamp(at.cellIndex - 1 + step[1], row.cells.length - 2)].firstChild;
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
}
