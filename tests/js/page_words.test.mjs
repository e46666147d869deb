// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { headingOf, onPage } from "../../static/js/page_words.js";

test("options of the command line become the controls that do the same", () => {
    const rows = {
        "the CPUs: paste the output below the matrix, or name them with --assume-cpu":
            "the CPUs: paste the output below the matrix, or name them with “CPUs” under Question",
        "--assume-cpu amd or intel.": "“CPUs” under Question.",
        "or add the NICs: `--assume-nics` does.":
            "or add the NICs: “NIC speed” under Question does.",
        "or name the machine type: --assume, assume= (`orrery machines`)":
            "or name the machine type: “Machine type” under Question (`orrery machines`)",
        "compare with the neighbours too: --release":
            "compare with the neighbours too: “NCCL” under Question",
        "leave out --hosts and --gpus, or give as many":
            "leave out “Hosts” under Question and “GPUs” under Question, or give as many",
    };
    for (const [said, shown] of Object.entries(rows)) assert.equal(onPage(said), shown);
});

test("commands and options of other programs stay", () => {
    for (const text of [
        "lstopo --whole-io --of xml machine.xml",
        "mpirun --hostfile hosts -np 16",
        "nvidia-smi topo -m --assumed",
        "NCCL_DEBUG=INFO ./all_reduce_perf -g 8",
    ])
        assert.equal(onPage(text), text);
});

test("a problem is headed by what is wrong, not by the phrase of its status", () => {
    const problem = { type: "/problems/refused-by-nccl", title: "Unprocessable content" };
    assert.equal(headingOf(problem), "NCCL rejects this topology");
    assert.equal(headingOf({ type: "/problems/not-found", title: "Not found" }), "Not found");
    assert.equal(headingOf({}), undefined);
});

test("every heading is of a problem type that the service has", async () => {
    const types = await readFile(new URL("../../api/http/problem.c", import.meta.url), "utf8");
    const codes = await readFile(new URL("../../engine/base/error.h", import.meta.url), "utf8");
    const words = await readFile(new URL("../../static/js/page_words.js", import.meta.url), "utf8");
    const named = [
        ...words
            .split("HEADINGS = {\n")[1]
            .split("\n};")[0]
            .matchAll(/^ +"?([a-z-]+)"?:/gm),
    ];
    assert.ok(named.length > 10);
    for (const [, name] of named) assert.ok((types + codes).includes(`"${name}"`), name);
});
