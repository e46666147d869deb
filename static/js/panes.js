// SPDX-License-Identifier: Apache-2.0
/* The panes of an open machine: tabs, verdict, drawing, tables and inspector. They stay, and what is in them is made
 * anew from the state. */
import { button, h, replace } from "./dom.js";
import { otherMachine } from "./log.js";
import { sectionOf, shownPanel, WITHOUT_DRAWING } from "./state.js";
import { bandwidthView } from "./views/bandwidth.js";
import { channelsView } from "./views/channels.js";
import { tabs } from "./views/frame.js";
import { hostsView } from "./views/hosts.js";
import { assumptionControls } from "./views/input.js";
import { levelsView } from "./views/levels.js";
import { logView } from "./views/log.js";
import { loggedView } from "./views/logged.js";
import { machineView } from "./views/machine.js";
import { matrixView, moveSelection } from "./views/matrix.js";
import { problemView } from "./views/problem.js";
import { selectionView } from "./views/selection.js";
import { chips, questionView } from "./views/settings.js";
import { aboutSource, sourceView } from "./views/source.js";
import { tuningView } from "./views/tuning.js";
import { verdictBody, verdictHead } from "./views/verdict.js";
import { whyView } from "./views/why.js";

const PANEL_TABS = Object.entries({ selection: "Selection", why: "Why", settings: "Question" });

/** page: what main.js made; loadSchedule(again). Gives `work`, the element of all panes, and what fills each. */
export function makePanes(page) {
    const { store, loading, moment, diagram, beside, schedule, results, sourceLines, actions } =
        page;
    const { loaded } = loading;
    /* The bodies stay and keep their scroll position; what is in them is made anew. */
    const viewTabs = h("div.view-tabs"),
        verdictTop = h("div.verdict-top"),
        verdictSide = h("div.verdict-side", { id: "verdict-body", tabindex: "-1" }),
        drawerBody = h("div.drawer-body", { id: "drawer", role: "tabpanel", tabindex: "-1" }),
        drawer = h("section.drawer", { "aria-label": "Tables" }, drawerBody);
    const sideHead = h("div.side-head"),
        sideBody = h("div.side-body", { id: "panel", role: "tabpanel", tabindex: "-1" }),
        side = h("section.side", { "aria-label": "Inspector" }, sideHead, sideBody);
    const work = h("div.work", [
        viewTabs,
        h("div.left", { id: "view" }, [
            verdictTop,
            verdictSide,
            h("div.stages", diagram.root, beside.root),
            drawer,
        ]),
        side,
    ]);

    /* A view whose code is loaded when it is first shown. */
    const later = (load, given = (context) => context) => {
        let view = null,
            loads = null;
        return (context) => {
            if (view) return view(given(context));
            loads ??= load().then(
                (loadedView) => {
                    view = loadedView;
                    renderDrawer();
                },
                () => (loads = null), // it is tried again when the view is shown again
            );
            return h("p.muted", "Loading…");
        };
    };
    const tables = {
        matrix: matrixView,
        channels: channelsView,
        tuning: tuningView,
        bandwidth: (context) => bandwidthView({ results, ...context }),
        place: later(
            async () => (await import("./views/place.js")).placeView,
            (context) => ({ placing: page.placing, ...context }),
        ),
        hosts: hostsView,
        levels: levelsView,
        logged: loggedView,
        transfers: later(
            async () => (await import("./views/transfers.js")).transfersView,
            (context) => ({
                schedule,
                ...context,
                actions: {
                    ...actions,
                    again: () => page.loadSchedule(true),
                    table: (rank) => schedule.table(rank),
                },
            }),
        ),
        diff: later(async () => (await import("./views/differences.js")).differencesView),
        compare: later(async () => (await import("./views/compare.js")).compareView),
        log: logView,
    };

    function renderDrawer() {
        const { state } = store,
            { model } = loaded,
            table = state.view === "source" ? sourceView : tables[state.view];
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
        if (
            state.view === "source" &&
            drawer.contains(sourceLines.root) &&
            loaded.source !== null
        ) {
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

    /* What was found out since the answer came. */
    const known = () => ({
        pair: store.state.with ? loading.pair.doc : null,
        log: loading.log.answer?.check,
        other:
            loading.log.answer && loaded.model
                ? otherMachine(loading.log.answer, loaded.model)
                : "",
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
                      scaling: page.scaling.shown,
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
                      which: page.scaling.which,
                  })
                : loaded.problem && verdictBody({ ...body, findings: loaded.findings }),
        );
    }

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
                        domain: model?.doc.cluster ? 0 : (model?.systems ?? 0),
                        releases: moment.releases,
                        controls: model
                            ? assumptionControls({
                                  model,
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
            button(
                "panel-hide",
                hidden ? "«" : "»",
                () => actions.panel(hidden ? "selection" : "none"),
                {
                    class: "icon",
                    title: hidden ? "Show the inspector ( z )" : "Hide the inspector ( z )",
                    "aria-label": hidden ? "Show the inspector" : "Hide the inspector",
                    "aria-expanded": String(!hidden),
                    "aria-controls": "panel",
                },
            ),
        );
        replace(sideBody, hidden ? null : content());
        if (moment.focus && panel === "settings")
            document.getElementById(`set-${moment.focus}`)?.focus();
    }

    function foldButton() {
        const less = store.state.detail === "less",
            name = "Fold identical devices, hide bus ids";
        return button("fold", "Fold", () => actions.detail(less ? "all" : "less"), {
            id: "fold",
            pressed: less,
            title: `${name} ( f )`,
        });
    }

    function renderMachine() {
        renderDrawer();
        renderVerdict();
        renderSide();
        replace(diagram.extra, foldButton());
        if (loaded.problem && !diagram.svg) page.scene.say(loaded.problem);
    }
    return {
        work,
        all: renderMachine,
        drawer: renderDrawer,
        verdict: renderVerdict,
        side: renderSide,
    };
}

/* Marks what a body shows from now on; it is read from its beginning, unless it shows the same as before, which gives
 * true. */
function settle(body, name, value) {
    if (body.dataset[name] === value) return true;
    if (body.dataset[name]) body.scrollTop = 0;
    body.dataset[name] = value;
    return false;
}
