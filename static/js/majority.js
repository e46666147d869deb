// SPDX-License-Identifier: Apache-2.0
/* Keeps the answer about a set of dumps in step with the set that the address names. */
import * as api from "./api.js";
import { Asking } from "./asking.js";
import { announce } from "./dom.js";
import { setQuery } from "./pairs.js";
import { question } from "./state.js";

export class Majority {
    store;
    changed;
    view;

    #asking = new Asking();

    /** changed(): the answer is there, or another is asked for. */
    constructor(store, changed) {
        Object.assign(this, { store, changed, doc: null, problem: null });
    }

    async load(again = false) {
        const { set } = this.store.state,
            asks = question(this.store.state),
            key = `${set}?${asks}`;
        if (this.#asking.key === key && !again) return;
        Object.assign(this, { doc: null, problem: null });
        this.changed();
        const told = await this.#asking.ask(key, async (signal) => {
            this.view ??= (await import("./views/majority.js")).majorityView;
            return api.majority(setQuery(set), asks, signal);
        });
        if (!told) return;
        Object.assign(this, { doc: told.answer, problem: told.problem });
        if (told.answer) announce(told.answer.summary);
        this.changed();
    }
}
