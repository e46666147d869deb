// SPDX-License-Identifier: Apache-2.0
/* The hosts of a communicator: a row for each with what a channel receives and sends, and a link to the host. */
import { button, choices, h, table, textButton } from "../dom.js";
import { hostLinks, shape } from "../hosts.js";
import { GRAPH_NAMES, plural } from "../model.js";
import { picker } from "./channels.js";

/** actions: host(n), hosts(n), channel(n), graph(name). */
export function hostsView({ model, state, actions }) {
    const { count, local, rails } = shape(model),
        joined = model.doc.cluster ? model.systems : 1; // number of hosts that form one domain
    if (count < 2)
        return h("div", { id: "one-host" }, [
            h("p", [
                model.systems > 1
                    ? `There is one NVLink domain of ${model.systems} hosts in this communicator. To see how ` +
                      `channels go between domains, choose a number of identical ones:`
                    : "There is one host in this communicator. To see how channels go between hosts, choose a " +
                      "number of identical ones:",
            ]),
            h("p.try", [
                (model.systems > 1 ? [2, 4, 8] : [2, 4, 8, 16, 64, 512]).map((n) => [
                    button(`take:${n}`, `${n} ${model.systems > 1 ? "domains" : "hosts"}`, () =>
                        actions.hosts(n * joined),
                    ),
                    " ",
                ]),
            ]),
        ]);
    const links = hostLinks(model, state.graph, state.channel),
        from = new Map(),
        to = new Map();
    for (const row of links) {
        (from.get(row.from) ?? from.set(row.from, []).get(row.from)).push(row);
        (to.get(row.to) ?? to.set(row.to, []).get(row.to)).push(row);
    }
    const rail = (n) => rails[n] ?? "–",
        ring = state.graph === "ring",
        crossing = links.filter((row) => row.out !== row.into).length;
    const peers = (rows, other) =>
        rows?.length
            ? rows
                  .slice(0, 3)
                  .map(
                      (row) =>
                          `host ${row[other]}: ${row.a} → ${row.b}, ${rail(row.out)} → ${rail(row.into)}`,
                  )
                  .join("; ") + (rows.length > 3 ? `; ${rows.length - 3} more` : "")
            : h("span.zero", "–");
    return [
        h("div.toolbar", picker(model, state, actions), graphs(model, state, actions)),
        h("p", { id: "hosts-summary" }, [
            `${count} hosts of ${plural(local, "rank")}, ${rails.length} rail${rails.length === 1 ? "" : "s"}. `,
            links.length
                ? `Channel ${state.channel} of the ${(GRAPH_NAMES[state.graph] ?? state.graph).toLowerCase()} ` +
                  `sends ${links.length} times between hosts, ${
                      crossing
                          ? `${crossing} times from one rail to another`
                          : "always along one rail"
                  }.`
                : "This graph sends nothing between hosts.",
        ]),
        table(
            "Hosts",
            ring ? "Host|Ranks|~Receives from|~Sends to" : "Host|Ranks|~Children|~Parent",
            Array.from({ length: count }, (_, host) => () => ({
                tag: host === state.host ? "tr.on" : "tr",
                cells: [
                    textButton(`host:${host}`, `Host ${host}`, () => actions.host(host)),
                    `${host * local}–${host * local + local - 1}`,
                    peers(to.get(host), "from"),
                    peers(from.get(host), "to"),
                ],
            })),
            { id: "hosts-table" },
        ),
    ];
}

const graphs = (model, state, actions) =>
    choices(
        "Graph",
        (model.doc.graphs ?? [])
            .filter((row) => row.channels)
            .map(({ name }) => [name, GRAPH_NAMES[name] ?? name]),
        state.graph,
        actions.graph,
    );
