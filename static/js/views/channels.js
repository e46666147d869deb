// SPDX-License-Identifier: Apache-2.0
/* The graphs that the search found, and one channel of one of them, step by step. */
import { stepper } from "./parts.js";
import { button, choices, copyButton, h, table, textButton } from "../dom.js";
import { channelCount, channelSteps, drawnAlone, loads } from "../channels.js";
import { bandwidth, GRAPH_NAMES, PATTERNS, shortName, words } from "../model.js";
import { nicsOf, placeInTree } from "../nccl_log.js";
import { writeWhy } from "../why.js";
import { slidersView } from "./sliders.js";

/** step: index of the step that is marked; -1 if none is. actions: graph(name), channel(n), step(i), layout(name). */
export function channelsView({ model, state, step, comparison, releases, actions }) {
    const graphs = model.doc.graphs ?? [];
    return [
        h("div.toolbar", [
            picker(model, state, actions),
            choices(
                "Drawn",
                Object.entries({
                    machine: "On the machine",
                    load: "Load of links",
                    ...(drawnAlone(state.graph) && { alone: "By itself" }),
                }),
                state.layout,
                actions.layout,
            ),
            found(model, state.graph) > 0 &&
                whyButton(
                    actions,
                    writeWhy("graph", state.graph),
                    `the ${GRAPH_NAMES[state.graph] ?? state.graph} graph`,
                ),
        ]),
        slidersView({ model, state, other: comparison, releases, actions }),
        steps(model, state, step, actions),
        table(
            "Graphs",
            words(
                "Graph|Pattern|#Channels|#Intra GB/s|#Inter GB/s|Type intra|Type inter|Cross NIC",
            ),
            graphs.map((graph) => row(graph, state, actions)),
            { id: "graphs" },
        ),
        channelTable(model, state, actions),
        loadTable(model, state, actions),
        h("p.note", [
            "GB/s of one channel, in one direction. The table is what the search found inside one host; ",
            `${model.doc.channels?.count ?? 0} channels are set up in the end. `,
            whyButton(actions, "channels", "this number of channels"),
        ]),
    ];
}

const whyButton = (actions, why, what) =>
    textButton(
        `ask:${why}`,
        "Why?",
        (event) => {
            event.stopPropagation();
            actions.why(why);
        },
        { "aria-label": `Why ${what}?` },
    );

function row(graph, state, actions) {
    const there = graph.channels > 0,
        name = GRAPH_NAMES[graph.name] ?? graph.name,
        kind = (type) => (type ? h(`span.kind.k-${type}`, type) : "–");
    return {
        tag: `tr${there ? ".click" : ""}${graph.name === state.graph ? ".on" : ""}`,
        props: {
            "data-graph": graph.name,
            onclick: there ? () => actions.graph(graph.name) : null,
        },
        cells: there
            ? [
                  h("button.text", { "data-key": `graph:${graph.name}` }, name),
                  PATTERNS[graph.pattern] ?? String(graph.pattern),
                  String(graph.channels),
                  bandwidth(graph.bw_intra),
                  bandwidth(graph.bw_inter),
                  kind(graph.type_intra),
                  kind(graph.type_inter),
                  graph.cross_nic ? "yes" : "no",
              ]
            : [
                  name,
                  h("td.zero", { colspan: "7" }, [
                      "none on this machine",
                      " ",
                      graph.name === "nvls" && whyButton(actions, "nvls", "NVLS"),
                  ]),
              ],
    };
}

export function picker(model, state, actions) {
    const count = channelCount(model, state.graph),
        name = GRAPH_NAMES[state.graph] ?? state.graph,
        text = count
            ? `${name}, channel ${Math.min(state.channel, count - 1)} of ${count}`
            : `${name}: no channels`;
    return stepper("channel", { text, at: state.channel, count, keys: "[]" }, actions.channel);
}

function steps(model, state, step, actions) {
    const channels = model.doc.channels ?? {};
    if (state.graph === "ring" && channels.rings?.[state.channel])
        return ring(model, state, step, actions);
    const list = channelSteps(model, state.graph, state.channel, state.host);
    if (!list.length) return null;
    const name = (id, rank) => (id ? shortName(model, id) : `rank ${rank}`);
    const roots = list
        .filter((one) => !list.some((other) => other.a === one.b))
        .map((one) => one.b);
    return h("div.order", { id: "order", role: "group", "aria-label": "Steps" }, [
        state.graph === "nvls" &&
            channels.nvls?.heads &&
            h("span.muted", `Heads: ranks ${channels.nvls.heads.join(", ")}. `),
        h("span.muted", [
            roots.length && state.graph !== "nvls" && state.graph !== "collnet_direct"
                ? `Root side: ${[...new Set(roots)].map((rank) => `rank ${rank}`).join(", ")}. `
                : "",
        ]),
        list.map((one, i) => [
            button(`step:${i}`, `${one.a}→${one.b}`, () => actions.step(i === step ? -1 : i), {
                "aria-current": i === step ? "step" : null,
                title: `${name(one.from, one.a)} sends to ${name(one.to, one.b)}`,
            }),
            " ",
        ]),
    ]);
}

/* The order of the ranks; a click on one shows the step that leaves it. Ranks of other hosts are abbreviated. */
function ring(model, state, step, actions) {
    const order = model.doc.channels.rings[state.channel],
        list = channelSteps(model, "ring", state.channel, state.host);
    const arrow = () => h("span.to", { "aria-hidden": "true" }, "→"),
        items = [];
    for (let i = 0; i < order.length; i++) {
        const at = list.findIndex((one) => one.a === order[i]);
        let last = i;
        while (at < 0 && last + 1 < order.length && !list.some((one) => one.a === order[last + 1]))
            last++;
        items.push(
            at >= 0
                ? button(
                      `step:${at}`,
                      String(order[i]),
                      () => actions.step(at === step ? -1 : at),
                      {
                          "aria-current": at === step ? "step" : null,
                          title: `Step from rank ${order[i]} to rank ${list[at].b}`,
                      },
                  )
                : h("span.muted", [
                      last - i < 8
                          ? order.slice(i, last + 1).join(" → ")
                          : `${order[i]} … ${last - i - 1} ranks … ${order[last]}`,
                  ]),
            arrow(),
        );
        i = last;
    }
    return h("div.order", { id: "order", role: "group", "aria-label": "Order of the ranks" }, [
        items,
        h("span.muted", String(order[0])),
    ]);
}

const MOST_RANKS = 64; // of a line; the expert's page has the whole line

/* All channels of rings or trees at once, as NCCL writes them, with the NICs by which each enters and leaves a host;
 * the chosen one is drawn. */
function channelTable(model, state, actions) {
    const { channels = {}, local_ranks: local = 0 } = model.doc,
        first = state.host * local;
    const line = {
        ring: (ring) =>
            ring.length > MOST_RANKS
                ? `${ring.slice(0, MOST_RANKS).join(" ")} … (${ring.length} ranks)`
                : ring.join(" "),
        tree: (tree) =>
            Array.from({ length: Math.min(local, MOST_RANKS) }, (_, i) =>
                placeInTree(tree, first + i),
            ).join("  "),
    }[state.graph];
    const rows = { ring: channels.rings, tree: channels.trees }[state.graph] ?? [];
    if (!line || !rows.length) return null;
    const nics = rows.map((_, i) => nicsOf(model, state.graph, i)),
        outside = nics.some((ends) => ends.length);
    const texts = rows.map(
        (row, i) => `Channel ${String(i).padStart(2, "0")}/${channels.count} : ${line(row)}`,
    );
    return table(
        "Channels as NCCL writes them",
        [
            "Channel",
            state.graph === "ring" ? "Ranks" : "Places in the tree",
            ...(outside ? ["NIC in", "NIC out"] : []),
        ],
        rows.map((row, i) => ({
            tag: i === state.channel ? "tr.click.on" : "tr.click",
            props: { onclick: () => actions.channel(i) },
            cells: [
                h("button.text", { "data-key": `channel:${i}` }, [
                    `${String(i).padStart(2, "0")}/${channels.count}`,
                ]),
                h("td.mono", line(row)),
                ...(outside ? [0, 1].map((end) => nics[i][end] ?? "–") : []),
            ],
        })),
        {
            id: "channels",
            caption: [
                state.graph === "ring"
                    ? "Every ring, as NCCL writes it "
                    : "Every tree: children->rank->parent of each rank of this host, as NCCL writes it ",
                copyButton(() => texts.join("\n"), "Copy"),
            ],
        },
    );
}

const MOST_LOADS = 16;

/* The links that a graph loads, the fullest first. */
function loadTable(model, state, actions) {
    const rows = loads(model, state.graph);
    if (!rows.length) return null;
    const chain = ["tree", "collnet_chain"].includes(state.graph);
    const now = new Set(
        rows.filter((row) =>
            row.channels.includes(state.channel % Math.max(1, found(model, state.graph))),
        ),
    );
    return [
        table(
            "Load of links",
            ["Link", "Type", "#Channels", "This one", "#Used GB/s", "#Of GB/s", "#Left GB/s"],
            rows.slice(0, MOST_LOADS).map((row) => ({
                tag: row.from === state.from && row.to === state.to ? "tr.on" : "tr",
                props: { "data-load": `${row.from}>${row.to}` },
                cells: [
                    textButton(
                        `load:${row.from}>${row.to}>${row.type}`,
                        `${shortName(model, row.from)} → ${shortName(model, row.to)}`,
                        () => actions.select(row.from, row.to),
                    ),
                    h(`span.kind.k-${row.type}`, row.type),
                    String(row.channels.length),
                    now.has(row) ? "yes" : "–",
                    bandwidth(row.used),
                    bandwidth(row.bw),
                    bandwidth(row.left),
                ],
            })),
            {
                id: "loads",
                caption:
                    `Load of links, ${GRAPH_NAMES[state.graph] ?? state.graph}: the fullest ` +
                    `${Math.min(MOST_LOADS, rows.length)} of ${rows.length}`,
            },
        ),
        h("p.note", [
            "Used is what NCCL's search reserves for all channels together, in this direction of the link.",
            chain &&
                " Between two GPUs it reserves one direction only, although a tree sends data both up and down.",
        ]),
    ];
}

const found = (model, graph) =>
    (model.doc.graphs ?? []).find((row) => row.name === graph)?.channels ?? 0;
