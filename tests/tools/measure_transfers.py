#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published results of alltoall and sendrecv beside what `orrery predict` says: bus bandwidth at the largest size.
Prints a table as Markdown; the shares of engine/expect/shares.c come from it. Reads ../shared, which must lie beside
this checkout; ORRERY names the program.

    python3 tests/tools/measure_transfers.py [--curve]     also one line for each size"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANDWIDTH = ROOT.parent / "shared" / "bandwidth"
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
ASSUMED = "2.21.5"  # where a result does not name its release


def run(*arguments):
    done = subprocess.run([ORRERY, *arguments], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


def machine_of(entry, folder):
    """Options that give the machine: a type, a cluster of one NVLink domain, or the log that the result is in."""
    if entry["name"].startswith("polaris"):
        return ["--machine", "polaris", "--hosts", str(entry["hosts"])]
    machine = entry.get("orrery_machine")
    if not machine:
        return ["--hosts", str(entry["hosts"]), str(BANDWIDTH / entry["file"])]
    if machine.startswith("BM.GPU.GB300") and entry["hosts"] > 1:
        topology = folder / "tray.xml"
        topology.write_text(run("convert", "--machine", machine))
        cluster = folder / "cluster.json"
        cluster.write_text(json.dumps({"hosts": [{"topology": "tray.xml", "count": entry["hosts"], "domain": "rack"}]}))
        return ["--cluster", str(cluster)]
    return ["--machine", machine, "--hosts", str(entry["hosts"])]


def measured(entry):
    """{size: bus bandwidth, out of place}"""
    rows = {}
    for line in (BANDWIDTH / entry["file"]).read_text(errors="replace").splitlines():
        found = re.match(
            r"\s*(\d+)\s+\d+\s+(?:float|half|bfloat16|uint8|int8)\s+(?:(?:sum|none)\s+)?(?:-?\d+\s+)?"
            r"([\d.]+)\s+([\d.]+)\s+([\d.]+)\b",
            line,
        )
        if found and int(found[1]):
            rows[int(found[1])] = float(found[4])
    return rows


def main():
    curve = "--curve" in sys.argv[1:]
    print(
        "| result | verdict of its owner | size | measured GB/s | predicted GB/s | measured / predicted | limited "
        "by |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as name:
        for entry in json.loads((BANDWIDTH / "INDEX.json").read_text()):
            if entry["collective"] not in ("alltoall", "sendrecv"):
                continue
            rows = measured(entry)
            release = ["--nearest", "--release", entry.get("nccl") or ASSUMED]
            options = machine_of(entry, pathlib.Path(name))
            for size in sorted(rows) if curve else [max(rows)]:
                answer = json.loads(
                    run(
                        "predict",
                        "--json",
                        *release,
                        "--collective",
                        entry["collective"],
                        "--sizes",
                        str(size),
                        *options,
                    )
                )
                if not answer["rows"]:
                    continue
                predicted = answer["rows"][0]["busbw"]
                print(
                    f"| {entry['name']} | {entry.get('verdict', '')} | {size} | {rows[size]:.2f} | {predicted:.2f} "
                    f"| {rows[size] / predicted:.2f} | {answer['limit']} |"
                )


if __name__ == "__main__":
    main()
