# SPDX-License-Identifier: Apache-2.0
"""Faults as edits of a machine's XML, and the findings that name them. They share no code with the diagnosis."""
import re


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


def all_nics_narrow(tree):
    """Every NIC has half of its lanes, as in slots of the wrong width, which is then less than its port needs."""
    of_8_lanes = {"64.0 GT/s PCIe": 504000, "32.0 GT/s PCIe": 252000, "16.0 GT/s PCIe": 126000, "8.0 GT/s PCIe": 63000}
    nics = [nic for nic in cards(tree, "nic") if nic.get("link_width") == "16"]
    fastest = max((int(net.get("speed")) for nic in nics for net in nic.iter("net")), default=0)
    if not any(fastest > of_8_lanes.get(nic.get("link_speed"), fastest) for nic in nics):
        return False
    for nic in nics:
        nic.set("link_width", "8")
    return True


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


def all_gpus_slow_below_an_unknown_cpu(tree):
    """No table says what the CPU can run at, but the links of other devices below it do."""
    shown = [
        pci
        for cpu in tree.iter("cpu")
        for pci in cpu.findall("pci")
        if pci.find("gpu") is None and pci.get("link_speed")
    ]
    if not shown or not all_gpus_slow(tree):
        return False
    gpus = float(cards(tree, "gpu")[0].get("link_speed").split()[0])
    for cpu in tree.iter("cpu"):
        cpu.set("modelid", "250")
    return max(float(pci.get("link_speed").split()[0]) for pci in shown) > gpus


def all_links_gen3_below_an_unknown_cpu(tree):
    """Nothing shows whether the CPU can run at more."""
    if not all_gpus_slow(tree):
        return False
    for cpu in tree.iter("cpu"):
        cpu.set("modelid", "250")
    for pci in tree.iter("pci"):
        if float((pci.get("link_speed") or "0").split()[0]) > 8:
            pci.set("link_speed", "8.0 GT/s PCIe")
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


def gpus_without_gdr(tree):
    """The driver says so of every GPU, and then NCCL asks no port."""
    if not any(net.get("gdr") == "1" for net in tree.iter("net")):
        return False
    for each in (*tree.iter("gpu"), *tree.iter("net")):
        each.set("gdr", "0")
    return True


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
    """Everything by which a machine type is recognised: types that are equal in all of it cannot be told apart."""
    cpu = tree.find("cpu")
    gpus = sorted((pci.get("device"), pci.find("gpu").get("sm")) for pci in cards(tree, "gpu"))
    nets = sorted((re.sub("[0-9]+", "#", net.get("name")), net.get("speed")) for net in tree.iter("net"))
    return repr(([cpu.get(key) for key in ("arch", "vendor", "familyid", "modelid")], gpus, nets))


ASKING = {"nics-of-other-type", "ports-of-other-type", "pcie-below-gpu"}  # whether it is a better machine
FAULTS = {  # name: edit, ids of findings that name it
    "gpu-narrow": (gpu_narrow, {"slow-link"}),
    "gpu-slow": (gpu_slow, {"slow-link"}),
    "nic-narrow": (nic_narrow, {"slow-link", "slow-slot"}),
    "switch-narrow": (switch_narrow, {"slow-link"}),
    "switch-throttled": (switch_throttled, {"throttling-bridge", "slow-link"}),
    "all-gpus-slow": (all_gpus_slow, {"pcie-below-model"}),
    "all-gpus-slow-odd-cpu": (all_gpus_slow_below_an_unknown_cpu, {"pcie-below-model"}),
    "all-links-gen3-odd-cpu": (all_links_gen3_below_an_unknown_cpu, {"pcie-below-gpu"}),
    "nvlinks-gone": (nvlinks_gone, {"nvlinks-missing"}),
    "nvlinks-half": (nvlinks_half, {"nvlinks-below-board"}),
    "nvlinks-of-one": (nvlinks_of_one, {"nvlink-count"}),
    "nvlinks-of-one-gone": (nvlinks_of_one_gone, {"nvlink-count"}),
    "nvlink-one-sided": (nvlink_one_sided, {"nvlink-one-sided", "nvlink-count"}),
    "nvlink-pair-down": (nvlink_pair_down, {"nvlink-count", "nvlinks-below-board"}),
    "bridge-nearly-down": (bridge_nearly_down, {"nvlinks-below-board"}),
    "gdr-off": (gdr_off, {"gdr-off"}),
    "all-ports-without-gdr": (all_ports_without_gdr, {"gdr-off"}),
    "gpus-without-gdr": (gpus_without_gdr, {"gdr-off"}),
    "port-slow": (port_slow, {"port-slow", "mixed-speeds", "nics-below-type"}),
    "nic-gone": (nic_gone, {"nic-missing"}),
    "nic-moved": (nic_moved, {"nic-misplaced"}),
    "gpu-gone": (gpu_gone, {"gpu-missing"}),
    "all-ports-slow": (all_ports_slow, {"ports-below-type", "nics-below-type"}),
    "all-ports-very-slow": (all_ports_very_slow, {"ports-below-type", "nics-below-type"}),
    "all-nic-links-slow": (all_nic_links_slow, {"slow-slot"}),
    "all-nics-narrow": (all_nics_narrow, {"slow-slot"}),
    "all-links-gen4": (all_links_gen4, {"pcie-below-model", "slow-slot"}),
    "half-the-nics-gone": (half_the_nics_gone, {"nics-below-type", "nic-missing", "ports-below-type", *ASKING}),
    "half-the-gpus-gone": (half_the_gpus_gone, {"gpu-missing"}),
}

# Faults that affect all equal devices, so comparing the devices with each other does not show them.
ALL_ALIKE = (
    "all-nics-narrow",
    "all-links-gen4",
    "all-gpus-slow",
    "all-ports-slow",
    "all-ports-without-gdr",
    "gpus-without-gdr",
    "nvlinks-half",
    "half-the-nics-gone",
)
