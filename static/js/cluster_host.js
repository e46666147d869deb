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
    shown = ""; // the topology that is drawn; "": none, such as a machine type's

    #asked = null;
    #key = "";

    /** open(topology): what a click on a mark does. */
    constructor(store, open) {
        this.store = store;
        this.open = open;
        this.diagram = new Diagram(() => {}, "-host");
    }

    async draw(topology) {
        const asks = question({ ...this.store.state, hosts: NETWORK_HOSTS }),
            colours = theme.current(),
            key = topology && `${topology}?${asks}@${colours}`;
        this.shown = topology;
        if (key === this.#key) return;
        this.#asked?.abort();
        this.#key = key;
        if (!topology) return;
        const { signal } = (this.#asked = new AbortController());
        this.diagram.say("Drawing…");
        try {
            const [text, doc] = await Promise.all([
                api.diagram(topology, asks, { view: "system", theme: colours }, signal),
                api.analysis(topology, asks, signal),
            ]);
            if (signal.aborted) return;
            this.diagram.show(text, false);
            this.diagram.badge(marksOfMachine(index(doc)), () => this.open(topology));
        } catch (error) {
            if (error.name === "AbortError") return;
            this.#key = "";
            this.diagram.say(problemView(api.problemOf(error)));
        }
    }
}
