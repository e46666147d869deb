#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Triage of every log of ../shared/logs, as a table that is kept in tests/golden/shared_logs.md and was reviewed
against the logs themselves (grep, not this output); ORR_UPDATE_GOLDEN=1 writes it anew. Without ../shared the check is
skipped."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import shared_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT.parent / "shared" / "logs"
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
HEAD = (
    "log",
    "verdict",
    "errors and warnings (lines)",
    "release",
    "hosts",
    "ranks",
    "network",
    "first cause",
    "machine",
)
# Logs that say too little of the machine, with the type that their GPUs have or, where the name has a slash, a
# topology: one of ../shared, or one in tests/data (SOURCES.md says what it rests on). Of waynehacking's logs the
# author forced the algorithm that the file's name has; the log does not print the setting.
GIVEN = {
    "waynehacking-g2_Ring.log": "hgx-h100",
    "waynehacking-g6_NVLS.log": "hgx-h100",
    "waynehacking-g6_auto.log": "hgx-h100",
    "b5paper-all_reduce_perf_4_gpu.log": "dgx-a100",
    "mlperf-v2.0-dell-xe8545-4xa100sxm80.log": "hgx-a100-4",
    "mlperf-v2.0-dell-2xXE8545-4xa100sxm40.log": "data/xe8545.xml",
    "mlperf-v2.0-azure-ndv4-16node-128rank.log": "data/azure-ndv4-flat.xml",
    "mlperf-v5.0-dell-2xXE9680L-8xh200.log": "hgx-h200",
    "nebius-h100-2node-mlperf-sd.log": "hgx-h100",
    "oci-h200-2node-runc-rank0.log": "BM.GPU.H200.8",
    "oci-h200-2node-runsc-rank0.log": "BM.GPU.H200.8",
    "polaris-a100-n4p2.log": "polaris",
    "polaris-a100-n4p4.log": "polaris",
    "polaris-a100-n8p4.log": "polaris",
    "gb300-2tray-healthy-page.log": "topologies/real/gb300-2tray-0405-healthy-fused.xml",
    "perlmutter-a100-rank0-excerpt.log": "topologies/real/perlmutter-a100-nid001056.xml",
    "vastai-hgx-b200-rank0-excerpt.log": "topologies/real/vastai-hgx-b200-8x.xml",
    "vastai-hgx-h200-rank0-excerpt.log": "topologies/real/vastai-hgx-h200-8x.xml",
    "lm2-rtx30-2ranks.log": "topologies/real/yccl-topo.xml",
    "lm2-rtx30-3ranks.log": "topologies/real/yccl-topo.xml",
    "lm2-rtx30-4ranks-shm.log": "topologies/real/yccl-topo.xml",
    "ssbandjl-gdr114-s114.log": "data/gdr114.xml",
}

# Information that is not in the log and that its first cause asks for, given in a second run: settings and, for
# machines that the log prints, what its paths show.
ASKED = {
    "waynehacking-g2_Ring.log": ["NCCL_ALGO=Ring"],
    "waynehacking-g6_NVLS.log": ["NCCL_ALGO=NVLS"],
    "lm2-rtx30-4ranks-shm.log": ["NCCL_MIN_NCHANNELS=4"],
    "oneflow-27-log27.log": ["NCCL_P2P_DISABLE=1", 'gdr="0"'],
    "oneflow-2x-log.log": ["NCCL_P2P_DISABLE=1", 'gdr="0"'],
}


def given(name):
    """The options that name the machine of a log."""
    source = GIVEN.get(name)
    if not source:
        return []
    return (
        ["--topology", str((ROOT / "tests" if source.startswith("data/") else LOGS.parent) / source)]
        if "/" in source
        else ["--machine", source]
    )


def asked(name, folder):
    """The agreements and differences when the log is compared again with the requested information."""
    settings = [part for what in ASKED[name] if what.startswith("NCCL_") for part in ("--set", what)]
    machine = given(name)
    if 'gdr="0"' in ASKED[name]:
        xml = subprocess.run(
            [ORRERY, "check-log", "--extract", str(LOGS / name)], capture_output=True, text=True
        ).stdout
        path = pathlib.Path(folder) / "machine.xml"
        path.write_text(xml.replace('gdr="1"', 'gdr="0"'))
        machine = ["--topology", str(path)]
    run = subprocess.run(
        [ORRERY, "check-log", "--json", *machine, *settings, str(LOGS / name)], capture_output=True, text=True
    )
    survey = json.loads(run.stdout)["communicators_compared"]
    return f"; with {' and '.join(ASKED[name])}: {survey['agree']} facts agree, {survey['differ']} differ"


def ranks_of(log):
    largest = max(log["communicators"], key=lambda row: row["ranks"], default=None)
    if not largest:
        return "unknown"
    seen = largest["ranks_seen"]
    return str(largest["ranks"]) + ("" if seen == largest["ranks"] else f", {seen} of them in the log")


def machine_of(name, answer):
    """Where the compared machine is from, what agrees with it, and what is found to be the cause where something
    differs."""
    check, implied = answer["check"], answer.get("implied_machine")
    if not check:
        many = implied["fits_in_all"] if implied else 0
        return (
            "RCCL"
            if answer["log"]["library"] == "RCCL"
            else f"{many} type{'' if many == 1 else 's'} fit{'s' if many == 1 else ''}"
            if many
            else "unknown"
        )
    source = (
        f"{implied['type']}, implied"
        if implied
        else f"{GIVEN[name].rpartition('/')[2]}, given"
        if name in GIVEN
        else "its own tree"
    )
    survey = answer["communicators_compared"]
    of_rows = (sum(row["agree"] for row in survey["rows"]), sum(row["differ"] for row in survey["rows"]))
    if survey["rows"] and of_rows != (survey["agree"], survey["differ"]):
        return f"the rows of the communicators add up to {of_rows}"
    if len(survey["rows"]) > 1:
        source += f", {survey['compared']} of {len(survey['rows'])} communicators"
    if not survey["differ"]:
        return f"{source}: {survey['agree']} facts agree"
    first = next(
        (row for row in survey["rows"] if row["differ"] and row["communicator"] != check.get("communicator")), None
    )
    cause = check["causes"][0] if check["causes"] else None
    left = cause and (f", leaves {cause['differences_left']}" if cause["tested"] else ", not tested")
    what = (
        cause["what"] + left
        if cause
        else f"communicator {first['communicator']}: {first.get('cause')}"
        if first and not check["differ"]
        else "not known"
    )
    return f"{source}: {survey['agree']} facts agree, {survey['differ']} differ; cause: {what}"


def row_of(name, answer):
    triage, log = answer["triage"], answer["log"]
    told = [event for event in triage["events"] if event["severity"] != "note"]
    cause = triage["events"][triage["cause"]] if triage["cause"] is not None else None
    network = (triage["ran"]["network_kind"] or "unknown") + (
        ", InfiniBand unused" if triage["ran"]["infiniband_unused"] else ""
    )
    missing = ", ".join(map(str, triage["missing_ranks"]))
    return (
        name,
        triage["verdict"],
        ", ".join(f"{event['id']} ({event['count']})" for event in told),
        ", ".join(value["value"] for value in triage["ran"]["release"]) or "unknown",
        ", ".join(log["hosts"]),
        ranks_of(log),
        network,
        f"line {cause['line']}: {cause['id']}"
        if cause
        else f"ranks {missing} {triage['missing_why']}"
        if missing
        else "",
        machine_of(name, answer),
    )


def check(name):
    """(row, faults of the answer that do not depend on the log)"""
    run = subprocess.run(
        [ORRERY, "check-log", "--json", *given(name), str(LOGS / name)], capture_output=True, text=True
    )
    if run.returncode:
        return (name, "refused", run.stderr.strip()), [f"{name}: {run.stderr.strip()}"]
    answer = json.loads(run.stdout)
    triage, wrong = answer["triage"], []
    # Every NCCL WARN line of the log belongs to an event; none is only counted.
    text = re.sub(r"\x1b\[[0-9;]*m", "", (LOGS / name).read_text(errors="replace"))
    warned = len(re.findall(r"NCCL WARN ", text))
    shown = sum(event["count"] for event in triage["events"])
    if warned > shown:
        wrong.append(f"{name}: {warned} NCCL WARN lines, {shown} in events")
    if not 3 <= len(triage["sentences"]) <= 8 or any(
        not re.search(r"[.!]$|\.\.\.$", s) and not s.startswith("First ") for s in triage["sentences"]
    ):
        wrong.append(f"{name}: sentences {triage['sentences']}")
    text = subprocess.run([ORRERY, "check-log", str(LOGS / name)], capture_output=True, text=True).stdout
    if not text.startswith(f"Verdict: {triage['verdict']}\n"):
        wrong.append(f"{name}: the text begins with {text[:60]!r}")
    row = row_of(name, answer)
    if name in ASKED:
        with tempfile.TemporaryDirectory() as folder:
            row = (*row[:-1], row[-1] + asked(name, folder))
    return row, wrong


def main():
    if not LOGS.is_dir():
        print("skipped: triage of every log of ../shared, because it is not beside this checkout")
        sys.exit(77)
    rows, wrong = [], []
    for path in sorted(LOGS.glob("*.log")):
        row, problems = check(path.name)
        rows.append(row)
        wrong += problems
    wrong += shared_tables.hold("shared_logs.md", HEAD, rows)
    if "--table" not in sys.argv[1:]:
        print(f"{len(rows)} logs")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
