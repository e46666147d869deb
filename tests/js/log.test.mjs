import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, factRows, isLog, logRows, verdictText } from "../../static/js/log.js";

test("logs and dumped graphs are told from topologies", () => {
    assert.ok(isLog("node1:1:2 [0] NCCL INFO Bootstrap"));
    assert.ok(isLog("  <graphs version=\"1\">"));
    assert.ok(!isLog("<system version=\"1\"><!-- NCCL INFO --></system>"));
    assert.ok(!isLog("nothing of the kind"));
});

test("verdicts and questions in words", () => {
    assert.match(verdictText({ verdict: "agrees", agree: 7, differ: 0 }), /^All 7 facts/);
    assert.match(verdictText({ verdict: "differs", agree: 7, differ: 2 }), /^2 of 9 facts differ/);
    const check = { release: { predicted: "2.27.7", same: false, logged: "2.26.2" }, hosts: 2, ranks: 16, settings: { NCCL_ALGO: "Ring" }, ranks_taken_from_log: true };
    assert.equal(applied(check), "NCCL 2.27.7, the nearest emulated release; 2 hosts, 16 ranks numbered as in the log; NCCL_ALGO=Ring");
});

test("facts of a topic, differences first; rows for a spreadsheet", () => {
    const fact = (topic, verdict, line) => ({ topic, verdict, line, what: "x", logged: "1", predicted: "2", times: 1 });
    const check = { facts: [fact("paths", "agrees", 1), fact("paths", "differs", 2), fact("rings", "agrees", 3)] };
    assert.deepEqual(factRows(check, "paths").map((row) => row.line), [2, 1]);
    assert.equal(logRows(check).length, 4);
});
