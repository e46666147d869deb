#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the checks of a part of `./dev test` that passed, failed and were skipped, with the reasons for skipping.

usage: tally.py KIND STATUS LOG

KIND says how the part's runner reports: ctest (LOG is its JUnit file), pytest, node (TAP), or lines ("ok: ..." for
each check, or a closing 'N passed, N failed, N skipped'). STATUS is the runner's exit status. Whatever the runner, a
check that is a script says what it leaves out on a line of its own: "skipped: WHAT, because WHY". LOG.again, if it is
there, is the report of a second run of the files that failed (TAP): a test that passed in it counts as passed and is
named as unsteady.

Prints "PASSED FAILED SKIPPED" and then one line for each reason and each unsteady test. A part that fails without
reporting a failure, or that checks nothing, counts as failed.
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import tap

SAID = re.compile(r"^skipped: (.*)$", re.M)
PYTEST = re.compile(r"^SKIPPED \[(\d+)\] [^:\n]+(?::\d+)?: (.*)$", re.M)


def last_number(text, word):
    found = re.findall(rf"(\d+) {word}", text)
    return int(found[-1]) if found else 0


def ctest(text):
    passed = failed = 0
    reasons = []
    for case in ElementTree.fromstring(text).iter("testcase"):
        output = case.findtext("system-out") or ""
        said = SAID.findall(output) + pytest_reasons(output)
        reasons += said
        if case.get("status") == "run":
            passed += 1
        elif case.get("status") in ("notrun", "disabled") and case.find("skipped") is not None and said:
            pass  # by its exit status 77; it has said why
        else:
            failed += 1
    return passed, failed, len(reasons), reasons


def pytest_reasons(text):
    return [reason for count, reason in PYTEST.findall(text) for _ in range(int(count))]


def pytest(text):
    closing = text.rstrip().rsplit("\n", 1)[-1]
    said = SAID.findall(text)
    return (
        last_number(closing, "passed"),
        last_number(closing, "failed") + last_number(closing, "errors?"),
        last_number(closing, "skipped") + len(said),
        pytest_reasons(text) + said,
    )


def node(text):
    count = {
        word: int((re.findall(rf"^# {word} (\d+)", text, re.M) or [0])[-1])
        for word in ("pass", "fail", "cancelled", "skipped")
    }
    return (
        count["pass"],
        count["fail"] + count["cancelled"],
        count["skipped"],
        re.findall(r"^ *ok .*# SKIP ?(.*)$", text, re.M),
    )


def second_run(first, again, status):
    """How many failures of the first run did not come back in the second, and a line for each."""
    still = {name for name, _, _ in tap.failures(again)}
    passed, failed, _, _ = node(again)
    if not passed or (int(status) and not failed):
        return 0, []  # it ended without a report
    names = [name for name, _, _ in tap.failures(first) if name not in still]
    mended = len(names) if failed else node(first)[1]  # a test counts its parts and itself
    return mended, [f"unsteady: {name} (failed, and passed when its file ran again)" for name in names]


def lines(text):
    said = SAID.findall(text)
    closing = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", text, re.M)
    if not closing:
        return len(re.findall(r"^ok: ", text, re.M)), 0, len(said), said
    passed, failed, skipped = closing[-1]
    return int(passed), int(failed), int(skipped) if skipped else len(said), said


def main():
    kind, status, path = sys.argv[1:]
    with open(path, errors="replace") as log:
        text = log.read()
    try:
        passed, failed, skipped, reasons = {"ctest": ctest, "pytest": pytest, "node": node, "lines": lines}[kind](text)
    except ElementTree.ParseError:  # ctest ended before it wrote its report
        passed, failed, skipped, reasons = 0, 1, 0, []
    unsteady = []
    if kind == "node" and failed and os.path.exists(f"{path}.again"):
        with open(f"{path}.again", errors="replace") as log:
            mended, unsteady = second_run(text, log.read(), status)
        passed, failed = passed + mended, failed - mended
    if not failed and (int(status) or not passed + skipped):
        failed = 1
    print(passed, failed, skipped)
    for line in unsteady:
        print(line)
    for reason, count in collections.Counter(reasons).items():
        print(f"skipped: {reason or 'no reason is given'}" + (f" ({count} times)" if count > 1 else ""))


if __name__ == "__main__":
    main()
