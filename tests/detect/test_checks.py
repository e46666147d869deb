# SPDX-License-Identifier: Apache-2.0
"""Checks of the rules in docs/nccl/detection.md, and what stands around them."""
import re
import xml.etree.ElementTree as ET

import pytest

import fake_machine
from conftest import detect


def nets(xml):
    """{name: attributes} of all <net>."""
    return {net.get("name"): net.attrib for net in ET.fromstring(xml).iter("net")}


def pci(xml, bus_id):
    return next(element for element in ET.fromstring(xml).iter("pci") if element.get("busid") == bus_id)


def test_the_last_byte_of_a_file_goes_whatever_it_is(make):
    machine = make("tree-a")
    before, _ = detect(machine)
    folder = "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:08.0/0000:43:00.0"
    machine.write(f"{folder}/class", "0x030000")
    after, _ = detect(machine)
    changed = [(a, b) for a, b in zip(before.splitlines(), after.splitlines()) if a != b]
    assert len(changed) == 2
    assert 'busid="0000:43:00.0" class="0x03000"' in changed[0][1]
    assert 'target="0000:43:00.0" count="4" tclass="0x03000"' in changed[1][1]


def test_gpu_that_sys_does_not_show(make):
    machine = make("tree-b")
    machine.gpus[1] = machine.gpus[1].replace("0000:19:00.0", "0000:e9:00.0")
    xml, notes = detect(machine)
    cpus = ET.fromstring(xml).findall("cpu")
    assert [cpu.get("numaid") for cpu in cpus] == ["0", "1", "-1"]
    assert list(cpus[2].attrib) == ["host_hash", "numaid", "arch", "vendor", "familyid", "modelid"]
    assert '<pci busid="0000:e9:00.0" class="0x03" link_speed="" link_width="">' in xml
    assert "[gpu-not-in-sys]" in notes


def test_interface_without_a_device_is_on_every_socket(make, tmp_path):
    machine = fake_machine.tree_b(tmp_path / "sockets", infiniband=False)
    machine.interface(None, "eth0")
    xml, notes = detect(machine)
    wanted = (
        '    <nic>\n      <net name="eth0" dev="0" latency="0" speed="10000" port="0" guid="0x0" maxconn="65536" '
        'gdr="0"/>\n    </nic>\n  </cpu>\n'
    )
    assert xml.count(wanted) == 2 and "[nic-not-pci]" in notes and "[interfaces-assumed]" in notes


def test_virtual_function_without_the_card(make):
    machine = make("tree-b")
    folder = machine.function(
        "pci0000:29/0000:29:02.0/0000:2b:02.5", "0x020700", "0x15b3", "0x101e", "0x15b3", "0x0023", "32.0 GT/s PCIe", 16
    )
    machine.rdma(folder, "mlx5_9", "1111:2222:3333:4444")
    xml, notes = detect(machine)
    assert xml.count('<net name="mlx5_9" dev="4"') == 2 and "[nic-without-function-0]" in notes
    xml, _ = detect(machine, "--set", "NCCL_IB_MERGE_VFS=0")
    # The function digit still becomes 0, which is missing either.
    assert xml.count('<net name="mlx5_9" dev="4"') == 2


FILE = """<system version="1">
  <cpu numaid="0" affinity="0000000f" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:41:00.0" class="0x060400" link_speed="16 GT/s" link_width="16">
      <pci busid="0000:43:00.0" class="0x03" link_speed="16 GT/s" link_width="16">
        <gpu dev="7" sm="80" rank="5" gdr="0"/>
      </pci>
      <pci busid="0000:99:00.0" class="0x03" link_speed="16 GT/s" link_width="16">
        <gpu dev="6" sm="80" rank="6" gdr="0"/>
      </pci>
      <pci busid="0000:aa:00.0" class="0x02" link_speed="" link_width="">
        <nic>
          <net name="mlx5_0" speed="777"/>
          <net name="mlx5_1" speed="777"/>
        </nic>
      </pci>
    </pci>
  </cpu>
</system>
"""


@pytest.mark.parametrize(
    "path, options",
    [
        ("/tmp/base.xml", ("--set", "NCCL_TOPO_FILE=/tmp/base.xml")),
        ("/var/run/nvidia-topologyd/virtualTopology.xml", ()),
    ],
)
def test_completing_a_topology_file(make, path, options):
    machine = make("tree-a")
    machine.write(path, FILE)
    xml, notes = detect(machine, *options)
    assert (
        xml
        == """<system version="1">
  <cpu numaid="0" affinity="0000000f" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85" \
host_hash="0x1122334455667788">
    <pci busid="0000:41:00.0" class="0x060400" link_speed="16 GT/s" link_width="16" vendor="0x10b5" device="0x8796" \
subsystem_vendor="0x10b5" subsystem_device="0x8796">
      <pci busid="0000:43:00.0" class="0x030000" link_speed="16 GT/s" link_width="16" vendor="0x10de" \
device="0x2230" subsystem_vendor="0x10de" subsystem_device="0x1459">
        <gpu dev="7" sm="80" rank="0" gdr="0">
          <nvlink target="0000:44:00.0" count="4" tclass="0x030000"/>
        </gpu>
      </pci>
      <pci busid="0000:aa:00.0" class="0x02" link_speed="" link_width="">
        <nic>
          <net name="mlx5_0" speed="777" dev="0" latency="0" port="1" guid="0x10cdab0003a1420c" maxconn="131072" \
gdr="1"/>
        </nic>
      </pci>
      <pci busid="0000:44:00.0" class="0x030000" vendor="0x10de" device="0x2230" subsystem_vendor="0x10de" \
subsystem_device="0x1459" link_speed="8.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="86" rank="1" gdr="1">
          <nvlink target="0000:43:00.0" count="4" tclass="0x030000"/>
        </gpu>
      </pci>
    </pci>
  </cpu>
</system>
"""
    )
    assert "[topology-file]" in notes


def test_topology_files_that_cannot_be_used(make):
    machine = make("tree-a")
    plain, _ = detect(machine)
    for content in (None, "no XML", '<system version="1"><cpu', FILE[:-20]):
        if content:
            machine.write("/tmp/base.xml", content)
        xml, notes = detect(machine, "--set", "NCCL_TOPO_FILE=/tmp/base.xml")
        assert xml == plain and "[no-topology-file]" in notes


def ndr_pair(make):
    """Tree B with a second NDR NIC beside the first."""
    machine = make("tree-b")
    up = "pci0000:15/0000:15:01.0/0000:16:00.0"
    machine.function(f"{up}/0000:17:03.0", "0x060400", "0x1000", "0xc030", "0x1000", "0x100b", "32.0 GT/s PCIe", 16)
    folder = machine.function(
        f"{up}/0000:17:03.0/0000:1b:00.0", "0x020700", "0x15b3", "0x1021", "0x15b3", "0x0023", "32.0 GT/s PCIe", 16
    )
    machine.rdma(folder, "mlx5_9", "58a2:e103:00a7:9999")
    return machine


def test_merging_ports_of_one_card(make):
    machine = make("tree-b")
    xml, _ = detect(machine, "--running")
    found = nets(xml)
    assert sorted(found) == ["mlx5_0", "mlx5_1+mlx5_2", "mlx5_3"]
    assert list(found["mlx5_1+mlx5_2"].items())[1:5] == [
        ("dev", "4"),
        ("latency", "0"),
        ("speed", "200000"),
        ("port", "1"),
    ]
    assert pci(xml, "0000:2a:00.0").find("nic/net").get("name") == "mlx5_1+mlx5_2"
    for setting in ("NCCL_NET_MERGE_LEVEL=LOC", "NCCL_NET_MERGE_LEVEL=nonsense", "NCCL_IB_MERGE_NICS=0"):
        assert len(nets(detect(machine, "--running", "--set", setting)[0])) == 4, setting
    assert len(nets(detect(machine)[0])) == 4


def test_merging_farther_devices(make):
    machine = ndr_pair(make)
    for function in (0, 1):  # the plugin merges only devices of one link layer
        machine.write(
            f"/sys/devices/pci0000:29/0000:29:01.0/0000:2a:00.{function}/infiniband/mlx5_{function + 1}/ports/1/"
            "link_layer",
            "InfiniBand\n",
        )
    xml, _ = detect(machine, "--running", "--set", "NCCL_NET_MERGE_LEVEL=PIX")
    found = nets(xml)
    # Names are numbered here: mlx5_9 comes last, where a real list may have it second.
    assert (found["mlx5_0+mlx5_9"]["dev"], found["mlx5_0+mlx5_9"]["speed"]) == ("5", "800000")
    assert found["mlx5_1+mlx5_2"]["dev"] == "6"
    assert pci(xml, "0000:1a:00.1").find("nic/net").get("name") == "mlx5_0+mlx5_9"
    assert not re.search('busid="0000:1[ab]:00.0"', xml)
    xml, _ = detect(machine, "--running", "--set", "NCCL_NET_MERGE_LEVEL=PHB")
    found = nets(xml)
    whole = found["mlx5_0+mlx5_1+mlx5_2+mlx5_9"]
    assert (whole["dev"], whole["speed"]) == ("5", "1000000")
    cpu = ET.fromstring(xml).find("cpu[@numaid='0']/nic/net")
    assert cpu.get("name") == "mlx5_0+mlx5_1+mlx5_2+mlx5_9"
    # From 2.30 on it has a <pci> as wide as its branches: the switch of two devices, and the card with two ports.
    xml, _ = detect(machine, "--running", "--set", "NCCL_NET_MERGE_LEVEL=PHB", release="2.30.7")
    made = pci(xml, "0000:1a:00.1")
    assert (made.get("link_width"), made.find("nic/net").get("name")) == ("32", "mlx5_0+mlx5_9+mlx5_1+mlx5_2")


def test_merging_by_name(make):
    machine = ndr_pair(make)
    setting = "NCCL_NET_FORCE_MERGE=mlx5_0,mlx5_3;mlx5_1:1,mlx5_2"
    xml, _ = detect(machine, "--running", "--set", setting)
    assert sorted(nets(xml)) == ["mlx5_0+mlx5_3", "mlx5_1+mlx5_2", "mlx5_9"]
    # What spans the sockets stands where the graph does not look; later NCCL refuses it.
    assert ET.fromstring(xml).find("nic/net").get("name") == "mlx5_0+mlx5_3"
    xml, notes = detect(machine, "--running", "--set", setting, release="2.30.7")
    assert "mlx5_0+mlx5_3" not in nets(xml) and "[nics-not-merged]" in notes
    xml, notes = detect(machine, "--running", "--set", "NCCL_NET_FORCE_MERGE=mlx5_0,none")
    assert "[nics-not-merged]" in notes


def test_merging_needs_one_kind_of_link(make):
    machine = make("tree-b")
    machine.write(
        "/sys/devices/pci0000:29/0000:29:01.0/0000:2a:00.1/infiniband/mlx5_2/ports/1/link_layer", "InfiniBand\n"
    )
    assert len(nets(detect(machine, "--running")[0])) == 4


def test_two_ports_of_one_device_are_one_element(make):
    machine = make("tree-a")
    folder = machine.function(
        "pci0000:40/0000:40:02.0/0000:50:00.0", "0x020700", "0x15b3", "0x1007", "0x15b3", "0x0006", "8.0 GT/s PCIe", 8
    )
    machine.rdma(folder, "mlx4_0", "0002:c903:0011:2233", "56 Gb/sec (4X FDR)", ports=2)
    machine.write("/sys/class/infiniband/mlx4_0/ports/2/rate", "40 Gb/sec (4X QDR)\n")
    found = nets(detect(machine)[0])["mlx4_0"]
    assert (found["dev"], found["speed"], found["port"]) == ("1", "56000", "1")


def many_devices(make):
    machine = make("tree-a")
    for i in range(1, 12):
        folder = machine.function(
            f"pci0000:c0/0000:c0:{i:02x}.0/0000:{0xc0 + i:02x}:00.0",
            "0x020700",
            "0x15b3",
            "0x101b",
            "0x15b3",
            "0x0007",
            "16.0 GT/s PCIe",
            16,
        )
        machine.rdma(folder, f"mlx5_{i}", f"0c42:a103:00ab:{i:04x}", "200 Gb/sec (4X HDR)")
    return machine


@pytest.mark.parametrize(
    "filter, kept",
    [
        ("mlx5_1", [1, 10, 11]),
        ("=mlx5_1", [1]),
        ("^=mlx5_1", [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        ("mlx5_2:2", []),
        ("mlx5_2:1,=x", [2]),
        ("", list(range(12))),
    ],
)
def test_choosing_devices(make, filter, kept):
    found = nets(detect(many_devices(make), "--set", f"NCCL_IB_HCA={filter}")[0])
    assert sorted(found, key=lambda name: int(name[5:])) == [f"mlx5_{i}" for i in kept]


def test_excluding_everything_leaves_the_sockets(make):
    machine = many_devices(make)
    machine.interface(None, "eth0", 25000)
    found = nets(detect(machine, "--set", "NCCL_IB_HCA=^")[0])
    assert list(found) == ["eth0"] and found["eth0"]["speed"] == "25000"


@pytest.mark.parametrize(
    "setting, kept", [(None, ["ib0"]), ("^ib,lo,docker", ["eth0"]), ("lo", ["lo"]), ("=eth", []), ("eth,=x", ["eth0"])]
)
def test_choosing_interfaces(make, setting, kept):
    machine = make("tree-a")
    for name in ("lo", "docker0", "eth0", "ib0"):
        machine.interface(None, name, 1000)
    options = ["--set", "NCCL_IB_DISABLE=1"] + (["--set", f"NCCL_SOCKET_IFNAME={setting}"] if setting else [])
    xml, notes = detect(machine, *options)
    assert list(nets(xml)) == kept
    assert ("[no-interface]" in notes) == (not kept)


def test_interfaces_must_run_since_2_28(make):
    machine = make("tree-a")
    machine.write("/orrery/facts", "interface eth0 inet idle\ninterface virbr0 inet running\n")
    options = ("--set", "NCCL_IB_DISABLE=1")
    assert list(nets(detect(machine, *options, release="2.27.7")[0])) == ["eth0", "virbr0"]
    assert list(nets(detect(machine, *options, release="2.28.9")[0])) == ["virbr0"]


def test_peers_of_broadcom_switches(make):
    machine = make("tree-b")
    folder = "/sys/kernel/pci_switch_link/virtual_switch_links/0000:16:00.0"
    for name in ("0000:96:00.0", "0000:ee:00.0", "readme"):
        machine.write(f"{folder}/{name}", "1\n")
    xml, _ = detect(machine)
    assert [link.get("target") for link in pci(xml, "0000:16:00.0").findall("pcilink")] == ["0000:96:00.0"]
    assert "pcilink" not in detect(machine, release="2.21.5")[0]


@pytest.mark.parametrize(
    "path, kept",
    [
        ("/sys/module/nvidia_peermem/version", {"2.27.7", "2.30.7"}),
        ("/sys/kernel/mm/memory_peers/nv_mem/version", {"2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.30.7"}),
        ("/sys/kernel/mm/memory_peers/nvidia-peermem/version", {"2.12.12"}),
    ],
)
def test_which_module_counts_for_peer_memory(make, path, kept):
    machine = make("tree-a")
    (machine.root / "sys/module/nvidia_peermem/version").unlink()
    machine.write(path, "1\n")
    for release in ("2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.30.7"):
        xml, notes = detect(machine, release=release)
        assert (nets(xml)["mlx5_0"]["gdr"] == "1") == (release in kept), release
        assert ("[no-peer-memory]" in notes) == (release not in kept)


def test_dma_buf_takes_the_place_of_the_module(make):
    machine = make("tree-a")
    (machine.root / "sys/module/nvidia_peermem/version").unlink()
    facts = "nvml 570.1\ncuda 12080\n" + "\n".join(text + "\n  gdr 1 1" for text in machine.gpus) + "\n"
    machine.write("/orrery/facts", facts)
    xml, notes = detect(machine, nvml=False)
    assert nets(xml)["mlx5_0"]["gdr"] == "1" and "[dma-buf-assumed]" in notes
    assert nets(detect(machine, "--set", "NCCL_DMABUF_ENABLE=0", nvml=False)[0])["mlx5_0"]["gdr"] == "0"
    machine.write("/proc/sys/kernel/osrelease", "5.4.0-100-generic\n")
    assert nets(detect(machine, nvml=False)[0])["mlx5_0"]["gdr"] == "0"
    # One GPU can and the other cannot: the NIC stands twice in the fused document.
    machine.write("/proc/sys/kernel/osrelease", "6.1.0\n")
    machine.write("/orrery/facts", facts[: facts.rindex("gdr 1 1")] + "gdr 1 0\n")
    xml, _ = detect(machine, nvml=False)
    assert [net.get("gdr") for net in ET.fromstring(xml).iter("net")] == ["1", "0"]


def test_long_masks_are_cut_as_nccl_cuts_them(make):
    machine = make("tree-a")
    words = ",".join(["00000000"] * 29 + ["ffffffff"])
    machine.numa(0, words)
    xml, notes = detect(machine)
    assert f'affinity="{words[:254]}"' in xml and "[affinity-cut]" in notes


@pytest.mark.parametrize(
    "vendor, family, model, expected",
    [
        ("AuthenticAMD", 23, 49, ("143", "49")),
        ("AuthenticAMD", 25, 1, ("175", "1")),
        ("AuthenticAMD", 25, 17, ("175", "17")),
        ("AuthenticAMD", 26, 2, ("191", "2")),
        ("GenuineIntel", 6, 85, ("6", "85")),
        ("GenuineIntel", 6, 207, ("6", "207")),
        ("  Shanghai  ", 7, 91, ("7", "91")),
    ],
)
def test_processors(make, vendor, family, model, expected):
    machine = make("tree-a")
    machine.host(vendor, family, model)
    cpu = ET.fromstring(detect(machine)[0]).find("cpu")
    assert (cpu.get("vendor"), cpu.get("familyid"), cpu.get("modelid")) == (vendor, *expected)


def test_a_function_behind_an_odd_number_of_bridges(make):
    machine = make("tree-a")
    root = "pci0000:60/0000:60:01.0"
    machine.function(root, "0x060400", "0x1022", "0x1483", "0x1022", "0x1453", "16.0 GT/s PCIe", 16)
    machine.function(f"{root}/0000:61:00.0", "0x060400", "0x10b5", "0x8112", "0x10b5", "0x8112", "2.5 GT/s PCIe", 1)
    folder = machine.function(f"{root}/0000:61:00.0/0000:62:00.0", "0x020000", "0x15b3", "0x101b", "0x15b3", "0x0007")
    machine.rdma(folder, "mlx5_7", "0c42:a103:00ab:0007", "25 Gb/sec (1X EDR)")
    xml, _ = detect(machine)
    assert pci(xml, "0000:60:01.0").find("pci").get("busid") == "0000:62:00.0"


def test_a_wide_domain_ends_the_way_up(make):
    machine = make("tree-a")
    folder = machine.function(
        "pci0000:70/10000:00:01.0/0000:71:00.0",
        "0x020000",
        "0x15b3",
        "0x101b",
        "0x15b3",
        "0x0007",
        "16.0 GT/s PCIe",
        16,
    )
    machine.rdma(folder, "mlx5_7", "0c42:a103:00ab:0007")
    root = ET.fromstring(detect(machine)[0])
    assert any(child.get("busid") == "0000:71:00.0" for child in root.find("cpu"))


def test_settings_of_the_machine_and_typing_mistakes(make):
    machine = make("tree-b")
    machine.write("/etc/nccl.conf", "# here\nNCCL_IB_HCA=mlx5_0\nnonsense\nNCCL_IB_HCA=mlx5_1\n")
    assert list(nets(detect(machine)[0])) == ["mlx5_0"]
    assert list(nets(detect(machine, "--set", "NCCL_IB_HCA=mlx5_3")[0])) == ["mlx5_3"]
    from conftest import run

    status, _, err = run("detect", "--root", machine.root, "--set", "NCCL_IB_HCS=1")
    assert status == 2 and "NCCL_IB_HCA" in err
