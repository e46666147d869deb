// SPDX-License-Identifier: Apache-2.0
/* Texts of a diagnosis: costs, causes with their consequences, the headline, the assumptions of a figure. */
import assert from "node:assert/strict";
import test from "node:test";
import { index } from "../../static/js/model.js";
import { nicsAssumed } from "../../static/js/views/input.js";
import {
    assumed,
    barOf,
    bySeverity,
    capital,
    causes,
    costBar,
    costs,
    costText,
    decidingLine,
    expected,
    flawedDevices,
    flawedLinks,
    headline,
    linksOfFinding,
} from "../../static/js/diagnosis.js";

const large = "bus bandwidth of AllReduce at 1 GiB on 2 hosts";
const cost = (now, repaired, unit = "GB/s", what = large) => ({
    now,
    repaired,
    unit,
    for: what,
    hosts: Number(/ on (\d+) host/.exec(what)?.[1] ?? 1),
    repair: "x",
});

test("a cost in words: of what, for which job; nothing; or why it is not known", () => {
    const says = (...of) => costText({ cost: cost(...of), no_cost: null });
    assert.equal(
        says(398.558807, 454.636871),
        "Costs 56 of 455 GB/s (AllReduce at 1 GiB on 2 hosts)",
    );
    assert.equal(
        costText({ cost: { ...cost(342, 399), all_repaired: 455 } }),
        "Costs 57 of 455 GB/s (AllReduce at 1 GiB on 2 hosts)",
        "one reference for all faults",
    );
    assert.equal(says(20, 240), "Costs 220 of 240 GB/s (AllReduce at 1 GiB on 2 hosts)");
    assert.equal(says(11.97, 23.96), "Costs 12 of 24 GB/s (AllReduce at 1 GiB on 2 hosts)");
    assert.equal(
        says(0, 2, "GPUs", "GPUs with GPUDirect RDMA on 2 hosts"),
        "Costs 2 of 2 GPUs with GPUDirect RDMA on 2 hosts",
    );
    assert.equal(
        says(20, 28, "pairs", "pairs of GPUs with P2P on 1 host"),
        "Costs 8 of 28 pairs of GPUs with P2P on 1 host",
    );
    assert.equal(
        says(12, 16, "channels", "channels on 1 host"),
        "Costs 4 of 16 channels on 1 host",
    );
    assert.equal(says(7, 8, "GPUs", "GPUs of the machine"), "Costs 1 of 8 GPUs of the machine");
    assert.equal(
        says(21.2, 15, "us", "time of AllReduce at 8 bytes on 1 host"),
        "Adds 6.2 µs to 15 µs (AllReduce at 8 bytes on 1 host)",
    );
    assert.equal(says(24, 24), "Costs nothing here");
    assert.equal(says(15, 21, "us"), "Costs nothing here", "a longer time is not a gain");
    assert.equal(
        costText({ cost: null, no_cost: "Orrery cannot compute it" }),
        "Cost unknown: Orrery cannot compute it",
    );
    assert.equal(costText({}), "", "a finding that nobody diagnosed");
    assert.deepEqual(
        [
            { cost: cost(1, 2) },
            { cost: cost(2, 2) },
            { cost: cost(2, 1, "us") },
            { cost: null },
            {},
        ].map(costs),
        [true, false, true, false, false],
    );
});

const row = (id, severity = "warning", follows_from = null, more = {}) => ({
    id,
    severity,
    title: id,
    detail: "",
    cost: null,
    no_cost: "x",
    follows_from,
    ...more,
});
const ids = (groups) =>
    groups.map(({ cause, consequences }) => [cause.id, ...consequences.map(({ id }) => id)]);

test("consequences are below the nearest row before them with the id of their cause, in order", () => {
    assert.deepEqual(
        ids(
            causes([row("a"), row("b", "info", "a"), row("a"), row("c", "warning", "a"), row("d")]),
        ),
        [["a", "b"], ["a", "c"], ["d"]],
    );
    assert.deepEqual(
        ids(causes([row("a"), row("b", "warning", "a"), row("c", "warning", "b")])),
        [["a", "b", "c"]],
        "what follows from a consequence follows from its cause",
    );
    assert.deepEqual(
        ids(causes([row("b", "warning", "gone"), row("a")])),
        [["b"], ["a"]],
        "without its cause a row is shown by itself",
    );
    assert.deepEqual(causes([]), []);
    assert.deepEqual(
        ids(
            causes([
                { id: "old", severity: "info" },
                { id: "older", severity: "info" },
            ]),
        ),
        [["old"], ["older"]],
    );
});

test("notes are the groups in which nothing is graver", () => {
    const { faults, notes } = bySeverity([
        row("a", "error"),
        row("b", "info", "a"),
        row("c", "info"),
        row("d", "warning", "c"),
        row("e", "info"),
    ]);
    assert.deepEqual(
        [ids(faults), ids(notes)],
        [
            [
                ["a", "b"],
                ["c", "d"],
            ],
            [["e"]],
        ],
    );
    assert.deepEqual(
        faults.map(({ severity }) => severity),
        ["error", "warning"],
    );
});

const doc = (state, findings = [], all = null) => ({
    hosts: 1,
    findings,
    summary: {
        verdict: {
            state,
            sentence: state === "healthy" ? "Healthy: nothing was found." : "It is so.",
            advice: state === "degraded" ? "Mend it." : "",
            finding: null,
            cost: all,
        },
    },
});

test("the headline says its state by a mark and a word", () => {
    const head = (...of) => {
        const { state, mark, title, sentence, advice } = headline(doc(...of));
        return [state, mark, title, sentence, advice];
    };
    assert.deepEqual(head("healthy"), ["good", "✓", "Healthy", "Nothing was found.", ""]);
    const inside = doc("healthy");
    inside.summary.verdict.sentence = "No fault inside this dump: nothing was found.";
    assert.deepEqual(
        [headline(inside).title, headline(inside).sentence],
        ["No fault inside this dump", "Nothing was found."],
    );
    assert.deepEqual(head("cannot tell"), ["open", "?", "Cannot tell", "It is so.", ""]);
    assert.deepEqual(
        head("degraded", [
            row("a", "warning", null, { cost: cost(1, 2) }),
            row("b", "warning", "a", { cost: cost(1, 2) }),
            row("c", "info"),
        ]),
        ["fault", "✗", "1 fault", "It is so.", "Mend it."],
    );
    assert.equal(
        head("degraded", [row("a", "error"), row("b", "warning", null, { cost: cost(1, 2) })])[2],
        "2 faults",
    );
    assert.equal(head("degraded")[2], "1 fault");
    const low = { verdict: "low", sentence: "87 GB/s is low." },
        measured = (state, results) => {
            const { title, measured: text } = headline(
                { summary: { verdict: { state, sentence: "Healthy: so.", advice: "" } } },
                results,
            );
            return [title, text];
        };
    assert.deepEqual(
        [measured("healthy", low), measured("cannot tell", low), measured("degraded", low)],
        [
            ["Measured bandwidth is low", low.sentence],
            ["Measured bandwidth is low", low.sentence],
            ["1 fault", low.sentence],
        ],
    );
    assert.deepEqual(measured("healthy", { verdict: "as expected", sentence: "So." }), [
        "Healthy",
        undefined,
    ]);
    assert.equal(headline({ summary: {} }), null);
    assert.equal(headline(undefined), null);
});

test("what is expected comes from what NCCL would choose; repairs are beside it", () => {
    const predictions = {
        sizes: [8, 2 ** 30],
        functions: {
            AllReduce: {
                bus_share: 2,
                ways: [
                    { algorithm: "Ring", protocol: "Simple", times: [20, 2 ** 30 / 1e5] },
                    { algorithm: "Tree", protocol: "LL", times: [5, 2 ** 30 / 1e6] },
                ],
                ranges: [
                    { from: 8, algorithm: "Tree", protocol: "LL" },
                    { from: 1024, algorithm: "Ring", protocol: "Simple" },
                ],
            },
        },
    };
    assert.deepEqual(expected({ ...doc("degraded", [], cost(100, 400)), predictions }), [
        ["AllReduce at 1 GiB", "200 GB/s bus bandwidth, Ring Simple"],
        ["AllReduce at 8 bytes", "5 µs, Tree LL"],
        ["With everything repaired", "400 GB/s (AllReduce at 1 GiB on 2 hosts)"],
    ]);
    assert.deepEqual(expected({ ...doc("healthy"), predictions }).length, 2);
    assert.deepEqual(expected(doc("healthy")), []);
});

test("a figure rests on the assumptions that touch its part", () => {
    const input = {
        assumed: [
            { what: "a", touches: ["paths", "tuning"] },
            { what: "b", touches: ["paths"] },
        ],
    };
    assert.deepEqual(
        [assumed({ input }, ["tuning"]), assumed({ input }, ["p2p"]), assumed({}, ["tuning"])],
        [["a"], [], []],
    );
});

test("a sentence begins with a capital, a name stays as it is", () => {
    assert.deepEqual(
        [
            "a port is slow",
            'gdr="0" on 1 port',
            "mlx5_0 is slow",
            "0000:5e:00.0 has x8",
            "GPU 0",
        ].map(capital),
        ["A port is slow", 'gdr="0" on 1 port', "mlx5_0 is slow", "0000:5e:00.0 has x8", "GPU 0"],
    );
});

test("devices with findings are marked once each, by the gravest; notes are not", () => {
    const row = (id, severity, ...nodes) => ({
        id,
        severity,
        places: nodes.map((node) => ({ node })),
    });
    const rows = flawedDevices([
        row("a", "warning", "NIC/0-1", "GPU/0-2"),
        row("b", "error", "NIC/0-1", "NIC/0-1"),
        row("c", "info", "CPU/0-0"),
        row("d", "warning", undefined),
    ]);
    assert.deepEqual(
        rows.map(({ node, severity, findings }) => [node, severity, findings.map(({ id }) => id)]),
        [
            ["NIC/0-1", "error", ["a", "b"]],
            ["GPU/0-2", "warning", ["a"]],
        ],
    );
});

test(
    "the links of a finding: of PCIe the one towards the CPU, of NVLink those between the GPUs that it names, " +
        "or the weakest of one",
    () => {
        const link = (a, b, type, bw) => [
            [a, b, type, bw],
            [b, a, type, bw],
        ];
        const model = index({
            system: {
                nodes: [
                    "CPU/0-0",
                    "PCI/0-1",
                    "NIC/0-2",
                    "NET/0-0",
                    "GPU/0-3",
                    "GPU/0-4",
                    "GPU/0-5",
                ].map((id, rank) => ({ id, rank })),
                links: [
                    link("CPU/0-0", "PCI/0-1", "PCI", 48),
                    link("PCI/0-1", "NIC/0-2", "PCI", 24),
                    link("NIC/0-2", "NET/0-0", "NET", 50),
                    link("GPU/0-3", "GPU/0-4", "NVL", 20),
                    link("GPU/0-3", "GPU/0-5", "NVL", 80),
                    link("PCI/0-1", "GPU/0-3", "PCI", 48),
                ].flat(),
            },
        });
        const of = (id, ...nodes) =>
            linksOfFinding(model, { id, places: nodes.map((node) => ({ node })) });
        assert.deepEqual(of("slow-link", "NIC/0-2"), [["NIC/0-2", "PCI/0-1", "PCI"]]);
        assert.deepEqual(of("shared-uplink", "PCI/0-1"), [["PCI/0-1", "CPU/0-0", "PCI"]]);
        assert.deepEqual(of("nvlink-one-sided", "GPU/0-4", "GPU/0-3"), [
            ["GPU/0-4", "GPU/0-3", "NVL"],
        ]);
        assert.deepEqual(of("nvlink-count", "GPU/0-3"), [["GPU/0-3", "GPU/0-4", "NVL"]]);
        assert.deepEqual(
            [of("gdr-off", "NET/0-0"), of("slow-link", "PCI/9-9"), of("nvlink-count")],
            [[], [], []],
        );
        const findings = [
            { id: "nvlink-count", severity: "warning", places: [{ node: "GPU/0-3" }] },
            {
                id: "nvlink-one-sided",
                severity: "error",
                places: [{ node: "GPU/0-3" }, { node: "GPU/0-4" }],
            },
            { id: "slow-link", severity: "info", places: [{ node: "NIC/0-2" }] },
        ];
        assert.deepEqual(
            flawedLinks(model, findings).map(({ link: [a, b], severity, findings: rows }) => [
                a,
                b,
                severity,
                rows.length,
            ]),
            [["GPU/0-3", "GPU/0-4", "error", 2]],
            "notes carry no mark",
        );
    },
);

test("what is assumed of NICs, from the sentence of the service", () => {
    const input = (what) => ({
        assumed: [
            { what: "something else", touches: [] },
            { what, touches: [] },
        ],
    });
    assert.deepEqual(nicsAssumed(input("8 NIC ports have 400 Gb/s, with GPUDirect RDMA")), {
        text: "8 NIC ports have 400 Gb/s, with GPUDirect RDMA",
        gbps: "400",
        gdr: true,
    });
    assert.deepEqual(
        nicsAssumed(input("1 NIC port has 10 Gb/s, without GPUDirect RDMA")).gdr,
        false,
    );
    assert.equal(nicsAssumed(input("ports are unknown")), null);
});

/* Two faults, each with its own repair, and the result of both repairs together. */
function faulty(now, gains, repaired, extra = {}) {
    const findings = gains.map((gain, i) => ({
        id: `f${i}`,
        title: `Fault ${i}`,
        severity: "warning",
        places: [{ node: `NIC/0-${i}`, device: `0000:0${i}:00.0` }],
        cost: cost(now, now + gain),
        follows_from: null,
    }));
    return {
        hosts: 2,
        system: {
            nodes: [{ id: "NIC/0-0" }, { id: "NET/0-0" }, { id: "NIC/0-1" }],
            links: [["NIC/0-0", "NET/0-0", "NET", 50]],
        },
        paths: [],
        findings,
        summary: {
            net_names: { "NET/0-0": "mlx5_0" },
            verdict: { state: "degraded", sentence: "s", advice: "", cost: cost(now, repaired) },
        },
        ...extra,
    };
}

test("one line decides: how many faults, what they cost, on how many hosts", () => {
    const line = (doc) => decidingLine(doc, headline(doc));
    assert.equal(line(faulty(342, [56, 57], 455)), "2 faults cost 25 % on 2 hosts");
    assert.equal(line(faulty(342, [56], 398)), "1 fault costs 14 % on 2 hosts");
    const slow = faulty(20, [-5], 15);
    slow.summary.verdict.cost = slow.findings[0].cost = cost(20, 15, "us", "time of AllReduce");
    assert.equal(line(slow), "1 fault adds 5 µs on 2 hosts".replace("2 hosts", "1 host"));
    const few = faulty(12, [4], 16);
    few.summary.verdict.cost = few.findings[0].cost = cost(
        12,
        16,
        "channels",
        "channels on 1 host",
    );
    assert.equal(line(few), "1 fault costs 4 of 16 channels on 1 host");
});

test("the bar of costs: parts sum to what is lost, whatever repairs share or need each other", () => {
    const bar = (...of) => costBar(index(faulty(...of)));
    assert.deepEqual(
        bar(342, [56, 57], 455).parts.map(({ device, gain }) => [device, gain]),
        [
            ["mlx5_0", 56],
            ["0000:01:00.0", 57],
        ],
        "a NIC with one port is named by it",
    );
    const sum = ({ parts, rest }) => parts.reduce((all, { share }) => all + share, rest);
    for (const [gains, repaired, rest] of [
        [[56, 57], 455, 0],
        [[10, 10], 442, 80],
        [[100, 100], 442, 0],
    ]) {
        const shown = bar(342, gains, repaired);
        assert.ok(Math.abs(sum(shown) - (repaired - 342)) < 2, JSON.stringify(shown));
        assert.ok(Math.abs(shown.rest - rest) < 1, JSON.stringify(shown));
    }
    assert.equal(costBar(index(faulty(342, [0], 342))), null, "nothing is lost");
});

test("a fault, what follows from it, and their part of the bar say the same figure", () => {
    const doc = faulty(342.27, [56.29, 56.3], 454.64),
        [first, second] = doc.findings,
        bar = costBar(index(doc)),
        said = (row, cause) => /^Costs (\S+) of /.exec(costText(row, bar, cause))[1];
    assert.deepEqual(
        bar.parts.map(({ text }) => text),
        [first, second].map((row) => said(row)),
    );
    assert.equal(
        said({ ...first, id: "x" }, second),
        "56",
        "it gains other figures than its cause",
    );
    assert.equal(said({ ...second, id: "x" }, second), bar.parts[1].text);
    const more = { ...first, cost: { ...first.cost, for: "bus bandwidth on 4 hosts" } };
    assert.equal(said(more), "56", "the bar is about another job");
});

test("the figures on the bar add up to the whole that is shown", () => {
    const said = (now, repaired, ...gains) => {
        const { texts, parts, rest } = barOf(
            { now, repaired },
            gains.map((gain) => ({ gain })),
        );
        return [texts.now, ...parts.map(({ text }) => text), ...(rest ? [texts.rest] : [])].join(
            "+",
        );
    };
    assert.equal(said(341.6, 454.7, 56.4, 56.7), "342+56+57");
    assert.equal(said(341.6, 454.7, 56.7, 56.4), "342+57+56");
    assert.equal(said(341.6, 454.7, 56.3, 56.3), "342+57+56", "what lacks is less than a percent");
    assert.equal(said(100.4, 200.6, 33.4, 33.4), "100+34+34+33", "the rest is one of the parts");
    assert.equal(said(21.62, 38.44, 8.41, 8.41), "21.6+8.4+8.4");
    assert.equal(said(57.9, 189.2, 131.3), "58+131");
    assert.equal(said(342, 442, 90, 80), "342+90+80", "gains that overlap do not add up");
});
