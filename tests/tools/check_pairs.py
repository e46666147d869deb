#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines that ../shared has in two forms: their analyses must agree in everything that both forms contain. Orrery's
own notes say what a form lacks; both sides then get the same assumption. The table is kept in
tests/golden/shared_pairs.md; ORR_UPDATE_GOLDEN=1 writes it anew. Without ../shared the check is skipped.

    python3 tests/tools/check_pairs.py [--table]     the table as Markdown; ORRERY names the program
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import shared_tables
import told_by_forms
from check_forms import analyze, differences
from other_forms import Machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
REAL, MACHINES, PROVIDER = "topologies/real/", "topologies/machines/", "topologies/provider/"
# (one form, the other, what they are held to be, machine type that fills in what either lacks or None)
#   one machine: the GPUs have the same bus ids in both, and the sources say so; one type: machines of the same make,
# or one
#   machine whose cards were moved in between (stone)
PAIRS = [
    (REAL + "gb300-2tray-fault-rank5-count0-fused.xml", "logs/gb300-2tray-fault-rank5-page.log", "one machine", None),
    (REAL + "timez-nccl_topo_dump_normal.xml", "logs/mew0-2xa100-nccl.log", "one machine", None),
    (REAL + "timez-topo_fail.xml", "logs/mew0-2xa100-nccl-fault.log", "one machine", None),
    (REAL + "panlichen-topo.xml", "logs/oneflow-27-log27.log", "one machine", None),
    (REAL + "panlichen-topo.xml", "logs/oneflow-2x-log.log", "one machine", None),
    (REAL + "sugarlxn-nccl_topo.xml", "logs/stone-2node-4x-sm89-trace.log", "one type", None),
    (REAL + "oci-BM.GPU4.8-a100.xml", PROVIDER + "oci-topo-flattened.xml", "one type", "BM.GPU4.8"),
    (REAL + "oci-BM.GPU.A100-v2.8.xml", PROVIDER + "oci-topo-flattened-b4.xml", "one type", "BM.GPU4.8"),
    (
        REAL + "infragraph-dgx_a100_nccl_topo.xml",
        PROVIDER + "mlperf21-nvidia-dgxa100_nic_affinity.xml",
        "one type",
        "dgx-a100",
    ),
    (REAL + "aws-p5.48xl-h100-2026.xml", PROVIDER + "aws-p5.48xl-h100-2025.xml", "one type", "p5.48xlarge"),
    (MACHINES + "machine-dgx2-v100x16.xml", "hwloc/dgx2h-16gpu.xml", "one type", None),
    (MACHINES + "machine-ac922-power9-v100x4.xml", "hwloc/lassen-power9-v100.xml", "one type", None),
    (REAL + "blinkplus-topology.xml", "nvidia-smi-topo/v100sxm2-8gpu-hybridcube-2ib.txt", "one type", None),
    (REAL + "ncclminer-8x-v100-hybridcube-vm.xml", "nvidia-smi-topo/v100-8gpu-vm-phb.txt", "one type", None),
    (REAL + "oci-BM.GPU4.8-a100.xml", "nvidia-smi-topo/stas00-8gpu-NV12-3.txt", "one type", None),
    (REAL + "oci-BM.GPU.H100.8.xml", "nvidia-smi-topo/stas00-8gpu-NV18-4.txt", "one type", None),
    (REAL + "oci-BM.GPU.H100.8.xml", "nvidia-smi-topo/waynehacking8-hgx-nv18-12nic.txt", "one type", None),
    (REAL + "vastai-hgx-h200-8x.xml", "nvidia-smi-topo/google-h200-a3ultra.txt", "one type", None),
    (REAL + "blink-h200-8x-bluefield3-real.xml", "logs/ncclt256-h200-kvm-vm-systemtree.log", "one type", None),
]


class Form:
    """An input with its notes, as the dump that it becomes."""

    def __init__(self, name, assume=None):
        options = ["--assume", assume] if assume else []
        run = subprocess.run([ORRERY, "convert", *options, str(SHARED / name)], capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(run.stderr)
        self.machine = Machine(run.stdout[run.stdout.index("<system") :])
        notes = [line for line in run.stderr.split("\n") if line.startswith("  ")]
        self.says = lambda words: any(words in note for note in notes)

    def tells(self, fact):
        if fact == "capability":
            return not self.says("compute capability")
        if fact == "CPUs":
            return not self.says("CPUs are taken for")
        if fact in ("GPU paths", "P2P", "graphs"):
            return not self.says("no NVLinks") and (fact == "GPU paths" or not self.says("no bandwidths"))
        if fact == "NICs":  # a log has those that the job used; a table may be printed without
            return bool(self.machine.nets) and not self.says("devices that the communicator does not use")
        return True

    def document(self, same_nics):
        if same_nics:
            told_by_forms.assume_nics(self.machine, set())
        return analyze(ET.tostring(self.machine.root, encoding="unicode"))


def gpu_paths(doc, one_machine, rates):
    """Between ranks; of machines that are alike but not one, how many of each kind: ranks may be numbered in another
    order, and what is between by PCI belongs to the host. Rates to a digit, as logs print them."""
    rank = {node["id"]: node["rank"] for node in doc["system"]["nodes"] if node["type"] == "GPU"}
    found = {
        (rank[p["from"]], rank[p["to"]]): (
            p["type"],
            round(p["bw"], 1) if rates or p["type"] in ("NVL", "NVB") else None,
        )
        for p in doc["paths"]
        if p["from"] in rank and p["to"] in rank and p["from"] != p["to"]
    }
    return found if one_machine else collections.Counter(found.values())


def nics(doc, one_machine):
    gpus = {node["id"] for node in doc["system"]["nodes"] if node["type"] == "GPU"}
    return collections.Counter(p["type"] for p in doc["paths"] if p["from"] in gpus and p["to"].startswith("NET"))


def graphs(doc, one_machine):
    return {
        graph["name"]: (graph["channels"], graph["bw_intra"], graph["type_intra"])
        + ((str(graph["intra"]),) if one_machine else ())
        for graph in doc["graphs"]
        if graph["name"] in ("ring", "tree")
    }


def facts(doc, one_machine, rates):
    nodes = doc["system"]["nodes"]
    found = {
        "GPUs": {"number": doc["local_ranks"]},
        "capability": {"sm": sorted({n["sm"] for n in nodes if n["type"] == "GPU"})},
        "GPU paths": gpu_paths(doc, one_machine, rates),
        "P2P": collections.Counter(row["p2p"] for row in doc["p2p"]),
        "graphs": graphs(doc, one_machine),
    }
    if one_machine:  # NICs and processors are chosen by who builds the host
        found["NICs"] = nics(doc, one_machine)
        found["CPUs"] = {n["id"]: (n["arch"], n["vendor"]) for n in nodes if n["type"] == "CPU"}
    return found


def bus_ids(form):
    return {form.machine.bus(gpu) for gpu in form.machine.gpus}


def check(first, second, held, assume):
    """(row of the table, what is wrong)"""
    a, b = Form(first, assume), Form(second, assume)
    one = held == "one machine"
    wrong = [] if not one or bus_ids(a) == bus_ids(b) else [f"{first}, {second}: the GPUs have other bus ids"]
    rates = not a.says("no bandwidths") and not b.says("no bandwidths")
    same_nics = any(form.says("GPUDirect RDMA") for form in (a, b))
    ours, theirs = (facts(form.document(same_nics), one, rates) for form in (a, b))
    agree, untold = [], []
    for fact in ours:
        if not a.tells(fact) or not b.tells(fact):
            untold.append(fact)
            continue
        rows = differences(ours[fact], theirs[fact])
        agree += [] if rows else [fact]
        wrong += [f"{first}, {second}: {fact}: {row}" for row in rows[:3]]
    return (
        first,
        second,
        held + (f", with --assume {assume}" if assume else ""),
        ", ".join(agree),
        ", ".join(untold),
    ), wrong


def main():
    if not (SHARED / "topologies").is_dir():
        print("skipped: machines that exist in two forms, because ../shared is not beside this checkout")
        sys.exit(77)
    done = [check(*pair) for pair in PAIRS]
    if "--table" not in sys.argv[1:]:
        print(f"{len(done)} pairs agree in {sum(len(re.findall(', ', row[3])) + 1 for row, _ in done)} facts")
    wrong = [text for _, rows in done for text in rows] + shared_tables.hold(
        "shared_pairs.md",
        ("form", "other form", "held to be", "agree in", "not told by both"),
        [row for row, _ in done],
    )
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
