/* Puts the page together: the state of the URL decides what is loaded and shown; every view gets data and actions. */
import * as api from "./api.js";
import { announce, h, replace } from "./dom.js";
import { channelCount, channelSteps, linksOf, loads } from "./channels.js";
import { folded } from "./detail.js";
import { hops, index, shortName } from "./model.js";
import { listenToDrops } from "./drop.js";
import { listenToKeys } from "./keys.js";
import { overview, shape } from "./hosts.js";
import { Library } from "./library.js";
import { tokenDialog } from "./views/dialogs.js";
import { exportDialog } from "./views/export.js";
import { crumbs, hostsView } from "./views/hosts.js";
import { libraryView } from "./views/library.js";
import { marksOf, findChange, sideName, stateOfOther, swapped } from "./compare.js";
import { DEFAULTS, MOST_HOSTS, question, Store } from "./state.js";
import * as theme from "./theme.js";
import { channelsView } from "./views/channels.js";
import { helpDialog, tabs, topBar } from "./views/chrome.js";
import { Diagram } from "./views/diagram.js";
import { differencesView } from "./views/differences.js";
import { matrixView, moveSelection } from "./views/matrix.js";
import { problemView } from "./views/problem.js";
import { searchDialog } from "./views/search.js";
import { selectionView } from "./views/selection.js";
import { askBar, readReleases, readSettings, settingsView } from "./views/settings.js";
import { exampleList, startView } from "./views/start.js";
import { aboutSource, SourceView, sourceView } from "./views/source.js";
import { summaryView } from "./views/summary.js";
import { tuningView } from "./views/tuning.js";

const store = new Store();
const header = document.getElementById("header"), main = document.getElementById("main");
const diagram = new Diagram(selectDevice);
const drawer = h("section.drawer", { "aria-label": "Tables" }), side = h("section.side", { "aria-label": "Selection and settings" });
const working = h("div.busy", { id: "busy" }, h("progress", { max: "1", value: "0", hidden: true, "aria-label": "Sent" }), h("span", null, "computing…"),
    h("button", { type: "button", id: "stop", "data-key": "stop", onclick: () => actions.stop() }, "Cancel"));
const work = h("div.work", null, h("div.left", null, diagram.root, drawer), side);
const sourceLines = new SourceView((id) => store.set({ from: id, to: "", line: 0, panel: "selection" }));
const help = helpDialog(), library = new Library(store, () => !store.state.id && renderAll());
api.onTokenNeeded(tokenDialog);

/* What has been loaded for the state, and what is only of this moment. */
const loaded = { id: "", summary: null, doc: null, model: null, before: null, source: null, findings: null, problem: null };
const other = { key: "", diff: null, doc: null, model: null, problem: null }; // the other side of a comparison
const pictured = { key: "", machine: "" };
const moment = { examples: null, releases: [], settings: [], settingsOf: null, busy: 0, step: -1, filter: "", focus: "", startProblem: null };
let loading = null, drawing = null, comparing = null, uploading = null;

/* ---- actions */

const actions = {
    home: () => { moment.startProblem = null; store.set({ ...DEFAULTS, settings: {} }); },
    library: () => { moment.startProblem = null; store.set({ ...DEFAULTS, settings: {}, place: "library" }); },
    stop: () => { uploading?.abort(); loading?.abort(); comparing?.abort(); },
    again: () => load(),
    theme: theme.toggle,
    help: () => (help.open ? help.close() : help.showModal()),
    open: (blob, name) => open(blob, name, name.replace(/\.[a-z]+$/i, "")),
    example: async (row) => {
        try {
            await open(await api.example(row.file), row.file, row.title);
        } catch (error) {
            failAtStart(error, null, row.file);
        }
    },
    release: (release) => store.set({ release }),
    hosts: (hosts) => store.set({ hosts: Math.min(MOST_HOSTS, Math.max(1, hosts)) }),
    set: (name, value) => {
        const settings = { ...store.state.settings };
        delete settings[name];
        if (value)
            settings[name] = value;
        store.set({ settings });
    },
    panel: (panel) => store.set({ panel }, { replace: true }),
    view: (view) => store.set({ view }, { replace: true }),
    cell: (cell) => store.set({ cell }, { replace: true }),
    select: (from, to) => store.set({ from, to, line: 0, panel: "selection" }),
    setting: (name) => {
        moment.focus = name;
        store.set({ panel: "settings" }, { replace: true });
    },
    filter: (text) => { moment.filter = text; moment.focus = ""; },
    side: (side) => store.set({ side }, { replace: true }),
    against: (against) => store.set({ against, change: "", view: "diff" }),
    swap: () => store.set({ ...swapped(store.state, loaded.doc?.nccl ?? ""), change: "" }),
    change: (change) => store.set({ change }, { replace: true }),
    export: () => loaded.model && exportDialog({ state: store.state, loaded, other: compared(), releases: moment.releases, diagram, wanted: wantedPicture() }),
    search: () => loaded.model && searchDialog({ model: loaded.model, choose: selectDevice,
        source: async () => (loaded.source ??= await api.source(store.state.id)) }),
    detail: (detail) => store.set({ detail }, { replace: true }),
    source: () => store.set({ view: "source", line: 0 }),
    lineOf: (id) => (loaded.source === null ? 0 : sourceLines.lineOf(loaded.source, id)),
    host: (host) => store.set({ host, view: store.state.view === "hosts" ? "channels" : store.state.view }),
    line: (line) => store.set({ line, view: "source" }),
    cancel: () => { comparing?.abort(); store.set({ against: [], change: "" }); },
    graph: (graph) => store.set({ graph, channel: 0 }),
    channel: (channel) => store.set({ channel }, { replace: true }),
    layout: (layout) => store.set({ layout, view: "channels" }, { replace: true }),
    size: (size) => store.set({ size }, { replace: true }),
    collective: (collective) => store.set({ collective }, { replace: true }),
    step: (step) => {
        moment.step = step;
        renderDrawer();
        mark();
    },
};

/* Pictures of a channel by itself name the devices of other hosts "host1/GPU/...": all hosts are alike. */
function selectDevice(drawn, extend) {
    const { from } = store.state, id = drawn.replace(/^host\d+\//, "");
    const host = /^HOST\/(\d+)$/.exec(id);
    if (host)
        return actions.host(Number(host[1]));
    if (!id)
        return from ? store.set({ from: "", to: "" }) : undefined;
    if (extend && from && from !== id)
        return actions.select(from, id);
    return actions.select(id, "");
}

async function open(blob, file, name) {
    const control = (uploading = new AbortController());
    busy(1);
    try {
        const summary = await api.upload(blob, name, { signal: control.signal, onProgress: progress });
        moment.startProblem = null;
        loaded.summary = summary;
        const { release, hosts, settings } = store.state;
        if (!store.set({ ...DEFAULTS, release, hosts, settings, id: summary.id }))
            renderAll(); // the same machine, as it was shown before
    } catch (error) {
        if (error.name !== "AbortError")
            return failAtStart(error, blob, file);
        announce("Upload cancelled");
    } finally {
        progress(0, 0);
        busy(-1);
    }
}

async function failAtStart(error, blob, file) {
    if (!(error instanceof api.Problem))
        throw error;
    const source = blob && error.problem.line ? await blob.text() : null;
    moment.startProblem = problemView(error.problem, { source, name: file, again: blob ? () => open(blob, file, file.replace(/\.[a-z]+$/i, "")) : null });
    if (store.state.id)
        store.set({ ...DEFAULTS, settings: {} });
    renderAll();
    main.scrollTop = 0;
}

/* ---- loading */

function busy(by) {
    moment.busy += by;
    working.classList.toggle("on", moment.busy > 0);
    if (!moment.busy)
        working.querySelector("span").textContent = "computing…";
}

function progress(sent, of) {
    const bar = working.querySelector("progress"), share = of ? sent / of : 0;
    bar.hidden = !of;
    bar.value = share;
    working.querySelector("span").textContent = of ? share < 1 ? `sending ${Math.floor(share * 100)} %` : "reading…" : "computing…";
}

async function load() {
    loading?.abort();
    const { id } = store.state, asked = question(store.state), control = (loading = new AbortController());
    if (!id)
        return;
    const another = loaded.id !== id;
    if (another)
        Object.assign(loaded, { id, doc: null, model: null, source: null, findings: null, summary: loaded.summary?.id === id ? loaded.summary : null });
    loaded.problem = null;
    busy(1);
    draw();
    loadSource();
    try {
        const [doc, summary] = await Promise.all([api.analysis(id, asked, control.signal), loaded.summary ?? api.summary(id, control.signal)]);
        if (pictured.key.includes("#hosts"))
            pictured.key = "";
        Object.assign(loaded, { before: another ? null : loaded.model, doc, model: index(doc), summary, problem: null });
        moment.step = -1;
        keepChannel();
        if (doc.findings?.some((row) => row.where?.line) && loaded.source === null)
            loaded.source = await api.source(id, control.signal);
        announce(`Analysis ready: ${doc.ranks} ranks, ${doc.channels?.count ?? 0} channels`);
    } catch (error) {
        if (error.name === "AbortError") {
            if (loading === control) // stopped by hand, not overtaken
                loaded.problem = { title: "Cancelled", detail: "The analysis was stopped before it was ready", advice: "Ask again, or with fewer hosts", again: true };
            return;
        }
        await failed(error, id);
    } finally {
        busy(-1);
        if (!control.signal.aborted || loading === control) {
            renderAll();
            if (store.state.view === "hosts")
                draw();
        }
    }
}

/* The other side of a comparison: its differences, and its whole answer for the matrix and the paths. */
async function loadOther() {
    const { id, against } = store.state, asked = question(store.state), key = against.length ? `${id}?${asked}|${against.join("|")}` : "";
    if (other.key === key)
        return;
    comparing?.abort();
    Object.assign(other, { key, diff: null, doc: null, model: null, problem: null });
    if (!key || !id)
        return;
    const control = (comparing = new AbortController());
    busy(1);
    try {
        const [diff, doc] = await Promise.all([api.difference(id, asked, against, control.signal), api.analysis(id, question(stateOfOther(store.state)), control.signal)]);
        Object.assign(other, { diff, doc, model: index(doc) });
        announce(diff.equal ? "Nothing changes" : diff.summary);
    } catch (error) {
        if (error.name === "AbortError") {
            if (comparing === control && other.key === key)
                Object.assign(other, { key: "", problem: { title: "Cancelled", detail: "The comparison was stopped", advice: "Choose the other side again" } });
            return;
        }
        if (!(error instanceof api.Problem))
            throw error;
        other.problem = error.problem;
    } finally {
        busy(-1);
        if (!control.signal.aborted)
            renderAll();
    }
}

/* What views need of it; null while it is not there. */
const compared = () => other.diff && { ...other, names: { a: sideName(other.diff.a, other.diff.b), b: sideName(other.diff.b, other.diff.a) } };

/* Another question may leave fewer channels than the one that is looked at. */
function keepChannel() {
    const last = channelCount(loaded.model, store.state.graph) - 1;
    const hosts = shape(loaded.model).count, patch = {};
    if (last >= 0 && store.state.channel > last)
        patch.channel = last;
    if (store.state.host >= hosts)
        patch.host = hosts - 1;
    store.set(patch, { replace: true });
}

async function failed(error, id) {
    if (!(error instanceof api.Problem))
        throw error;
    if (error.problem.status === 404 && !loaded.summary) {
        failAtStart(error, null, "");
        return;
    }
    loaded.summary ??= await api.summary(id).catch(() => null);
    loaded.findings = (await api.findings(id).catch(() => null))?.findings ?? null;
    if (error.problem.line)
        loaded.source ??= await api.source(id).catch(() => null);
    Object.assign(loaded, { doc: null, model: null, problem: error.problem });
}

/* The dump's text, for the view that shows it. */
async function loadSource() {
    const { id, view } = store.state;
    if (!id || view !== "source" || loaded.source !== null)
        return;
    try {
        const text = await api.source(id);
        if (loaded.id !== id)
            return;
        loaded.source = text;
        renderAll();
    } catch (error) {
        if (!(error instanceof api.Problem))
            throw error;
    }
}

/* Which picture the state asks for. */
function wantedPicture() {
    const { view, layout, graph, channel } = store.state;
    if (view === "hosts" && loaded.model && shape(loaded.model).count > 1)
        return { view: "hosts", channel: `${graph}${channel}`, local: true };
    const alone = view === "channels" && layout === "alone" && ["ring", "tree"].includes(graph);
    return alone ? { view: graph, channel } : { view: "system" };
}

async function draw() {
    const { id } = store.state, wanted = wantedPicture(), asked = question(store.state), colours = theme.current();
    const scene = `${id}?${asked}#${wanted.view}${wanted.channel ?? ""}`, key = `${scene}@${colours}`;
    if (!id || pictured.key === key)
        return mark();
    drawing?.abort();
    if (wanted.local) {
        const picture = overview(loaded.model, store.state.graph, store.state.channel);
        diagram.show(picture.svg, true, picture);
        pictured.key = key;
        return mark();
    }
    const control = (drawing = new AbortController());
    if (!diagram.svg)
        diagram.say("Drawing…");
    try {
        const text = await api.diagram(id, asked, { ...wanted, theme: colours }, control.signal);
        if (control.signal.aborted)
            return;
        diagram.show(text, true);
        pictured.key = key;
        mark();
    } catch (error) {
        if (error.name === "AbortError")
            return;
        pictured.key = "";
        const problem = loaded.problem ?? error.problem ?? { title: "The drawing cannot be shown", detail: error.message };
        diagram.say(problemView(problem, { source: loaded.source, name: loaded.summary?.name, again: actions.again }));
        renderSide();
    }
}

/* ---- showing */

/* Selection and channel on the drawing. */
function mark() {
    const { model } = loaded, { from, to, view, layout, graph, channel } = store.state;
    const caption = (text) => replace(diagram.caption, text && h("span", null, text));
    if (!model || !diagram.svg)
        return caption("");
    let links = [], narrowest = null, steps = [];
    const path = to && model.paths.get(`${from}>${to}`);
    if (path) {
        const slowest = hops(model, path).find((row) => row.narrowest);
        links = linksOf(model, from, to);
        narrowest = slowest ? [slowest.from, slowest.to] : null;
    }
    if (view === "channels" && layout === "machine") {
        steps = channelSteps(model, graph, Math.min(channel, channelCount(model, graph) - 1), store.state.host);
        const now = steps[moment.step];
        if (now)
            links = linksOf(model, now.from, now.to);
        caption(now ? `${now.a} → ${now.b}: ${links.length ? `${links.length} links lit` : "no path inside this host"}`
            : steps.length ? "Arrows show who sends to whom; a step lights the links it uses." : "");
    } else {
        caption(path ? `${shortName(model, from)} → ${shortName(model, to)}: ${path.type}${narrowest ? ", the narrowest link is the widest line" : ""}` : "");
    }
    const changed = other.diff && ["diff", "matrix"].includes(view) ? marksOf(model, other.diff, view === "diff" ? findChange(other.diff, store.state.change) : null) : null;
    if (!links.length && to)
        links = linksOf(model, from, to);
    const less = store.state.detail === "less" && view !== "hosts" && wantedPicture().view === "system" ? folded(model) : null;
    diagram.fold(less, new Set([from, to]));
    if (less)
        caption(`Bus ids are hidden${less.blocks ? `, and the NICs of ${less.blocks} block${less.blocks > 1 ? "s" : ""} like another` : ""}.`);
    diagram.weigh(view === "channels" && layout === "load" ? loads(model, graph) : []);
    diagram.mark({ picked: view === "hosts" ? [`HOST/${store.state.host}`] : [from, to].filter(Boolean), links, narrowest, changed });
    diagram.draw(steps, moment.step);
}

function renderHeader() {
    const { state } = store, { summary, doc } = loaded, isOpen = Boolean(state.id);
    const name = isOpen ? summary?.name || (summary ? state.id.slice(0, 12) : "") : "";
    const sentence = isOpen ? doc?.summary?.machine?.sentence ?? summary?.machine?.sentence ?? "" : "";
    document.title = name ? `${name} – Orrery` : "Orrery";
    replace(header, topBar({ name, sentence, theme: theme.current(), open: isOpen, place: state.place, working, actions }),
        isOpen && askBar({ state, releases: moment.releases, settingsOpen: state.panel === "settings", actions }));
}

const VIEW_TABS = [["machine", "Machine"], ["matrix", "Matrix"], ["channels", "Channels"], ["tuning", "Tuning"], ["hosts", "Hosts"], ["diff", "Differences"], ["source", "Dump"]];
const TABLES = { matrix: matrixView, channels: channelsView, tuning: tuningView, hosts: hostsView, diff: differencesView };

function renderDrawer() {
    const { state } = store, { model } = loaded, table = state.view === "source" ? sourceView : TABLES[state.view];
    drawer.classList.toggle("open", Boolean(table));
    drawer.dataset.view = state.view;
    const side = compared();
    if (state.view === "matrix" && moveSelection(drawer.querySelector("#matrix"), { model, other: side, state }))
        return;
    if (state.view === "source" && drawer.contains(sourceLines.root) && loaded.source !== null) {
        replace(document.getElementById("source-about"), aboutSource(loaded.source, state));
        return sourceLines.show(loaded.source, { id: state.from, line: state.line });
    }
    const body = h("div.drawer-body", { id: "drawer", role: "tabpanel", tabindex: "-1", hidden: !table },
        !table ? null : state.view === "source" ? sourceView({ view: sourceLines, text: loaded.source, state }) : model ? table({ model, state, step: moment.step, other: state.view === "diff" ? other : side, releases: moment.releases, settings: moment.settings, actions }) : h("p.muted", null, loaded.problem ? "No analysis, no tables." : "Computing…"));
    const old = drawer.querySelector(".drawer-body"), scroll = old?.dataset.view === state.view ? old.scrollTop : 0;
    const across = old?.dataset.view === state.view ? old.querySelector(".scroll")?.scrollLeft ?? 0 : 0;
    body.dataset.view = state.view;
    replace(drawer, tabs("view", "drawer", VIEW_TABS, state.view, actions.view), body);
    body.scrollTop = scroll;
    if (state.view === "source" && loaded.source !== null)
        sourceLines.show(loaded.source, { id: state.from, line: state.line, anew: true });
    const wide = body.querySelector(".scroll");
    if (wide)
        wide.scrollLeft = across;
}

const PANEL_TABS = [["summary", "Summary"], ["selection", "Selection"], ["settings", "Settings"]];

function renderSide() {
    const { state } = store, { model, doc, before, summary, source } = loaded;
    const content = () => {
        if (state.panel === "settings")
            return settingsView({ state, settings: moment.settings, focus: moment.focus, filter: moment.filter, actions });
        if (loaded.problem)
            return [diagram.svg && problemView(loaded.problem, { source, name: summary?.name, again: actions.again }), summaryView({ findings: loaded.findings, summary, source, state, actions })];
        if (!model)
            return h("p.muted", null, "Computing…");
        return state.panel === "selection" ? selectionView({ model, other: compared(), state, actions }) : summaryView({ model, before, summary, source, state, releases: moment.releases, actions });
    };
    const old = side.querySelector(".side-body"), scroll = old?.dataset.panel === state.panel ? old.scrollTop : 0;
    const body = h("div.side-body", { id: "panel", role: "tabpanel", tabindex: "-1", "data-panel": state.panel }, content());
    replace(side, tabs("panel", "panel", PANEL_TABS, state.panel, actions.panel), body);
    body.scrollTop = scroll;
    if (moment.focus && state.panel === "settings")
        document.getElementById(`set-${moment.focus}`)?.focus();
}

function renderAll() {
    renderHeader();
    if (!store.state.id) {
        if (store.state.place === "library" && !moment.startProblem)
            return replace(main, libraryView({ library, state: store.state, actions: { ...library.actions, home: actions.home } }));
        const pasted = document.getElementById("paste")?.value; // what was refused can be mended
        replace(main, startView({ examples: moment.examples, actions, problem: moment.startProblem, pasted }));
        return;
    }
    if (work.parentNode !== main)
        main.replaceChildren(work);
    const less = store.state.detail === "less";
    replace(diagram.extra, h("button.icon", { type: "button", id: "fold", "data-key": "fold", "aria-pressed": String(less), title: "Fold what is alike, hide bus ids ( f )", "aria-label": "Fold what is alike, hide bus ids", onclick: () => actions.detail(less ? "all" : "less") }, "≡"));
    replace(diagram.above, crumbs(loaded.model, store.state, actions));
    renderDrawer();
    renderSide();
    if (loaded.problem && !diagram.svg)
        diagram.say(problemView(loaded.problem, { source: loaded.source, name: loaded.summary?.name, again: actions.again }));
    mark();
}

store.subscribe((state, changed) => {
    if (changed.has("graph") || changed.has("channel"))
        moment.step = -1;
    if (changed.has("id") || changed.has("release") || changed.has("hosts") || changed.has("settings")) {
        renderAll();
        if (changed.has("id") && pictured.key) {
            pictured.key = "";
            diagram.say("Drawing…");
        }
        load();
        loadOther();
        loadSettings();
        if (!state.id && state.place === "library")
            library.load();
        return;
    }
    if (!state.id && state.place === "library" && (changed.has("place") || changed.has("q") || changed.has("id")))
        library.load();
    if (changed.has("against"))
        loadOther();
    renderAll();
    loadSource();
    draw();
});

/* ---- what the whole page needs once */

async function loadSettings() {
    const { release } = store.state;
    if (moment.settingsOf === release)
        return;
    moment.settingsOf = release;
    try {
        moment.settings = readSettings(await api.settings(release));
    } catch {
        moment.settings = [];
    }
    if (store.state.id)
        renderSide();
}

const quietly = (promise, otherwise) => promise.catch(() => otherwise);

async function start() {
    theme.start(() => {
        renderHeader();
        draw();
    });
    renderAll();
    if (!store.state.id && store.state.place === "library")
        library.load();
    load();
    loadOther();
    loadSettings();
    const [releases, examples] = await Promise.all([quietly(api.releases(), []), quietly(api.examples(), [])]);
    moment.releases = readReleases(releases);
    moment.examples = examples;
    const list = document.getElementById("examples");
    if (list)
        replace(list, exampleList(examples, actions));
    else
        renderAll();
}

listenToKeys({ store, loaded, moment, actions });
listenToDrops(actions);
document.querySelector("[data-skip]").addEventListener("click", (event) => {
    event.preventDefault();
    (store.state.id ? diagram.canvas : main.querySelector("button")).focus();
});

start();
