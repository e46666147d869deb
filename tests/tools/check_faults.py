#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults put into known machines: does the diagnosis name each of them, with what it costs?

    ORRERY=build/orrery tests/tools/check_faults.py [--every N] [--list]

Every machine type is written as XML, each kind of fault that it can have is put into a copy of that XML, and the copy
is analysed. A fault counts as found where the headline is about it or about a finding that it follows from, with a
cost.
A fault that changes no figure of the analysis must still be a finding, and its cost must say so. The unbroken machine
must have nothing above info. Faults are edits of the XML text and share no code with what finds them. The report of
`orrery show` about a broken machine with up to eight GPUs fits two screens.

--assumed gives `nvidia-smi topo -m` of each machine instead, sound and with faults that this table does not show. It
lacks speeds, so nothing may be called healthy, fit or as expected where a speed that nobody knows decides. A table of
`nvidia-smi topo -mp` lacks NVLinks too: beside a machine that has some, the gate gives no verdict at all."""
import argparse
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import other_forms

ORRERY = os.environ.get("ORRERY", "build/orrery")
SHARE = 0.98  # of the faults that must be found
MOST_LINES = 100  # of a report of 80 columns: two screens


def run(*args, text=None):
    return subprocess.run([ORRERY, *args], input=text, capture_output=True, text=True, check=False, timeout=600)


def cards(tree, inside):
    return [pci for pci in tree.iter("pci") if pci.find(inside) is not None]


def parents(tree):
    return {child: parent for parent in tree.iter() for child in parent}


# Each fault changes the tree and returns True, or False where the machine cannot have it.
def narrow(pci):
    if pci.get("link_width") != "16":
        return False
    pci.set("link_width", "4")
    return True


def gpu_narrow(tree):
    gpus = cards(tree, "gpu")
    return len(gpus) > 1 and narrow(gpus[-1])


def gpu_slow(tree):
    gpus = cards(tree, "gpu")
    if len(gpus) < 2 or gpus[0].get("link_speed") in (None, "", "2.5 GT/s PCIe"):
        return False
    gpus[1].set("link_speed", "2.5 GT/s PCIe")
    return True


def nic_narrow(tree):
    nics = cards(tree, "nic")
    return len(nics) > 1 and narrow(nics[-1])


def switch_narrow(tree):
    switches = [p for p in tree.iter("pci") if p.find("pci") is not None and p.find(".//gpu") is not None]
    return len(switches) > 2 and narrow(switches[1])


def switch_throttled(tree):
    switches = [p for p in tree.iter("pci") if p.find("pci") is not None and p.find(".//gpu") is not None]
    if not switches:
        return False
    switches[0].set("link_speed", "2.5 GT/s PCIe")
    switches[0].set("link_width", "1")
    return True


def all_gpus_slow(tree):
    gpus = cards(tree, "gpu")
    below = {"64.0 GT/s PCIe": "8.0 GT/s PCIe", "32.0 GT/s PCIe": "8.0 GT/s PCIe", "16.0 GT/s PCIe": "8.0 GT/s PCIe"}
    cpu = tree.find("cpu")
    old = (cpu.get("vendor"), cpu.get("familyid"), cpu.get("modelid")) in {
        ("GenuineIntel", "6", "79"),
        ("GenuineIntel", "6", "85"),
    }  # hosts of PCIe 3
    if old or not gpus or tree.find(".//c2c") is not None or gpus[0].get("link_speed") not in below:
        return False
    for pci in gpus:
        pci.set("link_speed", below[pci.get("link_speed")])
    return True


def links(gpu):
    return gpu.findall("nvlink")


def switched(tree):
    gpus = list(tree.iter("gpu"))
    return len(gpus) > 1 and all(links(g) and links(g)[0].get("tclass") == "0x068000" for g in gpus)


def nvlinks_gone(tree):
    gpus = list(tree.iter("gpu"))
    if len(gpus) < 2 or not any(links(g) for g in gpus):
        return False
    for gpu in gpus:
        for link in links(gpu):
            gpu.remove(link)
    return True


def nvlinks_half(tree):
    if not switched(tree):
        return False
    for link in tree.iter("nvlink"):
        link.set("count", str(int(link.get("count")) // 2))
    return True


def nvlinks_of_one(tree):
    if not switched(tree):
        return False
    link = links(list(tree.iter("gpu"))[-1])[0]
    link.set("count", str(int(link.get("count")) // 3))
    return True


def nvlinks_of_one_gone(tree):
    if not switched(tree):
        return False
    gpu = list(tree.iter("gpu"))[0]
    for link in links(gpu):
        gpu.remove(link)
    return True


def direct_pair(tree):
    """Two GPUs with direct NVLinks between them: the link elements of both directions."""
    by_bus = {pci.get("busid"): pci.find("gpu") for pci in cards(tree, "gpu")}
    for pci in cards(tree, "gpu"):
        for link in links(pci.find("gpu")):
            peer = by_bus.get(link.get("target"))
            for back in links(peer) if peer is not None else []:
                if back.get("target") == pci.get("busid"):
                    return pci.find("gpu"), link, peer, back
    return None


def nvlink_one_sided(tree):
    pair = direct_pair(tree)
    if not pair or int(pair[1].get("count")) < 2:
        return False
    pair[1].set("count", "1")
    return True


def nvlink_pair_down(tree):
    pair = direct_pair(tree)
    if not pair or len(list(tree.iter("gpu"))) < 4 or len(links(pair[0])) < 2:
        return False
    pair[0].remove(pair[1])
    pair[2].remove(pair[3])
    return True


def bridge_nearly_down(tree):
    """One link of each NVLink bridge between two PCIe cards is left, seen from both sides."""
    gpus = list(tree.iter("gpu"))
    if not gpus or any(len(links(g)) != 1 or links(g)[0].get("tclass") == "0x068000" for g in gpus):
        return False
    for link in tree.iter("nvlink"):
        link.set("count", "1")
    return True


def gdr_off(tree):
    nets = [
        n for n in tree.iter("net") if n.get("gdr") == "1" and n.get("name", "").startswith(("mlx5", "rdmap", "rocep"))
    ]
    for net in nets:
        net.set("gdr", "0")
    return bool(nets)


def all_ports_without_gdr(tree):
    """Whatever the names of the ports."""
    nets = [net for net in tree.iter("net") if net.get("gdr") == "1"]
    for net in nets:
        net.set("gdr", "0")
    return bool(nets)


def port_slow(tree):
    nets = list(tree.iter("net"))
    if len(nets) < 2:
        return False
    nets[-1].set("speed", str(int(nets[-1].get("speed")) // 4))
    return True


def all_ports_slow(tree):
    """Every port runs at half of its speed, as with the wrong cables or switches."""
    nets = list(tree.iter("net"))
    for net in nets:
        net.set("speed", str(int(net.get("speed")) // 2))
    return bool(nets)


def all_ports_very_slow(tree):
    nets = list(tree.iter("net"))
    for net in nets:
        net.set("speed", str(int(net.get("speed")) // 4))
    return bool(nets)


def all_nic_links_slow(tree):
    """The PCIe link of each NIC is one generation slower, and then slower than the NIC."""
    below = {"64.0 GT/s PCIe": "32.0 GT/s PCIe", "32.0 GT/s PCIe": "16.0 GT/s PCIe", "16.0 GT/s PCIe": "8.0 GT/s PCIe"}
    mbps = {"32.0 GT/s PCIe": 504000, "16.0 GT/s PCIe": 252000, "8.0 GT/s PCIe": 126000}
    nics = cards(tree, "nic")
    if not nics or any(nic.get("link_speed") not in below for nic in nics):
        return False
    for nic in nics:
        nic.set("link_speed", below[nic.get("link_speed")])
    fastest = max(int(net.get("speed")) for net in tree.iter("net"))
    return any(fastest > mbps[nic.get("link_speed")] for nic in nics)


def all_links_gen4(tree):
    """Every PCIe link of a machine of PCIe 5 or newer runs at PCIe 4."""
    fast = {"64.0 GT/s PCIe", "32.0 GT/s PCIe"}
    slower = [pci for pci in tree.iter("pci") if pci.get("link_speed") in fast]
    if not slower or tree.find(".//c2c") is not None:
        return False
    for pci in slower:
        pci.set("link_speed", "16.0 GT/s PCIe")
    return True


def half_the_nics_gone(tree):
    nics = cards(tree, "nic")
    if len(nics) < 4:
        return False
    for nic in nics[1::2]:
        parents(tree)[nic].remove(nic)
    renumber(tree)
    return True


def half_the_gpus_gone(tree):
    gpus = cards(tree, "gpu")
    nets = list(tree.iter("net"))
    if len(gpus) < 4 or (len(nets) == 1 and nets[0].get("name").startswith(("eth", "ens"))):
        return False  # one NIC of a common name says nothing about the rest of the machine
    gone = gpus[len(gpus) // 2 :]
    buses = {gpu.get("busid") for gpu in gone}
    for gpu in gone:
        parents(tree)[gpu].remove(gpu)
    for link in list(tree.iter("nvlink")):
        if link.get("target") in buses:
            parents(tree)[link].remove(link)
    return True


def renumber(tree):
    for number, net in enumerate(tree.iter("net")):
        net.set("dev", str(number))


def nic_gone(tree):
    nics = cards(tree, "nic")
    if len(nics) < 4:
        return False
    parents(tree)[nics[1]].remove(nics[1])
    renumber(tree)
    return True


def nic_moved(tree):
    nics = cards(tree, "nic")
    up = parents(tree)
    if len(nics) < 4 or up[nics[1]].tag == "cpu":
        return False
    up[nics[1]].remove(nics[1])
    tree.findall("cpu")[0].append(nics[1])
    return True


def gpu_gone(tree):
    gpus = cards(tree, "gpu")
    if len(gpus) < 4:
        return False
    parents(tree)[gpus[-1]].remove(gpus[-1])
    for link in list(tree.iter("nvlink")):
        if link.get("target") == gpus[-1].get("busid"):
            parents(tree)[link].remove(link)
    return True


def look(tree):
    """All by which a machine type is recognised: two types that look the same cannot be told apart."""
    cpu = tree.find("cpu")
    gpus = sorted((pci.get("device"), pci.find("gpu").get("sm")) for pci in cards(tree, "gpu"))
    nets = sorted((re.sub("[0-9]+", "#", net.get("name")), net.get("speed")) for net in tree.iter("net"))
    return repr(([cpu.get(key) for key in ("arch", "vendor", "familyid", "modelid")], gpus, nets))


FAULTS = {  # name: edit, ids of findings that name it
    "gpu-narrow": (gpu_narrow, {"slow-link"}),
    "gpu-slow": (gpu_slow, {"slow-link"}),
    "nic-narrow": (nic_narrow, {"slow-link", "slow-slot"}),
    "switch-narrow": (switch_narrow, {"slow-link"}),
    "switch-throttled": (switch_throttled, {"throttling-bridge", "slow-link"}),
    "all-gpus-slow": (all_gpus_slow, {"pcie-below-model"}),
    "nvlinks-gone": (nvlinks_gone, {"nvlinks-missing"}),
    "nvlinks-half": (nvlinks_half, {"nvlinks-below-board"}),
    "nvlinks-of-one": (nvlinks_of_one, {"nvlink-count"}),
    "nvlinks-of-one-gone": (nvlinks_of_one_gone, {"nvlink-count"}),
    "nvlink-one-sided": (nvlink_one_sided, {"nvlink-one-sided", "nvlink-count"}),
    "nvlink-pair-down": (nvlink_pair_down, {"nvlink-count", "nvlinks-below-board"}),
    "bridge-nearly-down": (bridge_nearly_down, {"nvlinks-below-board"}),
    "gdr-off": (gdr_off, {"gdr-off"}),
    "all-ports-without-gdr": (all_ports_without_gdr, {"gdr-off"}),
    "port-slow": (port_slow, {"port-slow", "mixed-speeds", "nics-below-type"}),
    "nic-gone": (nic_gone, {"nic-missing"}),
    "nic-moved": (nic_moved, {"nic-misplaced"}),
    "gpu-gone": (gpu_gone, {"gpu-missing"}),
    "all-ports-slow": (all_ports_slow, {"ports-below-type", "nics-below-type"}),
    "all-ports-very-slow": (all_ports_very_slow, {"ports-below-type", "nics-below-type"}),
    "all-nic-links-slow": (all_nic_links_slow, {"slow-slot"}),
    "all-links-gen4": (all_links_gen4, {"pcie-below-model", "slow-slot"}),
    "half-the-nics-gone": (half_the_nics_gone, {"nics-below-type", "nic-missing", "ports-below-type"}),
    "half-the-gpus-gone": (half_the_gpus_gone, {"gpu-missing"}),
}


OF_TYPES = {"all-ports-slow", "all-ports-very-slow", "half-the-nics-gone", "half-the-gpus-gone"}


def analyse(path, hosts):
    done = run("analyze", "--hosts", str(hosts), path)
    return json.loads(done.stdout) if done.returncode == 0 else None


def lines_of_report(path):
    return run("show", "--hosts", "2", path).stdout.count("\n")


def costs_nothing(finding):
    """The repair makes no figure better by a hundredth."""
    cost = finding["cost"]
    return bool(cost) and (
        cost["repaired"] <= cost["now"] * 1.01 if cost["unit"] != "us" else cost["repaired"] >= cost["now"] * 0.99
    )


def judge(document, ids):
    """'found', 'no effect' (a finding whose repair changes nothing), or what went wrong."""
    if not document:
        return "no analysis"
    rows = [f for f in document["findings"] if f["id"] in ids]
    verdict = document["summary"]["verdict"]
    if not rows:
        return f"no finding; headline {verdict['finding']}"
    if verdict["finding"] in ids and any(f["cost"] for f in rows):
        return "found"
    if any(f["follows_from"] == verdict["finding"] for f in rows if f["follows_from"]):
        return "found"
    if all(costs_nothing(f) for f in rows):
        return "no effect"
    return f"headline {verdict['finding']}, not {sorted(f['id'] for f in rows)}"


UNSEEN = ("all-ports-slow", "all-ports-very-slow", "port-slow", "gdr-off", "all-links-gen4", "gpu-narrow")


def bandwidth(path, *words, hosts="2"):
    done = run("predict", "--hosts", hosts, "--sizes", "1G:1G:2", "--json", *words, path)
    return json.loads(done.stdout)["rows"][0]["busbw"] if done.returncode == 0 else None


def bandwidth_lost(path, unbroken):
    """What a machine loses beside the unbroken one although each repair alone changes nothing, or None."""
    for hosts in "12":
        now, whole = bandwidth(path, hosts=hosts), bandwidth(unbroken, hosts=hosts)
        if now and whole and now < 0.99 * whole:
            return f"{now:.0f} of {whole:.0f} GB/s on {hosts} hosts, and no finding costs anything"
    return None


def judge_assumed(name, path, folder, hidden):
    """What is said of a table of `nvidia-smi topo -m` that rests on an assumed speed, a list."""
    wrong = []
    document = analyse(path, 2)
    if not document:
        return ["no analysis"]
    state, sentence = document["summary"]["verdict"]["state"], document["summary"]["verdict"]["sentence"]
    if state == "healthy" or "ealthy" in sentence or (hidden and state != "cannot tell"):
        wrong.append(f"called healthy: {sentence}")
    gate = run("gate", "--timeout", "600", "--expect", name, path)
    if gate.returncode == 0 or (hidden and gate.returncode != 4):
        wrong.append(f"gate: {gate.stdout.strip()}")
    slow, fast = (bandwidth(path, "--assume-nics", speed) for speed in ("200", "400"))
    if slow and fast and fast > 1.3 * slow:  # then these results are as expected, or low: nobody can know
        results = os.path.join(folder, "results.txt")
        with open(results, "w") as file:
            file.write(run("predict", "--hosts", "2", "--assume-nics", "200", path).stdout)
        said = run("check-perf", "--text", "--topology", path, "--hosts", "2", results)
        if said.returncode == 0:
            wrong.append(f"check-perf: {said.stdout.splitlines()[0]}")
    return wrong


def check_assumed(trees, every):
    cases = number = 0
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.txt")
        for name, tree in trees.items():
            if len({cpu.get("host_hash") for cpu in tree.iter("cpu")}) > 1:
                continue  # a rack: nvidia-smi shows one of its hosts
            for kind in ("", "topo-mp", *UNSEEN):
                broken, hidden = copy.deepcopy(tree), kind == "topo-mp"
                if kind and not (nvlinks_gone if hidden else FAULTS[kind][0])(broken):
                    continue
                number += 1
                if number % every:
                    continue
                cases += 1
                machine = other_forms.Machine(ET.tostring(broken, encoding="unicode"))
                with open(path, "w") as file:
                    file.write("$ nvidia-smi topo -mp\n" * hidden + other_forms.matrix(machine))
                failed += [f"{name} {kind}: {text}" for text in judge_assumed(name, path, folder, hidden)]
    print("\n".join(failed))
    print(f"assumed inputs: {cases} tables of nvidia-smi topo -m, {len(failed)} wrong")
    sys.exit(bool(failed) or not cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take every Nth case only")
    parser.add_argument("--only", help="take only faults whose name has this in it")
    parser.add_argument("--list", action="store_true", help="print every case")
    parser.add_argument("--assumed", action="store_true", help="give tables of nvidia-smi topo -m instead")
    args = parser.parse_args()
    types = [row["name"] for row in json.loads(run("machines", "--json").stdout)["machines"]]
    cases = found = silent = number = 0
    failed, noisy, long, other = [], [], [], []
    trees = {name: ET.fromstring(run("convert", "--machine", name).stdout) for name in types}
    if args.assumed:
        check_assumed(trees, args.every)
    sound = {look(tree) for tree in trees.values()}
    with tempfile.TemporaryDirectory() as folder:
        for name, tree in trees.items():
            path, unbroken = os.path.join(folder, "dump.xml"), os.path.join(folder, "unbroken.xml")
            ET.ElementTree(tree).write(unbroken)
            kinds = [("", None, None)] + [(kind, *row) for kind, row in FAULTS.items() if (args.only or "") in kind]
            for kind, edit, ids in kinds:
                broken = copy.deepcopy(tree)
                if edit and not edit(broken):
                    continue
                number += 1
                if number % args.every:
                    continue
                ET.ElementTree(broken).write(path)
                document = analyse(path, 2)
                if not edit:
                    above = [f["id"] for f in document["findings"] if f["severity"] != "info"]
                    noisy += [f"{name}: {above}, {document['summary']['verdict']['sentence']}"] if above else []
                    continue
                if kind in OF_TYPES and look(broken) != look(tree) and look(broken) in sound:
                    other.append(f"{name} {kind}")  # it is a sound machine of another type
                    continue
                cases += 1
                lines = lines_of_report(path) if len(cards(broken, "gpu")) <= 8 else 1
                long += [f"{name} {kind}: a report of {lines} lines"] if not 0 < lines <= MOST_LINES else []
                result = judge(document, ids)
                if result == "no effect" and (lost := bandwidth_lost(path, unbroken)):
                    result = lost
                found += result == "found"
                silent += result == "no effect"
                if args.list:
                    print(f"{name} {kind}: {result}")
                if result not in ("found", "no effect"):
                    failed.append(f"{name} {kind}: {result}")
    print("\n".join(failed + long + [f"unbroken {line}" for line in noisy]))
    print(
        f"faults: {cases} cases, {found} in the headline, {silent} proven to cost nothing, {len(failed)} missed; "
        f"{len(noisy)} unbroken machines with more than notes; {len(other)} broken ones that are sound machines of "
        "another type"
    )
    sys.exit(bool(noisy or long) or not cases or found + silent < SHARE * cases)


if __name__ == "__main__":
    main()
