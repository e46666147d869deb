# SPDX-License-Identifier: Apache-2.0
"""Random communicators over different hosts, from a seed."""
import glob
import os
import random
import re
import xml.etree.ElementTree as ET

from twin_facts import gpu_count

RELEASES = ["2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.30.7"]

# name, values; a case takes a few
SETTINGS = {
    "NCCL_CROSS_NIC": ["0", "1", "2"],
    "NCCL_MIN_NCHANNELS": ["1", "3", "8", "12", "33", "64"],
    "NCCL_MAX_NCHANNELS": ["1", "2", "3", "5", "7", "20"],
    "NCCL_MIN_CTAS": ["4", "20"],
    "NCCL_MAX_CTAS": ["3", "6", "32"],
    "NCCL_ALGO": ["Tree", "Ring", "^Tree", "NVLSTree,Ring", "^Ring,Tree"],
    "NCCL_PROTO": ["Simple", "^LL128", "LL,LL128"],
    "NCCL_PXN_DISABLE": ["1"],
    "NCCL_NVLS_ENABLE": ["0", "1", "2"],
    "NCCL_NVLS_NCHANNELS": ["8", "24"],
    "NCCL_P2P_LEVEL": ["LOC", "NVL", "PIX", "PHB", "SYS"],
    "NCCL_P2P_DISABLE": ["1"],
    "NCCL_SHM_DISABLE": ["1"],
    "NCCL_NET_GDR_LEVEL": ["LOC", "PIX", "PHB", "SYS"],
    "NCCL_NET_GDR_READ": ["0", "1"],
    "NCCL_COLLNET_ENABLE": ["1"],
    "NCCL_COLLNET_NODE_THRESHOLD": ["2", "4"],
    "NCCL_MAX_P2P_NCHANNELS": ["1", "6", "16"],
    "NCCL_MIN_P2P_NCHANNELS": ["4", "20"],
    "NCCL_NCHANNELS_PER_NET_PEER": ["1", "3", "-1", "-3"],
    "NCCL_NVB_DISABLE": ["1"],
    "NCCL_NET_DISABLE_INTRA": ["1"],
    "NCCL_PXN_C2C": ["0", "1"],
    "NCCL_NETDEVS_POLICY": ["ALL", "MAX:1", "MAX:2"],
    "NCCL_P2P_PER_CHANNEL_NET_BW": ["6", "50"],
    "NCCL_P2P_MAX_PEERS": ["2", "64"],
    "NCCL_PAT_ENABLE": ["0", "1"],
    "NCCL_LL128_C2C": ["0"],
    "NCCL_NET_OVERHEAD": ["3000"],
    "NCCL_WORK_ARGS_BYTES": ["300", "1024"],
    "NCCL_MNNVL_ENABLE": ["0", "1"],
}
SINCE = {
    "NCCL_MIN_CTAS": 2,
    "NCCL_MAX_CTAS": 2,
    "NCCL_PXN_DISABLE": 1,
    "NCCL_NVLS_ENABLE": 2,
    "NCCL_NVLS_NCHANNELS": 2,
    "NCCL_COLLNET_NODE_THRESHOLD": 1,
    "NCCL_NCHANNELS_PER_NET_PEER": 1,
    "NCCL_NVB_DISABLE": 1,
    "NCCL_NET_DISABLE_INTRA": 2,
    "NCCL_PXN_C2C": 3,
    "NCCL_NETDEVS_POLICY": 4,
    "NCCL_P2P_PER_CHANNEL_NET_BW": 4,
    "NCCL_P2P_MAX_PEERS": 4,
    "NCCL_PAT_ENABLE": 3,
    "NCCL_LL128_C2C": 3,
    "NCCL_NET_OVERHEAD": 2,
    "NCCL_WORK_ARGS_BYTES": 3,
    "NCCL_MNNVL_ENABLE": 2,
}


# Topologies with equal elements beside one another; no rule says which of them a process sees.
ODD = ("rccl-topo_4p4h.xml", "hygon-dtk26.04-topo-mapping.xml")


def multicast(path):
    """Which GPUs can have NVLS: in a system that has both kinds each rank decides for itself whether it has a graph,
    and a document shows that of rank 0."""
    return {int(gpu.get("sm", "0")) >= 90 for gpu in ET.parse(path).iter("gpu")}


def dumps_in(root, shared):
    """{path: number of GPUs with a rank} of our own dumps and of the real ones beside the checkout, if they are
    there."""
    folders = [
        f"{root}/tests/data",
        f"{root}/static/examples",
        f"{root}/tests/conformance/topologies",
        f"{shared}/topologies/real",
    ]
    found = {}
    for path in sorted(
        path for folder in folders for path in glob.glob(f"{folder}/*.xml") if not path.endswith(".graph.xml")
    ):
        try:
            nets = [net.get("dev") for net in ET.parse(path).iter("net")]
            mixed = len(multicast(path)) > 1
            count = gpu_count(path)
        except (ET.ParseError, ValueError):
            continue
        fused = "fused" in path or "trays" in path
        if mixed:
            continue
        # two NICs of one number: documents, which name nodes, cannot tell them apart
        if 0 < count <= 32 and (len(set(nets)) == len(nets) or fused) and os.path.basename(path) not in ODD:
            found[path] = count
    return found


def own_cards(paths):
    """Has each of these files network cards that are its alone, by numbers that are not placeholders (the port's own)?
    What hosts of one domain share otherwise is nobody's rule."""
    seen = set()
    for path in paths:
        nets = [(net.get("guid") or "0", int(net.get("dev") or "-1")) for net in ET.parse(path).iter("net")]
        if any(not re.fullmatch("(0x)?[0-9a-fA-F]+", guid) for guid, _ in nets):
            return False  # "0xREDACTED"
        nets = [(int(guid, 16), dev) for guid, dev in nets]
        cards = {guid for guid, _ in nets}
        if cards & seen or any(guid == dev for guid, dev in nets):
            return False
        seen |= cards
    return True


class Line:
    def __init__(self, path, count, order, chosen):
        self.path, self.count, self.order, self.chosen, self.domain = path, count, order, chosen, None


class Case:
    """A question: lines of hosts, an order of ranks, a release, settings."""

    def __init__(self, seed, dumps):
        """dumps: {path: number of GPUs with a rank}"""
        chance = random.Random(seed)
        self.seed = seed
        self.release = chance.choice(RELEASES)
        names = [n for n in SETTINGS if SINCE.get(n, 0) <= RELEASES.index(self.release)]
        self.settings = {n: chance.choice(SETTINGS[n]) for n in chance.sample(names, chance.choice([0, 0, 1, 1, 2, 3]))}
        if self.release == "2.30.7" and self.settings.get("NCCL_NCHANNELS_PER_NET_PEER", "").startswith("-"):
            del self.settings["NCCL_NCHANNELS_PER_NET_PEER"]  # the text leaves open what a negative number means there
        paths = sorted(dumps)
        if chance.random() < 0.4:  # machines of one family meet more often than a mill beside a rack
            family = os.path.basename(chance.choice(paths)).split("-")[0]
            paths = [p for p in paths if os.path.basename(p).startswith(family)]
        elif chance.random() < 0.08 and any("collnet" in p for p in paths):
            paths = [p for p in paths if "collnet" in p]
            self.settings["NCCL_COLLNET_ENABLE"] = "1"
        self.lines = []
        for _ in range(chance.choice([1, 2, 2, 2, 3, 3, 4])):
            path = chance.choice(paths)
            order, chosen = list(range(dumps[path])), False
            if chance.random() < 0.35:
                order = chance.sample(order, chance.randint(1, len(order)))
                if chance.random() < 0.5:
                    order.sort()
                chosen = True
            self.lines.append(Line(path, chance.choice([1, 1, 1, 2, 3]), order, chosen))
        if sum(line.count for line in self.lines) == 1 and chance.random() < 0.7:
            self.lines[0].count = chance.choice([2, 3, 5])
        several = any("fused" in line.path or "trays" in line.path for line in self.lines)
        if (
            RELEASES.index(self.release) >= 2
            and not several
            and chance.random() < 0.15
            and own_cards({line.path for line in self.lines})
            and len(set.union(*(multicast(line.path) for line in self.lines))) == 1
        ):
            for line in self.lines:  # one host without would keep all apart
                line.domain = chance.choice(["left", "left", "right"])
        sizes = [len(line.order) for line in self.lines for _ in range(line.count)]
        self.kind = chance.choice(["block", "block", "cyclic", "list"])
        self.hosts_of_ranks = [host for host, size in enumerate(sizes) for _ in range(size)]
        if self.kind == "cyclic":
            left, self.hosts_of_ranks = list(sizes), []
            while any(left):
                for host in range(len(left)):
                    if left[host]:
                        left[host] -= 1
                        self.hosts_of_ranks.append(host)
        elif self.kind == "list":
            chance.shuffle(self.hosts_of_ranks)

    def hosts(self):
        """[(path, order of GPUs, numbers in the communicator)] of every host"""
        ranks = {}
        for rank, host in enumerate(self.hosts_of_ranks):
            ranks.setdefault(host, []).append(rank)
        lines = [line for line in self.lines for _ in range(line.count)]
        return [(line.path, line.order, ranks[host]) for host, line in enumerate(lines)]

    def fuses(self):
        """Do hosts of one domain become one system? (docs/nccl/connect.md, "NVLink domains of several hosts")"""
        enabled = self.settings.get("NCCL_MNNVL_ENABLE", "2")
        no_p2p = self.settings.get("NCCL_P2P_DISABLE") == "1" or self.settings.get("NCCL_P2P_LEVEL") == "LOC"
        return enabled != "0" and (self.release == "2.21.5" or not no_p2p or enabled == "1")

    def groups(self):
        """[[host]]: those of one system together"""
        found = {}
        lines = [line for line in self.lines for _ in range(line.count)]
        for number, (line, host) in enumerate(zip(lines, self.hosts())):
            found.setdefault(line.domain if line.domain and self.fuses() else number, []).append(host)
        return list(found.values())

    def description(self):
        hosts = []
        for line in self.lines:
            row = {"topology": os.path.abspath(line.path), "count": line.count}
            if line.chosen:
                row["gpus"] = line.order
            if line.domain:
                row["domain"] = line.domain
            hosts.append(row)
        return {"hosts": hosts, "ranks": self.hosts_of_ranks if self.kind == "list" else self.kind}

    def text(self):
        lines = ", ".join(
            f"{line.count} x "
            f"{os.path.basename(line.path)}{line.order if line.chosen else ''}"
            f"{' in ' + line.domain if line.domain else ''}"
            for line in self.lines
        )
        return f"seed {self.seed}: {self.release} {lines}; {self.kind}; {self.settings}"
