// SPDX-License-Identifier: Apache-2.0
/* Keeps the list of clusters, or the one that the address names, in step with the address. */
import * as api from "./api.js";
import { tiles } from "./cluster.js";
import { ClusterHost } from "./cluster_host.js";
import { ClusterPicture } from "./cluster_picture.js";
import { announce } from "./dom.js";
import { findingsByKind } from "./marks.js";
import { words } from "./model.js";
import { save } from "./save.js";
import { Schedule } from "./schedule.js";
import { NETWORK_HOSTS } from "./nics.js";
import { DEFAULTS, MOST_HOSTS, question, shownTab } from "./state.js";

const MOST_KINDS = 8; // whose findings are asked for

/* The question of a tab: the rest of the address, and the values that decide it; "" if it asks nothing. */
const ASKED_BY = {
    scaling: ({ against }) => ["scaling", `scaling ${against}`],
    releases: ({ against }) => ["analysis/diff", against.join()],
    order: () => ["order", "order"],
};

export class Clusters {
    store;
    changed;

    /** @type {any} */
    view = null; // clustersView(), which a page about one machine does not load

    #asked = null;

    /** store: of the state; changed(): there is something else to show. */
    constructor(store, changed) {
        Object.assign(this, {
            store,
            changed,
            items: null,
            one: null,
            chosen: null, // {host, kind, ranks}
            groups: { key: "", answer: null, problem: null }, // of a layout
            asked: { key: "", answer: null, problem: null }, // of the tab: an order, a comparison of releases
            problem: null,
            busy: false,
        });
        this.picture = new ClusterPicture(store);
        this.schedule = new Schedule(changed);
        this.host = new ClusterHost(store, (id) =>
            store.set({ ...DEFAULTS, settings: {}, id, hosts: NETWORK_HOSTS }),
        );
        this.actions = {
            tab: (tab) => store.set({ tab }),
            release: (release) => store.set({ release }),
            against: (against) => store.replace({ against }),
            host: (host) => store.replace({ from: host === null ? "" : `host:${host}` }),
            graph: (graph) => store.set({ graph, channel: 0, tab: "rings" }),
            channel: (channel) => store.set({ channel, tab: "rings" }),
            /** Lights the hosts of a finding on the drawing, until it is chosen again. */
            light: (key) => store.replace({ finding: store.state.finding === key ? "" : key }),
            finding: ({ key }) => {
                store.set({ finding: key, tab: "faults" });
                const row = document.querySelector(
                    `#cluster-findings [data-finding="${CSS.escape(key)}"]`,
                );
                row?.scrollIntoView({ block: "nearest" });
                row?.querySelector("button")?.focus({ preventScroll: true });
            },
            take: (format) =>
                this.#while(async () =>
                    save(
                        `cluster-${this.picture.wanted.view}.${format}`,
                        await this.picture.text(format),
                        format === "svg" ? "image/svg+xml" : "text/vnd.graphviz",
                    ),
                ),
            reload: () => {
                this.one = null;
                this.load();
            },
            layout: (groups) =>
                store.replace({ groups, group: "", rank: 0, round: 0, tab: "groups" }),
            group: (group) => store.replace({ group, rank: 0, round: 0, tab: "transfers" }),
            transfer: (rank, round) => store.replace({ rank, round, tab: "transfers" }),
            facts: (format, file) =>
                this.#while(async () => {
                    const { state } = store,
                        asks = question({ ...state, hosts: 1 });
                    save(file, await api.clusterFacts(state.cluster, asks, format), "text/plain");
                }),
            again: () => this.transfers(true),
            table: (rank) => this.schedule.table(rank),
            keep: (text) =>
                this.#while(async () => {
                    const { id } = await api.keepCluster(text);
                    store.set({ cluster: id });
                }),
            remove: (id) =>
                this.#while(async () => {
                    await api.removeCluster(id);
                    announce("Deleted");
                    store.replace({ cluster: "" });
                    this.items = (await api.clusters()).items;
                }),
        };
    }

    /** Loads what the address names: all clusters, or one with its view and findings, and the answer of its tab. */
    async load() {
        this.#asked?.abort();
        const control = (this.#asked = new AbortController()),
            { state } = this.store,
            { cluster } = state;
        await this.#while(async () => {
            this.view ??= (await import("./views/clusters.js")).clustersView;
            if (!cluster) {
                this.one = null;
                this.schedule.forget();
                this.items = (await api.clusters(control.signal)).items;
                return;
            }
            const asks = question({ ...state, hosts: 1 }),
                key = `${cluster}?${asks}`;
            if (this.one?.key !== key) {
                this.one = null;
                const section = (name) =>
                    api.clusterAnswer(cluster, `analysis/${name}`, asks, {}, control.signal);
                const [record, view, summary, ranks, nccl, found] = await Promise.all([
                    api.cluster(cluster, control.signal),
                    ...words("cluster summary ranks nccl findings").map(section),
                ]);
                this.one = {
                    key,
                    record,
                    view,
                    doc: { ranks, summary, nccl },
                    findings: findingsByKind(view, found),
                    verdict: undefined, // not known yet; null if it failed
                };
                this.#ofKinds(this.one, found, control);
                this.#verdict(this.one, asks, control);
                announce(`${view.hosts} hosts of ${view.kinds.length} kinds`);
            }
            this.#choose();
            const tab = shownTab(state);
            this.redraw();
            if (tab === "transfers") this.transfers();
            const [path, what] = ASKED_BY[tab]?.(state) ?? ["", ""];
            await Promise.all([
                this.#ask("groups", state.groups, "groups", asks, { layout: state.groups }),
                this.#ask("asked", what, path, asks, {
                    against: tab === "order" ? [] : state.against,
                }),
            ]);
        }, control);
    }

    /** The drawings, in the present colours. */
    redraw() {
        if (!this.one) return;
        if (shownTab(this.store.state) === "rings" && this.one.view.hosts <= MOST_HOSTS)
            this.picture.draw();
        this.host.draw(this.host.shown);
    }

    /* Puts the answer of a tab into this[field]: {key, answer, problem}. Nothing is asked if `what` is falsy. */
    async #ask(field, what, path, asks, more) {
        const key = what ? `${this.one.key} ${path} ${what}` : "";
        if (this[field].key === key) return;
        const mine = (this[field] = { key, answer: null, problem: null });
        if (!key) return;
        this.changed();
        try {
            mine.answer = await api.clusterAnswer(this.store.state.cluster, path, asks, more);
        } catch (error) {
            mine.problem = api.problemOf(error);
        }
    }

    async #verdict(one, asks, { signal }) {
        const { cluster } = this.store.state;
        one.verdict = await api
            .clusterAnswer(cluster, "verdict", asks, {}, signal)
            .catch(() => null); // the tabs show the failure
        if (this.one !== one) return;
        if (!this.chosen) {
            this.#choose();
            this.redraw();
        }
        this.changed();
    }

    /* The chosen host and its machine; until one is chosen, the first one that differs from most or has a fault. */
    #choose() {
        const { view, record, verdict } = this.one,
            [, chosen] = /^host:(\d+)$/.exec(this.store.state.from) ?? [],
            odd = view.kinds.find((kind) => kind.odd)?.hosts[0][0],
            host = Number(chosen ?? odd ?? verdict?.faults[0]?.hosts[0]?.host ?? -1),
            tile = host >= 0 && host < view.hosts && tiles(view)[host];
        this.chosen = tile || null;
        this.host.shown = tile ? record.description.hosts[view.kinds[tile.kind].line] : null;
    }

    /* The cluster's findings name devices of the first host only; those of other kinds are their machines'. Hosts that
     * differ from most have a finding of their own. */
    async #ofKinds(one, found, control) {
        const { view, record } = one,
            first = view.kinds.findIndex(({ hosts }) => hosts.some(([from]) => from === 0)),
            asks = question({ ...this.store.state, hosts: NETWORK_HOSTS });
        const rest = view.kinds
            .map((kind, k) => [k, record.description.hosts[kind.line].topology])
            .filter(([k, topology]) => k !== first && !view.kinds[k].odd && topology)
            .slice(0, MOST_KINDS);
        if (!rest.length) return;
        const rows = await Promise.all(
            rest.map(async ([k, topology]) => [
                k,
                await api.findingsOf(topology, asks, control.signal).catch(() => []),
            ]),
        ); // the pages of their machines show the failure
        one.findings = findingsByKind(view, found, rows);
        if (this.one === one) this.changed();
    }

    /** Loads the schedule of the whole cluster, or of one of its groups. */
    transfers(again = false) {
        const { state } = this.store,
            query = question({ ...state, hosts: 1, assume: "" });
        if (state.groups && state.group) {
            query.set("layout", state.groups);
            query.set("group", state.group);
        }
        this.schedule.load(
            { cluster: true, id: state.cluster, query, rank: state.rank, round: state.round },
            again,
        );
    }

    async #while(work, control = null) {
        Object.assign(this, { busy: true, problem: null });
        this.changed();
        try {
            await work();
        } catch (error) {
            if (error.name === "AbortError") return;
            this.problem = api.problemOf(error);
        }
        if (control && control !== this.#asked) return;
        this.busy = false;
        this.changed();
    }
}
