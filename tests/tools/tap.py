#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the failures in a report of Node's test runner (TAP).

usage: tap.py files LOG     the test files that hold a failure, a line each
       tap.py failures LOG  every failed test with its place, error and stack, without those that passed
"""
import re
import sys

# A test that failed, with the indented block that tells why. A file that ends early is a test of its own, without one.
FAILED = re.compile(r"^( *)not ok \d+ - (.*)\n((?:\1  ---\n(?:.*\n)*?\1  \.\.\.\n)?)", re.M)
PLACE = re.compile(r"^ *location: '(.*?):\d+:\d+'$", re.M)


def failures(text):
    """(name, file, block) of each; one that failed only because a test inside it did is left out."""
    found = []
    for match in FAILED.finditer(text):
        _, name, block = match.groups()
        if "failureType: 'subtestsFailed'" in block:
            continue
        place = PLACE.search(block)
        found.append((name, place.group(1) if place else name, match.group(0)))
    return found


def files(text):
    return sorted({file for _, file, _ in failures(text)})


def main():
    what, path = sys.argv[1:]
    with open(path, errors="replace") as log:
        text = log.read()
    if what == "files":
        print("\n".join(files(text)))
    else:
        print("".join(block for _, _, block in failures(text)), end="")


if __name__ == "__main__":
    main()
