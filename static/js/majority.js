// SPDX-License-Identifier: Apache-2.0
/* Keeps the answer about a set of dumps in step with the set that the address names. */
import * as api from "./api.js";
import { announce } from "./dom.js";
import { setQuery } from "./pairs.js";
import { question } from "./state.js";

export class Majority {
    store;
    changed;
    view;

    #asked = null;
    #key = "";

    /** changed(): the answer is there, or another is asked for. */
    constructor(store, changed) {
        Object.assign(this, { store, changed, doc: null, problem: null });
    }

    async load(again = false) {
        const { set } = this.store.state,
            asks = question(this.store.state),
            key = `${set}?${asks}`;
        if (this.#key === key && !again) return;
        this.#asked?.abort();
        const control = (this.#asked = new AbortController());
        this.#key = key;
        Object.assign(this, { doc: null, problem: null });
        this.changed();
        try {
            this.view ??= (await import("./views/majority.js")).majorityView;
            this.doc = await api.majority(setQuery(set), asks, control.signal);
            announce(this.doc.summary);
        } catch (error) {
            if (error.name === "AbortError") return;
            this.problem = api.problemOf(error);
            this.#key = "";
        }
        this.changed();
    }
}
