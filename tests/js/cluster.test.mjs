/* A cluster from above: tiles, the odd ones out, the fullest links, sentences. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { busiest, domainSentence, letter, odd, order, railSentence, ranges, sentence, tiles, used } from "../../static/js/cluster.js";

const kind = (hosts, more) => ({ hosts, host_count: hosts.reduce((sum, [from, to]) => sum + to - from + 1, 0), ...more });
const view = { hosts: 5, systems: 5, nodes: 5, order: "cyclic", host_ranks: [8, 8, 4, 8, 8], kinds: [kind([[0, 1], [3, 4]]), kind([[2, 2]])] };

test("kinds have letters", () => assert.deepEqual([0, 25, 26, 27, 52].map(letter), ["A", "Z", "AA", "AB", "BA"]));

test("every host has a tile of its kind", () => assert.deepEqual(tiles(view).map(({ host, kind: k, ranks }) => [host, k, ranks]), [[0, 0, 8], [1, 0, 8], [2, 1, 4], [3, 0, 8], [4, 0, 8]]));

test("the odd one out is at most a quarter, and there must be a majority", () => {
    assert.deepEqual(odd(view), [1]);
    assert.deepEqual(odd({ hosts: 3, kinds: [kind([[0, 1]]), kind([[2, 2]])] }), []);
    assert.deepEqual(odd({ hosts: 4, kinds: [kind([[0, 1]]), kind([[2, 3]])] }), []);
});

test("links by how full they are, NICs that carry something", () => {
    const link = (kind_, bw, link_bw) => ({ kind: kind_, from: "a", to: "b", type: "PCI", bw, link_bw });
    assert.deepEqual(busiest({ links: [link(0, 10, 40), link(1, 20, 20), link(0, 1, 0)] }).map((row) => row.share), [1, 0.25]);
    assert.equal(busiest({ links: Array.from({ length: 50 }, () => link(0, 1, 2)) }).length, 12);
    assert.deepEqual(used({ nics: [{ net: "x", channels_in: 0, channels_out: 0 }, { net: "y", channels_in: 0, channels_out: 1 }] }).map((row) => row.net), ["y"]);
});

test("sentences", () => {
    assert.match(railSentence({ hops: 0, crossing: 0 }), /No ring leaves/);
    assert.match(railSentence({ hops: 8, crossing: 0 }), /All 8 hops/);
    assert.match(railSentence({ hops: 8, crossing: 2 }), /^6 of 8 .* 2 enter/);
    assert.equal(sentence(view, { ranks: 36, summary: { channels: 1 } }), "5 hosts of 2 kinds; 36 ranks dealt out in turn on 5 nodes, 1 channel.");
    assert.match(sentence({ ...view, systems: 1 }, { ranks: 36, summary: { channels: 2 } }), /1 system after fusing/);
});

test("NVLink domains in a sentence, and hosts in ranges", () => {
    const said = { rule: "ON", text: "The hosts of a clique are one system.", line: null, crosses_cliques: false };
    assert.equal(domainSentence({ ...said, rule: "NOT_STATED" }), "");
    assert.equal(domainSentence(said), said.text);
    assert.match(domainSentence({ ...said, crosses_cliques: true }), /one system\. Cliques of one UUID talk/);
    assert.equal(domainSentence({ ...said, rule: "NOT_COMPLETED", text: "One is not.", line: 3 }), "Hosts stay apart: One is not. (hosts[3])");
    assert.equal(ranges([[0, 2], [5, 5]]), "0–2, 5");
});

test("what concerns hosts beside one another comes first", () => {
    assert.deepEqual(order([{ id: "a" }, { id: "host-differs" }, { id: "b" }]).map((row) => row.id), ["host-differs", "a", "b"]);
});
