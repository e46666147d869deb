// SPDX-License-Identifier: Apache-2.0
/* Puts the page together: the state of the URL decides what is loaded and shown; every view gets data and actions. */
import { makeActions } from "./actions.js";
import * as api from "./api.js";
import { Attached } from "./attached.js";
import { Beside } from "./beside.js";
import { Clusters } from "./clusters.js";
import { announce, replace } from "./dom.js";
import { listenToDrops } from "./drop.js";
import { handsOff, idle, unpressed, watchHands } from "./handling.js";
import { listenToKeys } from "./keys.js";
import { Fleet } from "./fleet.js";
import { Library } from "./library.js";
import { Loading } from "./loading.js";
import { newestFirst } from "./machine_types.js";
import { words } from "./model.js";
import { Majority } from "./majority.js";
import { Opening, Working } from "./opening.js";
import { makePanes } from "./panes.js";
import { Pictures } from "./pictures.js";
import { showNames, startPlace } from "./places.js";
import { Placing } from "./placing.js";
import * as lately from "./recent.js";
import { Results } from "./results.js";
import { Scaling } from "./scaling.js";
import { Scene } from "./scene.js";
import { Schedule } from "./schedule.js";
import * as shortcuts from "./shortcuts.js";
import { ASKED, question, Store } from "./state.js";
import * as theme from "./theme.js";
import { Diagram } from "./views/diagram.js";
import { tokenDialog } from "./views/dialogs.js";
import { Header, helpDialog, Rail } from "./views/frame.js";
import { readReleases } from "./views/settings.js";
import { SourceView } from "./views/source.js";
import { exampleList, faulty, faultyExample, inputList, machineTypes } from "./views/start.js";

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
    receipt: "", // files that a drop of several files opened
    refused: {}, // settings that were not taken: {name: {why, text}}
    log: null,
    results: null,
}; // state that no address contains
const main = document.getElementById("main");
const working = new Working(() => actions.stop());
const renderAll = unpressed(renderNow);
const loading = new Loading(store, {
    busy: (by) => working.add(by),
    asked: () => scene.draw(),
    arrived,
    changed: renderAll,
    later: renderSoon,
    missing: (error) => (
        lately.forget(store.state.id),
        store.state.machine ? store.replace({ id: "" }) : opening.fail(error, null, "")
    ),
});
const { loaded } = loading;
const diagram = new Diagram((id, extend) => actions.choose(id, extend));
/* Tables and what they mark on the drawing. */
const renderTables = unpressed(() => {
    panes.drawer();
    scene.mark();
});
const schedule = new Schedule(() => store.state.view === "transfers" && renderTables());
const results = new Results(store, { busy: (by) => working.add(by), changed: renderAll });
const placing = new Placing(store, { busy: (by) => working.add(by), changed: renderTables });
/** @type {any} what needs most of the others finds them here */
const page = { store, loading, moment, diagram, schedule, results, placing };
const scene = (page.scene = new Scene(page));
const scaling = new Scaling(
    store,
    unpressed(() => store.state.id && panes.verdict()),
);
const beside = new Beside({ store, loading });
const opening = new Opening({
    store,
    loaded,
    moment,
    working,
    shown: renderAll,
    refused: (problem) => {
        loading.pair.problem = problem;
        panes.drawer();
    },
});
const sourceLines = new SourceView((id) =>
    store.set({ from: id, to: "", line: 0, panel: "selection" }),
);
const help = helpDialog(),
    library = new Library(store, () => !store.state.id && renderAll()),
    fleet = new Fleet(store, () => !store.state.id && renderAll()),
    majority = new Majority(store, () => !store.state.id && renderAll());
const attached = new Attached(store, {
    shown: (kind) => (kind === "log" ? loading.log : results),
    open: (kind, blob, name) =>
        kind === "log" ? loading.checkLog(blob, name) : results.open(blob, name),
    damaged: (kind) => announce(`The ${kind} of this link cannot be read: it was cut`),
});
const clusters = new Clusters(store, () => !store.state.id && renderAll());
Object.assign(page, { library, opening, help, sourceLines, attached, beside, scaling });
Object.assign(page, { stepped: renderTables, loadSchedule });
const actions = (page.actions = makeActions(page));
const rail = new Rail(document.getElementById("rail"), actions, () => ({
    theme: theme.current(),
    shortcuts: shortcuts.on(),
}));
const header = new Header(document.getElementById("header"), working.root, actions);
const panes = (page.panes = makePanes(page));
api.onTokenNeeded(tokenDialog);

function arrived() {
    moment.step = -1;
    scene.analysed();
    loading.explanation();
    placing.load(loaded.model);
    if (store.state.view === "verdict") scaling.load(loaded.model);
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

/* Steps that read positions come before steps that move things, and the step that measures the drawing comes last, so
 * that the page is laid out only once. */
function renderNow() {
    if (store.state.id) {
        if (panes.work.parentNode !== main) main.replaceChildren(panes.work);
        panes.all();
    } else {
        replace(
            main,
            startPlace({ store, moment, clusters, fleet, library, majority, pictures, actions }),
        );
    }
    showNames({ store, loading, clusters, rail, header });
    beside.show();
    if (store.state.id) scene.mark();
}

/* Answers that nobody waits for are shown together, once the browser has nothing else to do and nobody presses
 * anything. */
let soon = null;
function renderSoon() {
    soon ??= idle()
        .then(handsOff)
        .then(() => {
            soon = null;
            renderNow();
        });
    return soon;
}

/* What fills the page without a machine, and what it is loaded by. */
const PLACES = {
    library: { load: () => library.load(), by: words("place q") },
    fleet: { load: () => fleet.load(), by: words("place q verdict days expect node") },
    set: { load: () => majority.load(), by: words("place set") },
    clusters: {
        load: () => clusters.load(),
        by: words("place cluster groups graph channel tab against from"),
    },
};
const shownPlace = () => (store.state.id ? null : PLACES[store.state.place]);

store.subscribe((state, changed) => {
    const asked = ["id", ...ASKED].some((name) => changed.has(name));
    if (changed.has("graph") || changed.has("channel")) moment.step = -1;
    loading.pairing();
    if (changed.has("id")) {
        schedule.forget();
        placing.forget();
        scaling.forget();
    }
    if (!asked && state.view === "verdict") scaling.load(loaded.model);
    loadSchedule();
    placing.load(asked ? null : loaded.model);
    results.prediction();
    const place = shownPlace();
    if (place && (asked || place.by.some((name) => changed.has(name)))) place.load();
    else if (state.place === "clusters" && place && clusters.one) clusters.transfers();
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
    shownPlace()?.load();
    const answer = loading.analysis();
    loading.comparison();
    loading.pairing();
    loadSchedule();
    results.prediction();
    if (store.state.id) {
        // its answer comes before lists to choose from, unless it takes a long time
        await Promise.race([answer, new Promise((done) => setTimeout(done, LISTS_AFTER))]);
        await idle();
    }
    loading.settingsOfRelease();
    const [releases, examples, inputs, machines] = await Promise.all([
        quietly(api.releases(), {}),
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
/* The first links of the page skip to the content. */
const skips = {
    drawing: () => (store.state.id ? diagram.canvas : main.querySelector("button")),
    tables: () => panes.work.querySelector('.view-tabs [role="tab"][tabindex="0"]'),
    panel: () => panes.work.querySelector('.side [role="tab"][tabindex="0"]'),
};
for (const link of document.querySelectorAll("[data-skip]"))
    link.addEventListener("click", (event) => {
        event.preventDefault();
        skips[link.dataset.skip]()?.focus();
    });

start();
