#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data: small made-up topologies, each for one decision of a rule, and SOURCES.md.

    python3 tests/tools/make_data.py [--check]
"""
import pathlib
import sys

from dump_writer import *  # noqa: F403

TARGET = pathlib.Path(__file__).resolve().parents[1] / "data"
LOGS = """Debug logs and a graph file as jobs on machines of static/examples would print them, written by
    tests/tools/make_log.py from Orrery's own analysis in the shapes of each release; no line is from a real log.
    cube-2.27.7-cut.log has mpirun's prefixes and ends in the middle."""
GIGABIT = ("0x8086", "0x1521", "0x8086", "0x0001")
P40 = ("0x10de", "0x1b38", "0x10de", "0x11d9")
A30 = ("0x10de", "0x20b7", "0x10de", "0x1532")
RTX_5090 = ("0x10de", "0x2b85", "0x10de", "0x2057")
SUMMIT_GPU = ("0x10de", "0x1db1", "0x10de", "0x1216")
GEN5_UPPER, GEN5_LOWER = ("0x1000", "0xc030", "0x1000", "0x0044"), ("0x1000", "0xc030", "0x1000", "0x1044")


def multi_port_nic():
    """Functions .0 and .1 of one card are two NIC nodes in 2.27.7 and one in 2.21.5 and older."""
    return system(
        xeon(
            0,
            85,
            switch(
                "0000:17:00.0",
                PLX_9797,
                GEN3,
                gpu("0000:18:00.0", V100, GEN3, 0, 70),
                gpu("0000:19:00.0", V100, GEN3, 1, 70),
                nic("0000:1a:00.0", CONNECTX4, GEN3, net("mlx5_0", 0, 100000)),
                nic("0000:1a:00.1", CONNECTX4, GEN3, net("mlx5_1", 1, 100000)),
            ),
        )
    )


def two_sockets():
    """One GPU a socket of an old Intel host: the pair is SYS, so there is no P2P; one NIC, far from rank 1."""
    return system(
        xeon(
            0, 79, gpu("0000:03:00.0", P40, GEN3, 0, 61), nic("0000:05:00.0", CONNECTX4, GEN3, net("mlx5_0", 0, 100000))
        ),
        xeon(1, 79, gpu("0000:83:00.0", P40, GEN3, 1, 61), affinity="ffffffff,00000000"),
    )


def broadcom_two_levels():
    """Two levels of one Broadcom switch: 2.20.5 and newer see one switch, 2.12.12 three."""
    return system(
        xeon(
            0,
            143,
            switch(
                "0000:21:00.0",
                GEN5_UPPER,
                GEN3,
                switch(
                    "0000:23:00.0",
                    GEN5_LOWER,
                    GEN3,
                    gpu("0000:24:00.0", A100, GEN3, 0, 80),
                    nic("0000:25:00.0", CONNECTX6, GEN3, net("mlx5_0", 0, 100000)),
                ),
                gpu("0000:2a:00.0", A100, GEN3, 1, 80),
                switch("0000:26:00.0", GEN5_LOWER, GEN3, gpu("0000:27:00.0", A100, GEN3, 2, 80)),
            ),
        )
    )


def amd_two_gpus():
    """Two GPUs on one AMD socket: PHB with P2P (two GPUs at most keep it on AMD), no Intel overhead in the search."""
    return system(
        epyc(0, gpu("0000:01:00.0", RTX_4090, GEN4, 0, 89, gdr=0), gpu("0000:41:00.0", RTX_4090, GEN4, 1, 89, gdr=0))
    )


def intel_two_gpus():
    """The same on Intel: 6/5 of the bandwidth is charged on PHB paths."""
    return system(
        xeon(
            0,
            85,
            gpu("0000:18:00.0", A30, GEN4, 0, 80),
            gpu("0000:3b:00.0", A30, GEN4, 1, 80),
            nic("0000:5e:00.0", GIGABIT, GEN3, net("mlx5_0", 0, 25000)),
        )
    )


def arm_four_gpus():
    """Four PCIe GPUs on one Arm socket, in pairs under switches."""
    return system(
        arm(
            0,
            [
                switch(
                    f"000{d}:01:00.0",
                    None,
                    GEN4,
                    gpu(f"000{d}:03:00.0", A30, GEN4, 2 * d, 80),
                    gpu(f"000{d}:04:00.0", A30, GEN4, 2 * d + 1, 80),
                )
                for d in (0, 1)
            ],
            nic("0002:01:00.0", CONNECTX6, GEN4, net("mlx5_0", 0, 200000)),
        )
    )


def power_nvlink_cpu():
    """NVLink from each GPU to its POWER CPU and to its neighbour; PCIe is not the way to the CPU."""

    def volta(i, bus, other):
        return gpu(bus, SUMMIT_GPU, GEN3, i, 70, nvlink(other, 3), nvlink("0000:00:00.0", 3, "0x068001"), width=2)

    def power(numa, first, domain):
        a, b = f"{domain:04x}:03:00.0", f"{domain:04x}:04:00.0"
        return tag(
            "cpu",
            [
                volta(first, a, b),
                volta(first + 1, b, a),
                nic(f"{domain + 0x10:04x}:01:00.0", CONNECTX4, GEN3, net(f"mlx5_{numa}", numa, 100000)),
            ],
            numaid=numa,
            affinity="ffffffff" if numa == 0 else "ffffffff,00000000",
            arch="ppc64",
        )

    return system(power(0, 0, 4), power(1, 2, 0x35))


def single_gpu():
    """One GPU and one NIC under a switch."""
    return system(
        xeon(
            0,
            85,
            switch(
                "0000:17:00.0",
                PLX_9797,
                GEN3,
                gpu("0000:18:00.0", V100, GEN3, 0, 70),
                nic("0000:19:00.0", CONNECTX4, GEN3, net("mlx5_0", 0, 100000)),
            ),
        )
    )


def rtx_5090():
    """Eight RTX 5090 on the CPUs of two sockets: neither NVLink nor GPUDirect RDMA nor a NIC."""
    return system(
        *(
            epyc(
                socket,
                *(
                    gpu(f"0000:{0x11 + 0x10 * (4 * socket + i):02x}:00.0", RTX_5090, GEN5, 4 * socket + i, 120, gdr=0)
                    for i in range(4)
                ),
                affinity=("00000000,ffffffff", "ffffffff,00000000")[socket],
                model=17,
            )
            for socket in (0, 1)
        )
    )


def fused_hosts():
    """Two hosts of one NVLink domain in one document, told apart by host_hash; ranks across both."""

    def host(hash_, first):
        return arm(
            0,
            [
                gpu(
                    f"{8 + k:04x}:01:00.0",
                    GB200,
                    GEN5,
                    k,
                    100,
                    nvswitch(18),
                    tag("c2c", bw=44712, count=5),
                    width=1,
                    rank=first + k,
                )
                for k in (0, 1)
            ],
            nic("0000:03:00.0", CONNECTX7, GEN5, net("mlx5_0", 0, 400000, guid=f"0x{0xb0 + first:x}")),
            host_hash=hash_,
        )

    return system(host("0xa1", 0), host("0xb2", 2))


def gpus_without_rank():
    """Four GPUs of which two have a rank: the others take no part, and ranks 3 and 5 become 0 and 1."""
    return system(
        xeon(
            0,
            85,
            [
                gpu(f"0000:{0x18 + i:02x}:00.0", A30, GEN4, i, 80, rank=rank)
                for i, rank in enumerate((False, 5, False, 3))
            ],
        )
    )


DATA = {
    "multi-port-nic": multi_port_nic,
    "two-sockets-no-p2p": two_sockets,
    "broadcom-two-levels": broadcom_two_levels,
    "amd-2gpu": amd_two_gpus,
    "intel-2gpu": intel_two_gpus,
    "arm-4gpu": arm_four_gpus,
    "power-nvlink-cpu": power_nvlink_cpu,
    "single-gpu": single_gpu,
    "rtx-5090-8gpu": rtx_5090,
    "fused-two-hosts": fused_hosts,
    "gpus-without-rank": gpus_without_rank,
}


BY_HAND = """
Three machines are written by hand, because a public log shows what they are
(tests/tools/check_logs.py compares them with these logs):

| file | what it rests on |
|---|---|
| azure-ndv4-flat.xml | An ND96asr v4 whose PCIe devices are all directly on the CPUs, as the virtual machine shows them without the provider's topology file. Like other dumps of Azure's virtual machines, it has no speed and width of links. NUMA nodes are those of the log's affinity lines; the order of the CPUs is the only one of 24 that gives the log's ring. |
| gdr114.xml | The tree that ssbandjl-all-ref.log prints for host gdr114, a GPU and a NIC. ssbandjl-gdr114-s114.log is of the same host and of gdr116, without a tree; its jobs have one rank each. |
| xe8545.xml | A Dell XE8545 with four A100: NUMA nodes from the log's affinity lines. The places of its two NICs are not known; several give the log's rings. |
"""


def version_2(document):
    """A file as RCCL and editors write it: a prolog, tabs, version 2. NCCL's reader refuses it, but an XML parser reads
    it."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + document.replace('version="1"', 'version="2"', 1).replace(
        "  ", "\t"
    )


def main():
    files = {f"{name}.xml": text(build()) for name, build in DATA.items()}
    files["version-2-tabs.xml"] = version_2(text(intel_two_gpus()))
    rows = [(f"{name}.xml", build.__doc__) for name, build in DATA.items()] + [
        ("version-2-tabs.xml", version_2.__doc__)
    ]
    files["SOURCES.md"] = (
        "# Topologies of our own\n\nWritten by tests/tools/make_data.py from public facts; none is a copy of "
        "anybody's dump. The machines of static/examples\nare used by the tests as well.\n\n| file | what it is for "
        "|\n|---|---|\n"
        + "".join(f"| {file} | {' '.join(why.split())} |\n" for file, why in [*rows, ("logs/", LOGS)])
        + BY_HAND
    )
    TARGET.mkdir(exist_ok=True)
    stale = [
        name for name, wanted in files.items() if not (TARGET / name).exists() or (TARGET / name).read_text() != wanted
    ]
    if "--check" in sys.argv[1:]:
        sys.exit(f"not what make_data.py writes: {', '.join(stale)}" if stale else 0)
    for name in stale:
        (TARGET / name).write_text(files[name])
        print("wrote", TARGET / name)


if __name__ == "__main__":
    main()
