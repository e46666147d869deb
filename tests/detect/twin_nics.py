# SPDX-License-Identifier: Apache-2.0
"""The twin's NICs: which devices a plugin lists, under which attributes and places, and how a running job merges
them."""
import re

import twin

LEVELS = ["LOC", "PORT", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"]
LANE = {"SDR": 2500, "DDR": 5000, "QDR": 10000, "FDR10": 10000, "FDR": 14000, "EDR": 25000, "HDR": 50000}
NDR = (2, 16, 5)  # before, faster lanes count as HDR
TWO_LANES = (2, 14, 3)  # before, two lanes count as twelve


class Net:
    """A device of a plugin."""

    def __init__(self, name, path, speed, port, guid, maxconn, gdr, layer=None):
        self.name, self.path, self.speed, self.port, self.guid = name, path, speed, port, guid
        self.maxconn, self.gdr, self.layer, self.rail, self.plane = maxconn, gdr, layer, None, None
        self.verbs_port = port


def natural(name):
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D", name)]


# Interfaces.


def matches(name, words, exact):
    return any(name == word if exact else name.startswith(word) for word in words)


def words_of(text):
    """(excluded?, exact?, [(name, port, rail, plane)]), None for a number that is not given."""
    inverse = text.startswith("^")
    text = text[inverse:]
    exact = text.startswith("=")
    entries = []
    for word in text[exact:].split(","):
        name, *numbers = word.split(":")
        if name:
            numbers = [int(n) if n.isdigit() else None for n in numbers] + [None] * 3
            entries.append((name, *numbers[:3]))
    return inverse, exact, entries[:32]


def listed_interfaces(d):
    """getifaddrs(): IPv4 first. In a copy without that answer, all are assumed to have an address, in the kernel's
    order."""
    if d.machine.interfaces_known:
        return sorted(d.machine.interfaces, key=lambda row: row[1] == "inet6")
    folder = "/sys/class/net"
    names = [n for n in d.sys.names(folder) if d.sys.text(f"{folder}/{n}/operstate") != "down"]
    names.sort(key=lambda n: (twin.integer(d.sys.whole(f"{folder}/{n}/ifindex") or ""), n))
    return [(name, "inet", False, True) for name in names]


def interfaces(d, most=16):
    family = d.settings.get("NCCL_SOCKET_FAMILY")
    names = []
    for name, kind, loopback, running in listed_interfaces(d):
        if (
            kind == "inet6"
            and loopback
            or family == "AF_INET"
            and kind != "inet"
            or family == "AF_INET6"
            and kind != "inet6"
        ):
            continue
        if name not in names and (running or d.release < (2, 28, 0)):
            names.append(name)
    chosen = d.settings.get("NCCL_SOCKET_IFNAME", "")
    if len(chosen) > 1:
        inverse, exact, entries = words_of(chosen)
        return [n for n in names if matches(n, [e[0] for e in entries], exact) != inverse][:most]
    others = ["docker", "lo"] + (["virbr"] if d.release >= (2, 28, 0) else [])
    steps = [lambda n: n.startswith("ib"), lambda n: not matches(n, others, False)]
    steps += [lambda n, word=word: n.startswith(word) for word in others]
    return next(filter(None, ([n for n in names if step(n)][:most] for step in steps)), [])


def socket_nets(d):
    nets = []
    for i, name in enumerate(interfaces(d)):
        speed = twin.integer(read_short(d, f"/sys/class/net/{name}/speed"))
        nets.append(
            Net(name, d.sys.resolve(f"/sys/class/net/{name}/device"), speed if speed > 0 else 10000, 0, i, 65536, 0)
        )
    return nets


def read_short(d, path):
    return (d.sys.whole(path) or "")[:7]


# RDMA devices.


def rate(d, text):
    found = re.match(r"([0-9.]+) Gb/sec(?: \((\d+)X(?: (\w+))?\))?", text)
    if not found:
        return None
    if d.release >= NDR or not found[3]:
        return int(float(found[1]) * 1000)
    lanes = int(found[2])
    return LANE.get(found[3], 50000) * (12 if lanes == 2 and d.release < TWO_LANES else lanes)


def merged_path(d, path):
    """The path with which functions of one card are the same, and how much of it is compared."""
    merging = d.release < (2, 18, 1) or d.number("NCCL_IB_MERGE_VFS", 1) != 0
    if d.release < (2, 11, 4) or d.release < (2, 18, 3) and not merging:
        return path[:-1] + "0", None
    if d.release < (2, 18, 3):
        return path[:-3] + "0" + path[-2] + "0", None
    if merging:
        return path[:-4] + "00" + path[-2] + "0", -4
    return path[:-1] + "0", -1


def peer_memory(d):
    places = ["/sys/kernel/mm/memory_peers/nv_mem/version"]
    if (2, 12, 7) <= d.release < (2, 21, 0):  # until when it is so is not told
        places.append("/sys/kernel/mm/memory_peers/nvidia-peermem/version")
    if d.release >= (2, 22, 0):
        places.append("/sys/kernel/mm/memory_peers/nv_mem_nc/version")
    if d.release >= (2, 23, 0):
        places.append("/sys/module/nvidia_peermem/version")
    return any(d.sys.there(place) for place in places)


def dma_buf(d, index):
    """GPU, driver, and (if no device may be asked) the kernel."""
    if d.release < (2, 13, 4) or d.number("NCCL_DMABUF_ENABLE", 1) == 0 or not d.machine.gpus:
        return False
    kernel = re.match(r"(\d+)\.(\d+)", d.sys.whole("/proc/sys/kernel/osrelease") or "")
    able = kernel and (int(kernel[1]), int(kernel[2])) >= (5, 12)
    return bool(able and d.machine.cuda >= 11070 and d.machine.gpus[index].dma_buf)


def ib_nets(d, index):
    if d.number("NCCL_IB_DISABLE", 0) != 0 or not usable_interface(d):
        return []
    names = sorted(d.sys.names("/sys/class/infiniband"), key=natural)
    if d.release >= (2, 29, 7) and d.number("NCCL_IB_DEVICE_PCI_ORDER", 1) != 0:

        def place(name):
            path = d.sys.resolve(f"/sys/class/infiniband/{name}/device")
            return (0, path.split("/")[-1]) if path else (1, "")

        names.sort(key=place)
    inverse, exact, entries = words_of(d.settings.get("NCCL_IB_HCA", ""))
    gdr = int(peer_memory(d) or dma_buf(d, index))
    nets, paths = [], []
    for name in names:
        folder = f"/sys/class/infiniband/{name}"
        for port in sorted((int(n) for n in d.sys.names(f"{folder}/ports") if n.isdigit()), key=int):
            text = {n: d.sys.text(f"{folder}/ports/{port}/{n}") for n in ("state", "link_layer", "rate")}
            if twin.integer(text["state"]) != 4 or text["link_layer"] not in ("InfiniBand", "Ethernet"):
                continue
            chosen = any((name == w if exact else name.startswith(w)) and p in (None, port) for w, p, *_ in entries)
            if (chosen or not entries) == inverse or len(nets) == (16 if d.release < (2, 21, 0) else 32):
                continue
            path, shown = d.sys.resolve(f"{folder}/device"), port
            if path:
                path, cut = merged_path(d, path)
                shown += sum(p is not None and p[:cut] == path[:cut] for p in paths)
            vendor = d.sys.text(f"{folder}/device/vendor")
            mlx5 = name.startswith("mlx5") or vendor == "0x15b3" and not name.startswith("mlx4")  # as it may be renamed
            paths.append(path)
            guid = d.sys.text(f"{folder}/sys_image_guid").replace(":", "")
            guid = int.from_bytes(bytes.fromhex(guid), "little") if guid else 0
            nets.append(
                Net(name, path, rate(d, text["rate"]), shown, guid, 131072 if mlx5 else 65536, gdr, text["link_layer"])
            )
            nets[-1].verbs_port = port
            if d.release >= (2, 30, 7) and not inverse:
                entry = next(
                    (e for e in entries if (name == e[0] if exact else name.startswith(e[0])) and e[1] in (None, port)),
                    None,
                )
                nets[-1].rail, nets[-1].plane = entry[2:] if entry else (None, None)
    return joined_ports(d, nets) if (2, 20, 0) <= d.release < (2, 24, 0) else nets


def usable_interface(d):
    """The IB plugin needs an address too; where addresses are not told, one is assumed to be there."""
    named = len(d.settings.get("NCCL_SOCKET_IFNAME", "")) > 1
    return bool(interfaces(d, 1)) or not d.machine.interfaces_known and not (named and d.sys.there("/sys/class/net"))


def joined_ports(d, nets):
    """2.20 to 2.23: the plugin itself joins two ports of one card that have one guid and one link layer."""
    if d.number("NCCL_IB_MERGE_NICS", 1) == 0:
        return nets
    groups = []
    for net in nets:
        for group in groups:
            first = group[0]
            if (
                len(group) < 2
                and first.path
                and (first.path, first.guid, first.layer) == (net.path, net.guid, net.layer)
            ):
                group.append(net)
                break
        else:
            groups.append([net])
    for group in groups:
        group[0].name = "+".join(net.name for net in group)
        group[0].speed = sum(net.speed for net in group)
    return [group[0] for group in groups]


# Putting them into the document.


def attach(d, net):
    found = d.find("net", "name", net.name)
    if found:
        return found
    path = net.path
    if path:
        kind = d.sys.resolve(f"{path}/subsystem")
        if not kind or kind.split("/")[-1] != "pci":
            path = None
    if path:
        parent = d.pci(path.split("/")[-1])
        if d.release >= twin.CLASS:
            parent.fill("class", "0x02")
        d.fill_pci(parent)
        parent.fill("class", "0x02")
    else:
        parent = d.cpus[0]
    nic = parent.child("nic") or twin.Element("nic", parent)
    element = twin.Element("net", nic)
    element.set("name", net.name)
    return element


def describe(d, element, dev, net):
    element.marked = True
    element.set("dev", dev)
    if d.release >= twin.WHOLE_LATENCY:
        element.fill("latency", 0)
    element.fill("speed", net.speed)
    element.fill("port", net.port)
    for key in ("rail", "plane"):
        if getattr(net, key) is not None:
            element.fill(key, getattr(net, key))
    if (2, 12, 0) <= d.release < twin.WHOLE_LATENCY:
        element.fill("latency", "0.000000")
    element.fill("guid", f"{net.guid:#x}")
    element.fill("maxconn", net.maxconn)
    element.fill("gdr", net.gdr)
    if d.release >= (2, 29, 7):
        element.fill("net", 1)
        if net.maxconn == 131072:  # what the rules leave open: engine/detect/README.md
            element.fill("gin", 1)


def add(d, index, running):
    which = d.settings.get("NCCL_NET", "").lower()
    ib = ib_nets(d, index) if which in ("", "ib") else []
    nets = ib or (socket_nets(d) if which in ("", "socket") else [])
    if not d.cpus:
        return
    elements = []
    for dev, net in enumerate(nets):
        element = attach(d, net)
        describe(d, element, dev, net)
        elements.append(element)
    if running and ib and d.release >= (2, 24, 0):
        import twin_merge

        twin_merge.merge(d, nets, elements)
