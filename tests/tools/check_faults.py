#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts faults into known machines and checks that the diagnosis names each of them and its cost.

    ORRERY=build/orrery tests/tools/check_faults.py [--every N] [--list]

Every machine type is written as XML, each kind of fault that it can have is put into a copy of that XML, and the copy
is analysed. A fault counts as found if the headline is about it, or about a finding that it follows from, and states a
cost. A fault that changes no figure of the analysis must still be a finding, and its cost must say so. The unbroken
machine must have nothing above info. machine_faults.py has the faults, check_fault_pairs.py puts in two. The report of
`orrery show` about a broken machine with up to eight GPUs fits two screens.

--assumed gives `nvidia-smi topo -m` of each machine instead, sound and with faults that this table does not show. It
lacks speeds, so nothing may be called healthy, fit or as expected where a speed that nobody knows decides. A table of
`nvidia-smi topo -mp` lacks NVLinks too: beside a machine that has some, the gate gives no verdict at all."""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import other_forms
from machine_faults import ASKING, FAULTS, cards, look, nvlinks_gone

ORRERY = os.path.abspath(os.environ.get("ORRERY", "build/orrery"))
SHARE = 0.98  # of the faults that must be found
MOST_LINES = 100  # of a report of 80 columns: two screens


def run(*args, text=None, cwd=None):
    return subprocess.run(
        [ORRERY, *args], input=text, capture_output=True, text=True, check=False, timeout=600, cwd=cwd
    )


OF_TYPES = {"all-ports-slow", "all-ports-very-slow", "half-the-nics-gone", "half-the-gpus-gone"}


def analyse(path, hosts):
    done = run("analyze", "--hosts", str(hosts), "--domain", "1", path)  # otherwise trays are a question
    return json.loads(done.stdout) if done.returncode == 0 else None


def lines_of_report(path):
    folder, name = os.path.split(path)  # commands of the report name the file: a long path would wrap them
    return run("show", "--hosts", "2", name, cwd=folder).stdout.count("\n")


def costs_nothing(finding):
    """The repair makes no figure better by a hundredth."""
    cost = finding["cost"]
    return bool(cost) and (
        cost["repaired"] <= cost["now"] * 1.01 if cost["unit"] != "us" else cost["repaired"] >= cost["now"] * 0.99
    )


def judge(document, ids):
    """'found', 'no effect' (a finding whose repair changes nothing), or what went wrong."""
    if not document:
        return "no analysis"
    rows = [f for f in document["findings"] if f["id"] in ids]
    verdict = document["summary"]["verdict"]
    if not rows:
        return f"no finding; headline {verdict['finding']}"
    if any(f["id"] in ASKING and f["detail"] in verdict["sentence"] for f in rows):
        return "found"
    if verdict["finding"] in ids and any(f["cost"] for f in rows):
        return "found"
    if any(f["follows_from"] == verdict["finding"] for f in rows if f["follows_from"]):
        return "found"
    if all(costs_nothing(f) for f in rows):
        return "no effect"
    return f"headline {verdict['finding']}, not {sorted(f['id'] for f in rows)}"


UNSEEN = ("all-ports-slow", "all-ports-very-slow", "port-slow", "gdr-off", "all-links-gen4", "gpu-narrow")


def bandwidth(path, *words, hosts="2"):
    done = run("predict", "--hosts", hosts, "--sizes", "1G:1G:2", "--json", *words, path)
    return json.loads(done.stdout)["rows"][0]["busbw"] if done.returncode == 0 else None


def bandwidth_lost(path, unbroken):
    """What a machine loses beside the unbroken one although each repair alone changes nothing, or None."""
    for hosts in "12":
        now, whole = bandwidth(path, hosts=hosts), bandwidth(unbroken, hosts=hosts)
        if now and whole and now < 0.99 * whole:
            return f"{now:.0f} of {whole:.0f} GB/s on {hosts} hosts, and no finding costs anything"
    return None


def judge_assumed(name, path, folder, hidden):
    """The statements about a table of `nvidia-smi topo -m` that rest on an assumed speed, as a list."""
    wrong = []
    document = analyse(path, 2)
    if not document:
        return ["no analysis"]
    state, sentence = document["summary"]["verdict"]["state"], document["summary"]["verdict"]["sentence"]
    if state == "healthy" or "ealthy" in sentence or (hidden and state != "cannot tell"):
        wrong.append(f"called healthy: {sentence}")
    gate = run("gate", "--timeout", "600", "--expect", name, path)
    if gate.returncode == 0 or (hidden and gate.returncode != 4):
        wrong.append(f"gate: {gate.stdout.strip()}")
    slow, fast = (bandwidth(path, "--assume-nics", speed) for speed in ("200", "400"))
    if slow and fast and fast > 1.3 * slow:  # then these results are as expected, or low: nobody can know
        results = os.path.join(folder, "results.txt")
        with open(results, "w") as file:
            file.write(run("predict", "--hosts", "2", "--assume-nics", "200", path).stdout)
        said = run("check-perf", "--text", "--topology", path, "--hosts", "2", results)
        if said.returncode == 0:
            wrong.append(f"check-perf: {said.stdout.splitlines()[0]}")
    return wrong


def check_assumed(trees, every):
    cases = number = 0
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.txt")
        for name, tree in trees.items():
            if len({cpu.get("host_hash") for cpu in tree.iter("cpu")}) > 1:
                continue  # a rack: nvidia-smi shows one of its hosts
            for kind in ("", "topo-mp", *UNSEEN):
                broken, hidden = copy.deepcopy(tree), kind == "topo-mp"
                if kind and not (nvlinks_gone if hidden else FAULTS[kind][0])(broken):
                    continue
                number += 1
                if number % every:
                    continue
                cases += 1
                machine = other_forms.Machine(ET.tostring(broken, encoding="unicode"))
                with open(path, "w") as file:
                    file.write("$ nvidia-smi topo -mp\n" * hidden + other_forms.matrix(machine))
                failed += [f"{name} {kind}: {text}" for text in judge_assumed(name, path, folder, hidden)]
    print("\n".join(failed))
    print(f"assumed inputs: {cases} tables of nvidia-smi topo -m, {len(failed)} wrong")
    sys.exit(bool(failed) or not cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take every Nth case only")
    parser.add_argument("--only", help="take only faults whose name has this in it")
    parser.add_argument("--list", action="store_true", help="print every case")
    parser.add_argument("--assumed", action="store_true", help="give tables of nvidia-smi topo -m instead")
    args = parser.parse_args()
    types = [row["name"] for row in json.loads(run("machines", "--json").stdout)["machines"]]
    cases = found = silent = number = 0
    failed, noisy, long, other = [], [], [], []
    trees = {name: ET.fromstring(run("convert", "--machine", name).stdout) for name in types}
    if args.assumed:
        check_assumed(trees, args.every)
    sound = {look(tree) for tree in trees.values()}
    with tempfile.TemporaryDirectory() as folder:
        for name, tree in trees.items():
            path, unbroken = os.path.join(folder, "dump.xml"), os.path.join(folder, "unbroken.xml")
            ET.ElementTree(tree).write(unbroken)
            kinds = [("", None, None)] + [(kind, *row) for kind, row in FAULTS.items() if (args.only or "") in kind]
            for kind, edit, ids in kinds:
                broken = copy.deepcopy(tree)
                if edit and not edit(broken):
                    continue
                number += 1
                if number % args.every:
                    continue
                ET.ElementTree(broken).write(path)
                document = analyse(path, 2)
                if not edit:
                    above = [f["id"] for f in document["findings"] if f["severity"] != "info"]
                    noisy += [f"{name}: {above}, {document['summary']['verdict']['sentence']}"] if above else []
                    continue
                if kind in OF_TYPES and look(broken) != look(tree) and look(broken) in sound:
                    other.append(f"{name} {kind}")  # it is a sound machine of another type
                    continue
                cases += 1
                lines = lines_of_report(path) if len(cards(broken, "gpu")) <= 8 else 1
                long += [f"{name} {kind}: a report of {lines} lines"] if not 0 < lines <= MOST_LINES else []
                result = judge(document, ids)
                if result == "no effect" and (lost := bandwidth_lost(path, unbroken)):
                    result = lost
                found += result == "found"
                silent += result == "no effect"
                if args.list:
                    print(f"{name} {kind}: {result}")
                if result not in ("found", "no effect"):
                    failed.append(f"{name} {kind}: {result}")
    print("\n".join(failed + long + [f"unbroken {line}" for line in noisy]))
    print(
        f"faults: {cases} cases, {found} in the headline, {silent} proven to cost nothing, {len(failed)} missed; "
        f"{len(noisy)} unbroken machines with more than notes; {len(other)} broken ones that are sound machines of "
        "another type"
    )
    sys.exit(bool(noisy or long) or not cases or found + silent < SHARE * cases)


if __name__ == "__main__":
    main()
