#!/usr/bin/env python3
"""Hosts of one NVLink domain: a second implementation of the fusion in Python, compared with clusters of the single
dumps.

    ORRERY=build-dev/orrery python3 tests/golden/fused.py [--seed N] [--count M]

Random domains of our own machines (and of ../shared's, where it lies beside the checkout), with choices of GPUs and
ranks in any order, are fused here by the rules (merged rank by rank; 2.21.5: NUMA domain by NUMA domain). The fused
dump and a cluster of the single dumps must give the same answer in every section. The fused trays and the NVL72 of
../shared, made by hand, give the same as trays fused from one dump, once their ports are numbered host by host (see
engine/cluster/README.md).
"""
import argparse
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = ROOT / "tests" / "conformance" / "topologies"
REAL = ROOT.parent / "shared" / "topologies" / "real"
RELEASES = ["2.21.5", "2.27.7", "2.28.9", "2.30.7"]
SECTIONS = [
    "ranks",
    "local_ranks",
    "system_before_trim",
    "system",
    "paths",
    "p2p",
    "gdr",
    "net_devs",
    "graphs",
    "channels",
    "tuning",
]


def analyze(*arguments):
    command = [os.environ.get("ORRERY", "build-dev/orrery"), "analyze", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def gpus_of(tree):
    return sorted((gpu for gpu in tree.iter("gpu") if "rank" in gpu.attrib), key=lambda gpu: int(gpu.get("rank")))


def is_number_of_port(net):
    try:
        return int(net.get("guid"), 16) == int(net.get("dev"))
    except ValueError:
        return False


def document(host, taken, known):
    """The part of a host that a process keeps: ports, GPUs with a rank [(number, rank)], and the elements above
    them."""
    tree = copy.deepcopy(host["tree"])
    gpus, kept = gpus_of(tree), {net for net in tree.iter("net") if "dev" in net.attrib}
    for number, rank in taken:
        gpus[number].set("rank", str(rank))
        kept.add(gpus[number])
    for net in kept:
        repeats = known.get((host["number"], net.get("guid")), 0) if net.tag == "net" else 0
        if repeats and not is_number_of_port(net):
            guid = net.get("guid")
            value = int(guid, 16) if not set(guid.lower()) - set("0123456789abcdefx") else 0
            net.set("guid", f"{'0x' if guid.startswith('0x') else ''}{value ^ repeats << 48:x}")
    for cpu in tree.iter("cpu"):
        cpu.set("host_hash", f"{0xa000 + host['number']:#x}")

    def trim(element):
        if element in kept:
            return True
        inside = False
        for child in list(element):
            stays = trim(child)
            inside = inside or stays
            if not stays and child.tag in ("cpu", "pci", "nic", "net", "gpu"):
                element.remove(child)
        return inside

    trim(tree)
    return tree


def merge(into, other):
    for child in other:
        same = next((old for old in into if old.tag == child.tag and old.attrib == child.attrib), None)
        if same is None:
            into.append(child)
        else:
            merge(same, child)


def fuse(hosts, placing, release):
    """placing: [(host, GPU's number)] by rank."""
    order = list(dict.fromkeys(host for host, _ in placing))
    known, seen = {}, {}
    for number in order:  # which hosts before this one have the card too
        for guid in {net.get("guid") for net in hosts[number]["tree"].iter("net") if net.get("guid")}:
            known[number, guid] = seen.get(guid, 0)
            seen[guid] = known[number, guid] + 1
    fused = None
    for rank, (number, gpu) in enumerate(placing):
        every = [(g, r) for r, (h, g) in enumerate(placing) if h == number]
        own = document(hosts[number], every if release == "2.21.5" else [(gpu, rank)], known)
        if fused is None:
            fused = own
        elif release == "2.21.5":
            there = {(cpu.get("numaid"), cpu.get("host_hash")) for cpu in fused}
            fused.extend(cpu for cpu in own if (cpu.get("numaid"), cpu.get("host_hash")) not in there)
        else:
            merge(fused, own)
    return fused


def place(chance, hosts, order):
    slots = [(number, gpu) for number, host in enumerate(hosts) for gpu in host["gpus"]]
    if order == "block":
        return slots, "block"
    if order == "cyclic":
        turns = [(turn, number) for number, host in enumerate(hosts) for turn in range(len(host["gpus"]))]
        return [(number, hosts[number]["gpus"][turn]) for turn, number in sorted(turns)], "cyclic"
    listed = [number for number, _ in slots]
    chance.shuffle(listed)
    used = [0] * len(hosts)
    placing = []
    for number in listed:
        placing.append((number, hosts[number]["gpus"][used[number]]))
        used[number] += 1
    return placing, listed


def machines():
    files = (
        sorted((ROOT / "static/examples").glob("*.xml"))
        + sorted(OURS.glob("machine-*.xml"))
        + sorted(OURS.glob("synth-*.xml"))
    )
    if REAL.is_dir():
        files.append(REAL / "gb300-1tray-healthy.xml")
    found = []
    for file in files:
        tree = ElementTree.fromstring(file.read_text())
        gpus = list(tree.iter("gpu"))
        single = len({cpu.get("host_hash") for cpu in tree.iter("cpu")}) == 1
        alone = all(sum(child.tag == "gpu" for child in pci) <= 1 for pci in tree.iter("pci"))
        if single and alone and 1 < len(gpus) <= 8 and all("rank" in gpu.attrib for gpu in gpus):
            switched = any(link.get("tclass", "").startswith("0x068000") for link in tree.iter("nvlink"))
            found.append((file, tree, switched))
    return found


def differing(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return (
            []
            if isinstance(one, str) and isinstance(other, str)
            else [f"refused on one side: {one if isinstance(one, str) else other}"]
        )
    return [section for section in SECTIONS if one.get(section) != other.get(section)]


def try_random(seed, found, folder):
    chance = random.Random(seed)
    release = chance.choice(RELEASES)
    switched = [machine for machine in found if machine[2]]
    kinds = [chance.choice(switched if chance.random() < 0.8 else found) for _ in range(chance.choice([1, 1, 2]))]
    hosts, lines = [], []
    for number in range(chance.choice([2, 2, 3, 4])):
        file, tree, _ = chance.choice(kinds)
        all_gpus = list(range(len(gpus_of(tree))))
        gpus = chance.sample(all_gpus, chance.randint(1, len(all_gpus))) if chance.random() < 0.4 else all_gpus
        hosts.append({"tree": tree, "gpus": gpus, "number": number})
        lines.append({"topology": str(file), "domain": "x", **({} if gpus == all_gpus else {"gpus": gpus})})
    placing, ranks = place(chance, hosts, chance.choice(["block", "cyclic", "list"]))
    domains = 2 if ranks == "block" and chance.random() < 0.5 else 1  # a second one keeps the NETs
    fused, cluster = folder / "fused.xml", folder / "cluster.json"
    fused.write_text(ElementTree.tostring(fuse(hosts, placing, release), encoding="unicode"))
    cluster.write_text(
        json.dumps({"hosts": lines + [{**line, "domain": "y"} for line in lines] * (domains - 1), "ranks": ranks})
    )
    pool = [
        ("NCCL_CROSS_NIC", "012"),
        ("NCCL_MNNVL_SCATTER_NETS_ENABLE", "01"),
        ("NCCL_MNNVL_RAIL_PER_HOST", "1"),
        ("NCCL_NVB_DISABLE", "1"),
    ]
    settings = [
        word
        for name, values in chance.sample(pool, chance.choice([0, 0, 1, 2]))
        for word in ("--set", f"{name}={chance.choice(values)}")
    ]
    differ = differing(
        analyze("--release", release, *settings, "--hosts", domains, fused),
        analyze("--release", release, *settings, "--cluster", cluster),
    )
    return differ and f"seed {seed}: {release} {settings} {domains} domains of {lines}, ranks {ranks}: {differ}"


def renumbered(file, folder):
    """The same dump with the ports of each host counted from 0."""
    tree = ElementTree.fromstring(file.read_text())
    count = {}
    for cpu in tree:
        for net in cpu.iter("net"):
            number = count.get(cpu.get("host_hash"), 0)
            net.set("dev", str(number))
            count[cpu.get("host_hash")] = number + 1
    out = folder / file.name
    out.write_text(ElementTree.tostring(tree, encoding="unicode"))
    return out


def without_asic(document):
    for node in document["system"]["nodes"]:
        node.pop("asic", None)
    return document


def try_known(folder):
    """Dumps of several trays beside as many of one tray's dump."""
    cases = [
        (OURS / "machine-gb200-tray.xml", 2, renumbered(OURS / "machine-gb200-2trays.xml", folder), RELEASES),
        (
            OURS / "machine-gb200-tray.xml",
            18,
            renumbered(OURS / "machine-gb200-nvl72.xml", folder),
            ["2.27.7", "2.30.7"],
        ),
    ]
    if REAL.is_dir():
        cases.append(
            (REAL / "gb300-1tray-healthy.xml", 2, REAL / "gb300-2tray-0405-healthy-fused.xml", ["2.27.7", "2.30.7"])
        )
    for single, count, fused, releases in cases:
        cluster = folder / "known.json"
        cluster.write_text(json.dumps({"hosts": [{"topology": str(single), "count": count, "domain": "x"}]}))
        for release in releases:
            one, other = analyze("--release", release, fused), analyze("--release", release, "--cluster", cluster)
            differ = differing(without_asic(one), without_asic(other))
            if differ:
                yield f"{count} of {single.name} beside {fused.name} in {release}: {differ}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    found = machines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = list(try_known(folder))
        wrong += filter(None, (try_random(seed, found, folder) for seed in range(args.seed, args.seed + args.count)))
    if not REAL.is_dir():
        print("skipped: the trays of a real GB300, because ../shared is not beside this checkout")
    print("\n".join(wrong) or f"{args.count} random domains of {len(found)} machines: fused as told here")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
