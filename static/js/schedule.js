// SPDX-License-Identifier: Apache-2.0
/* Keeps the part of the point-to-point schedule that the address names. */
import * as api from "./api.js";
import { announce } from "./dom.js";
import { transferRows, windowAt } from "./transfers.js";
import { csv } from "./report.js";
import { save } from "./save.js";

export class Schedule {
    doc = null;
    problem = null;
    busy = false;
    #key = "";
    #asked = null;
    #of = null; // what is asked about: {cluster, id, query}

    /** changed(): there is something else to show. */
    constructor(changed) {
        this.changed = changed;
    }

    /** cluster: of a cluster, not of one topology. query: release, settings, hosts, and of a cluster layout and group.
     * */
    async load({ cluster, id, query, rank, round }, again = false) {
        const asks = new URLSearchParams(query);
        asks.set("ranks", windowAt(rank));
        asks.set("rounds", windowAt(round));
        const key = `${cluster}${id}?${asks}`;
        if (key === this.#key && !again) return;
        this.#asked?.abort();
        const control = (this.#asked = new AbortController());
        this.#key = key;
        this.#of = { cluster, id, query };
        Object.assign(this, { problem: null, busy: true });
        this.changed();
        try {
            this.doc = await api.schedule(cluster, id, asks, control.signal);
            announce(`Point to point: ${this.doc.ranks} ranks`);
        } catch (error) {
            if (error.name === "AbortError") return;
            Object.assign(this, { doc: null, problem: api.problemOf(error) });
        }
        this.busy = false;
        this.changed();
    }

    forget() {
        this.#asked?.abort();
        this.#key = "";
        Object.assign(this, { doc: null, problem: null, busy: false });
    }

    /** All rounds of one rank as a file. */
    async table(rank) {
        const asks = new URLSearchParams(this.#of.query);
        asks.set("ranks", rank);
        try {
            save(
                `transfers-of-rank-${rank}.csv`,
                csv(transferRows(await api.schedule(this.#of.cluster, this.#of.id, asks))),
                "text/csv;charset=utf-8",
            );
            announce(`transfers-of-rank-${rank}.csv was made`);
        } catch (error) {
            this.problem = api.problemOf(error);
            this.changed();
        }
    }
}
