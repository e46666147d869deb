// SPDX-License-Identifier: Apache-2.0
/* The questions of the first screen whose answers are the service's findings. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { index } from "../../static/js/model.js";
import { NAMED, questions } from "../../static/js/questions.js";

const doc = {
    ranks: 1,
    hosts: 1,
    settings: {},
    paths: [],
    p2p: [],
    system: {
        nodes: [{ id: "GPU/0-1b000", rank: 0 }, { id: "NIC/0-5e000" }],
        links: [["NIC/0-5e000", "GPU/0-1b000", "PCI", 12]],
    },
};
const slow = {
    id: "slow-link",
    detail: "0000:5e:00.0 has x8",
    where: { node: "NIC/0-5e000" },
    places: [{ node: "NIC/0-5e000" }],
    more_places: 0,
};
const slower = (findings) =>
    questions(index({ ...doc, findings })).find((row) => row.id === "degraded");

test("a device is slower than its equals where a finding says so, and only there", () => {
    assert.equal(slower([]).tone, "good");
    assert.equal(slower([{ ...slow, id: "shared-uplink" }]).tone, "good");
    const row = slower([{ ...slow, id: "shared-uplink" }, slow]);
    assert.deepEqual(
        [row.answer, row.tone, row.patch],
        [
            "0000:5e:00.0 has x8",
            "limited",
            { view: "machine", panel: "selection", from: "NIC/0-5e000", to: "" },
        ],
    );
    assert.equal(
        slower([slow, { ...slow, id: "nvlink-count", places: [{}, {}], more_places: 3 }]).answer,
        "0000:5e:00.0 has x8; 5 more devices",
    );
    assert.deepEqual(slower([{ ...slow, where: undefined, places: [], more_places: 1 }]).patch, {
        view: "machine",
    });
});

test("the findings that it reads are in the catalogue", () => {
    const catalogue = readFileSync(new URL("../../docs/findings.md", import.meta.url), "utf8");
    for (const id of ["nvlink-count", "nvlink-one-sided", "slow-link", "port-slow"]) {
        assert.equal(slower([{ ...slow, id }]).tone, "limited", id);
        assert.ok(catalogue.includes(`[${id}](#${id})`), id);
    }
    for (const id of NAMED) assert.ok(catalogue.includes(`[${id}](#${id})`), id);
});

const verdict = (state, cost = null) => ({
    verdict: { state, sentence: "", advice: "", finding: null, cost },
});
const answer = (id, more) => questions(index({ ...doc, ...more })).find((row) => row.id === id);
const loss = {
    now: 1,
    repaired: 2,
    unit: "GB/s",
    for: "bus bandwidth of AllReduce at 1 GiB on 2 hosts",
    hosts: 2,
};

test("a mark says how good, never that something was computed: what is only a link has none", () => {
    for (const id of ["machine", "peers", "settings", "release", "log", "domain"])
        assert.equal(answer(id, {}).tone, null, id);
    assert.equal(
        slower([{ ...slow, cost: loss }]).tone,
        "fault",
        "a finding that costs something is a fault",
    );
    const off = {
        id: "flat-tree",
        severity: "warning",
        title: "No PCIe switches are visible",
        places: [],
        more_places: 0,
    };
    assert.deepEqual(
        [
            answer("credible", { findings: [off] }).tone,
            answer("credible", { findings: [{ ...off, cost: loss }] }).tone,
            answer("credible", { findings: [{ ...off, severity: "info" }] }).tone,
        ],
        ["limited", "fault", "good"],
    );
    assert.match(
        answer("credible", { findings: [off] }).answer,
        /; no PCIe switches are visible$/,
        "the mark names its finding",
    );
});

const ring = { name: "ring", channels: 2, bw_intra: 20, bw_inter: 20, channel_list: [] };

test("channels and bandwidth are as good as the verdict says, of the hosts that are shown", () => {
    const tones = (summary) =>
        ["channels", "busbw"].map(
            (id) =>
                answer(id, { ...summary, graphs: [ring], channels: { count: 2 }, predictions })
                    .tone,
        );
    assert.deepEqual(tones({ summary: verdict("healthy") }), ["good", "good"]);
    assert.deepEqual(tones({ summary: verdict("cannot tell") }), ["open", "open"]);
    assert.deepEqual(tones({ summary: verdict("degraded", loss) }), [null, "fault"]);
    assert.deepEqual(tones({ summary: verdict("degraded", loss), hosts: 2 }), ["fault", "fault"]);
    assert.deepEqual(tones({ summary: verdict("degraded", { ...loss, unit: "GPUs" }) }), [
        "limited",
        "limited",
    ]);
});

const predictions = {
    sizes: [8, 2 ** 30],
    functions: {
        AllReduce: {
            bus_share: 1,
            ways: [{ algorithm: "Ring", protocol: "Simple", times: [20, 2 ** 30 / 1000 / 240] }],
            ranges: [{ from: 8, algorithm: "Ring", protocol: "Simple" }],
        },
    },
};

test("the bandwidth of the findings is beside the one that is shown", () => {
    const text = (more) => answer("busbw", { predictions, ...more }).answer;
    assert.equal(text({}), "AllReduce 240 GB/s at 1 GiB, Ring Simple (a model, not a measurement)");
    assert.match(
        text({ summary: verdict("degraded", loss) }),
        /; because of faults 1 instead of 2 GB\/s \(AllReduce at 1 GiB on 2 hosts\)$/,
    );
    assert.match(
        text({ summary: verdict("degraded", loss), hosts: 2 }),
        /; with everything repaired 2 GB\/s$/,
    );
});

test("an answer names the assumptions of the input that it rests on, and what is assumed is not found", () => {
    const input = {
            assumed: [
                { what: "links are x16", touches: ["system.links", "tuning"] },
                { what: "switches are made up", touches: ["paths", "p2p"] },
            ],
            missing: [],
        },
        presented = {
            assumed: [
                { what: "NICs are treated as the dump lists them", touches: ["paths", "tuning"] },
            ],
            missing: [],
        };
    const row = answer("busbw", { input, predictions, summary: verdict("healthy") });
    assert.deepEqual([row.tone, row.assumes], ["assumed", ["links are x16"]]);
    assert.deepEqual(
        [answer("degraded", { input }).tone, answer("degraded", { input }).answer],
        ["open", "cannot be known from this input: its link speeds are assumed"],
    );
    assert.deepEqual(
        [
            answer("credible", { input }).tone,
            answer("credible", { input: presented }).tone,
            answer("degraded", { input: presented }).tone,
        ],
        ["open", "good", "good"],
        "how NICs are presented leaves switches and links as measured",
    );
    assert.match(
        answer("degraded", { input, findings: [slow] }).answer,
        /has x8/,
        "what the input shows is said all the same",
    );
});

test("a GPU that cannot reach the NIC that NCCL gives it is a fault; NVLS without a channel was searched for", () => {
    const system = { nodes: [{ id: "GPU/0-1b000", rank: 0 }, { id: "NET/0-0" }], links: [] },
        devs = { system, net_devs: [{ rank: 0, proxy_rank: 0, channel: 0, net: "NET/0-0" }] };
    const path = (type, bw) => [
        { from: "GPU/0-1b000", to: "NET/0-0", type, bw, hops: ["NET/0-0"] },
    ];
    assert.deepEqual(
        [
            answer("nics", { ...devs, paths: path("DIS", 0) }).tone,
            answer("nics", { ...devs, paths: path("DIS", 0) }).answer,
        ],
        ["fault", "1 GPU cannot reach the NIC that NCCL gives it"],
    );
    assert.equal(answer("nics", { ...devs, paths: path("PIX", 12) }).tone, "good");
    assert.equal(
        answer("nvls", {
            ranks: 8,
            system: {
                nodes: [{ id: "GPU/0-1b000", rank: 0, sm: 90 }, { id: "NVS/0-0" }],
                links: [],
            },
            graphs: [{ name: "nvls", channels: 0 }],
        }).answer,
        "off: the search found no channel for it",
    );
});

test("GPUDirect RDMA: the reasons are counted, and the pairs that are used decide", () => {
    const rows = [
        [0, "NET/0-0", 1],
        [0, "NET/0-1", 0],
        [0, "NET/0-2", 0],
        [0, "NET/0-3", 0],
    ].map(([rank, net, on]) => ({ rank, net, send: on, recv: on }));
    const why = rows.slice(1).map(({ rank, net }, i) => ({
        rank,
        net,
        direction: "send",
        text: i ? "It is too far." : "The NIC lacks it.",
    }));
    const more = { gdr: rows, explanations: { gdr: why } },
        says = (used) =>
            answer("gdr", {
                ...more,
                net_devs: used.map((net) => ({ rank: 0, proxy_rank: 0, net })),
            });
    assert.deepEqual(
        [says(["NET/0-0"]).tone, says(["NET/0-0"]).answer],
        [
            "good",
            "every GPU has a NIC with it; 3 of 4 pairs without: 2 because it is too far; 1 because the NIC lacks it",
        ],
    );
    assert.equal(says(["NET/0-1"]).tone, "limited");
    const far = [0, 1].map((n) => ({
        rank: 0,
        net: `NET/${n}-0`,
        send: n ? 0 : 1,
        recv: n ? 0 : 1,
    }));
    assert.equal(
        answer("gdr", { gdr: far, net_devs: [] }).answer,
        "on for the only GPU–NIC pair",
        "NICs of the other hosts of a domain do not count",
    );
});

test("what was found out since answers a question: a comparison, a log, results of nccl-tests", () => {
    const after = (id, known) => questions(index(doc), { known }).find((row) => row.id === id),
        pair = {
            b: { name: "node7" },
            summary: "The hardware differs in 2 places.",
            equal: false,
            same_decisions: false,
        };
    assert.match(after("peers", {}).answer, /^compare it/);
    assert.deepEqual(
        [after("peers", { pair }).answer, after("peers", { pair }).tone],
        ["compared with node7: the hardware differs in 2 places", "limited"],
    );
    assert.equal(
        after("peers", { pair: { ...pair, equal: true, same_decisions: true } }).tone,
        "good",
    );
    assert.match(after("log", { log: null }).answer, /needs a log of the job/);
    assert.match(
        after("log", { log: { verdict: "nothing-to-compare", agree: 0, differ: 0 } }).answer,
        /needs a log of the job/,
    );
    assert.deepEqual(
        [
            after("log", { log: { verdict: "agrees", agree: 40, differ: 0 } }).answer,
            after("log", { log: { verdict: "agrees", agree: 40, differ: 0 } }).tone,
        ],
        ["all 40 facts of the log agree with the prediction", "good"],
    );
    assert.equal(
        after("log", { log: { verdict: "differs", agree: 38, differ: 2 } }).tone,
        "limited",
    );
    const results = {
        verdict: "low",
        sentence: "87 GB/s at 1 GiB is 24 % of what this machine should give.",
    };
    assert.deepEqual(
        [
            after("busbw", { results }).answer,
            after("busbw", { results }).tone,
            after("busbw", { results }).patch,
        ],
        [
            "measured: 87 GB/s at 1 GiB is 24 % of what this machine should give",
            "fault",
            { view: "bandwidth" },
        ],
    );
    assert.match(
        after("busbw", { results: { ...results, verdict: "cannot judge" } }).answer,
        /one rank sends nothing/,
    );
});
