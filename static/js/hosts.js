// SPDX-License-Identifier: Apache-2.0
/* Several hosts in one communicator, seen from above: who sends to whom between hosts in a channel, over which rail.
 * All hosts have the same devices; a rail is what the NIC of one number is connected to on every host. Pure functions
 * over the index of an analysis. */
import { upOf } from "./channels.js";
import { shortName } from "./model.js";

/** Hosts of the communicator, the rails, and how many ranks a host has. */
export function shape(model) {
    const local = model.doc.local_ranks || model.gpus.length || 1;
    return {
        count: Math.max(1, Math.round((model.doc.ranks ?? local) / local)),
        local,
        rails: model.nets.map((node) => shortName(model, node.id)),
    };
}

/* The rail of a rank: its place among the NICs, by the search's channels if they say it, else its best NIC; -1 if there
 * is none. */
function railOfRank(model) {
    const rails = new Map(),
        place = new Map(model.nets.map((node, i) => [node.id, i]));
    for (const graph of model.doc.graphs ?? [])
        (graph.inter ?? []).forEach(([entry, exit], c) => {
            const order = graph.intra?.[c] ?? [];
            for (const [rank, net] of [
                [order[0], entry],
                [order.at(-1), exit],
            ])
                if (
                    rank !== undefined &&
                    graph.name === "ring" &&
                    place.has(net) &&
                    !rails.has(rank)
                )
                    rails.set(rank, place.get(net));
        });
    return (rank) => {
        if (!rails.has(rank)) {
            const from = model.gpuOfRank.get(rank),
                paths = model.nets
                    .map((node) => model.paths.get(`${from}>${node.id}`))
                    .filter(Boolean);
            const best = paths.sort((a, b) => b.bw - a.bw || a.hops.length - b.hops.length)[0];
            rails.set(rank, best ? place.get(best.to) : -1);
        }
        return rails.get(rank);
    };
}

/** What a channel sends between hosts: [{a, b, from, to, out, into}], a and b ranks, from and to hosts, out and into
 * rails. In a tree each link goes up; in a ring they follow one another from host 0. */
export function hostLinks(model, graph, channel) {
    const { local, count } = shape(model),
        channels = model.doc.channels ?? {},
        rail = railOfRank(model);
    const host = (rank) => Math.floor(rank / local);
    const link = (a, b) => ({
        a,
        b,
        from: host(a),
        to: host(b),
        out: rail(a % local),
        into: rail(b % local),
    });
    if (count < 2) return [];
    if (graph === "ring") {
        const ring = channels.rings?.[channel] ?? [];
        const rows = ring
            .map((a, i) => [a, ring[(i + 1) % ring.length]])
            .filter(([a, b]) => host(a) !== host(b))
            .map(([a, b]) => link(a, b));
        const first = rows.findIndex((row) => row.from === 0);
        return first > 0 ? [...rows.slice(first), ...rows.slice(0, first)] : rows;
    }
    return (upOf(channels, graph, channel) ?? []).flatMap((parent, rank) =>
        parent >= 0 && parent < local * count && host(parent) !== host(rank)
            ? [link(rank, parent)]
            : [],
    );
}

const TILE = { w: 116, h: 52 },
    GAP = { x: 30, y: 22 },
    ROUND = 20; // hosts that a ring shows as a circle

/** The place of each host: [{x, y}] of the tile's corner. A small ring is a circle, a large one runs down columns, so
 * that rails are upright lines; trees are layers. */
export const layout = (count, graph, links) =>
    graph === "ring"
        ? count <= ROUND
            ? circle(count, links)
            : columns(count, links)
        : layers(count, links);

const ringOrder = (count, links) => {
    const order = [0, ...links.map((row) => row.to)],
        seen = new Set(order);
    return [
        ...new Set([
            ...order,
            ...Array.from({ length: count }, (_, i) => i).filter((i) => !seen.has(i)),
        ]),
    ];
};

/* Clockwise. An even number has two hosts on top and two at the bottom, each with a link above it and one below. An odd
 * number has its first host alone on top, and turns the other way if the two links of that host would cross. */
function circle(count, links) {
    const radius = Math.max(90, (count * (TILE.w + 24)) / (2 * Math.PI)),
        turn = count % 2 === 0 ? -0.5 : 0,
        way = turn === 0 && links.at(-1)?.into > links[0]?.out ? -1 : 1,
        places = [];
    ringOrder(count, links).forEach((host, i) => {
        const angle = ((i + turn) / count) * 2 * Math.PI;
        places[host] = {
            x: radius * 1.5 * way * Math.sin(angle),
            y: radius * -0.75 * Math.cos(angle),
        };
    });
    return places;
}

function columns(count, links) {
    const down = Math.ceil(Math.sqrt(count * 0.9)),
        places = [];
    ringOrder(count, links).forEach((host, i) => {
        places[host] = {
            x: Math.floor(i / down) * (TILE.w + GAP.x),
            y: (i % down) * (TILE.h + GAP.y),
        };
    });
    return places;
}

/* Roots on top; below each its children side by side, every subtree as wide as its leaves. */
function layers(count, links) {
    const children = Array.from({ length: count }, () => []),
        hasParent = new Set(),
        places = [];
    for (const { from, to } of links)
        if (!hasParent.has(from)) {
            hasParent.add(from);
            children[to].push(from);
        }
    let column = 0,
        deepest = 0;
    const place = (host, depth) => {
        if (places[host]) return;
        places[host] = { depth, column: 0 };
        deepest = Math.max(deepest, depth);
        children[host].forEach((child) => place(child, depth + 1));
        const below = children[host].map((child) => places[child].column);
        places[host].column = below.length
            ? (Math.min(...below) + Math.max(...below)) / 2
            : column++;
    };
    for (let host = 0; host < count; host++) if (!hasParent.has(host)) place(host, 0);
    for (let host = 0; host < count; host++) place(host, 0);
    const rise = Math.max(TILE.h + GAP.y, (column * (TILE.w + 14)) / (2.6 * (deepest + 1)));
    return places.map((one) => ({ x: one.column * (TILE.w + 14), y: one.depth * rise }));
}

/* Links with the edges of tiles by which they leave and enter, -1 the upper and 1 the lower: those that face each other
 * if there is room between the tiles. Else both by the outer edge of the circle, or by the inner one if the link would
 * cross the one that came in there. middle: twice the height of a tile in the middle. */
function withEdges(links, places, middle) {
    const entered = new Map(), // host -> {edge, rail, from}
        rise = ({ from, to }) => places[to].y - places[from].y,
        isBeside = (row) => Math.abs(rise(row)) < TILE.h + GAP.y / 2,
        first = Math.max(
            0,
            links.findIndex((row) => !isBeside(row)),
        );
    return [...links.slice(first), ...links.slice(0, first)].map((row) => {
        const { from, to, out, into } = row,
            came = entered.get(from),
            ahead = (out - came?.rail) * (places[to].x - places[from].x) > 0,
            outer = places[from].y + places[to].y < middle ? -1 : 1,
            beside = isBeside(row);
        const side = !beside
                ? Math.sign(rise(row))
                : came?.edge === outer && (!ahead || came.from === to)
                  ? -outer
                  : outer,
            other = beside ? side : -side;
        entered.set(to, { edge: other, rail: into, from });
        return { ...row, side, other };
    });
}

/** The overview as SVG text, for the page's drawing, and its tiles, for culling: {svg, places, tile, links, detail}.
 * links: pairs of ids of tiles. detail(host): SVG text that a tile gets once somebody is near enough to read it. */
export function overview(model, graph, channel) {
    const { count, local, rails } = shape(model),
        links = hostLinks(model, graph, channel),
        places = layout(count, graph, links);
    const xs = places.map((p) => p.x),
        ys = places.map((p) => p.y),
        around = graph === "ring" && count <= ROUND ? 50 : 30, // room for links that bulge out of a circle
        min = { x: Math.min(...xs) - 30, y: Math.min(...ys) - around };
    const size = {
        w: Math.max(...xs) + TILE.w + 30 - min.x,
        h: Math.max(...ys) + TILE.h + around - min.y,
    };
    const railX = (rail) =>
            rails.length
                ? 8 + ((Math.max(0, rail) + 0.5) * (TILE.w - 16)) / rails.length
                : TILE.w / 2,
        n = (v) => Number(v.toFixed(1));
    const middle = min.y * 2 + size.h - TILE.h; // of a tile in the middle, twice
    const ends = new Set();
    const mark = (host, rail, side, inward) => {
        const { x, y } = places[host],
            at = x + railX(rail),
            edge = side > 0 ? y + TILE.h : y,
            turn = (inward ? -side : side) * 5;
        ends.add(`M${n(at - 4)},${n(edge - turn / 2)}h8l-4,${turn}z`);
        return { x: at, y: edge };
    };
    const lines = new Map(); // one path for all links that look alike, because hundreds of elements take long to show
    const line = (row) => {
        const { from, to, side, other } = row,
            a = mark(from, row.out, side, false),
            b = mark(to, row.into, other, true),
            bend = Math.max(8, Math.min(60, Math.hypot(b.x - a.x, b.y - a.y) / 3));
        const jumps = graph === "ring" && count > ROUND && side < 0,
            kind = `edge${row.out === row.into ? "" : " crossing"}${jumps ? " jump" : ""}`;
        lines.set(
            kind,
            `${lines.get(kind) ?? ""}M${n(a.x)},${n(a.y)}C${n(a.x)},${n(a.y + side * bend)} ` +
                `${n(b.x)},${n(b.y + other * bend)} ${n(b.x)},${n(b.y)}`,
        );
    };
    withEdges(links, places, middle).forEach(line);
    const ticks = rails.map((_, r) => `${r ? `m${n(railX(1) - railX(0))},-4` : ""}v4`).join("");
    const ranks = (host, to) => `${host * local}${to}${host * local + local - 1}`;
    const called = (host) => `Host ${host}, ranks ${ranks(host, " to ")}`;
    const tile = ({ x, y }, host) =>
        `<g id="HOST/${host}" class="node host" tabindex="-1" role="button" ` +
        `aria-label="${called(host)}"><title>${called(host)}</title>` +
        `<rect x="${n(x)}" y="${n(y)}" width="${TILE.w}" height="${TILE.h}" rx="4"/>` +
        `<text class="name" x="${n(x + TILE.w / 2)}" y="${n(y + 21)}">Host ${host}</text></g>`;
    const detail = (host) => {
        const { x, y } = places[host];
        return (
            `<path class="rails" d="M${n(x + railX(0))},${n(y + TILE.h - 9)}${ticks}"/>` +
            `<text class="ranks" x="${n(x + TILE.w / 2)}" y="${n(y + 35)}">ranks ${ranks(host, "–")}</text>`
        );
    };
    const svg =
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${n(min.x)} ${n(min.y)} ${n(size.w)} ${n(size.h)}">` +
        `<g class="graph hosts">` +
        [...lines].map(([kind, d]) => `<g class="${kind}"><path d="${d}"/></g>`).join("") +
        places.map(tile).join("") +
        `<path class="ends" d="${[...ends].join("")}"/></g></svg>`;
    return {
        svg,
        places,
        tile: TILE,
        detail,
        links: links.map(({ from, to }) => [from, to].map((host) => `HOST/${host}`)),
    };
}
