# SPDX-License-Identifier: Apache-2.0
"""Fake machines for detection: a tree like /sys and /proc below a folder, and a text for the double of NVML.

A machine is described by rows of PCI functions (path below /sys/devices, class, ids, link, NUMA node), RDMA devices,
interfaces and GPUs; everything else (links of /sys/bus and /sys/class, folders of buses) follows from them. Links are
relative, so that a tree may be moved.
"""
import os
import pathlib
import re
import shutil

BDF = re.compile(r"^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")


class Machine:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.gpus = []
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "sys/bus/pci/devices").mkdir(parents=True)
        (self.root / "sys/class/pci_bus").mkdir(parents=True)

    # Files and links, by absolute paths of the machine.
    def write(self, path, text):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def link(self, path, target):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(os.path.relpath(self.root / target.lstrip("/"), place.parent), place)

    def function(self, path, kind, vendor, device, subvendor="0x0000", subdevice="0x0000", speed="", width="", numa=0):
        """A PCI function at /sys/devices/PATH; its bridges come first."""
        folder = f"/sys/devices/{path}"
        files = {
            "class": kind,
            "vendor": vendor,
            "device": device,
            "subsystem_vendor": subvendor,
            "subsystem_device": subdevice,
            "max_link_speed": speed,
            "max_link_width": str(width),
            "numa_node": str(numa),
        }
        for name, value in files.items():
            if value:
                self.write(f"{folder}/{name}", value + "\n")
        self.link(f"{folder}/subsystem", "/sys/bus/pci")
        name = path.split("/")[-1]
        self.link(f"/sys/bus/pci/devices/{name}", folder)
        bus, above = name[:7], "/".join(folder.split("/")[:-1])
        if not os.path.lexists(self.root / f"sys/class/pci_bus/{bus}"):
            (self.root / f"{above.lstrip('/')}/pci_bus/{bus}").mkdir(parents=True)
            self.link(f"/sys/class/pci_bus/{bus}", f"{above}/pci_bus/{bus}")
        return folder

    def rdma(self, folder, name, guid, rate="400 Gb/sec (4X NDR)", layer="InfiniBand", ports=1, state="4: ACTIVE"):
        place = f"{folder}/infiniband/{name}"
        self.write(f"{place}/node_guid", guid + "\n")
        self.write(f"{place}/sys_image_guid", guid + "\n")
        for port in range(1, ports + 1):
            self.write(f"{place}/ports/{port}/state", state + "\n")
            self.write(f"{place}/ports/{port}/link_layer", layer + "\n")
            self.write(f"{place}/ports/{port}/rate", rate + "\n")
        self.link(f"{place}/device", folder)
        self.link(f"/sys/class/infiniband/{name}", place)

    def interface(self, folder, name, speed=None, state="up"):
        place = f"{folder}/net/{name}" if folder else f"/sys/devices/virtual/net/{name}"
        self.write(f"{place}/operstate", state + "\n")
        if speed is not None:
            self.write(f"{place}/speed", f"{speed}\n")
        if folder:
            self.link(f"{place}/device", folder)
        self.link(f"/sys/class/net/{name}", place)

    def numa(self, node, cpumap):
        self.write(f"/sys/devices/system/node/node{node}/cpumap", cpumap + "\n")

    def host(self, vendor=None, family=0, model=0, name="node01", boot="f0b5c4e2-5a3d-4c1e-9d67-0123456789ab"):
        if vendor:
            self.write(
                "/proc/cpuinfo",
                f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
                f"model name\t: of our own\n",
            )
        else:
            self.write(
                "/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n"
            )
        self.write("/proc/sys/kernel/hostname", name + "\n")
        self.write("/proc/sys/kernel/random/boot_id", boot + "\n")
        self.write("/proc/sys/kernel/osrelease", "6.8.0-generic\n")

    def gpu(
        self,
        bus_id,
        capability,
        far=(),
        name="NVIDIA H100 80GB HBM3",
        ids="233010de 16c110de",
        pcie="5 16 5",
        c2c=None,
        fabric=None,
    ):
        """far: the far end of each NVLink, None for one that is down."""
        lines = [f"gpu {bus_id}", f"  name {name}", f"  capability {capability}", f"  ids {ids}", f"  pcie {pcie}"]
        lines += [f"  nvlink {i} up {end}" if end else f"  nvlink {i} down" for i, end in enumerate(far)]
        if c2c:
            lines.append("  c2c %d %d" % c2c)
        if fabric:
            lines.append("  fabric %s %d %d" % fabric)
        self.gpus.append("\n".join(lines))

    def nvml(self):
        path = self.root.parent / (self.root.name + ".nvml")
        path.write_text("\n".join(self.gpus) + "\n")
        return str(path)


def tree_a(folder):
    """Two GPUs and a NIC behind one switch (the example of docs/nccl/detection.md)."""
    m = Machine(folder)
    root, up = "pci0000:40/0000:40:01.1", "pci0000:40/0000:40:01.1/0000:41:00.0"
    plx = ("0x060400", "0x10b5", "0x8796", "0x10b5", "0x8796", "8.0 GT/s PCIe")
    m.function(root, "0x060400", "0x1022", "0x1483", "0x1022", "0x1453", "16.0 GT/s PCIe", 16)
    m.function(up, *plx, 16)
    for port, width in (("08", 16), ("0c", 16), ("10", 8)):
        m.function(f"{up}/0000:42:{port}.0", *plx, width)
    for port, bus in (("08", "43"), ("0c", "44")):
        m.function(
            f"{up}/0000:42:{port}.0/0000:{bus}:00.0",
            "0x030000",
            "0x10de",
            "0x2230",
            "0x10de",
            "0x1459",
            "16.0 GT/s PCIe",
            16,
        )
    nic = m.function(
        f"{up}/0000:42:10.0/0000:45:00.0", "0x020700", "0x15b3", "0x101b", "0x15b3", "0x0007", "16.0 GT/s PCIe", 16
    )
    m.rdma(nic, "mlx5_0", "0c42:a103:00ab:cd10", "200 Gb/sec (4X HDR)")
    m.numa(0, "ffffffff,ffffffff")
    m.write("/sys/module/nvidia_peermem/version", "550.54.15\n")
    m.host("AuthenticAMD", 25, 8)
    for bus, far in (("43", "44"), ("44", "43")):
        m.gpu(f"0000:{bus}:00.0", "8.6", [f"0000:{far}:00.0"] * 4, "NVIDIA RTX A6000", "223010de 145910de", "4 16 4")
    return m


def tree_b(folder, infiniband=True):
    """Four GPUs on two switches with two NVSwitches, two NICs and a card with two ports (worked example)."""
    m = Machine(folder)
    bridge = ("0x060400", "0x8086", "0x352a", "0x8086", "0x0000", "32.0 GT/s PCIe", 16)
    switch = ("0x060400", "0x1000", "0xc030", "0x1000", "0x100b", "32.0 GT/s PCIe", 16)
    gpu = ("0x030200", "0x10de", "0x2330", "0x10de", "0x16c1", "32.0 GT/s PCIe", 16)
    nic = ("0x020700", "0x15b3", "0x1021", "0x15b3", "0x0023", "32.0 GT/s PCIe", 16)
    slow = ("0x060400", "0x8086", "0x1bb8", "0x8086", "0x0000", "8.0 GT/s PCIe", 2)
    nvswitch = ("0x068000", "0x10de", "0x22a3", "0x10de", "0x1796", "8.0 GT/s PCIe", 2)
    cards = {}
    for numa, (high, base) in enumerate((("15", 0x16), ("95", 0x96))):
        root = f"pci0000:{high}/0000:{high}:01.0"
        up = f"{root}/0000:{base:02x}:00.0"
        m.function(root, *bridge, numa)
        m.function(up, *switch, numa)
        for port in range(3):
            m.function(f"{up}/0000:{base + 1:02x}:{port:02x}.0", *switch, numa)
            path = f"{up}/0000:{base + 1:02x}:{port:02x}.0/0000:{base + 2 + port:02x}:00.0"
            cards[f"{base + 2 + port:02x}"] = m.function(path, *(nic if port == 2 else gpu), numa)
    m.function("pci0000:29/0000:29:01.0", *bridge)
    for port in (0, 1):
        cards[f"2a.{port}"] = m.function(
            f"pci0000:29/0000:29:01.0/0000:2a:00.{port}",
            "0x020000",
            "0x15b3",
            "0x101d",
            "0x15b3",
            "0x0016",
            "16.0 GT/s PCIe",
            16,
        )
    for port, bus in (("1c", "05"), ("1d", "06")):
        m.function(f"pci0000:00/0000:00:{port}.0", *slow)
        m.function(f"pci0000:00/0000:00:{port}.0/0000:{bus}:00.0", *nvswitch)
    if infiniband:
        m.rdma(cards["1a"], "mlx5_0", "58a2:e103:00a7:7c5e")
        m.rdma(cards["2a.0"], "mlx5_1", "b83f:d203:0011:2230", "100 Gb/sec (4X EDR)", "Ethernet")
        m.rdma(cards["2a.1"], "mlx5_2", "b83f:d203:0011:2230", "100 Gb/sec (4X EDR)", "Ethernet")
        m.rdma(cards["9a"], "mlx5_3", "58a2:e103:00a7:8a60")
    m.cards = cards
    m.numa(0, "00000000,ffffffff")
    m.numa(1, "ffffffff,00000000")
    m.write("/sys/module/nvidia_peermem/version", "550.54.15\n")
    m.host("GenuineIntel", 6, 143)
    for bus in ("18", "19", "98", "99"):
        m.gpu(f"0000:{bus}:00.0", "9.0", ["0000:05:00.0" if i // 2 % 2 == 0 else "0000:06:00.0" for i in range(18)])
    return m


def dgx1(folder):
    """DGX-1 with V100: a hybrid cube mesh of NVLinks, a PLX switch for each two GPUs and a NIC."""
    m = Machine(folder)
    buses = ["06", "07", "0a", "0b", "85", "86", "89", "8a"]
    mesh = [
        (0, 1, 1),
        (0, 2, 1),
        (0, 3, 2),
        (0, 4, 2),
        (1, 2, 2),
        (1, 3, 1),
        (1, 5, 2),
        (2, 3, 2),
        (2, 6, 1),
        (3, 7, 1),
        (4, 5, 1),
        (4, 6, 1),
        (4, 7, 2),
        (5, 6, 2),
        (5, 7, 1),
        (6, 7, 2),
    ]
    far = [[] for _ in buses]
    for a, b, links in mesh:
        far[a] += [f"0000:{buses[b]}:00.0"] * links
        far[b] += [f"0000:{buses[a]}:00.0"] * links
    plx = ("0x060400", "0x10b5", "0x9797", "0x10b5", "0x9797", "8.0 GT/s PCIe", 16)
    root_port = ("0x060400", "0x8086", "0x6f08", "0x8086", "0x0000", "8.0 GT/s PCIe", 16)
    for i in range(4):
        numa = i // 2
        high = "80" if numa else "00"
        slot = 2 + i % 2
        up_bus = int(buses[2 * i], 16) - 2
        root = f"pci0000:{high}/0000:{high}:{slot:02x}.0"
        m.function(root, *root_port, numa)
        m.function(f"{root}/0000:{up_bus:02x}:00.0", *plx, numa)
        for port, bus in enumerate((up_bus + 2, up_bus + 3)):
            m.function(f"{root}/0000:{up_bus:02x}:00.0/0000:{up_bus + 1:02x}:{4 + 4 * port:02x}.0", *plx, numa)
            m.function(
                f"{root}/0000:{up_bus:02x}:00.0/0000:{up_bus + 1:02x}:{4 + 4 * port:02x}.0/0000:{bus:02x}:00.0",
                "0x030200",
                "0x10de",
                "0x1db1",
                "0x10de",
                "0x1212",
                "8.0 GT/s PCIe",
                16,
                numa,
            )
        nic_bus = 0xC0 + i
        m.function(f"{root}/0000:{up_bus:02x}:00.0/0000:{up_bus + 1:02x}:0c.0", *plx, numa)
        nic = m.function(
            f"{root}/0000:{up_bus:02x}:00.0/0000:{up_bus + 1:02x}:0c.0/0000:{nic_bus:02x}:00.0",
            "0x020700",
            "0x15b3",
            "0x1013",
            "0x15b3",
            "0x0016",
            "8.0 GT/s PCIe",
            16,
            numa,
        )
        m.rdma(nic, f"mlx5_{i}", f"ec0d:9a03:00{i:02x}:0001", "100 Gb/sec (4X EDR)")
    m.numa(0, "0000,00fffff0,0000ffff")
    m.numa(1, "ffff,ff00000f,ffff0000")
    m.write("/sys/kernel/mm/memory_peers/nv_mem/version", "1.0\n")
    m.host("GenuineIntel", 6, 79)
    for bus, ends in zip(buses, far):
        m.gpu(f"0000:{bus}:00.0", "7.0", ends, "Tesla V100-SXM2-16GB", "1db110de 121210de", "3 16 3")
    return m


def hgx_h100(folder):
    """HGX H100: eight GPUs, four NVSwitches, a NIC beside each GPU, a card for storage, 18 NVLinks a GPU."""
    m = Machine(folder)
    switch = ("0x060400", "0x1000", "0xc030", "0x1000", "0x100b", "32.0 GT/s PCIe", 16)
    bridge = ("0x060400", "0x8086", "0x352a", "0x8086", "0x0000", "32.0 GT/s PCIe", 16)
    nvswitches = []
    for i in range(4):
        m.function(f"pci0000:00/0000:00:1{i}.0", "0x060400", "0x8086", "0x1bb8", "0x8086", "0x0000", "8.0 GT/s PCIe", 2)
        path = f"pci0000:00/0000:00:1{i}.0/0000:{7 + i:02x}:00.0"
        m.function(path, "0x068000", "0x10de", "0x22a3", "0x10de", "0x1796", "8.0 GT/s PCIe", 2)
        nvswitches.append(f"0000:{7 + i:02x}:00.0")
    spread = [5, 4, 4, 5]
    ends = [end for end, links in zip(nvswitches, spread) for _ in range(links)]
    for i, base in enumerate((0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)):
        numa = i // 4
        root = f"pci0000:{base - 3:02x}/0000:{base - 3:02x}:01.0"
        up = f"{root}/0000:{base - 2:02x}:00.0"
        m.function(root, *bridge, numa)
        m.function(up, *switch, numa)
        for port in range(2):
            m.function(f"{up}/0000:{base - 1:02x}:{port:02x}.0", *switch, numa)
        m.function(
            f"{up}/0000:{base - 1:02x}:00.0/0000:{base:02x}:00.0",
            "0x030200",
            "0x10de",
            "0x2330",
            "0x10de",
            "0x16c1",
            "32.0 GT/s PCIe",
            16,
            numa,
        )
        nic = m.function(
            f"{up}/0000:{base - 1:02x}:01.0/0000:{base + 1:02x}:00.0",
            "0x020700",
            "0x15b3",
            "0x1021",
            "0x15b3",
            "0x0023",
            "32.0 GT/s PCIe",
            16,
            numa,
        )
        m.rdma(nic, f"mlx5_{i}", f"58a2:e103:00a7:{i:04x}")
        m.gpu(f"0000:{base:02x}:00.0", "9.0", ends)
    m.numa(0, "00000000,00ffffff,ffffffff")
    m.numa(1, "ffffffff,ff000000,00000000")
    m.write("/sys/module/nvidia_peermem/version", "570.124.06\n")
    m.host("GenuineIntel", 6, 143)
    return m


def gb300_tray(folder):
    """A tray of GB300: four GPUs on two Grace processors by chip-to-chip links, NVLinks into a fabric, a NIC each."""
    m = Machine(folder)
    bridge = ("0x060400", "0x10de", "0x22b1", "0x10de", "0x0000", "64.0 GT/s PCIe", 16)
    for i in range(4):
        numa, domain = i // 2, f"{8 * i + 8:04x}"
        m.function(f"pci{domain}:00/{domain}:00:00.0", *bridge, numa)
        m.function(
            f"pci{domain}:00/{domain}:00:00.0/{domain}:01:00.0",
            "0x030200",
            "0x10de",
            "0x31c2",
            "0x10de",
            "0x21f1",
            "64.0 GT/s PCIe",
            16,
            numa,
        )
        near = f"{8 * i + 3:04x}"
        m.function(f"pci{near}:00/{near}:00:00.0", *bridge, numa)
        nic = m.function(
            f"pci{near}:00/{near}:00:00.0/{near}:03:00.0",
            "0x020700",
            "0x15b3",
            "0x1023",
            "0x15b3",
            "0x0041",
            "64.0 GT/s PCIe",
            16,
            numa,
        )
        m.rdma(nic, f"mlx5_{i}", f"7c8c:0903:0064:{i:04x}", "800 Gb/sec (4X XDR)")
        m.gpu(
            f"{domain}:01:00.0",
            "10.3",
            ["fffffff:ffff:ff"] * 18,
            "NVIDIA GB300",
            "31c210de 21f110de",
            "6 16 6",
            c2c=(14, 31937),
            fabric=("9f0c6a1e2b3d4455a6b7c8d9e0f10203", 1, 3),
        )
    m.numa(0, "0,00000000,ffffffff")
    m.numa(1, "ffffffff,00000000")
    m.write("/sys/module/nvidia_peermem/version", "580.65.06\n")
    m.host()
    return m


def vm_on_one_bus(folder):
    """A virtual machine with everything on bus 00 and no NUMA node (an example of docs/nccl/detection.md)."""
    m = Machine(folder)
    m.function("pci0000:00/0000:00:00.0", "0x060000", "0x8086", "0x1237", "0x1af4", "0x1100", numa=-1)
    m.function("pci0000:00/0000:00:05.0", "0x030200", "0x10de", "0x20b0", "0x10de", "0x134f", "16.0 GT/s PCIe", 16, -1)
    for slot, name, guid in (("06", "mlx5_0", "9900:0000:0000:0000"), ("07", "mlx5_1", "9800:0000:0000:0000")):
        nic = m.function(f"pci0000:00/0000:00:{slot}.0", "0x020700", "0x15b3", "0x101c", "0x15b3", "0x0040", numa=-1)
        m.rdma(nic, name, guid, "200 Gb/sec (4X HDR)")
    m.write("/sys/module/nvidia_peermem/version", "550.54.15\n")
    m.host("GenuineIntel", 6, 85)
    m.gpu("0000:00:05.0", "8.0", (), "NVIDIA A100-SXM4-40GB", "20b010de 134f10de", "4 16 4")
    return m


MACHINES = {
    "tree-a": tree_a,
    "tree-b": tree_b,
    "dgx1-v100": dgx1,
    "hgx-h100": hgx_h100,
    "gb300-tray": gb300_tray,
    "vm-one-bus": vm_on_one_bus,
}


def copy(machine, folder):
    """The tree of a machine elsewhere, links and all."""
    shutil.copytree(machine.root, folder, symlinks=True)
    other = Machine.__new__(Machine)
    other.root, other.gpus = pathlib.Path(folder), list(machine.gpus)
    return other


if __name__ == "__main__":
    import sys

    if len(sys.argv) != 3 or sys.argv[1] not in MACHINES:
        sys.exit(f"usage: fake_machine.py {'|'.join(MACHINES)} FOLDER")
    print(MACHINES[sys.argv[1]](sys.argv[2]).nvml())
