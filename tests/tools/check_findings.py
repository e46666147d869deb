#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Findings about the real machines of ../shared, each with the verdict of a reviewer: true, noise (true but not worth
telling) or wrong. tests/golden/finding_verdicts.md holds the verdicts. The check fails if a finding appears or vanishes
without a verdict, where more than 3 % of the errors and warnings are noise or wrong, and where a healthy machine gets
an error or a warning: a dump that HEALTHY names, or a machine type of `orrery machines`. Without ../shared only the
machine types are checked.

    python3 tests/tools/check_findings.py     ORRERY names the program; ORR_UPDATE_GOLDEN=1 adds and removes rows, new
    ones with the
                                              verdict "?", which somebody must judge before the check passes
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "topologies" / "real"
KEPT = ROOT / "tests" / "golden" / "finding_verdicts.md"
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
HEAD = ["dump", "hosts", "severity", "finding", "verdict", "reason"]
VERDICTS = ("true", "noise", "wrong")
MOST_FALSE = 0.03  # of the errors and warnings
# Dumps of machines that are as their maker built them, with a file that NCCL wrote or reads, and whose NICs jobs on
# several hosts can use.
HEALTHY = [
    "aws-p5.48xl-h100-2026.xml",
    "azure-nc48v4-a100.xml",
    "azure-ncv4-a100-healthchecks.xml",
    "azure-ncv4-a100-pcie-v0.xml",
    "azure-ncv4-a100-pcie.xml",
    "blink-h200-8x-bluefield3-real.xml",
    "ibmcloud-gx3d-8xh100-vsi.xml",
    "mlperf21-hpe-675d_nic_affinity-2.xml",
    "ncclminer-2x-rtxa6000.xml",
    "ncclminer-8x-v100-hybridcube-vm.xml",
    "oci-BM.GPU.A100-v2.8.xml",
    "oci-BM.GPU.H100.8-v0.xml",
    "oci-BM.GPU.H100.8.xml",
    "oci-BM.GPU4.8-a100.xml",
    "oci-H100-topology-kubernetes.xml",
    "oci-H100-topology.xml",
    "panlichen-topo.xml",
    "simai-topo_1A100_1CX6.xml",
    "simai-topo_2A100_1CX6.xml",
    "simai-topo_4A100_2CX6.xml",
    "simai-topo_8A100_4CX6.xml",
    "yccl-topo-h800.xml",
    "yccl-topo-l20.xml",
]


def findings_of(*arguments):
    """The findings of an analysis, None if there is none."""
    run = subprocess.run(
        [ORRERY, "analyze", "--section", "findings", *arguments], capture_output=True, text=True, timeout=300
    )
    return json.loads(run.stdout) if run.returncode == 0 else None


def found():
    """{(dump, finding): (severity, "1", "2" or "1, 2")} of all dumps that can be analysed, in their order; and how
    many those are."""
    rows, dumps = collections.OrderedDict(), 0
    for path in sorted(REAL.glob("*.xml")):
        answers = {hosts: findings_of("--hosts", hosts, str(path)) for hosts in "12"}
        dumps += answers["1"] is not None
        for hosts, answer in answers.items():
            for finding in answer or []:
                key = (path.name, finding["id"])
                before = rows[key][1] + ", " if key in rows else ""
                rows[key] = (finding["severity"], before + hosts)
    return rows, dumps


def kept():
    rows = collections.OrderedDict()
    for line in KEPT.read_text().split("\n")[2:] if KEPT.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(HEAD):
            rows[cells[0], cells[3]] = cells
    return rows


def write(rows, old):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for (dump, finding), (severity, hosts) in rows.items():
        verdict, reason = old[dump, finding][4:] if (dump, finding) in old else ("?", "")
        lines.append(f"| {dump} | {hosts} | {severity} | {finding} | {verdict} | {reason} |")
    KEPT.write_text("\n".join(lines) + "\n")


def check_verdicts():
    rows, dumps = found()
    if os.environ.get("ORR_UPDATE_GOLDEN"):
        write(rows, kept())
    judged, faults = kept(), []
    for key, (severity, hosts) in rows.items():
        cells = judged.get(key)
        if not cells:
            faults.append(
                f"{key[0]}: {severity} {key[1]} has no verdict in {KEPT.name} (ORR_UPDATE_GOLDEN=1 adds the row)"
            )
        elif cells[1:3] != [hosts, severity]:
            faults.append(
                f"{key[0]}: {key[1]} is now {severity} on {hosts} hosts, the table has {cells[2]} on {cells[1]}"
            )
        elif cells[4] not in VERDICTS or not cells[5]:
            faults.append(f"{key[0]}: {key[1]} needs a verdict ({', '.join(VERDICTS)}) and a reason")
    faults += [f"{dump}: {finding} is no longer found" for dump, finding in judged if (dump, finding) not in rows]
    serious = [cells for key, cells in judged.items() if key in rows and cells[2] != "info"]
    false = [cells for cells in serious if cells[4] != "true"]
    if len(false) > MOST_FALSE * len(serious):
        faults.append(
            f"{len(false)} of {len(serious)} errors and warnings are noise or wrong, more than {MOST_FALSE:.0%}"
        )
    for name in HEALTHY:
        faults += [
            f"{name} is healthy, but has the {rows[key][0]} {key[1]}"
            for key in rows
            if key[0] == name and rows[key][0] != "info"
        ]
        if not (REAL / name).exists():
            faults.append(f"{name} is not in {REAL}")
    count = collections.Counter(severity for severity, _ in rows.values())
    print(
        f"findings of {dumps} real dumps on 1 and 2 hosts: "
        + ", ".join(f"{n} {severity}" for severity, n in sorted(count.items()))
        + f"; {len(false)} of {len(serious)} errors and warnings are noise or wrong"
    )
    return faults


def check_types():
    run = subprocess.run([ORRERY, "machines", "--json"], capture_output=True, text=True, check=True)
    names, faults = [row["name"] for row in json.loads(run.stdout)["machines"]], []
    for name in names:
        for hosts in "12":
            answer = findings_of("--hosts", hosts, "--machine", name)
            if answer is None:
                faults.append(f"{name} on {hosts} hosts is not analysed")
            faults += [
                f"{name} on {hosts} hosts has the {row['severity']} {row['id']}: {row['detail']}"
                for row in answer or []
                if row["severity"] != "info"
            ]
    print(f"{len(names)} machine types on 1 and 2 hosts: no error and no warning" if not faults else "")
    return faults


def main():
    faults = check_types()
    if REAL.is_dir():
        faults += check_verdicts()
    else:
        print("skipped: verdicts on findings of real dumps, because ../shared is not beside this checkout")
    print("\n".join(faults[:60]))
    return 1 if faults else 0 if REAL.is_dir() else 77


if __name__ == "__main__":
    sys.exit(main())
