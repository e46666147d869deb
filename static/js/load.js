/* How the channels of a graph load the links of one host: what each link carries, and what is left of it. Pure functions over the index
 * of an analysis. The search's own channels are counted; NCCL may set up each of them twice at half the rate, which loads links alike. */
import { linksOf } from "./model.js";

/** Who sends to whom inside the host in channel c of a graph that the search found: [{from, to, bw}], node ids and GB/s. */
export function searchSteps(model, graph, c) {
    const found = (model.doc.graphs ?? []).find((row) => row.name === graph);
    if (!found?.channels || c >= found.channels)
        return [];
    const gpus = (found.intra?.[c] ?? []).map((rank) => model.gpuOfRank.get(rank)).filter(Boolean);
    const [entry, exit] = found.inter?.[c] ?? [], steps = [];
    const add = (from, to, bw) => from && to && from !== to && steps.push({ from, to, bw });
    if (graph === "nvls" || graph === "collnet_direct") {
        const hub = [...model.nodes.keys()].find((id) => id.startsWith("NVS/"));
        for (const { id } of model.gpus) {
            const end = graph === "nvls" ? hub : gpus[0];
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
    add(entry, gpus[0], found.bw_inter);
    add(graph === "ring" ? gpus.at(-1) : gpus[0], exit, found.bw_inter);
    return steps;
}

/** Loaded links of a graph, the one with the least left first: [{from, to, type, bw, used, left, channels: [c, ...]}]. */
export function loads(model, graph) {
    const found = (model.doc.graphs ?? []).find((row) => row.name === graph), links = new Map();
    for (let c = 0; c < (found?.channels ?? 0); c++)
        for (const step of searchSteps(model, graph, c))
            for (const [from, to, type] of linksOf(model, step.from, step.to).concat(hubLink(model, step))) {
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

/* NCCL keeps no path to an NVSwitch; the link to it is the way. */
function hubLink(model, { from, to }) {
    if (!from.startsWith("NVS/") && !to.startsWith("NVS/"))
        return [];
    return (model.links.get(`${from}>${to}`) ?? []).slice(0, 1).map((link) => [from, to, link.type]);
}
