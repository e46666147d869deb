// SPDX-License-Identifier: Apache-2.0
/* Fits the texts of a drawing to its room. If its own texts would be too small to read, each device shows its short
 * name, as large as its tile allows, and links show their figure. */
import { s } from "../dom.js";
import { briefLink, briefNames, fitting, LEAST, SMALL } from "../legible.js";

const STEP = 1.1; // scales closer than this look alike
const BESIDE = 10; // units of the drawing
const TALLER = 2; // there is room above and below the name of a tray

export class Labels {
    less;
    brief;

    #made = null;
    #level = NaN;

    constructor(svg) {
        this.svg = svg;
        this.own = Number(svg.querySelector("g.node text")?.getAttribute("font-size")) || 10;
        this.fine =
            // for devices that matter only to people who look closely
            Number(svg.querySelector("g.node.fine text")?.getAttribute("font-size")) || this.own;
    }

    /** scale: pixels a unit of the drawing. less: devices are folded and say their short names at any scale. */
    show(scale, less) {
        const level = Math.round(Math.log(scale) / Math.log(STEP)),
            brief = this.own * scale < LEAST;
        if (level === this.#level && less === this.less && brief === this.brief) return;
        this.#level = level;
        Object.assign(this, { less, brief });
        if (brief || less) this.#made ??= this.#make(); // runs while the texts that it measures are shown
        this.svg.classList.toggle("brief", brief);
        this.svg.classList.toggle("small", scale < SMALL);
        this.svg.classList.toggle("coarse", this.fine * scale < LEAST);
        if (!brief && !less) return;
        for (const tiles of this.#made.values()) {
            const all = fitting(
                tiles.map((tile) => ({ ...tile, names: less ? tile.less : tile.names })),
                scale,
            );
            tiles.forEach(({ text }, i) => {
                text.textContent = all[i]?.text ?? "";
                if (all[i]) text.setAttribute("font-size", all[i].size.toFixed(2));
            });
        }
    }

    /* Tiles by their kind. Places are read first and texts put in afterwards: the other way round would lay all out for
     * each. */
    #make() {
        const kinds = new Map(),
            alone = Boolean(this.svg.querySelector(".view-ring, .view-tree")),
            brief = { class: "brief", "text-anchor": "middle", "aria-hidden": "true" };
        for (const group of this.svg.querySelectorAll(
            "g.node[id*='/']:not(.fine), g.node.tray, g.node.station",
        )) {
            const texts = [...group.querySelectorAll("text")],
                box = group.querySelector("path, polygon, ellipse")?.getBBox(),
                kind = group.classList[1];
            if (!texts.length || !box) continue;
            const lines = texts.map((text) => text.textContent);
            (kinds.get(kind) ?? kinds.set(kind, []).get(kind)).push({
                group,
                box: { w: box.width, h: box.height * (kind === "tray" ? TALLER : 1) },
                names: briefNames(lines, kind),
                less: briefNames(lines, kind, true),
                own: Number(texts[0].getAttribute("font-size")) || this.own,
                text: s("text", {
                    ...brief,
                    x: box.x + box.width / 2,
                    y: box.y + box.height / 2,
                    "dominant-baseline": "central",
                    fill: texts[0].getAttribute("fill"),
                }),
            });
        }
        const links = [...this.svg.querySelectorAll("g.edge text")].map((text) => {
            const x = Number(text.getAttribute("x")),
                left = x - text.getComputedTextLength() / 2,
                path = text.closest("g.edge").querySelector("path"),
                ends = path
                    ? [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())]
                    : [];
            // a text to the right of an upright line stays beside it
            const beside = ends.some((end) => left - end.x >= 0 && left - end.x < BESIDE);
            return {
                edge: text.closest("g.edge"),
                text: s(
                    "text",
                    {
                        ...brief,
                        x: beside ? left : x,
                        y: text.getAttribute("y"),
                        "text-anchor": beside ? "start" : "middle",
                        fill: text.getAttribute("fill"),
                    },
                    briefLink(text.textContent, alone),
                ),
            };
        });
        links.forEach(({ edge, text }) => edge.append(text));
        for (const tiles of kinds.values()) tiles.forEach(({ group, text }) => group.append(text));
        return kinds;
    }
}
