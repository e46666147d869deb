#!/usr/bin/env python3
"""One machine in several forms: its NCCL dump, what nvidia-smi and hwloc would tell of it, its dump without devices and the
machine type. The answers must agree in all that both forms tell.

    python3 tests/tools/check_forms.py [DUMP...]     our own examples by default; ORRERY names the program
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import other_forms

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
# Examples whose dump without devices the machine type must fill in to the same answer.
TYPES = {"dgx-1-p100": "dgx-1-p100", "v100-cube-mesh": "dgx-1", "dgx-2": "dgx-2", "a100-nvswitch": "dgx-a100", "hgx-a100-4": "hgx-a100-4",
         "h100-nvswitch": "hgx-h100", "hgx-h100-4": "hgx-h100-4", "hgx-h200": "hgx-h200", "hgx-b200": "hgx-b200", "hgx-b300": "hgx-b300",
         "grace-blackwell-tray": "gb200-tray", "gb300-tray": "gb300-tray", "gh200": "gh200", "aws-p4d": "p4d.24xlarge", "aws-p5": "p5.48xlarge",
         "aws-p5en": "p5en.48xlarge", "azure-ndv4": "ndv4", "azure-ndv5": "ndv5", "gcp-a2-mega": "a2-megagpu-16g", "gcp-a3": "a3-highgpu-8g"}


def analyze(text, *options):
    run = subprocess.run([ORRERY, "analyze", *options, "-"], input=text.encode(), capture_output=True)
    if run.returncode:
        raise AssertionError(run.stderr.decode().strip())
    return json.loads(run.stdout)


def names(doc):
    """Node ids by what both forms know: the rank of a GPU, the number of a NIC port, the place of a CPU."""
    found = {}
    for node in doc["system"]["nodes"]:
        found[node["id"]] = f"GPU {node['rank']}" if node["type"] == "GPU" else f"NET {node['dev']}" if node["type"] == "NET" else None
    return found


def path_types(doc, bandwidth=False):
    known = names(doc)
    return {(known[p["from"]], known[p["to"]]): (p["type"], p["bw"]) if bandwidth and known[p["from"]][0] == known[p["to"]][0] == "G" else p["type"]
            for p in doc["paths"] if known.get(p["from"]) and known.get(p["to"])}


def differences(a, b):
    return [f"{key}: {a.get(key)} / {b.get(key)}" for key in sorted(set(a) | set(b)) if a.get(key) != b.get(key)]


RDMA = re.compile("mlx|roce|ib|rdmap|efa|bnxt_re|irdma|cxi")


def neutral(text, links):
    """The dump with the values that other forms do not tell set to what is assumed for them: speed and GPU Direct RDMA of NICs; of a
    matrix, PCI links too."""
    def net(match):
        rdma = RDMA.match(re.search(r'name="([^"]*)"', match[0])[1])
        out = re.sub(r'speed="\d+"', f'speed="{100000 if rdma else 10000}"', match[0])
        return re.sub(r'gdr="\d"', f'gdr="{1 if rdma else 0}"', out)
    text = re.sub(r"<net\b[^>]*>", net, text)
    text = re.sub(r'(<gpu\b[^>]*)gdr="\d"', r'\1gdr="1"', text)
    if not links:
        return text
    sm = int(re.search(r'sm="(\d+)"', text)[1])
    speed = "32.0" if sm >= 90 else "16.0" if sm >= 80 else "8.0"
    text = re.sub(r'link_speed="[^"]*" link_width="[^"]*"', f'link_speed="{speed} GT/s PCIe" link_width="16"', text)
    return re.sub(r'vendor="\w+" familyid="\w+" modelid="\w+"', 'vendor="GenuineIntel" familyid="6" modelid="143"', text)


def between_cards(types, machine):
    """Without pairs of ports of one card: each column of a matrix is a card to whoever reads it."""
    card = [machine.above[machine.above[net]] for net in machine.nets]
    same = lambda a, b: a[:4] == b[:4] == "NET " and a != b and card[int(a[4:])] is card[int(b[4:])]
    return {pair: kind for pair, kind in types.items() if not same(*pair)}


def check(name, text):
    """Texts that say what differs; empty: the forms agree."""
    machine, wrong = other_forms.Machine(text), []
    doc, flat = analyze(neutral(text, links=False)), analyze(neutral(text, links=True))

    def hold(form, ours, theirs):
        wrong.extend(f"{name} as {form}: {row}" for row in differences(theirs, ours)[:5])

    read = analyze(other_forms.matrix(machine))
    # A matrix has no C2C, no speeds and no CPU kind: how far apart devices stand is what it tells.
    if not any(True for _ in machine.root.iter("c2c")):
        hold("topo -m", between_cards(path_types(read), machine), between_cards(path_types(flat), machine))
        blanks = analyze(other_forms.matrix(machine, separator="    "))
        hold("topo -m with blanks", path_types(blanks), path_types(read))
    read = analyze(other_forms.hwloc(machine))
    if not any(True for _ in machine.root.iter("c2c")):
        hold("hwloc", path_types(read, bandwidth=True), path_types(doc, bandwidth=True))
        hold("hwloc, P2P", {(p["a"], p["b"]): p["p2p"] for p in read["p2p"]}, {(p["a"], p["b"]): p["p2p"] for p in doc["p2p"]})
    hold("hwloc, CPUs", {n["id"]: (n["arch"], n["vendor"], n["model"]) for n in read["system"]["nodes"] if n["type"] == "CPU"},
         {n["id"]: (n["arch"], n["vendor"], n["model"]) for n in doc["system"]["nodes"] if n["type"] == "CPU"})
    if name in TYPES:
        bare = re.sub(r"\s*<(gpu|nic)\b[^>]*/>|\s*<(gpu|nic)\b(?:[^>]*[^/])?>.*?</\2>", "", text, flags=re.S)
        assert "<gpu" not in bare and "<net" not in bare
        filled = analyze(bare, "--assume", TYPES[name], "--hosts", "2")
        real = analyze(text, "--hosts", "2")
        for section in ("paths", "p2p", "gdr", "graphs", "channels", "tuning"):
            if filled[section] != real[section]:
                wrong.append(f"{name} without devices, --assume {TYPES[name]}: {section} differs")
        if not filled["input"]["assumed"] or filled["input"]["machine_type"] is None:
            wrong.append(f"{name}: nothing is said of what was assumed")
    return wrong


def main():
    files = [pathlib.Path(arg) for arg in sys.argv[1:]] or sorted((ROOT / "static" / "examples").glob("*.xml"))
    wrong = [row for file in files for row in check(file.stem, file.read_text())]
    print("\n".join(wrong) if wrong else f"{len(files)} machines agree in all forms")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
