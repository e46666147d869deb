// SPDX-License-Identifier: Apache-2.0
/* The drawing of the second machine when two dumps are side by side, with marks of its own. */
import { h, replace } from "./dom.js";
import { Drawn, ofMachine } from "./drawn.js";
import { marksOfMachine } from "./marks.js";
import { index } from "./model.js";
import { calledText, findRow, marksOfPair, roles } from "./pairs.js";
import { DEFAULTS, question } from "./state.js";
import * as theme from "./theme.js";
import { Diagram } from "./views/diagram.js";

export class Beside {
    store;
    loading;

    constructor({ store, loading }) {
        Object.assign(this, { store, loading });
        /* A choice here also chooses the device of the same role on the first machine, or the link between devices of
         * the same roles. */
        this.diagram = new Diagram((id) => {
            const { doc } = loading.pair,
                [from, to] = id.split("--"),
                same = (one) =>
                    doc && one ? (doc.match.find(([a, b]) => a && b === one)?.[0] ?? "") : "";
            if (same(from)) store.set({ from: same(from), to: same(to), panel: "selection" });
        }, "-b");
        this.drawn = new Drawn(this.diagram);
        this.root = this.diagram.root;
        this.root.hidden = true;
    }

    /** Shows, draws and marks what the state asks for. */
    async show() {
        const {
                store,
                loading: { pair },
                diagram,
            } = this,
            { id, with: other, view, beside } = store.state,
            wanted = Boolean(id && other && view === "compare" && beside === "side" && pair.doc);
        this.root.hidden = !wanted;
        if (!wanted) return;
        const asks = question(store.state),
            key = `${other}?${asks}@${theme.current()}`;
        if (this.drawn.key === key) return this.#mark();
        await this.drawn.draw(key, (signal) => ofMachine(other, asks, signal), {
            then: (doc) => {
                this.#mark();
                diagram.badge(marksOfMachine(index(doc)), ({ id: finding }) =>
                    store.set({ ...DEFAULTS, settings: {}, id: other, finding }),
                );
            },
        });
    }

    #mark() {
        const {
            store: { state },
            loading: {
                pair: { doc },
                loaded: { model },
            },
            diagram,
        } = this;
        if (!doc || !model || !diagram.svg) return;
        const to = roles(doc),
            chosen = state.row ? findRow(doc, state.row) : null;
        diagram.mark({
            picked: [state.from, state.to].map((id) => to.get(id)).filter(Boolean),
            changed: marksOfPair(model, doc, chosen, "b"),
        });
        replace(
            diagram.caption,
            h("span", `${calledText(doc.b)}. Dashed: differs. Crossed: only this one has it.`),
        );
    }
}
