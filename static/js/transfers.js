// SPDX-License-Identifier: Apache-2.0
/* The point-to-point schedule: windows of ranks and rounds, and what a transfer is called. Pure functions over the
 * service's answer. */
import { deviceName, plural, words } from "./model.js";

/** How many ranks, and how many rounds, are shown at once. */
export const WINDOW = 16;

/** The window that a rank or round is in, as the service takes it: "16-31". */
export const windowAt = (at) => {
    const first = at - (at % WINDOW);
    return `${first}-${first + WINDOW - 1}`;
};

const proxied = (way, rank) => (way.nics ?? []).some((nic) => nic && nic.proxy !== rank);

/** The kind that colours a cell: the path's type, PXN, NET or SHM; "" if nobody is sent to. */
export const kindOf = (way, rank) =>
    way?.transport === "NET" && proxied(way, rank)
        ? "PXN"
        : ["NET", "SHM"].includes(way?.transport)
          ? way.transport
          : (way?.path ?? "");

/** "by itself", "P2P, NVL", "shared memory, PHB", "network". */
export function overText(way) {
    if (!way) return "";
    const through = way.via >= 0 ? `, through rank ${way.via}` : "",
        texts = {
            SELF: "a copy on the GPU",
            P2P: `P2P, ${way.path}${way.read ? ", by reading" : ""}${through}`,
            SHM: `shared memory, ${way.path}`,
        };
    return texts[way.transport] ?? "network";
}

/** Each NIC once: "NET/0-2 through rank 2 (PXN), GPUDirect". */
export function nicText(way, rank) {
    const say = (nic) =>
        nic
            ? `${deviceName(nic.net)}${
                  nic.proxy !== rank ? ` through rank ${nic.proxy} (PXN)` : `, ${nic.path}`
              }` + `${nic.gdr ? ", GPUDirect" : ""}`
            : "none, or unknown without the channel";
    return [...new Set((way?.nics ?? []).map(say))].join("; ");
}

/** The rank that is shown, or the first there is. */
export const rowOf = (doc, rank) =>
    doc.schedule.find((row) => row.rank === rank) ?? doc.schedule[0];

/** A rank of the communicator, with the cluster's rank if it is one of a group. */
export const rankText = (doc, rank) =>
    doc.group ? `${rank} (${doc.group.world[rank]})` : String(rank);

export const sentence = (doc) =>
    `${doc.ranks} ranks on ${plural(doc.nodes, "node")}; in each round a rank sends to one peer and receives from ` +
    `one. A transfer is spread over ${doc.p2p_channels_per_peer} of ${doc.p2p_channels} channels.` +
    (doc.schedule[0]?.rounds[0]?.channels === null
        ? ` Which ones NCCL ${doc.nccl} takes is not known.`
        : "");

/** The send of a rank in a round as a step on the drawing of its host: {a, b, from, to}, ranks and node ids; null if
 * there is none. */
export function transferStep(model, doc, rank, number) {
    const way = doc?.schedule
        .find((row) => row.rank === rank)
        ?.rounds.find((round) => round.round === number)?.send;
    if (!way || way.transport === "SELF") return null;
    const local = model.doc.local_ranks ?? model.gpus.length,
        gpu = (one) => model.gpuOfRank.get(one % local) ?? "";
    return {
        a: rank,
        b: way.rank,
        from: gpu(rank),
        to: way.transport === "NET" ? (way.nics?.find(Boolean)?.net ?? "") : gpu(way.rank),
    };
}

const HEAD = words(
    "rank|round|channels|sends to|over|path|NIC|driven by rank|GPUDirect|receives from|over|path|NIC|GPUDirect",
);

/** Every transfer of an answer as rows for other programs. */
export function transferRows(doc) {
    const each = (way, name) =>
        [...new Set((way?.nics ?? []).map((nic) => nic?.[name] ?? ""))].join(" ");
    const side = (way, proxy) => [
        way?.rank ?? "",
        way?.transport ?? "",
        way?.path ?? "",
        each(way, "net"),
        ...(proxy ? [each(way, "proxy")] : []),
        each(way, "gdr"),
    ];
    return [
        HEAD,
        ...doc.schedule.flatMap((row) =>
            row.rounds.map((round) => [
                row.rank,
                round.round,
                (round.channels ?? []).join(" "),
                ...side(round.send, true),
                ...side(round.receive, false),
            ]),
        ),
    ];
}
