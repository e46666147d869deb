// SPDX-License-Identifier: Apache-2.0
/* The dump as text, line by line, with the lines of what is selected. Only the lines in sight are made, so that size
 * does not matter. */
import { h, replace } from "../dom.js";
import { withoutEscapes } from "../model.js";
import { deviceAt, devicesIn, placeOf } from "../source.js";

const ROW = 18,
    AROUND = 30,
    LONGEST = 2000;

export class SourceView {
    /** onSelect(id): a line that names a device was chosen. */
    constructor(onSelect) {
        this.onSelect = onSelect;
        this.text = null;
        this.rows = h("div.rows");
        this.root = h(
            "div.source",
            {
                id: "source",
                tabindex: "0",
                role: "group",
                "aria-label": "The dump, line by line",
                onscroll: () => this.#draw(),
            },
            this.rows,
        );
        this.root.addEventListener("keydown", (event) => this.#key(event));
        new ResizeObserver(() => this.#draw()).observe(this.root);
    }

    /** Shows a text, with the lines of a device or one line lit and in sight. anew: the view has just been put in
     * place. */
    show(text, { id = "", line = 0, anew = false }) {
        if (text !== this.text) {
            this.text = text;
            this.lines = withoutEscapes(text).split(/\r\n|\r|\n/);
            this.devices = devicesIn(text);
            this.rows.style.height = `${this.lines.length * ROW}px`;
            this.at = "";
        }
        this.lit = line ? { line, last: line } : id ? placeOf(this.devices, id) : null;
        const wanted = `${id} ${line}`;
        const y = this.lit && (this.lit.line - 1) * ROW,
            { scrollTop, clientHeight } = this.root;
        if (
            this.lit &&
            (anew || this.at !== wanted) &&
            (anew || y < scrollTop || y > scrollTop + clientHeight - 2 * ROW)
        )
            this.root.scrollTop = Math.max(0, y - 3 * ROW);
        this.at = wanted;
        this.#draw();
    }

    lineOf(text, id) {
        if (text !== this.ofText) {
            this.ofText = text;
            this.known = devicesIn(text);
        }
        return placeOf(this.known, id)?.line ?? 0;
    }

    #draw() {
        if (this.text === null) return;
        const first = Math.max(0, Math.floor(this.root.scrollTop / ROW) - AROUND),
            last = Math.min(
                this.lines.length,
                first + Math.ceil(this.root.clientHeight / ROW) + 2 * AROUND,
            );
        const rows = [];
        for (let i = first; i < last; i++) {
            const number = i + 1,
                lit = this.lit && number >= this.lit.line && number <= this.lit.last,
                device = deviceAt(this.devices, number);
            const content = [
                h("span.number", String(number)),
                (this.lines[i].length > LONGEST
                    ? `${this.lines[i].slice(0, LONGEST)}…`
                    : this.lines[i]
                ).replaceAll("\t", "    ") || " ",
            ];
            const row = device
                ? h(
                      lit ? "button.line.lit" : "button.line",
                      {
                          type: "button",
                          "data-line": String(number),
                          "data-key": `line:${number}`,
                          "data-device": device,
                          tabindex: lit ? "0" : "-1",
                          onclick: () => this.onSelect(device),
                      },
                      content,
                  )
                : h(lit ? "div.line.lit" : "div.line", { "data-line": String(number) }, content);
            row.style.top = `${i * ROW}px`;
            rows.push(row);
        }
        replace(this.rows, rows);
    }

    /* The arrow keys go from device to device; Page Up and similar keys scroll as usual. */
    #key(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step || this.text === null) return;
        const places = [...this.devices]
            .map(([id, place]) => [id, place.last])
            .sort((a, b) => a[1] - b[1]);
        const from = Number(
            event.target.closest("[data-line]")?.dataset.line ?? this.lit?.last ?? 0,
        );
        const next =
            step > 0
                ? places.find(([, line]) => line > from)
                : places.findLast(([, line]) => line < from);
        if (!next) return;
        event.preventDefault();
        const y = (next[1] - 1) * ROW;
        if (y < this.root.scrollTop || y > this.root.scrollTop + this.root.clientHeight - 2 * ROW)
            this.root.scrollTop = Math.max(0, y - this.root.clientHeight / 2);
        this.#draw();
        this.rows.querySelector(`button[data-line="${next[1]}"]`)?.focus({ preventScroll: true });
    }
}

/** view: the SourceView. */
export const sourceView = ({ view, text, state }) =>
    text === null
        ? h("p.muted", "Loading the dump…")
        : [h("p.muted", { id: "source-about" }, aboutSource(text, state)), view.root];

export function aboutSource(text, state) {
    const lines = text.split("\n").length;
    return state.line
        ? `Line ${state.line} of ${lines}.`
        : state.from && !placeOf(devicesIn(text), state.from)
          ? `${state.from} has no line of its own, of ${lines}.`
          : state.from
            ? `The lines of ${state.from} are lit, of ${lines}.`
            : `${lines} lines as they were uploaded. A line that names a device selects it; ↑ ↓ go from device ` +
              `to device.`;
}
