# SPDX-License-Identifier: Apache-2.0
"""The table of machine types against the real machines of ../shared: GPUs, compute capability, NVLinks, NIC ports,
their speed and GPUDirect RDMA, CPU. Values that a row leaves open (`unsure`) are not compared. Skipped where ../shared
is missing."""
import collections
import json
import xml.etree.ElementTree as XML

import pytest

from conftest import SHARED
from test_command_line import run

TOPOLOGIES = SHARED / "topologies"
pytestmark = pytest.mark.skipif(
    not TOPOLOGIES.is_dir(), reason="machine types beside real machines, because ../shared is not beside this checkout"
)

DUMPS = [  # (type, file, what the dump itself lacks or has edited)
    ("dgx-1", "real/blinkplus-topology.xml", {"nets", "gdr", "speed"}),  # a server of that shape with other NICs
    ("dgx-a100", "real/infragraph-dgx_a100_nccl_topo.xml", {"nets"}),  # storage ports too
    ("hgx-h800", "real/yccl-topo-h800.xml", set()),
    ("hgx-b200", "real/vastai-hgx-b200-8x.xml", {"nets", "speed", "gdr"}),  # a container without RDMA
    ("gb300-tray", "real/gb300-1tray-healthy.xml", {"nets", "speed"}),  # its ConnectX-8 are not in it
    ("dgx-spark", "real/gb10-dgx-spark-handtrimmed.xml", set()),
    (
        "p5.48xlarge",
        "real/aws-p5.48xl-h100-2026.xml",
        {"cpu", "nvlinks"},
    ),  # a provider's file with GPUs; its CPU is no 7R13
    ("Standard_NC96ads_A100_v4", "real/azure-ncv4-a100-pcie.xml", set()),
    ("Standard_NC48ads_A100_v4", "real/azure-nc48v4-a100.xml", set()),
    ("BM.GPU4.8", "real/oci-BM.GPU4.8-a100.xml", set()),
    ("BM.GPU.A100-v2.8", "real/oci-BM.GPU.A100-v2.8.xml", set()),
    ("BM.GPU.H100.8", "real/oci-BM.GPU.H100.8-v0.xml", set()),
    ("gx3d-160x1792x8h100", "real/ibmcloud-gx3d-8xh100-vsi.xml", set()),
    ("perlmutter", "real/perlmutter-a100-nid001056.xml", set()),
    (
        "p4d.24xlarge",
        "provider/aws-p4d-24xl-a100.xml",
        {"sm", "nvlinks", "nets", "speed", "gdr"},
    ),  # files without devices
    ("p5en.48xlarge", "provider/aws-p5en-48xl-uccl-h200.xml", {"sm", "nvlinks", "nets", "speed", "gdr"}),
    ("Standard_ND40rs_v2", "provider/azure-ndv2-v100.xml", {"sm", "nvlinks", "nets", "speed", "gdr"}),
    ("Standard_ND96isr_H100_v5", "provider/azure-ndv5-h100.xml", {"sm", "nvlinks", "nets", "speed", "gdr"}),
    ("hgx-b300", "provider/crusoe-b300-sxm-ib.xml", {"sm", "nvlinks", "nets", "speed", "gdr"}),
]


def places(root, kind):
    return sum(1 for pci in root.iter("pci") if (pci.get("class") or "").startswith(kind) and pci.find("pci") is None)


def facts(root):
    """A dump's values for the columns of the table; if devices differ, the count of the most frequent value."""
    gpus, nets, cpu = list(root.iter("gpu")), list(root.iter("net")), next(root.iter("cpu"))
    most = lambda values: collections.Counter(values).most_common(1)[0][0] if values else None
    vendor = cpu.get("vendor")
    return {
        "gpus": len(gpus) or places(root, "0x03"),
        "sm": most([int(gpu.get("sm")) for gpu in gpus]),
        "nvlinks": most([sum(int(link.get("count")) for link in gpu.iter("nvlink")) for gpu in gpus]),
        "nets": len({net.get("name") for net in nets}),
        "speed": most([int(net.get("speed")) // 1000 for net in nets]),
        "gdr": most([net.get("gdr") == "1" for net in nets]),
        "cpu": f"{vendor} {cpu.get('familyid')}/{cpu.get('modelid')}" if vendor else None,
    }


@pytest.fixture(scope="module")
def types():
    status, out, err = run("machines", "--json")
    assert status == 0, err
    return {row["name"]: row for row in json.loads(out)["machines"]}


@pytest.mark.parametrize("name, file, lacks", DUMPS, ids=[name for name, _, _ in DUMPS])
def test_a_type_is_what_the_machine_is(types, name, file, lacks):
    row = dict(types[name], speed=types[name]["net_gbps"])
    found = facts(XML.parse(TOPOLOGIES / file).getroot())
    if row["unsure"] and "CPU" in row["unsure"]:
        lacks = lacks | {"cpu", "nets", "speed", "gdr"}  # the maker's choice
    wrong = {key: (row[key], value) for key, value in found.items() if key not in lacks and row[key] != value}
    assert not wrong, f"{name}: (table, {file}): {wrong}"
    assert row["source"], f"{name} has a machine in ../shared, so it has a source"


def test_each_type_says_what_it_rests_on(types):
    assert len(types) >= 52
    for row in types.values():
        assert (
            row["source"] or row["unsure"]
        ), f"{row['name']} says neither where its facts come from nor what is not certain"
