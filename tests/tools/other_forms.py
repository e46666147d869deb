# SPDX-License-Identifier: Apache-2.0
"""Writes the output of `nvidia-smi topo -m` and `lstopo --of xml` for a machine from its NCCL dump, so that answers for
the same machine in several forms can be compared. The formats follow published output of these tools."""
import re
import xml.etree.ElementTree as ET

MODELS = {
    60: "Tesla P100-SXM2-16GB",
    70: "Tesla V100-SXM2-32GB",
    75: "Tesla T4",
    80: "NVIDIA A100-SXM4-40GB",
    86: "NVIDIA A10G",
    89: "NVIDIA L40S",
    90: "NVIDIA H100 80GB HBM3",
    100: "NVIDIA B200",
    103: "NVIDIA B300",
    120: "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    121: "NVIDIA GB10",
}
LANE = {
    "2.5": 0.25,
    "5": 0.5,
    "5.0": 0.5,
    "8": 0.984615,
    "8.0": 0.984615,
    "16": 1.969231,
    "16.0": 1.969231,
    "32": 3.938462,
    "32.0": 3.938462,
    "64.0": 7.876923,
}
RDMA = ("mlx", "roce", "ib", "rdmap", "efa", "bnxt_re", "irdma", "qedr", "hfi", "erdma", "mana", "cxi", "mthca", "hns_")


def sm_of(gpu):
    return int(gpu.get("sm"))


def is_rdma(name):
    return name.startswith(RDMA)


def numa_of(cpu):
    """A machine without NUMA nodes has numaid -1 in NCCL's dump; every Linux has a node 0."""
    return max(int(cpu.get("numaid"), 0), 0)


def guid_of(net):
    try:
        return int(net.get("guid"), 0)
    except ValueError:  # one that was taken out of a dump
        return int(net.get("dev")) + 1


def gbs(pci):
    """GB/s of a link as hwloc counts them, 0: it is not known."""
    speed, width = pci.get("link_speed", "").split(" ")[0], int(pci.get("link_width") or 0)
    return LANE.get(speed, 0) * width


def cpu_list(mask):
    """Converts "00000003,00000001" to the list 0,32-33."""
    bits, found, start = int(mask.replace(",", "") or "0", 16), [], None
    for cpu in range(bits.bit_length() + 1):
        if bits >> cpu & 1 and start is None:
            start = cpu
        elif not bits >> cpu & 1 and start is not None:
            found.append(str(start) if start == cpu - 1 else f"{start}-{cpu - 1}")
            start = None
    return ",".join(found)


def by_name(net):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", net.get("name"))]


class Machine:
    """Devices with the chain of elements above each: one host, one rank a GPU."""

    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.above = {child: parent for parent in self.root.iter() for child in parent}
        gpus = [g for g in self.root.iter("gpu") if g.get("rank") is not None]
        self.gpus = sorted(gpus, key=lambda g: int(g.get("dev")))
        # In the order of their names, as both tools list them; NICs that are not PCI devices are not listed.
        self.nets = sorted((n for n in self.root.iter("net") if self.above[self.above[n]].tag == "pci"), key=by_name)

    def chain(self, device):
        """The <pci> switches above the device's own <pci>, nearest first, then the <cpu>."""
        node = self.above[device]
        if device.tag == "net":
            node = self.above[node]  # the <nic>
        if node.tag == "cpu":
            return [node]
        found = []
        while node.tag != "cpu":
            node = self.above[node]
            found.append(node)
        return found

    def relation(self, a, b):
        one, other = self.chain(a), self.chain(b)
        if one[-1] is not other[-1]:
            return "SYS"
        if a.tag == b.tag == "net" and self.above[a] is self.above[b]:
            return "PIX"  # ports of one card
        shared = next(node for node in one if node in other)
        if shared.tag == "cpu":
            return "NODE"
        return "PIX" if one.index(shared) == 0 and other.index(shared) == 0 else "PXB"

    def bus(self, gpu):
        return self.above[gpu].get("busid")

    def nvlinks(self, a, b):
        direct = sum(
            int(n.get("count")) for n in a.findall("nvlink") if is_to_gpu(n) and n.get("target") == self.bus(b)
        )
        switched = [sum(int(n.get("count")) for n in g.findall("nvlink") if is_to_switch(n)) for g in (a, b)]
        return direct or min(switched)

    def far_ends(self):
        """Columns of hwloc's matrix of NVLinks: GPUs, then NVSwitches by bus id and CPUs as the links meet them first.
        What is not a PCI device of this host has none."""
        columns = [self.bus(gpu) for gpu in self.gpus]
        for gpu in self.gpus:
            for link in gpu.findall("nvlink"):
                end = self.far_end(link)
                if end is not None and not is_to_gpu(link) and end not in columns:
                    columns.append(end)
        return columns

    def far_end(self, link):
        """A bus id for a GPU, ("switch", bus id), ("cpu", the nearest one), None if it is not on this host."""
        if is_to_gpu(link):
            return link.get("target")
        if is_to_switch(link):
            return (
                ("switch", link.get("target"))
                if re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", link.get("target"))
                else None
            )
        return ("cpu", self.chain(self.above[link])[-1])

    def column_of(self, link, columns):
        end = self.far_end(link)
        return columns.index(end) if end in columns else None


def is_to_switch(link):
    return link.get("tclass", "").startswith("0x068000")


def is_to_gpu(link):
    return not link.get("tclass", "").startswith("0x0680")


def matrix(machine, separator="\t", models=True):
    """The text of `nvidia-smi topo -m`, with `nvidia-smi -L` above it where models."""
    devices = [(f"GPU{g.get('dev')}", g) for g in machine.gpus] + [(f"NIC{i}", n) for i, n in enumerate(machine.nets)]
    lines = [f"GPU {g.get('dev')}: {MODELS[int(g.get('sm'))]} (UUID: GPU-0)" for g in machine.gpus] if models else []
    lines.append(
        "\t\033[4m"
        + separator.join([name for name, _ in devices] + ["CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])
        + "\033[0m"
    )
    for name, a in devices:
        cells = [name]
        for other, b in devices:
            both = a.tag == b.tag == "gpu"
            count = machine.nvlinks(a, b) if both and a is not b else 0
            cells.append(" X " if a is b else f"NV{count}" if count else machine.relation(a, b))
        cpu = machine.chain(a)[-1]
        numa = str(numa_of(cpu)) if int(cpu.get("numaid"), 0) >= 0 else "N/A"
        lines.append(
            separator.join(
                cells + ([cpu_list(cpu.get("affinity", "")) or "N/A", numa, "N/A"] if a.tag == "gpu" else [])
            )
        )
    legend = [f"  NIC{i}: {n.get('name')}" for i, n in enumerate(machine.nets)]
    return "\n".join(lines + ["", "Legend:", "", "  X    = Self", "", "NIC Legend:", ""] + legend) + "\n"


def hwloc(machine):
    """An export of hwloc 2 with NVML: each switch as its two ports, NVLinks as a matrix of bandwidths."""
    ids, out = iter(range(1, 100000)), []
    ends, named = machine.far_ends(), {}  # named: how the matrix calls a far end

    def element(tag, depth, children=(), **attributes):
        head = "  " * depth + f"<{tag}" + "".join(f' {k}="{v}"' for k, v in attributes.items())
        out.append(head + (">" if children else "/>"))
        for child in children:
            child(depth + 1)
        if children:
            out.append("  " * depth + f"</{tag}>")

    def info(name, value):
        return lambda depth: element("info", depth, name=name, value=value)

    def kind(pci):
        ids_of = [pci.get(k, "0x0000")[2:] for k in ("vendor", "device", "subsystem_vendor", "subsystem_device")]
        return f"{pci.get('class', '0x060400')[2:6]} [{ids_of[0]}:{ids_of[1]}] [{ids_of[2]}:{ids_of[3]}] 00"

    def port(pci, inside):
        return lambda depth: element(
            "object",
            depth,
            inside,
            type="Bridge",
            gp_index=next(ids),
            bridge_type="1-1",
            pci_busid="0000:f0:00.0",
            pci_type="0604 [1000:c030] [0000:0000] 00",
            pci_link_speed=f"{gbs(pci):.6f}",
        )

    def function(pci, number, inside):
        return lambda depth: element(
            "object",
            depth,
            inside,
            type="PCIDev",
            gp_index=next(ids),
            pci_busid=f"{pci.get('busid')[:-1]}{number}",
            pci_type=kind(pci),
            pci_link_speed=f"{gbs(pci):.6f}",
        )

    def gpu_device(gpu):
        own = next(ids)
        named[machine.bus(gpu)] = f"OSDev:{own}"
        return lambda depth: element(
            "object",
            depth,
            [info("Backend", "NVML"), info("GPUModel", MODELS[sm_of(gpu)])],
            type="OSDev",
            gp_index=own,
            name=f"nvml{gpu.get('dev')}",
            osdev_type=1,
        )

    def rdma_device(net, before):
        """The active port, by its number among those of its function."""
        guid = guid_of(net).to_bytes(8, "little").hex()
        words = ":".join(guid[i : i + 4] for i in range(0, 16, 4))
        number = max(int(net.get("port")) - before, 1)
        states = [info(f"Port{port}State", 4 if port == number else 1) for port in range(1, number + 1)]
        return lambda depth: element(
            "object",
            depth,
            [info("SysImageGUID", words), *states],
            type="OSDev",
            gp_index=next(ids),
            name=net.get("name"),
            osdev_type=3,
        )

    def devices(pci):
        """The functions of a device: a card with several ports has one for each."""
        gpus = (
            [function(pci, pci.get("busid")[-1], [gpu_device(gpu) for gpu in pci.findall("gpu")])]
            if pci.find("gpu") is not None
            else []
        )
        nets = [net for nic in pci.findall("nic") for net in nic.findall("net")]
        return gpus + [function(pci, number, [rdma_device(net, number)]) for number, net in enumerate(nets)]

    def switch(pci):
        return lambda depth: element(
            "object",
            depth,
            [port(child, tree(child)) for child in pci.findall("pci")],
            type="Bridge",
            gp_index=next(ids),
            bridge_type="1-1",
            pci_busid=pci.get("busid"),
            pci_type=kind(pci),
            pci_link_speed=f"{gbs(pci):.6f}",
        )

    def tree(pci):
        return [switch(pci)] if pci.find("pci") is not None else devices(pci)

    def nvswitch(end):
        def write(depth):
            number = next(ids)
            named[end] = f"PCIDev:{number}"
            element(
                "object",
                depth,
                type="PCIDev",
                gp_index=number,
                subtype="NVSwitch",
                pci_busid=end[1],
                pci_type="0680 [10de:22a3] [10de:0000] 00",
                pci_link_speed="0.000000",
            )

        return write

    def package(cpu):
        node, number = numa_of(cpu), next(ids)
        named["cpu", cpu] = f"Package:{number}"
        cpuset, nodeset = "0x" + cpu.get("affinity", "").replace(",", ",0x"), f"0x{1 << node:08x}"
        described = (
            [
                info("CPUVendor", cpu.get("vendor")),
                info("CPUFamilyNumber", family(cpu)),
                info("CPUModelNumber", cpu.get("modelid")),
            ]
            if cpu.get("vendor")
            else []
        )
        switches = [nvswitch(end) for end in ends if end[0] == "switch"] if cpu is machine.root.find("cpu") else []
        bridge = lambda depth: element(
            "object",
            depth,
            [port(pci, tree(pci)) for pci in cpu.findall("pci")] + switches,
            type="Bridge",
            gp_index=next(ids),
            bridge_type="0-1",
            bridge_pci="0000:[00-ff]",
        )
        return lambda depth: element(
            "object",
            depth,
            described
            + [
                lambda d: element(
                    "object", d, type="NUMANode", os_index=node, cpuset=cpuset, nodeset=nodeset, gp_index=next(ids)
                ),
                bridge,
            ],
            type="Package",
            os_index=node,
            cpuset=cpuset,
            nodeset=nodeset,
            gp_index=number,
        )

    def family(cpu):
        number = int(cpu.get("familyid"), 0)
        return number if number <= 15 else 15 + (number - 15) // 16

    arch = {"arm64": "aarch64", "ppc64": "ppc64le"}.get(machine.root.find("cpu").get("arch"), "x86_64")
    out.append(
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">'
    )
    element(
        "object",
        1,
        [info("Architecture", arch)] + [package(cpu) for cpu in machine.root.findall("cpu")],
        type="Machine",
        gp_index=0,
        cpuset="0xffffffff",
        nodeset="0xffffffff",
    )
    rates = [[0] * len(ends) for _ in ends]
    for row, gpu in enumerate(machine.gpus):
        for link in gpu.findall("nvlink"):
            column = machine.column_of(link, ends)
            if column is None:
                continue
            rate = int(link.get("count")) * (50000 if sm_of(gpu) >= 100 else 20000 if sm_of(gpu) < 70 else 25000)
            rates[row][column] += rate
            if not is_to_gpu(link):
                rates[column][row] += rate
    if any(map(any, rates)):
        for end in range(len(ends)):
            rates[end][end] = 1000000
        words = [named[end] for end in ends]
        alike = all(word.startswith("OSDev:") for word in words)  # objects of one type are named once
        tag, kind_of_all = ("distances2", ' type="OSDev" indexing="gp"') if alike else ("distances2hetero", "")
        out.append(f'  <{tag} nbobjs="{len(ends)}" kind="{9 if alike else 25}" name="NVLinkBandwidth"{kind_of_all}>')
        out.append(
            f'    <indexes length="0">{" ".join(word.split(":")[1] if alike else word for word in words)} </indexes>'
        )
        out += [f'    <u64values length="0">{" ".join(map(str, row))} </u64values>' for row in rates]
        out.append(f"  </{tag}>")
    return "\n".join(out + ["</topology>"]) + "\n"
