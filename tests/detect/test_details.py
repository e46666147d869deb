# SPDX-License-Identifier: Apache-2.0
"""Details of detection that the twin (twin.py) found read in two ways, each by itself."""
import shutil
import xml.etree.ElementTree as ET

import pytest

from conftest import DOUBLES, detect, run
from test_checks import nets, pci


def test_a_function_without_numa_node_hangs_on_a_cpu_with_an_empty_one(make):
    machine = make("tree-b")
    (machine.root / "sys/devices/pci0000:95/0000:95:01.0/0000:96:00.0/numa_node").unlink()
    xml, notes = detect(machine)
    assert [cpu.get("numaid") for cpu in ET.fromstring(xml)] == ["0", ""] and "[no-numa]" in notes
    assert "affinity" not in ET.fromstring(xml)[1].attrib
    assert run("analyze", "--release", "2.27.7", stdin=xml.encode())[0] == 0


@pytest.mark.parametrize(
    "rate, old, new",
    [
        ("100 Gb/sec (2X HDR)", "600000", "100000"),
        ("400 Gb/sec (4X NDR)", "200000", "400000"),
        ("40 Gb/sec (4X FDR10)", "40000", "40000"),
        ("200 Gb/sec (2X NDR)", "600000", "200000"),
        ("100 Gb/sec (4X EDR)", "100000", "100000"),
        ("2.5 Gb/sec (1X SDR)", "2500", "2500"),
    ],
)
def test_tables_of_lanes_ended_earlier_in_2_12(make, rate, old, new):
    machine = make("tree-a")
    machine.write("/sys/class/infiniband/mlx5_0/ports/1/rate", rate + "\n")
    assert nets(detect(machine, release="2.12.12")[0])["mlx5_0"]["speed"] == old
    assert nets(detect(machine, release="2.21.5")[0])["mlx5_0"]["speed"] == new


def card(machine, slot, name, vendor="0x15b3"):
    folder = machine.function(
        f"pci0000:60/0000:60:{slot:02x}.0/0000:{0x61 + slot:02x}:00.0",
        "0x020700",
        vendor,
        "0x101b",
        "0x15b3",
        "0x0007",
        "16.0 GT/s PCIe",
        16,
    )
    machine.rdma(folder, name, f"0c42:a103:00ac:{slot:04x}")
    return folder


def test_max_qp_is_that_of_mlx5_however_it_is_called(make):
    machine = make("tree-a")
    for slot, (name, vendor) in enumerate((("mlx4_0", "0x15b3"), ("rocep1s0", "0x15b3"), ("bnxt_re0", "0x14e4"))):
        card(machine, slot, name, vendor)
    found = nets(detect(machine, release="2.30.7")[0])
    assert {name: net["maxconn"] for name, net in found.items()} == {
        "mlx5_0": "131072",
        "mlx4_0": "65536",
        "rocep1s0": "131072",
        "bnxt_re0": "65536",
    }
    assert [name for name, net in found.items() if "gin" in net] == ["mlx5_0", "rocep1s0"]


def test_what_libraries_tell_nccl_loses_no_last_byte(make):
    machine = make("tree-a")
    before, _ = detect(machine)
    for path in ("ports/1/state", "ports/1/link_layer", "ports/1/rate", "sys_image_guid"):
        file = machine.root / "sys/class/infiniband/mlx5_0" / path
        file.write_text(file.read_text().rstrip("\n"))
    assert detect(machine)[0] == before
    machine.interface(None, "eth0")
    machine.write("/sys/class/net/eth0/speed", "25000")
    assert nets(detect(machine, "--set", "NCCL_IB_DISABLE=1")[0])["eth0"]["speed"] == "25000"


def test_interfaces_of_a_copy_stand_in_the_order_of_the_kernel(make):
    machine = make("tree-a")
    for name, index in (("eth10", 3), ("eth2", 4), ("enp1", 2)):
        machine.interface(None, name, 1000)
        machine.write(f"/sys/class/net/{name}/ifindex", f"{index}\n")
    xml, _ = detect(machine, "--set", "NCCL_IB_DISABLE=1")
    assert list(nets(xml)) == ["enp1", "eth10", "eth2"]


def test_a_copy_whose_interfaces_are_down_keeps_its_rdma_devices(make):
    machine = make("tree-a")
    machine.interface(None, "eth0", 1000, state="down")
    assert list(nets(detect(machine)[0])) == ["mlx5_0"]
    assert not nets(detect(machine, "--set", "NCCL_SOCKET_IFNAME=eth0")[0])


def test_newest_release_takes_the_first_32_by_bus_id(make):
    machine = make("tree-a")
    for slot in range(33):
        card(machine, slot, f"mlx5_{40 - slot}")
    found = nets(detect(machine, release="2.30.7")[0])
    # 0000:45:00.0 is the first of all; the last two slots are left out, whatever their names.
    assert len(found) == 32 and found["mlx5_0"]["dev"] == "0" and "mlx5_9" not in found and "mlx5_8" not in found
    assert found["mlx5_40"]["dev"] == "1"
    found = nets(detect(machine, release="2.27.7")[0])
    assert len(found) == 32 and "mlx5_40" not in found and "mlx5_8" in found


def test_rails_and_planes_of_the_newest_release(make):
    machine = make("tree-b")
    setting = ("--set", "NCCL_IB_HCA=mlx5_0:1:3:1,mlx5_1:1:2,mlx5_2:1:2")
    xml, _ = detect(machine, *setting, release="2.30.7")
    assert ' port="1" rail="3" plane="1" guid=' in xml and xml.count(' rail="2" guid=') == 2
    assert "rail" not in detect(machine, *setting, release="2.28.9")[0]
    running = ("--running", "--set", "NCCL_NET_MERGE_POLICY=RAIL")
    assert 'name="mlx5_1+mlx5_2"' in detect(machine, *setting, *running, release="2.30.7")[0]
    assert "+" not in detect(machine, *running, release="2.30.7")[0]
    assert 'name="mlx5_1+mlx5_2"' in detect(machine, *running, release="2.27.7")[0]


@pytest.mark.parametrize("release, target", [("2.27.7", ""), ("2.30.7", "fffffff:ffff:ff")])
def test_far_ends_without_a_name(make, release, target):
    machine = make("tree-a")
    machine.gpus[0] = machine.gpus[0].replace("up 0000:44:00.0", "up -", 2).replace("up 0000:44:00.0", "up", 1)
    link, other = pci(detect(machine, release=release)[0], "0000:43:00.0").findall("gpu/nvlink")
    assert link.attrib == {"target": target, "count": "2", "tclass": "0x068000"} and other.get("count") == "1"


def test_a_library_that_finds_gpus_but_tells_no_bus_ids(make):
    machine = make("tree-b")
    machine.gpus.insert(0, "hide nvmlDeviceGetPciInfo_v3")
    xml, _ = detect(machine)
    machine.gpus.pop(0)
    assert xml == detect(machine)[0] and xml.count("<gpu ") == 4


def beside(machine, **environment):
    return run(
        "detect",
        "--root",
        machine.root,
        "--release",
        "2.27.7",
        environment={"ORR_FAKE_NVML": machine.nvml(), "LD_LIBRARY_PATH": f"/nowhere:{DOUBLES}", **environment},
    )


def test_a_library_beside_a_copy_counts_if_its_gpus_are_the_copys(make, tmp_path):
    machine = make("tree-b")
    status, out, err = beside(machine)
    assert status == 0 and out.decode() == detect(machine)[0] and "[nvml-beside-copy]" in err
    shutil.rmtree(machine.root / "sys/bus/pci/devices")  # which NCCL does not look at
    assert beside(machine)[1] == out
    machine.gpus = [text.replace("gpu 0000:", "gpu 00aa:") for text in machine.gpus]
    status, out, err = beside(machine)
    assert status == 0 and b"nvlink" not in out and "lists other GPUs than the copy has" in err
    status, out, err = beside(machine, LD_LIBRARY_PATH="")
    assert status == 0 and b"nvlink" not in out and "[no-nvml]" in err


def test_nccl_hostid_counts_more_than_a_gathered_hash(make):
    xml, _ = detect(make("tree-a"), "--set", "NCCL_HOSTID=node01")
    assert 'host_hash="0x32bc6a371802aeae"' in xml


def test_the_usual_topology_file_is_not_looked_for_in_2_7(make):
    machine = make("tree-a")
    machine.write(
        "/var/run/nvidia-topologyd/virtualTopology.xml", '<system version="1"><cpu numaid="9" arch="arm64"/></system>'
    )
    assert 'numaid="9"' not in detect(machine, release="2.7.8")[0]
    assert "[topology-file]" not in detect(machine, release="2.7.8")[1] and "[topology-file]" in detect(machine)[1]


def test_a_topology_file_beside_the_copy(make, tmp_path):
    machine = make("tree-a")
    file = tmp_path / "mine.xml"
    file.write_text('<system version="1"><cpu numaid="0" affinity="7" arch="arm64"/></system>')
    cpu = ET.fromstring(detect(machine, "--set", f"NCCL_TOPO_FILE={file}")[0])[0]
    # The vendor is this machine's, whatever architecture the file tells.
    assert list(cpu.attrib.items())[1:] == [
        ("affinity", "7"),
        ("arch", "arm64"),
        ("host_hash", "0x1122334455667788"),
        ("vendor", "AuthenticAMD"),
        ("familyid", "175"),
        ("modelid", "8"),
    ]
    machine.write("/etc/nccl.conf", f"NCCL_TOPO_FILE={file}\n")
    assert 'affinity="7"' not in detect(machine)[0], "what the copy names lies in the copy"


def test_capability_of_a_file_decides_what_is_asked(make):
    machine = make("tree-a")
    machine.gpus[0] += "\n  c2c 3 40000"
    machine.write(
        "/tmp/base.xml",
        """<system version="1"><cpu numaid="0"><pci busid="0000:41:00.0" class="0x060400"><pci busid="0000:43:00.0"
          class="0x03">
      <gpu dev="0" sm="90"/></pci></pci></cpu></system>""",
    )
    assert '<c2c bw="40000" count="3"/>' in detect(machine, "--set", "NCCL_TOPO_FILE=/tmp/base.xml")[0]
    assert "c2c" not in detect(machine)[0]


def test_two_ports_of_one_device_run_as_one(make):
    machine = make("tree-a")
    folder = card(machine, 3, "mlx4_0")
    machine.rdma(folder, "mlx4_1", "0002:c903:0011:2233", "56 Gb/sec (4X FDR)", ports=2)
    (machine.root / "sys/class/infiniband/mlx4_0").unlink()
    found = nets(detect(machine, "--running")[0])
    assert (found["mlx4_1+mlx4_1"]["speed"], found["mlx4_1+mlx4_1"]["dev"]) == ("112000", "3")


def test_a_forced_group_of_one_stays_as_it_is(make):
    machine = make("tree-b")
    xml, notes = detect(machine, "--running", "--set", "NCCL_NET_FORCE_MERGE=mlx5_1")
    assert list(nets(xml)) == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"] and "[nics-not-merged]" not in notes


def test_a_gpu_that_a_file_takes_out(make):
    machine = make("tree-a")
    machine.write(
        "/tmp/base.xml",
        """<system version="1"><cpu numaid="0"><pci busid="0000:41:00.0" class="0x060400"><pci busid="0000:43:00.0"
          class="0x03">
      <gpu dev="-1" sm="86"/></pci></pci></cpu></system>""",
    )
    xml, _ = detect(machine, "--set", "NCCL_TOPO_FILE=/tmp/base.xml")
    assert [gpu.attrib["rank"] for gpu in ET.fromstring(xml).iter("gpu")] == [
        "1"
    ] and '<pci busid="0000:43:00.0"' not in xml
