/* Results of nccl-tests that were opened, and what the service says of them for the machine that is open. They are in no address: only the machine and the view are. */
import * as api from "./api.js";
import { announce } from "./dom.js";
import { question } from "./state.js";

export class Results {
    name = "";
    blob = null;
    answer = null;
    problem = null;
    busy = false;
    guessed = ""; // why this machine was opened for them; "": the reader opened it
    #key = "";
    #control = null;

    /** busy(by): work begins (1) or ends (-1). changed(): there is something else to show. */
    constructor(store, { busy, changed }) {
        Object.assign(this, { store, working: busy, changed });
    }

    /* The hosts are those of the results until one answer said how many these are. */
    #query(named) {
        const { state } = this.store, query = question(state);
        if (named)
            query.set("hosts", state.hosts);
        return query;
    }

    /** Judges results for the open machine; gives false where the service does not recognise them, which is said nowhere. */
    async open(blob, name, guessed = "") {
        Object.assign(this, { name, blob, answer: null, problem: null, guessed });
        return this.#ask(this.#query(this.store.state.hosts !== 1), true);
    }

    /** The same results for what is asked now. */
    again() {
        const { blob, store, answer } = this, query = this.#query(true);
        if (blob && store.state.id && answer && this.#key !== `${store.state.id}?${query}`)
            this.#ask(query, false);
    }

    forget() {
        this.#control?.abort();
        Object.assign(this, { name: "", blob: null, answer: null, problem: null, busy: false, guessed: "" });
        this.#key = "";
        this.changed();
    }

    async #ask(query, first) {
        const { store } = this, { id } = store.state, control = new AbortController();
        this.#control?.abort();
        this.#control = control;
        this.#key = `${id}?${query}`;
        this.busy = true;
        this.working(1);
        this.changed();
        let taken = true;
        try {
            const answer = await api.checkPerf(id, query, this.blob, control.signal);
            if (this.#control === control)
                this.#answered(answer, first);
        } catch (error) {
            if (error.name !== "AbortError") {
                const problem = api.problemOf(error);
                taken = !(first && api.isUnrecognised(problem));
                if (taken)
                    this.problem = problem;
                else
                    Object.assign(this, { blob: null, name: "" });
            }
        } finally {
            this.working(-1);
            if (this.#control === control) {
                this.busy = false;
                this.changed();
            }
        }
        return taken;
    }

    #answered(answer, first) {
        const { store } = this;
        Object.assign(this, { answer, problem: null });
        announce(answer.sentence);
        if (first && answer.hosts && answer.hosts !== store.state.hosts) {
            const query = question({ ...store.state, hosts: answer.hosts });
            query.set("hosts", answer.hosts);
            this.#key = `${store.state.id}?${query}`; // the answer holds for these hosts already
            store.set({ hosts: answer.hosts }, { replace: true });
        }
    }
}
