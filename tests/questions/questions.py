#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Questions that people really asked, in their own words: what the first five lines of the answer must contain, and
what no answer may contain.

The files of rows/ have a row for each question: the arguments of orrery, the words that the first five lines have
("first"; "A|B": one of them), those of any line ("holds") and the words that no line has ("never"). twenty.json asks
about the files of ../shared/questions, which are not part of the repository: such rows are skipped where that folder
is missing. pastes.json asks about files of tests/questions/own, which are of the same kinds and ours. cloud.json,
lines.json and faults.json have lines of logs and tools, results*.json results, and words_*.json questions in words, by
the tables of engine/symptoms that answer them; words_other.json has those that other rules answer.

messages.csv has public messages, each with the row of the table of messages that answers it and where it was reported.

    ORRERY=build/orrery python3 tests/questions/questions.py [--every N] [ID...]

--every takes every Nth question and message.
"""
import argparse
import csv
import glob
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ORRERY = os.environ.get("ORRERY", os.path.join(ROOT, "build", "orrery"))
SHARED = os.path.join(os.path.dirname(ROOT), "shared", "questions")
FIRST = 5
MESSAGES = 120  # the least number of rows


def answer(arguments, text=None):
    """All that the command prints, and its first lines that are not blank."""
    command = [ORRERY] + [
        re.sub("^shared/", SHARED + "/", re.sub("^own/", os.path.join(HERE, "own") + "/", word)) for word in arguments
    ]
    environment = dict(os.environ, COLUMNS="120")
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    printed = done.stdout or done.stderr
    lines = [line for line in printed.splitlines() if line.strip()]
    return done, printed, "\n".join(lines[:FIRST])


def fold(text):
    return re.sub(r"\s+", " ", text)


def judge(row):
    """What is wrong with the answer to a row; a list of sentences."""
    done, printed, first = answer(row["ask"], row.get("text"))
    wrong = []
    if done.returncode not in (0, 3, 4, row.get("status", 0)):
        wrong.append(f"exit status {done.returncode}: {done.stderr.strip()[:200]}")
    for words in row["first"]:
        if not any(fold(word) in fold(first) for word in words.split("|")):
            wrong.append(f"the first {FIRST} lines lack {words!r}")
    for word in row.get("holds", []):
        if fold(word) not in fold(printed):
            wrong.append(f"the answer lacks {word!r}")
    for word in row.get("never", []):
        if fold(word) in fold(printed):
            wrong.append(f"an answer must not say {word!r}")
    for word in row.get("not_first", []):
        if fold(word) in fold(first):
            wrong.append(f"the first {FIRST} lines must not say {word!r}")
    return wrong, first


def check_rows(asked, every):
    failed = passed = skipped = 0
    rows = []
    for name in sorted(glob.glob(os.path.join(HERE, "rows", "*.json"))):
        with open(name, encoding="utf-8") as file:
            rows += json.load(file)
    for row in rows[::every]:
        if asked and row["id"] not in asked:
            continue
        if any(word.startswith("shared/") for word in row["ask"]) and not os.path.isdir(SHARED):
            skipped += 1
            continue
        wrong, first = judge(row)
        if wrong:
            failed += 1
            print(f"{row['id']}: orrery {' '.join(row['ask'])}")
            for sentence in wrong:
                print(f"  {sentence}")
            print("  | " + first.replace("\n", "\n  | "))
        else:
            passed += 1
    if skipped:
        print(f"skipped: {skipped} questions, because ../shared/questions is missing")
    return passed, failed


def check_messages(every):
    """Each message, as a log has it, is the event of its row."""
    failed = passed = 0
    with open(os.path.join(HERE, "messages.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    public = {row["line"] for row in rows if row["source"]}
    if len(public) < MESSAGES:
        failed += 1
        print(f"messages.csv has {len(public)} messages with a source, not {MESSAGES}")
    for row in rows[::every]:
        done, printed, _ = answer(["check-log", "--json", "-"], row["line"] + "\n")
        try:
            document = json.loads(printed)
            triage = document.get("triage", document)
            ids = [event["id"] for event in triage["events"]] + [symptom["id"] for symptom in triage["symptoms"]]
        except (ValueError, KeyError):
            ids = [done.stderr.strip()[:100]]
        if row["row"] in ids:
            passed += 1
        else:
            failed += 1
            print(f"{row['line'][:120]}\n  {ids}, not {row['row']} ({row['source']})")
    return passed, failed


def check_speed():
    """A paste of 1 MB of all kinds is read in reasonable time; the figures are printed, not judged."""
    parts = []
    for name in sorted(os.listdir(os.path.join(HERE, "own"))):
        with open(os.path.join(HERE, "own", name), encoding="utf-8") as file:
            parts.append(file.read())
    text = "\n".join(parts)
    text *= 1 + 1000000 // len(text)
    started = time.monotonic()
    before = os.times()
    answer(["check-log", "--json", "-"], text[:1000000])
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"a paste of 1 MB: {1000 * (time.monotonic() - started):.0f} ms, of which {1000 * used:.0f} ms of CPU time")


def main():
    parser = argparse.ArgumentParser(description="Asks the questions of rows/ and messages.csv.")
    parser.add_argument("--every", type=int, default=1, help="every Nth question and message")
    parser.add_argument("ids", nargs="*", help="ids of questions; all by default")
    args = parser.parse_args()
    passed, failed = check_rows(set(args.ids), args.every)
    if not args.ids:
        more = check_messages(args.every)
        passed, failed = passed + more[0], failed + more[1]
        check_speed()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
