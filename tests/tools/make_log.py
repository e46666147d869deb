#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the debug log that a job on a described machine would print, in the manner of an NCCL release.

    build-dev/orrery analyze --release 2.27.7 --hosts 2 machine.xml | tests/tools/make_log.py > job.log

The text is made from Orrery's own analysis and the published shapes of the lines; no line is from a real log. What the
tests change in it (values, launchers' prefixes, wraps) is done by the functions below.
"""
import argparse
import json
import random
import sys


def version(text):
    return tuple(int(part) for part in text.split("."))


class Maker:
    def __init__(self, analysis, settings=None, more=False, cyclic=False, trays=0):
        """more: also the network, its connections and the tuning table, as NCCL_DEBUG_SUBSYS=...,NET,TUNING prints
        them. cyclic: neighbouring ranks are on different hosts, as `mpirun --map-by node` places them. trays: this many
        hosts are in NVLink cliques, each of which is one host of the analysis."""
        self.a, self.more = analysis, more
        self.v = version(analysis["nccl"])
        self.settings = settings or {}
        self.ids = self.v >= (2, 22)  # "GPU/0-1b000"; before: "GPU/1B000"
        self.lines = []
        self.local = analysis["local_ranks"]
        self.gpus = {n["rank"]: n for n in analysis["system"]["nodes"] if n["type"] == "GPU"}
        self.nodes = {n["id"]: n for n in analysis["system"]["nodes"]}
        self.cyclic = cyclic
        self.trays, self.in_turn = trays, trays and analysis["cluster"]["order"] == "cyclic"
        channels, renamed = analysis["channels"], [self.rank_at(place) for place in range(analysis["ranks"])]
        number = lambda place: renamed[place] if place >= 0 else place  # noqa: E731
        self.rings = [[number(p) for p in ring] for ring in channels["rings"]]
        self.trees = [
            {
                "up": {number(p): number(up) for p, up in enumerate(t["up"])},
                "down": {number(p): [number(d) for d in down] for p, down in enumerate(t["down"])},
            }
            for t in channels["trees"]
        ]

    def host_of(self, rank):
        return rank % self.a["hosts"] if self.cyclic else rank // self.local

    def local_of(self, rank):
        return rank // self.a["hosts"] if self.cyclic else rank % self.local

    def rank_at(self, place):
        """The rank of a place, where places count host by host."""
        return place % self.local * self.a["hosts"] + place // self.local if self.cyclic else place

    def beside(self, rank, local):
        """The rank of another GPU on the rank's host."""
        return self.rank_at(self.host_of(rank) * self.local + local)

    def node(self, identity):
        kind, rest = identity.split("/")
        return identity if self.ids else f"{kind}/{rest.split('-')[1].upper()}"

    def say(self, rank, text, tid=0):
        host = f"node{self.machine(rank)[0] + 1}"
        pid = 1000 + rank
        self.lines.append(f"{host}:{pid}:{pid + 100 + tid} [{self.device(rank)}] NCCL INFO {text}")

    def machine(self, rank):
        """The number of the host that a rank is on, and of its GPU there."""
        if not self.trays:
            return self.host_of(rank), self.local_of(rank)
        if self.in_turn:
            return rank % self.trays, rank // self.trays
        return divmod(rank, self.a["ranks"] // self.trays)

    def device(self, rank):
        return self.machine(rank)[1]

    def fabric(self, rank):
        """What a GPU of a tray reports of its fabric, and the clique that NCCL uses."""
        clique = f"{0x7ffe + self.host_of(rank):x}"
        self.say(
            rank,
            f"MNNVL busId 0x{self.bus(rank)} fabric UUID 8f4c000000000000.1 cliqueId 0x{clique} state 3 "
            "healthMask 0xaa",
        )
        self.say(rank, f"MNNVL 1 cliqueId {clique} cliqueSize {self.local} cliqueRank {self.local_of(rank)}")
        self.say(
            rank,
            f"comm 0x5{rank:03x}00 rank {rank} nRanks {self.a['ranks']} nNodes {self.a['ranks'] // self.local} "
            f"localRanks {self.local} localRank {self.local_of(rank)} MNNVL 1",
        )

    def bus(self, rank):
        return self.gpus[self.local_of(rank)]["id"].split("-")[1]

    def start(self, rank):
        if self.v >= (2, 18):
            mark = f"[Rank {rank}] " if self.v >= (2, 30) else ""
            call = "ncclCommInitRank " if self.v >= (2, 27) else ""
            self.say(
                rank,
                f"{mark}{call}comm 0x5{rank:03x}00 rank {rank} nranks {self.a['ranks']} cudaDev "
                f"{self.device(rank)} nvmlDev {self.device(rank)} busId {self.bus(rank)} commId 0xabc1 - Init "
                "START",
            )

    def tree(self, rank):
        system = self.a["system"]
        name = ("maxBw", "totalBw") if self.v >= (2, 18) else ("maxWidth", "totalWidth")
        total = f" {name[1]} {system['total_bw']:.1f}" if self.v >= (2, 12) else ""
        self.say(rank, f"=== System : {name[0]} {system['max_bw']:.1f}{total} ===")
        links = {}
        for start, end, kind, bw in system["links"]:
            links.setdefault(start, []).append((end, kind, bw))
        for cpu in (n for n in system["nodes"] if n["type"] == "CPU"):
            self.say(rank, f"{self.node(cpu['id'])} ({cpu['arch']}/{cpu['vendor']}/{cpu['model']})")
            self.branch(rank, links, cpu["id"], None, 0)
        self.say(rank, "==========================================")

    def branch(self, rank, links, identity, above, indent):
        for end, kind, bw in links.get(identity, []):
            if end == above and kind == "PCI":
                continue
            goes_on = kind in ("PCI", "NET") and not (kind == "PCI" and end.startswith("CPU"))
            if kind == "NET" and not end.startswith(("NET", "GIN")):
                continue
            head = f"{' ' * indent}+ {kind}[{bw:.1f}] - "
            node, detail = self.nodes[end], ""
            if kind == "LOC" and not end.startswith("GPU"):
                continue
            if (goes_on or kind == "LOC") and end.startswith("GPU"):
                detail = f" ({node['rank']})"
            elif goes_on and end.startswith("NET"):
                coll = f"{node['coll']}/" if self.v >= (2, 27) else ""
                detail = f" ({coll}{int(node['asic'], 16):x}/{node['port']}/{node['bw']:f})"
            elif goes_on and end.startswith("DEV"):
                detail = " (0)"
            elif goes_on and end.startswith("PCI") and self.v >= (2, 12):
                detail = " (15b3197c00000000)"
            self.say(rank, head + self.node(end) + detail)
            if goes_on:
                self.branch(rank, links, end, identity, indent + 14)

    def paths(self, rank):
        digits = 1 if self.v >= (2, 21) else 6
        table = {}
        for p in self.a["paths"]:
            if p["type"] != "DIS" or self.v >= (2, 27):
                table.setdefault(p["from"], []).append(
                    f"{self.node(p['to'])} ({len(p['hops'])}/{p['bw']:.{digits}f}/{p['type']})"
                )
        for start in (s for kind in ("GPU", "NET") for s in table if s.startswith(kind)):
            self.say(rank, f"{self.node(start)} :{' '.join(table[start])} ")

    def graphs(self, rank):
        for graph in self.a["graphs"]:
            if graph["name"].startswith("collnet"):
                continue
            rate = "bw" if self.v >= (2, 18) else "speed"
            self.say(
                rank,
                f"Pattern {graph['pattern']}, crossNic {graph['cross_nic']}, nChannels {graph['channels']}, "
                f"{rate} {graph['bw_intra']:f}/{graph['bw_inter']:f}, type {graph['type_intra']}/"
                f"{graph['type_inter']}, sameChannels {graph['same_channels']}",
            )
            for channel, order in enumerate(graph["intra"]):
                gpus = " ".join(
                    self.gpus[r]["id"] if self.v >= (2, 27) else f"GPU/{self.beside(rank, r)}" for r in order
                )
                nets = graph["inter"][channel] if graph["inter"] and self.a["hosts"] > 1 else None
                start = f"{self.node(nets[0])} " if nets else ""
                end = f" {self.node(nets[1])}" if nets and graph["name"] != "nvls" else ""
                self.say(rank, f"{channel:2d} : {start}{gpus}{end}")

    def channels(self, rank):
        channels, count = self.a["channels"], self.a["channels"]["count"]
        width = len(str(self.a["ranks"] - 1))
        if rank == 0:
            for c, ring in enumerate(self.rings):
                if self.v >= (2, 27):
                    text = " ".join(f"{r:{width}d}" for r in ring)
                    head = f"Channel {c:02d}/{count:02d} : "
                    text = text if len(head + text) <= 127 else text[: 124 - len(head)] + "..."
                else:
                    text, head = "".join(f"{r:4d}" for r in ring[:20]), f"Channel {c:02d}/{count:02d} : "
                self.say(rank, head + text)
        for c, ring in enumerate(self.rings):
            if self.v >= (2, 12):
                at = ring.index(rank)
                self.say(rank, f"Ring {c:02d} : {ring[at - 1]} -> {rank} -> {ring[(at + 1) % len(ring)]}")
        if self.v >= (2, 12):
            trees = " ".join(
                f"[{c}] {'/'.join(map(str, t['down'][rank]))}->{rank}->{t['up'][rank]}"
                for c, t in enumerate(self.trees)
            )
            self.say(rank, f"Trees {trees}"[:1023])
        nvls = (channels.get("nvls") or {}).get("channels", 0)
        middle = f"{count} collnet channels, {nvls} nvls channels, " if self.v >= (2, 21) else ""
        self.say(
            rank,
            f"{count} coll channels, {middle}{channels['p2p_channels']} p2p channels, "
            f"{channels['p2p_channels_per_peer']} p2p channels per peer",
        )

    def connections(self, rank):
        p2p = {(p["a"], p["b"]): p["p2p"] for p in self.a["p2p"]}
        index = "/0" if self.v >= (2, 12) else ""
        for c, ring in enumerate(self.rings):
            to = ring[(ring.index(rank) + 1) % len(ring)]
            if self.host_of(to) != self.host_of(rank) or to == rank:
                continue
            tell = self.local_of if self.v >= (2, 21) else self.bus
            way = (
                ("P2P/CUMEM" if self.v >= (2, 21) else "P2P/IPC")
                if p2p[self.local_of(rank), self.local_of(to)]
                else ("SHM/direct/direct" if self.v >= (2, 21) else "direct shared memory")
            )
            self.say(rank, f"Channel {c:02d}{index} : {rank}[{tell(rank)}] -> {to}[{tell(to)}] via {way}")

    def nets(self, rank):
        """Connections to other hosts: the NIC of the rank for the channel, driven by itself or by a proxy (PXN)."""
        devs = {}
        for row in self.a["net_devs"]:
            devs.setdefault(row["rank"], []).append(row)
        gdr = {(row["rank"], row["net"]): row for row in self.a["gdr"]}
        local = self.local_of(rank)
        for c, ring in enumerate(self.rings):
            at = ring.index(rank)
            for other, way in ((ring[at - 1], "recv"), (ring[(at + 1) % len(ring)], "send")):
                rows = devs.get(local)
                if not rows or self.host_of(other) == self.host_of(rank):
                    continue
                row = rows[c % len(rows)]
                driver = row["proxy_rank"] if way == "send" else local
                proxy = f"({self.beside(rank, driver)})" if driver != local else ""
                direct = "/GDRDMA" if gdr[driver, row["net"]][way] else ""
                a, b = (rank, other) if way == "send" else (other, rank)
                self.say(
                    rank,
                    f"Channel {c:02d}/0 : {a}[{self.local_of(a)}] -> {b}[{self.local_of(b)}] "
                    f"[{'send' if way == 'send' else 'receive'}] "
                    f"via NET/IB/{int(row['net'].split('-')[1], 16)}{proxy}{direct}",
                )

    def tuning(self, rank):
        """Latency and bandwidth of every function, three algorithms a table."""
        bandwidths, latencies = self.a["tuning"]["bandwidths"], self.a["tuning"]["latencies"]
        names = list(bandwidths["AllReduce"])
        for part in (names[i : i + 3] for i in range(0, len(names), 3)):
            self.say(rank, "  Algorithm   |" + "".join(f" {name:>40} |" for name in part))
            self.say(rank, "  Protocol    |" + "             LL |          LL128 |         Simple |" * len(part))
            for function in bandwidths:
                cells = "".join(
                    f" {latencies[function][a][p]:7.1f}/{bandwidths[function][a][p]:6.1f} |"
                    for a in part
                    for p in ("LL", "LL128", "Simple")
                )
                self.say(rank, f"{function:>13} |{cells}")

    def make(self):
        self.lines.append(f"NCCL version {self.a['nccl']}+cuda12.4")
        for rank in range(self.a["ranks"]):
            for name, value in self.settings.items():
                self.say(rank, f"{name} set by environment to {value}.")
            if self.more:
                self.say(rank, "Using network IB")
            self.start(rank)
            if self.trays:
                self.fabric(rank)
            self.tree(rank)
            self.paths(rank)
            self.graphs(rank)
            self.channels(rank)
            self.connections(rank)
            if self.more and self.a["hosts"] > 1:
                self.nets(rank)
            if self.more and rank == 0 and self.v >= (2, 23):
                self.tuning(rank)
            nvml = f" nvmlDev {self.device(rank)}" if self.v >= (2, 18) else ""
            comm = " commId 0xabc1" if self.v >= (2, 16) else ""
            call = "ncclCommInitRank " if self.v >= (2, 27) else ""
            self.say(
                rank,
                f"{call}comm 0x5{rank:03x}00 rank {rank} nranks {self.a['ranks']} cudaDev "
                f"{self.device(rank)}{nvml} busId {self.bus(rank)}{comm} - Init COMPLETE",
            )
        return self.lines


def interleave(lines, seed=1):
    """The lines of several writers in a different order, which keeps the order of each writer's own lines."""
    chance = random.Random(seed)
    writers = {}
    for line in lines:
        writers.setdefault(line.split(" ")[0], []).append(line)
    rows = list(writers.values())
    result = []
    while rows:
        row = chance.choice(rows)
        result.append(row.pop(0))
        if not row:
            rows.remove(row)
    return result


def wrap(lines, width=100):
    """Wraps the lines as a terminal of that width does."""
    return [line[i : i + width] for line in lines for i in range(0, max(len(line), 1), width)]


def decorate(lines, kind):
    """Adds a launcher's prefixes to the lines."""
    heads = {
        "mpirun": lambda i: f"[1,{i % 4}]<stdout>:",
        "ray": lambda i: f"\x1b[36m(RayWorker pid={i % 7 + 100})\x1b[0m ",
        "slurm": lambda i: f"{i % 4}: ",
        "time": lambda i: f"2026-11-21T10:{i // 60 % 60:02d}:{i % 60:02d}.5Z ",
        "kubernetes": lambda i: f"worker-{i % 2} pytorch [rank{i % 8}]:",
    }
    return [heads[kind](i) + line for i, line in enumerate(lines)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interleave", action="store_true")
    parser.add_argument("--decorate", choices=["mpirun", "ray", "slurm", "time", "kubernetes"])
    arguments = parser.parse_args()
    made = Maker(json.load(sys.stdin)).make()
    if arguments.interleave:
        made = interleave(made)
    if arguments.decorate:
        made = decorate(made, arguments.decorate)
    print("\n".join(made))
