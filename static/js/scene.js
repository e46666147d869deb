// SPDX-License-Identifier: Apache-2.0
/* Draws what the state asks for: chooses the picture, and what to mark on it. */
import * as api from "./api.js";
import {
    channelCount,
    channelOrder,
    channelSteps,
    drawnAlone,
    linksOf,
    loads,
} from "./channels.js";
import { findChange, marksOf } from "./compare.js";
import { folded } from "./detail.js";
import { linksOfFinding } from "./diagnosis.js";
import { h, replace } from "./dom.js";
import { Drawn } from "./drawn.js";
import { overview, shape } from "./hosts.js";
import { marksOfChannel, marksOfMachine } from "./marks.js";
import { hops, shortName } from "./model.js";
import { placeMarks, placeRows, shownRow } from "./place.js";
import { calledText, findRow, marksOfPair } from "./pairs.js";
import { question } from "./state.js";
import * as theme from "./theme.js";
import { transferStep } from "./transfers.js";
import { problemView } from "./views/problem.js";

/* A provider's file: nothing can be drawn until NCCL, or a machine type, fills it in. */
const withoutGpus = (problem, summary) => problem.status === 422 && summary?.machine?.gpus === 0;
const chooseType = () => document.getElementById("assume")?.focus();

const MANY = 100; // devices

export class Scene {
    page;

    /** page: what main.js made. */
    constructor(page) {
        this.page = page;
        this.drawn = new Drawn(page.diagram);
    }

    /** What is asked of the server: a view, and a channel. local: the page draws it itself. */
    get wanted() {
        const { view, layout, graph, channel, hosts } = this.page.store.state,
            { model } = this.page.loading.loaded;
        if (view === "hosts" && (model ? shape(model).count : hosts) > 1)
            return { view: "hosts", channel: `${graph}${channel}`, local: true };
        const alone = view === "channels" && layout === "alone" ? drawnAlone(graph) : "";
        return alone
            ? { view: alone, ...(alone === "collnet_direct" ? {} : { channel }) }
            : { view: "system" };
    }

    /** Another machine was opened, so what was drawn is of no use. */
    forget() {
        if (this.drawn.key) this.page.diagram.say("Drawing…");
        this.drawn.take("");
    }

    /** The overview of hosts is made from the analysis, and made anew for a new one. */
    analysed() {
        if (this.drawn.key.includes("#hosts")) this.drawn.take("");
    }

    async draw() {
        const { store, diagram, loading } = this.page,
            { loaded } = loading,
            { wanted } = this,
            { id } = store.state,
            asks = question(store.state),
            colours = theme.current();
        const key = `${id}?${asks}#${wanted.view}${wanted.channel ?? ""}@${colours}`;
        if (!id || this.drawn.key === key) return this.mark();
        if (wanted.local) {
            if (!diagram.svg) diagram.say("Drawing…");
            if (!loaded.model) return this.drawn.take("");
            const picture = overview(loaded.model, store.state.graph, store.state.channel);
            diagram.show(picture.svg, true, picture);
            this.drawn.take(key);
            return this.mark();
        }
        const options = { ...wanted, theme: colours };
        await this.drawn.draw(
            key,
            async (signal) => [await api.diagram(id, asks, options, signal)],
            {
                then: () => this.mark(),
                failed: (error) => {
                    this.say(loaded.problem ?? api.drawingProblem(error));
                    this.page.panes.side();
                },
            },
        );
    }

    /** A problem in the place of the drawing. */
    say(problem) {
        const { source, summary } = this.page.loading.loaded;
        this.page.diagram.say(
            problemView(problem, {
                source,
                name: summary?.name,
                again: this.page.actions.again,
                choose: withoutGpus(problem, summary) ? chooseType : null,
            }),
        );
    }

    /** Selection, channel, differences and loads on the drawing. */
    mark() {
        const { diagram } = this.page,
            { model } = this.page.loading.loaded,
            { from, to, view, layout, graph, detail, host } = this.page.store.state,
            { diff } = this.page.loading.other;
        if (!model || !diagram.svg) return this.#caption("");
        const path = to && model.paths.get(`${from}>${to}`),
            slowest = path && hops(model, path).find((row) => row.narrowest);
        const transfer =
            view === "transfers"
                ? transferStep(
                      model,
                      this.page.schedule.doc,
                      this.page.store.state.rank,
                      this.page.store.state.round,
                  )
                : null;
        const steps = transfer
                ? [transfer]
                : view === "channels" && layout === "machine"
                  ? this.#steps(model)
                  : [],
            at = transfer ? 0 : this.page.moment.step,
            now = steps[at];
        // each is a line to the same switch, which the links already show
        const fanned = model.nodes.size > MANY && steps.some((one) => one.to.startsWith("NVS/"));
        const lit = this.#lit(model),
            links = lit
                ? lit.links
                : fanned && !now
                  ? steps.flatMap((one) => linksOf(model, one.from, one.to))
                  : now
                    ? linksOf(model, now.from, now.to)
                    : to
                      ? linksOf(model, from, to)
                      : [];
        const less =
            detail === "less" && this.wanted.view === "system" && view !== "hosts"
                ? folded(model)
                : null;
        const pair = view === "compare" ? this.page.loading.pair.doc : null,
            chosen =
                pair && this.page.store.state.row ? findRow(pair, this.page.store.state.row) : null;
        const changed = pair
            ? marksOfPair(model, pair, chosen, "a")
            : diff && ["diff", "matrix", "channels"].includes(view)
              ? marksOf(
                    model,
                    diff,
                    view === "diff" ? findChange(diff, this.page.store.state.change) : null,
                )
              : null;
        const set = view === "place" ? this.#placed() : null;
        diagram.fold(less, new Set([from, to, ...(set?.devices ?? [])]));
        diagram.badge(this.#flawed(model), this.page.actions.finding);
        diagram.weigh(view === "channels" && layout === "load" ? loads(model, graph) : []);
        diagram.mark({
            picked:
                view === "hosts"
                    ? [`HOST/${host}`]
                    : set
                      ? set.devices
                      : lit
                        ? lit.devices
                        : [from, to].filter(Boolean),
            links,
            narrowest: slowest ? [slowest.from, slowest.to] : null,
            changed,
        });
        diagram.draw(
            fanned && !now
                ? steps.filter((one) => ![one.from, one.to].some((id) => id.startsWith("NVS/")))
                : steps,
            at,
            transfer || !steps.length ? {} : this.#order(model),
        );
        if (this.page.moment.extending && from && !to)
            return this.#caption("Click the device at the other end of the path.");
        if (lit)
            return this.#caption(
                `${lit.title}: ${
                    lit.devices.length
                        ? "the device and its link are lit"
                        : "no device of the drawing is named"
                }.`,
            );
        if (set)
            return this.#caption(
                `GPUs ${set.row.gpus.join(", ")}${set.row.nics.length ? ` and ${set.row.nics.join(", ")}` : ""} ` +
                    `are marked.`,
            );
        this.#caption(
            now
                ? `${now.a} → ${now.b}: ${links.length ? `${links.length} links lit` : "no path inside this host"}`
                : path
                  ? `${shortName(model, from)} → ${shortName(model, to)}: ` +
                    `${path.type}${slowest ? ", the thick segment is the bottleneck" : ""}`
                  : pair
                    ? `Dashed: differs from ${calledText(pair.b)}. Crossed: only this one has it.`
                    : steps.length
                      ? `Arrows show who sends to whom; a step lights the links it uses.${
                            changed ? " Dashed: the other release differs." : ""
                        }`
                      : less
                        ? `Bus ids are hidden${
                              less.blocks
                                  ? `, and the NICs of ${less.blocks} ` +
                                    `block${less.blocks > 1 ? "s" : ""} like another`
                                  : ""
                          }.`
                        : diagram.note.split(" · ").slice(1).join(" · "),
        );
    }

    /* The devices and links of the chosen finding; null if none is chosen. */
    #lit(model) {
        const finding =
            this.page.store.state.finding &&
            (model.doc.findings ?? []).find(({ id }) => id === this.page.store.state.finding);
        return finding
            ? {
                  title: finding.title,
                  devices: finding.places.map(({ node }) => node).filter(Boolean),
                  links: linksOfFinding(model, finding),
              }
            : null;
    }

    /* Gives the same rows for the same analysis and picture, which are marked once. The overview of hosts has no
     * devices. */
    #flawed(model) {
        const { view } = this.wanted,
            { svg } = this.page.diagram;
        if (this.flawed?.model !== model || this.flawed.svg !== svg)
            this.flawed = {
                model,
                svg,
                rows:
                    view === "system"
                        ? marksOfMachine(model)
                        : view === "hosts"
                          ? []
                          : marksOfChannel(model, this.page.diagram.ids),
            };
        return this.flawed.rows;
    }

    /* The set of GPUs to show, and its devices. */
    #placed() {
        const { model, network } = this.page.loading.loaded,
            rows = this.page.placing.answer ? placeRows(this.page.placing.answer) : [],
            row = shownRow(rows, this.page.store.state.pick);
        return (
            row && {
                row,
                devices: placeMarks(
                    network ?? model,
                    (network ?? model).doc.summary?.net_names ?? {},
                    row,
                ),
            }
        );
    }

    /* What the drawing shows besides the steps: a tree's generations and root, or the heads of NVLS. */
    #order(model) {
        const { graph, channel, host } = this.page.store.state;
        return channelOrder(model, graph, channel, host);
    }

    #steps(model) {
        const { graph, channel, host } = this.page.store.state;
        return channelSteps(model, graph, Math.min(channel, channelCount(model, graph) - 1), host);
    }

    #caption(text) {
        replace(
            this.page.diagram.caption,
            text && h("span", text[0].toUpperCase() + text.slice(1)),
        );
    }
}
