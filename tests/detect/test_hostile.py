# SPDX-License-Identifier: Apache-2.0
"""Folders that no machine has: whatever is in them, detection ends soon, without a fault and inside the folder."""
import os
import resource
import xml.etree.ElementTree as ET

import pytest

from conftest import DOUBLES, detect, run
from fake_machine import Machine

RELEASES = ["2.12.12", "2.27.7", "2.30.7"]
SECONDS = 15  # of a processor, for any of them, under the sanitizers


def quick(machine, *options, release="2.27.7"):
    """(exit status, XML, notes), in time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run("detect", "--root", machine.root, "--release", release, *options, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS
    return result


def replace(machine, path, kind):
    """Something else where a file or folder was."""
    place = machine.root / path.lstrip("/")
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        place.rename(str(place) + ".was")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # what is around it was replaced before
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "itself":
        os.symlink(place.name, place)
    elif kind == "up":
        os.symlink("../" * 60 + "etc/passwd", place)
    elif kind == "device":
        os.symlink("/dev/zero", place)
    elif kind == "huge":
        with open(place, "wb") as file:
            file.write(b"9" * 4096)
            file.truncate(1 << 36)
    elif kind == "closed":
        place.write_text("x\n")
        place.chmod(0)
    elif kind == "bytes":
        place.write_bytes(bytes(range(256)) * 4)


GPU = "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0"
PLACES = [
    "/proc/cpuinfo",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/osrelease",
    f"{GPU}/class",
    f"{GPU}/max_link_speed",
    f"{GPU}/../max_link_width",
    f"{GPU}/numa_node",
    f"{GPU}/../../numa_node",
    "/sys/class/pci_bus/0000:18",
    "/sys/class/pci_bus",
    "/sys/bus/pci/devices",
    "/sys/bus/pci/devices/0000:18:00.0",
    "/sys/class/infiniband",
    "/sys/class/infiniband/mlx5_0/ports",
    "/sys/class/infiniband/mlx5_0/ports/1/state",
    "/sys/class/infiniband/mlx5_0/ports/1/rate",
    "/sys/class/infiniband/mlx5_0/sys_image_guid",
    "/sys/class/infiniband/mlx5_0/device",
    f"{GPU}/subsystem",
    "/sys/class/net",
    "/sys/class/net/eth0/speed",
    "/sys/class/net/eth0/ifindex",
    "/sys/devices/system/node/node0/cpumap",
    "/etc/nccl.conf",
    "/var/run/nvidia-topologyd/virtualTopology.xml",
    "/sys/kernel/pci_switch_link/virtual_switch_links/0000:16:00.0",
]


@pytest.mark.parametrize("kind", ["pipe", "folder", "itself", "up", "device", "huge", "closed", "bytes"])
def test_anything_in_the_place_of_a_file(make, kind):
    """One place at a time would take long under the sanitizers: three machines share the places out among them."""
    for first in range(3):
        machine = make("tree-b")
        machine.interface(None, "eth0", 1000)
        for path in PLACES[first::3]:
            replace(machine, path, kind)
        for options in ((), ("--set", "NCCL_IB_DISABLE=1", "--running")):
            status, out, err = quick(machine, *options, release=RELEASES[first])
            assert status == 0, err
            assert b"root:x:0:0" not in out and "root:x:0:0" not in err
        machine.root.rename(machine.root.parent / f"{kind}-{first}")


def test_names_that_lead_elsewhere(make):
    machine = make("tree-b")
    for name in ("mlx5_\n9", "..mlx5", "mlx5_" + "9" * 200, "%s%n", 'mlx5_"><net', "\xff\xfe"):
        machine.link(f"/sys/class/infiniband/{name}", "/sys/class/infiniband/mlx5_0")
    for name in ("eth\n0", "e" * 200, "%n%n"):
        machine.interface(None, name, 1000)
    machine.link("/sys/class/infiniband/mlx5_77/device", "/")
    machine.write("/sys/class/infiniband/mlx5_77/ports/1/state", "4: ACTIVE\n")
    machine.write("/sys/class/infiniband/mlx5_77/ports/1/link_layer", "InfiniBand\n")
    folder = "/sys/kernel/pci_switch_link/virtual_switch_links/0000:16:00.0"
    for name in ("0000:96:00.\n", "../../../..x", "0000:96:00.0", "............", "0000:96:00.0.0"):
        machine.write(f"{folder}/{name.replace('/', '_')}", "1\n")
    machine.write("/sys/class/infiniband/mlx5_0/ports/-1/state", "4: ACTIVE\n")
    machine.write("/sys/class/infiniband/mlx5_0/ports/99999999999999999999/state", "4: ACTIVE\n")
    for release in RELEASES:
        for options in ((), ("--set", "NCCL_IB_DISABLE=1"), ("--running",)):
            status, out, err = quick(machine, *options, release=release)
            assert status == 0, err
            ET.fromstring(out)  # what a name holds stays inside its quotes


@pytest.mark.parametrize(
    "far", ["../../../etc", "0000:18:00.0/../..", "%s", "-", "0000:18:00.0", "FFFFFFF:FFFF:FF", "\u00e9"]
)
def test_far_ends_that_lead_elsewhere(make, far):
    machine = make("tree-b")
    machine.gpus[0] = machine.gpus[0].replace("0000:05:00.0", far)
    for release in RELEASES:
        assert "<gpu " in detect(machine, release=release)[0]


def crowd(folder, functions):
    """A machine with this many GPUs, NICs, peers of a switch and interfaces."""
    machine = Machine(folder)
    up = "pci0000:00/0000:00:01.0/0000:01:00.0"
    switch = ("0x060400", "0x1000", "0xc030", "0x1000", "0x100b", "32.0 GT/s PCIe", 16)
    machine.function("pci0000:00/0000:00:01.0", *switch)
    machine.function(up, *switch)
    for i in range(functions):
        bus, slot = f"{i >> 8:04x}:{2 + (i & 127) // 32:02x}", f"{i & 31:02x}.{i >> 7 & 1}"
        kind = ("0x030200", "0x10de", "0x2330") if i % 2 else ("0x020700", "0x15b3", "0x1021")
        path = machine.function(f"{up}/0000:02:00.0/{bus}:{slot}", *kind)
        if i % 2 == 0 and i < 600:
            machine.rdma(path, f"mlx5_{i}", "58a2:e103:00a7:7c5e")
        machine.write(f"/sys/kernel/pci_switch_link/virtual_switch_links/0000:01:00.0/{bus}:{slot}", "")
    return machine


def test_thousands_of_devices(tmp_path):
    machine = crowd(tmp_path / "crowd", 3000)
    for release, options in zip(RELEASES, ((), ("--running", "--set", "NCCL_NET_MERGE_LEVEL=SYS"), ("--running",))):
        status, out, err = quick(machine, *options, release=release)
        assert status in (0, 1) and ("too-many" in err or "limit" in err or status == 0), err


def test_folders_within_folders(tmp_path):
    machine = Machine(tmp_path / "deep")
    path = "pci0000:00"
    for i in range(120):
        path += f"/{i >> 8:04x}:{i & 255:02x}:00.0"
        if len(path) > 900:
            break
        machine.function(path, "0x060400", "0x1000", "0xc030")
    machine.gpu(path.split("/")[-2], "9.0")
    for release in RELEASES:
        assert (
            run(
                "detect",
                "--root",
                machine.root,
                "--release",
                release,
                "--nvml",
                DOUBLES / "libnvidia-ml.so.1",
                environment={"ORR_FAKE_NVML": machine.nvml()},
            )[0]
            == 0
        )


def test_buses_that_lead_in_circles(make):
    machine = make("tree-b")
    for bus in ("0000:18", "0000:16", "0000:1a"):
        place = machine.root / f"sys/class/pci_bus/{bus}"
        place.unlink()
        os.symlink(f"../../bus/pci/devices/{bus}:00.0/x", place)
    loop = machine.root / GPU.lstrip("/") / "loop"
    os.symlink("..", loop)
    (machine.root / "sys/bus/pci/devices/0000:16:00.0").unlink()
    machine.link("/sys/bus/pci/devices/0000:16:00.0", GPU)
    for release in RELEASES:
        for nvml in (True, False):
            detect(machine, release=release, nvml=nvml)
