#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every file in ../shared that describes a machine, or checks that it is refused for the reason that the index
implies; --table prints what was recognised and assumed in each, as Markdown. That table is kept in
tests/golden/shared_inputs.md and must be the same; ORR_UPDATE_GOLDEN=1 writes it anew. Without ../shared the check is
skipped."""
import json
import os
import pathlib
import subprocess
import sys

import shared_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
REFUSED = {  # folder or file: what the error must say
    "topologies/graphs": "graph XML",
    "topologies/malformed/vr200-mlopart-fragment.xml": "not <system>",
    "topologies/malformed": "the file ends inside",
    "hwloc/dgx-spark-gb10.xml": "no PCI devices",
}
# Expected remarks about files that are read but have no machine that NCCL could run on.
NOT_ANALYSED = ("no GPU in this file has a rank", "which has no default", "NCCL 2.30.7 fails on it")
# The machine types of the providers' files: filled in, each of them is analysed.
TYPES = {
    "aws-g5": "g5.48xlarge",
    "aws-p4d-": "p4d.24xlarge",
    "aws-p4de": "p4de.24xlarge",
    "aws-p5.": "p5.48xlarge",
    "aws-p5en": "p5en.48xlarge",
    "azure-ndv2": "ndv2",
    "azure-ndv4": "ndv4",
    "azure-ndv5": "ndv5",
    "crusoe": "hgx-b300",
    "flagcx": "hgx-a100",
    "mlperf07": "dgx-a100",
    "mlperf21-asus": "dgx-a100",
    "mlperf21-nvidia": "dgx-a100",
    "mlperf21-dell": "hgx-a100-4",
    "nebius": "hgx-h100",
    "oci": "BM.GPU4.8",
}


def expected_refusal(name):
    return next((REFUSED[key] for key in (name, name.rsplit("/", 1)[0]) if key in REFUSED), None)


def orrery(*arguments):
    return subprocess.run([ORRERY, *arguments], capture_output=True, text=True)


def look(name):
    """(row of the table, what is wrong with it or None)"""
    path = str(SHARED / name)
    convert = orrery("convert", path)
    refusal, said = expected_refusal(name), convert.stderr.strip().split("\n")
    if convert.returncode:
        first = said[0].replace(path + ":", "").replace(str(SHARED) + "/", "")
        return (
            name,
            "refused",
            first,
            "",
        ), None if refusal and refusal in convert.stderr and convert.returncode == 1 else f"{name}: {first}"
    if refusal:
        return (name, "read", "", ""), f"{name}: should be refused ({refusal})"
    title, _, recognised = said[0].partition(": ")
    assumed = "; ".join(line.strip()[len("assumed: ") :] for line in said if line.startswith("  assumed: "))
    run = orrery("analyze", "--section", "input", path)
    if run.returncode:
        reason = run.stderr.strip().split("\n")[0].replace(path + ":", "")
        wrong = None if any(text in run.stderr for text in NOT_ANALYSED) else f"{name}: {reason}"
        if "/provider/" in name:
            kind = next(value for key, value in TYPES.items() if name.rsplit("/", 1)[1].startswith(key))
            filled = orrery("analyze", "--section", "summary", "--assume", kind, path)
            wrong = wrong or (f"{name}, --assume {kind}: {filled.stderr.strip()}" if filled.returncode else None)
            recognised += (
                f" (with --assume {kind}: {json.loads(filled.stdout)['machine']['sentence']})"
                if not filled.returncode
                else ""
            )
        else:
            recognised += f" (not analysed:{reason})"
        return (name, title, recognised, assumed), wrong
    document = json.loads(run.stdout)
    return (name, title, recognised, assumed), None if document[
        "recognised"
    ] == recognised else f"{name}: convert and analyze differ"


def files():
    for folder in ("hwloc", "nvidia-smi-topo"):
        yield from (row["file"] for row in json.loads((SHARED / folder / "INDEX.json").read_text()))
    for folder in sorted(p for p in (SHARED / "topologies").iterdir() if p.is_dir()):
        yield from (f"topologies/{folder.name}/{p.name}" for p in sorted(folder.glob("*.xml")))


def main():
    if not (SHARED / "topologies").is_dir():
        print("skipped: reading every file of ../shared, because it is not beside this checkout")
        sys.exit(77)
    rows, wrong = [], []
    for name in files():
        row, problem = look(name)
        rows.append(row)
        wrong += [problem] if problem else []
    wrong += shared_tables.hold("shared_inputs.md", ("file", "kind", "recognised", "assumed"), rows)
    if "--table" not in sys.argv[1:]:
        print(
            f"{len(rows)} files: {sum(row[1] != 'refused' for row in rows)} read, "
            f"{sum(row[1] == 'refused' for row in rows)} refused as they should be"
        )
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
