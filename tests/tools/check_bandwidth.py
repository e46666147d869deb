#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares published results of nccl-tests with the prediction of NCCL's tuning model for the machine: bus bandwidth at
the largest size, if that is at least 1 GiB. The table is kept in tests/golden/shared_bandwidth.md; ORR_UPDATE_GOLDEN=1
writes it anew. Without ../shared the check is skipped.

    python3 tests/tools/check_bandwidth.py [--table]     the table as Markdown; ORRERY names the program
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import shared_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
GIB = 1 << 30
# Machine of the index: a topology of that type, and further options.
MACHINES = {
    "hgx-h100": ("machines/machine-hgx-h100.xml",),
    "dgx-h100": ("machines/machine-hgx-h100.xml",),
    "hgx-h200": ("real/vastai-hgx-h200-8x.xml",),
    "dgx-a100": ("machines/machine-dgx-a100.xml",),
    "hgx-a100": ("machines/machine-hgx-a100-4nic.xml",),
    "p5.48xlarge": (
        "provider/aws-p5.48xl-h100-2025.xml",
        "--assume",
        "p5.48xlarge",
    ),  # EFA NICs are grouped by themselves
    "p5en.48xlarge": ("provider/aws-p5en-48xl-uccl-h200.xml", "--assume", "p5en.48xlarge"),
    "p6-b200.48xlarge": ("machines/machine-hgx-b200.xml",),
    "Standard_ND96amsr_A100_v4": ("provider/azure-ndv4-a100.xml", "--assume", "Standard_ND96amsr_A100_v4"),
    "Standard_ND96isr_H100_v5": ("provider/azure-ndv5-h100.xml", "--assume", "Standard_ND96isr_H100_v5"),
    "Standard_ND96isr_H200_v5": ("provider/azure-ndv5-h100.xml", "--assume", "Standard_ND96isr_H200_v5"),
    "BM.GPU.H200.8": ("real/oci-BM.GPU.H100.8.xml", "--fuse-nics", "always"),
    "BM.GPU.GB300.4": ("real/gb300-1tray-healthy.xml",),
}
# Machine types of which no topology is at hand.
NO_TOPOLOGY = {"a3-megagpu-8g", "a3-highgpu-8g", "alps-gh200"}
COLLECTIVES = {
    "all_reduce": ("AllReduce", lambda n: 2 * (n - 1) / n),
    "all_gather": ("AllGather", lambda n: (n - 1) / n),
    "reduce_scatter": ("ReduceScatter", lambda n: (n - 1) / n),
    "broadcast": ("Broadcast", lambda n: 1),
    "reduce": ("Reduce", lambda n: 1),
}
ASSUMED = "2.21.5"  # where a result does not name its release
# Requirements: (row, least and greatest ratio of what is predicted to what is measured)
HELD = {"aws-p5-2n": (0.95, 1.05)}


def release_of(entry):
    return entry.get("nccl") or ASSUMED


def settings_of(entry):
    """NCCL_* that the index names, and an algorithm that it says was forced."""
    text = entry.get("settings") or ""
    found = re.findall(r"\b(NCCL_(?:ALGO|NVLS_ENABLE|MNNVL_ENABLE|NET_GDR_C2C))=(\w+)", text)
    forced = re.match(r"algorithm (\w+);", text)
    return found + ([("NCCL_ALGO", forced[1])] if forced else [])


def predict(machine, release, hosts, gpus, collective, size, settings):
    """(algorithm, bus bandwidth in GB/s)"""
    topology, *options = machine
    name, factor = COLLECTIVES[collective]
    command = [
        ORRERY,
        "explain",
        "--why",
        "algorithm",
        "--json",
        "--nearest",
        "--release",
        release,
        "--hosts",
        str(hosts),
        "--collective",
        name,
        "--bytes",
        str(size),
        *options,
    ]
    for setting in settings:
        command += ["--set", "=".join(setting)]
    run = subprocess.run(
        [*command, "--gpus", ",".join(map(str, range(gpus))), str(SHARED / "topologies" / topology)],
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise SystemExit(f"{topology}: {run.stderr}")
    verdict = json.loads(run.stdout)["verdict"]
    algorithm, microseconds = re.match(r"(.*), \d+ channels?, ([\d.]+) us", verdict).groups()
    return algorithm, size / float(microseconds) / 1e3 * factor(gpus * hosts)


def rows():
    """(row of the table, name, ratio)"""
    index = json.loads((SHARED / "bandwidth" / "INDEX.json").read_text())
    for entry in index:
        machine = entry.get("orrery_machine")
        if not machine or entry["collective"] not in COLLECTIVES or entry["size_max"] < GIB:
            continue
        if machine in NO_TOPOLOGY or machine == "BM.GPU.GB300.4" and entry["hosts"] > 1:
            continue
        algorithm, predicted = predict(
            MACHINES[machine],
            release_of(entry),
            entry["hosts"],
            entry["gpus"] // entry["hosts"],
            entry["collective"],
            entry["size_max"],
            settings_of(entry),
        )
        ratio = predicted / entry["busbw_at_max"]
        yield (
            entry["name"],
            machine,
            str(entry["hosts"]),
            str(entry["gpus"]),
            release_of(entry) + ("" if entry.get("nccl") else " (assumed)"),
            entry["collective"],
            f"{entry['size_max'] // GIB} GiB",
            algorithm,
            f"{entry['busbw_at_max']:.1f}",
            f"{predicted:.1f}",
            f"{ratio:.2f}",
        ), entry["name"], ratio
    # Two hosts of this machine reach 440 GB/s; the dump has the 16 ports of its eight cards apart.
    for when in ("never", "always"):
        algorithm, predicted = predict(
            ("real/oci-BM.GPU.H100.8.xml", "--fuse-nics", when), "2.27.7", 2, 8, "all_reduce", GIB, []
        )
        yield (
            f"OCI H100, ports fused: {when}",
            "BM.GPU.H100.8",
            "2",
            "16",
            "2.27.7",
            "all_reduce",
            "1 GiB",
            algorithm,
            "440.0",
            f"{predicted:.1f}",
            f"{predicted / 440:.2f}",
        ), f"oci-h100-{when}", predicted / 440


def main():
    if not (SHARED / "bandwidth").is_dir():
        print("skipped: published bandwidths, because ../shared is not beside this checkout")
        sys.exit(77)
    done = list(rows())
    held = dict(HELD, **{"oci-h100-always": (1, 1.2)})
    wrong = [
        f"{name}: predicted {ratio:.3f} of what was measured, not {held[name][0]} to {held[name][1]}"
        for _, name, ratio in done
        if name in held and not held[name][0] <= ratio <= held[name][1]
    ]
    wrong += [f"{name} is not in the index" for name in held if name not in {row[1] for row in done}]
    wrong += shared_tables.hold(
        "shared_bandwidth.md",
        (
            "result",
            "machine",
            "hosts",
            "GPUs",
            "release",
            "collective",
            "size",
            "predicted choice",
            "measured GB/s",
            "predicted GB/s",
            "predicted / measured",
        ),
        [row for row, _, _ in done],
    )
    if "--table" not in sys.argv[1:]:
        print(f"{len(done)} predictions beside published results")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
