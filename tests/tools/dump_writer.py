# SPDX-License-Identifier: Apache-2.0
"""Writes topology dumps in the form of NCCL_TOPO_DUMP_FILE: two blanks a level, one tag a line, no XML prolog.

A machine is a tree of elements, made by the functions below from public facts about the hardware (lanes, speeds,
NVLink counts, PCI ids). The generators of static/examples and tests/data share it.
"""

GEN3, GEN4, GEN5, GEN6 = "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"

# PCI identities: vendor, device, subsystem vendor, subsystem device
PLX_9797 = ("0x10b5", "0x9797", "0x0000", "0x0000")
BROADCOM_GEN4 = ("0x1000", "0xc010", "0x1000", "0xa096")
BROADCOM_GEN5 = ("0x1000", "0xc030", "0x1000", "0x0101")
V100 = ("0x10de", "0x1db1", "0x10de", "0x1212")
A100 = ("0x10de", "0x20b2", "0x10de", "0x1463")
H100 = ("0x10de", "0x2330", "0x10de", "0x16c1")
RTX_4090 = ("0x10de", "0x2684", "0x10de", "0x167c")
GB200 = ("0x10de", "0x2941", "0x10de", "0x2046")
CONNECTX4 = ("0x15b3", "0x1013", "0x15b3", "0x0014")
CONNECTX6 = ("0x15b3", "0x101b", "0x15b3", "0x0007")
CONNECTX7 = ("0x15b3", "0x1021", "0x15b3", "0x0023")

HIDDEN = "fffffff:ffff:ff"  # the customary target of an NVLink whose far end is not visible


def tag(name, children=(), /, **attributes):
    """One element; children may hold nested lists and None."""
    return (name, attributes, children)


def text(element, depth=0):
    """The element and all below it, as text."""
    name, attributes, children = element
    head = "  " * depth + "<" + name + "".join(f' {key}="{value}"' for key, value in attributes.items())
    inner = "".join(text(child, depth + 1) for child in flat(children))
    return head + (f">\n{inner}{'  ' * depth}</{name}>\n" if inner else "/>\n")


def flat(children):
    for child in children:
        if isinstance(child, list):
            yield from flat(child)
        elif child is not None:
            yield child


def system(*cpus):
    return tag("system", cpus, version=1)


def xeon(numa, model, *children, affinity="00000000,ffffffff", **more):
    """A socket of an Intel host; model 79 Broadwell, 85 Skylake, 143 Sapphire Rapids, 207 Emerald Rapids."""
    return tag(
        "cpu",
        children,
        numaid=numa,
        affinity=affinity,
        arch="x86_64",
        vendor="GenuineIntel",
        familyid=6,
        modelid=model,
        **more,
    )


def epyc(numa, *children, affinity="00000000,ffffffff", model=49):
    """A NUMA node of an AMD host; NCCL writes family 0xf + extended family 8 as 143."""
    return tag(
        "cpu",
        children,
        numaid=numa,
        affinity=affinity,
        arch="x86_64",
        vendor="AuthenticAMD",
        familyid=143,
        modelid=model,
    )


def arm(numa, *children, affinity="00ff,ffffffff,ffffffff", **more):
    return tag("cpu", children, **{**more, "numaid": numa, "affinity": affinity, "arch": "arm64"})


def pci(busid, kind, identity, speed, width, *children):
    device = dict(zip(("vendor", "device", "subsystem_vendor", "subsystem_device"), identity or ()))
    return tag("pci", children, **{"busid": busid, "class": kind, **device, "link_speed": speed, "link_width": width})


def switch(busid, identity, speed, *children, width=16):
    return pci(busid, "0x060400", identity, speed, width, *children)


def gpu(busid, identity, speed, dev, sm, *links, rank=None, gdr=1, width=16):
    """A GPU; its rank is its device number unless told otherwise, and rank=False leaves it without one."""
    own = {} if rank is False else {"rank": dev if rank is None else rank}
    return pci(busid, "0x030200", identity, speed, width, tag("gpu", links, dev=dev, sm=sm, **own, gdr=gdr))


def nvlink(target, count, kind="0x030200"):
    return tag("nvlink", target=target, count=count, tclass=kind)


def nvswitch(count, target=HIDDEN):
    return nvlink(target, count, "0x068000")


def net(name, dev, mbps, gdr=1, port=1, guid=None, coll=0, latency="0", maxconn=131072):
    return tag(
        "net",
        name=name,
        dev=dev,
        latency=latency,
        speed=mbps,
        port=port,
        guid=guid or f"0x{0xa088c2030000000 + dev * 0x100:x}",
        maxconn=maxconn,
        gdr=gdr,
        **({"coll": 1} if coll else {}),
    )


def nic(busid, identity, speed, *nets, width=16, kind="0x020700"):
    return pci(busid, kind, identity, speed, width, tag("nic", nets))


def socket_net(name, dev, mbps):
    """An Ethernet interface as the socket transport lists it: no port of its own, never GPUDirect."""
    return tag("net", name=name, dev=dev, latency="0", speed=mbps, port=0, guid=f"0x{dev:x}", maxconn=65536, gdr=0)
