// SPDX-License-Identifier: Apache-2.0
/* Keeps the list of the library in step with what is searched. */
import * as api from "./api.js";
import { Asking, attempt } from "./asking.js";
import { runsOf } from "./cluster.js";
import { announce } from "./dom.js";
import { openCluster } from "./fleet.js";
import { save } from "./save.js";
import { deleteDialog, editDialog, labelDialog } from "./views/dialogs.js";

export class Library {
    picked;
    changed;
    store;
    next;
    view;

    #asking = new Asking();
    #timer = 0;

    /** store: of the state; changed(): the list is another. */
    constructor(store, changed) {
        Object.assign(this, {
            store,
            changed,
            items: null,
            next: null,
            busy: false,
            problem: null,
            picked: new Set(),
            runs: [],
            refused: [],
        });
        this.actions = {
            pick: (id, on) => {
                const name = this.items?.find((row) => row.id === id)?.name;
                this.picked[on ? "add" : "delete"](id);
                this.runs = on
                    ? [...this.runs, { id, count: 1, names: name ? [name] : [] }]
                    : this.runs.filter((run) => run.id !== id);
                this.changed();
            },
            /** Number of such hosts in the cluster. */
            count: (id, count) => {
                const [first] = this.runs.filter((run) => run.id === id);
                this.runs = this.runs
                    .filter((run) => run.id !== id || run === first)
                    .map((run) => (run === first ? { id, count } : run));
                this.changed();
            },
            cluster: () => attempt(this, () => openCluster(store, this.runs)),
            search: (q, now = false) => {
                clearTimeout(this.#timer);
                const field = document.getElementById("library-search");
                if (now && field) field.value = q;
                this.#timer = setTimeout(() => store.replace({ q }), now ? 0 : 250);
            },
            more: () => this.load(true),
            reload: () => this.load(),
            edit: async (row) => {
                const answer = await editDialog(row);
                if (answer) this.#change(row, () => api.change(row.id, answer));
            },
            label: async () => {
                const labels = await labelDialog(this.picked.size);
                if (labels) this.#changeAll(() => api.label([...this.picked], labels));
            },
            /** The chosen dumps as they were uploaded, in one archive. */
            export: () =>
                attempt(this, async () => {
                    const { tarGzip } = await import("./archive.js"),
                        files = [];
                    for (const id of this.picked) {
                        const { name, bytes } = await api.sourceFile(id);
                        files.push({ name: `${id.slice(0, 12)}-${name ?? "dump"}`, bytes });
                    }
                    save("dumps.tar.gz", await tarGzip(files));
                    announce(`${files.length} dumps exported`);
                }),
            removeAll: async () => {
                if (await deleteDialog({ name: `${this.picked.size} dumps` }))
                    this.#changeAll(async () => {
                        for (const id of [...this.picked]) {
                            await api.remove(id);
                            this.actions.pick(id, false);
                        }
                    });
            },
            remove: async (row) => {
                if (await deleteDialog(row))
                    this.#change(row, () => api.remove(row.id).then(() => null));
            },
        };
    }

    /** Dumps that were just kept, in the order of their hosts, with the names of their files: all are chosen. refused:
     * [{name, why}] */
    choose(ids, names = [], refused = []) {
        Object.assign(this, { picked: new Set(ids), runs: runsOf(ids, names), refused });
    }

    /** Loads the first page, or the next one. */
    async load(more = false) {
        Object.assign(this, { busy: true, problem: null }, more ? {} : { next: null });
        this.changed();
        const told = await this.#asking.ask("", async (signal) => {
            this.view ??= (await import("./views/library.js")).libraryView;
            return api.list({ q: this.store.state.q, cursor: more ? this.next : "" }, signal);
        });
        if (!told) return;
        const { answer: page, problem } = told;
        Object.assign(this, { busy: false, problem });
        if (page) {
            this.items = more ? [...this.items, ...page.items] : page.items;
            this.next = page.next;
            announce(`${this.items.length} dumps${page.next ? " and more" : ""}`);
        }
        this.changed();
    }

    async #changeAll(act) {
        let problem = null;
        try {
            await act();
        } catch (error) {
            problem = api.problemOf(error);
        }
        await this.load();
        if (!problem) return;
        this.problem = problem;
        this.changed();
    }

    /* act gives the row as it is now, null if it was deleted. */
    #change(row, act) {
        return attempt(this, async () => {
            const now = await act();
            this.items = this.items.flatMap((one) =>
                one.id !== row.id ? [one] : now ? [{ ...one, ...now }] : [],
            );
            announce(now ? "Saved" : "Deleted");
            this.changed();
        });
    }
}
