// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { Attached, packed, sizeOf, unpacked } from "../../static/js/attached.js";
import { DEFAULTS, format, parse } from "../../static/js/state.js";

const LOG = "host:1:1 [0] NCCL INFO NCCL version 2.27.7\nhost:1:1 [0] NCCL INFO Ring 00 : 0 1 ü\n";

test("a log goes through an address and comes back as it was, with its name", async () => {
    const letters = await packed(new Blob([LOG]), "job 7.log");
    assert.match(letters, /^[A-Za-z0-9_-]+$/);
    const { log } = parse(format({ ...DEFAULTS, log: letters })),
        { blob, name } = await unpacked(log);
    assert.equal(await blob.text(), LOG);
    assert.equal(name, "job 7.log");
});

test("a cut link is damaged, not half a log", async () => {
    const letters = await packed(new Blob([LOG.repeat(40)]), "job.log");
    assert.equal(await unpacked(letters.slice(0, -9)), null);
    assert.equal(await unpacked("%%"), null);
});

test("up to 64 KiB of letters fit", () => {
    assert.deepEqual(sizeOf("a".repeat(3400)), { text: "3.4 KB", fits: true });
    assert.equal(sizeOf("a".repeat(65536)).fits, true);
    assert.equal(sizeOf("a".repeat(65537)).fits, false);
});

test("what the address holds is opened once, and not again after it was attached here", async () => {
    const opened = [],
        damaged = [],
        state = { log: await packed(new Blob([LOG]), "a.log"), results: "" },
        store = { state, replace: (patch) => Object.assign(state, patch) };
    const attached = new Attached(store, {
        shown: (kind) => ({ blob: kind === "log" ? new Blob([LOG]) : null, name: "a.log" }),
        open: (kind, blob, name) => opened.push([kind, name]),
        damaged: (kind) => damaged.push(kind),
    });
    await attached.restore();
    await attached.restore();
    assert.deepEqual(opened, [["log", "a.log"]]);
    await attached.toggle("log");
    assert.equal(state.log, "");
    await attached.toggle("log");
    await attached.restore();
    assert.equal(opened.length, 1);
    assert.equal((await attached.sizes()).length, 1);
    state.results = "broken";
    await attached.restore();
    assert.deepEqual(damaged, ["results"]);
});
