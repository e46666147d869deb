#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes static/examples: the machines that the page offers to users without a dump. They are made up from what
vendors, providers' topology files and published dumps say about such hosts: devices below each switch, lanes and
generations, NVLink counts, NIC speeds; engine/machines/machine_table.c names the sources, type by type. Ids, names and
hashes are invented. Run it after a change here:

    python3 tests/tools/make_examples.py            writes static/examples
    python3 tests/tools/make_examples.py --check    fails where the files there are not what this writes
"""
import json
import pathlib
import sys

from dump_writer import *  # noqa: F403  the vocabulary of dumps

TARGET = pathlib.Path(__file__).resolve().parents[2] / "static" / "examples"

# PCI identities beside those of dump_writer, from the public list of PCI ids
P100 = ("0x10de", "0x15f9", "0x10de", "0x116b")
V100_SXM3 = ("0x10de", "0x1db8", "0x10de", "0x131d")
H200 = ("0x10de", "0x2335", "0x10de", "0x18be")
B200 = ("0x10de", "0x2901", "0x10de", "0x1999")
B300 = ("0x10de", "0x3182", "0x10de", "0x20e6")
GB300 = ("0x10de", "0x31c2", "0x10de", "0x21f1")
GH200 = ("0x10de", "0x2342", "0x10de", "0x16eb")
T4 = ("0x10de", "0x1eb8", "0x10de", "0x12a2")
L40S = ("0x10de", "0x26b9", "0x10de", "0x1851")
EFA = ("0x1d0f", "0xefa1", "0x1d0f", "0xefa1")
CONNECTX5 = ("0x15b3", "0x1019", "0x15b3", "0x0008")
CONNECTX8 = ("0x15b3", "0x1023", "0x15b3", "0x0041")
CONNECTX8_SWITCH = ("0x15b3", "0x197c", "0x0000", "0x0000")
GVNIC = ("0x1ae0", "0x0042", "0x1ae0", "0x0058")

# NVLink counts between the GPUs of four-GPU boards, and of the hybrid cube mesh of P100
MESH_OF_4X4 = ("0444", "4044", "4404", "4440")
MESH_OF_4X6 = ("0666", "6066", "6606", "6660")
CUBE_MESH_P100 = ("01111000", "10110100", "11010010", "11100001", "10000111", "01001011", "00101101", "00011110")

# NVLink counts between the GPUs of a hybrid cube mesh of V100, as `nvidia-smi topo -m` shows them
CUBE_MESH = ("01122000", "10210200", "12020010", "21200001", "20000112", "02001021", "00101202", "00012120")


def workstation():
    """Two consumer cards on one socket, no NVLink, one 10 Gb/s Ethernet port."""
    return system(
        epyc(
            0,
            gpu("0000:21:00.0", RTX_4090, GEN4, 0, 89, gdr=0),
            gpu("0000:61:00.0", RTX_4090, GEN4, 1, 89, gdr=0),
            pci(
                "0000:c1:00.0",
                "0x020000",
                ("0x8086", "0x1563", "0x8086", "0x0001"),
                GEN3,
                4,
                tag("nic", [socket_net("enp193s0f0", 0, 10000)]),
            ),
        )
    )


def cube_mesh():
    buses = [
        "0000:1b:00.0",
        "0000:1c:00.0",
        "0000:3d:00.0",
        "0000:3e:00.0",
        "0000:b1:00.0",
        "0000:b2:00.0",
        "0000:d3:00.0",
        "0000:d4:00.0",
    ]

    def volta(i):
        return gpu(
            buses[i], V100, GEN3, i, 70, [nvlink(buses[j], int(n)) for j, n in enumerate(CUBE_MESH[i]) if n != "0"]
        )

    def pair(i, bridge, card):
        return switch(
            bridge,
            PLX_9797,
            GEN3,
            volta(i),
            volta(i + 1),
            nic(card, CONNECTX4, GEN3, net(f"mlx5_{i // 2}", i // 2, 100000)),
        )

    return system(
        xeon(0, 79, pair(0, "0000:19:00.0", "0000:1e:00.0"), pair(2, "0000:3b:00.0", "0000:40:00.0")),
        xeon(
            1,
            79,
            pair(4, "0000:af:00.0", "0000:b4:00.0"),
            pair(6, "0000:d1:00.0", "0000:d6:00.0"),
            affinity="ffffffff,00000000",
        ),
    )


def a100():
    """Four switches, each with two GPUs and two NICs; every GPU has twelve NVLinks into the NVSwitches."""

    def under(numa, i, bus):
        return switch(
            f"0000:{bus:02x}:00.0",
            BROADCOM_GEN4,
            GEN4,
            [gpu(f"0000:{bus + 6 + k:02x}:00.0", A100, GEN4, i + k, 80, nvswitch(12)) for k in (0, 1)],
            [
                nic(f"0000:{bus + 11 + k:02x}:00.0", CONNECTX6, GEN4, net(f"mlx5_{i + k}", i + k, 200000))
                for k in (0, 1)
            ],
        )

    return system(
        epyc(0, under(0, 0, 0x21)),
        epyc(1, under(1, 2, 0x41), affinity="ffffffff,00000000"),
        epyc(2, under(2, 4, 0x81), affinity="ffffffff,00000000,00000000"),
        epyc(3, under(3, 6, 0xC1), affinity="ffffffff,00000000,00000000,00000000"),
    )


def h100(widths=(16,) * 8, gdr=(1,) * 8):
    """One GPU and one NIC of 400 Gb/s under each of eight switches, eighteen NVLinks a GPU."""

    def under(i, bus):
        return switch(
            f"0000:{bus:02x}:00.0",
            BROADCOM_GEN5,
            GEN5,
            gpu(f"0000:{bus + 2:02x}:00.0", H100, GEN5, i, 90, nvswitch(18)),
            nic(f"0000:{bus + 4:02x}:00.0", CONNECTX7, GEN5, net(f"mlx5_{i}", i, 400000, gdr=gdr[i]), width=widths[i]),
        )

    return system(
        xeon(
            0,
            143,
            [under(i, bus) for i, bus in enumerate((0x17, 0x3A, 0x4A, 0x5A))],
            affinity="00000000,00ffffff,ffffffff",
        ),
        xeon(
            1,
            143,
            [under(i + 4, bus) for i, bus in enumerate((0x97, 0xB7, 0xC7, 0xD7))],
            affinity="ffffffff,ff000000,00000000",
        ),
    )


def board(
    cpus,
    card,
    sm,
    links,
    nic_card,
    speed,
    mbps,
    *,
    per_switch=(1, 1),
    switches=4,
    ports=1,
    sub=1,
    name="mlx5_{}",
    chip=BROADCOM_GEN5,
    gdr=1,
):
    """A server with `switches` switches per CPU, and `per_switch` GPUs and NICs per switch. cpus: functions that take a
    NUMA node and the devices on it; sub: switches of that kind below each outer one. links(i, buses): the NVLinks of
    GPU i; chip None means no switches, like in a virtual machine."""
    gpus, nics = per_switch
    total = len(cpus) * switches * sub * gpus
    bus_of = (
        lambda group, place: f"0000:{0x10 + group * 0x0a + place:02x}:00.0"
        if group < 20
        else f"0001:{0x10 + (group - 20) * 0x0a + place:02x}:00.0"
    )
    buses = [bus_of(i // gpus, 2 + i % gpus) for i in range(total)]
    dev = iter(range(1000))

    def group(number):
        cards = [
            gpu(buses[number * gpus + k], card, speed, number * gpus + k, sm, links(number * gpus + k, buses))
            for k in range(gpus)
        ]
        ends = []
        for k in range(nics):
            devs = [next(dev) for _ in range(ports)]
            ends.append(
                nic(
                    bus_of(number, 2 + gpus + k),
                    nic_card,
                    speed,
                    [
                        net(
                            name.format(d),
                            d,
                            mbps,
                            gdr=gdr,
                            port=p + 1,
                            guid=f"0x{0xa088c2030000000 + devs[0] * 0x100:x}",
                        )
                        for p, d in enumerate(devs)
                    ],
                    kind="0x020000" if nic_card in (EFA, GVNIC) else "0x020700",
                )
            )
        return [cards, ends] if chip is None else switch(bus_of(number, 1), chip, speed, cards, ends)

    def outer(number):
        if sub == 1:
            return group(number)
        return switch(bus_of(number * sub, 0), chip, speed, [group(number * sub + k) for k in range(sub)])

    return system(
        *[make(numa, [outer(numa * switches + k) for k in range(switches)]) for numa, make in enumerate(cpus)]
    )


def meshed(mesh):
    return lambda i, buses: [nvlink(buses[j], int(n)) for j, n in enumerate(mesh[i]) if n != "0"]


def switched(count):
    return lambda i, buses: [nvswitch(count)]


def alone(i, buses):
    return []


def sockets(kind, model, count=2):
    words = lambda numa: ",".join(["ffffffff"] + ["00000000"] * numa)
    if kind is epyc:
        return [lambda numa, inside: epyc(numa, inside, affinity=words(numa), model=model)] * count
    return [lambda numa, inside: xeon(numa, model, inside, affinity=words(numa))] * count


INTEL_GEN3, INTEL_GEN5 = sockets(xeon, 85), sockets(xeon, 143)


def tray(card, sm, speed, mbps, nic_card):
    """Two Grace CPUs with two GPUs each: NVLink into the rack's switches, C2C to the CPU, PCIe only to the NICs."""

    def blackwell(domain, i):
        links = nvswitch(18), tag("c2c", bw=44712, count=5)
        if nic_card is not CONNECTX8:
            return gpu(f"{domain:04x}:01:00.0", card, speed, i, sm, *links, width=1)
        # the switch inside a ConnectX-8, whose way to the CPU is one lane
        return switch(
            f"{domain:04x}:01:00.0",
            CONNECTX8_SWITCH,
            GEN4,
            switch(
                f"{domain:04x}:04:00.0",
                CONNECTX8_SWITCH,
                speed,
                gpu(f"{domain:04x}:06:00.0", card, speed, i, sm, *links),
            ),
            width=1,
        )

    def grace(numa, first, domains, cards, affinity):
        return arm(
            numa,
            [blackwell(domain, first + k) for k, domain in enumerate(domains)],
            [nic(at, nic_card, speed, net(f"mlx5_{first + k}", first + k, mbps)) for k, at in enumerate(cards)],
            affinity=affinity,
            host_hash="0x6f7272657279",
        )

    return system(
        grace(0, 0, (0x8, 0x9), ("0000:05:00.0", "0002:05:00.0"), "00000000,00000000,000000ff,ffffffff,ffffffff"),
        grace(1, 2, (0x18, 0x19), ("0010:05:00.0", "0012:05:00.0"), "0000ffff,ffffffff,ffffff00,00000000,00000000"),
    )


def gh200():
    return system(
        arm(
            0,
            gpu("0009:01:00.0", GH200, GEN5, 0, 90, tag("c2c", bw=44712, count=10)),
            nic("0000:01:00.0", CONNECTX7, GEN5, net("mlx5_0", 0, 400000)),
            host_hash="0x6f7272657279",
        )
    )


def shared_nic(card, sm, links, nic_card, speed, mbps, count, name):
    """GPUs as a virtual machine shows them, on two NUMA nodes without switches, and one NIC for all."""
    whole = board(INTEL_GEN3, card, sm, links, nic_card, speed, mbps, per_switch=(count // 2, 0), switches=1, chip=None)
    (_, attributes, inside), *others = whole[2]
    return system(
        tag(
            "cpu",
            [*inside, nic("0002:00:05.0", nic_card, speed, net(name, 0, mbps, gdr=0), kind="0x020000")],
            **attributes,
        ),
        *others,
    )


EXAMPLES = [
    (
        "workstation-2gpu",
        workstation,
        "Workstation, 2 PCIe GPUs",
        "Two consumer GPUs on one AMD socket without NVLink, and one 10 Gb/s Ethernet port.",
    ),
    (
        "v100-cube-mesh",
        cube_mesh,
        "8x V100, hybrid cube mesh",
        "Two sockets, eight GPUs with direct NVLinks (one or two bricks a pair, none across some), four 100 Gb/s NICs.",
    ),
    (
        "a100-nvswitch",
        a100,
        "8x A100, NVSwitch, 8 NICs",
        "Four PCIe switches with two GPUs and two 200 Gb/s NICs each; all GPUs meet in the NVSwitches.",
    ),
    (
        "h100-nvswitch",
        h100,
        "8x H100, NVSwitch, 8 NICs",
        "Every GPU shares a PCIe switch with its own 400 Gb/s NIC; eighteen NVLinks a GPU.",
    ),
    (
        "grace-blackwell-tray",
        lambda: tray(GB200, 100, GEN5, 400000, CONNECTX7),
        "Grace Blackwell tray, 4 GPUs",
        "Two Grace CPUs, each tied to two GPUs by C2C; the NICs hang on the CPUs.",
    ),
    (
        "h100-with-faults",
        lambda: h100(widths=(16, 16, 16, 8, 16, 16, 16, 16), gdr=(1, 1, 1, 1, 1, 0, 1, 1)),
        "8x H100 with two faults",
        "The same H100 host, but mlx5_3 trained to 8 lanes instead of 16 and mlx5_5 has lost GPUDirect RDMA.",
    ),
    (
        "dgx-1-p100",
        lambda: board(
            sockets(xeon, 79),
            P100,
            60,
            meshed(CUBE_MESH_P100),
            CONNECTX4,
            GEN3,
            100000,
            per_switch=(2, 1),
            switches=2,
            chip=PLX_9797,
        ),
        "DGX-1, 8x P100",
        "Two sockets, a hybrid cube mesh of single NVLinks, a 100 Gb/s NIC for every two GPUs.",
    ),
    (
        "dgx-2",
        lambda: board(
            sockets(xeon, 85),
            V100_SXM3,
            70,
            switched(6),
            CONNECTX5,
            GEN3,
            100000,
            per_switch=(2, 1),
            switches=2,
            sub=2,
            chip=PLX_9797,
        ),
        "DGX-2, 16x V100",
        "Sixteen GPUs with six NVLinks each into the NVSwitches, two levels of PCIe switches, eight 100 Gb/s NICs.",
    ),
    (
        "hgx-a100-4",
        lambda: board(
            sockets(epyc, 1, 4), A100, 80, meshed(MESH_OF_4X4), CONNECTX6, GEN4, 200000, switches=1, chip=BROADCOM_GEN4
        ),
        "HGX A100, 4 GPUs",
        "Four GPUs, four NVLinks between every two, no NVSwitch.",
    ),
    (
        "hgx-h100-4",
        lambda: board(INTEL_GEN5, H100, 90, meshed(MESH_OF_4X6), CONNECTX7, GEN5, 400000, switches=2),
        "HGX H100, 4 GPUs",
        "Four GPUs, six NVLinks between every two, no NVSwitch.",
    ),
    (
        "hgx-h200",
        lambda: board(INTEL_GEN5, H200, 90, switched(18), CONNECTX7, GEN5, 400000),
        "HGX H200, 8 GPUs",
        "One GPU and one 400 Gb/s NIC under each of eight switches; DGX H200 has the same shape.",
    ),
    (
        "hgx-b200",
        lambda: board(sockets(xeon, 207), B200, 100, switched(18), CONNECTX7, GEN5, 400000),
        "HGX B200, 8 GPUs",
        "Blackwell: eighteen NVLinks a GPU at twice the rate, one 400 Gb/s NIC a GPU.",
    ),
    (
        "hgx-b300",
        lambda: board(sockets(xeon, 173), B300, 103, switched(18), CONNECTX8, GEN6, 800000),
        "HGX B300, 8 GPUs",
        "Blackwell Ultra with PCIe 6, one 800 Gb/s NIC a GPU.",
    ),
    (
        "gb300-tray",
        lambda: tray(GB300, 103, GEN6, 800000, CONNECTX8),
        "GB300 tray, 4 GPUs",
        "Two Grace CPUs, each tied to two Blackwell Ultra GPUs by C2C; PCIe to the GPUs goes through the switches "
        "of four 800 Gb/s NICs.",
    ),
    ("gh200", gh200, "GH200", "One Grace CPU and one Hopper GPU tied by C2C, one 400 Gb/s NIC."),
    (
        "aws-p3",
        lambda: shared_nic(
            V100, 70, meshed(CUBE_MESH), ("0x1d0f", "0xec20", "0x1d0f", "0xec20"), GEN3, 25000, 8, "ens5"
        ),
        "AWS p3.16xlarge, 8x V100",
        "The cube mesh in a virtual machine: no PCIe switch in sight, one 25 Gb/s NIC for all.",
    ),
    (
        "aws-p4d",
        lambda: board(
            INTEL_GEN3,
            A100,
            80,
            switched(12),
            EFA,
            GEN3,
            100000,
            per_switch=(2, 1),
            switches=2,
            chip=PLX_9797,
            name="rdmap{}s27",
        ),
        "AWS p4d.24xlarge, 8x A100",
        "Two GPUs and one EFA port of 100 Gb/s under each switch, PCIe 3 between; p4de has the same shape.",
    ),
    (
        "aws-p5",
        lambda: board(sockets(epyc, 1), H100, 90, switched(18), EFA, GEN5, 100000, per_switch=(1, 4), name="rdmap{}s0"),
        "AWS p5.48xlarge, 8x H100",
        "Four EFA ports of 100 Gb/s for every GPU, 32 in all.",
    ),
    (
        "aws-p5en",
        lambda: board(
            INTEL_GEN5, H200, 90, switched(18), EFA, GEN5, 200000, per_switch=(2, 4), switches=2, name="rdmap{}s0"
        ),
        "AWS p5en.48xlarge, 8x H200",
        "Two GPUs and four EFA ports of 200 Gb/s under each switch.",
    ),
    (
        "azure-ndv4",
        lambda: board(
            sockets(epyc, 49, 4),
            A100,
            80,
            switched(12),
            CONNECTX6,
            GEN4,
            200000,
            per_switch=(2, 2),
            switches=1,
            name="mlx5_ib{}",
            chip=BROADCOM_GEN4,
        ),
        "Azure ND96asr v4, 8x A100",
        "Four NUMA nodes with two GPUs and two 200 Gb/s NICs each.",
    ),
    (
        "azure-ndv5",
        lambda: board(INTEL_GEN5, H100, 90, switched(18), CONNECTX7, GEN5, 400000, name="mlx5_ib{}"),
        "Azure ND96isr H100 v5, 8x H100",
        "One 400 Gb/s NIC for every GPU; the H200 size has the same shape.",
    ),
    (
        "gcp-a2-mega",
        lambda: shared_nic(A100, 80, switched(12), GVNIC, GEN4, 100000, 16, "eth0"),
        "GCP a2-megagpu-16g, 16x A100",
        "Sixteen GPUs on one NVSwitch fabric in a virtual machine, one 100 Gb/s NIC for all.",
    ),
    (
        "gcp-a3",
        lambda: board(
            INTEL_GEN5, H100, 90, switched(18), GVNIC, GEN5, 200000, per_switch=(2, 1), switches=2, name="eth{}"
        ),
        "GCP a3-highgpu-8g, 8x H100",
        "One 200 Gb/s NIC for every two GPUs.",
    ),
    (
        "oci-a100",
        lambda: board(
            sockets(epyc, 49, 4),
            A100,
            80,
            switched(12),
            CONNECTX5,
            GEN4,
            100000,
            per_switch=(2, 2),
            switches=1,
            ports=2,
            chip=BROADCOM_GEN4,
        ),
        "OCI BM.GPU4.8, 8x A100",
        "Eight NICs of two 100 Gb/s ports each.",
    ),
    (
        "l40s-8gpu",
        lambda: board(
            sockets(epyc, 17),
            L40S,
            89,
            alone,
            CONNECTX7,
            GEN4,
            400000,
            per_switch=(4, 1),
            switches=1,
            chip=BROADCOM_GEN4,
        ),
        "8x L40S, PCIe",
        "Eight GPUs without NVLink behind two PCIe switches, each with a 400 Gb/s NIC.",
    ),
    (
        "t4-8gpu",
        lambda: shared_nic(T4, 75, alone, EFA, GEN3, 100000, 8, "rdmap0s6"),
        "AWS g4dn.metal, 8x T4",
        "Eight small GPUs without NVLink, one 100 Gb/s NIC.",
    ),
]


def main():
    files = {f"{ident}.xml": text(build()) for ident, build, _, _ in EXAMPLES}
    files["index.json"] = (
        json.dumps(
            [
                {"id": ident, "file": f"{ident}.xml", "title": title, "description": description}
                for ident, _, title, description in EXAMPLES
            ],
            indent=2,
        )
        + "\n"
    )
    TARGET.mkdir(parents=True, exist_ok=True)
    stale = [
        name for name, wanted in files.items() if not (TARGET / name).exists() or (TARGET / name).read_text() != wanted
    ]
    if "--check" in sys.argv[1:]:
        sys.exit(f"not what make_examples.py writes: {', '.join(stale)}" if stale else 0)
    for name in stale:
        (TARGET / name).write_text(files[name])
        print("wrote", TARGET / name)


if __name__ == "__main__":
    main()
