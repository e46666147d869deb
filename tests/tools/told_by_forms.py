# SPDX-License-Identifier: Apache-2.0
"""Reduces an NCCL dump to what another form of the machine contains: everything else is set to what Orrery assumes when
it reads that form. Each function is the rule for one fact; none looks at a machine's name. Read in both forms, a
machine must then give the same answers."""
import copy
import re
import xml.etree.ElementTree as ET

from other_forms import MODELS, Machine, gbs, is_rdma, is_to_gpu, is_to_switch, numa_of, sm_of

ASSUMED_SPEED = {range(0, 80): "8.0", range(80, 90): "16.0", range(90, 1000): "32.0"}


def speed_of(machine):
    sm = sm_of(machine.gpus[0])
    return next(speed for generations, speed in ASSUMED_SPEED.items() if sm in generations) + " GT/s PCIe"


def hosts(text):
    """A dump of several hosts, fused by their NVLinks, as each host's own: nvidia-smi and lstopo see one host, so such
    a system has no single table and no single export. Hosts that are alike but for names are given once."""
    root = ET.fromstring(text)
    names = list(dict.fromkeys(cpu.get("host_hash") for cpu in root.findall("cpu")))
    if len(names) < 2:
        return [text]
    found = []
    for name in names:
        own = copy.deepcopy(root)
        for cpu in [cpu for cpu in own.findall("cpu") if cpu.get("host_hash") != name]:
            own.remove(cpu)
        ranked = sorted(
            (gpu for gpu in own.iter("gpu") if gpu.get("rank") is not None), key=lambda gpu: int(gpu.get("rank"))
        )
        for rank, gpu in enumerate(ranked):
            gpu.set("rank", str(rank))
        for dev, net in enumerate(sorted(own.iter("net"), key=lambda net: int(net.get("dev")))):
            net.set("dev", str(dev))
        found.append(ET.tostring(own, encoding="unicode"))
    alike = {re.sub(r'(host_hash|guid)="[^"]*"', "", host): host for host in reversed(found)}
    return list(alike.values())[::-1]


def beyond(text, form):
    """The reason why a form cannot show the machine of a dump at all, or None. Such dumps were edited, or NCCL saw them
    otherwise than Linux does: a NIC of a virtual machine merged into the host bridge, interfaces that are not
    devices."""
    machine = Machine(text)
    pcis = [machine.above[gpu] for gpu in machine.gpus]
    cards = [machine.above[machine.above[net]] for net in machine.root.iter("net")]
    links = {
        (machine.bus(gpu), link.get("target")): link.get("count")
        for gpu in machine.gpus
        for link in gpu.findall("nvlink")
        if is_to_gpu(link)
    }
    hosts_gpus = {cpu for gpu in machine.gpus for cpu in [machine.chain(gpu)[-1]]}
    reasons = {
        "no GPU with a rank": not machine.gpus,
        "GPUs without a compute capability of NVIDIA's": any(
            gpu.get("sm") not in map(str, MODELS) or gpu.find("xgmi") is not None for gpu in machine.gpus
        ),
        "GPUs whose PCI class is another": any(not pci.get("class", "").startswith("0x03") for pci in pcis),
        "partitioned GPUs": len(set(pcis)) < len(pcis)
        or any(gpu.get("rank") is None for gpu in machine.root.iter("gpu")),
        "two GPUs with one number": len({gpu.get("dev") for gpu in machine.gpus}) < len(machine.gpus),
        "NICs of which some are not PCI devices": {card.get("class", card.tag)[:4] for card in cards}
        not in ({"0x02"}, {"cpu"}, set()),
        "CPUs without a number of their own": len({cpu.get("numaid") for cpu in machine.root.findall("cpu")} - {None})
        < len(machine.root.findall("cpu")),
        "NVLinks of which only one end tells": any(
            links.get(pair[::-1]) != count or count == "0" for pair, count in links.items()
        ),
        "NVLinks that are none": any(link.get("count") == "0" for link in machine.root.iter("nvlink")),
    }
    if form == "hwloc":
        reasons["GPUs without their vendor"] = any(pci.get("vendor") != "0x10de" for pci in pcis)
    else:
        reasons["switches in three rows"] = any(
            sum(above.tag == "pci" for above in machine.chain(device)) > 2 for device in machine.gpus + machine.nets
        )
        reasons["CPUs without GPUs"] = any(machine.chain(net)[-1] not in hosts_gpus for net in machine.nets)
    return next((reason for reason, holds in reasons.items() if holds), None)


def untold(element, said, words, **values):
    """Sets a value that the form lacks; if the dump had another value, Orrery's notes must have the given words."""
    if any(element.get(key) != value for key, value in values.items()):
        said.add(words)
    element.attrib.update(values)


def assume_nics(machine, said):
    """Neither form tells NICs that are not PCI devices, nor speeds, latencies, GPUDirect RDMA, CollNet; RDMA is told
    from sockets by the name."""
    drop(machine, said, "NICs: ", "nic", lambda nic: machine.above[nic].tag == "cpu")
    for number, net in enumerate(machine.nets):
        untold(net, said, "numbered", dev=str(number))
        rdma = is_rdma(net.get("name"))
        untold(net, said, "Gb/s, with", speed="100000" if rdma else "10000")
        untold(net, said, "GPUDirect RDMA", gdr="1" if rdma else "0")
        net.attrib.update(latency="0", maxconn="131072" if rdma else "65536")
        for absent in ("coll", "keep"):
            net.attrib.pop(absent, None)
    for gpu in machine.gpus:
        untold(gpu, said, "GPUDirect RDMA", gdr="1")


def follow_generation(machine):
    """The NICs below the GPUs' switches, or all, are as fast as machines of the generation have them, if there is one
    for each GPU or two."""
    above = {child: parent for parent in machine.root.iter() for child in parent}
    gpus, nets = list(machine.root.iter("gpu")), [n for n in machine.root.iter("net") if n.get("gdr") == "1"]

    def is_near(net):
        card = above[above[net]]
        return card.tag == "pci" and above[card].tag == "pci" and above[card].find(".//gpu") is not None

    ports = [net for net in nets if is_near(net)] or nets
    oldest = min((int(gpu.get("sm")) for gpu in gpus), default=0)
    together = 400000 if oldest >= 90 else 200000 if oldest >= 80 else 100000
    if not gpus or len(ports) < len(gpus) or len(ports) % len(gpus):
        return
    speed = together // (len(ports) // len(gpus))
    for net in ports if speed > 100000 else []:
        net.set("speed", str(speed))


def assume_ranks(machine, said):
    """Ranks come from the job, and no form of a machine describes jobs."""
    for gpu in machine.gpus:
        untold(gpu, said, "ranks are the numbers of the GPUs", rank=gpu.get("dev"))
    for cpu in [cpu for cpu in machine.root.findall("cpu") if cpu.find("pci") is None]:
        machine.root.remove(cpu)


def drop(machine, said, words, tag, wanted=lambda element: True):
    for parent in list(machine.root.iter()):
        for child in [c for c in parent.findall(tag) if wanted(c)]:
            parent.remove(child)
            said.add(words)


def split_cards(machine, said):
    """In the table, each column looks like a card: ports of one card, PIX to each other, look like cards on one
    switch."""
    for pci in [
        pci for pci in machine.root.iter("pci") if sum(len(nic.findall("net")) for nic in pci.findall("nic")) > 1
    ]:
        above = machine.above[pci]
        said.add("each NIC is assumed to have one port")
        cards = [net for nic in pci.findall("nic") for net in nic.findall("net")]
        if above.tag == "cpu":
            switch = ET.Element("pci", dict(pci.attrib, **{"class": "0x060400", "busid": pci.get("busid")[:-1] + "7"}))
            above.insert(list(above).index(pci), switch)
        else:
            switch = above
        at = list(above).index(pci)
        above.remove(pci)
        for number, net in enumerate(cards):
            card = ET.Element("pci", dict(pci.attrib, busid=f"{pci.get('busid')[:-1]}{number}"))
            ET.SubElement(card, "nic").append(net)
            switch.insert(len(switch) if switch is not above else at + number, card)


def reorder(parent, key):
    """Devices below an element in the order of a key, each level by its first device."""
    first = {child: min(key(device) for device in child.iter("pci")) for child in parent.findall("pci")}
    for child in sorted(first, key=first.get):
        reorder(child, key)
        parent.remove(child)
        parent.append(child)


def by_hwloc(text):
    """(dump, words)"""
    machine, said = Machine(text), set()
    assume_ranks(machine, said)
    assume_nics(machine, said)
    drop(machine, said, "C2C", "c2c")
    columns = machine.far_ends()
    # A far end that is not a device of this host has no column; the columns are the order of the links.
    drop(machine, said, "no NVLinks", "nvlink", lambda link: machine.column_of(link, columns) is None)
    for gpu in machine.gpus:
        links = sorted(gpu.findall("nvlink"), key=lambda link: machine.column_of(link, columns))
        for link in links:
            gpu.remove(link)
            gpu.append(link)
    for pci in machine.root.iter("pci"):
        if not gbs(pci):
            untold(pci, said, "those without one are assumed to be " + speed_of(machine), link_speed=speed_of(machine))
            pci.set("link_width", "16")
    for cpu in machine.root.findall("cpu"):
        reorder(cpu, lambda pci: pci.get("busid"))
    for cpu in machine.root.findall("cpu"):  # Linux gives a machine without NUMA one node, 0
        cpu.set("numaid", str(numa_of(cpu)))
    follow_generation(machine)
    return ET.tostring(machine.root, encoding="unicode"), said


def by_matrix(text):
    """(dump, words)"""
    machine, said = Machine(text), set()
    assume_ranks(machine, said)
    assume_nics(machine, said)
    drop(machine, said, "C2C", "c2c")
    split_cards(machine, said)
    machine.above = {child: parent for parent in machine.root.iter() for child in parent}
    for pci in machine.root.iter("pci"):
        untold(
            pci,
            said,
            "every PCI link is assumed to be " + speed_of(machine) + " x16",
            link_speed=speed_of(machine),
            link_width="16",
        )
        for identity in (
            "vendor",
            "device",
            "subsystem_vendor",
            "subsystem_device",
        ):  # by which NCCL takes two switches for one
            if pci.attrib.pop(identity, None) is not None:
                said.add("switches are made up")
    for cpu in machine.root.findall("cpu"):
        cpu.set("numaid", str(numa_of(cpu)))
        untold(
            cpu, said, "CPUs are assumed to be Intel", arch="x86_64", vendor="GenuineIntel", familyid="6", modelid="143"
        )
    # The table names GPUs and the number of links between them: nothing of links to CPUs, and all NVSwitches are one.
    drop(machine, said, "NVLinks to CPUs", "nvlink", lambda link: re.match("0x068001", link.get("tclass", "")))
    ranks = {machine.bus(gpu): number for number, gpu in enumerate(machine.gpus)}
    for gpu in machine.gpus:
        switched = [link for link in gpu.findall("nvlink") if is_to_switch(link)]
        for link in switched[1:]:
            gpu.remove(link)
        if switched:
            switched[0].attrib.update(
                target="fffffff:ffff:ff", count=str(sum(int(link.get("count")) for link in switched))
            )
        direct = sorted(set(gpu.findall("nvlink")) - set(switched), key=lambda link: ranks.get(link.get("target"), -1))
        for link in direct:  # in the order of the columns
            gpu.remove(link)
            gpu.append(link)
    columns = {machine.above[device]: number for number, device in enumerate(machine.gpus)}
    columns.update(
        {
            machine.above[machine.above[net]]: len(columns) + number
            for number, net in reversed(list(enumerate(machine.nets)))
        }
    )
    first = {
        cpu: min((columns.get(pci, 1 << 20) for pci in cpu.iter("pci")), default=1 << 20)
        for cpu in machine.root.findall("cpu")
    }
    for cpu in sorted(first, key=first.get):
        reorder(cpu, lambda pci: columns.get(pci, 1 << 20))
        machine.root.remove(cpu)
        machine.root.append(cpu)
    follow_generation(machine)
    return ET.tostring(machine.root, encoding="unicode"), said
