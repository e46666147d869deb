// SPDX-License-Identifier: Apache-2.0
/* Results of nccl-tests that were opened, and what the service says about them for the open machine. The address does
 * not contain them, only the machine and the view. */
import * as api from "./api.js";
import { Asking } from "./asking.js";
import { announce } from "./dom.js";
import { isLog } from "./log.js";
import { question } from "./state.js";

const LOG_HEAD = 1 << 20; // bytes at the beginning in which lines of NCCL's log are searched for

/* Nothing was opened. */
const NONE = {
    name: "",
    blob: null,
    answer: null,
    problem: null,
    busy: false,
    guessed: false, // the machine was opened for them, because they look like those of its type
    withLog: false, // NCCL's own log is in the same text
    tested: "", // the program that printed them; "" if they name it themselves
    table: null, // the index of the table that is shown; null for the one that the service chose
};

export class Results {
    store;
    changed;
    blob;
    answer;
    problem;
    tested;

    #asking;

    predicted = { doc: null, problem: null }; // what the open machine should give, while there are no results
    #predicting;

    /** busy(by): work begins (1) or ends (-1). changed(): there is something else to show. */
    constructor(store, { busy, changed }) {
        Object.assign(this, NONE, { store, changed });
        this.#predicting = new Asking(busy);
        this.#asking = new Asking(busy);
    }

    /* The hosts are those of the results until an answer has said how many there are. */
    #query(named) {
        const { state } = this.store,
            query = question(state);
        if (named) query.set("hosts", state.hosts);
        if (this.tested) query.set("collective", this.tested);
        return query;
    }

    /** Judges results for the open machine; gives false, without a message, if the service does not recognise them. */
    async open(blob, name) {
        this.#begin({ name, blob, answer: null, guessed: false });
        return this.#ask(this.#query(this.store.state.hosts !== 1), true);
    }

    /** Keeps an answer about the machine that was opened for these results. */
    take(blob, name, answer) {
        this.#begin({ name, blob, answer, guessed: true });
        this.#asking.key = `${this.store.state.id}?${this.#query(true)}`;
        announce(answer.sentence);
        this.changed();
    }

    async #begin(what) {
        Object.assign(this, { problem: null, withLog: false, tested: "", table: null }, what);
        const withLog = isLog(await what.blob.slice(0, LOG_HEAD).text());
        if (withLog && this.blob === what.blob) {
            this.withLog = true;
            this.changed();
        }
    }

    /** The results come from another program than they say. */
    program(tested) {
        this.tested = tested;
        this.again();
    }

    /** Another table of the same results. */
    show(table) {
        this.table = table;
        this.changed();
    }

    /** Judges the same results for the present question; another machine has no results yet. */
    again() {
        if (this.blob && !this.#asking.key.startsWith(`${this.store.state.id}?`))
            return this.forget();
        const { blob, store, answer, problem } = this,
            query = this.#query(true);
        if (
            blob &&
            store.state.id &&
            (answer || problem) &&
            this.#asking.key !== `${store.state.id}?${query}`
        )
            this.#ask(query, false);
        return undefined;
    }

    /** What the open machine should give, if the address asks for it. */
    async prediction() {
        const {
                store: { state },
                predicted,
            } = this,
            query = question(state),
            key = `${state.id}?${query}|${state.program}`;
        if (!state.id || state.view !== "bandwidth" || this.blob || this.#predicting.key === key)
            return;
        Object.assign(predicted, { doc: null, problem: null });
        const told = await this.#predicting.ask(key, (signal) =>
            api.predict(state.id, query, state.program, signal),
        );
        if (!told) return;
        Object.assign(predicted, { doc: told.answer, problem: told.problem });
        this.changed();
    }

    forget() {
        this.#asking.forget();
        Object.assign(this, NONE);
        this.prediction();
        this.changed();
    }

    async #ask(query, first) {
        const { id } = this.store.state;
        this.busy = true;
        this.changed();
        const told = await this.#asking.ask(`${id}?${query}`, (signal) =>
            api.checkPerf(id, query, this.blob, signal),
        );
        if (!told) return true;
        const { answer, problem } = told,
            unknown = first && problem && api.isUnrecognised(problem);
        this.busy = false;
        if (answer) this.#answered(answer, first);
        else if (unknown) Object.assign(this, { blob: null, name: "" });
        else this.problem = problem;
        this.changed();
        return !unknown;
    }

    #answered(answer, first) {
        const { store } = this;
        Object.assign(this, { answer, problem: null, table: null });
        announce(answer.sentence);
        if (first && answer.hosts && answer.hosts !== store.state.hosts) {
            const query = question({ ...store.state, hosts: answer.hosts });
            query.set("hosts", answer.hosts);
            this.#asking.key = `${store.state.id}?${query}`; // the answer already is for these hosts
            store.replace({ hosts: answer.hosts });
        }
    }
}
