// SPDX-License-Identifier: Apache-2.0
/* Fetches what the state asks for, one request of a kind at a time, and keeps it: the analysis, the other side of a
 * comparison, the dump's text, the settings of the release. */
import * as api from "./api.js";
import { Asking } from "./asking.js";
import { channelCount } from "./channels.js";
import { sideName, stateOfOther } from "./compare.js";
import { costBar } from "./diagnosis.js";
import { announce } from "./dom.js";
import { idle } from "./handling.js";
import { shape } from "./hosts.js";
import { verdictText } from "./log.js";
import { index } from "./model.js";
import { hidesNetwork, NETWORK_HOSTS } from "./nics.js";
import { question } from "./state.js";
import { readSettings } from "./views/settings.js";
import { openWhy, parseWhy } from "./why.js";

export class Loading {
    store;
    busy;
    asked;
    arrived;
    later;
    changed;
    missing;

    /** What is there; null if not yet. network: the index of the same question about two hosts, where one host leaves
     * the network out. before: the index of the last answer about the same machine. */
    loaded = {
        id: "",
        summary: null,
        doc: null,
        model: null,
        network: null,
        before: null,
        asIs: null, // {key, bar}: of the same question about the machine with nothing repaired
        source: null,
        findings: null,
        problem: null,
    };
    other = { diff: null, doc: null, model: null, problem: null };
    pair = { doc: null, problem: null }; // two dumps compared
    kept = null; // dumps to choose the second from
    explained = { why: "", data: null, problem: null };
    log = { id: "", name: "", blob: null, answer: null, problem: null, busy: false };
    settings = [];
    #settingsOf = null;
    #analysing = null;
    #networking = null;
    #explaining;
    #comparing;
    #checking;
    #pairing;

    /** busy(by): work begins (1) or ends (-1). asked(): a new analysis is under way. arrived(): it is there, or its
     * problem. changed(): something else is; later(): nobody waits for it, gives a promise that it is shown.
     * missing(error): there is no such machine. */
    constructor(store, { busy, asked, arrived, changed, later, missing }) {
        Object.assign(this, { store, busy, asked, arrived, changed, later, missing });
        this.#explaining = new Asking(busy);
        this.#comparing = new Asking(busy);
        this.#checking = new Asking(busy);
        this.#pairing = new Asking(busy);
    }

    stop() {
        this.#analysing?.abort();
        this.#networking?.abort();
        for (const one of [this.#comparing, this.#pairing, this.#explaining]) one.stop();
    }

    stopComparing() {
        this.#comparing.stop();
    }

    /** The other side as views need it; null until it is loaded. */
    get compared() {
        const { diff } = this.other;
        return (
            diff && {
                ...this.other,
                names: { a: sideName(diff.a, diff.b), b: sideName(diff.b, diff.a) },
            }
        );
    }

    async analysis() {
        const before = this.#analysing,
            { store, loaded } = this,
            { id } = store.state,
            asks = question(store.state),
            control = (this.#analysing = id ? new AbortController() : null);
        before?.abort();
        this.#networking?.abort();
        if (!id) return;
        const another = loaded.id !== id;
        if (another)
            Object.assign(loaded, {
                id,
                doc: null,
                model: null,
                source: null,
                findings: null,
                summary: loaded.summary?.id === id ? loaded.summary : null,
            });
        loaded.problem = null;
        this.busy(1);
        this.asked();
        this.source();
        try {
            const asIs = question({ ...store.state, repair: "" }),
                key = `${id}?${asIs}`,
                known = loaded.asIs?.key === key || key === `${id}?${asks}`;
            const [doc, summary, unrepaired] = await Promise.all([
                api.analysis(id, asks, control.signal),
                loaded.summary ?? api.summary(id, control.signal),
                known ? null : api.analysis(id, asIs, control.signal),
            ]);
            const model = index(doc);
            if (loaded.asIs?.key !== key)
                loaded.asIs = { key, bar: costBar(unrepaired ? index(unrepaired) : model) };
            model.bar = loaded.asIs.bar;
            Object.assign(loaded, {
                before: another ? null : loaded.model,
                doc,
                model,
                network: null,
                summary,
                problem: null,
            });
            this.#network(id);
            this.#keepPlace();
            if (doc.findings?.some((row) => row.where?.line)) this.source(true);
            announce(`Analysis ready: ${doc.ranks} ranks, ${doc.channels?.count ?? 0} channels`);
        } catch (error) {
            if (error.name !== "AbortError") return await this.#failed(error, id);
            if (this.#analysing === control)
                // stopped by hand, not overtaken
                loaded.problem = {
                    title: "Cancelled",
                    detail: "The analysis was stopped before it was ready",
                    advice: "Ask again, or with fewer hosts",
                    again: true,
                };
        } finally {
            this.busy(-1);
            if (this.#analysing === control) this.arrived();
        }
    }

    /* NCCL drops the NICs of one host: what concerns them is answered for two. */
    async #network(id) {
        const { store, loaded } = this,
            { doc } = loaded,
            asks = question({ ...store.state, hosts: NETWORK_HOSTS }),
            control = (this.#networking = new AbortController());
        if (!hidesNetwork(doc)) return;
        this.busy(1);
        try {
            await idle(); // the answer is shown first
            const network = index(await api.analysis(id, asks, control.signal));
            if (loaded.doc === doc) loaded.network = network;
        } catch (error) {
            // without an answer, the rows say that two hosts are needed
            if (!(error instanceof api.Problem) && error.name !== "AbortError") throw error;
        } finally {
            if (loaded.network && loaded.doc === doc) await this.later();
            this.busy(-1);
        }
    }

    /** The other side of a comparison: its differences, and its whole answer for the matrix and the paths. */
    async comparison() {
        const { store, other } = this,
            { id, against } = store.state,
            asks = question(store.state),
            key = against.length ? `${id}?${asks}|${against.join("|")}` : "";
        if (this.#comparing.key === key) return;
        this.#comparing.forget();
        Object.assign(other, { diff: null, doc: null, model: null, problem: null });
        if (!key || !id) return this.changed(); // its marks leave the drawing
        const told = await this.#comparing.ask(key, (signal) =>
            Promise.all([
                api.difference(id, asks, against, signal),
                api.analysis(id, question(stateOfOther(store.state)), signal),
            ]),
        );
        if (!told) return;
        other.problem = told.problem;
        if (told.answer) {
            const [diff, doc] = told.answer;
            Object.assign(other, { diff, doc, model: index(doc) });
            announce(diff.equal ? "Nothing changes" : diff.summary);
        }
        this.changed();
    }

    /** The comparison with a second dump, and what there is to choose it from. */
    async pairing({ again = false } = {}) {
        const { store, pair } = this,
            { id, with: other, view } = store.state,
            asks = question(store.state),
            key = id && other ? `${id} ${other}?${asks}` : "";
        if (view === "compare" && id && !this.kept) this.#choices();
        if (this.#pairing.key === key && !again) return;
        this.#pairing.forget();
        Object.assign(pair, { doc: null, problem: null });
        if (!key) return;
        const told = await this.#pairing.ask(key, (signal) => api.compare(id, other, asks, signal));
        if (!told) return;
        Object.assign(pair, { doc: told.answer, problem: told.problem });
        if (pair.doc) announce(pair.doc.summary);
        this.changed();
    }

    async #choices() {
        this.kept = [];
        try {
            this.kept = (await api.list({ limit: 100 })).items;
            this.later();
        } catch {
            this.kept = null; // the list of the library says why
        }
    }

    /** The explanation that is open, once there is an analysis to ask about. */
    async explanation() {
        const {
                store,
                explained,
                loaded: { model },
            } = this,
            { id, panel } = store.state,
            asks = question(store.state);
        if (!id || panel !== "why" || !model) return;
        const why = openWhy(model, store.state),
            key = `${id}?${asks}|${why}`;
        if (this.#explaining.key === key) return;
        Object.assign(explained, { why: "", data: null, problem: null });
        const told = await this.#explaining.ask(key, (signal) =>
            api.explanation(id, asks, parseWhy(why), signal),
        );
        if (!told) return;
        Object.assign(explained, { data: told.answer, problem: told.problem, why });
        if (told.answer) announce(told.answer.answer);
        this.changed();
    }

    /** Compares a log with the prediction; without one, the log that is there with what is asked now. Gives the answer.
     * implied: what the lines say about the machine, if it was opened for them. */
    async checkLog(blob = this.log.blob, name = this.log.name, implied = this.log.implied) {
        const { store, log } = this,
            { id } = store.state;
        this.#checking.forget();
        Object.assign(log, { id, name, blob, implied, answer: null, problem: null });
        log.busy = Boolean(blob);
        if (!blob || !id) return null;
        this.changed();
        const told = await this.#checking.ask(id, (signal) =>
            api.checkLog(id, question(store.state), blob, signal),
        );
        if (!told) return null;
        const { answer, problem } = told;
        Object.assign(log, { answer, problem, busy: false });
        if (answer) announce(answer.check ? verdictText(answer.check) : answer.why_no_check);
        this.changed();
        return answer;
    }

    /** The dump's text, for the view that shows it, or for the lines of findings. */
    async source(ofFindings = false) {
        const { store, loaded } = this,
            { id, view } = store.state,
            shown = view === "source";
        if (!id || !(shown || ofFindings) || loaded.source !== null) return;
        try {
            const text = await api.source(id);
            if (loaded.id !== id || loaded.source !== null) return;
            loaded.source = text;
            if (shown) this.changed();
            else this.later();
        } catch (error) {
            if (!(error instanceof api.Problem)) throw error;
        }
    }

    async settingsOfRelease() {
        const { release } = this.store.state;
        if (this.#settingsOf === release) return;
        this.#settingsOf = release;
        try {
            this.settings = readSettings(await api.settings(release));
        } catch {
            this.settings = [];
        }
        if (this.store.state.id) this.later();
    }

    /* Another question may leave fewer channels or hosts than the one that is shown. */
    #keepPlace() {
        const {
                store,
                loaded: { model },
            } = this,
            last = channelCount(model, store.state.graph) - 1,
            hosts = shape(model).count,
            patch = {};
        if (last >= 0 && store.state.channel > last) patch.channel = last;
        if (store.state.host >= hosts) patch.host = hosts - 1;
        store.replace(patch);
    }

    async #failed(error, id) {
        const { loaded } = this;
        if (!(error instanceof api.Problem)) throw error;
        if (error.problem.status === 404 && !loaded.summary) return this.missing(error);
        loaded.summary ??= await api.summary(id).catch(() => null);
        loaded.findings = (await api.findings(id).catch(() => null))?.findings ?? null;
        if (error.problem.line) loaded.source ??= await api.source(id).catch(() => null);
        Object.assign(loaded, { doc: null, model: null, problem: error.problem });
    }
}
