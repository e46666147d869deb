// SPDX-License-Identifier: Apache-2.0
/* A ring or tree over the hosts of a cluster, and where all rings go: rails, NICs, links. */
import { stepper } from "./parts.js";
import {
    busiest,
    fullestSentence,
    hostsOf,
    letter,
    litKinds,
    railMap,
    railSentence,
    used,
} from "../cluster.js";
import { DRAWN } from "../cluster_picture.js";
import { button, choices, fold, h, share, table } from "../dom.js";
import { bandwidth, deviceName, GRAPH_NAMES } from "../model.js";
import { MOST_HOSTS } from "../state.js";

/** The ring or tree as the service draws it. actions: graph(name), channel(n), take(format), finding(row). */
export function ringsTab({ one, clusters, state, actions }) {
    const { view, doc, findings } = one;
    if (view.hosts > MOST_HOSTS)
        return h("p.muted", { id: "no-picture" }, `Drawings show up to ${MOST_HOSTS} hosts.`);
    const lit = litKinds(one, state.finding);
    clusters.picture.mark(
        view,
        findings,
        ({ kinds }) => kinds.some((kind) => lit.has(kind)),
        actions.finding,
    );
    const { wanted, diagram } = clusters.picture,
        count = Math.max(1, doc.summary.channels),
        channel = Math.min(wanted.channel, count - 1);
    return [
        h("div.toolbar", [
            choices(
                "Graph",
                DRAWN.map((name) => [name, GRAPH_NAMES[name]]),
                wanted.view,
                actions.graph,
            ),
            stepper(
                "channel",
                { text: `channel ${channel} of ${count}`, at: channel, count },
                actions.channel,
            ),
            h("div", { role: "group", "aria-label": "Save the drawing" }, [
                ["svg", "dot"].map((format) => [
                    button(`take:${format}`, format.toUpperCase(), () => actions.take(format)),
                    " ",
                ]),
            ]),
        ]),
        h("div.cluster-picture", diagram.root),
        h("p.muted", [
            "Consecutive hosts of one kind are drawn as one box. A dotted line (0→1) enters through another " +
                "rail than it left through; the thick dashed line (▼) is the narrowest.",
        ]),
    ];
}

/** Shows sentences and rails first, and NICs and links on demand. */
export function railsTab({ one: { view } }) {
    const nics = used(view),
        links = busiest(view);
    return [
        h("p", { id: "rails" }, railSentence(view.rails)),
        h("p", { id: "fullest" }, fullestSentence(view.fullest)),
        rails(view),
        loaded("nics", "NICs", `${nics.length} NICs in use`, nics, {
            heads: ["NIC", "#Channels in", "#Channels out"],
            cells: ({ net, channels_in: into, channels_out: out }) =>
                [net].map(deviceName).concat([into, out].map(bandwidth)),
            of: (row) => [row.port_bw, "of the port"],
        }),
        loaded("busy-links", "The fullest links", `The ${links.length} fullest links`, links, {
            heads: ["From", "To", "Type"],
            cells: (row) => [deviceName(row.from), deviceName(row.to), row.type],
            of: (row) => [row.link_bw, "of the link"],
        }),
    ];
}

/* What carries how much of what it could, on demand. of(row): that, and a name for it. */
const loaded = (id, name, title, rows, { heads, cells, of }) =>
    rows.length > 0 &&
    fold(id, title, () =>
        table(
            name,
            ["Kind", ...heads, "#GB/s", "#of", "(Share)"],
            rows.map((row) => [
                letter(row.kind),
                ...cells(row),
                bandwidth(row.bw),
                bandwidth(of(row)[0]),
                share(row.bw, ...of(row)),
            ]),
            { id, tag: "table" },
        ),
    );

/* Kinds of hosts by rails: the NIC, how full it is, channels that leave through it for another rail. */
function rails(view) {
    const { rails: all, rows } = railMap(view);
    const nicOf = (nic, rail, kind) =>
        h(
            "div",
            {
                title:
                    `${bandwidth(nic.channels_in)} channels in, ${bandwidth(nic.channels_out)} out, ` +
                    `${bandwidth(nic.bw)} of ${bandwidth(nic.port_bw)} GB/s`,
            },
            h("b", deviceName(nic.net)),
            share(nic.bw, nic.port_bw, `rail ${rail} of kind ${letter(kind)}`),
            nic.crossing > 0
                ? h("span.crosses", `${Math.round(nic.crossing * view.kinds[kind].systems)} cross`)
                : !nic.bw && h("span.muted", "unused"),
        );
    if (!all.length) return null;
    return table(
        "Which NIC carries which rail on each kind of host",
        ["Kind", "Hosts", ...all.map((rail) => `Rail ${rail}`)],
        rows.map(({ kind, cells }) => [
            letter(kind),
            hostsOf(view.kinds[kind]),
            ...cells.map((nics, i) =>
                nics.length
                    ? h("td.rail", [nics.map((nic) => nicOf(nic, all[i], kind))])
                    : h("td.rail.gone", "missing"),
            ),
        ]),
        { id: "rail-map", tag: "table", rowHeads: true },
    );
}
