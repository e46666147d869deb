// SPDX-License-Identifier: Apache-2.0
/* The bus bandwidth at 1 GiB over the number of hosts, and for other speeds of NICs where the input does not say it,
 * asked of the service one after the other, once the answer to the question itself is shown. */
import * as api from "./api.js";
import { idle } from "./handling.js";
import { question } from "./state.js";
import { nicsAssumed } from "./views/input.js";

const HOSTS = [1, 2, 4, 8, 16, 32, 64];
const PROGRAMS = [
    ["AllReduce", "all_reduce"],
    ["AlltoAll", "alltoall"],
];
/** A line of the chart as long as it is a picture of the machine, not of a fabric of thousands of ranks. */
const MOST_RANKS = 16;

const SPEEDS = ["100", "200", "400"];
/** Hosts for which speeds of NICs are compared: one host uses no NIC. */
const SPEED_HOSTS = 2;

export class Scaling {
    store;
    later;

    #key = "";
    #control = null;
    shown = null; // {pending, hosts, lines}, as scalingChart() takes it
    speeds = null; // {hosts, rows: [{gbps, word, busbw}]}: what other speeds of assumed NICs would give; null: none are

    /** later(): more is known; nobody waits for it. */
    constructor(store, later) {
        Object.assign(this, { store, later });
    }

    /** Asks about this analysis; what it knows already stays. */
    async load(doc) {
        const { state } = this.store,
            key = `${state.id}?${question({ ...state, hosts: 1 })}`;
        if (!doc || doc.local_ranks > MOST_RANKS || doc.local_ranks < 2) {
            this.#stop("");
            return;
        }
        if (key === this.#key) return;
        this.#stop(key);
        const control = (this.#control = new AbortController()),
            lines = PROGRAMS.map(([name]) => ({ name, values: HOSTS.map(() => null) })),
            assumed = nicsAssumed(doc.input);
        const ask = (patch, program = "all_reduce") =>
            this.#ask({ ...state, ...patch }, program, control);
        this.shown = { pending: true, hosts: HOSTS, lines };
        await idle();
        for (const [i, hosts] of HOSTS.entries())
            for (const [line, [, program]] of PROGRAMS.entries())
                lines[line].values[i] = await ask({ hosts }, program);
        if (assumed) {
            const hosts = Math.max(SPEED_HOSTS, state.hosts),
                rows = [];
            for (const gbps of [...new Set([...SPEEDS, assumed.gbps])].sort(
                (a, b) => Number(a) - Number(b),
            )) {
                const word = `${gbps}${assumed.gdr ? "" : "-no-gdr"}`;
                rows.push({ gbps, word, busbw: await ask({ hosts, assume_nics: word }) });
            }
            if (!control.signal.aborted) this.speeds = { hosts, now: assumed.gbps, rows };
        }
        if (control.signal.aborted) return;
        this.shown.pending = false;
        this.later();
    }

    /* GB/s; null: there is no answer. */
    async #ask(state, program, { signal }) {
        if (signal.aborted) return null;
        try {
            const answer = await api.predict(state.id, question(state), program, signal, "1G");
            return answer.rows[0]?.busbw ?? null;
        } catch (error) {
            if (error.name !== "AbortError" && !(error instanceof api.Problem)) throw error;
            return null;
        }
    }

    forget() {
        this.#stop("");
    }

    #stop(key) {
        this.#control?.abort();
        this.#key = key;
        this.shown = this.speeds = null;
    }
}
