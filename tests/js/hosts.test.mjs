// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { hostLinks, layout, overview, shape } from "../../static/js/hosts.js";
import { index } from "../../static/js/model.js";

/* Two GPUs and two NICs a host, each GPU beside its NIC, three hosts. */
const doc = {
    hosts: 3,
    ranks: 6,
    local_ranks: 2,
    system: {
        nodes: [
            { id: "GPU/0-1", rank: 0 },
            { id: "GPU/0-2", rank: 1 },
            { id: "NET/0-0" },
            { id: "NET/0-1" },
        ],
        links: [],
    },
    paths: [0, 1].flatMap((g) =>
        [0, 1].map((n) => ({
            from: `GPU/0-${g + 1}`,
            to: `NET/0-${n}`,
            type: "PIX",
            bw: g === n ? 24 : 12,
            hops: [`NET/0-${n}`],
        })),
    ),
    graphs: [{ name: "ring", channels: 1, intra: [[0, 1]], inter: [["NET/0-0", "NET/0-1"]] }],
    channels: {
        count: 1,
        rings: [[0, 1, 2, 3, 5, 4]],
        trees: [{ up: [-1, 0, 0, 2, 2, 4] }],
        nvls: { channels: 1, heads: [0], tree: [{ up: [-1, -1, 0, -1, 0, -1] }] },
    },
};
const model = index(doc);

test("hosts, ranks a host, rails", () =>
    assert.deepEqual(shape(model), { count: 3, local: 2, rails: ["NET 0", "NET 1"] }));

test("a ring goes from host to host over the rails of the ranks at the ends", () => {
    assert.deepEqual(hostLinks(model, "ring", 0), [
        { a: 1, b: 2, from: 0, to: 1, out: 1, into: 0 },
        { a: 3, b: 5, from: 1, to: 2, out: 1, into: 1 },
        { a: 4, b: 0, from: 2, to: 0, out: 0, into: 0 },
    ]);
    assert.deepEqual(hostLinks(model, "ring", 7), []);
});

test("trees and NVLS go up; ranks beyond the last are not hosts", () => {
    assert.deepEqual(
        hostLinks(model, "tree", 0).map((row) => [row.from, row.to]),
        [
            [1, 0],
            [2, 1],
        ],
    );
    assert.deepEqual(
        hostLinks(model, "nvls", 0).map((row) => [row.from, row.to]),
        [
            [1, 0],
            [2, 0],
        ],
    );
    assert.deepEqual(hostLinks(index({ ...doc, ranks: 2, hosts: 1 }), "tree", 0), []);
});

const overlaps = (places) =>
    places.some((a, i) =>
        places.some((b, j) => j < i && Math.abs(a.x - b.x) < 116 && Math.abs(a.y - b.y) < 52),
    );

test("no two tiles overlap, from 2 to 512 hosts, in rings and trees", () => {
    for (const count of [2, 3, 8, 20, 21, 64, 512]) {
        const ring = Array.from({ length: count }, (_, i) => ({ from: i, to: (i + 1) % count }));
        const tree = Array.from({ length: count - 1 }, (_, i) => ({ from: i + 1, to: i >> 1 }));
        for (const [graph, links] of [
            ["ring", ring],
            ["tree", tree],
            ["ring", []],
            ["tree", []],
        ]) {
            const places = layout(count, graph, links);
            assert.equal(places.filter(Boolean).length, count);
            assert.ok(!overlaps(places), `${graph} of ${count} with ${links.length} links`);
        }
    }
});

test("a tree's children are below their parent, even where links form a circle", () => {
    const places = layout(4, "tree", [
        { from: 1, to: 0 },
        { from: 2, to: 0 },
        { from: 3, to: 1 },
    ]);
    assert.ok(
        places[1].y > places[0].y && places[3].y > places[1].y && places[1].y === places[2].y,
    );
    assert.equal(
        layout(2, "tree", [
            { from: 0, to: 1 },
            { from: 1, to: 0 },
        ]).filter(Boolean).length,
        2,
    );
});

test("the overview has a tile a host and marks links that change rails", () => {
    const { svg } = overview(model, "ring", 0);
    assert.equal(svg.match(/class="node host"/g).length, 3);
    assert.equal(svg.match(/<g class="edge crossing"><path d="(M[^M"]*)"/).length, 2); // one line
    assert.match(
        svg,
        /tabindex="-1" role="button" aria-label="(Host 2, ranks 4 to 5)"><title>\1<\/title>/,
        "hundreds of tiles are buttons as they are written, none is made one afterwards",
    );
});

/* Points of the links of an overview: of "M1,2C3,4 5,6 7,8" eleven along the curve. */
const curves = (svg) =>
    [...svg.matchAll(/M([-\d.,]+)C([-\d.,]+) ([-\d.,]+) ([-\d.,]+)/g)].map(([, ...points]) => {
        const [a, b, c, d] = points.map((point) => point.split(",").map(Number));
        const at = (t, i) =>
            a[i] * (1 - t) ** 3 +
            3 * b[i] * t * (1 - t) ** 2 +
            3 * c[i] * t * t * (1 - t) +
            d[i] * t ** 3;
        return Array.from({ length: 41 }, (_, i) => [at(i / 40, 0), at(i / 40, 1)]);
    });
const turns = ([ax, ay], [bx, by], [cx, cy]) =>
    Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
const cross = (one, other) =>
    one
        .slice(1)
        .some((b, i) =>
            other
                .slice(1)
                .some(
                    (d, j) =>
                        turns(one[i], b, other[j]) * turns(one[i], b, d) < 0 &&
                        turns(other[j], d, one[i]) * turns(other[j], d, b) < 0,
                ),
        );

test("no two links of a ring of 2 to 20 hosts cross, whichever rails they take", () => {
    const orders = {
        "each host enters by 0 and leaves by 1": () => [0, 1],
        "each host enters by 1 and leaves by 0": () => [1, 0],
        "hosts alternate": (host) => (host % 2 ? [1, 0] : [0, 1]),
        "hosts alternate, from 1": (host) => (host % 2 ? [0, 1] : [1, 0]),
    };
    for (const [name, order] of Object.entries(orders))
        for (let count = 2; count <= 20; count++) {
            const ring = Array.from({ length: count }, (_, host) =>
                    order(host).map((rank) => 2 * host + rank),
                ).flat(),
                rows = { ...doc, hosts: count, ranks: 2 * count, channels: { rings: [ring] } },
                lines = curves(overview(index(rows), "ring", 0).svg);
            assert.equal(lines.length, count);
            lines.forEach((one, i) =>
                lines
                    .slice(0, i)
                    .forEach((other) => assert.ok(!cross(one, other), `${count} hosts, ${name}`)),
            );
        }
});
