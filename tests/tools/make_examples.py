#!/usr/bin/env python3
"""Writes static/examples: the machines that the page offers to somebody who has no dump at hand.

They are of our own making, from what vendors and kernels tell publicly about such hosts: who sits under which switch,
lanes and generations, NVLink counts, NIC speeds. Ids, names and hashes are invented. Run it after a change here:

    python3 tests/tools/make_examples.py            writes static/examples
    python3 tests/tools/make_examples.py --check    fails where the files there are not what this writes
"""
import json
import pathlib
import sys

from dump_writer import *  # noqa: F403  the vocabulary of dumps

TARGET = pathlib.Path(__file__).resolve().parents[2] / "static" / "examples"

# NVLink counts between the GPUs of a hybrid cube mesh of V100, as `nvidia-smi topo -m` shows them
CUBE_MESH = ("01122000", "10210200", "12020010", "21200001", "20000112", "02001021", "00101202", "00012120")


def workstation():
    """Two consumer cards on one socket, no NVLink, one 10 Gb/s Ethernet port."""
    return system(epyc(0,
        gpu("0000:21:00.0", RTX_4090, GEN4, 0, 89, gdr=0),
        gpu("0000:61:00.0", RTX_4090, GEN4, 1, 89, gdr=0),
        pci("0000:c1:00.0", "0x020000", ("0x8086", "0x1563", "0x8086", "0x0001"), GEN3, 4,
            tag("nic", [socket_net("enp193s0f0", 0, 10000)]))))


def cube_mesh():
    buses = ["0000:1b:00.0", "0000:1c:00.0", "0000:3d:00.0", "0000:3e:00.0",
             "0000:b1:00.0", "0000:b2:00.0", "0000:d3:00.0", "0000:d4:00.0"]

    def volta(i):
        return gpu(buses[i], V100, GEN3, i, 70, [nvlink(buses[j], int(n)) for j, n in enumerate(CUBE_MESH[i]) if n != "0"])

    def pair(i, bridge, card):
        return switch(bridge, PLX_9797, GEN3, volta(i), volta(i + 1),
                      nic(card, CONNECTX4, GEN3, net(f"mlx5_{i // 2}", i // 2, 100000)))

    return system(
        xeon(0, 79, pair(0, "0000:19:00.0", "0000:1e:00.0"), pair(2, "0000:3b:00.0", "0000:40:00.0")),
        xeon(1, 79, pair(4, "0000:af:00.0", "0000:b4:00.0"), pair(6, "0000:d1:00.0", "0000:d6:00.0"),
             affinity="ffffffff,00000000"))


def a100():
    """Four switches, each with two GPUs and two NICs; every GPU has twelve NVLinks into the NVSwitches."""
    def under(numa, i, bus):
        return switch(f"0000:{bus:02x}:00.0", BROADCOM_GEN4, GEN4,
                      [gpu(f"0000:{bus + 6 + k:02x}:00.0", A100, GEN4, i + k, 80, nvswitch(12)) for k in (0, 1)],
                      [nic(f"0000:{bus + 11 + k:02x}:00.0", CONNECTX6, GEN4, net(f"mlx5_{i + k}", i + k, 200000)) for k in (0, 1)])

    return system(epyc(0, under(0, 0, 0x21)), epyc(1, under(1, 2, 0x41), affinity="ffffffff,00000000"),
                  epyc(2, under(2, 4, 0x81), affinity="ffffffff,00000000,00000000"),
                  epyc(3, under(3, 6, 0xc1), affinity="ffffffff,00000000,00000000,00000000"))


def h100(widths=(16,) * 8, gdr=(1,) * 8):
    """One GPU and one NIC of 400 Gb/s under each of eight switches, eighteen NVLinks a GPU."""
    def under(i, bus):
        return switch(f"0000:{bus:02x}:00.0", BROADCOM_GEN5, GEN5,
                      gpu(f"0000:{bus + 2:02x}:00.0", H100, GEN5, i, 90, nvswitch(18)),
                      nic(f"0000:{bus + 4:02x}:00.0", CONNECTX7, GEN5, net(f"mlx5_{i}", i, 400000, gdr=gdr[i]), width=widths[i]))

    return system(
        xeon(0, 143, [under(i, bus) for i, bus in enumerate((0x17, 0x3a, 0x4a, 0x5a))], affinity="00000000,00ffffff,ffffffff"),
        xeon(1, 143, [under(i + 4, bus) for i, bus in enumerate((0x97, 0xb7, 0xc7, 0xd7))], affinity="ffffffff,ff000000,00000000"))


def grace_blackwell():
    """Two Grace CPUs with two GPUs each: NVLink into the rack's switches, C2C to the CPU, PCIe only to the NICs."""
    def blackwell(domain, i):
        return gpu(f"{domain:04x}:01:00.0", GB200, GEN5, i, 100, nvswitch(18), tag("c2c", bw=44712, count=5), width=1)

    def grace(numa, first, domains, cards, affinity):
        return arm(numa, [blackwell(domain, first + k) for k, domain in enumerate(domains)],
                   [nic(card, CONNECTX7, GEN5, net(f"mlx5_{first + k}", first + k, 400000)) for k, card in enumerate(cards)],
                   affinity=affinity, host_hash="0x6f7272657279")

    return system(grace(0, 0, (0x8, 0x9), ("0000:05:00.0", "0002:05:00.0"), "00000000,00000000,000000ff,ffffffff,ffffffff"),
                  grace(1, 2, (0x18, 0x19), ("0010:05:00.0", "0012:05:00.0"), "0000ffff,ffffffff,ffffff00,00000000,00000000"))


EXAMPLES = [
    ("workstation-2gpu", workstation, "Workstation, 2 PCIe GPUs",
     "Two consumer GPUs on one AMD socket without NVLink, and one 10 Gb/s Ethernet port."),
    ("v100-cube-mesh", cube_mesh, "8x V100, hybrid cube mesh",
     "Two sockets, eight GPUs with direct NVLinks (one or two bricks a pair, none across some), four 100 Gb/s NICs."),
    ("a100-nvswitch", a100, "8x A100, NVSwitch, 8 NICs",
     "Four PCIe switches with two GPUs and two 200 Gb/s NICs each; all GPUs meet in the NVSwitches."),
    ("h100-nvswitch", h100, "8x H100, NVSwitch, 8 NICs",
     "Every GPU shares a PCIe switch with its own 400 Gb/s NIC; eighteen NVLinks a GPU."),
    ("grace-blackwell-tray", grace_blackwell, "Grace Blackwell tray, 4 GPUs",
     "Two Grace CPUs, each tied to two GPUs by C2C; the NICs hang on the CPUs."),
    ("h100-with-faults", lambda: h100(widths=(16, 16, 16, 8, 16, 16, 16, 16), gdr=(1, 1, 1, 1, 1, 0, 1, 1)),
     "8x H100 with two faults",
     "The same H100 host, but mlx5_3 trained to 8 lanes instead of 16 and mlx5_5 has lost GPU Direct RDMA."),
]


def main():
    files = {f"{ident}.xml": text(build()) for ident, build, _, _ in EXAMPLES}
    files["index.json"] = json.dumps([{"id": ident, "file": f"{ident}.xml", "title": title, "description": description}
                                      for ident, _, title, description in EXAMPLES], indent=2) + "\n"
    TARGET.mkdir(parents=True, exist_ok=True)
    stale = [name for name, wanted in files.items()
             if not (TARGET / name).exists() or (TARGET / name).read_text() != wanted]
    if "--check" in sys.argv[1:]:
        sys.exit(f"not what make_examples.py writes: {', '.join(stale)}" if stale else 0)
    for name in stale:
        (TARGET / name).write_text(files[name])
        print("wrote", TARGET / name)


if __name__ == "__main__":
    main()
