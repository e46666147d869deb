// SPDX-License-Identifier: Apache-2.0
/* Asks which GPUs a job should take, while the view that shows it is open. */
import * as api from "./api.js";
import { Asking } from "./asking.js";
import { announce } from "./dom.js";
import { placeQuery } from "./place.js";
import { question } from "./state.js";

export class Placing {
    store;
    changed;

    answer = null;
    problem = null;
    #asking;

    /** busy(by): work begins (1) or ends (-1). changed(): there is something else to show. */
    constructor(store, { busy, changed }) {
        Object.assign(this, { store, changed });
        this.#asking = new Asking(busy);
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
        if (!key || key === this.#asking.key) return;
        this.problem = null;
        const told = await this.#asking.ask(key, (signal) => api.place(state.id, query, signal));
        if (!told) return;
        Object.assign(this, { answer: told.answer, problem: told.problem });
        if (this.answer) announce(this.answer.sentence);
        this.changed();
    }

    forget() {
        this.#asking.forget();
        Object.assign(this, { answer: null, problem: null });
    }
}
