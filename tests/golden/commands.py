#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the text that each command prints for people with commands/*.txt, at 80 and 120 columns (COLUMNS).

    ORRERY=build-dev/orrery python3 tests/golden/commands.py     compares, shows the differences
    ORR_UPDATE_GOLDEN=1 ...                                      rewrites; read the diff like a ticket

Beside the text it is checked that no line is wider than the page, that the verdict comes first, that --verbose only
adds, that --help of every command fits a screen, and that a terminal shows the same words. `orrery show` has a test of
its own (show.py).
"""
import os
import re
import subprocess
import sys

from kept import ROOT, Kept
from show import on_terminal

ORRERY = str(ROOT / os.environ.get("ORRERY", "build-dev/orrery"))
LOGS, INPUTS, EXAMPLES = "tests/data/logs", "tests/golden/commands", "static/examples"
SCREEN = 40  # lines of --help at 80 columns

# Name of the files, what the first lines say, arguments. A second list is what --verbose can be added to.
CASES = [
    ("explain", r"Can rank 0 .*\n\n  Yes: ", f"explain --why p2p --from 0 --to 1 {EXAMPLES}/workstation-2gpu.xml"),
    (
        "explain-graph",
        r"Why does the ring graph have 13",
        f"explain --why graph --hosts 2 {EXAMPLES}/h100-with-faults.xml",
    ),
    (
        "check-log",
        r"Verdict: ",
        f"check-log --topology {EXAMPLES}/workstation-2gpu.xml {LOGS}/workstation-2.27.7-2h.log",
    ),
    ("check-log-differs", r"Verdict: ", f"check-log --machine dgx-h100 {LOGS}/workstation-2.27.7-2h.log"),
    ("check-perf", r"125 GB/s .*", f"check-perf --text --machine hgx-h100 --hosts 2 {INPUTS}/slow.input"),
    (
        "compare",
        r"AlltoAll at 1 GiB on 2 hosts changes most: ",
        f"compare --text {EXAMPLES}/h100-nvswitch.xml {EXAMPLES}/h100-with-faults.xml",
    ),
    (
        "compare-majority",
        r"static/examples/h100-with-faults\.xml: AlltoAll at 1 GiB on 2 hosts changes most:",
        f"compare --majority --text {EXAMPLES}/h100-nvswitch.xml {EXAMPLES}/h100-nvswitch.xml "
        f"{EXAMPLES}/h100-nvswitch.xml {EXAMPLES}/h100-nvswitch.xml {EXAMPLES}/h100-with-faults.xml",
    ),
    ("place", r"Take GPUs 0, 2, 4, 6: ", f"place --text --count 4 --hosts 2 --compare 0,1,2,3 {EXAMPLES}/aws-p4d.xml"),
    ("place-jobs", r"Give the jobs GPUs ", f"place --text --jobs 4,2,2 --hosts 2 {EXAMPLES}/aws-p4d.xml"),
    ("order", r"", f"order --format text --cluster {INPUTS}/cluster.input"),
    ("gate", r"h100-nvswitch: fit: ", f"gate --expect hgx-h100 --timeout 600 {EXAMPLES}/h100-nvswitch.xml"),
    ("gate-degraded", r"h100-with-faults: ", f"gate --expect hgx-h100 --timeout 600 {EXAMPLES}/h100-with-faults.xml"),
    ("predict", r"(# Up|all_reduce_perf on 2 hosts: up) to ", "predict --machine hgx-h100 --hosts 2 --sizes 1M:8G:4"),
    ("scaling", r"AllReduce at 1 GiB gets ", "scaling --machine hgx-h100 --hosts 1,2,4"),
    ("groups", r"512 ranks, NCCL ", "groups --text --hosts 64 --layout tp=8,pp=4 --machine hgx-h100"),
    ("channels", r"Channels of NCCL .* on 2 hosts", f"channels --text --hosts 2 {EXAMPLES}/workstation-2gpu.xml"),
    ("p2p", r"Rank 0", f"p2p --text --hosts 2 {EXAMPLES}/workstation-2gpu.xml"),
    ("releases", r"2\.17\.1\n", "releases --release 2.17.1"),
    ("settings", r"Settings that change ", "settings --release 2.12.12"),
    ("facts", r"nccl\.orrery/gpus=8", "facts --machine hgx-h100"),
    ("machines", r"Machine types", "machines"),
    ("help", r"Orrery .* shows how NCCL sees a machine", "help"),
    ("help-options", r"Options that most commands have", "help options"),
    ("help-place", r"orrery place: ", "help place"),
    ("help-scheduler", r".*", "help scheduler"),
]
# Commands that write a document, which is the same at every width; what they say beside it is for people.
DOCUMENTS = [
    ("analyze", f"analyze --section summary {EXAMPLES}/workstation-2gpu.xml"),
    ("analyze-findings", "analyze --section findings tests/data/two-sockets-no-p2p.xml"),
    ("convert", "convert tests/data/version-2-tabs.xml"),
    ("vm-file", f"vm-file {EXAMPLES}/workstation-2gpu.xml"),
    ("anonymise", f"anonymise {EXAMPLES}/workstation-2gpu.xml"),
    ("render", f"render --format dot {EXAMPLES}/workstation-2gpu.xml"),
]
ELSEWHERE = {
    "show": "show.py",
    "detect": "tests/detect/expected, because it describes the machine on which it runs",
    "gather": "the same machine, packed; tests/detect reads it again",
    "serve": "answers over HTTP, as tests/http asks for them",
    "token": "a random token; tests/http/test_access.py",
}
VERBOSE = ("explain", "explain-graph", "check-log", "check-log-differs", "check-perf", "compare")


def run(arguments, columns):
    kept = {name: value for name, value in os.environ.items() if name not in ("LINES", "NO_COLOR", "PAGER")}
    done = subprocess.run(
        [ORRERY, *arguments.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        env={**kept, "LC_ALL": "C", "COLUMNS": str(columns)},
    )
    return re.sub(r"^Orrery [0-9.]+\S*", "Orrery X", done.stdout), done


def wide_lines(text, columns, arguments):
    """Lines that exceed the page; blocks of code in a guide are kept as they are, for copying."""
    return [
        f"a line of {len(line)} columns: {line}"
        for line in text.split("\n")
        if len(line) > columns and not (arguments.startswith("help ") and line.startswith("    "))
    ]


def words_of(text):
    return set(re.findall(r"\S+", text))


def main():
    kept = Kept("commands", {"cluster.input", "slow.input"})
    for name, first, arguments in CASES:
        for columns in (80, 120):
            text, done = run(arguments, columns)
            wrong = wide_lines(text, columns, arguments)
            if not re.match(first, text):
                wrong.append(f"begins with {text[:120]!r} {done.stderr[:400]}, not {first!r}")
            kept.hold(f"{name}.{columns}.txt", text, wrong)
        if name in VERBOSE:
            more, _ = run(f"{arguments} --verbose", 120)
            lost = {word for word in words_of(text) - words_of(more) if "--" not in word and not word.isdigit()}
            if lost - {"and", "more", "kinds", "of", "change", "figure", "figures"} or len(more) <= len(text):
                kept.wrong(f"{name} --verbose lacks {sorted(lost)}")
    helps = {80: [], 120: []}
    names = re.findall(r"^  ([a-z][a-z0-9-]+) +\S", run("help", 120)[0].split("Commands (")[1], re.M)
    for command in names:
        for columns in helps:
            text, _ = run(f"{command} --help", columns)
            helps[columns].append(text)
            wrong = wide_lines(text, columns, "")
            if text.count("\n") > SCREEN and columns == 80:
                wrong.append(f"{text.count(chr(10))} lines")
            if text.count("\n  orrery ") + text.count("\n  ./all") + text.count("\n  nvidia-smi") < 2:
                wrong.append("fewer than two examples")
            for line in wrong:
                kept.wrong(f"{command} --help at {columns} columns: {line}")
    for name, arguments in DOCUMENTS:
        narrow, wide = run(arguments, 80)[1], run(arguments, 120)[1]
        wrong = wide_lines(narrow.stderr, 80, "")
        if narrow.stdout != wide.stdout or not narrow.stdout:
            wrong.append("the document depends on the width, or is empty")
        kept.hold(f"{name}.txt", f"{narrow.stdout}--- and says:\n{narrow.stderr}", wrong)
    shown = {row[-1].split()[0] for row in CASES + DOCUMENTS}
    for command in set(names) - shown - ELSEWHERE.keys():
        kept.wrong(f"no text of {command} is kept")
    if len(names) < 20:
        kept.wrong(f"only {len(names)} commands found")
    for columns, found in helps.items():
        kept.hold(f"every-help.{columns}.txt", "\n".join(found), [])
    shown = on_terminal(CASES[0][2].split()[1:], 80, "explain")
    if words_of(shown) != words_of(run(CASES[0][2], 80)[0]):
        kept.wrong(f"a terminal shows other words:\n{shown}")
    return kept.close()


if __name__ == "__main__":
    sys.exit(main())
