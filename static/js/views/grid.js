// SPDX-License-Identifier: Apache-2.0
/* A table of buttons, such as the matrix of paths: arrow keys go from one to the next, as in a spreadsheet. */
import { h } from "../dom.js";
import { KINDS } from "../model.js";

const of = (tag, look) => (look ? `${tag}.${look}` : tag);

/** heads: of columns, {text, title, look}. rows: {text, title, look, cells: [{key, text, kind: of a path, title, says:
 * to screen readers, act: when it is pressed, look, around: look of its cell, on: it is selected, first: Tab leads to
 * it, disabled}]}.
 * @param {{id: string, name: string, look?: string, corner?: any}} about
 * @param {any[]} heads
 * @param {any[]} rows */
export const grid = ({ id, name, look, corner = "" }, heads, rows) =>
    h(of("table.matrix", look), { role: "grid", id, "aria-label": name, onkeydown: walk }, [
        h("thead", [
            h("tr", [
                h("td", corner),
                heads.map(({ text, title, look: one }) =>
                    h(of("th", one), { scope: "col", title }, text),
                ),
            ]),
        ]),
        h("tbody", [
            rows.map((row) =>
                h("tr", [
                    h(of("th", row.look), { scope: "row", title: row.title }, row.text),
                    row.cells.map(cell),
                ]),
            ),
        ]),
    ]);

const cell = ({ key, text, kind, title, says, act, look, around, on, first, disabled }) =>
    h(
        of("td", around),
        { role: "gridcell", "aria-selected": on === undefined ? "false" : String(on) },
        h(
            of(kind ? `button.k-${kind}` : "button", look),
            {
                "data-key": key,
                title,
                "aria-label": says,
                tabindex: on || first ? "0" : "-1",
                disabled,
                onclick: act,
            },
            text || "·",
        ),
    );

/** The meaning of the kinds of paths that are used. */
export const kindLegend = (used, more = {}) =>
    Object.entries({ ...KINDS, ...more })
        .filter(([kind]) => used.has(kind) && kind !== "LOC")
        .map(([kind, meaning]) => h("span", h(`span.kind.k-${kind}`, kind), meaning));

/* Arrow keys go from cell to cell of a grid of buttons, as in a spreadsheet. */
function walk(event) {
    const steps = {
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
        Home: [0, -1e6],
        End: [0, 1e6],
    };
    const step = steps[event.key],
        at = event.target.closest("td");
    if (!step || !at) return;
    event.preventDefault();
    const rows = [...event.currentTarget.tBodies[0].rows],
        clamp = (n, most) => Math.min(most, Math.max(0, n));
    const row = rows[clamp(rows.indexOf(at.parentNode) + step[0], rows.length - 1)];
    const to = row.cells[1 + clamp(at.cellIndex - 1 + step[1], row.cells.length - 2)].firstChild;
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
}
