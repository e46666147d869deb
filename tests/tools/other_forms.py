"""Writes what `nvidia-smi topo -m` and `lstopo --of xml` would tell of a machine whose NCCL dump is at hand, so that one
machine can be read in several forms and the answers be held against each other. Of our own making, from what these tools
print publicly."""
import xml.etree.ElementTree as ET

MODELS = {60: "Tesla P100-SXM2-16GB", 70: "Tesla V100-SXM2-32GB", 75: "Tesla T4", 80: "NVIDIA A100-SXM4-40GB", 86: "NVIDIA A10G",
          89: "NVIDIA L40S", 90: "NVIDIA H100 80GB HBM3", 100: "NVIDIA B200", 103: "NVIDIA B300"}
LANE = {"2.5": 0.25, "5": 0.5, "5.0": 0.5, "8": 0.984615, "8.0": 0.984615, "16": 1.969231, "16.0": 1.969231, "32": 3.938462, "32.0": 3.938462,
        "64.0": 7.876923}


class Machine:
    """Devices with the chain of elements above each: one host, one rank a GPU."""

    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.above = {child: parent for parent in self.root.iter() for child in parent}
        gpus = [g for g in self.root.iter("gpu") if g.get("rank") is not None]
        self.gpus = sorted(gpus, key=lambda g: int(g.get("rank")))
        self.nets = [n for n in self.root.iter("net")]

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
        shared = next(node for node in one if node in other)
        if shared.tag == "cpu":
            return "NODE"
        return "PIX" if one.index(shared) == 0 and other.index(shared) == 0 else "PXB"

    def bus(self, gpu):
        return self.above[gpu].get("busid")

    def nvlinks(self, a, b):
        direct = sum(int(n.get("count")) for n in a.findall("nvlink") if n.get("target") == self.bus(b))
        switched = [sum(int(n.get("count")) for n in g.findall("nvlink") if n.get("tclass", "").startswith("0x0680")) for g in (a, b)]
        return direct or min(switched)


def matrix(machine, separator="\t", models=True):
    """The text of `nvidia-smi topo -m`, with `nvidia-smi -L` above it where models."""
    devices = [(f"GPU{g.get('dev')}", g) for g in machine.gpus] + [(f"NIC{i}", n) for i, n in enumerate(machine.nets)]
    lines = [f"GPU {g.get('dev')}: {MODELS[int(g.get('sm'))]} (UUID: GPU-0)" for g in machine.gpus] if models else []
    lines.append("\t\033[4m" + separator.join([name for name, _ in devices] + ["CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]) + "\033[0m")
    for name, a in devices:
        cells = [name]
        for other, b in devices:
            both = a.tag == b.tag == "gpu"
            count = machine.nvlinks(a, b) if both and a is not b else 0
            cells.append(" X " if a is b else f"NV{count}" if count else machine.relation(a, b))
        numa = machine.chain(a)[-1].get("numaid")
        lines.append(separator.join(cells + ([f"{16 * int(numa)}-{16 * int(numa) + 15}", numa, "N/A"] if a.tag == "gpu" else [])))
    legend = [f"  NIC{i}: {n.get('name')}" for i, n in enumerate(machine.nets)]
    return "\n".join(lines + ["", "Legend:", "", "  X    = Self", "", "NIC Legend:", ""] + legend) + "\n"


def hwloc(machine):
    """An export of hwloc 2 with NVML: each switch as its two ports, NVLinks as a matrix of bandwidths."""
    ids, out, columns = iter(range(1, 100000)), [], []

    def element(tag, depth, children=(), **attributes):
        head = "  " * depth + f"<{tag}" + "".join(f' {k}="{v}"' for k, v in attributes.items())
        out.append(head + (">" if children else "/>"))
        for child in children:
            child(depth + 1)
        if children:
            out.append("  " * depth + f"</{tag}>")

    def info(name, value):
        return lambda depth: element("info", depth, name=name, value=value)

    def gbs(pci):
        speed, width = pci.get("link_speed", "").split(" ")[0], pci.get("link_width") or "16"
        return f"{LANE.get(speed, 0) * int(width):.6f}"

    def kind(pci):
        ids_of = [pci.get(k, "0x0000")[2:] for k in ("vendor", "device", "subsystem_vendor", "subsystem_device")]
        return f"{pci.get('class', '0x060400')[2:6]} [{ids_of[0]}:{ids_of[1]}] [{ids_of[2]}:{ids_of[3]}] 00"

    def port(pci, inside):
        return lambda depth: element("object", depth, [inside], type="Bridge", gp_index=next(ids), bridge_type="1-1", pci_busid="0000:f0:00.0",
                                     pci_type="0604 [1000:c030] [0000:0000] 00", pci_link_speed=gbs(pci))

    def device(pci):
        inside, number = [], next(ids)
        for gpu in pci.findall("gpu"):
            own = next(ids)
            columns.append((f"OSDev:{own}", gpu))
            inside.append(lambda depth, own=own, gpu=gpu: element(
                "object", depth, [info("Backend", "NVML"), info("GPUModel", MODELS[int(gpu.get("sm"))])], type="OSDev", gp_index=own,
                name=f"nvml{gpu.get('dev')}", osdev_type=1))
        for net in (n for nic in pci.findall("nic") for n in nic.findall("net")):
            guid = int(net.get("guid"), 0).to_bytes(8, "little").hex()
            words = ":".join(guid[i:i + 4] for i in range(0, 16, 4))
            inside.append(lambda depth, net=net, words=words: element(
                "object", depth, [info("SysImageGUID", words), info("Port1State", "4")], type="OSDev", gp_index=next(ids), name=net.get("name"), osdev_type=3))
        return lambda depth: element("object", depth, inside, type="PCIDev", gp_index=number, pci_busid=pci.get("busid"), pci_type=kind(pci),
                                     pci_link_speed=gbs(pci))

    def switch(pci):
        return lambda depth: element("object", depth, [port(child, tree(child)) for child in pci.findall("pci")], type="Bridge", gp_index=next(ids),
                                     bridge_type="1-1", pci_busid=pci.get("busid"), pci_type=kind(pci), pci_link_speed=gbs(pci))

    def tree(pci):
        return switch(pci) if pci.find("pci") is not None else device(pci)

    def nvswitch(depth):
        number = next(ids)
        columns.append((f"PCIDev:{number}", None))
        element("object", depth, type="PCIDev", gp_index=number, pci_busid="0000:e0:00.0", pci_type="0680 [10de:22a3] [10de:0000] 00", pci_link_speed="0.0")

    def package(cpu):
        node, first = int(cpu.get("numaid")), cpu is machine.root.find("cpu")
        cpuset, nodeset = "0x" + cpu.get("affinity", "").replace(",", ",0x"), f"0x{1 << node:08x}"
        described = [info("CPUVendor", cpu.get("vendor")), info("CPUFamilyNumber", family(cpu)), info("CPUModelNumber", cpu.get("modelid"))] if cpu.get("vendor") else []
        bridge = lambda depth: element("object", depth, [port(pci, tree(pci)) for pci in cpu.findall("pci")] + ([nvswitch] if first and switched else []),
                                       type="Bridge", gp_index=next(ids), bridge_type="0-1", bridge_pci="0000:[00-ff]")
        return lambda depth: element("object", depth, described + [
            lambda d: element("object", d, type="NUMANode", os_index=node, cpuset=cpuset, nodeset=nodeset, gp_index=next(ids)), bridge],
            type="Package", os_index=node, cpuset=cpuset, nodeset=nodeset, gp_index=next(ids))

    def family(cpu):
        number = int(cpu.get("familyid"), 0)
        return number if number <= 15 else 15 + (number - 15) // 16

    switched = any(n.get("tclass", "").startswith("0x0680") for n in machine.root.iter("nvlink"))
    arch = {"arm64": "aarch64", "ppc64": "ppc64le"}.get(machine.root.find("cpu").get("arch"), "x86_64")
    out.append('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">')
    element("object", 1, [info("Architecture", arch)] + [package(cpu) for cpu in machine.root.findall("cpu")], type="Machine", gp_index=0,
            cpuset="0xffffffff", nodeset="0xffffffff")
    if any(True for _ in machine.root.iter("nvlink")):
        rates = {60: 20000}
        values = []
        for _, a in columns:
            for _, b in columns:
                if a is None or a is b:
                    values.append(0)
                    continue
                sm = int(a.get("sm"))
                count = sum(int(n.get("count")) for n in a.findall("nvlink") if (n.get("tclass", "").startswith("0x0680") if b is None else n.get("target") == machine.bus(b)))
                values.append(count * (50000 if sm >= 100 else rates.get(sm, 25000)))
        out.append(f'  <distances2hetero nbobjs="{len(columns)}" kind="25" name="NVLinkBandwidth">')
        out.append(f'    <indexes length="0">{" ".join(name for name, _ in columns)} </indexes>')
        out.append(f'    <u64values length="0">{" ".join(map(str, values))} </u64values>')
        out.append("  </distances2hetero>")
    return "\n".join(out + ["</topology>"]) + "\n"
