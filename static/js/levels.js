// SPDX-License-Identifier: Apache-2.0
/* What limits NCCL's decisions on this machine: each setting with the value in effect, its origin and its result. Pure
 * functions. */
import { GRAPH_NAMES } from "./model.js";

const ofPairs = (rows, is, what) =>
    rows.length ? `${rows.filter(is).length} of ${rows.length} ${what}` : "";

/* The level that pairs were compared with, from the service's explanation of each pair. */
function decided(rows) {
    const compared = rows.filter(({ rule }) => /_(WITHIN|BEYOND)_LEVEL$/.test(rule)),
        by = compared.find(({ by_user: user }) => user);
    return {
        value: [...new Set(compared.map(({ level }) => level))].join(", "),
        by: by?.setting,
    };
}

const graphText = ({ doc }, tell) =>
    (doc.graphs ?? [])
        .filter(({ channels }) => channels)
        .map((row) => `${GRAPH_NAMES[row.name] ?? row.name}: ${tell(row)}`)
        .join(", ");
const CROSSES = ["no", "always", "in pairs that swap NICs"];

/* A row: what it limits, the setting, the result, and the rows of the document that name the level itself. */
/** @type {[string, string, ((model: any) => any)?, ((model: any) => any)?][]} */
const ROWS = [
    [
        "P2P between GPUs",
        "NCCL_P2P_LEVEL",
        ({ doc }) => ofPairs(doc.p2p ?? [], ({ p2p }) => p2p, "pairs use P2P"),
        ({ doc }) => doc.explanations?.p2p,
    ],
    [
        "GPUDirect RDMA",
        "NCCL_NET_GDR_LEVEL",
        ({ doc }) => ofPairs(doc.gdr ?? [], ({ recv }) => recv, "GPU–NIC pairs receive with it"),
        ({ doc }) => doc.explanations?.gdr,
    ],
    [
        "GPUDirect RDMA for sending",
        "NCCL_NET_GDR_READ",
        ({ doc }) => ofPairs(doc.gdr ?? [], ({ send }) => send, "GPU–NIC pairs send with it"),
    ],
    [
        "NICs through another GPU (PXN)",
        "NCCL_PXN_DISABLE",
        ({ doc }) => {
            const ways = (doc.paths ?? []).filter(
                ({ from, to }) => from.startsWith("GPU/") && to.startsWith("NET/"),
            );
            return ofPairs(
                ways,
                ({ type }) => type === "PXN",
                "paths to NICs lead through another GPU",
            );
        },
    ],
    [
        "Entering and leaving by different NICs",
        "NCCL_CROSS_NIC",
        (model) => model.doc.hosts > 1 && graphText(model, (row) => CROSSES[row.cross_nic] ?? "no"),
    ],
    [
        "NVLink SHARP",
        "NCCL_NVLS_ENABLE",
        ({ doc }) => (doc.summary?.nvls ? "in use" : "not in use"),
    ],
    ["Algorithms", "NCCL_ALGO"],
    ["Protocols", "NCCL_PROTO"],
    ["Fewest channels", "NCCL_MIN_NCHANNELS"],
    [
        "Most channels",
        "NCCL_MAX_NCHANNELS",
        ({ doc }) => `${doc.summary?.channels ?? 0} channels for ${doc.ranks} ranks`,
    ],
    ["Channels of NVLS", "NCCL_NVLS_NCHANNELS"],
    ["Most channels point to point", "NCCL_MAX_P2P_NCHANNELS"],
    ["Channels to a peer on another host", "NCCL_NCHANNELS_PER_NET_PEER"],
];

/** Rows for the settings that this release has: [{what, name, value, from, result}]. settings: rows of /v1/settings,
 * asked: those of the question, by name. */
export function levelRows(model, settings, asked) {
    const known = new Map(settings.map((row) => [row.name, row]));
    return ROWS.filter(([, name]) => known.has(name)).map(([what, name, result, level]) => {
        const row = known.get(name),
            { value, by } = decided(level?.(model) ?? []),
            from = by ?? (asked[name] ? name : "");
        return {
            what,
            name,
            value: value || asked[name] || row.default_text,
            from: from ? `${from}=${asked[from] ?? ""}` : `default of NCCL ${model.doc.nccl}`,
            asked: Boolean(from),
            result: result?.(model) || "",
        };
    });
}
