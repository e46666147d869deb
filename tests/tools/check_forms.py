#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads one machine in several forms: its NCCL dump, the outputs of nvidia-smi and hwloc, its dump without devices, and
the machine type. The answers must agree in everything that both forms contain.

    python3 tests/tools/check_forms.py [DUMP...]     our own machines by default, and where ../shared is there its real
    dumps;
                                                     ORRERY names the program
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import other_forms
import told_by_forms

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
# Examples whose dump without devices the machine type must fill in to the same answer.
TYPES = {
    "dgx-1-p100": "dgx-1-p100",
    "v100-cube-mesh": "dgx-1",
    "dgx-2": "dgx-2",
    "a100-nvswitch": "dgx-a100",
    "hgx-a100-4": "hgx-a100-4",
    "h100-nvswitch": "hgx-h100",
    "hgx-h100-4": "hgx-h100-4",
    "hgx-h200": "hgx-h200",
    "hgx-b200": "hgx-b200",
    "hgx-b300": "hgx-b300",
    "grace-blackwell-tray": "gb200-tray",
    "gb300-tray": "gb300-tray",
    "gh200": "gh200",
    "aws-p4d": "p4d.24xlarge",
    "aws-p5": "p5.48xlarge",
    "aws-p5en": "p5en.48xlarge",
    "azure-ndv4": "ndv4",
    "azure-ndv5": "ndv5",
    "gcp-a2-mega": "a2-megagpu-16g",
    "gcp-a3": "a3-highgpu-8g",
}


def analyze(text, *options):
    run = subprocess.run(
        [ORRERY, "analyze", "--fuse-nics", "never", *options, "-"], input=text.encode(), capture_output=True
    )
    if run.returncode:
        raise AssertionError(run.stderr.decode().strip())
    return json.loads(run.stdout)


def convert(text):
    return subprocess.run([ORRERY, "convert", "-"], input=text.encode(), capture_output=True, check=True).stdout


def paths(doc):
    """A path between ends that all forms name alike (ranks, numbers of NICs and CPUs), without what lies between."""
    known = {node["id"]: f"GPU {node['rank']}" for node in doc["system"]["nodes"] if node["type"] == "GPU"}
    return {(known.get(p["from"], p["from"]), known.get(p["to"], p["to"])): (p["type"], p["bw"]) for p in doc["paths"]}


def rows(section, *keys):
    return lambda doc: {tuple(row[key] for key in keys): row for row in doc[section]}


FACTS = {
    "paths": paths,
    "p2p": rows("p2p", "a", "b"),
    "gdr": rows("gdr", "rank", "net"),
    "net_devs": rows("net_devs", "rank", "channel"),
    "graphs": rows("graphs", "name"),
    "channels": lambda doc: doc["channels"],
    "tuning": lambda doc: doc["tuning"],
}
# How many switches are in a row is not in a table: the sum of hops, which says nothing but that, is left out.
FACTS_OF_TABLE = FACTS | {
    "graphs": lambda doc: {
        row["name"]: {key: value for key, value in row.items() if key != "n_hops"} for row in doc["graphs"]
    }
}
CPUS = {
    "cpus": lambda doc: {
        n["id"]: (n["arch"], n["vendor"], n["model"]) for n in doc["system"]["nodes"] if n["type"] == "CPU"
    }
}


def differences(a, b):
    return [f"{key}: {a.get(key)} / {b.get(key)}" for key in sorted(set(a) | set(b)) if a.get(key) != b.get(key)]


def hold(form, read, dump, untold, facts=FACTS):
    """Describes the differences between a form and the dump with the same information, and the further differences that
    the form's notes do not mention."""
    ours, theirs = (analyze(text, "--hosts", "2") for text in (read, dump))
    notes = "; ".join(row["what"] for row in ours["input"]["assumed"] + ours["input"]["missing"])
    return [
        f"{form}, {name}: {row}" for name, fact in facts.items() for row in differences(fact(ours), fact(theirs))[:3]
    ] + [f"{form}: nothing is said about '{words}'" for words in untold if words not in notes]


def check(name, text, left_out):
    """Describes the differences; empty if the forms agree. left_out gets what a form cannot show, with the reason."""
    wrong = []
    for number, host in enumerate(told_by_forms.hosts(text)):
        machine, title = other_forms.Machine(host), name if not number else f"{name}, host {number}"
        reasons = {form: told_by_forms.beyond(host, form) for form in ("hwloc", "matrix")}
        left_out += [f"{title} as {form}: {reason}" for form, reason in reasons.items() if reason]
        if not reasons["hwloc"]:
            wrong += hold(f"{title} as hwloc", other_forms.hwloc(machine), *told_by_forms.by_hwloc(host), FACTS | CPUS)
        if not reasons["matrix"]:
            table = other_forms.matrix(machine)
            wrong += hold(f"{title} as topo -m", table, *told_by_forms.by_matrix(host), FACTS_OF_TABLE)
            if convert(table) != convert(other_forms.matrix(machine, separator="    ")):
                wrong.append(f"{title} as topo -m with blanks is another machine")
    if name in TYPES:
        bare = re.sub(r"\s*<(gpu|nic)\b[^>]*/>|\s*<(gpu|nic)\b(?:[^>]*[^/])?>.*?</\2>", "", text, flags=re.S)
        assert "<gpu" not in bare and "<net" not in bare
        filled = analyze(bare, "--assume", TYPES[name], "--hosts", "2")
        real = analyze(text, "--hosts", "2")
        for section in ("paths", "p2p", "gdr", "graphs", "channels", "tuning"):
            if filled[section] != real[section]:
                wrong.append(f"{name} without devices, --assume {TYPES[name]}: {section} differs")
        if not filled["input"]["assumed"] or filled["input"]["machine_type"] is None:
            wrong.append(f"{name}: nothing is said about what was assumed")
    return wrong


def main():
    machines = sorted((ROOT / "tests" / "conformance" / "topologies").glob("machine-*.xml"))
    real = sorted((ROOT.parent / "shared" / "topologies" / "real").glob("*.xml"))
    files = [pathlib.Path(arg) for arg in sys.argv[1:]] or sorted((ROOT / "static" / "examples").glob("*.xml")) + [
        file for file in machines if not file.name.endswith(".graph.xml")
    ] + real
    if not real and not sys.argv[1:]:
        print("skipped: the forms of real dumps, because ../shared is not beside this checkout")
    left_out = []
    wrong = []
    for file in files:
        try:
            wrong += check(file.stem, file.read_text(), left_out)
        except AssertionError as error:
            wrong.append(f"{file.stem}: {error}")
    print(
        "\n".join(wrong)
        if wrong
        else f"{len(files)} machines agree in all forms, but for {len(left_out)} that a form cannot show:"
    )
    print("\n".join(left_out))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
