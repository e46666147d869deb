# SPDX-License-Identifier: Apache-2.0
"""Detection once more, in Python: written from a description of NCCL's rules alone, never from engine/detect, so that
the two agree only where both read it alike. `document(machine, release, settings, running)` gives the XML that NCCL
would dump.

The machine is a folder with its /sys and /proc and what the double of NVML serves (random_machine.Described). Here
stand the document, /sys, the PCI tree, CPUs, GPUs, trimming, fusing and writing; twin_nics.py has the NICs.
"""
import re

from twin_files import Element, Sys, hash_bytewise, hash_wide, integer, looks_like_bus_id, speed

# Releases in which something changed, as tuples to compare releases with.
SORTED = (2, 18, 5)  # children of one element by bus id
C2C = (2, 19, 0)
HASHED = (2, 21, 0)  # host_hash
PCILINK = (2, 22, 0)
WHOLE_LATENCY = (2, 24, 0)
NEW_HASH = (2, 26, 0)
FUSED = (
    2,
    22,
    0,
    # each rank detects its own GPU; 2.21.5 still detects all in one document (docs/nccl/sequence.md, "Fusing the XML of
    # several ranks")
)
NVML_PCI = (2, 30, 7)  # and partitions
TRIMMED = (2, 8, 3)
IDENTITY = (2, 9, 6)  # vendor, device and their subsystem twins
CLASS = (2, 10, 3)  # class follows /sys; the usual file is read
FOUND = (2, 11, 4)  # NVLinks of a file are found
HOPPER = (2, 15, 1)  # 18 NVLinks


def version(release):
    return tuple(int(part) for part in release.split("."))


class Refused(Exception):
    """NCCL would not start, so nothing is told of what it would write."""


class Detection:
    """One document under construction, for one rank or (older releases) for all."""

    def __init__(self, machine, release, settings):
        self.machine, self.sys, self.release = machine, Sys(machine.root), version(release)
        self.settings = self.all_settings(settings)
        self.system, self.cpus = Element("system"), []
        self.system.set("version", 1)

    def all_settings(self, given):
        found = dict(given)
        for line in (self.sys.whole("/etc/nccl.conf") or "").splitlines():
            if not line.startswith("#") and "=" in line:
                name, value = line.split("=", 1)
                found.setdefault(name, value)
        return found

    def number(self, name, default):
        return integer(self.settings[name]) if name in self.settings else default

    def host_hash(self):
        if "NCCL_HOSTID" in self.settings:
            text = self.settings["NCCL_HOSTID"]
        else:
            words = (self.sys.whole("/proc/sys/kernel/random/boot_id") or "").split()
            text = (self.sys.whole("/proc/sys/kernel/hostname") or "").strip() + (words[0] if words else "")
        data = text.encode("latin-1")[:1023]
        value = hash_wide(data) if self.release >= NEW_HASH else hash_bytewise(data)
        return f"{value:#x}" if value else "0"

    def find(self, name, key, value):
        return next((e for e in self.system.walk() if e.name == name and e.get(key) == value), None)

    # The topology file.

    def load(self):
        path = self.settings.get("NCCL_TOPO_FILE")
        if not path and self.release >= CLASS:
            path = "/var/run/nvidia-topologyd/virtualTopology.xml"
        text = self.sys.whole(path) if path else None
        if text is not None:
            self.system = read(text)
        for cpu in self.system.children:
            if cpu.name == "cpu":
                self.cpus.append(cpu)
                if self.release >= NEW_HASH:
                    cpu.set("host_hash", self.host_hash())

    # The PCI tree.

    def pci(self, bus_id):
        found = self.find("pci", "busid", bus_id)
        if not found:
            found = Element("pci")  # without a place until it is filled
            found.set("busid", bus_id)
        return found

    def nvml_pci(self, element):
        """What NVML says about a GPU's place from 2.30 on: the attributes, None if it does not know the function."""
        kind = element.get("class")
        gpu = next((g for g in self.machine.gpus if g.bus_id.lower() == element.get("busid")), None)
        if self.release < NVML_PCI or not gpu or not (kind is None or kind.startswith("0x03")):
            return None
        rates = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0", 6: "64.0"}
        generation = rates.get(gpu.pcie[0])
        return {
            "vendor": f"0x{gpu.ids[0] & 0xffff:x}",
            "device": f"0x{gpu.ids[0] >> 16:x}",
            "subsystem_vendor": f"0x{gpu.ids[1] & 0xffff:x}",
            "subsystem_device": f"0x{gpu.ids[1] >> 16:x}",
            "link_speed": f"{generation} GT/s PCIe" if generation else "16.0 GT/s",
            "link_width": gpu.pcie[1] or 16,
        }

    def fill_pci(self, element):
        path = self.sys.pci(element.get("busid"))
        kind = self.sys.text(f"{path}/class") if path else ""
        if kind and (self.release >= CLASS or element.get("class") is None):
            element.set("class", kind)
        told = self.nvml_pci(element)
        for name in ("vendor", "device", "subsystem_vendor", "subsystem_device"):
            value = told[name] if told else self.sys.text(f"{path}/{name}") if path else ""
            if value and self.release >= IDENTITY:
                element.fill(name, value)
        if told:
            element.fill("link_speed", told["link_speed"])
            element.fill("link_width", told["link_width"])
        elif not path:
            element.fill("link_speed", "")
            element.fill("link_width", "")
        else:
            own, port = (self.sys.text(f"{p}/max_link_speed") for p in (path, path + "/.."))
            element.fill("link_speed", port if speed(port) < speed(own) else own)
            element.fill("link_width", min(integer(self.sys.text(f"{p}/max_link_width")) for p in (path, path + "/..")))
        if element.get("vendor") == "0x1000" and self.release >= PCILINK:
            for name in self.sys.names(f"/sys/kernel/pci_switch_link/virtual_switch_links/{element.get('busid')}"):
                if len(name) == 12 and self.sys.pci(name) and not element.child("pcilink", "target", name):
                    Element("pcilink", element).set("target", name)
        if element.parent is None:
            self.attach(element, path)
        if element.parent.name == "pci":
            self.fill_pci(element.parent)
        elif element.parent.name == "cpu":
            self.fill_cpu(element.parent)

    def attach(self, element, path):
        above = path.split("/")[:-1] if path else []
        if not path:
            parent = self.cpu("-1")
        elif not looks_like_bus_id(above[-1]) or not looks_like_bus_id(above[-2]):
            parent = self.cpu(self.sys.text(f"{path}/numa_node"))
        else:
            parent = self.pci(above[-2])
        at = None  # a new bridge gets its own place when it is filled, after this
        if self.release >= SORTED:
            greater = (
                i
                for i, c in enumerate(parent.children)
                if c.get("busid") is not None and c.get("busid") > element.get("busid")
            )
            at = next(greater, None)
        element.put_below(parent, at)

    def cpu(self, numa):
        found = self.system.child("cpu", "numaid", numa)
        if not found:
            found = Element("cpu", self.system)
            if self.release >= HASHED:
                found.set("host_hash", self.host_hash())
            found.set("numaid", numa)
            self.cpus.append(found)
        return found

    def fill_cpu(self, cpu):
        affinity = self.sys.text(f"/sys/devices/system/node/node{cpu.get('numaid')[:6]}/cpumap")
        if affinity or self.release >= NVML_PCI:
            cpu.fill("affinity", affinity)
        info = self.sys.whole("/proc/cpuinfo") or ""
        rows = dict(re.findall(r"^([^\t\n:]+?)[ \t]*: ?(.*)$", info, re.M)[::-1])
        if "vendor_id" not in rows:
            cpu.fill("arch", "arm64" if "CPU implementer" in rows else "ppc64")
            return
        cpu.fill("arch", "x86_64")
        cpu.fill("vendor", rows["vendor_id"])
        family = int(rows["cpu family"])
        cpu.fill("familyid", family if family < 15 else 15 + 16 * (family - 15))
        cpu.fill("modelid", int(rows["model"]))

    # GPUs.

    def add_gpu(self, index, rank):
        gpu = self.machine.gpus[index]
        place = self.pci(gpu.bus_id.lower())
        if self.release >= CLASS:
            place.fill("class", "0x03")
        self.fill_pci(place)
        place.fill("class", "0x03")  # nothing is told of older ones where /sys has no class
        element = place.child("gpu") or Element("gpu", place)
        sm = gpu.capability[0] * 10 + gpu.capability[1]
        element.fill("dev", index)
        if element.get("dev") == "-1":
            return
        element.fill("sm", sm)
        if TRIMMED <= self.release < FOUND or not element.child("nvlink"):
            self.add_nvlinks(element, gpu, integer(element.get("sm")))
        if self.release >= C2C and integer(element.get("sm")) >= 90 and not element.child("c2c") and gpu.c2c:
            link = Element("c2c", element)
            link.set("bw", gpu.c2c[1])
            link.set("count", gpu.c2c[0])
        for link in element.children:
            if link.name == "nvlink" and link.get("tclass") is None:
                self.add_tclass(link)
        element.set("rank", rank)
        element.fill("gdr", gpu.gdr)
        if self.release >= NVML_PCI:
            element.set("mlopart", -1)
        element.marked = True

    def add_nvlinks(self, element, gpu, sm):
        most = 0 if sm < 60 else 4 if sm < 70 else 6 if sm < 80 else 12 if sm < 90 or self.release < HOPPER else 18
        for state, far in gpu.links[:most]:
            if state != "up" or not far:  # no far end: the call fails
                continue
            far = "" if far == "-" else far
            if self.release >= NVML_PCI and not far:
                far = "fffffff:ffff:ff"
            link = element.child("nvlink", "target", far.lower())
            if link:
                link.set("count", integer(link.get("count") or "") + 1)
            else:
                link = Element("nvlink", element)
                link.set("target", far.lower())
                link.set("count", 1)

    def add_tclass(self, link):
        path = self.sys.pci(link.get("target"))
        if not path or link.get("target") == "fffffff:ffff:ff":
            link.set("tclass", "0x068000")
        elif self.sys.text(f"{path}/class"):
            link.set("tclass", self.sys.text(f"{path}/class"))

    # What nobody claimed.

    def trim(self):
        if self.release >= TRIMMED:
            self.trim_below(self.system)

    def trim_below(self, element):
        if element.marked:
            return True
        kept = [self.trim_below(child) for child in list(element.children)]
        if element.name == "system":
            return True
        if self.release >= FUSED:
            goes = not any(kept) and element.name in (
                ("pci", "cpu", "nic", "net") if self.release >= (2, 27, 3) else ("pci", "cpu")
            )
        else:
            goes = not element.children
        if goes:
            element.parent.children.remove(element)
        return any(kept)


def read(text):
    """A topology file as NCCL reads it, as far as well-formed ones go."""
    import xml.etree.ElementTree as ET

    def turn(source, parent):
        element = Element(source.tag, parent)
        element.attributes.update(list(source.attrib.items())[:16])
        for child in source:
            if child.tag in ("cpu", "pci", "nic", "net", "gpu", "nvlink", "c2c", "pcilink"):
                turn(child, element)
        return element

    return turn(ET.fromstring(text), None)


def fuse(into, other):
    for child in other.children:
        same = next((c for c in into.children if c.name == child.name and c.attributes == child.attributes), None)
        if same:
            fuse(same, child)
        else:
            child.copy(into)


def document(machine, release, settings=None, running=False):
    import twin_nics

    if version(release) < FUSED:
        parts = [list(range(len(machine.gpus)))]
    else:
        parts = [[i] for i in range(len(machine.gpus))]
    whole = None
    for gpus in parts:
        one = Detection(machine, release, settings or {})
        one.load()
        for i in gpus:
            one.add_gpu(i, i)
        twin_nics.add(one, gpus[0] if gpus else 0, running)
        one.trim()
        if whole is None:
            whole = one.system
        else:
            fuse(whole, one.system)
    return whole.write()
