// SPDX-License-Identifier: Apache-2.0
/* An analysis as NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,GRAPH prints it, for comparison with a real log: NCCL's
 * own words and order of columns. Pure functions over the index of an analysis. */
import { joined } from "./model.js";
import { netName } from "./nics.js";

const two = (n) => String(n).padStart(2, "0");
/* One digit as C prints it: C rounds halves to the even digit, while toFixed() rounds them up. */
function tenths(value) {
    const low = Math.floor(value * 10);
    return (value * 10 - low === 0.5 && low % 2 === 0 ? low / 10 : value).toFixed(1);
}
const KINDS = ["GPU", "CPU", "NET"];

/** "Channel 00/16 : 0 7 6 5": a line for each ring, as rank 0 prints them. */
export const ringLines = ({ doc }) =>
    (doc.channels?.rings ?? []).map(
        (ring, i) => `Channel ${two(i)}/${two(doc.channels.count)} : ${ring.join(" ")}`,
    );

/** "Trees [0] 1/2/-1->0->-1 [1] ...": what a rank prints about its place in the trees. */
export const treesLine = ({ doc }, rank) =>
    `Trees ${(doc.channels?.trees ?? []).map((tree, i) => `[${i}] ${placeInTree(tree, rank)}`).join(" ")}`;

/** "1/2/-1->0->-1": children, the rank, its parent. */
export const placeInTree = ({ up, down }, rank) =>
    `${[0, 1, 2].map((i) => down[rank]?.[i] ?? -1).join("/")}->${rank}->${up[rank]}`;

/* "Ring 00 : 3 -> 0 -> 1": the neighbours of a rank. */
const neighbourLines = ({ doc }, rank) =>
    (doc.channels?.rings ?? []).map((ring, i) => {
        const at = ring.indexOf(rank),
            next = (by) => ring[(at + by + ring.length) % ring.length];
        return `Ring ${two(i)} : ${next(-1)} -> ${rank} -> ${next(1)}`;
    });

/* "GPU/0-21000 :GPU/0-21000 (0/5000.0/LOC) CPU/0-0 (1/24.0/PHB)": hops, bandwidth and type of each path. */
function pathLines(model) {
    const to = KINDS.flatMap((kind) =>
        [...model.nodes.keys()].filter((id) => id.startsWith(`${kind}/`)),
    );
    // releases that know devices apart from their ranks count them as hops
    const hops = new Map(
        (model.doc.paths ?? []).map((path) => [`${path.from}>${path.to}`, path.hops.length]),
    );
    return to
        .filter((id) => !id.startsWith("CPU/"))
        .map((from) => {
            const cells = to.map((id) => {
                const path = model.paths.get(`${from}>${id}`);
                if (from === id) return `${id} (0/5000.0/LOC)`;
                return path
                    ? `${id} (${hops.get(`${from}>${id}`)}/${tenths(path.bw)}/${path.type})`
                    : null;
            });
            return `${from} :${cells.filter(Boolean).join(" ")}`;
        });
}

/* "Pattern 4, crossNic 0, nChannels 1, bw 1.2/1.2, type PHB/PHB, sameChannels 1" and its channels. */
const graphLines = (model) =>
    (model.doc.graphs ?? [])
        .filter(({ channels }) => channels)
        .flatMap((graph) => [
            `Pattern ${graph.pattern}, crossNic ${graph.cross_nic}, nChannels ${graph.channels}, ` +
                `bw ${graph.bw_intra.toFixed(6)}/${graph.bw_inter.toFixed(6)}, ` +
                `type ${graph.type_intra}/${graph.type_inter}, sameChannels ${graph.same_channels}`,
            ...graph.intra.map((ranks, i) => {
                const ends = graph.inter?.[i] ?? [];
                return joined(" ", [
                    `${String(i).padStart(2)} :`,
                    ends[0],
                    ...ranks.map((rank) => model.gpuOfRank.get(rank) ?? `GPU/${rank}`),
                    ends[1],
                ]);
            }),
        ]);

/** All lines for one rank of the first host: [line]. */
export function asLogged(model, rank = 0) {
    const { doc } = model,
        channels = doc.channels ?? {};
    return [
        ...pathLines(model),
        ...graphLines(model),
        ...(rank ? [] : ringLines(model)),
        ...neighbourLines(model, rank),
        ...(channels.trees?.length ? [treesLine(model, rank)] : []),
        `${channels.count ?? 0} coll channels, ${channels.nvls?.channels ?? 0} nvls channels, ` +
            `${channels.p2p_channels ?? 0} p2p channels, ${channels.p2p_channels_per_peer ?? 0} p2p channels per peer`,
    ];
}

/** The NICs by which a channel of a graph enters and leaves a host, by name: [in, out]; [] on one host. */
export function nicsOf(model, graph, channel) {
    const found = (model.doc.graphs ?? []).find(({ name }) => name === graph),
        ends = found?.channels ? (found.inter?.[channel % found.channels] ?? []) : [];
    return model.doc.hosts > 1 ? ends.map((id) => netName(model, id)) : [];
}
