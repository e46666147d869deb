// SPDX-License-Identifier: Apache-2.0
/* Puts the page together: the state of the URL decides what is loaded and shown; every view gets data and actions. */
import { makeActions } from "./actions.js";
import * as api from "./api.js";
import { Attached } from "./attached.js";
import { Beside } from "./beside.js";
import { clusterName } from "./cluster.js";
import { announce, h, replace } from "./dom.js";
import { listenToDrops } from "./drop.js";
import { handsOff, idle, textEntered, watchHands } from "./handling.js";
import { listenToKeys } from "./keys.js";
import * as shortcuts from "./shortcuts.js";
import { otherMachine } from "./log.js";
import { newestFirst } from "./machine_types.js";
import { Clusters } from "./clusters.js";
import { Library } from "./library.js";
import { Loading } from "./loading.js";
import { Majority } from "./majority.js";
import { Opening, Working } from "./opening.js";
import { Pictures } from "./pictures.js";
import { Placing } from "./placing.js";
import * as lately from "./recent.js";
import { Results } from "./results.js";
import { Scaling } from "./scaling.js";
import { Scene } from "./scene.js";
import { Schedule } from "./schedule.js";
import {
    ASKED,
    DEFAULTS,
    question,
    sectionOf,
    shownPanel,
    Store,
    WITHOUT_DRAWING,
} from "./state.js";
import * as theme from "./theme.js";
import { bandwidthView } from "./views/bandwidth.js";
import { channelsView } from "./views/channels.js";
import { compareView } from "./views/compare.js";
import { Diagram } from "./views/diagram.js";
import { tokenDialog } from "./views/dialogs.js";
import { differencesView } from "./views/differences.js";
import { Header, helpDialog, Rail, tabs } from "./views/frame.js";
import { hostsView } from "./views/hosts.js";
import { assumptionControls } from "./views/input.js";
import { levelsView } from "./views/levels.js";
import { libraryView } from "./views/library.js";
import { logView } from "./views/log.js";
import { loggedView } from "./views/logged.js";
import { machineView } from "./views/machine.js";
import { majorityView } from "./views/majority.js";
import { matrixView, moveSelection } from "./views/matrix.js";
import { placeView } from "./views/place.js";
import { problemView } from "./views/problem.js";
import { selectionView } from "./views/selection.js";
import { chips, questionText, questionView, readReleases } from "./views/settings.js";
import { aboutSource, SourceView, sourceView } from "./views/source.js";
import {
    exampleList,
    faulty,
    faultyExample,
    inputList,
    machineTypes,
    startView,
} from "./views/start.js";
import { transfersView } from "./views/transfers.js";
import { tuningView } from "./views/tuning.js";
import { verdictBody, verdictHead } from "./views/verdict.js";
import { whyView } from "./views/why.js";

const store = new Store(),
    pictures = new Pictures();
const moment = {
    examples: null,
    releases: [],
    machines: null,
    inputs: null,
    live: null, // the analysis of the example with faults
    step: -1,
    extending: false,
    filter: "",
    focus: "",
    startProblem: null,
    receipt: "", // what a drop of several files opened
    refused: "",
    log: null,
    results: null,
}; // what is in no address
const main = document.getElementById("main");
const working = new Working(() => actions.stop());
const loading = new Loading(store, {
    busy: (by) => working.add(by),
    asked: () => scene.draw(),
    arrived,
    changed: renderAll,
    later: renderSoon,
    missing: (error) => (
        lately.forget(store.state.id),
        store.state.machine
            ? store.set({ id: "" }, { replace: true })
            : opening.fail(error, null, "")
    ),
});
const { loaded } = loading;
const diagram = new Diagram((id, extend) => actions.choose(id, extend));
const schedule = new Schedule(() => {
    if (store.state.view === "transfers") {
        renderDrawer();
        scene.mark();
    }
});
const results = new Results(store, { busy: (by) => working.add(by), changed: renderAll });
const placing = new Placing(store, {
    busy: (by) => working.add(by),
    changed: () => {
        renderDrawer();
        scene.mark();
    },
});
const scene = new Scene({
    store,
    loading,
    schedule,
    placing,
    diagram,
    moment,
    again: () => actions.again(),
    refused: renderSide,
    opened: (finding) => actions.finding(finding),
});
const scaling = new Scaling(store, () => handsOff().then(() => store.state.id && renderVerdict()));
const beside = new Beside({ store, loading });
const opening = new Opening({
    store,
    loaded,
    moment,
    working,
    shown: renderAll,
    refused: (problem) => {
        loading.pair.problem = problem;
        renderDrawer();
    },
});
const sourceLines = new SourceView((id) =>
    store.set({ from: id, to: "", line: 0, panel: "selection" }),
);
const help = helpDialog(),
    library = new Library(store, () => !store.state.id && renderAll()),
    majority = new Majority(store, () => !store.state.id && renderAll());
const attached = new Attached(store, {
    shown: (kind) => (kind === "log" ? loading.log : results),
    open: (kind, blob, name) =>
        kind === "log" ? loading.checkLog(blob, name) : results.open(blob, name),
    damaged: (kind) => announce(`The ${kind} of this link cannot be read: it was cut`),
});
const clusters = new Clusters(store, () => !store.state.id && renderAll());
const actions = makeActions({
    store,
    loading,
    library,
    results,
    scene,
    diagram,
    moment,
    opening,
    help,
    sourceLines,
    schedule,
    attached,
    stepped: () => {
        renderDrawer();
        scene.mark();
    },
});
const rail = new Rail(document.getElementById("rail"), actions, () => ({
    theme: theme.current(),
    shortcuts: shortcuts.on(),
}));
const header = new Header(document.getElementById("header"), working.root, actions);
/* The bodies stay and keep their scroll position; what is in them is made anew. */
const viewTabs = h("div.view-tabs"),
    verdictTop = h("div.verdict-top"),
    verdictSide = h("div.verdict-side", { id: "verdict-body", tabindex: "-1" }),
    drawerBody = h("div.drawer-body", { id: "drawer", role: "tabpanel", tabindex: "-1" }),
    drawer = h("section.drawer", { "aria-label": "Tables" }, drawerBody);
const sideHead = h("div.side-head"),
    sideBody = h("div.side-body", { id: "panel", role: "tabpanel", tabindex: "-1" }),
    side = h("section.side", { "aria-label": "Inspector" }, sideHead, sideBody);
const work = h(
    "div.work",
    viewTabs,
    h(
        "div.left",
        { id: "view" },
        verdictTop,
        verdictSide,
        h("div.stages", diagram.root, beside.root),
        drawer,
    ),
    side,
);
api.onTokenNeeded(tokenDialog);

function arrived() {
    moment.step = -1;
    scene.analysed();
    loading.explanation();
    placing.load(loaded.model);
    if (store.state.view === "verdict") scaling.load(loaded.doc);
    if (loaded.summary && loaded.model)
        lately.remember({
            id: loaded.id,
            name: loaded.summary.name,
            sentence: loaded.doc.summary?.machine?.sentence,
            machine: store.state.machine,
        });
    renderAll();
    if (store.state.view === "hosts") scene.draw();
    if (loaded.model) attached.restore();
}

/* What a link to this address shows where it is pasted, as far as its reader runs scripts; index.html says the rest. */
function describePage(name, sentence, doc) {
    const text = name
        ? `${[name, sentence].filter(Boolean).join(": ")}. Paths, rings, trees and bandwidth as NCCL ` +
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

const places = { library: "Library", set: "Comparison with the majority", clusters: "Clusters" };

function renderHeader() {
    const { state } = store,
        { summary, doc } = loaded,
        isOpen = Boolean(state.id);
    const name = isOpen ? summary?.name || (summary ? state.id.slice(0, 12) : "") : "";
    const sentence = isOpen
        ? (doc?.summary?.machine?.sentence ?? summary?.machine?.sentence ?? "")
        : "";
    const cluster = state.place === "clusters" && clusters.one && clusterName(clusters.one.record);
    document.title = [
        name || (!isOpen && [cluster, places[state.place]].filter(Boolean).join(" · ")),
        isOpen && doc && `NCCL ${doc.nccl}`,
        "Orrery",
    ]
        .filter(Boolean)
        .join(" · ");
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
            domain: loaded.model?.systems ?? 0,
            assumed: doc?.input?.assumed.length ?? 0,
        }),
    });
    describePage(name, sentence, doc);
}

const TABLES = {
    matrix: matrixView,
    channels: channelsView,
    tuning: tuningView,
    bandwidth: (context) => bandwidthView({ results, ...context }),
    place: (context) => placeView({ placing, ...context }),
    hosts: hostsView,
    levels: levelsView,
    logged: loggedView,
    transfers: (context) =>
        transfersView({
            schedule,
            ...context,
            actions: {
                ...actions,
                again: () => loadSchedule(true),
                table: (rank) => schedule.table(rank),
            },
        }),
    diff: differencesView,
    compare: compareView,
    log: logView,
};

/* The rounds of the ranks around the one that is shown. */
function loadSchedule(again = false) {
    const { state } = store;
    if (state.id && state.view === "transfers")
        schedule.load(
            {
                cluster: false,
                id: state.id,
                query: question(state),
                rank: state.rank,
                round: state.round,
            },
            again,
        );
}

function renderDrawer() {
    const { state } = store,
        { model } = loaded,
        table = state.view === "source" ? sourceView : TABLES[state.view];
    drawer.classList.toggle("open", Boolean(table));
    work.dataset.view = state.view;
    work.classList.toggle("undrawn", WITHOUT_DRAWING.includes(state.view));
    const [, section, views] = sectionOf(state.view);
    replace(viewTabs, tabs("view", "view", views, state.view, actions.view, section));
    const { compared } = loading;
    if (
        state.view === "matrix" &&
        moveSelection(drawer.querySelector("#matrix"), { model, other: compared, state })
    )
        return;
    if (state.view === "source" && drawer.contains(sourceLines.root) && loaded.source !== null) {
        replace(document.getElementById("source-about"), aboutSource(loaded.source, state));
        return sourceLines.show(loaded.source, { id: state.from, line: state.line });
    }
    const across = settle(drawerBody, "view", state.view)
        ? drawerBody.querySelector(".scroll")?.scrollLeft
        : 0;
    drawerBody.hidden = !table;
    replace(
        drawerBody,
        !table
            ? null
            : state.view === "source"
              ? sourceView({ view: sourceLines, text: loaded.source, state })
              : model
                ? table({
                      model,
                      state,
                      step: moment.step,
                      other: state.view === "diff" ? loading.other : compared,
                      comparison: loading.other,
                      pair: loading.pair,
                      kept: loading.kept,
                      releases: moment.releases,
                      settings: loading.settings,
                      log: loading.log,
                      machines: moment.machines,
                      actions,
                  })
                : h("p.muted", loaded.problem ? "No analysis, no tables." : "Computing…"),
    );
    if (state.view === "source" && loaded.source !== null)
        sourceLines.show(loaded.source, { id: state.from, line: state.line, anew: true });
    if (across) drawerBody.querySelector(".scroll").scrollLeft = across;
}

/* Marks what a body shows from now on; it is read from its beginning, unless it shows the same as before, which gives
 * true. */
function settle(body, name, value) {
    if (body.dataset[name] === value) return true;
    if (body.dataset[name]) body.scrollTop = 0;
    body.dataset[name] = value;
    return false;
}

/* What was found out since the answer came. */
const known = () => ({
    pair: store.state.with ? loading.pair.doc : null,
    log: loading.log.answer?.check,
    other: loading.log.answer && loaded.model ? otherMachine(loading.log.answer, loaded.model) : "",
    results: results.answer,
});

function renderVerdict() {
    const { state } = store,
        { model, network, before, summary, source } = loaded,
        shown = state.view === "verdict";
    verdictTop.hidden = verdictSide.hidden = !shown;
    if (!shown) return;
    replace(
        verdictTop,
        model
            ? verdictHead({
                  model,
                  base: loaded.asIs?.model,
                  scaling: scaling.shown,
                  state,
                  known: known(),
                  actions,
              })
            : loaded.problem
              ? h("h2", "No analysis, no verdict")
              : h("p.muted", "Computing…"),
    );
    const body = { summary, source, state, machines: moment.machines, actions };
    replace(
        verdictSide,
        model
            ? verdictBody({
                  ...body,
                  model,
                  network,
                  before,
                  releases: moment.releases,
                  known: known(),
                  receipt: moment.receipt,
                  which: scaling.which,
              })
            : loaded.problem && verdictBody({ ...body, findings: loaded.findings }),
    );
}

const PANEL_TABS = [
    ["selection", "Selection"],
    ["why", "Why"],
    ["settings", "Question"],
];

function renderSide() {
    const { state } = store,
        { doc, model, network, before, summary, source } = loaded,
        panel = shownPanel(state);
    const content = () => {
        const problem =
            loaded.problem &&
            (diagram.svg || WITHOUT_DRAWING.includes(state.view)) &&
            problemView(loaded.problem, { source, name: summary?.name, again: actions.again });
        if (panel === "settings")
            return [
                problem,
                questionView({
                    state,
                    input: summary?.input,
                    domain: model?.systems ?? 0,
                    releases: moment.releases,
                    controls: doc?.input
                        ? assumptionControls({
                              input: doc.input,
                              machine: doc.summary?.machine,
                              state,
                              machines: moment.machines,
                              actions,
                              ids: "asked-",
                          })
                        : [],
                    settings: loading.settings,
                    focus: moment.focus,
                    filter: moment.filter,
                    refused: moment.refused,
                    actions,
                }),
            ];
        if (loaded.problem)
            return [problem, chips(state, summary?.input?.graph_file ?? 0, actions)];
        if (!model) return h("p.muted", "Computing…");
        if (panel === "why")
            return whyView({ model, state, explained: loading.explained, actions });
        return state.from
            ? selectionView({
                  model,
                  network,
                  other: loading.compared,
                  state,
                  extending: moment.extending,
                  actions,
              })
            : machineView({ model, before, source, state, actions });
    };
    const hidden = panel === "none";
    work.classList.toggle("alone", hidden);
    work.classList.toggle(
        "asked",
        state.panel !== "auto" || Boolean(state.from || state.finding || loaded.problem),
    );
    settle(sideBody, "panel", panel);
    sideBody.hidden = hidden;
    replace(
        sideHead,
        tabs("panel", "panel", PANEL_TABS, panel, actions.panel, "Inspector"),
        h(
            "button.icon",
            {
                "data-key": "panel-hide",
                title: hidden ? "Show the inspector ( z )" : "Hide the inspector ( z )",
                "aria-label": hidden ? "Show the inspector" : "Hide the inspector",
                "aria-expanded": String(!hidden),
                "aria-controls": "panel",
                onclick: () => actions.panel(hidden ? "selection" : "none"),
            },
            hidden ? "«" : "»",
        ),
    );
    replace(sideBody, hidden ? null : content());
    if (moment.focus && panel === "settings")
        document.getElementById(`set-${moment.focus}`)?.focus();
}

/* What reads positions comes before what moves things, and what measures the drawing comes last: the page is laid out
 * once. */
function renderAll() {
    if (store.state.id) renderMachine();
    else replace(main, startPlace());
    renderHeader();
    beside.show();
    if (store.state.id) scene.mark();
}

/* Answers that nobody waits for are shown together, once the browser has nothing else to do and nobody presses
 * anything. */
let soon = null;
function renderSoon() {
    soon ??= idle()
        .then(textEntered)
        .then(() => {
            soon = null;
            renderAll();
        });
    return soon;
}

const loadingView = () =>
    h("div.library.clusters", { "aria-busy": "true" }, h("p.muted", "Loading…"));

/* Without a machine. */
function startPlace() {
    const { state } = store;
    if (state.place === "set")
        return majorityView({
            majority,
            state,
            actions: { library: actions.library, majorityAgain: () => majority.load(true) },
        });
    if (state.place === "library" && !moment.startProblem)
        return libraryView({
            library,
            state,
            actions: {
                ...library.actions,
                home: actions.home,
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
    const pasted = document.getElementById("paste")?.value; // what was refused can be corrected
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
        pasted,
    });
}

function renderMachine() {
    if (work.parentNode !== main) main.replaceChildren(work);
    renderDrawer();
    renderVerdict();
    renderSide();
    replace(diagram.extra, foldButton());
    if (loaded.problem && !diagram.svg) scene.say(loaded.problem);
}

function foldButton() {
    const less = store.state.detail === "less",
        name = "Fold identical devices, hide bus ids";
    return h(
        "button",
        {
            id: "fold",
            "data-key": "fold",
            "aria-pressed": String(less),
            title: `${name} ( f )`,
            onclick: () => actions.detail(less ? "all" : "less"),
        },
        "Fold",
    );
}

store.subscribe((state, changed) => {
    const asked = ["id", ...ASKED].some((name) => changed.has(name));
    if (changed.has("graph") || changed.has("channel")) moment.step = -1;
    if (
        !state.id &&
        state.place === "library" &&
        (asked || changed.has("place") || changed.has("q"))
    )
        library.load();
    if (!state.id && state.place === "set" && (asked || changed.has("place") || changed.has("set")))
        majority.load();
    loading.pairing();
    if (changed.has("id")) {
        schedule.forget();
        placing.forget();
        scaling.forget();
    }
    if (!asked && state.view === "verdict") scaling.load(loaded.model && loaded.doc);
    loadSchedule();
    placing.load(asked ? null : loaded.model);
    results.prediction();
    if (
        !state.id &&
        state.place === "clusters" &&
        (asked ||
            changed.has("place") ||
            ["cluster", "groups", "graph", "channel", "tab", "against", "from"].some((name) =>
                changed.has(name),
            ))
    )
        clusters.load();
    else if (!state.id && state.place === "clusters" && clusters.one) clusters.transfers();
    renderAll();
    if (!state.id && state.machine && (changed.has("id") || changed.has("machine")))
        opening.asked();
    if (changed.has("id")) scene.forget();
    if (asked) {
        loading.analysis();
        loading.settingsOfRelease();
    } else {
        loading.source();
        loading.explanation();
        scene.draw();
    }
    if (asked || changed.has("against")) loading.comparison();
    if (asked) results.again();
    if (asked && loading.log.blob)
        loading.checkLog(...(loading.log.id === state.id ? [] : [null, ""]));
});

const LISTS_AFTER = 500; // ms
const quietly = (promise, otherwise) => promise.catch(() => otherwise);

async function start() {
    theme.start(() => {
        renderAll();
        scene.draw();
        clusters.redraw();
    });
    renderAll();
    if (!store.state.id && store.state.machine) opening.asked();
    if (!store.state.id && store.state.place === "library") library.load();
    if (!store.state.id && store.state.place === "set") majority.load();
    if (!store.state.id && store.state.place === "clusters") clusters.load();
    const answer = loading.analysis();
    loading.comparison();
    loading.pairing();
    loadSchedule();
    results.prediction();
    if (store.state.id) {
        // its answer comes before lists to choose from, unless it takes long
        await Promise.race([answer, new Promise((done) => setTimeout(done, LISTS_AFTER))]);
        await idle();
    }
    loading.settingsOfRelease();
    const [releases, examples, inputs, machines] = await Promise.all([
        quietly(api.releases(), []),
        quietly(api.examples(), []),
        quietly(api.inputs(), []),
        quietly(api.machines(), []),
    ]);
    moment.releases = readReleases(releases);
    Object.assign(moment, { examples, inputs, machines: newestFirst(machines) });
    document.body.dataset.lists = "here";
    const list = document.getElementById("examples");
    if (list && !moment.log && !moment.results) {
        // a log or results on the start page offer the machine types as well
        replace(list, exampleList({ ...moment, actions, pictures }));
        showExample();
        replace(document.getElementById("inputs"), inputList(inputs));
        replace(document.getElementById("machine-type"), machineTypes(moment.machines, actions));
    } else {
        renderSoon();
    }
}

/* The start page's example with faults: at once, and once its analysis is there. */
async function showExample() {
    const show = () => {
        const place = document.getElementById("see-faults");
        if (place) replace(place, faultyExample({ ...moment, pictures, actions }));
    };
    show();
    const row = faulty(moment.examples);
    if (!row || moment.live) return;
    moment.live = await quietly(
        api.example(row.file).then((dump) => api.analyze(dump, EXAMPLE_ASKS)),
        null,
    );
    if (moment.live) show();
}
const EXAMPLE_ASKS = new URLSearchParams({ hosts: "2" }); // one host uses no NIC

listenToKeys({ store, loaded, moment, schedule, actions });
listenToDrops(actions);
watchHands();
/* The first links of the page lead past what comes before. */
const skips = {
    drawing: () => (store.state.id ? diagram.canvas : main.querySelector("button")),
    tables: () => viewTabs.querySelector('[role="tab"][tabindex="0"]'),
    panel: () => side.querySelector('[role="tab"][tabindex="0"]'),
};
for (const link of document.querySelectorAll("[data-skip]"))
    link.addEventListener("click", (event) => {
        event.preventDefault();
        skips[link.dataset.skip]()?.focus();
    });

start();
