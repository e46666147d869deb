# SPDX-License-Identifier: Apache-2.0
"""What can be had where something is missing: no driver, no /sys, no rights; and libraries that fail."""
import json
import os
import pathlib
import subprocess

import pytest

import fake_machine
from conftest import DOUBLES, detect, run


def test_without_driver_gpus_come_from_the_pci_tree(make):
    machine = make("tree-b")
    xml, notes = detect(machine, nvml=False)
    assert xml.count("<gpu ") == 4 and xml.count('sm="90"') == 4 and "nvlink" not in xml and 'rank="3" gdr="0"' in xml
    assert "[no-nvml]" in notes and "[no-nvlink-data]" in notes and "nvidia-smi" in notes
    assert xml.index("0000:18:00.0") < xml.index("0000:19:00.0") < xml.index("0000:98:00.0")


def test_unknown_boards_are_not_guessed(make):
    machine = make("tree-b")
    for numa, bus in ((0, "18"), (1, "98")):
        high, base = (("15", "16"), ("95", "96"))[numa]
        folder = (
            f"/sys/devices/pci0000:{high}/0000:{high}:01.0/0000:{base}:00.0/0000:{int(base) + 1}:00.0/0000:{bus}:00.0"
        )
        machine.write(f"{folder}/device", "0xffee\n")
    xml, notes = detect(machine, nvml=False)
    assert xml.count("<gpu ") == 2 and "[unknown-capability]" in notes and "--sm" in notes
    assert '<pci busid="0000:18:00.0"' in xml, "its place is known all the same"
    xml, _ = detect(machine, "--sm", "103", nvml=False)
    assert xml.count('sm="103"') == 2 and xml.count('sm="90"') == 2
    for wrong in ("0", "sm90", "9999"):
        assert run("detect", "--root", machine.root, "--sm", wrong)[0] == 2


@pytest.mark.parametrize(
    "device, capability", [("0x2684", 89), ("0x2b85", 120), ("0x3182", 103), ("0x2204", 86), ("0x1b38", 61)]
)
def test_without_driver_every_listed_gpu_has_its_capability(make, device, capability):
    """RTX 4090, RTX 5090, B300, RTX 3090 and P40."""
    machine = make("tree-a")
    machine.function("pci0000:40/0000:40:03.0/0000:48:00.4", "0x030200", "0x10de", device)
    xml, notes = detect(machine, nvml=False)
    assert f'sm="{capability}"' in xml and "[unknown-capability]" not in notes


def test_virtual_functions_and_other_functions_are_no_gpus(make):
    machine = make("tree-a")
    folder = machine.function("pci0000:40/0000:40:03.0/0000:48:00.1", "0x040300", "0x10de", "0x1aef")
    folder = machine.function("pci0000:40/0000:40:03.0/0000:48:00.4", "0x030200", "0x10de", "0x20b0")
    machine.link(f"{folder}/physfn", "/sys/devices/pci0000:40")
    assert detect(machine, nvml=False)[0].count("<gpu ") == 2


def test_without_sys(tmp_path):
    """A container that hides /sys: GPUs by NVML on a CPU of their own, and what the facts say about interfaces."""
    machine = fake_machine.Machine.__new__(fake_machine.Machine)
    machine.root, machine.gpus = tmp_path / "bare", []
    machine.root.mkdir()
    fake_machine.Machine.host(machine, "GenuineIntel", 6, 143)
    machine.write("/orrery/facts", "interface eth0 inet running\n")
    machine.gpu("0000:18:00.0", "9.0")
    xml, notes = detect(machine, release="2.27.7")
    assert (
        xml
        == """<system version="1">
  <cpu host_hash="0xf4a4d794745933d0" numaid="-1" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:18:00.0" class="0x03" link_speed="" link_width="">
      <gpu dev="0" sm="90" rank="0" gdr="1"/>
    </pci>
    <nic>
      <net name="eth0" dev="0" latency="0" speed="10000" port="0" guid="0x0" maxconn="65536" gdr="0"/>
    </nic>
  </cpu>
</system>
"""
    )
    assert "[no-sys]" in notes and "-v /sys:/sys:ro" in notes and "[gpu-not-in-sys]" in notes


def test_an_empty_root_gives_an_empty_document(tmp_path):
    (tmp_path / "empty").mkdir()
    status, out, err = run("detect", "--root", tmp_path / "empty")
    assert (status, out) == (0, b'<system version="1"/>\n') and "[no-sys]" in err and "[no-gpus]" in err


def test_pci_bus_hidden(make):
    machine = make("tree-a")
    for link in (machine.root / "sys/class/pci_bus").iterdir():
        link.unlink()
    (machine.root / "sys/class/pci_bus").rmdir()
    xml, notes = detect(machine)
    assert 'busid="0000:41:00.0"' in xml and "[no-pci-bus]" in notes


def test_devices_that_may_not_be_opened_are_told(make):
    machine = make("tree-b")
    machine.write("/orrery/facts", "verbs\nverb mlx5_0\nverb mlx5_3\n")
    xml, notes = detect(machine)
    assert notes.count("[no-verbs]") == 2 and xml.count("<net ") == 4


def test_node_folder_hidden(make):
    machine = make("tree-a")
    (machine.root / "sys/devices/system/node/node0/cpumap").unlink()
    assert "affinity" not in detect(machine)[0]
    assert 'affinity=""' in detect(machine, release="2.30.7")[0] and "[no-affinity]" in detect(machine)[1]


def test_emulated_switch(make):
    machine = make("tree-a")
    up = "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0"
    machine.write(f"{up}/vendor", "0x104c\n")
    machine.write(f"{up}/device", "0x8232\n")
    assert "[emulated-switch]" in detect(machine)[1]


@pytest.mark.parametrize(
    "description, words",
    [("error 9", "Driver Not Loaded"), ("error 18", "mismatch"), ("hide nvmlDeviceGetCount_v2", "nvmlDeviceGetCount")],
)
def test_nvml_that_fails(make, description, words):
    machine = make("tree-a")
    machine.gpus.insert(0, description)
    xml, notes = detect(machine)
    assert words in notes and "[no-nvml]" in notes and xml.count("<gpu ") == 2


def test_a_gpu_that_does_not_answer(make):
    machine = make("tree-a")
    machine.gpus.insert(0, "hide nvmlDeviceGetHandleByIndex")
    xml, notes = detect(machine)
    assert "[gpu-lost]" in notes and "Xid" in notes and "<gpu " not in xml


def test_a_library_that_is_none(make, tmp_path):
    machine = make("tree-a")
    (tmp_path / "no.so").write_text("no library")
    for library in (tmp_path / "no.so", DOUBLES / "libcuda.so.1", "/nonexistent.so"):
        xml, notes = detect(machine, "--nvml", library, nvml=False)
        assert "[no-nvml]" in notes and xml.count("<gpu ") == 2


@pytest.mark.parametrize(
    "function, missing",
    [
        ("nvmlDeviceGetNvLinkState", None),
        ("nvmlDeviceGetFieldValues", "nvlink"),
        ("nvmlDeviceGetNvLinkRemotePciInfo", "nvlink"),
        ("nvmlDeviceGetNvLinkCapability", "nvlink"),
        ("nvmlDeviceGetCudaComputeCapability", "<gpu "),
        ("nvmlDeviceGetPciInfo_v3\nhide nvmlDeviceGetHandleByPciBusId", 'busid="0000:18:00.0"'),
        ("nvmlDeviceGetGpuFabricInfoV", None),
    ],
)
def test_functions_of_nvml_that_fail(make, function, missing):
    machine = make("tree-b")
    machine.gpus.insert(0, f"hide {function}")
    for release in ("2.27.7", "2.30.7"):
        xml, _ = detect(machine, release=release)
        assert missing is None or missing not in xml


def live(*options, cuda="", description="", tmp_path):
    """This machine, with the doubles in place of the driver's libraries."""
    (tmp_path / "gpus").write_text(description)
    return run(
        "detect",
        *options,
        environment={"LD_LIBRARY_PATH": str(DOUBLES), "ORR_FAKE_NVML": str(tmp_path / "gpus"), "ORR_FAKE_CUDA": cuda},
    )


GPU = "gpu 0000:00:%s.0\n  name %s\n  capability 9.0\n  ids 233010de 16c110de\n  pcie 5 16 5\n"


def test_the_driver_s_libraries_are_found_by_name(tmp_path):
    description = GPU % ("1e", "NVIDIA GeForce RTX 9090") + GPU % ("1f", "NVIDIA H100")
    status, out, err = live("--json", description=description, tmp_path=tmp_path)
    document = json.loads(out)
    assert (status, document["gpus"], out.count(b'gdr=\\"1\\"')) == (0, 2, 2), err
    ids = {note["id"] for note in document["notes"]}
    assert "gdr-assumed" not in ids and "no-nvml" not in ids and "no-cuda" not in ids


@pytest.mark.parametrize("cuda, note", [("fail", "[no-cuda]"), ("old", "[gdr-assumed]")])
def test_a_cuda_driver_that_does_not_tell(tmp_path, cuda, note):
    description = GPU % ("1e", "NVIDIA GeForce RTX 9090") + GPU % ("1f", "NVIDIA H100")
    status, out, err = live(cuda=cuda, description=description, tmp_path=tmp_path)
    assert status == 0 and note in err
    assert b'rank="0" gdr="0"' in out and b'rank="1" gdr="1"' in out


def lspci():
    """{function: (class, vendor, device)} as lspci says."""
    lines = subprocess.run(["lspci", "-D", "-n"], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for line in lines:
        function, kind, ids = line.split()[:3]
        found[function] = (kind.rstrip(":"), *ids.split(":"))
    return found


def test_this_machine_is_as_lspci_and_sysfs_say(tmp_path):
    """Every function of this machine is treated as a GPU once: the walk then goes over its real /sys."""
    if not pathlib.Path("/sys/bus/pci/devices").is_dir():
        pytest.skip("/sys/bus/pci is not mounted here")
    try:
        functions = lspci()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no lspci, or no PCI here")
    import xml.etree.ElementTree as ET

    for function, (kind, vendor, device) in sorted(functions.items())[:40]:
        description = f"gpu {function}\n  name X\n  capability 8.0\n"
        status, out, err = live("--release", "2.27.7", description=description, tmp_path=tmp_path)
        assert status == 0, err
        root = ET.fromstring(out)
        above = {child: parent for parent in root.iter() for child in parent}
        element = next(e for e in root.iter("pci") if e.get("busid") == function)
        assert element.get("class").startswith("0x" + kind)
        assert (element.get("vendor"), element.get("device")) == ("0x" + vendor, "0x" + device)
        folder = pathlib.Path(f"/sys/bus/pci/devices/{function}").resolve()
        top, chain = element, []
        while above[top].tag == "pci":
            top = above[top]
            chain.append(top.get("busid"))
        bridges = [part.name for part in folder.parents if len(part.name) == 12 and part.name[4] == ":"]
        assert chain == bridges[1::2], "every second bridge on the way up is an element"
        numa = pathlib.Path(f"/sys/bus/pci/devices/{top.get('busid')}/numa_node")
        assert above[top].get("numaid") == numa.read_text().strip()
        widths = [path / "max_link_width" for path in (folder, folder.parent)]
        assert element.get("link_width") == str(min(int(w.read_text()) if w.exists() else 0 for w in widths))
        model = open("/proc/cpuinfo").read()
        if "vendor_id" in model:
            assert above[top].get("vendor") in model and above[top].get("arch") == os.uname().machine
