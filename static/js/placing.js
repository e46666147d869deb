// SPDX-License-Identifier: Apache-2.0
/* Asks which GPUs a job should take, while the view that shows it is open. */
import * as api from "./api.js";
import { announce } from "./dom.js";
import { placeQuery } from "./place.js";
import { question } from "./state.js";

export class Placing {
    store;
    busy;
    changed;

    answer = null;
    problem = null;
    #key = "";
    #control = null;

    /** busy(by): work begins (1) or ends (-1). changed(): there is something else to show. */
    constructor(store, { busy, changed }) {
        Object.assign(this, { store, busy, changed });
    }

    /** model: of the open machine, null until it is loaded. */
    async load(model) {
        const {
                store: { state },
            } = this,
            query =
                model && state.view === "place"
                    ? placeQuery(question(state), state, model.gpus.length)
                    : null,
            key = query && `${state.id}?${query}`;
        if (!key || key === this.#key) return;
        this.#control?.abort();
        const control = (this.#control = new AbortController());
        this.#key = key;
        Object.assign(this, { problem: null });
        this.busy(1);
        try {
            this.answer = await api.place(state.id, query, control.signal);
            announce(this.answer.sentence);
        } catch (error) {
            if (error.name !== "AbortError")
                Object.assign(this, { answer: null, problem: api.problemOf(error) });
            else if (this.#control === control) this.#key = "";
        } finally {
            this.busy(-1);
            if (this.#control === control) this.changed();
        }
    }

    forget() {
        this.#control?.abort();
        Object.assign(this, { answer: null, problem: null });
        this.#key = "";
    }
}
