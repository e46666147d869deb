// SPDX-License-Identifier: Apache-2.0
/* Channels of an analysis: who sends to whom, over which links. Pure functions over its index. */
import { hops } from "./model.js";

const STARS = ["nvls", "collnet_direct", "collnet"]; // graphs whose GPUs all talk to one

/** The parent of each rank in a channel of a graph of trees; null if the graph has none. */
export const upOf = (channels, graph, channel) =>
    graph === "tree"
        ? channels.trees?.[channel]?.up
        : graph === "collnet_chain"
          ? channels.collnet_chain?.[channel]?.up
          : graph === "nvls"
            ? channels.nvls?.tree?.[channel]?.up
            : null;

/** The steps of a channel as seen on one of the hosts, which are alike: [{from, to, a, b}], a and b ranks or names,
 * from and to node ids; "" if the end is on another host and no NIC is known. */
export function channelSteps(model, graph, channel, host = 0) {
    const channels = model.doc.channels ?? {},
        local = model.doc.local_ranks ?? model.gpus.length;
    const found = (model.doc.graphs ?? []).find((row) => row.name === graph);
    const at = found?.channels ? channel % found.channels : 0;
    const [entry = "", exit = ""] = found?.inter?.[at] ?? [];
    const mine = (rank) => Math.floor(rank / local) === host;
    const node = (rank) => model.gpuOfRank.get(rank - host * local) ?? "";
    const heads = graph === "nvls" ? (channels.nvls?.heads ?? []) : [];
    const nic = (rank, end) =>
        // a head of NVLS has its own NIC
        found?.inter?.[heads.indexOf(rank - host * local)]?.[end] ?? (end ? exit : entry);
    const step = (a, b) => ({
        a,
        b,
        from: mine(a) ? node(a) : nic(b, 0),
        to: mine(b) ? node(b) : nic(a, 1),
    });
    const here = ({ a, b }) => mine(a) || mine(b);
    if (graph === "ring") {
        const ring = channels.rings?.[channel] ?? [];
        return ring.length < 2
            ? []
            : ring.map((a, i) => step(a, ring[(i + 1) % ring.length])).filter(here);
    }
    const up = upOf(channels, graph, channel),
        ranks = model.doc.ranks ?? Infinity;
    const sent = (up ?? [])
        .map((parent, rank) => ({ rank, parent }))
        .filter(({ parent }) => parent >= 0 && parent < ranks)
        .map(({ rank, parent }) => step(rank, parent))
        .filter(here);
    if (up && graph !== "nvls") return sent;
    const rank = (id) => {
        const own = model.nodes.get(id)?.rank;
        return own === undefined ? (id.startsWith("NVS/") ? "switch" : "NIC") : own + host * local;
    };
    const inside =
        channel < channelCount(model, graph) && STARS.includes(graph)
            ? starSteps(model, found, at).map(({ from, to }) => ({
                  a: rank(from),
                  b: rank(to),
                  from,
                  to,
              }))
            : [];
    return [...inside, ...sent];
}

/** The order among a channel's steps, as Diagram.draw() takes it: generations of a tree from its root, and the devices
 * of a host that are the root or heads of NVLS. */
export function channelOrder(model, graph, channel, host = 0) {
    const channels = model.doc.channels ?? {},
        local = model.doc.local_ranks ?? model.gpus.length,
        up = graph === "nvls" ? null : upOf(channels, graph, channel);
    const tag = (rank, text) => ({ id: model.gpuOfRank.get(rank) ?? "", text });
    if (graph === "nvls")
        return { tags: (channels.nvls?.heads ?? []).map((rank) => tag(rank, "head")) };
    if (!up) return {};
    const depthOf = (rank) => {
        let depth = 0;
        for (let at = up[rank]; at >= 0 && at < up.length && depth <= up.length; at = up[at])
            depth++;
        return depth;
    };
    const isMine = (rank) => Math.floor(rank / local) === host,
        tops = up.flatMap((parent, rank) => (isMine(rank) && !isMine(parent) ? [rank] : []));
    return {
        depth: ({ b }) => depthOf(b),
        tags: tops.map((rank) =>
            tag(rank - host * local, up[rank] < 0 ? "root" : `to rank ${up[rank]}`),
        ),
    };
}

/** The picture in which the service draws a graph by itself: its name among the views, or "". Releases with one CollNet
 * call it collnet. */
export const drawnAlone = (graph) =>
    ({ ring: "ring", tree: "tree", collnet_direct: "collnet_direct", collnet: "collnet_direct" })[
        graph
    ] ?? "";

/** How many channels a graph has to draw. */
export function channelCount(model, graph) {
    const { rings, trees, collnet_chain: chain, nvls } = model.doc.channels ?? {},
        set = { ring: rings ?? [], tree: trees ?? [], collnet_chain: chain ?? [] }[graph];
    if (set || graph === "nvls") return set?.length ?? nvls?.channels ?? 0;
    return (model.doc.graphs ?? []).find((row) => row.name === graph)?.channels ?? 0;
}

/** Every [from, to, type] of links on the path of a step; PXN and the like included as NCCL routes them. To an NVSwitch
 * NCCL keeps no path: the link to it is the path. */
export function linksOf(model, from, to) {
    const path = model.paths.get(`${from}>${to}`);
    return path
        ? hops(model, path).map((hop) => [hop.from, hop.to, hop.type])
        : (model.links.get(`${from}>${to}`) ?? []).slice(0, 1).map((link) => [from, to, link.type]);
}

/* The ways between each GPU and the centre of a channel, in both directions: [{from, to}], node ids. The centre is
 * NVLS's switch, or CollNet's head, which has its NIC besides. */
function starSteps(model, found, c) {
    if (!found?.channels || c >= found.channels) return [];
    const head = model.gpuOfRank.get(found.intra?.[c]?.[0]),
        nvls = found.name === "nvls",
        centre = nvls ? [...model.nodes.keys()].find((id) => id.startsWith("NVS/")) : head;
    const [entry, exit] = (!nvls && found.inter?.[c]) || [];
    return [
        ...model.gpus.flatMap(({ id }) => [
            [id, centre],
            [centre, id],
        ]),
        [entry, head],
        [head, exit],
    ]
        .filter(([from, to]) => from && to && from !== to)
        .map(([from, to]) => ({ from, to }));
}

/** Links that a graph loads, the one with the least left first: [{from, to, type, bw, used, left, channels: [c, ...]}],
 * as NCCL's search reserves them. Its own channels are counted; NCCL may set each of them up twice at half the rate,
 * which loads links alike. */
export function loads(model, graph) {
    const known = loaded.get(model) ?? loaded.set(model, new Map()).get(model);
    if (!known.has(graph))
        known.set(
            graph,
            (model.doc.explanations?.loads?.[graph] ?? [])
                .map(([a, b, type, used, channels]) => {
                    const from = model.shown(a),
                        to = model.shown(b),
                        bw =
                            (model.links.get(`${from}>${to}`) ?? []).find(
                                (link) => link.type === type,
                            )?.bw ?? 0;
                    return { from, to, type, bw, used, left: Math.max(0, bw - used), channels };
                })
                .filter(({ from, to }) => from !== to)
                .sort(
                    (a, b) =>
                        a.left / (a.bw || 1) - b.left / (b.bw || 1) ||
                        b.channels.length - a.channels.length ||
                        rankOf(model, a.from) - rankOf(model, b.from),
                ),
        );
    return known.get(graph);
}

const rankOf = (model, id) => model.nodes.get(id)?.rank ?? model.nodes.size; // devices without a rank come last
const loaded = new WeakMap(); // of an index: each graph's, which are asked for with every change of the page
