# SPDX-License-Identifier: Apache-2.0
"""Containers, WSL, Jetson boards and users without rights: what can be had, what is hidden, and the command that shows
it."""
import os
import pathlib
import subprocess

import pytest

from conftest import NVML, PROGRAM, detect, run

SWITCH = "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:0{}.0/0000:{}:00.0"


def note(notes, ident):
    """The text of a note and the advice below it."""
    lines = notes.splitlines()
    at = next((i for i, line in enumerate(lines) if f"[{ident}]" in line), None)
    return "" if at is None else " ".join(lines[at : at + 2])


def facts(machine, text):
    machine.write("/orrery/facts", "host 0x1122334455667788 0x1122334455667788\n" + text)


def test_a_container_with_the_driver_s_kernel_half_only(make):
    machine = make("tree-a")
    facts(machine, "no-nvml libnvidia-ml.so.1: cannot open shared object file: No such file or directory\n")
    assert "driver-without-library" not in detect(machine, nvml=False)[1], "no driver at all is another thing"
    machine.write("/sys/module/nvidia/version", "550.54.15\n")
    xml, notes = detect(machine, nvml=False)
    assert (
        "docker run --gpus all" in note(notes, "driver-without-library")
        and "[no-nvml]" in notes
        and xml.count("<gpu ") == 2
    )
    facts(machine, "no-nvml it was not asked\n")
    assert "driver-without-library" not in detect(machine, nvml=False)[1]


def test_gpus_that_a_container_was_not_given(make):
    machine = make("tree-b")
    machine.gpus = [block for block in machine.gpus if "0000:98:00.0" not in block and "0000:99:00.0" not in block]
    xml, notes = detect(machine)
    told = note(notes, "gpus-not-passed")
    assert (
        xml.count("<gpu ") == 2
        and "has 4 NVIDIA GPUs, of which NVML lists 2" in told
        and "NVIDIA_VISIBLE_DEVICES" in told
    )
    assert "gpus-not-passed" not in detect(make("tree-a"))[1]


@pytest.mark.parametrize("driver, told", [("vfio-pci", True), ("nouveau", True), ("nvidia", False)])
def test_a_gpu_of_another_driver(make, driver, told):
    machine = make("tree-b")
    machine.link(SWITCH.format(0, 18) + "/driver", f"/sys/bus/pci/drivers/{driver}")
    _, notes = detect(machine, nvml=False)
    text = note(notes, "gpu-of-another-driver")
    assert ("0000:18:00.0" in text and driver in text and "lspci -nnk" in text) == told
    assert "gpu-of-another-driver" not in detect(machine)[1], "NVML lists it, so it is NVIDIA's"
    tar = run("gather", "--root", machine.root, "-")[1]
    assert ("gpu-of-another-driver" in run("detect", "-", stdin=tar)[2]) == told, "what gather packs says the same"


def test_wsl(tmp_path, make):
    machine = make("tree-a")
    machine.write("/proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n")
    for folder in ("sys/bus/pci/devices", "sys/class/pci_bus"):
        for link in (machine.root / folder).iterdir():
            link.unlink()
    xml, notes = detect(machine)
    assert xml.count("<gpu ") == 2 and xml.count('numaid="-1"') >= 1
    told = note(notes, "wsl")
    assert "/dev/dxg" in told and "5.15.153.1" in told and "/usr/lib/wsl/lib" in told
    assert "gpu-not-in-sys" not in notes, "its advice, to mount the host's /sys, helps no one there"
    status, out, err = run("detect", "--root", machine.root)
    assert status == 0 and "NVML lies in /usr/lib/wsl/lib" in note(err, "wsl") and b"<gpu" not in out


@pytest.mark.parametrize(
    "path, text, told",
    [
        (
            "/sys/firmware/devicetree/base/model",
            "NVIDIA Jetson AGX Orin Developer Kit\0",
            "NVIDIA Jetson AGX Orin Developer Kit",
        ),
        ("/sys/firmware/devicetree/base/model", "NVIDIA Jetson AGX Thor Developer Kit\0", "Thor"),
        ("/etc/nv_tegra_release", "# R32 (release), REVISION: 7.1\n", "a Jetson board"),
        ("/sys/firmware/devicetree/base/model", "Raspberry Pi 5 Model B\0", ""),
    ],
)
def test_jetson(tmp_path, path, text, told):
    root = tmp_path / "jetson"
    for name, content in ((path, text), ("/proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\n")):
        file = root / name.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    status, out, err = run("detect", "--root", root)
    assert status == 0 and (
        told in note(err, "jetson") and "not a PCI device" in note(err, "jetson") if told else "[jetson]" not in err
    )
    tar = run("gather", "--root", root, "-")[1]
    assert ("[jetson]" in run("detect", "-", stdin=tar)[2]) == bool(told)


def test_rdma_devices_whose_sys_is_hidden(make):
    machine = make("tree-b", False)
    assert "rdma-hidden" not in detect(machine)[1]
    machine.write("/dev/infiniband/uverbs0", "")
    assert "-v /sys:/sys:ro" in note(detect(machine)[1], "rdma-hidden")


@pytest.mark.parametrize(
    "mask, told",
    [
        ("ffffffff,ffffffff", []),
        ("00000000,0000000f", ["1"]),
        ("f", ["1"]),
        ("80000000,00000000", ["0"]),
        ("00000000,00000000", ["0", "1"]),
        ("ff,00000000,0000000f", ["1"]),
    ],
)
def test_a_cgroup_that_leaves_out_a_node(make, mask, told):
    """Nodes 0 and 1 have the CPUs 0-31 and 32-63."""
    machine = make("tree-b")
    facts(machine, f"cpus-allowed {mask}\n")
    _, notes = detect(machine)
    assert [node for node in ("0", "1") if f"no CPU of NUMA node {node} " in notes] == told
    assert ("--cpuset-cpus" in note(notes, "cpus-not-allowed")) == bool(told)


def test_a_cgroup_s_cpus_are_gathered():
    status, out, _ = run("gather", "-")
    import io
    import tarfile

    tar = tarfile.open(fileobj=io.BytesIO(out))
    text = tar.extractfile(next(name for name in tar.getnames() if name.endswith("orrery/facts"))).read().decode()
    allowed = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("Cpus_allowed:"))
    assert status == 0 and f"cpus-allowed {allowed}" in text.splitlines()


def test_without_rights(tmp_path):
    """nobody gets the same document: all of /sys and /proc that is read is readable by all."""
    if os.geteuid() or subprocess.run(["setpriv", "--version"], capture_output=True).returncode:
        pytest.skip("not root, or no setpriv")
    arguments = [PROGRAM, "detect", "--json", "--nvml", "none"]
    as_nobody = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *arguments], capture_output=True, cwd="/"
    )
    if b"ermission denied" in as_nobody.stderr:
        pytest.skip("nobody may not read the program")
    as_root = subprocess.run(arguments, capture_output=True, cwd="/")
    assert as_nobody.returncode == 0 and as_nobody.stdout == as_root.stdout, as_nobody.stderr.decode()[-600:]


def test_libraries_are_loaded_by_name_only_live(make):
    """A copy is not mixed with the machine that reads it: the doubles in the way are not asked, but for an NVML that
    lists the copy's own GPUs (test_details)."""
    machine = make("tree-b")
    environment = {
        "LD_LIBRARY_PATH": str(pathlib.Path(NVML).parent),
        "ORR_FAKE_VERBS": "mlx5_0:7:dmabuf",
        "ORR_FAKE_NVML": machine.nvml(),
    }
    xml, notes = detect(machine, nvml=False, environment=environment)
    assert 'maxconn="7"' not in xml and "[ib-from-sys]" in notes and "[nvml-beside-copy]" in notes
