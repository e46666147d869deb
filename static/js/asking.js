// SPDX-License-Identifier: Apache-2.0
/* One question to the service at a time: a newer one of its kind replaces it. */
import * as api from "./api.js";

/** Does some work with the service; a problem goes to owner.problem, and owner.changed() shows it.
 * @param {{problem: any, changed: () => any}} owner
 * @param {() => Promise<any>} work */
export async function attempt(owner, work) {
    try {
        await work();
    } catch (error) {
        owner.problem = api.problemOf(error);
        owner.changed();
    }
}

export class Asking {
    key = ""; // of the question that was asked last
    #control = null;

    /** busy(by): work begins (1) or ends (-1). */
    constructor(busy = (_by) => {}) {
        this.busy = busy;
    }

    /** Stops the question by hand; its answer is a problem that says so. */
    stop() {
        this.#control?.abort();
    }

    /** Drops the question and its answer. */
    forget() {
        this.stop();
        this.#control = null;
        this.key = "";
    }

    /** Asks by work(signal). Gives {answer, problem}, one of which is null; null if another question overtook it.
     * @param {string} key
     * @param {(signal: AbortSignal) => Promise<any>} work */
    async ask(key, work) {
        this.stop();
        const control = (this.#control = new AbortController());
        let answer = null,
            problem = null;
        this.key = key;
        this.busy(1);
        try {
            answer = await work(control.signal);
        } catch (error) {
            if (error.name !== "AbortError") problem = api.problemOf(error);
            else if (this.#control === control) {
                this.key = "";
                problem = {
                    title: "Cancelled",
                    detail: "The question was stopped before there was an answer",
                    advice: "Ask again",
                    again: true,
                };
            }
        } finally {
            this.busy(-1);
        }
        return this.#control === control ? { answer, problem } : null;
    }
}
