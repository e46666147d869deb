// SPDX-License-Identifier: Apache-2.0
/* What the reader can do, by name: each changes the state in the address, or opens a dialog. */
import * as api from "./api.js";
import { ArchiveError, isArchive, MOST_FILES, unpacked } from "./archive.js";
import { isResults } from "./bandwidth.js";
import { swapped } from "./compare.js";
import { announce } from "./dom.js";
import { isGraphFile, withGraphs, withoutGraphs } from "./graph_file.js";
import { isLog } from "./log.js";
import { joined, plural, words } from "./model.js";
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

// bytes at the beginning of a file by which its format is recognised; a quarter of them at its end
const LOOKED_AT = 1 << 20;

/* "1 dump, 1 log, 1 result: opened together". rest: names of files that were left out. */
function receiptText(opened, rest) {
    const said = opened.map((what) => `1 ${what}`).join(", ");
    return joined(" ", [
        opened.length > 1 ? `${said}: opened together.` : said && `${said}: opened.`,
        rest.length > 0 &&
            `Not opened, because one log and one result are shown at a time: ${rest.join(", ")}.`,
    ]);
}

const LONGEST_SETTING = 8000; // characters: the page keeps the text in its address

/** page: what main.js made; stepped(): the step within a channel is another. */
export function makeActions(page) {
    const { store, loading, library, results, diagram, moment, opening, help } = page;
    const { loaded } = loading,
        home = (patch) => {
            moment.startProblem = moment.log = moment.results = null;
            moment.receipt = "";
            store.set({ ...DEFAULTS, settings: {}, ...patch });
        };
    /* What is shown on the start page without a machine, from wherever it was dropped. */
    const alone = (shown) => {
        home({});
        Object.assign(moment, shown);
        loading.changed();
    };
    /* The machine type that results imply, with their hosts and release; without an answer, the type that was chosen
     * for them. */
    async function openedFor(type, blob, name, answer = null) {
        if (!(await opening.machine(type))) return undefined;
        const known = moment.releases.find((row) => row.name === answer?.release);
        store.replace({
            view: "bandwidth",
            hosts: answer?.hosts || store.state.hosts,
            release: !known ? store.state.release : known.standard ? "" : known.name,
        });
        return answer ? results.take(blob, name, answer) : results.open(blob, name);
    }
    /* Files by what their beginning, or the end of a log with results, says. */
    async function sorted(files) {
        const kinds = { dumps: [], logs: [], results: [] };
        for (const file of files) {
            const text = await file.slice(0, LOOKED_AT).text(),
                ending = await file.slice(-LOOKED_AT / 4).text();
            const kind = /^\s*</.test(text)
                ? "dumps"
                : isResults(text) || isResults(ending)
                  ? "results"
                  : isLog(text)
                    ? "logs"
                    : "dumps";
            kinds[kind].push(file);
        }
        return kinds;
    }
    /* Several hosts: kept, and chosen in the library. more: files beyond what the page takes. */
    async function keepAll({ dumps, logs, results: measured }, more) {
        const ids = [],
            names = [],
            refused = [...logs, ...measured].map(({ name }) => ({
                name,
                why: "logs and results are checked against one machine: open it, then drop this file there",
            }));
        for (const file of dumps) {
            const name = file.name.replace(/\.(xml|txt|log|tar|tgz|gz)$/i, ""),
                kept = await opening.keep(file, file.name, name, (error) =>
                    refused.push({ name: file.name, why: error.problem?.detail || error.message }),
                );
            if (kept) {
                ids.push(kept.id);
                names.push(name);
            }
        }
        if (more > 0)
            refused.push({
                name: `${more} more files`,
                why: `the page takes up to ${MOST_FILES} at once`,
            });
        library.choose(ids, names, refused);
        announce(
            `${plural(ids.length, "dump")} kept${
                refused.length ? `; not kept: ${refused.map(({ name }) => name).join(", ")}` : ""
            }`,
        );
        home({ place: "library" });
        library.load();
    }
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
        /* Results of nccl-tests go to the machine that is open, or open the one that they imply; what the service does
         * not know as such is read on. A log goes to the machine that is open, or opens the one that it prints or
         * implies; if it does neither, its triage is shown alone. If one dump is compared, the next one is the second;
         * all else is a machine of its own. */
        open: async (blob, name) => {
            moment.receipt = "";
            if (isArchive(new Uint8Array(await blob.slice(0, LOOKED_AT / 1024).arrayBuffer()))) {
                const files = await actions.unpacked([
                    blob instanceof File ? blob : new File([blob], name),
                ]);
                if (files.length !== 1)
                    return files.length > 1 ? actions.openMany(files) : undefined;
                [blob] = files;
                name = blob.name;
            }
            const text = await blob.slice(0, LOOKED_AT).text(),
                log = isLog(text) && !/^\s*</.test(text);
            if (
                (isResults(text) || isResults(await blob.slice(-LOOKED_AT / 4).text())) &&
                (await actions.results(blob, name))
            )
                return undefined;
            if (store.state.id && isLog(text)) return actions.log(blob, name);
            if (store.state.id && store.state.view === "compare") return actions.second(blob, name);
            const answer = log ? await opening.readLog(blob, name) : null,
                implied = answer?.implied_machine;
            if (log && (!answer || !answer.check)) {
                return answer ? alone({ log: { blob, name, answer } }) : loading.changed();
            }
            if (implied?.type)
                return (await actions.machine(implied.type)) && actions.log(blob, name, implied);
            if (
                (await opening.open(blob, name, name.replace(/\.[a-z]+$/i, ""))) &&
                loaded.summary?.input?.kind === "nccl-log"
            )
                await actions.log(blob, name);
        },
        /** The files that archives among these hold; [] if one cannot be unpacked, which was said. */
        unpacked: async (files) => {
            try {
                return (await Promise.all(files.map(unpacked))).flat();
            } catch (error) {
                if (!(error instanceof ArchiveError)) throw error;
                await opening.fail(
                    new api.Problem({
                        title: "The archive cannot be opened",
                        detail: error.message,
                        advice:
                            "Drop a tar, tar.gz or zip file with one dump for each host, such as host1.xml, " +
                            "host2.xml, or the files themselves",
                    }),
                    null,
                    "",
                );
                return [];
            }
        },
        /** Any number of files and archives of any kind, sorted by kind: one dump is opened, and logs and results are
         * checked against it; several are hosts, kept and chosen in the library. */
        openMany: async (dropped) => {
            const files = await actions.unpacked(dropped),
                kinds = await sorted(files.slice(0, MOST_FILES));
            if (!files.length) return;
            const more = files.length - MOST_FILES,
                { dumps, logs, results: measured } = kinds;
            if (dumps.length > 1) return keepAll(kinds, more);
            const opened = [];
            const take = async (file, what) => {
                await actions.open(file, file.name);
                opened.push(what);
            };
            for (const file of dumps) await take(file, "dump");
            for (const file of measured.slice(0, 1)) await take(file, "result");
            for (const file of logs.slice(0, 1)) await take(file, "log");
            const rest = [...logs.slice(1), ...measured.slice(1)].map(({ name }) => name);
            moment.receipt = receiptText(opened, rest);
            announce(moment.receipt);
            if (store.state.id) store.replace({ view: "verdict" });
            loading.changed();
        },
        /** A machine of a type in place of a file; whether it is open now. */
        machine: (type) => opening.machine(type),
        /** Results of nccl-tests; returns false if the text has none. */
        results: async (blob, name) => {
            if (store.state.id) {
                store.replace({ view: "bandwidth", results: "" });
                return results.open(blob, name);
            }
            const answer = await opening.readResults(blob, name),
                type = answer?.machine?.name,
                machines = moment.machines ?? (await api.machines().catch(() => []));
            if (answer && machines.some((row) => row.name === type))
                await openedFor(type, blob, name, answer);
            else if (answer) return alone({ results: { blob, name, answer } }) ?? true;
            loading.changed();
            return answer !== undefined;
        },
        /** The results that are there, compared with a machine of a type. */
        resultsOn: async (type) => {
            const { blob, name } = moment.results ?? results;
            return openedFor(type, blob, name);
        },
        noResults: () => {
            store.replace({ results: "" });
            results.forget();
        },
        tested: (program) => results.program(program),
        resultsTable: (index) => results.show(index),
        forgetResults: () => {
            moment.results = null;
            loading.changed();
        },
        /** The log that is there, compared with a machine of a type. */
        logOn: async (type) => {
            const { blob, name } = moment.log ?? loading.log;
            return (await actions.machine(type)) && actions.log(blob, name);
        },
        /** The log that is there, as if no machine were open: its own tree, or what it implies. */
        logOwn: async () => {
            const { blob, name } = loading.log;
            home({});
            await actions.open(blob, name);
        },
        forgetLog: () => {
            moment.log = null;
            loading.changed();
        },
        /* The service takes a dump and its graph file as one text: another dump, which takes the place of the open one.
         * null means no graph file. */
        graphs: async (blob) => {
            const { id } = store.state,
                name = loaded.summary?.name ?? "",
                source = loaded.source ?? (await api.source(id)),
                graphs = await blob?.text();
            const refuse = (why) => (moment.refused = { graphs: { why } });
            moment.refused = {};
            if (blob && !isGraphFile(graphs)) {
                refuse("This is not a graph file: its first element is not <graphs>");
                return loading.changed();
            }
            const text = blob ? withGraphs(source, graphs) : withoutGraphs(source);
            const kept = await opening.keep(new Blob([text]), name, name, ({ problem }) => {
                refuse(joined(": ", [problem.title, problem.detail]));
            });
            if (!kept || store.state.id !== id) return loading.changed();
            loaded.summary = kept;
            announce(
                blob ? "The graphs of the file replace the search" : "The graphs are searched",
            );
            store.set({ id: kept.id, machine: "", channel: 0 });
        },
        log: async (blob, name, implied = null) => {
            store.replace({ view: "log", topic: "", log: "" });
            const nodes =
                (
                    await loading.checkLog(blob, name, implied)
                )?.check?.first_difference?.nodes.filter((id) => loaded.model?.nodes.has(id)) ?? [];
            if (nodes.length)
                store.replace({ from: nodes[0], to: nodes[1] ?? "", finding: "", line: 0 });
        },
        noLog: () => {
            loading.checkLog(null, "", null);
            store.set({ topic: "", log: "" });
            loading.changed();
        },
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
    return actions;
}
