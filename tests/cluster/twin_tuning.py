# SPDX-License-Identifier: Apache-2.0
"""A second implementation of docs/nccl/tuning.md in Python: bandwidths, latencies and thread thresholds of a joined
communicator, on rank 0.

binary32 where the text says so (f32 after each operation of lines marked (f)), binary64 with one rounding elsewhere.
"""

from twin_facts import f32, log2, number
from twin_joining import TREE
from twin_models import (
    BASE,
    HARDWARE,
    LL_MAX,
    NET,
    NVLINK,
    NVLS_TREE,
    OLD_LL128,
    PCI,
    RING_LL128,
    TREE_LL128,
    TREE_MAX,
    ZERO,
)

FUNCTIONS = ["Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"]
PROTOCOLS = ["LL", "LL128", "Simple"]
OLD = ["Tree", "Ring", "CollNet"]
MIDDLE = ["Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree"]
ALGORITHMS = {"2.7.8": OLD, "2.12.12": OLD, "2.21.5": MIDDLE, "2.27.7": MIDDLE + ["PAT"], "2.30.7": MIDDLE + ["PAT"]}
X86, POWER, ARM, MIXED = 1, 2, 3, 4  # NCCL's numbers of architectures
INTEL, AMD = 1, 2


def words(text):
    inverted = text.startswith("^")
    return inverted, [w.strip().lower() for w in text.lstrip("^").split(",") if w.strip()]


class Tuning:
    def __init__(self, joined):
        self.j, self.release, self.settings = joined, joined.release, joined.settings
        self.R, self.N = joined.ranks, joined.nodes
        self.ppn = f32(f32(self.R) / self.N)
        self.cc, self.ccm = joined.cc, joined.cc_max
        self.algorithms = ALGORITHMS[self.release]
        self.cpu()
        cap = self.cc
        rows = 4 if joined.since("2.27.7") else 3
        if self.release in ("2.7.8", "2.12.12"):
            self.row = 1 if cap == self.ccm == 80 else 0
        else:
            self.row = min(rows - 1, 3 if cap >= 100 else 2 if cap >= 90 else 1 if cap >= 80 else 0)
        self.col = min(self.N, 3) - 1
        amd = self.vendor == AMD and self.arch == X86 or (joined.since("2.27.7") and self.vendor == MIXED)
        self.ll_max = LL_MAX[self.row if self.N == 1 else 1 if amd else 0][self.col]

    def cpu(self):
        first = lambda s: (s.cpus[0]["arch"], s.cpus[0]["vendor"])
        self.arch, self.vendor = first(self.j.own)
        if self.j.since("2.27.7"):
            for s in self.j.systems:
                arch, vendor = first(s)
                if arch != self.arch:
                    self.arch = MIXED
                if vendor != self.vendor:
                    self.vendor = MIXED

    def graph(self, algorithm):
        name = {
            "Tree": "tree",
            "PAT": "tree",
            "Ring": "ring",
            "CollNet": "collnet",
            "CollNetChain": "collnet_chain",
            "CollNetDirect": "collnet_chain" if self.release == "2.21.5" else "collnet_direct",
            "NVLS": "nvls",
            "NVLSTree": "nvls",
        }[algorithm]
        return self.j.graph(name)

    # ---- what may be used (section 6) ----

    def switches(self, name, elements, automatic):
        """{function: {element: 0, 1, 2}}"""
        normal = {e: 2 if e == automatic else 1 for e in elements}
        found = {f: dict(normal) for f in FUNCTIONS}
        text = self.settings.get(name)
        if text is None:
            return found

        def read(part, functions):
            inverted, names = words(part)
            for f in functions:
                found[f] = {e: 1 if (e.lower() in names) != inverted else 0 for e in elements}

        if not self.j.since("2.27.7"):
            read(text, FUNCTIONS)
            return found
        for part in filter(None, text.split(";")):
            head, colon, rest = part.partition(":")
            read(
                rest if colon else part,
                [f for f in FUNCTIONS if f.lower() == head.strip().lower()] if colon else FUNCTIONS,
            )
        return found

    def allowed(self):
        j = self.j
        algorithms = self.switches("NCCL_ALGO", self.algorithms, None)
        protocols = self.switches("NCCL_PROTO", PROTOCOLS, "LL128")
        for f in FUNCTIONS:
            a = algorithms[f]
            if j.since("2.21.5"):
                if self.N == 1:
                    a["NVLSTree"] = 0
                if not j.collnet:
                    a["CollNetDirect"] = a["CollNetChain"] = 0
                    if self.N > 1:
                        a["NVLS"] = 0
                    if self.release == "2.21.5" and not (a["Ring"] or a["Tree"] or a["NVLS"] or a["NVLSTree"]):
                        a["Ring"] = a["Tree"] = 1
                if not j.own.has_switch:
                    a["CollNetDirect"] = 0
                if self.release == "2.30.7" and j.collnet and (j.max_local > 8 or not self.chains_fit()):
                    a["CollNetChain"] = 0
            elif self.release == "2.12.12" and not j.collnet:
                a["CollNet"] = 0
                if not (a["Ring"] or a["Tree"]):
                    a["Ring"] = a["Tree"] = 1
            if not j.since("2.21.5") and f != "AllReduce":
                algorithms[f] = {e: 1 for e in self.algorithms}
        return algorithms, protocols

    def chains_fit(self):
        """Chains start at heads that the network knows."""
        return self.heads("collnet_chain") <= self.heads(self.headed())

    def ll128(self, function, algorithm):
        g, T = self.graph(algorithm), self.j.own.types
        if self.release in ("2.7.8", "2.12.12"):
            return (
                g["type_inter"] <= T["PXB"]
                and g["type_intra"] <= T["NVL"]
                and self.cc == self.ccm
                and self.cc in (70, 80)
            )
        far = T["PXB"]
        if self.release == "2.21.5":
            if self.cc >= 90:
                far = T["PXN"]
            return (
                g["type_inter"] <= far
                and g["type_intra"] <= T["NVB"]
                and self.cc == self.ccm
                and self.cc in (70, 80, 90)
            )
        if self.cc >= 90 and number(self.settings, "NCCL_LL128_C2C", 1) != 0:
            far = T["PXN"]
        same = self.cc == self.ccm or (self.release == "2.30.7" and self.cc >= 90)
        return g["type_inter"] <= far and g["type_intra"] <= T["NVB"] and same and self.cc >= 70

    # ---- bandwidth (section 4) ----

    def combined(self, function, algorithm, protocol):
        if function in ("Broadcast", "Reduce") and algorithm != "Ring":
            return False
        if self.release in ("2.7.8", "2.12.12"):
            return function == "AllReduce" or algorithm == "Ring"
        if function in ("AllGather", "ReduceScatter") and algorithm not in ("Ring", "NVLS", "CollNetDirect", "PAT"):
            return False
        if function == "AllReduce" and algorithm == "PAT":
            return False
        if algorithm in ("NVLS", "NVLSTree", "PAT") and protocol != "Simple":
            return False
        if self.release == "2.30.7" and algorithm in ("NVLS", "NVLSTree") and self.graph(algorithm)["channels"] < 2:
            return False
        if algorithm == "PAT":
            asked = number(self.settings, "NCCL_PAT_ENABLE", 2)
            return self.cc >= 60 and (asked == 1 or (asked == 2 and self.N == self.R))
        return True

    def steps(self, function):
        return {"AllReduce": 2 * (self.R - 1), "AllGather": self.R - 1, "ReduceScatter": self.R - 1}.get(
            function, self.R
        )

    def bandwidth(self, function, algorithm, protocol):
        j, N, R, ppn = self.j, self.N, self.R, self.ppn
        g = self.graph(algorithm)
        k, intra, inter = g["channels"], g["bw_intra"], g["bw_inter"]
        newest, old = self.release == "2.30.7", self.release in ("2.7.8", "2.12.12")
        gather = function in ("AllGather", "ReduceScatter")
        r = intra if N <= 2 or algorithm.startswith("CollNet") else inter
        if algorithm in ("NVLS", "NVLSTree") and newest:
            eff = f32({2: 0.85, 3: 0.74}.get(self.row, 0.0))
            a = f32(f32(f32(intra * eff) * (k - 1)) / k)
            a = f32(a * 2) if function == "AllReduce" else f32(a * f32(f32(ppn - 1) / ppn))
            b = f32(inter * (2 if N <= 2 and algorithm == "NVLSTree" else 1))
            r = min(a, b)
            if algorithm == "NVLSTree":
                r = min(r, f32(NVLS_TREE[self.row][self.col]))
        elif algorithm == "NVLS":
            if self.release == "2.21.5" or function == "AllReduce":
                r = min(intra, inter)
            else:
                r = min(f32(f32(intra * f32(ppn - 1)) / ppn), f32(inter * f32(0.9)))
        elif algorithm == "NVLSTree":
            r = min(intra, inter if N <= 2 else f32(inter / 2))
        B = f32(k * r)
        if old:
            return self.old_bandwidth(function, algorithm, protocol, k, B)
        if algorithm == "Ring" and protocol == "LL":
            B = f32(min(self.ll_max, B * 0.5))
        if algorithm == "Ring" and protocol == "LL128":
            few = self.release == "2.21.5" and ppn < 2
            B = f32(min(B * (0.7 if few else 0.92), k * RING_LL128[self.row][self.col]))
        if algorithm == "Tree":
            if function == "AllReduce":
                B = f32(
                    min(
                        B * 0.92,
                        k * TREE_MAX[self.row][self.col]
                        if not newest or self.row < 3
                        else k * (70.0, 42.8, 24.0)[self.col],
                    )
                )
            if protocol == "LL":
                B = f32(min(B * 1.0 / 3.8, self.ll_max))
            if protocol == "LL128":
                limit = TREE_LL128[self.row][self.col] if not newest or self.row < 3 else (55.6, 31.67, 20.0)[self.col]
                B = f32(min(B * (7.0 / 9.0 if N == 1 else 120.0 / 128.0), k * limit))
            pattern = g["pattern"] if self.release == "2.21.5" else j.max_tree_pattern
            if pattern == TREE:
                B = f32(B * 0.85)
        if algorithm == "Ring" and protocol == "LL128" and newest and self.row == 3:
            B = f32(min(f32(k * r) * 0.92, k * 40.0))
        if algorithm == "PAT":
            B = f32(B * 0.75)
        B = self.collnet_bandwidth(function, algorithm, protocol, B, g, r)
        if (
            algorithm in ("NVLS", "CollNetDirect")
            and protocol == "Simple"
            and gather
            and N > 1
            and self.release != "2.21.5"
        ):
            if not j.collnet or j.max_local > self.collnet_heads():
                B = 0.0
        scaled = not (gather and algorithm != "Ring")
        if self.release == "2.21.5":
            scaled = not (gather and algorithm == "CollNetDirect")
        if scaled:
            ratio = f32(R * 1.0 / self.steps(function))
            if algorithm in ("NVLS", "NVLSTree"):
                ratio = ratio if newest else f32(5.0 / 6.0)
            elif algorithm != "Ring":
                ratio = 0.5
            B = f32(B * ratio)
        return B

    def heads(self, name):
        """Rank 0's own heads, over the channels that the graph has after alignment."""
        graph = self.j.own.graphs.get(name)
        return {channel[0] for channel in graph["intra"][: self.j.graph(name)["channels"]]} if graph else set()

    def headed(self):
        """The graph whose heads the network knows: in 2.30.7 that of NVLS, if it is on."""
        if self.release == "2.30.7" and self.j.graph("nvls")["channels"]:
            return "nvls"
        return "collnet_chain" if self.release == "2.21.5" else "collnet_direct"

    def collnet_heads(self):
        return len(self.heads(self.headed()))

    def collnet_bandwidth(self, function, algorithm, protocol, B, g, r):
        if not algorithm.startswith("CollNet"):
            return B
        if protocol != "Simple":
            return 0.0
        if algorithm != "CollNetDirect":
            return B
        gather = function in ("AllGather", "ReduceScatter")
        ppn, k, N = self.ppn, g["channels"], self.N
        if gather and self.release == "2.21.5":
            B = f32(ppn * r)
            if N > 1 and (not self.j.collnet or ppn > self.collnet_heads()):
                B = 0.0
            w = f32(f32(ppn - 1) / 7)
            return f32(B * (w * 0.85 + f32(1 - w) * 0.95))
        if gather:
            return f32(ppn * min(g["bw_intra"], f32(g["bw_inter"] * f32(0.9))))
        if k == 0:
            return 0.0
        F = f32(ppn / (1.0 * k))
        F = f32(F - f32(f32(F - 1) / 2))
        B = f32(B / F) if F else 0.0
        return f32(B * 0.85) if self.cc >= 90 else B

    def old_bandwidth(self, function, algorithm, protocol, k, B):
        N, ppn, new = self.N, self.ppn, self.release == "2.12.12"
        both = self.cc == self.ccm == 80
        if both:
            B = f32(min(B, 235.0))
        if algorithm == "Ring" and protocol == "LL":
            share = B * (1.0 / 4.0 if N > 1 or function in ("AllReduce", "Reduce") else 1.0 / 3.0)
            B = f32(min(self.ll_max, share) if new else share)
        elif algorithm == "Ring" and protocol == "LL128":
            B = f32(min(B * (0.7 if ppn < 2 else 0.92), (20 if new else OLD_LL128[function]) * k))
        elif algorithm == "Tree":
            if new:
                B = f32(min(B * 0.92, k * TREE_MAX[self.row][self.col]))
                if protocol == "LL":
                    B = f32(min(B * 1.0 / 3.8, self.ll_max))
                if protocol == "LL128":
                    B = f32(min(B * (7.0 / 9.0 if N == 1 else 120.0 / 128.0), 20 * k))
            else:
                top = (
                    (105.0 if both and protocol == "LL128" else 80.0)
                    if N > 2
                    else (130.0 if both and protocol == "LL128" else 110.0)
                )
                B = f32(min(B * 0.9, top))
                if protocol == "LL":
                    B = f32(B * (1.0 / 3.8))
                if protocol == "LL128":
                    B = f32(min(B * (7.0 / 9.0 if N == 1 else 0.915), OLD_LL128[function] * k * 7.0 / 9.0))
        elif algorithm == "CollNet":
            if new:
                B = B if protocol == "Simple" else 0.0
            else:
                B = f32(B * 0.9)
                B = f32(B * (1.0 / 6.0)) if protocol == "LL" else 0.0 if protocol == "LL128" else B
        return f32(B * (f32(self.R * 1.0 / self.steps(function)) if algorithm == "Ring" else 0.5))

    # ---- latency (section 5) ----

    def hardware(self, where, algorithm, p):
        table = HARDWARE[self.release]
        if where == PCI and algorithm == "Tree" and p == 2 and self.arch == POWER and self.release != "2.7.8":
            return f32(5.7)
        return f32(table[algorithm][where][p])

    def overhead(self):
        asked = number(self.settings, "NCCL_NET_OVERHEAD", -2)
        if asked != -2:
            return f32(asked * 0.001)
        return 2.0 if self.arch == X86 and self.vendor == AMD else 1.0

    def latency(self, function, algorithm, p):
        N, R, release = self.N, self.R, self.release
        g = self.graph(algorithm)
        simple = p == 2
        intra = NVLINK if g["type_intra"] == self.j.own.types["NVL"] else PCI
        base = f32(BASE[release].get(algorithm, ZERO)[p])
        lat = g["latency_inter"]
        iL = self.hardware(intra, algorithm, p)
        one = f32(f32(R) / N) == 1
        if release in ("2.27.7", "2.30.7"):
            eL = self.hardware(NET, "Tree" if one else algorithm, p)
        else:
            eL = self.hardware(NET, algorithm, p)
        if release == "2.12.12":
            eL = lat if lat != 0 else eL
        elif release != "2.7.8":
            eL = f32(eL + lat)
            if simple:
                eL = f32(eL + lat)
        old = release in ("2.7.8", "2.12.12")
        if old and N > 1 and p == 0:
            iL = f32(iL * 1.8)
        S = self.steps(function)
        if algorithm == "Ring":
            where = intra if N == 1 else NET
            if function in ("Broadcast", "Reduce"):
                x = self.hardware(where, "Ring", p)
                if g["same_channels"]:
                    return f32(base + x)
                if simple:
                    x = self.hardware(where, "Tree", p)
                return f32(base + f32(S * x))
            if not old:
                o = 0.0
                if N > 1:
                    o = self.overhead()
                    o = f32(o * 3) if simple else o
                iL = max(iL, o)
            full = function == "AllReduce"
            if release in ("2.27.7", "2.30.7"):
                E = 0 if N == 1 else 2 * (N - 1) if full else N - 1
            elif release == "2.7.8":
                E = 2 * (N - 1) if full else N - 1
            else:
                E = (2 * N if N > 1 else 0) if full else N - 1
            return f32(base + f32(f32((S - E) * iL) + f32(E * eL)))
        per = R // N
        if algorithm == "Tree":
            return f32(base + f32(2 * f32(f32((per - 1) * iL) + f32(log2(N) * eL))))
        if algorithm == "CollNet" and release == "2.7.8":
            return f32(base + f32(f32(2 * f32((per - 1) * iL)) + eL))
        if algorithm in ("CollNet", "CollNetDirect"):
            return f32(base + (2 * (min(1, per - 1) * iL + (per - 1) * (0.5 if old else 0.4)) + eL))
        if algorithm == "CollNetChain":
            return f32(base + f32(f32(2 * f32((per - 1) * iL)) + eL))
        if algorithm == "NVLS":
            return f32(iL + eL) if N > 1 else iL
        if algorithm == "NVLSTree":
            return f32(base + f32(iL + f32(2 * f32(log2(N) * eL))))
        more = log2(N) * (eL / 3.5)
        return f32(base + (more + R * 2.8)) if release == "2.30.7" else f32(8 + more + R * 2.8)

    # ---- documents ----

    def bandwidths(self):
        algorithms, protocols = self.allowed()
        table, backup = {}, {}
        for f in FUNCTIONS:
            table[f] = {}
            for a in self.algorithms:
                row = table[f][a] = {}
                for p in PROTOCOLS:
                    value = self.bandwidth(f, a, p) if self.R > 1 and self.combined(f, a, p) else 0.0
                    if a == "Ring":
                        backup[f, p] = value
                    on = protocols[f][p]
                    if on == 2:
                        on = self.ll128(f, a)
                    row[p] = value if on and algorithms[f][a] else 0.0
            if self.release == "2.21.5" and not any(v for row in table[f].values() for v in row.values()):
                for p in PROTOCOLS:
                    table[f]["Ring"][p] = backup[f, p]
        return table

    def latencies(self):
        return {
            f: {
                a: {
                    p: self.latency(f, a, i) if self.R > 1 and self.combined(f, a, p) else 0.0
                    for i, p in enumerate(PROTOCOLS)
                }
                for a in self.algorithms
            }
            for f in FUNCTIONS
        }

    def thresholds(self):
        if self.R == 1:
            return {a: dict.fromkeys(PROTOCOLS, 0) for a in self.algorithms}
        table = {a: {"LL": 8, "LL128": 8, "Simple": 64} for a in self.algorithms}
        table["Ring"]["LL"] = 8 * self.R
        for a in ("CollNetDirect", "CollNetChain", "CollNet"):
            if a in table and self.release != "2.7.8":
                table[a]["Simple"] = 512
        return table


def tuning(joined):
    t = Tuning(joined)
    return {"bandwidths": t.bandwidths(), "latencies": t.latencies(), "thread_thresholds": t.thresholds()}
