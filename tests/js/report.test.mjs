// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { anonymiser } from "../../static/js/anonymise.js";
import { index } from "../../static/js/model.js";
import { csv, markdown, matrixRows, tableOf } from "../../static/js/report.js";
import { DEFAULTS } from "../../static/js/state.js";

const A = "GPU/0-1b000",
    B = "GPU/0-1c000";
const doc = {
    nccl: "2.30.7",
    hosts: 1,
    ranks: 2,
    local_ranks: 2,
    settings: {},
    summary: { machine: { sentence: "2 GPUs" } },
    findings: [{ severity: "warning", title: "a|b", detail: "x", advice: "do" }],
    system: {
        nodes: [
            { id: A, rank: 0 },
            { id: B, rank: 1 },
        ],
        links: [
            [A, B, "NVL", 20],
            [B, A, "NVL", 20],
        ],
    },
    paths: [
        { from: A, to: A, type: "LOC", bw: 5000, hops: [] },
        { from: A, to: B, type: "NVL", bw: 20, hops: [B] },
        { from: B, to: A, type: "NVL", bw: 20, hops: [A] },
        { from: B, to: B, type: "LOC", bw: 5000, hops: [] },
    ],
    p2p: [
        { a: 0, b: 1, p2p: 1, read: 0, via: -1 },
        { a: 1, b: 0, p2p: 0, read: 0, via: -1 },
    ],
    graphs: [],
    channels: { count: 0 },
    tuning: {},
    explanations: {},
};
const model = index(doc),
    other = index({ ...doc, p2p: doc.p2p.map((row) => ({ ...row, p2p: 1 })) });

test("CSV quotes what must be quoted and runs nothing", () => {
    assert.equal(
        csv([
            ["a,b", 'say "x"', "two\nlines", 1.5, null],
            ["=1+1", "–", -3, "+x", "-x"],
        ]),
        '"a,b","say ""x""","two\nlines",1.5,\r\n =1+1,–,-3, +x, -x\r\n',
    );
});

test("the matrix as rows, before and after where it changes", () => {
    assert.deepEqual(matrixRows(model, "type"), [
        ["", "GPU 0", "GPU 1"],
        ["GPU 0", "LOC", "NVL"],
        ["GPU 1", "NVL", "LOC"],
    ]);
    assert.equal(matrixRows(model, "verdict", other)[2][1], "–→W");
});

test("each view has its table, or none", () => {
    const name = (view) =>
        tableOf({ model, other: null, state: { ...DEFAULTS, view } })?.[0] ?? null;
    assert.deepEqual(
        ["machine", "matrix", "channels", "tuning", "hosts", "diff", "source"].map(name),
        ["matrix-type", "matrix-type", "channels", "tuning", "hosts", null, null],
    );
});

test(
    "the report opens with the verdict; causes come with their cost, consequences below them, notes in " +
        "a short " +
        "list",
    () => {
        const cost = {
            now: 20,
            repaired: 240,
            unit: "GB/s",
            for: "bus bandwidth of AllReduce at 1 GiB on 1 host",
            repair: "x",
        };
        const findings = [
            {
                id: "a",
                severity: "warning",
                title: "1 link",
                detail: 'count="1" of 12',
                advice: "Reset it.",
                cost,
                no_cost: null,
                follows_from: null,
                where: { line: 7 },
            },
            {
                id: "b",
                severity: "warning",
                title: "A slow ring",
                detail: "one channel",
                advice: "Look elsewhere.",
                cost: null,
                no_cost: "Orrery cannot compute it",
                follows_from: "a",
            },
            {
                id: "c",
                severity: "info",
                title: "A note",
                detail: "so it is",
                advice: "",
                cost: null,
                no_cost: "Orrery cannot compute it",
                follows_from: null,
            },
        ];
        const input = {
            assumed: [{ what: "ports are 100 Gb/s", touches: ["tuning"] }],
            missing: [],
        };
        const summary = {
            ...doc.summary,
            verdict: {
                state: "degraded",
                sentence: "AllReduce gets 20 instead of 240 GB/s.",
                advice: "Reset it.",
                finding: "a",
                cost,
            },
        };
        const text = markdown({
            model: index({ ...doc, findings, input, summary }),
            other: null,
            state: DEFAULTS,
            summary: null,
            releases: [],
            link: "",
        });
        assert.match(
            text,
            /1 host, 2 ranks\.\n\n## Verdict: 1 fault\n\nAllReduce gets 20 instead of 240 GB\/s\.\n\nDo: Reset it\.\n/,
        );
        assert.ok(
            text.includes(
                "## Findings\n\n- **warning** 1 link: Costs 220 of 240 GB/s (AllReduce at 1 GiB on 1 host). " +
                    'count="1" of 12 (line 7). Reset it.\n  - **warning** A slow ring: Cost unknown: ' +
                    "Orrery cannot compute it. One " +
                    "channel.\n",
            ),
            text,
        );
        assert.ok(text.includes("## Notes\n\n- A note: so it is.\n"), text);
        assert.ok(text.includes("## Assumed about the input\n\n1. Ports are 100 Gb/s.\n"), text);
        assert.match(text, /\| Slower than its equals \| good \|/);
    },
);

test(
    "the report tells machine, findings, answers and the selected path, and is Markdown whatever the texts " +
        "hold",
    () => {
        const text = markdown({
            model,
            other: null,
            state: { ...DEFAULTS, from: A, to: B },
            summary: { name: "node <17>" },
            releases: [],
            link: "http://x/#id=1",
        });
        assert.match(text, /^# node &lt;17> as NCCL 2\.30\.7 sees it/);
        assert.match(text, /\*\*warning\*\* a\\\|b/);
        assert.match(text, /## GPU 0 to GPU 1\n\nNVL, 20 GB\/s\. P2P: yes, by writing\./);
        assert.match(text, /\[Open in Orrery\]\(http:\/\/x\/#id=1\)/);
        assert.doesNotMatch(
            markdown({
                model,
                other: null,
                state: DEFAULTS,
                summary: null,
                releases: [],
                link: "",
            }),
            /Open in Orrery/,
        );
    },
);

test(
    "anonymous: what the service lists and what answers name is replaced alike in every text; bus ids, " +
        "devices " +
        "and short numbers stay",
    () => {
        const replaced = [
            { from: "0xa088c20300e0f1", to: "0xaa00000001" },
            { from: "a088c20300e0f1", to: "aa00000001" },
            { from: "0xdeadbeef12345678", to: "0xbb00000001" },
            { from: "node17", to: "host-1" },
        ];
        const clean = anonymiser({
            replaced,
            doc: {
                topology: "0123456789abcdef0123456789abcdef",
                system: { nodes: [{ asic: "0xa088c20300e000" }, { asic: "0x1" }] },
                findings: [{ where: { node: "GPU/0-1b000" } }],
            },
            summary: {
                id: "0123456789abcdef0123456789abcdef",
                name: "secret-node.example.org",
                labels: { rack: "customer7" },
            },
        });
        const out = clean(
            `<cpu host_hash="0xdeadbeef12345678"><net guid="0xa088c20300e0f1" asic="0x1"/><pci ` +
                `busid="0000:1b:00.0" ` +
                `class="0x0302"/> GPU/0-1b000`,
        );
        assert.equal(
            out,
            `<cpu host_hash="0xbb00000001"><net guid="0xaa00000001" asic="0x1"/><pci busid="0000:1b:00.0" ` +
                `class="0x0302"/> GPU/0-1b000`,
        );
        const other = clean(
            "NET of a088c20300e0f1 on node17 and secret-node.example.org (customer7), " +
                "#id=0123456789abcdef0123456789abcdef, 0xa088c20300e000",
        );
        assert.match(
            other,
            /^NET of aa00000001 on host-1 and host-\d \(host-\d\), #id=dump-1, 0xcc0001$/,
        );
        assert.equal(anonymiser({})("nothing known"), "nothing known");
        assert.equal(
            clean("mlx5_0 and 0xa088c20300e0f12"),
            "mlx5_0 and 0xa088c20300e0f12",
            "only whole words",
        );
    },
);
