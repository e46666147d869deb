// SPDX-License-Identifier: Apache-2.0
/* The drawing: a picture of the service that people can move, with devices to select, paths lit on it and channels
 * drawn over it. It is made once and lives as long as the page. */
import { arrows } from "../arrows.js";
import { button, h, s } from "../dom.js";
import { Fingers } from "../fingers.js";
import { bandOf } from "../lanes.js";
import { extent, ownPicture, picture, titleOf } from "../picture.js";
import { fit, grown, pan, reshape, write, zoom } from "../viewport.js";
import { badge } from "./badge.js";
import { Labels } from "./labels.js";
import { weights } from "./weights.js";

const MANY = 12; // a number of links between CPUs that is too large to look at
const NEAR = 1.6; // pixels a unit, above which a ring over trays is shown device by device
const BADGES_AT = [0.2, 0.5, 0.8]; // of a link's length: where it is farthest from the link's text
// units from the device: the rest of a link to an NVSwitch lies on those of other devices
const ON_A_BUS = [12, 22, 32];
// pixels a unit at which all is shown, if there is room for more: texts about as large as the page's own
const LARGEST = 1.6;
const AHEAD = 0.5; // of the part in sight, drawn on each side of it: diagram.css says so too
const FAR = 80, // pixels of a tile's width, below which it has its name alone, and below which not even that
    TINY = 24;
const WHEEL = 1.0018,
    BUTTON = 1.4,
    KEY_STEP = 0.08;

/* A word on that edge of a device which faces the band. */
function tagOf({ text }, at, band) {
    if (!at) return null;
    const below = at.y > band.y;
    return s(
        "text",
        { class: "tag", x: at.x, y: below ? at.y - at.h / 2 - 3 : at.y + at.h / 2 + 9 },
        text,
    );
}

export class Diagram {
    /** onSelect(id, extend): a device was chosen; extend: as the end of a path. A second drawing has a suffix to its
     * ids. */
    constructor(onSelect, suffix = "") {
        this.onSelect = onSelect;
        this.canvas = h("div.canvas", {
            id: `canvas${suffix}`,
            tabindex: "0",
            role: "application",
            "aria-label":
                "Drawing of the machine. Arrow keys move it, plus and minus zoom, 0 shows all; Tab or Page Down " +
                "goes to its devices, arrow keys from one to the next.",
            onkeydown: (event) => this.#key(event),
            onwheel: (event) => this.#wheel(event),
        });
        this.message = h("div.waiting", "");
        this.caption = h("p.caption", "");
        const tool = (label, title, act) =>
            button(null, label, act, { class: "icon", title, "aria-label": title });
        this.plane = h("div.plane", this.canvas, this.message);
        this.extra = h("span");
        this.above = h("div.above");
        this.root = h("div.stage", { id: `stage${suffix}`, tabindex: "-1" }, [
            this.above,
            this.plane,
            h("div.tools", { role: "group", "aria-label": "Drawing" }, [
                tool("+", "Zoom in", () => this.#zoom(BUTTON)),
                tool("−", "Zoom out", () => this.#zoom(1 / BUTTON)),
                tool("Fit", "Show all", () => this.fit()),
                this.extra,
            ]),
            this.caption,
        ]);
        this.svg = null;
        this.note = ""; // the picture's own caption
        this.less = false;
        new Fingers(this.canvas, {
            ready: () => this.svg !== null,
            began: () => this.canvas.classList.add("moving"),
            moved: (dx, dy) => this.#slide(this.#moved(dx, dy)),
            spread: (dx, dy, factor, fx, fy) => {
                this.#look(this.#moved(dx, dy));
                this.#zoom(factor, fx, fy);
            },
            lifted: () => {
                this.canvas.classList.remove("moving");
                if (this.svg && this.box !== this.drawn) this.#look(this.box);
            },
            chosen: (device, shift) => this.onSelect(device?.id ?? "", shift),
        });
        this.window = { w: 1, h: 1 };
        new ResizeObserver(() => this.#resized()).observe(this.plane);
    }

    /** Takes a picture's text; keep: the part that is shown stays (another theme of the same picture). tiles: {places,
     * tile} of a picture of many, of which only those in sight are drawn, and in full only at a close zoom. */
    show(text, keep, tiles = null) {
        /** @type {any} */
        const svg = tiles ? ownPicture(text) : picture(text),
            box = svg.viewBox.baseVal;
        const whole = box?.width
            ? { x: box.x, y: box.y, w: box.width, h: box.height }
            : {
                  x: 0,
                  y: 0,
                  w: parseFloat(svg.getAttribute("width")) || 100,
                  h: parseFloat(svg.getAttribute("height")) || 100,
              };
        svg.removeAttribute("width");
        svg.removeAttribute("height");
        svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
        svg.setAttribute("role", "group");
        svg.querySelector("g.graph > g > a > polygon")?.remove(); // the background, which the page provides
        const before = this.svg && this.size;
        this.svg = svg;
        this.whole = whole;
        this.note = "";
        this.size = tiles ? whole : this.#cropped(whole);
        svg.classList.toggle(
            "meshed",
            svg.querySelectorAll("g.edge.sys").length > MANY && !svg.querySelector("g.node.tray"),
        );
        const same =
            keep &&
            before &&
            Math.abs(this.size.w - before.w) < 1 &&
            Math.abs(this.size.h - before.h) < 1;
        this.labels = tiles ? null : new Labels(svg);
        this.tiles = tiles && {
            ...tiles,
            shown: tiles.places.map(() => true),
            detailed: new Set(),
        };
        this.groups = new Map();
        for (const group of svg.querySelectorAll("g[id]")) this.groups.set(group.id, group);
        const devices = [...svg.querySelectorAll("g.node[id*='/']")],
            links = [...svg.querySelectorAll(".view-system g.edge[id*='--']")];
        if (!tiles) for (const group of [...devices, ...links]) this.#makeDevice(group);
        for (const group of links) this.#makeReach(group);
        devices[0]?.setAttribute("tabindex", "0");
        this.overlay = s("g", { class: "overlay" });
        this.badges = s("g", { class: "badges" });
        this.badged = null;
        (svg.querySelector("g.graph") ?? svg).append(this.overlay, this.badges);
        this.message.replaceChildren();
        this.canvas.replaceChildren(svg); // complete, because changes to a shown picture cost more
        this.#look(same ? this.box : this.#whole(this.window));
    }

    /* The part of the picture below its caption; the line under the drawing replaces the caption. */
    #cropped(whole) {
        /** @type {any} */
        const graph = this.svg.querySelector("g.graph"),
            caption = graph?.querySelector("[id='note:caption']");
        this.note =
            caption && !graph.matches(".view-ring")
                ? caption.textContent.trim().split("\n").at(-1)
                : "";
        if (!this.note) return whole;
        caption.classList.add("apart");
        const box = extent(graph, "[id='note:caption']"),
            { e, f } = graph.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
        return box ? { x: box.x + e - 4, y: box.y + f - 4, w: box.w + 8, h: box.h + 8 } : whole;
    }

    /** The result of `make` on the whole picture in full detail: {svg, size}. */
    asWhole(make) {
        const { svg, whole } = this,
            away = [...svg.querySelectorAll(".away, .apart")],
            classes = svg.getAttribute("class") ?? "",
            had = away.map((one) => one.getAttribute("class"));
        /** @type {any[][]} */
        const brief = [...svg.querySelectorAll("text.brief")].map((text) => [
            text,
            text.parentNode,
        ]);
        svg.classList.remove("far", "tiny", "brief", "small");
        const { badges } = this,
            around = badges.parentNode;
        badges.remove();
        away.forEach((one) => one.classList.remove("away", "apart"));
        this.tiles?.places.forEach((_, i) => this.#detail(i));
        if (!svg.matches(".less")) brief.forEach(([text]) => text.remove());
        try {
            return make(svg, whole);
        } finally {
            around.append(badges);
            svg.setAttribute("class", classes);
            away.forEach((one, i) => one.setAttribute("class", had[i]));
            brief.forEach(([text, parent]) => parent.append(text));
        }
    }

    /** Instead of a picture: a node, such as an error, or a text. */
    say(...what) {
        this.canvas.replaceChildren();
        this.svg = null;
        this.note = "";
        this.message.replaceChildren(...what);
    }

    #makeDevice(group) {
        const title = titleOf(group);
        group.setAttribute("tabindex", "-1"); // Tab reaches one of them, see #arrive()
        group.setAttribute("role", "button");
        group.setAttribute("aria-label", title);
        for (const link of group.querySelectorAll("a")) link.replaceWith(...link.childNodes);
        const text = group.querySelector("title");
        if (text) text.textContent = title;
    }

    /* A link is a thin line, so a wider, invisible one takes the pointer. */
    #makeReach(group) {
        const path = group.querySelector("path");
        if (path) group.append(s("path", { class: "reach", d: path.getAttribute("d") }));
    }

    /* Tab returns to the device that has had the focus. */
    #arrive(device) {
        this.#inReach?.setAttribute("tabindex", "-1");
        device.setAttribute("tabindex", "0");
        device.focus();
    }

    get #inReach() {
        return this.svg.querySelector('g[role="button"][tabindex="0"]:not(.badge-at)');
    }

    /* The next device or link in the order of the drawing. */
    #next(device, by) {
        const all = [
            ...this.svg.querySelectorAll('g[role="button"][tabindex]:not(.badge-at)'),
        ].filter((group) => !group.matches(".folded, .away"));
        this.#arrive(all[(all.indexOf(device) + by + all.length) % all.length]);
    }

    /** Lights links [[from, to, type]], picks devices, and marks the narrowest link, what another answer changes and
     * what it does not have. */
    mark({ picked = [], links = [], narrowest = null, changed = null }) {
        if (!this.svg) return;
        for (const group of this.svg.querySelectorAll(".lit.narrowest"))
            // the narrowest hops of a ring stay marked
            group.classList.remove("narrowest");
        for (const group of this.svg.querySelectorAll(".picked, .lit, .changed, .only"))
            group.classList.remove("picked", "lit", "changed", "only");
        for (const [from, to, type] of changed?.links ?? [])
            for (const edge of this.#edges(from, to, type)) edge.classList.add("changed");
        for (const id of changed?.devices ?? []) this.groups.get(id)?.classList.add("changed");
        for (const id of changed?.only ?? []) this.groups.get(id)?.classList.add("only");
        for (const group of this.svg.querySelectorAll("g.node[aria-pressed]"))
            group.removeAttribute("aria-pressed");
        for (const id of picked) {
            this.groups.get(id)?.classList.add("picked");
            this.groups.get(id)?.setAttribute("aria-pressed", "true");
        }
        for (const [from, to, type] of links)
            for (const edge of this.#edges(from, to, type))
                edge.classList.add(
                    "lit",
                    ...(narrowest && narrowest[0] === from && narrowest[1] === to
                        ? ["narrowest"]
                        : []),
                );
        this.canvas.classList.toggle("lighting", links.length > 0);
    }

    /* A link is drawn once, from either end; a second link of a pair has its type after the ids. A GPU of another part
     * of a split host has no rank in this one, but is drawn as a GPU. */
    #edges(one, other, type = "") {
        const [from, to] = [one, other].map((id) =>
            this.groups.has(id) ? id : id.replace(/^DEV\//, "GPU/"),
        );
        const of = (suffix) =>
            [
                this.groups.get(`${from}--${to}${suffix}`),
                this.groups.get(`${to}--${from}${suffix}`),
            ].filter(Boolean);
        const named = of(`--${type}`),
            plain = of("");
        return named.length ? named : plain;
    }

    /** Lays arrows over the drawing, one a step {from, to}; now: the one to mark, -1 if all are alike. depth(step): its
     * generation in a tree, null if it is not a tree. tags: [{id, text}] of devices, such as the heads of NVLS. */
    draw(steps, now = -1, { depth = null, tags = [] } = {}) {
        if (!this.svg) return;
        const trayOf = (id) => {
            // the box of the tray that a device of a rack is in, or ""
            const host = /^(?!NVS)[A-Z]+\/([0-9a-f]+)-/.exec(id)?.[1],
                box = `box:tray:${parseInt(host, 16)}`;
            return this.groups.has(box) ? box : "";
        };
        const centre = (id) => this.#centre(id),
            band = steps.length ? bandOf(this.ids, centre) : null;
        this.overlay.replaceChildren(
            ...arrows(steps, now, {
                centre,
                trayOf,
                height: this.size.h,
                pixel: this.box.w / this.window.w,
                band,
                depth,
            }),
            ...(band ? tags : []).map((tag) => tagOf(tag, centre(tag.id), band)).filter(Boolean),
        );
        this.overlay.setAttribute("class", now >= 0 ? "overlay stepping" : "overlay");
        this.canvas.classList.toggle("drawn", steps.length > 0);
        this.canvas.classList.toggle("laned", Boolean(band));
        this.groups.get(band?.id)?.classList.toggle(
            "used",
            steps.some(({ to }) => to === band.id),
        );
    }

    /** What is drawn: ids of devices, links and tiles. */
    get ids() {
        return [...this.groups.keys()].filter((id) => !id.startsWith("a_"));
    }

    /** Puts a mark on each device and link that has findings, with the same size at every zoom: rows of flawedDevices()
     * and flawedLinks(). open(finding): what a click does. */
    badge(rows, open) {
        if (!this.svg || this.badged === rows) return;
        this.badged = rows;
        this.badges.replaceChildren(...rows.map((row) => this.#badge(row, open)).filter(Boolean));
    }

    #badge(row, open) {
        const at = row.node ? this.#corner(row.node) : this.#middle(row.link);
        return at && badge(row, at, open);
    }

    #corner(id) {
        const at = this.#centre(id);
        return at?.w ? { x: at.x + at.w / 2, y: at.y - at.h / 2 } : null;
    }

    #middle([from, to, type]) {
        const edge = this.#edges(from, to, type)[0],
            path = edge?.querySelector("path"),
            text = edge?.querySelector("text"),
            length = path?.getTotalLength();
        const away = (at) =>
            text ? Math.hypot(at.x - text.getAttribute("x"), at.y - text.getAttribute("y")) : 0;
        if (!path) return null;
        const bus = [from, to].some((id) => id.startsWith("NVS/")),
            device = bus && this.#centre(from.startsWith("NVS/") ? to : from),
            begin = path.getPointAtLength(0),
            last = path.getPointAtLength(length);
        const near =
            device &&
            Math.hypot(begin.x - device.x, begin.y - device.y) >
                Math.hypot(last.x - device.x, last.y - device.y)
                ? length
                : 0;
        const places = device
            ? ON_A_BUS.map((by) => Math.abs(near - Math.min(by, length / 2)))
            : BADGES_AT.map((share) => length * share);
        return places.map((at) => path.getPointAtLength(at)).sort((a, b) => away(b) - away(a))[0];
    }

    #centre(id) {
        const group = this.groups.get(id);
        const box = group?.querySelector("path, polygon, ellipse")?.getBBox();
        return box
            ? { x: box.x + box.width / 2, y: box.y + box.height / 2, w: box.width, h: box.height }
            : null;
    }

    #whole(window) {
        return fit(this.size, window, { most: LARGEST });
    }

    fit() {
        if (this.svg) this.#look(this.#whole(this.window));
    }

    #look(box) {
        this.box = this.drawn = box;
        this.svg.setAttribute("viewBox", write(grown(box, AHEAD)));
        this.svg.removeAttribute("style");
        this.canvas.style.setProperty("--px", String(box.w / this.window.w)); // size of a pixel in units of the drawing
        this.labels?.show(this.window.w / box.w, this.less);
        this.svg.classList.toggle("near", this.window.w / box.w > NEAR);
        if (this.tiles) this.#cull();
    }

    #moved(dx, dy) {
        return pan(this.box, -dx / this.window.w, -dy / this.window.h, this.size);
    }

    /* Like #look, while a finger moves: shifts the painted picture, which is painted anew when the finger is lifted or
     * its edge comes into sight. */
    #slide(box) {
        const pixels = this.window.w / box.w,
            dx = this.drawn.x - box.x,
            dy = this.drawn.y - box.y;
        if (Math.max(Math.abs(dx) / box.w, Math.abs(dy) / box.h) > AHEAD) return this.#look(box);
        this.box = box;
        this.svg.style.transform = `translate(${Math.round(dx * pixels)}px, ${Math.round(dy * pixels)}px)`;
    }

    /* Shows the tiles of the part that is drawn. */
    #cull() {
        const { places, tile, shown } = this.tiles,
            { x, y, w, h } = grown(this.box, AHEAD),
            margin = tile.w,
            scale = (tile.w * this.window.w) / this.box.w;
        this.svg.classList.toggle("far", scale < FAR);
        this.svg.classList.toggle("tiny", scale < TINY);
        places.forEach((place, i) => {
            const inSight =
                place.x > x - margin - tile.w &&
                place.x < x + w + margin &&
                place.y > y - margin &&
                place.y < y + h + margin;
            if (inSight && scale >= FAR) this.#detail(i);
            if (inSight !== shown[i]) {
                shown[i] = inSight;
                this.groups.get(`HOST/${i}`)?.classList.toggle("away", !inSight);
            }
        });
    }

    /* The text of a tile at a close zoom. */
    #detail(i) {
        const { detailed, detail } = this.tiles;
        if (detailed.has(i)) return;
        detailed.add(i);
        this.groups.get(`HOST/${i}`)?.insertAdjacentHTML("beforeend", detail(i));
    }

    #zoom(factor, fx = 0.5, fy = 0.5) {
        if (this.svg) this.#look(zoom(this.box, factor, fx, fy, this.#whole(this.window)));
    }

    #resized() {
        const before = this.window,
            after = { w: this.plane.clientWidth || 1, h: this.plane.clientHeight || 1 };
        this.window = after;
        if (!this.svg) return;
        const whole = this.#whole(before);
        if (Math.abs(this.box.w - whole.w) < 1 && Math.abs(this.box.x - whole.x) < 1) this.fit();
        else this.#look(reshape(this.box, before, after));
    }

    #key(event) {
        if (!this.svg || event.ctrlKey || event.metaKey || event.altKey) return;
        const device = event.target.closest?.("g.node, g.edge"),
            chosen = device && ["Enter", " "].includes(event.key);
        const moves = {
            ArrowLeft: [-KEY_STEP, 0],
            ArrowRight: [KEY_STEP, 0],
            ArrowUp: [0, -KEY_STEP],
            ArrowDown: [0, KEY_STEP],
        };
        const pages = { PageDown: 1, PageUp: -1 }[event.key];
        if (chosen) this.onSelect(device.id, event.shiftKey);
        else if (pages) this.#next(device ?? this.#inReach, device ? pages : 0);
        else if (device && moves[event.key]) this.#walk(device, ...moves[event.key]);
        else if (moves[event.key]) this.#look(pan(this.box, ...moves[event.key], this.size));
        else if (event.key === "+" || event.key === "=") this.#zoom(BUTTON);
        else if (event.key === "-") this.#zoom(1 / BUTTON);
        else if (event.key === "0") this.fit();
        else return;
        event.preventDefault();
    }

    /* Follows a link to the neighbour that lies most in a direction. */
    #walk(device, dx, dy) {
        if (device.matches("g.edge")) return this.#next(device, dx + dy > 0 ? 1 : -1);
        const at = this.#centre(device.id),
            drawn = [...this.groups.keys()].filter((id) => id.includes("--")),
            ends = this.tiles?.links ?? drawn.map((id) => id.split("--"));
        const linked = new Set(
            ends
                .filter(([a, b]) => a === device.id || b === device.id)
                .map(([a, b]) => (a === device.id ? b : a)),
        );
        const others = [...this.svg.querySelectorAll("g.node[tabindex]")].filter(
            (group) => group !== device && !group.matches(".folded, .away"),
        );
        const best = (groups) =>
            groups
                .map((group) => {
                    const to = this.#centre(group.id),
                        x = to ? to.x - at.x : 0,
                        y = to ? to.y - at.y : 0,
                        ahead = (x * dx + y * dy) / KEY_STEP;
                    return {
                        group,
                        ahead,
                        cost: ahead + (2 * Math.abs(x * dy - y * dx)) / KEY_STEP,
                    };
                })
                .filter(({ ahead }) => ahead > 1)
                .sort((a, b) => a.cost - b.cost)[0]?.group;
        const found = best(others.filter((group) => linked.has(group.id))) ?? best(others);
        if (found) this.#arrive(found);
        return undefined;
    }

    /** Hides the devices that folding hides, unless they are picked, and minor texts; null shows everything. */
    fold(less, picked) {
        if (!this.svg) return;
        this.less = less !== null;
        this.svg.classList.toggle("less", this.less);
        this.labels?.show(this.window.w / this.box.w, this.less);
        const away = (id) => Boolean(less?.hidden.has(id) && !picked.has(id));
        for (const [id, group] of this.groups)
            if (!id.startsWith("a_"))
                group.classList.toggle(
                    "folded",
                    id.startsWith("box:") ? away(id.slice(4)) : id.split("--").some(away),
                );
    }

    /** Writes on links how many channels use them, and shows how full they are; [] removes this. rows: of loads(). */
    weigh(rows) {
        if (!this.svg) return;
        this.weights?.remove();
        for (const edge of this.svg.querySelectorAll(".load1, .load2, .load3"))
            edge.classList.remove("load1", "load2", "load3");
        this.canvas.classList.toggle("weighed", rows.length > 0);
        this.weights = weights(rows, (row) => this.#edges(row.from, row.to, row.type));
        (this.svg.querySelector("g.graph") ?? this.svg).append(this.weights);
    }

    #wheel(event) {
        if (!this.svg) return;
        event.preventDefault();
        const at = this.canvas.getBoundingClientRect(),
            lines = event.deltaMode ? 30 : 1;
        this.#zoom(
            WHEEL ** (-event.deltaY * lines * (event.ctrlKey ? 4 : 1)),
            (event.clientX - at.left) / at.width,
            (event.clientY - at.top) / at.height,
        );
    }
}
