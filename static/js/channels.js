/* Channels of an analysis: who sends to whom, over which links. Pure functions over its index. */
import { hops } from "./model.js";

const upOf = (channels, graph, channel) => (graph === "tree" ? channels.trees?.[channel]?.up
    : graph === "collnet_chain" ? channels.collnet_chain?.[channel]?.up
        : graph === "nvls" ? channels.nvls?.tree?.[channel]?.up : null);

/** The steps of a channel as seen on one of the hosts, which are alike: [{from, to, a, b}], a and b ranks or names,
 *  from and to node ids; "" where the end is on another host and no NIC is known. */
export function channelSteps(model, graph, channel, host = 0) {
    const channels = model.doc.channels ?? {}, local = model.doc.local_ranks ?? model.gpus.length;
    const found = (model.doc.graphs ?? []).find((row) => row.name === graph);
    const at = found?.channels ? channel % found.channels : 0;
    const [entry = "", exit = ""] = found?.inter?.[at] ?? [];
    const mine = (rank) => Math.floor(rank / local) === host;
    const node = (rank) => model.gpuOfRank.get(rank - host * local) ?? "";
    const heads = graph === "nvls" ? channels.nvls?.heads ?? [] : [];
    const nic = (rank, end) => found?.inter?.[heads.indexOf(rank - host * local)]?.[end] ?? (end ? exit : entry); // a head of NVLS has its own NIC
    const step = (a, b) => ({ a, b, from: mine(a) ? node(a) : nic(b, 0), to: mine(b) ? node(b) : nic(a, 1) });
    const here = ({ a, b }) => mine(a) || mine(b);
    if (graph === "ring") {
        const ring = channels.rings?.[channel] ?? [];
        return ring.length < 2 ? [] : ring.map((a, i) => step(a, ring[(i + 1) % ring.length])).filter(here);
    }
    const up = upOf(channels, graph, channel), ranks = model.doc.ranks ?? Infinity;
    const sent = (up ?? []).map((parent, rank) => ({ rank, parent })).filter(({ parent }) => parent >= 0 && parent < ranks)
        .map(({ rank, parent }) => step(rank, parent)).filter(here);
    if (up && graph !== "nvls")
        return sent;
    const direct = graph === "collnet_direct" || graph === "collnet"; // a head sends its share by its own NIC
    const rank = (id) => { const own = model.nodes.get(id)?.rank; return own === undefined ? id.startsWith("NVS/") ? "switch" : "NIC" : own + host * local; };
    const inside = channel < channelCount(model, graph) ? searchSteps(model, graph, at).filter((one) => !one.inter || direct).map(({ from, to }) => ({ a: rank(from), b: rank(to), from, to })) : [];
    return [...inside, ...sent];
}

/** The picture in which the service draws a graph by itself: its name among the views, "": none. Releases with one CollNet call it collnet. */
export const drawnAlone = (graph) => ({ ring: "ring", tree: "tree", collnet_direct: "collnet_direct", collnet: "collnet_direct" })[graph] ?? "";

/** How many channels a graph has to draw. */
export function channelCount(model, graph) {
    const channels = model.doc.channels ?? {};
    switch (graph) {
    case "ring": return channels.rings?.length ?? 0;
    case "tree": return channels.trees?.length ?? 0;
    case "collnet_chain": return channels.collnet_chain?.length ?? 0;
    case "nvls": return channels.nvls?.channels ?? 0;
    default: return (model.doc.graphs ?? []).find((row) => row.name === graph)?.channels ?? 0;
    }
}

/** Every [from, to, type] of links on the path of a step; PXN and the like included as NCCL routes them. To an NVSwitch
 *  NCCL keeps no path: the link to it is the path. */
export function linksOf(model, from, to) {
    const path = model.paths.get(`${from}>${to}`);
    return path ? hops(model, path).map((hop) => [hop.from, hop.to, hop.type])
        : (model.links.get(`${from}>${to}`) ?? []).slice(0, 1).map((link) => [from, to, link.type]);
}

/** Who sends to whom inside the host in channel c of a graph as the search found it: [{from, to, bw, inter}], node ids and GB/s;
 *  inter: to or from a NIC. */
export function searchSteps(model, graph, c) {
    const found = (model.doc.graphs ?? []).find((row) => row.name === graph);
    if (!found?.channels || c >= found.channels)
        return [];
    const gpus = (found.intra?.[c] ?? []).map((rank) => model.gpuOfRank.get(rank)).filter(Boolean);
    const [entry, exit] = found.inter?.[c] ?? [], steps = [];
    const add = (from, to, bw, inter = false) => from && to && from !== to && steps.push({ from, to, bw, inter });
    if (["nvls", "collnet_direct", "collnet"].includes(graph)) {
        const end = graph === "nvls" ? [...model.nodes.keys()].find((id) => id.startsWith("NVS/")) : gpus[0];
        for (const { id } of model.gpus) {
            add(id, end, found.bw_intra);
            add(end, id, found.bw_intra);
        }
    } else {
        gpus.slice(1).forEach((to, i) => add(gpus[i], to, found.bw_intra));
        if (graph === "ring" && !entry)
            add(gpus.at(-1), gpus[0], found.bw_intra);
        if (graph !== "ring")
            gpus.slice(1).forEach((from, i) => add(from, gpus[i], found.bw_intra));
    }
    add(entry, gpus[0], found.bw_inter, true);
    add(graph === "ring" ? gpus.at(-1) : gpus[0], exit, found.bw_inter, true);
    return steps;
}

/** Loaded links of a graph, the one with the least left first: [{from, to, type, bw, used, left, channels: [c, ...]}]. The search's own channels
 *  are counted; NCCL may set each of them up twice at half the rate, which loads links alike. */
export function loads(model, graph) {
    const known = loaded.get(model) ?? loaded.set(model, new Map()).get(model);
    if (!known.has(graph))
        known.set(graph, weighed(model, graph));
    return known.get(graph);
}

const loaded = new WeakMap(); // of an index: each graph's, which are asked for with every change of the page

function weighed(model, graph) {
    const found = (model.doc.graphs ?? []).find((row) => row.name === graph), links = new Map();
    for (let c = 0; c < (found?.channels ?? 0); c++)
        for (const step of searchSteps(model, graph, c))
            for (const [from, to, type] of linksOf(model, step.from, step.to)) {
                const key = `${from}>${to}>${type}`, bw = (model.links.get(`${from}>${to}`) ?? []).find((link) => link.type === type)?.bw ?? 0;
                const row = links.get(key) ?? { from, to, type, bw, used: 0, channels: [] };
                row.used += step.bw;
                if (row.channels.at(-1) !== c)
                    row.channels.push(c);
                links.set(key, row);
            }
    return [...links.values()].map((row) => ({ ...row, left: Math.max(0, row.bw - row.used) }))
        .sort((a, b) => a.left / (a.bw || 1) - b.left / (b.bw || 1) || b.channels.length - a.channels.length);
}
