# SPDX-License-Identifier: Apache-2.0
"""Machines of logs in ../shared whose dumps were not published, rebuilt from public facts: a dump of the machine type
with its NICs renumbered as the job's plugin numbered them, or a machine written from the log's bus ids, affinities and
lists of NICs."""
import xml.etree.ElementTree as ET

from conftest import ROOT, SHARED
from test_command_line import run

TOPOLOGIES = SHARED / "topologies"
GEN4, GEN5 = "16.0 GT/s PCIe", "32.0 GT/s PCIe"
MILAN = 'arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="1"'
SAPPHIRE_RAPIDS = 'arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143"'
SWITCH = "0000:05:00.0"


def pci(bus_id, speed, content):
    kind = "0x030200" if "<gpu" in content else "0x020700"
    return f'<pci busid="{bus_id}" class="{kind}" link_speed="{speed}" link_width="16">{content}</pci>'


def gpu(number, bus_id, sm, links, speed):
    """links: {bus id of a GPU or SWITCH: NVLinks}"""
    nvlinks = "".join(
        f'<nvlink target="{to}" count="{count}" tclass="{"0x068000" if to == SWITCH else "0x030200"}"/>'
        for to, count in links.items()
    )
    return pci(bus_id, speed, f'<gpu dev="{number}" sm="{sm}" rank="{number}" gdr="1">{nvlinks}</gpu>')


def nic(*nets):
    return "<nic>" + "".join(nets) + "</nic>"


def net(name, number, speed=200000, gdr=1):
    return (
        f'<net name="{name}" dev="{number}" latency="0" speed="{speed}" port="1" guid="{number + 1:#x}" '
        f'maxconn="65536" gdr="{gdr}"/>'
    )


def system(cpu, nodes):
    """nodes: {NUMA node: its devices}, in NCCL's order"""
    return (
        '<system version="1">'
        + "".join(f'<cpu numaid="{numa}" affinity="ffff" {cpu}>{content}</cpu>' for numa, content in nodes.items())
        + "</system>"
    )


def mesh(bus_ids, sm=80, count=4, speed=GEN4):
    return [gpu(i, bus, sm, {b: count for b in bus_ids if b != bus}, speed) for i, bus in enumerate(bus_ids)]


def polaris(ranks=4):
    """Four NUMA nodes, GPU g on node 3 - g; two NICs, which the plugin finds twice each, so that they keep the later
    numbers 1 and 3."""
    gpus = mesh([f"0000:{bus}:00.0" for bus in ("07", "46", "85", "c7")])
    nics = {1: pci("0000:21:00.0", GEN4, nic(net("cxi1", 3))), 3: pci("0000:e1:00.0", GEN4, nic(net("cxi0", 1)))}
    return system(MILAN, {3 - g: (gpus[g] if g < ranks else "") + nics.get(g, "") for g in range(4)})


def azure_flat():
    """ND A100 v4 without its topology file (tests/data/SOURCES.md)."""
    return (ROOT / "tests/data/azure-ndv4-flat.xml").read_text()


def xe8545():
    """Four GPUs on four NUMA nodes, and one NIC each on two other nodes."""
    gpus = mesh([f"0000:{bus}:00.0" for bus in ("01", "41", "81", "c1")])
    nics = [pci(f"0000:{bus}:00.0", GEN4, nic(net(f"mlx5_{i}", i))) for i, bus in enumerate(("22", "a2"))]
    return system(MILAN, {3: gpus[0], 1: gpus[1], 7: gpus[2], 5: gpus[3], 2: nics[0], 6: nics[1]})


def switched(buses, sm, links, cpu):
    """GPUs of one host on NVSwitches, and a socket."""
    gpus = [gpu(i, f"0000:{bus}:00.0", sm, {SWITCH: links}, GEN5) for i, bus in enumerate(buses)]
    near = [g for g, bus in zip(gpus, buses) if int(bus, 16) < 0x80]
    eth0 = nic(net("eth0", 0, 10000, 0))
    return system(cpu, {0: "".join(near) + eth0, 1: "".join(g for g in gpus if g not in near)})


def edited(path, edit=lambda root, nets: None, assume=None):
    """The dump that Orrery makes of a file, with edit() applied to its nets in order of their numbers."""
    status, out, err = run("convert", *(("--assume", assume) if assume else ()), str(TOPOLOGIES / path))
    assert status == 0, err
    root = ET.fromstring(out[out.index(b"<system") :])
    edit(root, sorted(root.iter("net"), key=lambda n: int(n.get("dev"))))
    return ET.tostring(root, encoding="unicode")


def numbered(path, numbers, assume=None):
    def edit(_, nets):
        for n, number in zip(nets, numbers):
            n.set("dev", str(number))

    return edited(path, edit, assume)


OCI_NICS = [f"mlx5_{i}" for i in (0, 3, 4, 5, 6, 9, 10, 11)]  # one for each GPU, in order of the GPUs


def oci_h200(order):
    """The chassis of the H100 shape with one port of 400 Gb/s a card; order: names as the job's NET/IB line lists
    them."""

    def edit(root, nets):
        for parent in root.iter("nic"):
            for n in [n for n in parent if n.get("port") != "1"]:
                parent.remove(n)
        for n, name in zip((n for n in nets if n.get("port") == "1"), OCI_NICS):
            n.attrib.update(name=name, dev=str(order.index(name)), speed="400000")

    return edited("real/oci-BM.GPU.H100.8.xml", edit)


HOPPER_SIX = ("41", "44", "86", "87", "bf", "c2")
# log: (machine, settings that the log does not show, communicators (None means all), facts that agree in each, or in
# the largest)
BUILT = {
    "aws-p4d-efa-eks-readme.log": (
        lambda: numbered("provider/aws-p4d-24xl-a100.xml", (1, 3, 0, 2), "p4d.24xlarge"),
        {},
        [None],
        211,
    ),
    "oci-h200-2node-runc-rank0.log": (lambda: oci_h200(OCI_NICS), {}, [None], 204),
    "oci-h200-2node-runsc-rank0.log": (
        lambda: oci_h200([f"mlx5_{i}" for i in (0, 10, 5, 6, 9, 11, 3, 4)]),
        {},
        [None],
        204,
    ),
    "polaris-a100-n4p4.log": (polaris, {}, [None], 130),
    "polaris-a100-n8p4.log": (polaris, {}, [None], 67),
    "polaris-a100-n4p2.log": (lambda: polaris(2), {}, [None], 77),
    "mlperf-v2.0-azure-ndv4-16node-128rank.log": (azure_flat, {}, [None], 483),
    "mlperf-v2.0-dell-2xXE8545-4xa100sxm40.log": (xe8545, {}, [None], 73),
    # NICs 1 and 8 are of the host itself
    "mlperf-v5.0-dell-2xXE9680L-8xh200.log": (
        lambda: numbered("machines/machine-hgx-h100.xml", (0, 2, 3, 4, 5, 6, 7, 9)),
        {},
        [None],
        404,
    ),
    "b5paper-all_reduce_perf_4_gpu.log": (lambda: switched(("a4", "a9", "e1", "e7"), 80, 12, MILAN), {}, [None], 128),
    "waynehacking-g2_Ring.log": (
        lambda: switched(HOPPER_SIX[:2], 90, 18, SAPPHIRE_RAPIDS),
        {"NCCL_ALGO": "Ring"},
        [None],
        182,
    ),
    "waynehacking-g6_NVLS.log": (
        lambda: switched(HOPPER_SIX, 90, 18, SAPPHIRE_RAPIDS),
        {"NCCL_ALGO": "NVLS"},
        [None],
        277,
    ),
    "waynehacking-g6_auto.log": (lambda: switched(HOPPER_SIX, 90, 18, SAPPHIRE_RAPIDS), {}, [None], 277),
    # NVML refused P2P between these cards
    "oneflow-2x-log.log": (lambda: edited("real/panlichen-topo.xml"), {"NCCL_P2P_DISABLE": "1"}, [None], 171),
    "oneflow-27-log27.log": (lambda: edited("real/panlichen-topo.xml"), {"NCCL_P2P_DISABLE": "1"}, [None], 151),
    # CollNet is on, as the logs' connections show
    "mlperf-v2.1-azure-ndv4-4node-32rank.log": (
        lambda: edited("provider/azure-ndv4-a100-v0.xml", assume="ndv4"),
        {},
        [None],
        1115,
    ),
    "mlperf-v2.0-azure-ndv4-8node-64rank.log": (
        lambda: edited("provider/azure-ndv4-a100-v0.xml", assume="ndv4"),
        {},
        [None],
        2219,
    ),
    # the host that another log prints; four communicators of one rank
    "ssbandjl-gdr114-s114.log": (
        lambda: run("check-log", "--extract", str(SHARED / "logs/ssbandjl-all-ref.log"))[1].decode(),
        {},
        range(4),
        115,
    ),
}
