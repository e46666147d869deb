// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { onPage } from "../../static/js/page_words.js";

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
