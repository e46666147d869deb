// SPDX-License-Identifier: Apache-2.0
/* Keys that work anywhere on the page outside of fields. */
import { channelCount, channelSteps } from "./channels.js";
import * as shortcuts from "./shortcuts.js";
import { rowOf } from "./transfers.js";

const VIEWS = {
    o: "verdict",
    m: "machine",
    x: "matrix",
    r: "source",
    c: "channels",
    h: "hosts",
    p: "transfers",
    t: "tuning",
    b: "bandwidth",
    d: "diff",
    v: "compare",
    g: "log",
    k: "place",
};

export function listenToKeys({ store, loaded, moment, schedule, actions }) {
    const turn = (by) => {
        const count = loaded.model ? channelCount(loaded.model, store.state.graph) : 0;
        if (count) actions.channel((store.state.channel + by + count) % count);
    };
    const move = (ranks, rounds) => {
        const { doc } = schedule,
            { rank, round } = store.state,
            count = doc && rowOf(doc, rank)?.count;
        if (count)
            actions.transfer(
                (rank + ranks + doc.ranks) % doc.ranks,
                (round + rounds + count) % count,
            );
    };
    const stepBy = (by) => {
        const { graph, channel, view, host } = store.state;
        const count =
            loaded.model && view === "channels"
                ? channelSteps(loaded.model, graph, channel, host).length
                : 0;
        if (count)
            actions.step(
                moment.step < 0 && by < 0 ? count - 1 : (moment.step + by + count) % count,
            );
    };
    const keys = {
        e: () => actions.export(),
        "/": () => actions.palette(),
        l: () => actions.layout(store.state.layout === "load" ? "machine" : "load"),
        f: () => actions.detail(store.state.detail === "less" ? "all" : "less"),
        s: () => actions.ask(),
        w: () => actions.panel("why"),
        z: actions.inspector,
        "[": () => (store.state.view === "transfers" ? move(-1, 0) : turn(-1)),
        "]": () => (store.state.view === "transfers" ? move(1, 0) : turn(1)),
        ",": () => (store.state.view === "transfers" ? move(0, -1) : stepBy(-1)),
        ".": () => (store.state.view === "transfers" ? move(0, 1) : stepBy(1)),
        Escape: () => (store.state.from || store.state.finding) && actions.clear(),
    };
    addEventListener("keydown", (event) => {
        const held = event.ctrlKey || event.metaKey;
        if (held && event.key.toLowerCase() === "k") {
            event.preventDefault();
            if (!document.querySelector("dialog[open]")) actions.palette();
            return;
        }
        if (held || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
        const letter = event.key.length === 1;
        if (letter && !shortcuts.on()) return;
        if (event.key === "?") actions.help();
        else if (store.state.id && (keys[event.key] || VIEWS[event.key])) {
            if (letter) event.preventDefault();
            if (VIEWS[event.key]) actions.view(VIEWS[event.key]);
            else keys[event.key]();
        }
    });
}
