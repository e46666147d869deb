#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts faults into known machines and checks the exit status and the reason of `orrery gate`.

    ORRERY=build/orrery tests/tools/check_gate.py [--every N] [--list]

Every machine type is written as XML. Unbroken, it must be fit (status 0) compared with its type and with its own file.
Each kind of fault of check_faults.py is put into a copy; compared with the type and with the unbroken file, the gate
must end with status 3 and a reason that is the finding of that fault or one that it follows from, or with 0 if `orrery
analyze` proves that the fault costs nothing."""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import check_faults

ORRERY = os.environ.get("ORRERY", "build/orrery")
FIT, DEGRADED = 0, 3


def gate(expect, path):
    done = subprocess.run(
        [ORRERY, "gate", "--json", "--timeout", "600", "--domain", "1", "--expect", expect, path],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def bandwidths(path):
    """GB/s of AllReduce at 1 GiB on one host and on two."""
    said = [
        check_faults.run("predict", "--json", "--fuse-nics", "always", "--hosts", hosts, "--sizes", "1G", path).stdout
        for hosts in "12"
    ]
    return [json.loads(text)["rows"][0]["busbw"] if text else 0 for text in said]


def judge(status, answer, wanted, ids):
    """ "" if the answer is right, otherwise what is wrong. wanted: the diagnosis of the same dump by check_faults."""
    if len(answer.get("sentence", "").splitlines()) != 1:
        return "not one line"
    if status == FIT:
        return "" if wanted in ("no effect", "harmless") else f"fit: {answer['sentence']}"
    if status != DEGRADED:
        return answer["sentence"]
    reasons = {reason["finding"] or reason["difference"] for reason in answer["reasons"] if not reason["allowed"]}
    if wanted == "found" and not reasons & ids:
        return f"reasons {sorted(reasons)}, not {sorted(ids)}: {answer['sentence']}"
    if reasons <= {"gpu-missing", "nic-missing"}:
        return ""  # whatever it costs
    return (
        ""
        if wanted not in ("no effect", "harmless")
        else f"degraded, and the diagnosis says {wanted}: {answer['sentence']}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take every Nth case only")
    parser.add_argument("--list", action="store_true", help="print every case")
    args = parser.parse_args()
    types = [row["name"] for row in json.loads(check_faults.run("machines", "--json").stdout)["machines"]]
    faults = fit = silent = whole = 0
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        good, bad = os.path.join(folder, "good.xml"), os.path.join(folder, "node.xml")
        # apart, because a number of kinds that shares a factor with N would leave all unbroken machines out
        cases = [(name, "") for name in types][args.every - 1 :: args.every]
        cases += [(name, kind) for name in types for kind in check_faults.FAULTS][args.every - 1 :: args.every]
        known = None
        for name, kind in cases:
            if name != known:
                tree, known = ET.fromstring(check_faults.run("convert", "--machine", name).stdout), name
                ET.ElementTree(tree).write(good)
            edit, ids = check_faults.FAULTS[kind] if kind else (None, set())
            broken = copy.deepcopy(tree)
            if edit and not edit(broken):
                continue
            ET.ElementTree(broken).write(bad)
            wanted, causes = "no effect", set()
            if edit:
                document = check_faults.analyse(bad, 2)
                wanted = check_faults.judge(document, ids)
                if wanted not in ("found", "no effect") and all(
                    b >= 0.99 * g for b, g in zip(bandwidths(bad), bandwidths(good))
                ):
                    wanted = "harmless"  # the diagnosis does not name it, and no bandwidth is lost
                # what the gate may name: the findings of the fault, and those that they follow from
                causes = (
                    {f["follows_from"] for f in document["findings"] if f["id"] in ids and f["follows_from"]}
                    if document
                    else set()
                )
            for expect in (name, good):
                status, answer, err = gate(expect, bad)
                what = f"{name} {kind or 'unbroken'} beside {os.path.basename(expect)}"
                wrong = judge(status, answer, wanted, ids | causes)
                if args.list:
                    print(f"{what}: {answer.get('sentence')}")
                failed += [f"{what}: {wrong} {err}"] if wrong else []
                whole += not edit
                faults += bool(edit)
                fit += not edit and status == FIT
                silent += bool(edit) and status == FIT
    print("\n".join(failed))
    print(
        f"gate: {faults} answers about faults, {silent} of them fit because the fault costs nothing; {whole} about "
        f"unbroken machines, {fit} fit; "
        f"{len(failed)} wrong"
    )
    sys.exit(bool(failed) or not faults or not whole or fit != whole)


if __name__ == "__main__":
    main()
