// SPDX-License-Identifier: Apache-2.0
/* Keeps the groups of hosts, and the history of one host, in step with what the address asks. */
import * as api from "./api.js";
import { Asking, attempt } from "./asking.js";
import { describe } from "./cluster.js";
import { announce } from "./dom.js";
import { DEFAULTS } from "./state.js";

const DAY_MS = 86400000,
    MINUTE_MS = 60000;

/** Keeps a cluster of runs of hosts, as describe() takes them, and opens it. */
export async function openCluster(store, runs) {
    const { id } = await api.keepCluster(describe(runs));
    store.set({ ...DEFAULTS, settings: {}, place: "clusters", cluster: id });
}

/** The question of an address: words with "=" are labels, all others together one text. now: in milliseconds. */
export function fleetQuery({ q, verdict, days, expect }, now) {
    const query = new URLSearchParams({ limit: "200" }),
        words = q.split(/\s+/).filter(Boolean),
        text = words.filter((word) => !word.includes("=")).join(" ");
    for (const word of words) if (word.includes("=")) query.append("label", word);
    if (text) query.set("q", text);
    if (verdict) query.set("verdict", verdict);
    if (days) query.set("since", String(Math.floor(now / MINUTE_MS) * MINUTE_MS - days * DAY_MS));
    if (expect) query.set("machine", expect);
    return query;
}

export class Fleet {
    store;
    changed;
    view;
    /** @type {any} */
    doc = null; // the answer
    /** @type {any} */
    events = null; // of the host whose history is shown
    problem = null;

    #asking = new Asking();
    #timer = 0;

    /** store: of the state; changed(): the answer is there, or another is asked for. */
    constructor(store, changed) {
        Object.assign(this, { store, changed });
        this.actions = {
            set: (patch) => store.replace(patch),
            search: (q) => {
                clearTimeout(this.#timer);
                this.#timer = setTimeout(() => store.replace({ q }), 250);
            },
            host: (node) => store.set({ node }),
            again: () => this.load(),
            /** A cluster of the listed groups, in which each host is like the first host of its group. */
            cluster: async () => {
                const runs = this.doc.items.map(({ topology, hosts, names }) => ({
                    id: topology,
                    count: hosts,
                    names,
                }));
                await attempt(this, () => openCluster(store, runs));
            },
        };
    }

    async load() {
        const { state } = this.store;
        this.problem = null;
        const told = await this.#asking.ask("", async (signal) => {
            this.view ??= (await import("./views/fleet.js")).fleetView;
            return Promise.all([
                api.fleet(fleetQuery(state, Date.now()), signal),
                state.node ? this.#history(state.node, signal) : null,
            ]);
        });
        if (!told) return;
        this.problem = told.problem;
        if (told.answer) {
            [this.doc, this.events] = told.answer;
            announce(this.doc.sentence);
        }
        this.changed();
    }

    /* The changes of a host, the latest first. */
    async #history(host, signal) {
        const rows = [];
        for (let since = 0, more = true; more && rows.length < 1000;) {
            const page = await api.events(host, since, signal);
            rows.unshift(...page.items.reverse());
            ({ next: since, more } = page);
        }
        return rows;
    }
}
