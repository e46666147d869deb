// SPDX-License-Identifier: Apache-2.0
/* Holds the part of the point-to-point schedule that the address names. */
import * as api from "./api.js";
import { Asking, attempt } from "./asking.js";
import { announce } from "./dom.js";
import { transferRows, windowAt } from "./transfers.js";
import { csv } from "./report.js";
import { save } from "./save.js";

export class Schedule {
    doc = null;
    problem = null;
    busy = false;
    #asking = new Asking();
    #of = null; // what is asked about: {cluster, id, query}

    /** changed(): there is something else to show. */
    constructor(changed) {
        this.changed = changed;
    }

    /** cluster: true for a cluster, false for one topology. query: release, settings and hosts, and for a cluster
     * layout and group. */
    async load({ cluster, id, query, rank, round }, again = false) {
        const asks = new URLSearchParams(query);
        asks.set("ranks", windowAt(rank));
        asks.set("rounds", windowAt(round));
        const key = `${cluster}${id}?${asks}`;
        if (key === this.#asking.key && !again) return;
        this.#of = { cluster, id, query };
        Object.assign(this, { problem: null, busy: true });
        this.changed();
        const told = await this.#asking.ask(key, (signal) =>
            api.schedule(cluster, id, asks, signal),
        );
        if (!told) return;
        Object.assign(this, { doc: told.answer, problem: told.problem, busy: false });
        if (this.doc) announce(`Point to point: ${this.doc.ranks} ranks`);
        this.changed();
    }

    forget() {
        this.#asking.forget();
        Object.assign(this, { doc: null, problem: null, busy: false });
    }

    /** All rounds of one rank as a file. */
    async table(rank) {
        const asks = new URLSearchParams(this.#of.query);
        asks.set("ranks", rank);
        await attempt(this, async () => {
            const rows = transferRows(await api.schedule(this.#of.cluster, this.#of.id, asks)),
                name = `transfers-of-rank-${rank}.csv`;
            save(name, csv(rows), "text/csv;charset=utf-8");
            announce(`${name} was made`);
        });
    }
}
