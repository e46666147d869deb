# SPDX-License-Identifier: Apache-2.0
"""Faults that affect all equal devices alike: a comparison within the machine does not show them, but a comparison with
the machine type that it otherwise fits does. Each has a near miss that must stay without a warning."""
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET

import pytest

from conftest import ROOT

ORRERY = ROOT / os.environ.get("ORRERY", "build-dev/orrery")


def run(*words):
    done = subprocess.run([str(ORRERY), *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tree_of(machine):
    return ET.fromstring(run("convert", "--machine", machine))


@pytest.fixture(name="verdict")
def make_verdict(tmp_path):
    """The verdict on a tree, and the findings above info by id."""

    def judge(tree, hosts=2):
        file = tmp_path / "machine.xml"
        ET.ElementTree(tree).write(file)
        answer = json.loads(run("analyze", "--hosts", hosts, file))
        above = {row["id"]: row for row in answer["findings"] if row["severity"] != "info"}
        return answer["summary"]["verdict"], above

    return judge


def at_speed(machine, mbps):
    tree = tree_of(machine)
    for net in tree.iter("net"):
        net.set("speed", str(mbps))
    return tree


@pytest.mark.parametrize(
    "machine, gbps, sentence",
    [
        ("BM.GPU.H100.8", 100, "like BM.GPU.H100.8, but all 16 NIC ports run at 100 instead of 200 Gb/s"),
        ("p5.48xlarge", 50, "like p5.48xlarge, but all 32 NIC ports run at 50 instead of 100 Gb/s"),
        ("perlmutter", 100, "like perlmutter, but all 4 NIC ports run at 100 instead of 200 Gb/s"),
        ("gh200", 100, "like gh200, but the NIC runs at 100 instead of 400 Gb/s"),
    ],
)
def test_all_nics_are_slow(verdict, machine, gbps, sentence):
    said, above = verdict(at_speed(machine, gbps * 1000))
    assert said["finding"] == "ports-below-type" and set(above) == {"ports-below-type"}
    assert sentence in said["sentence"] and re.search(r"gets [0-9.]+ of [0-9.]+ GB/s on 2 hosts", said["sentence"])
    assert "fit this type" in said["sentence"], "it says what the comparison rests on"
    sound, none = verdict(at_speed(machine, int(tree_of(machine).find(".//net").get("speed"))))
    assert not none and said["cost"]["repaired"] == pytest.approx(
        float(re.search(r"up to ([0-9.]+) GB/s", sound["sentence"])[1]), rel=0.01
    )


def test_nics_that_are_a_little_slow_are_those_of_the_type(verdict):
    assert not verdict(at_speed("BM.GPU.H100.8", 180000))[1], "as virtual machines report them"


def test_a_type_whose_nics_the_maker_chooses_says_so(verdict):
    said, _ = verdict(at_speed("hgx-a100", 50000))
    assert "the maker of the server chooses the NICs" in said["sentence"]
    assert "maker" not in verdict(at_speed("BM.GPU.H100.8", 100000))[0]["sentence"]


def test_two_types_that_fit_are_both_named(verdict):
    said, _ = verdict(at_speed("dgx-h100", 100000))
    assert "like dgx-h100, hgx-h100 or gx3d-160x1792x8h100" in said["sentence"]
    assert "instead of 200 Gb/s" in said["sentence"], "the least that any of them has"


def test_another_type_that_fits_is_not_a_fault(verdict):
    """IBM's type is an HGX H100 with NICs of 200 Gb/s."""
    assert not verdict(at_speed("hgx-h100", 200000))[1]


def test_other_names_or_another_number_are_another_machine(verdict):
    tree = at_speed("BM.GPU.H100.8", 100000)
    for number, net in enumerate(tree.iter("net")):
        net.set("name", f"bond{number}")
    assert "ports-below-type" not in verdict(tree)[1]
    tree = at_speed("BM.GPU.H100.8", 100000)
    for cpu in tree.iter("cpu"):
        for nic in [pci for pci in cpu.iter("pci") if pci.find("nic") is not None][:3]:
            for pci in cpu.iter("pci"):
                if nic in list(pci):
                    pci.remove(nic)
    assert "ports-below-type" not in verdict(tree)[1]


def without_nics(machine, keep):
    """The machine with those NICs whose number keep() accepts."""
    tree = tree_of(machine)
    nics = [pci for pci in tree.iter("pci") if pci.find("nic") is not None]
    for number, nic in enumerate(nics):
        for pci in [*tree.iter("pci"), *tree.iter("cpu")]:
            if nic in list(pci) and not keep(number):
                pci.remove(nic)
    for number, net in enumerate(tree.iter("net")):
        net.set("dev", str(number))
    return tree


def test_half_of_the_nics_are_missing(verdict):
    said, above = verdict(without_nics("p5.48xlarge", lambda number: number % 2))
    assert said["finding"] == "nics-below-type" and set(above) == {"nics-below-type"}
    assert "like p5.48xlarge, but 16 instead of 32 NIC ports" in said["sentence"]
    said, _ = verdict(without_nics("hgx-h200", lambda number: number % 2))
    assert "some PCIe switches with GPUs have a NIC, others have none" in said["sentence"]
    assert said["cost"]["repaired"] == pytest.approx(455, rel=0.01)


def test_fewer_nics_that_are_spread_evenly_are_how_the_server_was_built(verdict):
    """Two GPUs share a switch on HGX A100, with one NIC or with two."""
    assert not verdict(without_nics("hgx-a100", lambda number: number % 2))[1]
    shared = ROOT.parent / "shared" / "topologies"
    if not shared.is_dir():
        pytest.skip("../shared is not beside this checkout")
    for name in ("machines/machine-hgx-h100-4nic.xml", "real/mlperf21-hpe-675d_nic_affinity-2.xml"):
        assert not verdict(ET.parse(shared / name).getroot())[1]


def test_half_of_the_gpus_are_missing(verdict):
    tree = tree_of("dgx-h100")
    gpus = [pci for pci in tree.iter("pci") if pci.find("gpu") is not None]
    for pci in tree.iter("pci"):
        for gpu in gpus[4:]:
            if gpu in list(pci):
                pci.remove(gpu)
    said, _ = verdict(tree)
    assert said["sentence"].startswith(
        "The machine has 4 of 8 GPUs: like dgx-h100 or hgx-h100, but 4 instead of 8 GPUs"
    )


def test_a_mesh_with_missing_gpus_does_not_blame_nvlinks(verdict):
    tree = tree_of("perlmutter")
    gpus = [pci for pci in tree.iter("pci") if pci.find("gpu") is not None]
    gone = {gpu.get("busid") for gpu in gpus[2:]}
    for pci in tree.iter():
        for child in list(pci):
            if child in gpus[2:] or child.get("target") in gone:
                pci.remove(child)
    _, above = verdict(tree)
    assert set(above) == {"gpu-missing"}


@pytest.mark.parametrize("machine, found", [("a3-megagpu-8g", True), ("a2-highgpu-8g", False)])
def test_no_port_has_gpudirect_rdma(verdict, machine, found):
    """The plugin of Google's A3 gives plain interfaces GPUDirect RDMA; those of A2 never have it."""
    tree = tree_of(machine)
    for net in tree.iter("net"):
        net.set("gdr", "0")
    assert ("gdr-off" in verdict(tree)[1]) == found


def without_gpus(tree, left):
    """The machine with only its first GPUs, whose NVLinks lead to NVSwitches."""
    parents = {child: parent for parent in tree.iter() for child in parent}
    for pci in [pci for pci in tree.iter("pci") if pci.find("gpu") is not None][left:]:
        parents[pci].remove(pci)
    return tree


def test_slow_nics_are_found_where_gpus_are_missing_too(verdict):
    said, above = verdict(without_gpus(at_speed("a3-highgpu-8g", 100000), 7))
    assert said["finding"] == "ports-below-type" and said["state"] == "degraded"
    assert "all 4 NIC ports run at 100 instead of 200 Gb/s, and 7 instead of 8 GPUs are there" in said["sentence"]
    # The machine may have been built with half of the GPUs, so the finding is a question.
    said, above = verdict(without_gpus(at_speed("a3-highgpu-8g", 100000), 4))
    assert said["state"] == "healthy" and not above
    assert "a3-highgpu-8g differs only in that its NIC ports run at 200 instead of 100 Gb/s" in said["sentence"]


def with_one_nic(machine, name, mbps):
    """The machine with its first NIC alone, under another name and speed."""
    tree = without_nics(machine, lambda number: number == 0)
    net = tree.find(".//net")
    net.set("name", name)
    net.set("speed", str(mbps))
    return tree


def test_one_slow_port_for_four_gb300(verdict):
    tree = with_one_nic("gb300-tray", "mlx5_bond_0", 100000)
    said, above = verdict(tree)
    assert said["finding"] == "nics-below-generation" and said["cost"]["now"] < said["cost"]["repaired"] / 3
    assert (
        "1 port for 4 GPUs, 25 Gb/s for each; machine types with this GPU (GB300) have at least 800" in said["sentence"]
    )
    assert not verdict(tree, hosts=1)[1], "a job on one host uses no NIC"
    assert not verdict(with_one_nic("gb300-tray", "mlx5_bond_0", 800000))[1], "a quarter is not far below"


@pytest.mark.parametrize(("slow", "state"), [(False, "healthy"), (True, "cannot tell")])
def test_whether_nvlink_joins_trays_is_a_question(verdict, slow, state):
    """The dump of a tray is the same in a rack and beside it; the speed of its NICs only matters beside it."""
    tree = with_one_nic("gb300-tray", "mlx5_bond_0", 100000) if slow else tree_of("gb300-tray")
    said, _ = verdict(tree, hosts=18)
    apart, joined = said["depends"]
    assert said["state"] == state and said["confirm"] == "nvidia-smi -q | grep -E 'ClusterUUID|CliqueId'"
    assert (apart["state"], joined["state"]) == ("degraded" if slow else "healthy", "healthy")
    assert round(joined["busbw"]) == 908 and apart["busbw"] < 0.5 * joined["busbw"]
    assert "The input does not show whether NVLink joins the hosts" in said["sentence"]
    assert "AllReduce gets about 908 GB/s" in said["sentence"]
    assert not verdict(tree, hosts=1)[0]["depends"] and not verdict(tree_of("hgx-b200"), hosts=18)[0]["depends"]


def test_a_fault_of_a_tray_costs_something_joined_or_not(verdict):
    tree = tree_of("gb300-tray")
    link = list(tree.iter("nvlink"))[-1]
    link.set("count", str(int(link.get("count")) // 3))
    said, _ = verdict(tree)
    assert said["state"] == "degraded" and said["finding"] == "nvlink-count"
    assert [row["state"] for row in said["depends"]] == ["degraded", "degraded"]
    assert "The input does not show whether NVLink joins the hosts" in said["sentence"]


def test_a_management_nic_under_workstation_gpus(verdict):
    """RTX A6000, which no machine type of the table has."""
    for mbps, slow in ((1000, True), (10000, False)):
        tree = with_one_nic("g5.48xlarge", "eno1", mbps)
        for gpu in [pci for pci in tree.iter("pci") if pci.find("gpu") is not None]:
            gpu.set("device", "0x2230")
        said, above = verdict(tree)
        assert ("nics-below-generation" in above) == slow
        assert not slow or re.search("gets 0.[0-9]+ of [0-9.]+ GB/s", said["sentence"])


def test_container_bridges_are_not_nics(verdict):
    tree = with_one_nic("g5.48xlarge", "eno1", 1000)
    net = tree.find(".//net")
    for number, name in enumerate(("docker0", "veth1a2b3c4", "br-0123456789ab"), 1):
        copy = ET.SubElement(tree.find(".//nic"), "net", net.attrib)
        copy.attrib.update(name=name, dev=str(number), speed="10000", guid=hex(number))
    said, above = verdict(tree)
    assert said["state"] == "cannot tell" and said["finding"] == "virtual-nics"
    assert "the fastest real NIC has 1 Gb/s" in said["sentence"] and "do not hold" in said["sentence"]
    assert "virtual-nics" not in verdict(tree, hosts=1)[1]
    for copy in tree.iter("net"):
        copy.set("name", {"docker0": "eno2", "veth1a2b3c4": "eno3"}.get(copy.get("name"), copy.get("name")))
        if copy.get("name") == "br-0123456789ab":
            copy.set("speed", "100")  # there, but NCCL leaves it out
    assert "virtual-nics" not in verdict(tree)[1]
