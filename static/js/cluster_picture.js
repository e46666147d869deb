// SPDX-License-Identifier: Apache-2.0
/* Keeps the drawing of a cluster's ring or tree in step with the address. */
import * as api from "./api.js";
import { Drawn } from "./drawn.js";
import { marksOfCluster } from "./marks.js";
import { titleOf } from "./picture.js";
import { question } from "./state.js";
import * as theme from "./theme.js";
import { Diagram } from "./views/diagram.js";

/** The graphs that have a drawing of their own. */
export const DRAWN = ["ring", "tree"];

export class ClusterPicture {
    #marked = { key: null, svg: null, rows: [] };

    constructor(store) {
        this.store = store;
        this.diagram = new Diagram(() => {});
        this.drawn = new Drawn(this.diagram);
        this.diagram.canvas.setAttribute(
            "aria-label",
            "Drawing of a ring or tree over the hosts. Arrow keys move it, plus and minus zoom, 0 shows all.",
        );
    }

    /** What is drawn: {view, channel}. */
    get wanted() {
        const { graph, channel } = this.store.state;
        return { view: DRAWN.includes(graph) ? graph : DRAWN[0], channel };
    }

    /** Findings about hosts on the drawing. isLit(finding): whether its hosts are lit; open(finding): what a click on a
     * mark does. */
    mark(view, findings, isLit, open) {
        this.marks = () => {
            const { svg } = this.diagram;
            if (!svg) return;
            if (this.#marked.key !== findings || this.#marked.svg !== svg)
                this.#marked = {
                    key: findings,
                    svg,
                    rows: marksOfCluster(view, findings, stations(svg)),
                };
            this.diagram.badge(this.#marked.rows, open);
            this.diagram.mark({
                picked: this.#marked.rows
                    .filter((row) => row.findings.some(isLit))
                    .map(({ node }) => node),
            });
        };
        this.marks();
    }

    /** In a format, as text. */
    text(format) {
        const { cluster } = this.store.state;
        return api.clusterDiagram(cluster, question({ ...this.store.state, hosts: 1 }), {
            ...this.wanted,
            format,
            theme: format === "svg" ? theme.current() : "",
        });
    }

    async draw() {
        const { cluster } = this.store.state,
            asks = question({ ...this.store.state, hosts: 1 }),
            wanted = this.wanted,
            colours = theme.current();
        const key = `${cluster}?${asks}#${wanted.view}${wanted.channel}@${colours}`,
            options = { ...wanted, theme: colours };
        if (cluster && key !== this.drawn.key)
            await this.drawn.draw(
                key,
                async (signal) => [await api.clusterDiagram(cluster, asks, options, signal)],
                { then: () => this.marks?.() },
            );
    }
}

/* The tiles of hosts on a drawing: its stations, or, where each rank is drawn, the first rank of each host. */
function stations(svg) {
    const drawn = [...svg.querySelectorAll("g.station")];
    if (drawn.length) return drawn.map((group) => ({ id: group.id, title: titleOf(group) }));
    const first = new Map();
    for (const group of svg.querySelectorAll("g.node")) {
        const host = [...group.classList].find((name) => /^host-\d+$/.test(name));
        if (host && !first.has(host))
            first.set(host, { id: group.id, title: `Host ${host.slice(5)}` });
    }
    return [...first.values()];
}
