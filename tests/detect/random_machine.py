# SPDX-License-Identifier: Apache-2.0
"""Machines at random from a seed: folders with a /sys and /proc as odd as real ones get, and what NVML says about the
GPUs.

`make(folder, seed)` gives a Described; the same seed gives the same machine. What is drawn: processors, NUMA nodes,
root ports, switches in switches, odd bridges, functions straight on a root bus, missing and strange files, GPUs with
NVLinks to all kinds of far ends, cards with ports and virtual functions, RDMA devices without PCI, interfaces,
modules, settings, topology files.
"""
import random
import xml.etree.ElementTree as ET

import fake_machine
import twin

SPEEDS = [
    "2.5 GT/s PCIe",
    "5.0 GT/s PCIe",
    "8.0 GT/s PCIe",
    "16.0 GT/s PCIe",
    "32.0 GT/s PCIe",
    "64.0 GT/s PCIe",
    "8 GT/s",
    "16 GT/s",
    "5 GT/s",
    "2.5 GT/s",
]
ODD_SPEEDS = ["", "Unknown", "Unknown speed", "Unknown GT/s", "255.0 GT/s"]
RATES = [
    "400 Gb/sec (4X NDR)",
    "200 Gb/sec (4X HDR)",
    "100 Gb/sec (4X EDR)",
    "100 Gb/sec (2X HDR)",
    "56 Gb/sec (4X FDR)",
    "40 Gb/sec (4X QDR)",
    "40 Gb/sec (4X FDR10)",
    "25 Gb/sec (1X EDR)",
    "10 Gb/sec (1X QDR)",
    "2.5 Gb/sec (1X SDR)",
    "50 Gb/sec (1X HDR)",
    "200 Gb/sec (2X NDR)",
]
HOSTS = [
    ("GenuineIntel", 6, 143),
    ("GenuineIntel", 6, 85),
    ("AuthenticAMD", 25, 1),
    ("AuthenticAMD", 26, 2),
    ("AuthenticAMD", 23, 49),
    ("AuthenticAMD", 15, 65),
    ("CentaurHauls", 7, 59),
    ("  Shanghai  ", 7, 91),
    ("HygonGenuine", 24, 1),
]
SWITCHES = [
    ("0x1000", "0xc030", "0x1000", "0x100b"),
    ("0x1000", "0xc010", "0x1000", "0xa096"),
    ("0x10b5", "0x8796", "0x10b5", "0x8796"),
    ("0x11f8", "0x4036", "0x11f8", "0x4036"),
    ("0x104c", "0x8232", "0x0000", "0x0000"),
    ("0x15b3", "0x197b", "0x15b3", "0x0000"),
]


class Gpu:
    """What NVML and CUDA say about a GPU. links: [(state, far end)] by number; c2c: (count, MB/s)."""

    def __init__(self, bus_id):
        self.bus_id, self.links, self.c2c = bus_id, [], None
        self.capability, self.ids, self.pcie, self.gdr, self.dma_buf, self.name = (8, 0), (0, 0), (0, 0, 0), 1, 0, ""

    def lines(self, cuda):
        out = [
            f"gpu {self.bus_id}",
            f"  name {self.name}",
            "  capability %d.%d" % self.capability,
            "  ids %08x %08x" % self.ids,
            "  pcie %d %d %d" % self.pcie,
        ]
        out += [
            f"  nvlink {i} {state} {far}".rstrip() for i, (state, far) in enumerate(self.links) if state != "absent"
        ]
        out += ["  c2c %d %d" % self.c2c] if self.c2c else []
        return out + [f"  gdr {self.gdr} {self.dma_buf}"] if cuda else out


class Described(fake_machine.Machine):
    def __init__(self, folder, seed):
        super().__init__(folder)
        self.random, self.interfaces, self.interfaces_known, self.cuda = random.Random(seed), [], False, 0
        self.settings, self.functions, self.buses = {}, {}, {}
        self.untidy = self.random.choice([0, 0, 0.03, 0.15])

    def nvml(self):
        path = self.root.parent / (self.root.name + ".nvml")
        path.write_text("\n".join(line for gpu in self.gpus for line in gpu.lines(False)) + "\n")
        return str(path)

    def facts(self):
        """All that is not in /sys as lines of /orrery/facts: the GPUs too, if no double is asked."""
        lines = [
            f"interface {n} {kind + 'lo' if loop and kind == 'inet6' else kind} {'running' if run else 'idle'}"
            for n, kind, loop, run in self.interfaces
        ]
        lines = (["interfaces"] if self.interfaces_known else []) + lines
        if self.cuda:
            lines += ["nvml 570.1", f"cuda {self.cuda}"] + [line for gpu in self.gpus for line in gpu.lines(True)]
        self.write("/orrery/facts", "\n".join(lines) + "\n")

    # PCI functions.

    def odd(self, value, others=("",)):
        return self.random.choice(others) if self.random.random() < self.untidy else value

    def put(self, path, kind, ids, numa, speed=None, width=None):
        r = self.random
        speed = self.odd(speed or r.choice(SPEEDS), ODD_SPEEDS)
        width = self.odd(str(width or r.choice([16, 16, 8, 4, 1])), ["", "0", "32", "255", "Unknown"])
        kind = self.odd(kind)
        ids = [self.odd(i) for i in ids]
        folder = self.function(path, kind, *ids, speed, width, "")
        numa = self.odd(str(numa), ["", "-1", "7"])
        if numa:
            self.write(f"{folder}/numa_node", numa + "\n")
        for name in ("class", "max_link_speed", "device", "max_link_width"):
            if r.random() < self.untidy / 4:
                self.write(f"{folder}/{name}", r.choice(["", "\n", "0x030200", "x" * 300 + "\n"]))
        if r.random() < self.untidy / 3:
            (self.root / folder.lstrip("/") / "subsystem").unlink()
            if r.random() < 0.5:
                self.write("/sys/bus/virtio/devices/none", "")
                self.link(f"{folder}/subsystem", "/sys/bus/virtio")
        self.functions[path.split("/")[-1]] = folder
        return folder

    def bus(self, domain):
        self.buses[domain] = self.buses.get(domain, self.random.randrange(1, 4)) + self.random.choice([1, 1, 1, 2, 5])
        return f"{domain}:{self.buses[domain]:02x}"

    def bridge_ids(self):
        return self.random.choice(
            [
                ("0x8086", "0x352a", "0x8086", "0x0000"),
                ("0x1022", "0x1483", "0x1022", "0x1453"),
                ("0x10de", "0x22b1", "0x10de", "0x0000"),
            ]
        )

    def below(self, path, domain, numa, depth, devices):
        """Something behind a port: a device, a switch with its ports, or a bridge alone."""
        r = self.random
        roll = r.random()
        bus = self.bus(domain)
        if depth < 3 and len(devices) < 24 and roll < (0.55 if depth == 0 else 0.2):
            ids, up = r.choice(SWITCHES), f"{path}/{bus}:00.0"
            self.put(up, "0x060400", ids, numa)
            inner = self.bus(domain)
            for port in r.sample(range(0, 0x14), r.randrange(1, 6)):
                down = f"{up}/{inner}:{port:02x}.0"
                self.put(down, "0x060400", ids, numa)
                if r.random() < 0.9:
                    self.below(down, domain, numa, depth + 1, devices)
        elif depth < 3 and roll < 0.27 + 0.33 * (depth == 0):
            self.put(f"{path}/{bus}:00.0", "0x060400", self.bridge_ids(), numa)
            self.below(f"{path}/{bus}:00.0", domain, numa, depth + 1, devices)
        else:
            devices.append((path, bus, numa))

    def device(self, path, bus, numa, kinds):
        r, kind = self.random, self.random.choice(kinds)
        if kind == "gpu":
            ids = r.choice(
                [
                    ("0x10de", "0x2330", "0x10de", "0x16c1"),
                    ("0x10de", "0x0463", "0x10de", "0x0009"),
                    ("0x10de", "0x1db1", "0x10de", "0x1212"),
                ]
            )
            name = f"{bus}:{r.choice(['00', '00', '00', '1f'])}.0"
            self.put(f"{path}/{name}", r.choice(["0x030200", "0x030000"]), ids, numa)
            gpu = Gpu(name)
            gpu.ids = (int(ids[1] + ids[0][2:], 16), int(ids[3] + ids[2][2:], 16))
            self.gpus.append(gpu)
        elif kind == "far":  # an NVSwitch, or a POWER processor's NVLink
            self.put(
                f"{path}/{bus}:00.0",
                r.choice(["0x068000", "0x068000", "0x068001"]),
                ("0x10de", "0x22a3", "0x10de", "0x1796"),
                numa,
            )
        elif kind == "card":
            self.card(path, bus, numa)
        else:
            self.put(f"{path}/{bus}:00.0", "0x010802", ("0x144d", "0xa80a", "0x144d", "0xa801"), numa)

    # NICs.

    def card(self, path, bus, numa):
        """Functions of one card: ports, virtual functions, or these without the card itself."""
        r = self.random
        guid = ":".join(f"{r.randrange(1 << 16):04x}" for _ in range(4))
        shape = r.choice(
            [["00.0"]] * 5
            + [["00.0", "00.1"]] * 2
            + [["00.0", "00.1", "00.2", "01.1"], ["00.0", "10.2", "11.0"], ["02.5", "0a.1"], ["1f.0"]]
        )
        ids = r.choice(
            [
                ("0x15b3", "0x1021", "0x15b3", "0x0023"),
                ("0x15b3", "0x101d", "0x15b3", "0x0016"),
                ("0x14e4", "0x1750", "0x14e4", "0x2100"),
            ]
        )
        rate, layer, rdma = r.choice(RATES), r.choice(["InfiniBand", "Ethernet"]), r.random() < 0.85
        for slot in shape:
            if f"{bus}:{slot}" in self.functions:
                continue  # a root port of this bus
            folder = self.put(f"{path}/{bus}:{slot}", r.choice(["0x020000", "0x020700"]), ids, numa)
            number = len(self.nets)
            if rdma:
                prefix = "mlx5_" if ids[0] == "0x15b3" else "bnxt_re"
                self.device_of(folder, r.choice([prefix] * 6 + ["rocep", "mlx5_bond_", "mlx4_"]), guid, rate, layer)
            if r.random() < 0.7:
                name = r.choice(["eth", "ens", "ib", "enp"]) + str(number)
                self.interface(folder, name, r.choice([None, -1, 10000, 25000, 100000, 200000, 0]))
                self.nets.append(name)

    def device_of(self, folder, prefix, guid, rate, layer):
        r = self.random
        name = f"{prefix}{r.choice([len(self.verbs), len(self.verbs), 100 - len(self.verbs)])}"
        if name in self.verbs:
            return
        self.verbs.append(name)
        ports = r.choice([1, 1, 1, 1, 2, 3])
        state = self.odd("4: ACTIVE", ["1: DOWN", "2: INIT", "5: ACTIVE_DEFER"])
        self.rdma(folder, name, guid, rate, self.odd(layer, ["Unspecified", "InfiniBand", "Ethernet"]), ports, state)
        for port in range(1, ports + 1):
            if r.random() < 0.2:
                self.write(f"{folder}/infiniband/{name}/ports/{port}/state", r.choice(["1: DOWN\n", "4: ACTIVE\n"]))
            if r.random() < 0.2:
                self.write(f"{folder}/infiniband/{name}/ports/{port}/rate", r.choice(RATES) + "\n")
        if r.random() < self.untidy / 2:
            (self.root / folder.lstrip("/") / "infiniband" / name / "sys_image_guid").unlink()

    def without_pci(self):
        """RDMA devices and interfaces of virtio, of Hyper-V's bus, of nothing."""
        r = self.random
        for place, bus in (
            ("/sys/devices/pci0000:00/virtio3", "virtio"),
            ("/sys/devices/LNXSYSTM:00/VMBUS:00/f8b3781a-1e82-4818-a1c3-63d806ec15bb", "vmbus"),
        ):
            if r.random() < 0.12:
                self.write(f"/sys/bus/{bus}/devices/none", "")
                self.link(f"{place}/subsystem", f"/sys/bus/{bus}")
                if r.random() < 0.5:
                    self.device_of(place, "mana_", "0011:2233:4455:6677", r.choice(RATES), "Ethernet")
                self.interface(place, f"eth{len(self.nets)}", r.choice([None, 50000]))
                self.nets.append(f"eth{len(self.nets)}")
        for name in ("lo", "docker0", "bond0", "virbr0"):
            if r.random() < 0.3:
                self.interface(None, name, r.choice([None, 10000, 200000]))
                self.nets.append(name)
        if r.random() < 0.08:
            self.write("/sys/devices/virtual/infiniband/siw0/uevent", "\n")
            self.verbs.append("siw0")
            self.rdma("/sys/devices/virtual", "siw0x", "0000:0000:0000:0000", r.choice(RATES), "Ethernet")
            (self.root / "sys/devices/virtual/infiniband/siw0x/device").unlink()

    # NVLinks and the rest of what NVML says.

    def describe_gpus(self):
        r = self.random
        r.shuffle(self.gpus) if r.random() < 0.2 else self.gpus.sort(key=lambda g: g.bus_id)
        capability = r.choice(
            [(3, 7), (6, 0), (7, 0), (7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (9, 0), (10, 0), (10, 3), (12, 0)]
        )
        switches = [n for n, folder in self.functions.items() if n not in [g.bus_id for g in self.gpus]]
        switches = r.sample(switches, min(len(switches), 3)) + ["fffffff:ffff:ff", "0000:fe:00.0", "-", ""]
        wiring = r.choice(["none", "mesh", "switch", "mixed", "mixed"])
        for gpu in self.gpus:
            gpu.capability = capability if r.random() < 0.9 else r.choice([(7, 0), (8, 0), (9, 0)])
            gpu.pcie = (r.choice([0, 1, 3, 4, 5, 6, 7]), r.choice([0, 1, 8, 16]), 5)
            gpu.name = r.choice(["NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-16GB", "NVIDIA GeForce RTX 4090"])
            gpu.links, ends = [], {
                "mesh": [g.bus_id for g in self.gpus if g is not gpu],
                "switch": switches[:1],
                "none": [],
            }.get(wiring, switches + [g.bus_id for g in self.gpus])
            for _ in range(r.randrange(19) if ends else 0):
                state = r.choice(["up"] * 8 + ["down", "absent"])
                gpu.links.append((state, r.choice(ends) if state == "up" else ""))
            if r.random() < 0.3:
                gpu.c2c = (r.randrange(1, 15), r.choice([31937, 44712, 40000]))
        if r.random() < 0.08 and self.gpus:  # hidden from /sys
            r.choice(self.gpus).bus_id = "0000:e9:00.0"
        if r.random() < 0.4:
            self.cuda = r.choice([11040, 11070, 12080])
            for gpu in self.gpus:
                gpu.gdr, gpu.dma_buf = r.choice([(1, int(self.cuda >= 11070)), (1, 0), (0, 0)])
        else:
            for gpu in self.gpus:
                gpu.gdr, gpu.dma_buf = int("GeForce" not in gpu.name), 0


def settings_of(m):
    r = m.random
    names = [n for n in m.verbs] or ["mlx5_0"]
    choices = [
        (
            "NCCL_IB_HCA",
            lambda: r.choice(
                [
                    "mlx5",
                    "^mlx5_0",
                    "=" + r.choice(names),
                    "^=" + r.choice(names),
                    r.choice(names) + ":1",
                    "^",
                    ",,bnxt",
                    "mlx5_1:1:3,mlx5:1:0:1,bnxt:1:2",
                    ",".join(r.sample(names, min(2, len(names)))),
                ]
            ),
        ),
        ("NCCL_IB_MERGE_VFS", lambda: r.choice("01")),
        ("NCCL_IB_DISABLE", lambda: r.choice("012")),
        ("NCCL_IB_MERGE_NICS", lambda: r.choice("01")),
        ("NCCL_DMABUF_ENABLE", lambda: r.choice("01")),
        ("NCCL_NET", lambda: r.choice(["IB", "Socket", "socket", "ib"])),
        ("NCCL_IB_DEVICE_PCI_ORDER", lambda: "0"),
        ("NCCL_HOSTID", lambda: r.choice(["node01", "a", "rack7-node12.example.org"])),
        (
            "NCCL_NET_MERGE_LEVEL",
            lambda: r.choice(["LOC", "PORT", "PIX", "PXB", "PHB", "SYS", "P2C", "PXN", "nonsense"]),
        ),
        ("NCCL_NET_MERGE_POLICY", lambda: r.choice(["ALL", "RAIL"])),
        (
            "NCCL_NET_FORCE_MERGE",
            lambda: ";".join(
                ",".join(r.sample(names, min(len(names), r.randrange(1, 4)))) for _ in range(r.randrange(1, 3))
            ),
        ),
    ]
    if m.interfaces_known:
        choices += [
            (
                "NCCL_SOCKET_IFNAME",
                lambda: r.choice(["eth", "^lo,docker", "=eth0", "^=lo", "ib", "x", "eth,ens", "lo", "none"]),
            ),
            ("NCCL_SOCKET_FAMILY", lambda: r.choice(["AF_INET", "AF_INET6"])),
        ]
    for name, value in choices:
        if r.random() < 0.09:
            m.settings[name] = value()


def make(folder, seed):
    m = Described(folder, seed)
    r = m.random
    m.nets, m.verbs = [], []
    nodes = r.choice([1, 1, 2, 2, 4])
    numas = [-1] if r.random() < 0.1 else list(range(nodes))
    devices = []
    for _ in range(r.randrange(1, 7)):
        domain = r.choice(["0000"] * 4 + ["0001", "0008", "1234"])
        numa, root = r.choice(numas), m.bus(domain)
        if r.random() < 0.08:  # a domain of five digits
            m.below(f"pci{root}/10000:00:01.0", domain, numa, 2, devices)
            continue
        if r.random() < 0.15:
            devices.append((f"pci{root}", root, numa))
        for port in range(r.randrange(1, 4)):
            path = f"pci{root}/{root}:{port + 1:02x}.{r.choice([0, 0, 1])}"
            m.put(path, "0x060400", m.bridge_ids(), numa)
            m.below(path, domain, numa, 0, devices)
    kinds = r.choice(
        [["gpu", "card"], ["gpu", "gpu", "card", "far", "other"], ["card"] * 3 + ["gpu"], ["gpu", "card", "other"]]
    )
    while not devices:
        m.below("pci0000:ff/0000:ff:01.0", "0000", numas[0], 3, devices)
    r.shuffle(devices)
    for i, (path, bus, numa) in enumerate(devices):
        m.device(path, bus, numa, ["gpu"] if i == 0 else kinds if len(m.gpus) < 12 else ["card", "other"])
    m.without_pci()
    m.describe_gpus()
    for numa in range(nodes):
        words = r.choice([1, 2, 3, 8, 28, 30, 64])
        m.numa(numa, ",".join(f"{r.randrange(1 << 32):08x}" for _ in range(words)))
        if r.random() < 0.06:
            (m.root / f"sys/devices/system/node/node{numa}/cpumap").unlink()
    for path in (
        "/sys/module/nvidia_peermem/version",
        "/sys/kernel/mm/memory_peers/nv_mem/version",
        "/sys/kernel/mm/memory_peers/nv_mem_nc/version",
        "/sys/kernel/mm/memory_peers/nvidia-peermem/version",
    ):
        if r.random() < 0.25:
            m.write(path, "1\n")
    m.host(*(r.choice(HOSTS) if r.random() < 0.85 else ()), name=r.choice(["node01", "n2.example.org"]))
    if r.random() < 0.05:
        m.write("/proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nmachine\t\t: PowerNV\n")
    m.write("/proc/sys/kernel/osrelease", r.choice(["6.8.0-generic\n", "5.4.0\n", "5.12.1\n", "5.11.9\n"]))
    if r.random() < 0.6:
        m.interfaces_known = True
        for name in r.sample(m.nets, len(m.nets)):
            if r.random() < 0.8:
                m.interfaces.append((name, "inet", name == "lo", r.random() < 0.9))
        m.interfaces += [(n, "inet6", n == "lo", r.random() < 0.9) for n in m.nets if r.random() < 0.4]
    order = r.sample(range(1, 60), len(m.nets)) if r.random() < 0.5 else []
    for name, index in zip(m.nets, order):
        m.write(f"/sys/class/net/{name}/ifindex", f"{index}\n")
    for name in m.nets:
        if r.random() < 0.1:
            m.write(f"/sys/class/net/{name}/operstate", r.choice(["down", "unknown"]) + "\n")
    broadcom(m)
    settings_of(m)
    if r.random() < 0.3:
        topology_file(m)
    m.facts()
    if r.random() < 0.2:
        lines = ["# of this machine", "nonsense", *(f"{k}={v}" for k, v in m.settings.items())]
        m.write("/etc/nccl.conf", "\n".join(lines) + "\n")
        m.settings_in_file, m.settings = dict(m.settings), {}
    if r.random() < 0.03:  # one bus that /sys does not show
        victim = r.choice(sorted((m.root / "sys/class/pci_bus").iterdir()))
        victim.unlink()
    return m


def topology_file(m):
    """What one release would dump, with parts dropped, moved and changed, and with parts of other machines."""
    r = m.random
    root = ET.fromstring(twin.document(m, r.choice(["2.12.12", "2.21.5", "2.27.7", "2.30.7"])))
    for element in list(root.iter()):
        if element.tag in ("gpu", "nic") and r.random() < 0.2 or r.random() < 0.04:
            for parent in root.iter():
                if element in list(parent):
                    parent.remove(element)
        elif element.tag == "pci" and r.random() < 0.1:
            element[:] = r.sample(list(element), len(element))
        for key in [k for k in element.attrib if k not in ("busid", "version", "numaid", "name", "target")]:
            if r.random() < 0.15:
                del element.attrib[key]
            elif r.random() < 0.06:
                element.set(key, r.choice(["0", "777", "-1", "16 GT/s", "0x03", "0x068000"]))
    for parent in list(root.iter()):
        if parent.tag in ("cpu", "pci") and r.random() < 0.1:
            pci = ET.SubElement(
                parent,
                "pci",
                {"busid": f"0000:f{r.randrange(10)}:00.0", "class": r.choice(["0x03", "0x02", "0x060400"])},
            )
            if r.random() < 0.5:
                ET.SubElement(pci, "gpu", {"dev": "9", "sm": "80", "rank": str(r.randrange(12)), "gdr": "1"})
            elif m.verbs and r.random() < 0.7:
                ET.SubElement(ET.SubElement(pci, "nic"), "net", {"name": r.choice(m.verbs + m.nets), "speed": "777"})
        if parent.tag == "system" and r.random() < 0.1:
            ET.SubElement(parent, "cpu", {"numaid": "5"})
    place = "/var/run/nvidia-topologyd/virtualTopology.xml"
    if r.random() < 0.6:
        m.settings["NCCL_TOPO_FILE"] = place = "/tmp/base.xml"
    m.write(place, ET.tostring(root, encoding="unicode"))


def broadcom(m):
    r = m.random
    for name, folder in m.functions.items():
        if r.random() < 0.25:
            others = r.sample(sorted(m.functions), min(3, len(m.functions))) + [
                "0000:ee:00.0",
                "readme",
                "not-a-bus-id",
            ]
            for other in others:
                m.write(f"/sys/kernel/pci_switch_link/virtual_switch_links/{name}/{other}", "1\n")
