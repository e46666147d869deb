// SPDX-License-Identifier: Apache-2.0
/* The machine of the chosen host of a cluster: its drawing, with the marks of its own findings. */
import * as api from "./api.js";
import { Drawn, ofMachine } from "./drawn.js";
import { marksOfMachine } from "./marks.js";
import { index } from "./model.js";
import { NETWORK_HOSTS } from "./nics.js";
import { question } from "./state.js";
import * as theme from "./theme.js";
import { Diagram } from "./views/diagram.js";

export class ClusterHost {
    /** @type {{topology?: string, machine?: string} | null} */
    shown = null; // the line of the cluster's description that is drawn

    /** open(topology): what a click on a mark does. */
    constructor(store, open) {
        this.store = store;
        this.open = open;
        this.diagram = new Diagram(() => {}, "-host");
        this.drawn = new Drawn(this.diagram);
    }

    /** Draws the kept dump or the machine type that a line of the description names; null draws nothing. */
    async draw(line) {
        const { topology = "", machine = "" } = line ?? {},
            asks = question({ ...this.store.state, hosts: NETWORK_HOSTS }),
            key = line ? `${topology}${machine}?${asks}@${theme.current()}` : "";
        this.shown = line;
        if (key === this.drawn.key) return;
        if (!line) return this.drawn.take("");
        await this.drawn.draw(
            key,
            (signal) => (topology ? ofMachine(topology, asks, signal) : ofType(machine, asks)),
            {
                keep: false,
                then: (doc) =>
                    this.diagram.badge(
                        marksOfMachine(index(doc)),
                        () => topology && this.open(topology),
                    ),
            },
        );
    }
}

function ofType(machine, asks) {
    const query = new URLSearchParams(asks),
        picture = { format: "svg", theme: theme.current() };
    query.set("machine", machine);
    return Promise.all([
        api.render("", new URLSearchParams([...query, ...Object.entries(picture)])),
        api.analyze("", query),
    ]);
}
