// SPDX-License-Identifier: Apache-2.0
/* GPU x (GPU + NET): type, bandwidth, hops or verdict of each path. */
import { choices, h, textButton } from "../dom.js";
import { cell, shortName } from "../model.js";
import { grid, kindLegend } from "./grid.js";
import { chosenTrays, MANY_COLUMNS, together, trays } from "../trays.js";

const made = new WeakMap(); // table -> {key, gpus, columns} of what it shows
const keyOf = (model, other, { cell: mode, side, trays: chosen }) => [
    model,
    other?.model ?? null,
    mode,
    side,
    chosen,
];

/** Moves the selection within a matrix that shows the same analysis; false if it has to be made anew. Thousands of
 * cells take long to make. */
export function moveSelection(table, { model, other, state }) {
    const shown = table && made.get(table);
    if (!shown || keyOf(model, other, state).some((part, i) => part !== shown.key[i])) return false;
    if (!shown.columns) return true; // trays, between which no pair is selected
    const { gpus, columns } = shown;
    const r = gpus.findIndex((node) => node.id === state.from),
        c = columns.findIndex((node) => node.id === state.to);
    for (const th of table.querySelectorAll("th.on")) th.classList.remove("on");
    table.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    for (const button of table.querySelectorAll('button[tabindex="0"]')) button.tabIndex = -1;
    const rows = table.tBodies[0].rows,
        both = r >= 0 && c >= 0;
    rows[r]?.cells[0].classList.add("on");
    table.tHead.rows[0].cells[c + 1].classList.toggle("on", c >= 0);
    if (both) rows[r].cells[c + 1].setAttribute("aria-selected", "true");
    const entry = rows[Math.max(0, r)]?.cells[1 + (both ? c : 0)]?.firstChild;
    if (entry) entry.tabIndex = 0;
    return true;
}

/** other: {model, names: {a, b}} where two answers are compared. actions: cell(mode), side(name), select(from, to),
 * hosts(n). */
export function matrixView({ model, other, state, actions }) {
    const { nets } = model,
        after = other?.model,
        racks = trays(model),
        pair = chosenTrays(racks, state.trays);
    if (racks.length > 1 && state.trays === "" && model.gpus.length + nets.length > MANY_COLUMNS)
        return trayMatrix(model, racks, other, state, actions);
    const gpus = pair ? pair[0].gpus : model.gpus,
        columns = pair ? [...pair[1].gpus, ...pair[1].nets] : [...model.gpus, ...nets],
        firstNet = pair ? pair[1].gpus.length : gpus.length;
    const used = new Set();
    let changes = 0;
    const rows = gpus.map((row) =>
        columns.map((column) => {
            const value = both(model, after, row.id, column.id, state);
            changes += value.changed ? 1 : 0;
            for (const kind of [value.kind, value.changed && state.side === "both" && value.was])
                if (kind) used.add(kind);
            return value;
        }),
    );
    const table = grid(
        {
            id: "matrix",
            name: `Paths from GPUs to GPUs and NICs: ${NAMES[state.cell]}`,
            look: columns.length > DENSE ? "dense" : "",
        },
        columns.map((node, i) => ({
            text: heading(model, node),
            title: node.id,
            look: i === firstNet && i ? "gap" : "",
        })),
        gpus.map((row, r) => ({
            text: shortName(model, row.id),
            title: row.id,
            cells: columns.map((column, c) => {
                const { text, label, kind, changed } = rows[r][c],
                    [from, to] = [row, column].map(({ id }) => shortName(model, id));
                return {
                    key: `${row.id}>${column.id}`,
                    text,
                    kind,
                    title: `${from} → ${to}: ${label}`,
                    says: `${from} to ${to}: ${text}, ${label}`,
                    look: changed ? "changed" : "",
                    around: c === firstNet && c ? "gap" : "",
                    disabled: text === "" && label === "no path",
                    act: () => actions.select(row.id, column.id),
                };
            }),
        })),
    );
    made.set(table, { key: keyOf(model, other, state), gpus, columns });
    moveSelection(table, { model, other, state });
    return [
        h("div.toolbar", [
            cellChoices(state, actions),
            racks.length > 1 && trayChoices(state, pair, actions),
            after &&
                choices(
                    "Side",
                    Object.entries({ ...other.names, both: "Both" }),
                    state.side,
                    actions.side,
                ),
            after &&
                h("span.muted", { id: "matrix-changes" }, [
                    changes
                        ? `${changes} of ${gpus.length * columns.length} cells change; a corner marks them`
                        : "no cell changes",
                ]),
        ]),
        model.gpus.length > 0
            ? h("div.beside", h("div.scroll", table), h("div.legend", legend(state.cell, used)))
            : h("p", "No GPU takes part."),
        nets.length === 0 &&
            model.gpus.length > 0 &&
            (model.doc.hosts === 1
                ? h("p.note", [
                      "With one host NCCL drops the NICs from the graph. ",
                      textButton(null, "Take two hosts", () => actions.hosts(2), {
                          id: "two-hosts",
                      }),
                      " to see paths to them.",
                  ])
                : h("p.note", "The dump has no NICs.")),
    ];
}

const CELLS = Object.entries({ type: "Type", bw: "GB/s", hops: "Hops", verdict: "Verdict" });
const cellChoices = (state, actions) => choices("Cells say", CELLS, state.cell, actions.cell);
const trayChoices = (state, pair, actions) => {
    const name = pair && [...new Set(pair.map((rack) => rack.name))].join(" → "),
        rows = { "": "By tray", all: "All GPUs", ...(pair && { [state.trays]: name }) };
    return choices("Rows", Object.entries(rows), state.trays, actions.trays);
};

/* Tray by tray: a cell shows what all its pairs have in common, and leads to them. The columns after them are the NICs
 * of the row's own tray and of the others. */
function trayMatrix(model, racks, other, state, actions) {
    const used = new Set(),
        open = (a, b) => actions.trays(`${a},${b}`),
        away = (r) => racks.flatMap(({ nets }, c) => (c === r ? [] : nets));
    const entry = (r, c, value, title, act) => {
        used.add(value.kind);
        return {
            key: `trays:${r}>${c}`,
            text: value.text,
            kind: value.kind,
            title: `${title}: ${value.label}`,
            says: `${title}: ${value.text}, ${value.label}`,
            look: value.mixed ? "mixed" : "",
            first: r === 0 && c === 0,
            act,
        };
    };
    const nics = (text, title, look = "") => ({ text: [h("small", "NICs"), text], title, look });
    const table = grid(
        { id: "matrix", name: `Paths between trays: ${NAMES[state.cell]}`, look: "dense.trays" },
        [
            ...racks.map((rack, i) => ({
                text: [h("small", "Tray"), String(i)],
                title: `${rack.name}, ranks ${rack.ranks}`,
            })),
            ...(model.nets.length
                ? [
                      nics("own", "NICs of the same tray", "gap"),
                      nics("others", "NICs of all other trays"),
                  ]
                : []),
        ],
        racks.map((rack, r) => ({
            text: [rack.name, h("span.muted", ` ranks ${rack.ranks}`)],
            cells: [
                ...racks.map((to, c) =>
                    entry(
                        r,
                        c,
                        together(model, rack.gpus, to.gpus, state.cell),
                        r === c ? `GPUs of ${rack.name}` : `${rack.name} to ${to.name}`,
                        () => open(r, c),
                    ),
                ),
                ...(model.nets.length
                    ? [
                          [rack.nets, "its own NICs", r],
                          [away(r), "NICs of other trays", r === 0 ? 1 : 0],
                      ]
                    : []
                ).map(([nets, name, to], i) =>
                    entry(
                        r,
                        racks.length + i,
                        together(model, rack.gpus, nets, state.cell),
                        `${rack.name} to ${name}`,
                        () => open(r, to),
                    ),
                ),
            ],
        })),
    );
    made.set(table, { key: keyOf(model, other, state), columns: null });
    return [
        h("div.toolbar", [
            cellChoices(state, actions),
            trayChoices(state, null, actions),
            h("span.muted", "A cell says what all its pairs have in common; click it to see them."),
        ]),
        h("div.beside", h("div.scroll", table), h("div.legend", legend(state.cell, used))),
    ];
}

/* A cell before, after, or both as "SYS→NVB", and whether it changes. */
function both(model, after, from, to, { cell: mode, side }) {
    const a = cell(model, from, to, mode);
    if (!after) return a;
    const b = cell(after, from, to, mode),
        changed = a.text !== b.text;
    const label = changed
        ? `${a.label}; ${a.text || "nothing"} before, ${b.text || "nothing"} after: ${b.label}`
        : a.label;
    const shown = side === "a" ? a : b;
    return {
        ...shown,
        text: side === "both" && changed ? `${a.text || "·"}→${b.text || "·"}` : shown.text,
        label,
        changed,
        was: a.kind,
    };
}

const DENSE = 20; // columns that fit in full width
const NAMES = {
    type: "type",
    bw: "bandwidth in GB/s",
    hops: "number of hops",
    verdict: "P2P and GPUDirect RDMA verdicts",
};

function heading(model, node) {
    const [word, ...rest] = shortName(model, node.id).split(" ");
    return [h("small", word), rest.join(" ")];
}

function legend(mode, used) {
    if (mode === "verdict")
        return [
            ["yes", "W / R", "P2P by writing / by reading"],
            ["yes", "SR", "GDR sending and receiving"],
            ...(used.has("part") ? [["part", "–R", "one direction only"]] : []),
            ["no", "–", "no"],
        ].map(([kind, text, meaning]) => h("span", h(`span.kind.k-${kind}`, text), meaning));
    return kindLegend(used);
}
