// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    applied,
    factRows,
    isLog,
    logRows,
    named,
    otherMachine,
    surveyText,
    verdictText,
} from "../../static/js/log.js";
import { index } from "../../static/js/model.js";

test("logs and dumped graphs are told from topologies", () => {
    assert.ok(isLog("node1:1:2 [0] NCCL INFO Bootstrap"));
    assert.ok(isLog('  <graphs version="1">'));
    assert.ok(!isLog('<system version="1"><!-- NCCL INFO --></system>'));
    assert.ok(!isLog("nothing of the kind"));
});

test("verdicts and questions in words", () => {
    assert.match(verdictText({ verdict: "agrees", agree: 7, differ: 0 }), /^All 7 facts/);
    assert.match(verdictText({ verdict: "differs", agree: 7, differ: 2 }), /^2 of 9 facts differ/);
    const check = {
        release: { predicted: "2.27.7", same: false, logged: "2.26.2" },
        hosts: 2,
        ranks: 16,
        settings: { NCCL_ALGO: "Ring" },
        ranks_taken_from_log: true,
    };
    assert.equal(
        applied(check),
        "NCCL 2.27.7, the nearest emulated release; 2 hosts, 16 ranks numbered as in the log; NCCL_ALGO=Ring",
    );
});

test("all communicators in a sentence", () => {
    const row = (communicator, differ) => ({ communicator, ranks: 8, agree: 5, differ });
    assert.equal(
        surveyText({ compared: 1, agree: 5, differ: 0, rows: [row(0, 0)] }),
        "",
        "one communicator needs no sentence of its own",
    );
    assert.equal(surveyText(undefined), "");
    assert.equal(
        surveyText({ compared: 2, agree: 10, differ: 0, rows: [row(0, 0), row(1, 0)] }),
        "All 2 communicators were compared: 10 facts agree, 0 differ.",
    );
    assert.equal(
        surveyText({
            compared: 2,
            agree: 10,
            differ: 3,
            rows: [
                row(0, 0),
                row(1, 3),
                { communicator: 2, ranks: 4, agree: 0, differ: 0, why_not_compared: "x" },
            ],
        }),
        "2 of 3 communicators were compared: 10 facts agree, 3 differ. Facts differ in communicator 1.",
    );
});

test("a log of other GPUs is from another machine, before anything is compared", () => {
    const other = "2 of the log's 2 GPUs are not in the dump",
        members = [
            { rank: 0, bus_id: "21000" },
            { rank: 1, bus_id: "61000" },
        ];
    const log = { communicators: [{ hosts: 1, ranks: 2, members }] },
        shown = (gpu, kind = "nccl-topology") => ({
            doc: { hosts: 4, ranks: 32, input: { kind } },
            gpus: [{ id: gpu }],
        });
    const says = (causes, model, of = log) =>
        otherMachine({ log: of, check: causes && { causes } }, model);
    assert.equal(
        says([{ id: "other-gpus", what: other }], shown("GPU/0-21000")),
        `This log is from another machine: 1 host, 2 ranks; shown: 4 hosts, 32 ranks. ${other}.`,
    );
    assert.equal(
        says([], shown("GPU/0-1b000")),
        "This log is from another machine: 1 host, 2 ranks; shown: 4 hosts, 32 ranks. None of the log's 2 GPUs " +
            "is in the dump.",
    );
    assert.equal(says(null, shown("GPU/0-21000")), "");
    assert.equal(
        says([], shown("GPU/0-1b000", "machine-type")),
        "",
        "bus ids of a machine type are made up",
    );
    assert.equal(says([], shown("GPU/0-1b000"), { communicators: [] }), "");
});

test("facts of a topic, differences first; rows for a spreadsheet", () => {
    const fact = (topic, verdict, line) => ({
        topic,
        verdict,
        line,
        what: "x",
        logged: "1",
        predicted: "2",
        times: 1,
    });
    const check = {
        facts: [
            fact("paths", "agrees", 1),
            fact("paths", "differs", 2),
            fact("rings", "agrees", 3),
        ],
    };
    assert.deepEqual(
        factRows(check, "paths").map((row) => row.line),
        [2, 1],
    );
    assert.equal(logRows(check).length, 4);
});

test("facts say the page's names of devices; what the machine lacks keeps the log's id", () => {
    const model = index({
        system: {
            nodes: [
                { id: "GPU/0-21000", rank: 3 },
                { id: "CPU/0-0" },
                { id: "NET/0-2" },
                { id: "NET/0-3" },
            ],
            links: [],
        },
        summary: { net_names: { "NET/0-2": "mlx5_2" } },
    });
    assert.equal(named(model, "GPU/0-21000 -> CPU/0-0"), "GPU 3 → NUMA 0");
    assert.equal(
        named(model, "GPU/0-21000 and NET/0-2, receiving"),
        "GPU 3 and NIC mlx5_2, receiving",
    );
    assert.equal(named(model, "NET/0-3 0 1 2 3 NET/0-2"), "NIC 3 0 1 2 3 NIC mlx5_2");
    assert.equal(named(model, "GPU/1-21000 -> CPU/0-0"), "GPU/1-21000 → NUMA 0");
});
