// SPDX-License-Identifier: Apache-2.0
/* Which NICs each GPU uses, as NCCL assigns them: pure functions over the index of an analysis. */
import { busId, parseId, typeOf, verdict } from "./model.js";

/** Number of hosts for which the network is shown if the question is about one host, and the most GPUs for which it is
 * shown. */
export const NETWORK_HOSTS = 2;
const MOST_GPUS = 16;

/** Whether an analysis of one host leaves out a network that the machine has. */
export const hidesNetwork = (doc) =>
    doc.hosts === 1 && doc.summary?.machine?.nets > 0 && doc.local_ranks <= MOST_GPUS;

/** "mlx5_3"; the NIC's number where the dump has no name. */
export const netName = (model, id) =>
    model.doc.summary?.net_names?.[id] || `NET ${parseInt(parseId(id).local, 16)}`;

/* The bus id of the NIC that a port belongs to; "" if it is on none. */
function busOf(model, net) {
    const nic = [...model.nodes.keys()].find(
        (id) => typeOf(id) === "NIC" && model.links.has(`${id}>${net}`),
    );
    return nic ? busId(parseId(nic).local) : "";
}

/** Rows by rank: [{gpu, rank, nics: [{net, name, bus, type, bw, gdr, via, channels}]}]; gdr: "yes", "sends only",
 * "receives only", "no", "?". via: the rank whose NIC it is (PXN), null if its own. The NIC of most channels comes
 * first, others' NICs last. */
export function nicTable(model) {
    const rows = model.gpus
            .filter((node) => node.rank !== undefined)
            .map((node) => ({ gpu: node.id, rank: node.rank, nics: new Map() })),
        byRank = new Map(rows.map((row) => [row.rank, row]));
    for (const { rank, net, proxy_rank: proxy } of model.doc.net_devs ?? []) {
        const row = byRank.get(rank),
            path = row && model.paths.get(`${row.gpu}>${net}`);
        if (!row) continue;
        const nic = row.nics.get(net) ?? {
            net,
            name: netName(model, net),
            bus: busOf(model, net),
            type: path?.type ?? "",
            bw: path?.bw,
            gdr: gdrText(model, row.gpu, net),
            via: proxy === rank ? null : proxy,
            channels: 0,
        };
        nic.channels++;
        row.nics.set(net, nic);
    }
    const own = (nic) => (nic.via === null ? 0 : 1);
    return rows.map((row) => ({
        ...row,
        nics: [...row.nics.values()].sort((a, b) => own(a) - own(b) || b.channels - a.channels),
    }));
}

/** A row in short: the GPU's own NICs, or if it has none, the first of another GPU; more: how many others it reaches
 * through other GPUs. */
export function inShort({ nics, ...row }) {
    const own = nics.filter((nic) => nic.via === null),
        shown = own.length ? own : nics.slice(0, 1);
    return { ...row, nics: shown, more: nics.length - shown.length };
}

function gdrText(model, gpu, net) {
    const decision = verdict(model, gpu, net);
    if (!decision) return "?";
    const [send, receive] = decision.rows;
    return decision.yes ? "yes" : send.yes ? "sends only" : receive.yes ? "receives only" : "no";
}
