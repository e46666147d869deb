// SPDX-License-Identifier: Apache-2.0
/* The hosts of a communicator: a row each with what a channel takes in and sends out, and the way down to one of them.
 * */
import { h } from "../dom.js";
import { hostLinks, shape } from "../hosts.js";
import { GRAPH_NAMES } from "../model.js";
import { picker } from "./channels.js";

/** actions: host(n), hosts(n), channel(n), graph(name). */
export function hostsView({ model, state, actions }) {
    const { count, local, rails } = shape(model);
    if (count < 2)
        return h(
            "div",
            { id: "one-host" },
            h(
                "p",
                null,
                model.systems > 1
                    ? `There is one NVLink domain of ${model.systems} hosts in this communicator. To see how ` +
                          `channels go between domains, choose a number of identical ones:`
                    : "There is one host in this communicator. To see how channels go between hosts, choose a " +
                          "number of identical ones:",
            ),
            h(
                "p.try",
                null,
                (model.systems > 1 ? [2, 4, 8] : [2, 4, 8, 16, 64, 512]).map((n) => [
                    h(
                        "button",
                        {
                            type: "button",
                            "data-key": `take:${n}`,
                            onclick: () => actions.hosts(n),
                        },
                        `${n} ${model.systems > 1 ? "domains" : "hosts"}`,
                    ),
                    " ",
                ]),
            ),
        );
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
    const cell = (rows, tell) =>
        h(
            "td.wrap",
            null,
            rows?.length
                ? rows.slice(0, 3).map(tell).join("; ") +
                      (rows.length > 3 ? `; ${rows.length - 3} more` : "")
                : h("span.zero", null, "–"),
        );
    return [
        h("div.toolbar", null, picker(model, state, actions), graphs(model, state, actions)),
        h(
            "p",
            { id: "hosts-summary" },
            `${count} hosts of ${local} rank${local === 1 ? "" : "s"}, ${rails.length} ` +
                `rail${rails.length === 1 ? "" : "s"}. `,
            links.length
                ? `Channel ${state.channel} of the ${(GRAPH_NAMES[state.graph] ?? state.graph).toLowerCase()} ` +
                      `sends ${links.length} times between hosts, ${
                          crossing
                              ? `${crossing} times from one rail to ` + `another`
                              : "always along one rail"
                      }.`
                : "This graph sends nothing between hosts.",
        ),
        h(
            "div.scroll",
            { tabindex: "0", role: "group", "aria-label": "Hosts" },
            h(
                "table.wide",
                { id: "hosts-table" },
                h("caption.unseen", null, "Hosts"),
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        h("th", null, "Host"),
                        h("th", null, "Ranks"),
                        h("th", null, ring ? "Receives from" : "Children"),
                        h("th", null, ring ? "Sends to" : "Parent"),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    Array.from({ length: count }, (_, host) =>
                        h(
                            host === state.host ? "tr.on" : "tr",
                            null,
                            h(
                                "td",
                                null,
                                h(
                                    "button.text",
                                    {
                                        type: "button",
                                        "data-key": `host:${host}`,
                                        onclick: () => actions.host(host),
                                    },
                                    `Host ${host}`,
                                ),
                            ),
                            h("td", null, `${host * local}–${host * local + local - 1}`),
                            cell(
                                to.get(host),
                                (row) =>
                                    `host ${row.from}: ${row.a} → ${row.b}, ${rail(row.out)} → ${rail(row.into)}`,
                            ),
                            cell(
                                from.get(host),
                                (row) =>
                                    `host ${row.to}: ${row.a} → ${row.b}, ${rail(row.out)} → ${rail(row.into)}`,
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ];
}

const graphs = (model, state, actions) =>
    h(
        "div.choices",
        { role: "group", "aria-label": "Graph" },
        (model.doc.graphs ?? [])
            .filter((row) => row.channels)
            .map((row) =>
                h(
                    "button",
                    {
                        type: "button",
                        "data-key": `graph:${row.name}`,
                        "aria-pressed": String(row.name === state.graph),
                        onclick: () => actions.graph(row.name),
                    },
                    GRAPH_NAMES[row.name] ?? row.name,
                ),
            ),
    );
