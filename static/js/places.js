// SPDX-License-Identifier: Apache-2.0
/* What the page shows without a machine: the start page, the library, clusters, a comparison with the majority. And
 * what it is called, with and without one. */
import { joined } from "./model.js";
import { clusterName } from "./cluster.js";
import { h } from "./dom.js";
import * as lately from "./recent.js";
import { questionText } from "./views/settings.js";
import { DEFAULTS } from "./state.js";
import { startView } from "./views/start.js";

const places = {
    library: "Library",
    fleet: "Hosts",
    set: "Comparison with the majority",
    clusters: "Clusters",
};

/* The preview of a link to this address in other programs, if they run scripts; index.html has the rest. */
function describePage(name, sentence, doc) {
    const text = name
        ? `${joined(": ", [name, sentence])}. Paths, rings, trees and bandwidth as NCCL ` +
          `${doc?.nccl ?? ""} decides them.`
        : DESCRIPTION;
    for (const [selector, content] of [
        ['meta[name="description"]', text],
        ['meta[property="og:description"]', text],
        ['meta[property="og:title"]', document.title],
    ])
        document.querySelector(selector).setAttribute("content", content);
}
const DESCRIPTION = document.querySelector('meta[name="description"]').getAttribute("content");

/** The titles of the window and of the header. rail, header: of frame.js. */
export function showNames({ store, loading, clusters, rail, header }) {
    const { loaded } = loading;
    const { state } = store,
        { summary, doc } = loaded,
        isOpen = Boolean(state.id);
    const name = isOpen ? summary?.name || (summary ? state.id.slice(0, 12) : "") : "";
    const sentence = isOpen
        ? (doc?.summary?.machine?.sentence ?? summary?.machine?.sentence ?? "")
        : "";
    const cluster = state.place === "clusters" && clusters.one && clusterName(clusters.one.record);
    document.title = joined(" · ", [
        name || (!isOpen && joined(" · ", [cluster, places[state.place]])),
        isOpen && doc && `NCCL ${doc.nccl}`,
        "Orrery",
    ]);
    document.body.classList.toggle("machine", isOpen);
    rail.show(state);
    header.show({
        name,
        sentence,
        state,
        model: loaded.model,
        asked: questionText({
            state,
            release: doc?.nccl ?? state.release ?? "",
            domain: loaded.model?.doc.cluster ? 0 : (loaded.model?.systems ?? 0),
            assumed: doc?.input?.assumed.length ?? 0,
        }),
    });
    describePage(name, sentence, doc);
}

const loadingView = () =>
    h("div.library.clusters", { "aria-busy": "true" }, h("p.muted", "Loading…"));

/** The content of the page. */
export function startPlace({
    store,
    moment,
    clusters,
    fleet,
    library,
    majority,
    pictures,
    actions,
}) {
    const { state } = store;
    if (state.place === "fleet")
        return (fleet.view ?? loadingView)({
            fleet,
            machines: (moment.machines ?? []).map(({ name }) => name),
            state,
            actions: { ...fleet.actions, library: actions.library },
        });
    if (state.place === "set")
        return (majority.view ?? loadingView)({
            majority,
            state,
            actions: { library: actions.library, majorityAgain: () => majority.load(true) },
        });
    if (state.place === "library" && !moment.startProblem)
        return (library.view ?? loadingView)({
            library,
            state,
            actions: {
                ...library.actions,
                home: actions.home,
                fleet: actions.fleet,
                majority: actions.majority,
                pair: (a, b) =>
                    store.set({ ...DEFAULTS, settings: {}, id: a, with: b, view: "compare" }),
            },
        });
    if (state.place === "clusters" && !moment.startProblem)
        return (clusters.view ?? loadingView)({
            clusters,
            releases: moment.releases,
            state,
            actions: { ...clusters.actions, home: actions.home, library: actions.library },
        });
    return startView({
        examples: moment.examples,
        inputs: moment.inputs,
        machines: moment.machines,
        recent: lately.recent(),
        live: moment.live,
        pictures,
        actions,
        problem: moment.startProblem,
        log: moment.log,
        results: moment.results,
        state,
    });
}
