// SPDX-License-Identifier: Apache-2.0
/* Keeps a drawing in step with the question. It loads one picture at a time, and none twice. */
import * as api from "./api.js";
import * as theme from "./theme.js";
import { problemView } from "./views/problem.js";

/** The picture of a whole machine in the present colours, and its analysis. */
export const ofMachine = (id, asks, signal) =>
    Promise.all([
        api.diagram(id, asks, { view: "system", theme: theme.current() }, signal),
        api.analysis(id, asks, signal),
    ]);

export class Drawn {
    key = ""; // names the picture that is shown, or on its way
    #control = null;

    /** diagram: a Diagram. */
    constructor(diagram) {
        this.diagram = diagram;
    }

    /** What is shown from now on was drawn elsewhere; "" if it is of no use any more. */
    take(key) {
        this.#control?.abort();
        this.key = key;
    }

    /** Draws by load(signal), which gives the picture's text and what else then(…) takes once it is shown. keep: the
     * part that is in sight stays. failed(error): says it otherwise.
     * @param {string} key
     * @param {(signal: AbortSignal) => Promise<any[]>} load
     * @param {{keep?: boolean, then?: (...rest: any[]) => any, failed?: (error: any) => any}} options */
    async draw(key, load, { keep = true, then = () => {}, failed } = {}) {
        this.take(key);
        const { signal } = (this.#control = new AbortController());
        if (!this.diagram.svg || !keep) this.diagram.say("Drawing…");
        try {
            const [text, ...rest] = await load(signal);
            if (signal.aborted) return;
            this.diagram.show(text, keep);
            then(...rest);
        } catch (error) {
            if (error.name === "AbortError") return;
            this.key = "";
            if (failed) failed(error);
            else this.diagram.say(problemView(api.drawingProblem(error)));
        }
    }
}
