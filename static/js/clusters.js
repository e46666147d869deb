// SPDX-License-Identifier: Apache-2.0
/* Keeps the list of clusters, or the one that the address names, in step with the address. */
import * as api from "./api.js";
import { ClusterPicture } from "./cluster_picture.js";
import { announce } from "./dom.js";
import { findingsByKind } from "./marks.js";
import { save } from "./save.js";
import { Schedule } from "./schedule.js";
import { NETWORK_HOSTS } from "./nics.js";
import { MOST_HOSTS, question } from "./state.js";

const MOST_KINDS = 8; // whose findings are asked for

export class Clusters {
    store;
    changed;

    #asked = null;

    /** store: of the state; changed(): there is something else to show. */
    constructor(store, changed) {
        Object.assign(this, {
            store,
            changed,
            items: null,
            one: null,
            groups: null,
            problem: null,
            busy: false,
        });
        this.picture = new ClusterPicture(store);
        this.schedule = new Schedule(changed);
        this.actions = {
            graph: (graph) => store.set({ graph, channel: 0 }),
            channel: (channel) => store.set({ channel }),
            /** A finding whose hosts are lit on the drawing, until it is chosen again. */
            light: (key) =>
                store.set({ finding: store.state.finding === key ? "" : key }, { replace: true }),
            finding: ({ key }) => {
                store.set({ finding: key }, { replace: true });
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
            reload: () => this.load(),
            layout: (groups) =>
                store.set({ groups, group: "", rank: 0, round: 0 }, { replace: true }),
            group: (group) => store.set({ group, rank: 0, round: 0 }, { replace: true }),
            transfer: (rank, round) => store.set({ rank, round }, { replace: true }),
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
                    store.set({ cluster: "" }, { replace: true });
                    this.items = (await api.clusters()).items;
                }),
        };
    }

    /** Loads what the address names: all, or one with its view, findings and groups. */
    async load() {
        this.#asked?.abort();
        const control = (this.#asked = new AbortController()),
            { cluster, groups } = this.store.state;
        await this.#while(async () => {
            if (!cluster) {
                this.one = this.groups = null;
                this.schedule.forget();
                this.items = (await api.clusters(control.signal)).items;
                return;
            }
            const asks = question({ ...this.store.state, hosts: 1 }),
                key = `${cluster}?${asks}`;
            if (this.one?.key !== key) {
                this.one = this.groups = null;
                const section = (name) => api.clusterSection(cluster, name, asks, control.signal);
                const [record, view, summary, ranks, nccl, found] = await Promise.all([
                    api.cluster(cluster, control.signal),
                    section("cluster"),
                    section("summary"),
                    section("ranks"),
                    section("nccl"),
                    section("findings"),
                ]);
                this.one = {
                    key,
                    record,
                    view,
                    doc: { ranks, summary, nccl },
                    findings: findingsByKind(view, found),
                };
                this.#ofKinds(this.one, found, control);
                announce(`${view.hosts} hosts of ${view.kinds.length} kinds`);
            }
            if (this.one.view.hosts <= MOST_HOSTS) this.picture.draw();
            this.transfers();
            this.groups = groups ? await api.groups(cluster, groups, asks, control.signal) : null;
        }, control);
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
        ); // their machines' pages say what fails
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
