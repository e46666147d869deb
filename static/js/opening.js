// SPDX-License-Identifier: Apache-2.0
/* Opens a dump: sends it, shows the progress, and says what is wrong with it if the service refuses it. */
import * as api from "./api.js";
import { announce, button, h } from "./dom.js";
import { withoutEscapes } from "./model.js";
import { DEFAULTS } from "./state.js";
import { problemView } from "./views/problem.js";

/** The strip that shows work under way, with a button that stops it. */
export class Working {
    #under = 0;

    constructor(stop) {
        this.bar = h("progress", { max: "1", value: "0", hidden: true, "aria-label": "Sent" });
        this.text = h("span", "computing…");
        this.root = h("div.busy", { id: "busy" }, [
            this.bar,
            this.text,
            button("stop", "Cancel", stop, { id: "stop" }),
        ]);
    }

    /** by is 1 when work begins and -1 when it ends. */
    add(by) {
        this.#under += by;
        this.root.classList.toggle("on", this.#under > 0);
    }

    /** Shows the bytes sent; if of is 0, nothing is being sent. */
    sent(bytes, of) {
        this.bar.hidden = !of;
        this.bar.value = of ? bytes / of : 0;
        this.text.textContent = !of
            ? "computing…"
            : bytes < of
              ? `sending ${Math.floor((bytes / of) * 100)} %`
              : "reading…";
    }
}

const SEEN = 600; // bytes at the beginning of text that was not understood

/** The release that a log names, "" if the input is not a log, or its release is not emulated. */
export const releaseOfLog = (input) => input?.logged_release ?? "";

export class Opening {
    working;
    store;
    loaded;
    moment;
    shown;

    #control = null;

    /** shown(): the page may show something else although the state is the same. refused(problem): a second dump cannot
     * be used. */
    constructor({ store, loaded, moment, working, shown, refused }) {
        Object.assign(this, { store, loaded, moment, working, shown });
        this.refused = (error, file) => {
            if (!(error instanceof api.Problem)) throw error;
            refused({
                ...error.problem,
                title: `${file}: ${error.problem.title ?? "cannot be used"}`,
            });
        };
    }

    stop() {
        this.#control?.abort();
    }

    /* Does work(signal), which the strip shows and its button stops. */
    async #work(work) {
        const control = (this.#control = new AbortController());
        this.working.add(1);
        try {
            return await work(control.signal);
        } finally {
            this.working.sent(0, 0);
            this.working.add(-1);
        }
    }

    #upload(blob, name, signal) {
        return api.upload(blob, name, {
            signal,
            onProgress: (sent, of) => this.working.sent(sent, of),
        });
    }

    /** Gives whether the dump is open now. If it is not, the problem was shown. */
    open(blob, file, name) {
        return this.#take((signal) => this.#upload(blob, name, signal), blob, file);
    }

    /** The same for a machine of a type in place of a file. */
    machine(type) {
        return this.#take((signal) => api.keepMachine(type, signal), null, type, type);
    }

    /** Opens the machine type that an address names, with the rest of its question. */
    asked() {
        const { store, loaded } = this,
            { machine } = store.state;
        return this.#work(async (signal) => {
            try {
                const summary = await api.keepMachine(machine, signal);
                if (store.state.id || store.state.machine !== machine) return;
                loaded.summary = summary;
                store.replace({ id: summary.id });
            } catch (error) {
                if (error.name !== "AbortError") await this.fail(error, null, machine);
            }
        });
    }

    /* machine: the type that was sent, "" for a file. */
    #take(send, blob, file, machine = "") {
        const { store, loaded, moment } = this;
        return this.#work(async (signal) => {
            try {
                const summary = await send(signal);
                const { release: chosen, hosts, settings } = store.state;
                // the release of a log that was open does not apply to the next file
                const asked = chosen === releaseOfLog(loaded.summary?.input) ? "" : chosen;
                moment.startProblem = moment.log = moment.results = null;
                moment.refused = {};
                loaded.summary = summary;
                const release = asked || releaseOfLog(summary.input);
                if (release && !asked)
                    announce(`The log is from NCCL ${release}, which is chosen now`);
                if (!store.set({ ...DEFAULTS, release, hosts, settings, machine, id: summary.id }))
                    this.shown(); // the same machine, as it was shown before
                return true;
            } catch (error) {
                if (error.name !== "AbortError") await this.fail(error, blob, file);
                else announce("Upload cancelled");
                return false;
            }
        });
    }

    /** The answer of POST /v1/check-log about a log alone; null if that failed and the failure was shown. */
    readLog(blob, file) {
        return this.#read(api.checkLogAlone, blob, file);
    }

    /** The same for results of nccl-tests; undefined, without a message, if the service does not recognise them. */
    readResults(blob, file) {
        return this.#read(api.checkPerfAlone, blob, file, api.isUnrecognised);
    }

    /** @param {(problem: any) => boolean} [passes] */
    #read(send, blob, file, passes = () => false) {
        return this.#work(async (signal) => {
            try {
                return await send(blob, signal);
            } catch (error) {
                if (error instanceof api.Problem && passes(error.problem)) return undefined;
                if (error.name !== "AbortError") await this.fail(error, blob, file);
                return null;
            }
        });
    }

    /* Detects the machine of the service; what was found, and what was not, is shown before it is opened. */
    detect() {
        const { moment } = this;
        return this.#work(async () => {
            try {
                moment.detected = await api.detect();
                moment.startProblem = null;
                this.shown();
                document.getElementById("detect")?.focus();
            } catch (error) {
                await this.fail(error, null, "");
            }
        });
    }

    /** Sends a dump to compare with the open one; gives its summary, null if that failed and refused(error, file) said
     * it. */
    keep(blob, file, name, refused = this.refused) {
        return this.#work(async (signal) => {
            try {
                return await this.#upload(blob, name, signal);
            } catch (error) {
                if (error.name === "AbortError") announce("Upload cancelled");
                else if (error instanceof api.Problem) refused(error, file);
                else throw error;
                return null;
            }
        });
    }

    async fail(error, blob, file) {
        if (!(error instanceof api.Problem)) throw error;
        const source = blob && error.problem.line ? await blob.text() : null,
            unknown = blob && api.isUnrecognised(error.problem);
        const seen = unknown ? withoutEscapes(await blob.slice(0, SEEN).text()) : null,
            forms = unknown ? (this.moment.inputs ?? (await api.inputs().catch(() => []))) : null;
        this.moment.startProblem = problemView(error.problem, {
            source,
            seen,
            forms,
            name: file,
            again: blob ? () => this.open(blob, file, file.replace(/\.[a-z]+$/i, "")) : null,
        });
        if (this.store.state.id || this.store.state.machine)
            this.store.set({ ...DEFAULTS, settings: {} });
        this.shown();
        document.getElementById("main").scrollTop = 0;
    }
}
