"""Results made up from predictions of a changed machine, with 5 % noise and the overhead of launching: does check-perf
name the change first? The machine is changed here, in its XML or by settings, not by the code that explains.

    check_explanations.py [--orrery build/orrery] [--cases 300] [--seed 1] [--show]

Exit status 1 where the true cause comes first in fewer than 90 % of the cases."""
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
MACHINES = ["hgx-h100", "dgx-a100", "hgx-h200", "dgx-1", "Standard_ND96isr_H100_v5", "BM.GPU.H200.8", "hgx-b200", "p4d.24xlarge",
            "polaris", "hgx-a100-4", "dgx-2", "a3-ultragpu-8g"]
RELEASES = ["2.18.5", "2.21.5", "2.27.7", "2.30.7"]
SIZES = [1 << shift for shift in range(20, 34)]


def nets(tree):
    return [(parent, net) for parent in tree.iter() for net in parent if net.tag == "net"]


def keep_nets(share):
    def change(tree):
        all_nets = nets(tree)
        keep = max(1, int(len(all_nets) * share))
        if keep == len(all_nets):
            return False
        step = len(all_nets) / keep
        kept = {int(i * step) for i in range(keep)}
        for i, (parent, net) in enumerate(all_nets):
            if i not in kept:
                parent.remove(net)
        for parent in list(tree.iter()):
            for nic in [child for child in parent if child.tag == "nic" and not len(child)]:
                parent.remove(nic)
        return True
    return change


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


# What is changed: in the XML, or by settings; the ids of which one must come first; whether it takes several hosts.
CHANGES = [
    ("half of the NICs", keep_nets(0.5), {}, {"half-nics", "half-rate"}, True),
    ("a quarter of the NICs", keep_nets(0.25), {}, {"quarter-nics", "quarter-rate"}, True),
    ("half rate", slow_nets(2), {}, {"half-rate", "half-nics", "nic-links"}, True),
    ("quarter rate", slow_nets(4), {}, {"quarter-rate", "quarter-nics", "nic-links-quarter"}, True),
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


def curve(orrery, file, release, hosts, settings):
    """{size: (time, bus bandwidth)}, None where nothing is predicted."""
    chosen = [text for name, value in settings.items() for text in ("--set", f"{name}={value}")]
    done = run(orrery, "analyze", "--section", "predictions", "--release", release, "--hosts", str(hosts), *chosen, file)
    if done.returncode:
        return None
    section = json.loads(done.stdout)
    reduce = section["functions"].get("AllReduce")
    if not reduce or not reduce["ranges"]:
        return None
    out = {}
    for size in SIZES:
        way = [row for row in reduce["ranges"] if row["from"] <= size][-1]
        times = next(row["times"] for row in reduce["ways"]
                     if (row["algorithm"], row["protocol"]) == (way["algorithm"], way["protocol"]))
        time = times[section["sizes"].index(size)]
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
    folder = tempfile.mkdtemp()
    first = found = done = 0
    by_change = {}
    tries = 0
    while done < asked.cases and tries < 20 * asked.cases:
        tries += 1
        machine, release = random.choice(MACHINES), random.choice(RELEASES)
        what, change, settings, ids, network = random.choice(CHANGES)
        hosts = random.choice([2, 4, 8] if network else [1, 1, 2])
        healthy = os.path.join(folder, machine + ".xml")
        if not os.path.exists(healthy):
            open(healthy, "w", encoding="utf-8").write(run(asked.orrery, "convert", "--machine", machine).stdout)
        tree = ET.parse(healthy)
        if change and not change(tree.getroot()):
            continue
        broken = os.path.join(folder, "broken.xml")
        tree.write(broken)
        whole = curve(asked.orrery, healthy, release, hosts, {})
        slow = curve(asked.orrery, broken, release, hosts, settings)
        # Only what shows at the largest sizes can be explained.
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
        answer = run(asked.orrery, "check-perf", "--json", "--topology", healthy, "--release", release, "--hosts", str(hosts),
                     "--collective", "all_reduce", text)
        if answer.returncode not in (0, 3, 4):
            print(machine, release, hosts, what, answer.stderr)
            return 1
        document = json.loads(answer.stdout)
        explanations = document["explanations"]
        good = bool(explanations) and bool(ids & set(explanations[0]["ids"]))
        done += 1
        first += good
        found += any(ids & set(one["ids"]) for one in explanations)
        counts = by_change.setdefault(what, [0, 0])
        counts[0] += good
        counts[1] += 1
        if asked.show and not good:
            print(machine, release, hosts, what, "->", document["verdict"], [(e["ids"], round(e["fit"], 2)) for e in explanations])
    for what, (good, all_of) in sorted(by_change.items()):
        print(f"{what}: {good} of {all_of}")
    print(f"{done} cases: the true cause is first in {first} ({100 * first / max(done, 1):.1f} %), among the three in {found}")
    return 0 if done == asked.cases and first >= 0.9 * done else 1


if __name__ == "__main__":
    sys.exit(main())
