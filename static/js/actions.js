// SPDX-License-Identifier: Apache-2.0
/* What the reader can do, by name: each changes the state in the address, or opens a dialog. */
import * as api from "./api.js";
import { swapped } from "./compare.js";
import { announce } from "./dom.js";
import { fileActions } from "./file_actions.js";
import { words } from "./model.js";
import * as shortcuts from "./shortcuts.js";
import { summaryText } from "./report.js";
import {
    DEFAULTS,
    MOST_HOSTS,
    repairs,
    sectionOf,
    SECTIONS,
    shownPanel,
    WITHOUT_DRAWING,
} from "./state.js";
import * as theme from "./theme.js";
import { commands, palette } from "./views/palette.js";
import { openWhy } from "./why.js";

const LONGEST_SETTING = 8000; // characters: the page keeps the text in its address

/** page: what main.js made; stepped(): the step within a channel is another. */
export function makeActions(page) {
    const { store, loading, results, diagram, moment, opening, help } = page;
    const { loaded } = loading,
        home = (patch) => {
            moment.startProblem = moment.log = moment.results = null;
            moment.receipt = "";
            store.set({ ...DEFAULTS, settings: {}, ...patch });
        };
    const kept = words(
        "cell side change detail channel topic size collective pick trays beside program axes",
    );
    const actions = {
        ...Object.fromEntries(
            kept.map((name) => [name, (value) => store.replace({ [name]: value })]),
        ),
        home: () => home({}),
        library: () => home({ place: "library" }),
        fleet: () => home({ place: "fleet" }),
        clusters: () => home({ place: "clusters" }),
        example: async (row, patch = {}) => {
            try {
                if (await opening.open(await api.example(row.file), row.file, row.title))
                    store.replace(patch);
            } catch (error) {
                opening.fail(error, null, row.file);
            }
        },
        detect: () => opening.detect(),
        detected: () => moment.detected ?? null,
        /** The path from a GPU to its NIC; on one host NCCL has none, so two are asked about. */
        nic: (from, to) =>
            store.set({
                from,
                to,
                panel: "selection",
                hosts: Math.max(loaded.network?.doc.hosts ?? 1, store.state.hosts),
            }),
        /** Takes a finding as repaired, or no longer; "" means none. */
        repair: (id) => {
            const now = repairs(store.state),
                next = now.includes(id) ? now.filter((one) => one !== id) : [...now, id];
            store.replace({ repair: id ? next.join(",") : "", finding: "" });
        },
        /** A finding from its mark on the drawing: its card beside the verdict, or else in the inspector. */
        finding: ({ id }) => {
            store.replace({ panel: "selection", finding: id, from: "", to: "" });
            const row =
                document.getElementById("chosen-finding") ??
                document.querySelector(`#findings [data-finding="${CSS.escape(id)}"]`);
            for (let one = row; one; one = one.parentElement?.closest("details"))
                if (one.matches("details")) one.open = true;
            row?.scrollIntoView({ block: "nearest" });
            row?.querySelector("button, summary")?.focus({ preventScroll: true });
        },
        /** A device of a finding on the drawing; the finding stays in sight. */
        placed: (node) => store.replace({ from: node, to: "", finding: "", line: 0 }),
        show: (id) => home({ id }),
        stop: () => {
            opening.stop();
            loading.stop();
        },
        again: () => loading.analysis(),
        theme: theme.toggle,
        help: () => (help.open ? help.close() : help.showModal()),
        export: async () =>
            loaded.model &&
            (await import("./views/export.js")).exportDialog({
                state: store.state,
                loaded,
                other: loading.compared,
                pair: loading.pair.doc,
                log: loading.log,
                results,
                schedule: page.schedule,
                releases: moment.releases,
                diagram,
                wanted: page.scene.wanted,
            }),
        palette: () =>
            palette({
                model: loaded.model,
                choose: actions.choose,
                source: async () => (loaded.source ??= await api.source(store.state.id)),
                commands: commands({
                    open: Boolean(store.state.id),
                    settings: loading.settings,
                    actions,
                }),
            }),
        /** Eight lines about what is shown, and the link. */
        summary: () =>
            loaded.model
                ? summaryText({
                      model: loaded.model,
                      name: loaded.summary?.name ?? "",
                      link: location.href,
                  })
                : location.href,
        /** What a link may include, and taking it into the address or out of it. */
        attachments: () => page.attached.sizes(),
        attach: async (kind) => {
            await page.attached.toggle(kind);
            announce(
                store.state[kind]
                    ? "The link includes it now: copy the link again"
                    : "The link does not include it any more",
            );
        },
        shortcuts: () =>
            announce(
                shortcuts.toggle() ? "Single-letter keys are on" : "Single-letter keys are off",
            ),
        /** The view of a section that was shown there last. */
        section: (name) => {
            const views = SECTIONS.find(([one]) => one === name)[2].map(([view]) => view);
            actions.view(moment.views?.[name] ?? views[0]);
        },
        ask: () => {
            actions.panel(store.state.panel === "settings" ? "selection" : "settings");
            // on a phone the inspector is below the view
            if (matchMedia("(max-width: 759px)").matches)
                document.getElementById("panel").scrollIntoView({ block: "start" });
        },

        release: (release) => store.set({ release }),
        hosts: (hosts) => store.set({ hosts: Math.min(MOST_HOSTS, Math.max(1, hosts)) }),
        set: (name, value) => {
            const settings = { ...store.state.settings };
            delete settings[name];
            if (value) settings[name] = value;
            store.set({ settings });
        },
        assume: (assume) => store.set({ assume }),
        assumeNics: (assume_nics) => store.set({ assume_nics }),
        /** name: "gpus", "nics", "fuse_nics" or "tuner"; a text or a file with it, or "" for the default. */
        take: async (name, given) => {
            const { id } = store.state,
                text = (given instanceof Blob ? await given.text() : given).trim(),
                fits = text.length <= LONGEST_SETTING,
                why = `The text has ${text.length} characters; the page takes up to ${LONGEST_SETTING}`;
            if (store.state.id !== id) return; // another machine was opened while the file was read
            moment.refused = fits ? {} : { [name]: { why, text } };
            if (!fits || !store.set({ [name]: text })) loading.changed();
        },
        setting: (name) => {
            moment.focus = name;
            store.replace({ panel: "settings" });
        },
        filter: (text) => {
            moment.filter = text;
            moment.focus = "";
        },

        /** A view that Orrery shows by itself is not a choice: another view decides anew. */
        panel: (panel) =>
            store.replace({
                panel: panel === shownPanel({ ...store.state, panel: "auto" }) ? "auto" : panel,
            }),
        inspector: () => actions.panel(shownPanel(store.state) === "none" ? "selection" : "none"),
        view: (view) => {
            moment.views = { ...moment.views, [sectionOf(view)[0]]: view };
            store.replace({ view });
        },
        /** A message size, with the graph that NCCL uses for it; "" keeps the one that is drawn. */
        message: (size, graph) => {
            const { state } = store;
            store.replace(graph && graph !== state.graph ? { size, graph, channel: 0 } : { size });
        },
        layout: (layout) => store.replace({ layout, view: "channels" }),
        graph: (graph) => store.set({ graph, channel: 0 }),
        step: (step) => {
            moment.step = step;
            page.stepped();
        },

        transfer: (rank, round) => store.replace({ rank, round }),

        /** A device, or a path. A hidden inspector stays hidden unless the drawing asks for it. */
        select: (from, to, unfold = false) => {
            moment.extending = false;
            const hidden = store.state.panel === "none" && !unfold;
            store.set({ from, to, finding: "", line: 0, panel: hidden ? "none" : "auto" });
        },
        /** The next device that is chosen is the other end of a path. */
        extend: (on) => {
            moment.extending = on;
            loading.changed();
        },
        /** A finding on the drawing: its devices and links are lit until something else is chosen. */
        light: (id) =>
            store.replace({ finding: store.state.finding === id ? "" : id, from: "", to: "" }),
        /* A device of the drawing. Pictures of a channel by itself name those of other hosts "host1/GPU/...": all hosts
         * are alike. */
        choose: (drawn, extend) => {
            const { from, finding } = store.state,
                id = drawn.replace(/^host\d+\/|~out$/g, ""),
                host = /^HOST\/(\d+)$/.exec(id),
                // a GPU of another part of a split host has no rank in this one, but is drawn as a GPU
                known = (end) =>
                    loaded.model?.nodes.has(end) === false ? end.replace(/^GPU\//, "DEV/") : end,
                [one, other] = id.split("--").map((end) => known(end.replace(/^host\d+\//, "")));
            if (host) return actions.host(Number(host[1]));
            if (!id) return from || finding ? actions.clear() : undefined;
            if (other) return actions.select(one, other, true);
            return (extend || moment.extending) && from && from !== one
                ? actions.select(from, one, true)
                : actions.select(one, "", true);
        },
        /** Nothing is selected; a panel about a selection has nothing more to say. */
        clear: () =>
            store.set({
                from: "",
                to: "",
                finding: "",
                ...(store.state.panel === "selection" ? { panel: "auto" } : {}),
            }),
        host: (host) =>
            store.set({ host, view: store.state.view === "hosts" ? "channels" : store.state.view }),
        line: (line) => store.set({ line, view: "source" }),
        source: () => store.set({ view: "source", line: 0 }),
        why: (why) => store.set({ why, panel: "why" }),
        limit: (from, to) =>
            store.set({
                from,
                to,
                why: openWhy(loaded.model, store.state),
                line: 0,
                view: ["matrix", "hosts", ...WITHOUT_DRAWING].includes(store.state.view)
                    ? "machine"
                    : store.state.view,
            }),
        whatIf: (name, value) =>
            store.set({ against: [`${name}=${value}`], change: "", view: "diff" }),
        lineOf: (id) => (loaded.source === null ? 0 : page.sourceLines.lineOf(loaded.source, id)),

        with: (id) => store.set({ with: id, row: "", view: "compare" }),
        second: async (blob, name) => {
            const kept = await opening.keep(blob, name, name.replace(/\.[a-z]+$/i, ""));
            if (kept) {
                loading.kept = null;
                actions.with(kept.id);
            }
        },
        secondType: (type) => actions.second(new Blob([`machine type: ${type}\n`]), type),
        /* A row leads to its devices on the picture. */
        pairRow: (text, row) => {
            const from = row?.device_a?.node ?? "",
                to = (row?.what === "nvlinks" && row.other_a?.node) || "";
            store.replace({ row: text, ...(from ? { from, to } : {}) });
        },
        count: (count) => store.replace({ count, pick: "" }),
        free: (free) => store.replace({ free, pick: "" }),
        rival: (rival) => store.replace({ rival, pick: rival }),
        swapPair: () =>
            store.set({
                id: store.state.with,
                machine: "",
                with: store.state.id,
                row: "",
                from: "",
                to: "",
            }),
        pairAgain: () => loading.pairing({ again: true }),
        majority: (set) => home({ place: "set", set }),
        against: (against) => store.set({ against, change: "", view: "diff" }),
        /** The same without leaving the view. */
        compareHere: (against) => store.replace({ against, change: "" }),
        swap: () => store.set({ ...swapped(store.state, loaded.doc?.nccl ?? ""), change: "" }),
        cancel: () => {
            loading.stopComparing();
            store.set({ against: [], change: "" });
        },
    };
    return Object.assign(actions, fileActions(page, actions, home));
}
