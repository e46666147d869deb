// SPDX-License-Identifier: Apache-2.0
/* The machine of the chosen host of a cluster: its drawing, with the marks of its own findings. */
import * as api from "./api.js";
import { marksOfMachine } from "./marks.js";
import { index } from "./model.js";
import { NETWORK_HOSTS } from "./nics.js";
import { question } from "./state.js";
import * as theme from "./theme.js";
import { Diagram } from "./views/diagram.js";
import { problemView } from "./views/problem.js";

export class ClusterHost {
    /** @type {{topology?: string, machine?: string} | null} */
    shown = null; // what is drawn: a line of the cluster's description

    #asked = null;
    #key = "";

    /** open(topology): what a click on a mark does. */
    constructor(store, open) {
        this.store = store;
        this.open = open;
        this.diagram = new Diagram(() => {}, "-host");
    }

    /** Draws the kept dump or the machine type that a line of the description names; null: nothing. */
    async draw(line) {
        const { topology = "", machine = "" } = line ?? {},
            asks = question({ ...this.store.state, hosts: NETWORK_HOSTS }),
            colours = theme.current(),
            key = line ? `${topology}${machine}?${asks}@${colours}` : "";
        this.shown = line;
        if (key === this.#key) return;
        this.#asked?.abort();
        this.#key = key;
        if (!line) return;
        const { signal } = (this.#asked = new AbortController());
        this.diagram.say("Drawing…");
        try {
            const [text, doc] = await (topology
                ? kept(topology, asks, colours, signal)
                : ofType(machine, asks, colours));
            if (signal.aborted) return;
            this.diagram.show(text, false);
            this.diagram.badge(marksOfMachine(index(doc)), () => topology && this.open(topology));
        } catch (error) {
            if (error.name === "AbortError") return;
            this.#key = "";
            this.diagram.say(problemView(api.problemOf(error)));
        }
    }
}

/* The picture and the analysis of a kept dump, and of a machine type. */
const kept = (id, asks, colours, signal) =>
    Promise.all([
        api.diagram(id, asks, { view: "system", theme: colours }, signal),
        api.analysis(id, asks, signal),
    ]);
function ofType(machine, asks, colours) {
    const query = new URLSearchParams(asks);
    query.set("machine", machine);
    return Promise.all([
        api.render("", new URLSearchParams([...query, ["format", "svg"], ["theme", colours]])),
        api.analyze("", query),
    ]);
}
