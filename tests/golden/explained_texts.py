#!/usr/bin/env python3
"""Texts of `orrery explain`: every kind of question about the examples and about made-up machines, compared with
explained/*.txt.

    ORRERY=build-dev/orrery python3 tests/golden/explained_texts.py     compares, shows the differences
    ORR_UPDATE_GOLDEN=1 ...                                             rewrites; read the diff like a ticket

A file holds all answers of one machine. Beside the texts it is checked that the answer comes first, in at most four
sentences without a field of the release table, that --verbose only adds, and that what is assumed is not called
measured.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ORRERY = os.environ.get("ORRERY", "build-dev/orrery")
H100 = [
    "p2p --from 0 --to 1",
    "path --from 5 --to NET/0-5",
    "gdr --from 0 --to NET/0-0",
    "gdr --from NET/0-5 --to 5",
    "nic --from 2 --channel 1",
    "pxn --from 0 --to NET/0-3",
    "pxn --from 0 --to NET/0-0",
    "graph",
    "graph --graph nvls",
    "tree",
    "channels",
    "nvls",
    "algorithm --bytes 64M",
    "algorithm --collective AllGather --bytes 1000",
]

# Name of the file, the input, release, further options, questions.
CASES = [
    ("h100-with-faults", ["static/examples/h100-with-faults.xml"], "2.30.7", ["--hosts", "2"], H100),
    (
        "h100-with-faults-2.12.12",
        ["static/examples/h100-with-faults.xml"],
        "2.12.12",
        ["--hosts", "2"],
        ["gdr --from NET/0-5 --to 5", "pxn --from 0 --to NET/0-3", "graph", "tree", "channels", "nvls"],
    ),
    (
        "hgx-h100-assumed",
        ["--machine", "hgx-h100"],
        "2.30.7",
        ["--hosts", "2"],
        ["p2p --from 0 --to 1", "path --from 0 --to NET/0-0", "gdr --from 0 --to NET/0-0", "graph", "nvls"],
    ),
    (
        "two-sockets",
        ["tests/data/two-sockets-no-p2p.xml"],
        "2.27.7",
        [],
        ["p2p --from 0 --to 1", "path --from 0 --to 1", "graph", "channels", "nvls"],
    ),
    (
        "two-sockets-2.7.8",
        ["tests/data/two-sockets-no-p2p.xml"],
        "2.7.8",
        [],
        ["p2p --from 0 --to 1", "graph", "tree", "channels", "nvls"],
    ),
    (
        "two-sockets-p2p-off",
        ["tests/data/two-sockets-no-p2p.xml"],
        "2.27.7",
        ["--set", "NCCL_P2P_DISABLE=1", "--set", "NCCL_MAX_NCHANNELS=1"],
        ["p2p --from 0 --to 1", "channels"],
    ),
    (
        "v100",
        ["static/examples/v100-cube-mesh.xml"],
        "2.21.5",
        ["--hosts", "2"],
        [
            "p2p --from 0 --to 5",
            "path --from 0 --to 5",
            "gdr --from 0 --to NET/0-0",
            "tree",
            "nvls",
            "algorithm --bytes 8M",
        ],
    ),
    (
        "grace-blackwell",
        ["static/examples/grace-blackwell-tray.xml"],
        "2.30.7",
        ["--hosts", "2"],
        ["gdr --from 0 --to NET/0-0", "path --from 0 --to NET/0-0", "nvls"],
    ),
    (
        "symmetric-rtx-5090",  # NVIDIA/nccl#2275
        ["tests/data/rtx-5090-8gpu.xml"],
        "2.30.7",
        [],
        ["symmetric", "lsa", "multimem", "gin", "ce", "registration"],
    ),
    (
        "symmetric-h100",
        ["static/examples/h100-nvswitch.xml"],
        "2.30.7",
        ["--windows", "both"],
        ["symmetric", "symmetric --bytes 16k", "symmetric --datatype int32", "multimem", "ce"],
    ),
    (
        "symmetric-h100-two-hosts",
        ["static/examples/h100-nvswitch.xml"],
        "2.30.4",
        ["--hosts", "2", "--windows", "both"],
        ["symmetric", "symmetric --collective ReduceScatter --bytes 16M", "lsa", "gin", "registration"],
    ),
    (
        "symmetric-h100-rails",
        ["static/examples/h100-nvswitch.xml"],
        "2.29.2",
        ["--hosts", "2", "--set", "NCCL_CROSS_NIC=0"],
        ["symmetric", "gin"],
    ),
    ("single-gpu", ["tests/data/single-gpu.xml"], "2.27.7", [], ["tree", "channels", "nvls", "algorithm --bytes 8"]),
]


def explain(case, ask, *more):
    _, input_, release, options, _ = case
    command = [ORRERY, "explain", "--release", release, *options, "--why", *ask.split(), *more, *input_]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    return done.stdout if done.returncode == 0 else f"refused: {done.stderr}"


def check(case, ask, text):
    """The faults of one answer that do not depend on its wording."""
    if text.startswith("refused: "):
        return [text]
    told = json.loads(explain(case, ask, "--json"))
    verbose, brief = explain(case, ask, "--verbose"), text.split("\n\nRule ", 1)[0]
    flat, wrong = " ".join(brief.split()), []
    sentences = re.findall(r"[.:](?= [A-Z]|$)", " ".join(told["answer"].split()))
    if not flat.startswith(" ".join(told["question"].split())) or told["answer"] not in flat:
        wrong.append("the answer does not come first")
    if not 1 <= len(sentences) <= 5:
        wrong.append(f"{len(sentences)} sentences in the answer")
    if told["advice"] and told["advice"] not in flat:
        wrong.append("the advice is not with the answer")
    for row in told["release_rules"]:
        if re.search(rf"^  {re.escape(row['behaviour'])}: ", text, re.M):
            wrong.append(f"{row['behaviour']} without --verbose")
        if f"  {row['behaviour']}: {row['value']} " not in verbose:
            wrong.append(f"--verbose lacks {row['behaviour']}")
    for row in told["compared"]:
        if row.get("internal") and f"\n  {row['name']}: " in text:
            wrong.append(f"{row['name']} without --verbose")
        if row["origin"] == "default" and not row["source"].endswith(f"in NCCL {case[2]}"):
            wrong.append(f"{row['name']}: the default of another release")
        if "machine" in "".join(case[1]) and row["origin"] in ("dump", "part-assumed"):
            wrong.append(f"{row['name']} is assumed, and called {row['source']}")
        if "machine" not in "".join(case[1]) and row["origin"] in ("assumed", "part-assumed"):
            wrong.append(f"{row['name']} is in the dump, and called {row['source']}")
    if re.search(r"\(the dump\)|\btold\b|\btells\b|so since NCCL", text):
        wrong.append("words that are not Orrery's")
    return wrong


def main():
    bad, answers, update = 0, 0, os.environ.get("ORR_UPDATE_GOLDEN")
    for case in CASES:
        parts = []
        for ask in case[4]:
            text = explain(case, ask)
            for line in check(case, ask, text):
                bad += 1
                print(f"{case[0]} --why {ask}: {line}")
            answers += 1
            parts.append(f"## --why {ask}\n\n{text}")
        path, made = HERE / "explained" / f"{case[0]}.txt", "\n".join(parts)
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made)
        expected = path.read_text() if path.exists() else ""
        if made != expected:
            bad += 1
            sys.stdout.writelines(
                difflib.unified_diff(
                    expected.splitlines(True), made.splitlines(True), str(path.relative_to(ROOT)), "now"
                )
            )
    left = {path.stem for path in (HERE / "explained").glob("*.txt")} - {case[0] for case in CASES}
    print(
        f"explained_texts: {answers} answers of {len(CASES)} machines, {bad} wrong"
        + (f"; no case: {', '.join(sorted(left))}" if left else "")
    )
    return bad > 0 or bool(left)


if __name__ == "__main__":
    sys.exit(main())
