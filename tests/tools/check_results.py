#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every result of ../shared/bandwidth and compares it with the index of that folder; the table is kept in
tests/golden/shared_results.md. ORR_UPDATE_GOLDEN=1 writes the table anew. Without ../shared the check is skipped.

    python3 tests/tools/check_results.py [--table]     ORR_RESULTS_TABLE names the program that reads
"""
import json
import os
import pathlib
import subprocess
import sys

import shared_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANDWIDTH = ROOT.parent / "shared" / "bandwidth"
READER = os.environ.get("ORR_RESULTS_TABLE", str(ROOT / "build-dev" / "tests" / "results_table"))
HEAD = (
    "result",
    "form",
    "program",
    "ranks",
    "hosts",
    "GPUs",
    "NCCL",
    "tables",
    "rows",
    "last size",
    "busbw out of place",
    "in place",
)
# Texts that contradict the index: what the text says, and why that is right.
CONTRADICTS = {
    ("coreweave-h100-8n-sharp", "ranks"): (96, "busbw / algbw of every row is 1.979, the factor of 96 ranks"),
    # The index's author typed these rows by hand; "sum" and a count that is not of one rank's part.
    ("stas-h200-1n-all_gather", "program"): ("reduce_scatter", 'the row has the reduction "sum"'),
}


def sure(value, certain):
    return "not known" if not value else f"{value}" if certain else f"{value}, not certain"


def row_of(name, read):
    tables = read["tables"]
    table = tables[-1]
    form = read["form"] + (", NCCL's lines" if read["log"] else "")
    size = lambda way: f"{table[way]:.2f}" if table[way] >= 0 else ""
    return (
        name,
        form,
        sure(table["test"], table["test_certain"]),
        sure(table["ranks"], table["ranks_certain"]),
        sure(table["hosts"], True),
        table["model"] or "not known",
        read["library"] or "not known",
        str(len(tables)),
        str(sum(t["rows"] for t in tables)),
        str(table["size"]),
        size("out"),
        size("in"),
    )


def compare(entry, read):
    """The differences between the text and the index."""
    tables = read["tables"]
    table = tables[-1]
    said = {
        "rows": (sum(t["rows"] for t in tables), entry["rows"]),
        "program": (table["test"], entry["collective"]),
        "ranks": (table["ranks"], entry["gpus"]),
        "hosts": (table["hosts"], entry["hosts"]),
        "last size": (table["size"], entry["size_max"]),
    }
    if entry.get("nccl") and read["library"]:
        said["NCCL"] = (read["library"][: len(entry["nccl"])], entry["nccl"])
    wrong = []
    for what, (text, index) in said.items():
        known = text or what in ("rows", "last size")
        right = CONTRADICTS.get((entry["name"], what), (index,))[0]
        if known and text != right:
            wrong.append(f"{entry['name']}: {what} {text}, in the index {index}")
    if min(abs(table[way] - entry["busbw_at_max"]) for way in ("out", "in")) > 0.06:  # the index has means of some
        wrong.append(f"{entry['name']}: busbw {table['out']} and {table['in']}, in the index {entry['busbw_at_max']}")
    if read["torn"] or read["refused"] or read["left_out"]:
        wrong.append(
            f"{entry['name']}: {read['torn']} rows torn, {read['refused']} refused, {read['left_out']} left out"
        )
    return wrong


def main():
    if not BANDWIDTH.is_dir():
        print("skipped: published results of nccl-tests, because ../shared is not beside this checkout")
        sys.exit(77)
    index = json.loads((BANDWIDTH / "INDEX.json").read_text())
    run = subprocess.run([READER, *(str(BANDWIDTH / entry["file"]) for entry in index)], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    rows, wrong, named = [], [], 0
    for entry, line in zip(index, run.stdout.splitlines(), strict=True):
        read = json.loads(line)
        if "error" in read:
            wrong.append(f"{entry['name']}: {read['error']}")
            continue
        rows.append(row_of(entry["name"], read))
        wrong += compare(entry, read)
        named += read["tables"][-1]["test_certain"]
    wrong += shared_tables.hold("shared_results.md", HEAD, rows)
    if "--table" not in sys.argv[1:]:
        print(f"{len(rows)} of {len(index)} results are read; the program of {named} is certain")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
