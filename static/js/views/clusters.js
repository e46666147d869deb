// SPDX-License-Identifier: Apache-2.0
/* The kept clusters as a list, and how another is made. */
import { button, h, link, table } from "../dom.js";
import { address } from "../state.js";
import { clusterView } from "./cluster.js";
import { problemView } from "./problem.js";

/** clusters: see clusters.js. actions: reload(), keep(text), remove(id), those of cluster.js, home(), library(). */
export function clustersView({ clusters, releases, state, actions }) {
    const { problem, one } = clusters;
    return h("div.library.clusters", { "aria-busy": String(clusters.busy) }, [
        problem && problemView(problem, { again: actions.reload }),
        problem &&
            !state.cluster &&
            h("p", { id: "cluster-example" }, "A description that works: ", h("code", EXAMPLE)),
        state.cluster
            ? one
                ? clusterView({ one, clusters, releases, state, actions })
                : !problem && h("p.muted", "Computing…")
            : list({ clusters, state, actions }),
    ]);
}

const EXAMPLE = '{"hosts": [{"machine": "hgx-h100", "count": 2}]}';

const kept = (items, state, actions) =>
    table(
        "Kept clusters",
        ["Name", "#Hosts", "Added (UTC)", "Do"],
        items.map((row) => [
            link(
                address(state, { cluster: row.id }),
                `cluster:${row.id}`,
                row.name || row.id.slice(0, 12),
            ),
            String(row.hosts),
            row.created.slice(0, 16).replace("T", " "),
            button(`delete:${row.id}`, "Delete", () => actions.remove(row.id), {
                "aria-label": `Delete ${row.name || row.id}`,
            }),
        ]),
        { id: "clusters" },
    );

function list({ clusters, state, actions }) {
    const text = h("textarea", {
        id: "cluster-text",
        "data-key": "cluster-text",
        rows: "5",
        spellcheck: "false",
        "aria-label": "Description of a cluster",
        placeholder:
            '{"hosts": [{"topology": "ID of a kept dump", "count": 4}, {"machine": "hgx-h100", "count": 2}], ' +
            '"ranks": "block"}',
    });
    return [
        h("header", [
            h("h1", "Clusters"),
            h("p.muted", "Hosts of the same or of different machines in one communicator."),
        ]),
        !clusters.items
            ? h("p.muted", "Loading…")
            : !clusters.items.length
              ? h("p", { id: "clusters-empty" }, "No cluster is kept yet.")
              : kept(clusters.items, state, actions),
        h("h2", "Make one"),
        h("p", [
            "Drop the dumps of all hosts on this page at once, or a tar, tar.gz or zip file of them. Or " +
                "choose hosts in the library: ",
            button("from-library", "Choose in the library", actions.library),
        ]),
        h("h2", "Or describe one"),
        h("p.muted", [
            "Name each dump by its id, which the library shows. A host can use some of its GPUs (gpus), share an " +
                "NVLink domain with others (domain), and give what its GPUs report about that domain (fabric: uuid, " +
                "clique, state). Ranks are block, cyclic, or a list with the host of every rank.",
        ]),
        text,
        h("p", [button("keep-cluster", "Keep and open", () => actions.keep(text.value))]),
    ];
}
