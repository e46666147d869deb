#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts two faults into a known machine and checks that the diagnosis compares with the sound machine.

    ORRERY=build/orrery tests/tools/check_fault_pairs.py [--every N] [--only TYPE] [--list]

One of two faults that hit all equal devices may hide the other, because a repair alone gains nothing while the other
fault limits as well, or because the other fault shows only in the repaired machine. The verdict must say what
everything repaired gets, which is the figure of the unbroken machine, and must not call the machine healthy."""
import argparse
import copy
import itertools
import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ET

from check_faults import SHARE, analyse, bandwidth, run
from machine_faults import ALL_ALIKE, ASKING, FAULTS, look


def judge(document, now, whole):
    """What is wrong with the verdict on a machine with two faults, or None. now, whole: GB/s by number of hosts."""
    if not document:
        return "no analysis"
    verdict = document["summary"]["verdict"]
    titles = [finding["title"] for finding in document["findings"]]
    if len(set(titles)) < len(titles):
        return f"two findings have one title: {sorted(titles)}"
    if not any(whole[hosts] and now[hosts] and now[hosts] < 0.97 * whole[hosts] for hosts in whole):
        return None
    if {finding["id"] for finding in document["findings"]} & ASKING:
        return None
    if verdict["state"] != "degraded" or not verdict["cost"] or verdict["cost"]["unit"] != "GB/s":
        return f"{now} of {whole} GB/s, and the verdict is {verdict['state']}: {verdict['sentence']}"
    reference, expected = verdict["cost"]["all_repaired"], whole[str(verdict["cost"]["hosts"])]
    shown = re.search(r"gets [^ ]+ of ([^ ]+) GB/s", verdict["sentence"])
    if abs(reference - expected) > 0.015 * expected or not shown or abs(float(shown[1]) / reference - 1) > 0.006:
        return f"the reference is {reference:.0f} instead of {expected:.0f} GB/s: {verdict['sentence']}"
    return None


def machines(trees, every):
    """Name, unbroken tree, pair and broken tree of every Nth case. A rack takes long, and its trays are types too."""
    number = 0
    simpler = {}  # a machine that is sound or has one fault, and the machine without the fault
    for tree in trees.values():
        for kind in (None, "all-ports-slow", "half-the-nics-gone"):
            other = copy.deepcopy(tree)
            if not kind or FAULTS[kind][0](other):
                simpler.setdefault(look(other), set()).add(look(tree))
    for name, tree in trees.items():
        if len({cpu.get("host_hash") for cpu in tree.iter("cpu")}) > 1:
            continue
        for pair in itertools.combinations(ALL_ALIKE, 2):
            broken = copy.deepcopy(tree)
            if not all(FAULTS[kind][0](broken) for kind in pair):
                continue
            if simpler.get(look(broken), set()) - {look(tree)}:
                continue  # a machine of another type with fewer faults: the simpler explanation is as good
            number += 1
            if not number % every:
                yield name, tree, pair, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take every Nth case only")
    parser.add_argument("--only", help="take only this machine type")
    parser.add_argument("--list", action="store_true", help="print every case")
    args = parser.parse_args()
    types = [row["name"] for row in json.loads(run("machines", "--json").stdout)["machines"]]
    trees = {name: ET.fromstring(run("convert", "--machine", name).stdout) for name in types}
    wholes, failed, cases = {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump.xml")
        for name, tree, pair, broken in machines(trees, args.every):
            if args.only and name != args.only:
                continue
            if name not in wholes:
                ET.ElementTree(tree).write(path)
                wholes[name] = {hosts: bandwidth(path, hosts=hosts) for hosts in "12"}
            ET.ElementTree(broken).write(path)
            now = {hosts: bandwidth(path, hosts=hosts) for hosts in "12"}
            wrong = judge(analyse(path, 2), now, wholes[name])
            cases += 1
            failed += [f"{name} {' and '.join(pair)}: {wrong}"] if wrong else []
            if args.list:
                print(f"{name} {' and '.join(pair)}: {wrong or 'right'}")
    print("\n".join(failed))
    print(f"pairs of faults: {cases} machines, {len(failed)} with a verdict that does not know the unbroken machine")
    sys.exit(not cases or len(failed) > (1 - SHARE) * cases)


if __name__ == "__main__":
    main()
