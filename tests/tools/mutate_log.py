#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one change each to logs that agree with a machine, and checks that `orrery check-log` names that change first,
and no cause that a line contradicts.

    ORRERY=build/orrery tests/tools/mutate_log.py [COUNT [SEED]]

prints what was not named, and how many were. COUNT: 500 by default."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import make_log

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "static" / "examples"
PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
RELEASES = ["2.18.1", "2.21.5", "2.23.4", "2.26.2", "2.27.7", "2.28.9", "2.30.7"]
MACHINES = ["h100-nvswitch.xml", "a100-nvswitch.xml", "v100-cube-mesh.xml"]
WITH_NETS = MACHINES[:2]
HIDDEN = [
    "NCCL_NVLS_ENABLE=0",
    "NCCL_MIN_NCHANNELS=12",
    "NCCL_MAX_NCHANNELS=4",
    "NCCL_ALGO=Ring",
    "NCCL_PROTO=Simple",
    "NCCL_ALGO=Tree",
    "NCCL_PROTO=LL",
]


def run(*arguments, stdin=b""):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


class Bench:
    """Analyses and lines that several mutations share."""

    def __init__(self, folder):
        self.folder, self.made = pathlib.Path(folder), {}

    def lines(self, machine, release, hosts, xml=None, settings=(), gpus=""):
        key = (machine, release, hosts, xml, settings, gpus)
        if key not in self.made:
            asked = [part for setting in settings for part in ("--set", setting)] + (["--gpus", gpus] if gpus else [])
            analysis = run(
                "analyze",
                "--release",
                release,
                "--hosts",
                hosts,
                *asked,
                stdin=(xml or (EXAMPLES / machine).read_text()).encode(),
            )
            self.made[key] = make_log.Maker(analysis, dict(s.split("=") for s in settings), more=True).make()
        return list(self.made[key])

    def check(self, lines, *arguments):
        path = self.folder / "job.log"
        path.write_text("\n".join(lines) + "\n")
        return run("check-log", "--json", *arguments, path)

    def file(self, xml):
        path = self.folder / "machine.xml"
        path.write_text(xml)
        return path


def edited(machine, edit):
    root = ET.fromstring((EXAMPLES / machine).read_text())
    edit(root)
    return ET.tostring(root, encoding="unicode")


def agrees(answer):
    check = answer["check"]
    return (
        check
        and check["verdict"] == "agrees"
        or f"differs: {check and check['first_difference']} {check and [c['what'] for c in check['causes']]}"
    )


def first_is(answer, *ids):
    check = answer["check"]
    causes = check["causes"] if check else []
    return (
        bool(causes)
        and causes[0]["id"] in ids
        or f"{ids} wanted: {[(c['id'], c['what'], c.get('differences_left')) for c in causes]}"
    )


def gpus_missing(bench, chance, machine, release):
    """The job used some GPUs of the dump."""
    machine = chance.choice(WITH_NETS)  # some GPUs of the mesh are not joined by NVLinks, and fall apart
    count = chance.randrange(1, 8)
    lines = bench.lines(machine, release, 1, gpus=",".join(map(str, chance.sample(range(8), count))))
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    return answer, agrees(answer)


def dump_too_small(bench, chance, machine, release):
    """The dump lacks GPUs that the job used."""
    lost = chance.randrange(1, 7)
    lines = bench.lines(machine, release, 1)

    def drop(root):
        for _, gpu in zip(range(lost), list(root.iter("gpu"))[-lost:]):
            del gpu.attrib["rank"]

    answer = bench.check(lines, "--topology", bench.file(edited(machine, drop)))
    said = answer.get("why_no_check") or ""
    return (
        answer,
        said == f"the dump has {8 - lost} GPU{'' if lost == 7 else 's'}, and a host of the log runs 8 ranks" or said,
    )


def other_machine(bench, chance, machine, release):
    """The log is of another unit, with other bus ids, and a slower PCIe link in it."""
    xml = edited(
        machine, lambda root: next(p for p in root.iter("pci") if p.find("gpu") is not None).set("link_width", "4")
    )
    lines = bench.lines(machine, release, 1, xml)
    shift = chance.randrange(1, 8)
    lines = [
        re.sub(
            r"\b((?:GPU/(?:0-)?|busId ))([0-9a-fA-F])([0-9a-fA-F]{3,4})\b",
            lambda m: f"{m[1]}{int(m[2], 16) ^ shift:x}{m[3]}",
            line,
        )
        for line in lines
    ]
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    return answer, first_is(answer, "other-gpus")


def gdr_off(bench, chance, machine, release):
    """GPUDirect RDMA was off on all NICs, or on one."""
    machine = chance.choice(WITH_NETS)
    some = chance.random() < 0.5

    def off(root):
        nets = list(root.iter("net"))
        for net in [chance.choice(nets)] if some else nets:
            net.set("gdr", "0")

    lines = bench.lines(machine, release, 2, edited(machine, off))
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    if answer["check"]["verdict"] == "agrees":
        return answer, True  # the release does without it either way
    return answer, first_is(answer, "gdr-off")


def nics_renumbered(bench, chance, machine, release):
    """The job numbered the NICs otherwise; half of the logs list their names."""
    machine = chance.choice(WITH_NETS)
    count = len(list(ET.parse(EXAMPLES / machine).getroot().iter("net")))
    order = chance.sample(range(chance.choice([0, 8]), chance.choice([0, 8]) + count + 8), count)
    names = {}

    def renumber(root):
        for net in root.iter("net"):
            net.set("dev", str(order[int(net.get("dev"))]))
            names[int(net.get("dev"))] = net.get("name")

    lines = bench.lines(machine, release, 2, edited(machine, renumber))
    if chance.random() < 0.5:
        listed = " ".join(f"[{dev}]{names[dev]}:1/IB" for dev in sorted(names))
        lines = [
            new
            for line in lines
            for new in (
                [line.replace("Using network IB", f"NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.1<0>"), line]
                if "Using network IB" in line
                else [line]
            )
        ]
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    return answer, agrees(answer)


def plugin_missing(bench, chance, machine, release):
    """One host has no IB plugin and takes sockets."""
    machine = chance.choice(WITH_NETS)
    lines = bench.lines(machine, release, 2)
    host = chance.choice(["node1:", "node2:"])
    lines = [
        line.replace("network IB", "network Socket").replace("NET/IB/", "NET/Socket/").replace("/GDRDMA", "")
        if line.startswith(host)
        else line
        for line in lines
    ]
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    return answer, first_is(answer, "networks-differ")


def setting_hidden(bench, chance, machine, release):
    """A setting that the log does not print: algorithm, protocol, channels, P2P."""
    setting = chance.choice(HIDDEN)
    release = chance.choice([r for r in RELEASES if make_log.version(r) >= (2, 23)])
    lines = [line for line in bench.lines(machine, release, 1, settings=(setting,)) if "set by environment" not in line]
    dump = EXAMPLES / machine
    answer = bench.check(lines, "--topology", dump)
    if answer["check"]["verdict"] == "agrees":
        return answer, True
    right = first_is(answer, "setting")
    if right is not True:
        return answer, f"{setting}: {right}"
    first = answer["check"]["causes"][0]
    named = [part for text in first["what"].split(", and ") for part in ("--set", text)]
    again = bench.check(lines, "--topology", dump, *named)
    return answer, first["differences_left"] == 0 and agrees(again)


def hardware_changed(bench, chance, machine, release):
    """The dump is of the machine after a link lost lanes or NVLinks."""

    def change(root):
        links = [p for p in root.iter("pci") if p.get("link_width") == "16" and p.find("gpu") is not None]
        nvlinks = [n for n in root.iter("nvlink") if int(n.get("count")) > 1]
        if nvlinks and chance.random() < 0.5:
            chosen = chance.choice(nvlinks)
            chosen.set("count", str(int(chosen.get("count")) // 2))
        else:
            chance.choice(links).set("link_width", "4")

    lines = bench.lines(machine, release, 1)
    answer = bench.check(lines, "--topology", bench.file(edited(machine, change)))
    return answer, first_is(answer, "hardware")


def rank_silent(bench, chance, machine, release):
    """No line of one rank is in the log."""
    rank = chance.randrange(8)
    lines = [line for line in bench.lines(machine, release, chance.choice([1, 2])) if f":{1000 + rank}:" not in line]
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    seen = answer["log"]["communicators"][0]
    return answer, agrees(answer) if seen["ranks_seen"] == seen["ranks"] - 1 else str(seen)


def lines_torn(bench, chance, machine, release):
    """Lines of two writers are mixed in places; the lost text is not a cause."""
    lines = make_log.interleave(bench.lines(machine, release, chance.choice([1, 2])), chance.randrange(1000))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(1, len(lines) - 1)
        cut = chance.randrange(len(lines[at]) // 2, len(lines[at]))
        lines[at : at + 2] = [lines[at][:cut] + lines[at + 1], lines[at][cut:]]
    answer = bench.check(lines, "--topology", EXAMPLES / machine)
    check = answer["check"]
    return answer, check["verdict"] == "agrees" or not [c for c in check["causes"] if c["tested"]] or str(
        check["causes"]
    )


def launcher(bench, chance, machine, release):
    """A launcher's prefixes."""
    lines = make_log.interleave(bench.lines(machine, release, 2), chance.randrange(1000))
    answer = bench.check(
        make_log.decorate(lines, chance.choice(["mpirun", "slurm", "kubernetes"])), "--topology", EXAMPLES / machine
    )
    return answer, agrees(answer)


def without_graph(lines):
    """What NCCL_DEBUG_SUBSYS=INIT prints: neither the tree of the system nor paths nor graphs."""
    graph = re.compile(r"NCCL INFO (===|CPU/|GPU/|NET/\d|NVS/|PCI/|\+ |Pattern|\s)")
    return [line for line in lines if not graph.search(line)]


def nvlinks_halved(bench, chance, machine, release):
    """Half of the NVLinks of one GPU are down, which the log shows in its tree, or only by its channels."""
    broken = chance.randrange(8)

    def halve(root):
        for link in list(root.iter("gpu"))[broken].findall("nvlink"):
            link.set("count", str(max(1, int(link.get("count")) // 2)))

    lines = bench.lines(machine, release, 1, edited(machine, halve))
    shows_tree = chance.random() < 0.5
    answer = bench.check(lines if shows_tree else without_graph(lines), "--topology", EXAMPLES / machine)
    causes = answer["check"]["causes"]
    what = f"half of the NVLinks of GPU {broken} are down"
    found = [cause for cause in causes if cause["what"] == what and cause["differences_left"] == 0]
    first = first_is(answer, "hardware" if shows_tree else "half-nvlinks-one")
    return answer, first if first is not True else bool(found) or str(causes)


REFUSAL = "P2P is disabled between connected GPUs"


def p2p_refused(bench, chance, machine, release):
    """The driver refuses P2P over PCIe, as with ACS or the IOMMU on; some logs do not say so."""
    machine, release = "l40s-8gpu.xml", chance.choice(["2.12.12", "2.18.1", "2.18.5"])  # newer ones split the machine
    lines = bench.lines(machine, release, 1, settings=("NCCL_P2P_LEVEL=NVL",))
    lines = [line for line in lines if "set by environment" not in line]
    at = next(i for i, line in enumerate(lines) if " via " in line)
    says = chance.random() < 0.7
    head = lines[at].split("NCCL INFO")[0]
    repress = "You can repress this message with NCCL_IGNORE_DISABLED_P2P=1."
    refusals = [
        f"{head}NCCL INFO {REFUSAL} {a} and {b}. {repress}" for a in range(8) for b in range(8) if a != b and says
    ]
    answer = bench.check(lines[:at] + refusals + lines[at:], "--topology", EXAMPLES / machine)
    return answer, first_is(answer, "acs" if says else "setting")


MUTATIONS = [
    gpus_missing,
    dump_too_small,
    other_machine,
    gdr_off,
    nics_renumbered,
    plugin_missing,
    setting_hidden,
    hardware_changed,
    rank_silent,
    lines_torn,
    launcher,
    nvlinks_halved,
    p2p_refused,
]


def refuted(answer, text):
    """Causes that a line contradicts."""
    for cause in (answer["check"] or {}).get("causes", []):
        what = cause["what"]
        if ("every NIC" in what or "GDR_LEVEL=LOC" in what) and "/GDRDMA" in text:
            return f"{what}: GDRDMA is in the log"
        if cause["id"] == "other-release" and "NCCL version" in text:
            return f"{what}: the log names its release"
        if ("P2P_DISABLE=1" in what or "P2P_LEVEL=LOC" in what) and "via P2P" in text:
            return f"{what}: P2P is in the log"
        if cause["id"] == "acs" and REFUSAL not in text:
            return f"{what}: no line says that the driver refuses P2P"
        if REFUSAL in text and any(f"P2P_{off}" in what for off in ("DISABLE=1", "LEVEL=LOC", "LEVEL=NVL")):
            return f"{what}: the driver refuses P2P, which the setting would not let NCCL ask"
        if cause["tested"] and cause["differences_left"] * 2 > answer["check"]["differ"]:
            return f"{what}: leaves most differences"
    return None


def tried(count, seed):
    """(number, mutation, release, True or what came instead, what was refuted) of each."""
    with tempfile.TemporaryDirectory(prefix="orrery-mutations-") as folder:
        bench = Bench(folder)
        for number in range(count):
            chance = random.Random(seed * 100003 + number)
            mutation = MUTATIONS[number % len(MUTATIONS)]
            machine, release = chance.choice(MACHINES), chance.choice(RELEASES)
            answer, right = mutation(bench, chance, machine, release)
            yield number, mutation.__name__, machine, release, right, refuted(
                answer, (bench.folder / "job.log").read_text()
            )


if __name__ == "__main__":
    total, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 500, int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wrong = contradicted = 0
    for number, name, machine, release, right, why in tried(total, seed):
        wrong += right is not True
        contradicted += why is not None
        if right is not True or why:
            print(f"{number} {name} {machine} {release}: {str(right)[:400]} {why or ''}", flush=True)
    print(
        f"{total - wrong} of {total} mutations named first ({100 * (total - wrong) / total:.1f} %), {contradicted} "
        "with a cause that a line contradicts"
    )
    sys.exit(contradicted > 0 or wrong * 20 > total)
