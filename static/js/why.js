// SPDX-License-Identifier: Apache-2.0
/* What can be asked why, and how a question is written in the address: "p2p:GPU/0-1b000:GPU/0-1c000", "graph:tree",
 * "algorithm:AllReduce:1048576". Pure functions. */
import { GRAPH_NAMES, shortName, typeOf } from "./model.js";
import { sizeText } from "./compare.js";

/** The parts after the name of a decision, in the order in which they are written, as parameters of the service. */
export const PARTS = {
    path: ["from", "to"],
    p2p: ["from", "to"],
    gdr: ["from", "to"],
    pxn: ["from", "to"],
    nic: ["from", "channel"],
    graph: ["graph"],
    tree: [],
    channels: [],
    nvls: [],
    algorithm: ["collective", "bytes"],
    symmetric: ["collective", "bytes"],
    lsa: [],
    multimem: [],
    gin: [],
    ce: [],
    registration: [],
};

/** A question as parameters of the service, {decision, ...}; null if the text is not one. */
export function parseWhy(text) {
    const [decision, ...values] = text.split(":"),
        parts = Object.hasOwn(PARTS, decision) ? PARTS[decision] : null;
    if (!parts || values.length !== parts.length || values.some((value) => !value)) return null;
    return { decision, ...Object.fromEntries(parts.map((name, i) => [name, values[i]])) };
}

/** Where the documentation explains how NCCL takes a decision. */
export const CHAPTERS = {
    path: "paths.html#which-route-wins",
    p2p: "p2p-and-gdr.html#when-two-gpus-use-p2p",
    gdr: "p2p-and-gdr.html#when-gpudirect-rdma-is-used",
    pxn: "p2p-and-gdr.html#pxn-reaching-a-nic-through-another-gpu",
    nic: "p2p-and-gdr.html#which-nic-belongs-to-a-gpu",
    graph: "search.html",
    tree: "connect.html#double-binary-trees",
    channels: "connect.html#number-of-channels",
    nvls: "p2p-and-gdr.html#when-nvls-is-possible",
    algorithm: "tuning.html",
    symmetric: "device-side.html#symmetric-memory",
    lsa: "device-side.html#teams",
    multimem: "device-side.html#teams",
    gin: "device-side.html#gin",
    ce: "device-side.html#copy-engines",
    registration: "device-side.html#registered-buffers",
};

export const writeWhy = (decision, ...values) => [decision, ...values].join(":");

const PAIRS = {
    "GPU>GPU": [["p2p", "P2P"]],
    "GPU>NET": [
        ["gdr", "GPUDirect RDMA, sending"],
        ["pxn", "PXN"],
    ],
    "NET>GPU": [["gdr", "GPUDirect RDMA, receiving"]],
};

/** What can be asked about the selected device or pair: [{why, label}]. */
export function whyOfSelection(model, { from, to, channel }) {
    if (!model.nodes.has(from) || (to && !model.nodes.has(to))) return [];
    if (to) {
        const name = `${shortName(model, from)} → ${shortName(model, to)}`,
            decisions = from === to ? [] : (PAIRS[`${typeOf(from)}>${typeOf(to)}`] ?? []);
        return [
            ...decisions.map(([decision, label]) => ({
                why: writeWhy(decision, from, to),
                label: `${label}, ${name}`,
            })),
            ...(model.paths.has(`${from}>${to}`)
                ? [{ why: writeWhy("path", from, to), label: `Path ${name}` }]
                : []),
        ];
    }
    const rank = model.nodes.get(from).rank,
        devs = (model.doc.net_devs ?? []).filter((row) => row.rank === rank);
    const of = devs.some((row) => row.channel === channel) ? channel : 0;
    return typeOf(from) === "GPU" && devs.length
        ? [
              {
                  why: writeWhy("nic", from, of),
                  label: `NIC of ${shortName(model, from)}, channel ${of}`,
              },
          ]
        : [];
}

/** What can be asked about the machine as a whole. */
export function whyOfMachine(model, { collective, size }) {
    const collectives = Object.keys(model.doc.predictions?.functions ?? {}),
        of = collectives.includes(collective) ? collective : collectives[0],
        bytes = size || 2 ** 20;
    return [
        ...(model.doc.graphs ?? [])
            .filter((graph) => graph.pattern)
            .map(({ name }) => ({
                why: writeWhy("graph", name),
                label: `${GRAPH_NAMES[name] ?? name} graph`,
            })),
        { why: "tree", label: "Pattern of trees" },
        { why: "channels", label: "Number of channels" },
        { why: "nvls", label: "NVLS" },
        ...(of
            ? [{ why: writeWhy("algorithm", of, bytes), label: `${of} of ${sizeText(bytes)}` }]
            : []),
    ];
}

/** The question that is open: the one of the address, else the first about what is selected. */
export const openWhy = (model, state) =>
    parseWhy(state.why) ? state.why : (whyOfSelection(model, state)[0]?.why ?? "channels");

/** A value as people read it: figures to four digits, with their unit. */
export function comparedText({ value, unit }) {
    const text =
        typeof value === "number"
            ? String(Number.isInteger(value) ? value : Number(value.toPrecision(4)))
            : value;
    return unit ? `${text} ${unit}` : text;
}

/** Rows of compared values that belong to the evidence, and those for maintainers of Orrery. */
export const evidence = (rows) => rows.filter((row) => !row.internal);
export const internals = (rows) => rows.filter((row) => row.internal);
