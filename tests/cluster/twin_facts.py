# SPDX-License-Identifier: Apache-2.0
"""The knowledge of each rank, taken from our analyses of single hosts, because other references check the search.

A host's dump is written anew with the GPUs that take part, in their order, and analysed as one of two equal hosts: then
NICs stay, as in any communicator that leaves the host (a host that is all of the communicator is analysed by itself).
If trimming splits the host, the document holds the part of rank 0 alone; the ranks are then dealt out anew so that
each part is seen as its first rank sees it.
"""
import ctypes
import hashlib
import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree as ET

# Numbers of the types of paths (docs/nccl/paths.md, "Path types"); of 2.12.12's two names for 7 documents show SYS.
TYPES = {
    "2.7.8": {"LOC": 0, "NVL": 1, "PIX": 2, "PXB": 3, "PHB": 4, "SYS": 5, "NET": 6},
    "2.12.12": {"LOC": 0, "NVL": 1, "NVB": 2, "PIX": 3, "PXB": 4, "PXN": 5, "PHB": 6, "SYS": 7, "DIS": 7},
    "2.21.5": {"LOC": 0, "NVL": 1, "NVB": 2, "PIX": 3, "PXB": 4, "PXN": 5, "PHB": 6, "SYS": 7, "NET": 8, "DIS": 9},
    "2.27.7": {
        "LOC": 0,
        "NVL": 1,
        "NVB": 2,
        "C2C": 3,
        "PIX": 4,
        "PXB": 5,
        "P2C": 6,
        "PXN": 7,
        "PHB": 8,
        "SYS": 9,
        "NET": 10,
        "DIS": 11,
    },
}
TYPES["2.30.7"] = TYPES["2.27.7"]


SECTIONS = (
    "graphs",
    "system",
    "system_before_trim",
    "paths",
    "p2p",
    "gdr",
    "net_devs",
    "ranks",
    "local_ranks",
)


def f32(x):
    return ctypes.c_float(x).value


def number(settings, name, default):
    try:
        return int(settings[name], 0) if name in settings else default
    except ValueError:
        return default


def power_up(x):
    p = 1
    while p < x:
        p *= 2
    return p


def log2(x):
    return x.bit_length() - 1


class Refused(Exception):
    pass


def analyse(orrery, release, settings, *arguments):
    command = [orrery, "analyze", "--release", release]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command + list(arguments), capture_output=True, timeout=120)
    if done.returncode == 1:
        raise Refused(done.stderr.decode(errors="replace").strip())
    if done.returncode != 0:
        raise RuntimeError(
            f"{command + list(arguments)}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:2000]}"
        )
    return json.loads(done.stdout)


class System:
    """One part of one host, or several hosts fused: what its ranks contribute and know, under global rank numbers."""

    def __init__(self, release, document, ranks):
        """ranks[i] = the number in the communicator of the document's rank i"""
        types = TYPES[release]
        self.document = document
        self.renumber = ranks
        self.graphs = {}
        for graph in document["graphs"]:
            row = dict(graph)
            row["intra"] = [[ranks[g] for g in channel] for channel in graph["intra"]]
            for key in ("bw_intra", "bw_inter", "latency_inter"):
                row[key] = f32(row[key])
            for key in ("type_intra", "type_inter"):
                row[key] = types[row[key]]
            self.graphs[graph["name"]] = row
        self.nodes = {node["id"]: node for node in document["system"]["nodes"]}
        of_type = lambda kind: [node for node in document["system"]["nodes"] if node["type"] == kind]
        self.gpus, self.nets, self.cpus = of_type("GPU"), of_type("NET"), of_type("CPU")
        self.ranks = [ranks[gpu["rank"]] for gpu in self.gpus]
        self.gpu_of = dict(zip(self.ranks, self.gpus))
        self.links = document["system"]["links"]
        self.has_switch = any(node["type"] == "NVS" for node in document["system"]["nodes"])
        self.paths = {
            (path["from"], path["to"]): (types[path["type"]], f32(path["bw"]), len(path["hops"]))
            for path in document["paths"]
        }
        self.types = types

    def path(self, a, b):
        return self.paths.get((a["id"], b["id"]), (self.types.get("DIS", self.types["SYS"]), 0.0, 0))

    def locals(self, node, others):
        """The nearest of others: highest rate, then lowest type, all that are equal in index order."""
        best, found = (0.0, self.types.get("DIS", 99)), []
        for other in others:
            kind, rate, _ = self.path(node, other)
            if (rate, -kind) > (best[0], -best[1]):
                best, found = (rate, kind), []
            if (rate, kind) == best:
                found.append(other)
        return found


class Facts:
    """Analyses of single hosts, each made once."""

    def __init__(self, orrery):
        self.orrery = orrery
        self.kept = {}
        self.folder = tempfile.TemporaryDirectory()

    def forget(self):
        self.kept.clear()

    def dump(self, release, hosts, turned):
        """A file of the system as its GPUs' processes see it. hosts: [(path, order, ranks)] with order[i] = the place,
        among the GPUs with a rank, of rank ranks[i] in the system. At last the ranks are dealt out anew, rank
        turned[i] becomes i: numbers name GPUs, where they stand is settled."""
        fused = at_least(release, "2.27.7")
        name = hashlib.sha256(f"{hosts} {turned} {fused}".encode()).hexdigest()[:24] + ".xml"
        target = os.path.join(self.folder.name, name)
        if not os.path.exists(target):
            roots = [renumbered(*host) for host in hosts]
            if len(roots) > 1:
                tell_apart(roots)
            if len(roots) > 1 or hosts[0][1] != tuple(range(gpu_count(hosts[0][0]))):
                roots[0] = seen_together(roots, [host[2] for host in hosts], fused)
            tree = ET.ElementTree(roots[0])
            for gpu in ranked(tree):
                gpu.set("rank", str(turned.index(int(gpu.get("rank")))))
            tree.write(target)
        return target

    def document(self, release, settings, hosts, alone, turned):
        key = (release, tuple(sorted(settings.items())), hosts, tuple(turned), alone)
        if key not in self.kept:
            try:
                whole = analyse(
                    self.orrery, release, settings, "--hosts", "1" if alone else "2", self.dump(release, hosts, turned)
                )
                self.kept[key] = {k: whole[k] for k in SECTIONS}
            except Refused as refused:
                self.kept[key] = refused
        if isinstance(self.kept[key], Refused):
            raise self.kept[key]
        return self.kept[key]

    def systems(self, release, settings, group, alone=False):
        """The parts of a host, or of hosts in one NVLink domain. group: [(path, order of GPUs, their ranks in the
        communicator)]; alone: the communicator has nothing else."""
        ranks = sorted(rank for _, _, own in group for rank in own)
        hosts = tuple((path, tuple(order), tuple(ranks.index(rank) for rank in own)) for path, order, own in group)
        left, found = list(range(len(ranks))), []
        while left:
            turned = list(range(len(ranks)))
            turned[0], turned[left[0]] = turned[left[0]], turned[0]
            document = self.document(release, settings, hosts, alone, turned)
            system = System(release, document, [ranks[i] for i in turned])
            members = {turned[gpu["rank"]] for gpu in system.gpus}
            assert left[0] in members, (hosts, left)
            left = [i for i in left if i not in members]
            found.append(system)
        return found


def at_least(release, other):
    return [int(x) for x in release.split(".")] >= [int(x) for x in other.split(".")]


def seen(element, ranks):
    """What a process that looks for these ranks' GPUs keeps of the file (docs/nccl/sequence.md, "Fusing the XML of
    several ranks"); None where it goes."""
    if element.tag == "gpu" and element.get("rank") is not None and int(element.get("rank")) in ranks:
        return element
    if element.tag == "net" and element.get("dev") is not None:
        return element
    holds = ("gpu", "pci", "cpu", "nic", "net", "system")
    copy = ET.Element(element.tag, dict(element.attrib))
    below = [(child, seen(child, ranks) if child.tag in holds else child) for child in element]
    copy.extend(kept for _, kept in below if kept is not None)
    return (
        copy
        if any(kept is not None and child.tag in holds for child, kept in below) or element.tag == "system"
        else None
    )


def renumbered(path, order, ranks):
    root = ET.parse(path).getroot()
    gpus = ranked(root)
    for gpu in gpus:
        gpu.attrib.pop("rank")
    for place, rank in zip(order, ranks):
        gpus[place].set("rank", str(rank))
    return root


def tell_apart(roots):
    """Hosts have hashes and cards of their own, though their files may be equal."""
    for number, root in enumerate(roots):
        for cpu in root.iter("cpu"):
            cpu.set("host_hash", hex(number + 1))
        for net in root.iter("net"):
            if net.get("guid"):
                net.set("guid", hex(int(net.get("guid"), 16) + (number << 48)))


def seen_together(roots, ranks, fused):
    """From 2.27.7 on each rank sees its own GPU and all NICs of its host, before all GPUs of the host; the views are
    merged in the order of ranks (3.2)."""
    views = sorted((rank, host) for host, own in enumerate(ranks) for rank in own)
    whole = None
    for rank, host in views:
        view = seen(roots[host], [rank] if fused else ranks[host])
        if whole is None:
            whole = view
        elif fused or rank == min(ranks[host]):
            merge(whole, view)
    return whole


def merge(into, source):
    for child in source:
        twin = next((c for c in into if c.tag == child.tag and c.attrib == child.attrib), None)
        if twin is None:
            into.append(child)
        elif twin is not child:
            merge(twin, child)


def ranked(tree):
    """The GPUs that take part, by the value of rank."""
    gpus = [gpu for gpu in tree.iter("gpu") if gpu.get("rank") is not None]
    return sorted(gpus, key=lambda gpu: int(gpu.get("rank")))


def gpu_count(path):
    return len(ranked(ET.parse(path)))
