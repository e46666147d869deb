# SPDX-License-Identifier: Apache-2.0
"""Results made up from predictions of a changed machine, with 5 % noise and the overhead of launching: does check-perf
name the change first? The machine is changed here, in its XML or by settings, not by the code that explains.

    check_explanations.py [--orrery build/orrery] [--cases 300] [--seed 1] [--show]

Exit status 1 if the true cause comes first in fewer than 90 % of the cases."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINES = [
    "hgx-h100",
    "dgx-a100",
    "hgx-h200",
    "dgx-1",
    "Standard_ND96isr_H100_v5",
    "BM.GPU.H200.8",
    "hgx-b200",
    "p4d.24xlarge",
    "polaris",
    "hgx-a100-4",
    "dgx-2",
    "a3-ultragpu-8g",
]
RELEASES = ["2.18.5", "2.21.5", "2.27.7", "2.30.7"]
SIZES = [1 << shift for shift in range(20, 34)]


def nets(tree):
    return [(parent, net) for parent in tree.iter() for net in parent if net.tag == "net"]


def keep_nets(choose):
    """choose: how many of n NICs stay, spread over the machine."""

    def change(tree):
        all_nets = nets(tree)
        keep = choose(len(all_nets))
        if not 0 < keep < len(all_nets):
            return False
        step = len(all_nets) / keep
        kept = {int(i * step) for i in range(keep)}
        for i, (parent, net) in enumerate(all_nets):
            if i not in kept:
                parent.remove(net)
        for parent in list(tree.iter()):
            for nic in [child for child in parent if child.tag == "nic" and not len(child)]:
                parent.remove(nic)
        return {f"{keep} of {len(all_nets)}"}

    return change


def is_named(keep, what):
    """Is "5 of 8" what an explanation says, which may name a range: "4 to 6 of 8 NICs are used"?"""
    count, of = keep.split(" of ")
    return any(
        int(low) <= int(count) <= int(high or low) and of == all_of
        for low, high, all_of in re.findall(r"(\d+)(?: to (\d+))? of (\d+) NICs", what)
    )


def slow_nets(factor):
    def change(tree):
        for _, net in nets(tree):
            net.set("speed", str(int(int(net.get("speed")) / factor)))
        return bool(nets(tree))

    return change


def no_gdr(tree):
    for _, net in nets(tree):
        net.set("gdr", "0")
    return bool(nets(tree))


def tcp(tree):
    no_gdr(tree)
    for _, net in nets(tree):
        net.set("speed", str(min(int(net.get("speed")), random.choice([16000, 24000, 32000]))))
    return bool(nets(tree))


def nvlinks(keep):
    def change(tree):
        found = False
        for gpu in tree.iter("gpu"):
            for link in gpu.findall("nvlink"):
                found = True
                if keep:
                    link.set("count", str(max(1, int(link.get("count")) // 2)))
                else:
                    gpu.remove(link)
        return found

    return change


def narrow_nics(tree):
    found = False
    for pci in tree.iter("pci"):
        if pci.find("nic") is not None and pci.get("link_width"):
            pci.set("link_width", str(int(pci.get("link_width")) // 2))
            found = True
    return found


# GB/s of a PCIe lane, as NCCL counts it.
LANES = {
    "2.5 GT/s": 1.5 / 8,
    "5 GT/s": 3 / 8,
    "8 GT/s": 6 / 8,
    "16 GT/s": 12 / 8,
    "32.0 GT/s": 24 / 8,
    "64.0 GT/s": 48 / 8,
    "8.0 GT/s": 6 / 8,
    "16.0 GT/s": 12 / 8,
    "5.0 GT/s": 3 / 8,
    "": 6 / 8,
}


class PcieTree:
    """The PCIe links of a dump, and what a graph of NCCL loads on them with PCIe ACS and without."""

    def __init__(self, root):
        self.up, self.bw, self.gpus, self.nics = {}, {}, {}, {}
        self.nvlinks = root.find(".//nvlink") is not None
        for cpu in root.iter("cpu"):
            self.walk(cpu, None)

    def walk(self, node, parent):
        for child in node:
            if child.tag == "pci":
                speed, lanes = child.get("link_speed", "").replace(" PCIe", ""), child.get("link_width") or "16"
                self.up[child], self.bw[child] = parent, LANES[speed] * (int(lanes) or 16)
            if child.tag == "gpu":
                self.gpus[int(child.get("rank"))] = node
            for net in child.findall("net") if child.tag == "nic" else []:
                self.nics[int(net.get("dev"))] = node
            self.walk(child, child if child.tag == "pci" else parent)

    def chain(self, device):
        while device is not None:
            yield device
            device = self.up[device]

    def use(self, graph, hosts, redirected):
        """The highest load / bandwidth of a link."""
        load = {}

        def add(source, to, rate):
            up, down = list(self.chain(source)), list(self.chain(to))
            common = set(up) & set(down)
            if source is to or (common and not redirected):
                up, down = [link for link in up if link not in common], [link for link in down if link not in common]
            for way, links in (("up", up), ("down", down)):
                for link in links:
                    load[way, link] = load.get((way, link), 0) + rate

        for ranks, ends in zip(graph["intra"], graph.get("inter") or [None] * graph["channels"]):
            devices = [self.gpus[rank] for rank in ranks]
            ring = graph["name"] == "ring"
            if not self.nvlinks:
                pairs = list(zip(devices, devices[1:])) + ([(devices[-1], devices[0])] if ring and hosts == 1 else [])
                for a, b in pairs:
                    for source, to in [(a, b)] if ring else [(a, b), (b, a)]:
                        add(source, to, graph["bw_intra"])
            if hosts > 1:
                first, last = (self.nics[int(end.split("-")[-1])] for end in ends)
                add(first, devices[0], graph["bw_inter"])
                add(devices[-1 if ring else 0], last, graph["bw_inter"])
        return max([rate / self.bw[link] for (_, link), rate in load.items()], default=0)


def acs(orrery, file, release, hosts):
    """How much slower each algorithm is with PCIe ACS."""
    done = run(orrery, "analyze", "--section", "graphs", "--release", release, "--hosts", str(hosts), file)
    graphs = {graph["name"]: graph for graph in json.loads(done.stdout)} if not done.returncode else {}
    tree = PcieTree(ET.parse(file).getroot())
    slower = {}
    for algorithm, name in (("Ring", "ring"), ("Tree", "tree"), ("NVLSTree", "nvls")):
        if name in graphs:
            slower[algorithm] = max(
                1, tree.use(graphs[name], hosts, True) / max(1, tree.use(graphs[name], hosts, False))
            )
    return slower


def part_of(share):
    return lambda count: max(1, int(count * share))


# Each change: in the XML, or by settings; the ids of which one must come first; whether it needs several hosts.
CHANGES = [
    ("half of the NICs", keep_nets(part_of(0.5)), {}, {"fewer-nics", "half-rate"}, True),
    ("a quarter of the NICs", keep_nets(part_of(0.25)), {}, {"fewer-nics", "quarter-rate"}, True),
    ("m of n NICs", keep_nets(lambda count: random.randint(1, max(1, count - 1))), {}, {"fewer-nics"}, True),
    ("PCIe ACS", acs, {}, {"acs"}, None),
    ("half rate", slow_nets(2), {}, {"half-rate", "fewer-nics", "nic-links"}, True),
    ("quarter rate", slow_nets(4), {}, {"quarter-rate", "fewer-nics", "nic-links-quarter"}, True),
    ("no GDR", no_gdr, {}, {"no-gdr"}, True),
    ("TCP", tcp, {}, {"tcp"}, True),
    ("narrow NIC links", narrow_nics, {}, {"nic-links"}, True),
    ("no NVLinks", nvlinks(False), {}, {"no-nvlinks"}, False),
    ("half of the NVLinks", nvlinks(True), {}, {"half-nvlinks"}, False),
    ("no NVLS", None, {"NCCL_NVLS_ENABLE": "0"}, {"no-nvls", "ring"}, False),
    ("no P2P", None, {"NCCL_P2P_DISABLE": "1"}, {"no-p2p"}, False),
    ("LL", None, {"NCCL_PROTO": "LL"}, {"ll"}, False),
    ("LL128", None, {"NCCL_PROTO": "LL128"}, {"ll128"}, False),
    ("2 channels", None, {"NCCL_MAX_NCHANNELS": "2"}, {"channels-2"}, False),
    ("4 channels", None, {"NCCL_MAX_NCHANNELS": "4"}, {"channels-4"}, False),
    ("tree", None, {"NCCL_ALGO": "Tree"}, {"tree"}, False),
]


def run(orrery, *arguments):
    return subprocess.run([orrery, *arguments], capture_output=True, text=True)


def curve(orrery, file, release, hosts, settings, slower=None):
    """{size: (time, bus bandwidth)}, None if nothing is predicted. slower: {algorithm: by how much}."""
    chosen = [text for name, value in settings.items() for text in ("--set", f"{name}={value}")]
    done = run(
        orrery, "analyze", "--section", "predictions", "--release", release, "--hosts", str(hosts), *chosen, file
    )
    if done.returncode:
        return None
    section = json.loads(done.stdout)
    reduce = section["functions"].get("AllReduce")
    if not reduce or not reduce["ranges"]:
        return None
    out = {}
    for size in SIZES:
        way = [row for row in reduce["ranges"] if row["from"] <= size][-1]
        times = next(
            row["times"]
            for row in reduce["ways"]
            if (row["algorithm"], row["protocol"]) == (way["algorithm"], way["protocol"])
        )
        time = times[section["sizes"].index(size)]
        time += (time - times[0]) * ((slower or {}).get(way["algorithm"], 1) - 1)
        out[size] = (time, size / time / 1000 * reduce["bus_share"])
    return out


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--orrery", default=os.environ.get("ORRERY", os.path.join(ROOT, "build", "orrery")))
    asked.add_argument("--cases", type=int, default=300)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--show", action="store_true")
    asked = asked.parse_args()
    random.seed(asked.seed)
    kept = tempfile.TemporaryDirectory()
    folder = kept.name
    first = found = done = 0
    by_change = {}
    tries = 0
    while done < asked.cases and tries < 20 * asked.cases:
        tries += 1
        machine, release = random.choice(MACHINES), random.choice(RELEASES)
        what, change, settings, ids, network = random.choice(CHANGES)
        hosts = random.choice([2, 4, 8] if network else [1, 1, 2] if network is not None else [1, 2, 4])
        healthy = os.path.join(folder, machine + ".xml")
        if not os.path.exists(healthy):
            open(healthy, "w", encoding="utf-8").write(run(asked.orrery, "convert", "--machine", machine).stdout)
        tree = ET.parse(healthy)
        named = change(tree.getroot()) if change and change is not acs else True
        if not named:
            continue
        broken = os.path.join(folder, "broken.xml")
        tree.write(broken)
        whole = curve(asked.orrery, healthy, release, hosts, {})
        slow = curve(
            asked.orrery,
            broken,
            release,
            hosts,
            settings,
            acs(asked.orrery, healthy, release, hosts) if change is acs else None,
        )
        # Only a change that shows at the largest sizes can be explained.
        if not whole or not slow or slow[SIZES[-1]][1] > 0.75 * whole[SIZES[-1]][1]:
            continue
        rows = []
        for size in SIZES:
            time = (slow[size][0] + random.uniform(5, 25)) / random.gauss(1, 0.05)
            alg = size / time / 1000
            bus = alg * slow[size][1] * slow[size][0] * 1000 / size
            rows.append(f"{size:12} {size // 4:12} float sum -1 {time:9.2f} {alg:7.2f} {bus:7.2f} 0")
        text = os.path.join(folder, "results.txt")
        open(text, "w", encoding="utf-8").write("\n".join(rows) + "\n")
        answer = run(
            asked.orrery,
            "check-perf",
            "--json",
            "--topology",
            healthy,
            "--release",
            release,
            "--hosts",
            str(hosts),
            "--collective",
            "all_reduce",
            text,
        )
        if answer.returncode not in (0, 3, 4):
            print(machine, release, hosts, what, answer.stderr)
            return 1
        document = json.loads(answer.stdout)
        explanations = document["explanations"]
        good = bool(explanations) and bool(ids & set(explanations[0]["ids"]))
        if what == "m of n NICs":
            good = good and all(is_named(keep, explanations[0]["what"]) for keep in named)
        done += 1
        first += good
        found += any(ids & set(one["ids"]) for one in explanations)
        counts = by_change.setdefault(what, [0, 0])
        counts[0] += good
        counts[1] += 1
        if asked.show and not good:
            print(
                machine,
                release,
                hosts,
                what,
                "->",
                document["verdict"],
                [(e["ids"], round(e["fit"], 2), e["what"]) for e in explanations],
                named,
            )
    for what, (good, all_of) in sorted(by_change.items()):
        print(f"{what}: {good} of {all_of}")
    print(
        f"{done} cases: the true cause is first in {first} ({100 * first / max(done, 1):.1f} %), among the three in "
        f"{found}"
    )
    return 0 if done == asked.cases and first >= 0.9 * done else 1


if __name__ == "__main__":
    sys.exit(main())
