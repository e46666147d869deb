# SPDX-License-Identifier: Apache-2.0
"""What is written for the fake machines, by release; and what the analysis makes of it."""
import json
import os
import re

import pytest

from conftest import ROOT, SHARED, detect, run
from fake_machine import MACHINES

EXPECTED = ROOT / "tests" / "detect" / "expected"
CASES = (
    [(name, "2.30.7") for name in MACHINES]
    + [("tree-b", release) for release in ("2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.28.9")]
    + [("tree-a", "2.27.7"), ("gb300-tray", "2.21.5"), ("hgx-h100", "2.12.12"), ("dgx1-v100", "2.7.8")]
)


@pytest.mark.parametrize("name, release", CASES)
def test_document_is_the_expected_one(make, name, release):
    xml, _ = detect(make(name), release=release)
    path = EXPECTED / f"{name}-{release}.xml"
    if os.environ.get("ORR_UPDATE_GOLDEN"):
        EXPECTED.mkdir(exist_ok=True)
        path.write_text(xml)
    assert xml == path.read_text()


def listings():
    """The XML documents of the worked examples in ../shared/spec/08, in order."""
    text = (SHARED / "spec" / "08-detection.md").read_text()
    blocks = re.findall(r"```xml\n(.*?)```", text, re.S)
    return [re.sub(r"^   ", "", block, flags=re.M) if block.startswith("   ") else block for block in blocks]


@pytest.mark.skipif(
    not SHARED.exists(), reason="the worked examples of ../shared/spec, because it is not beside this checkout"
)
def test_worked_examples_are_byte_identical(make):
    tree_a, tree_b, vm = listings()[:3]
    assert detect(make("tree-a"))[0] == tree_a
    assert detect(make("tree-b"))[0] == tree_b
    assert detect(make("vm-one-bus"))[0] == vm.rstrip() + "\n"


@pytest.mark.parametrize("release", ["2.27.7", "2.30.7"])
@pytest.mark.parametrize(
    "name, gpus, nvls, types",
    [
        ("dgx1-v100", 8, False, {"NVL", "NVB"}),
        ("hgx-h100", 8, True, {"NVL"}),
        ("gb300-tray", 4, True, {"NVL"}),
        ("tree-a", 2, False, {"NVL"}),
    ],
)
def test_the_analysis_understands_the_document(make, release, name, gpus, nvls, types):
    xml, _ = detect(make(name), release=release)
    status, out, err = run("analyze", "--release", release, "--strict", stdin=xml.encode())
    assert status == 0, err
    document = json.loads(out)
    assert (document["ranks"], document["summary"]["nvls"]) == (gpus, nvls)
    assert set(document["summary"]["gpu_path_types"]) - {"LOC"} == types
    assert not [finding for finding in document["findings"] if finding["severity"] == "error"]


def test_what_differs_between_releases(make):
    machine = make("gb300-tray")
    new, middle, old = (detect(machine, release=release)[0] for release in ("2.30.7", "2.21.5", "2.12.12"))
    assert 'mlopart="-1"' in new and "mlopart" not in middle
    assert 'vendor="0x10de" device="0x31c2"' in new and 'link_speed="64.0 GT/s PCIe" link_width="16"' in new
    assert "<c2c " in middle and "<c2c " not in old
    assert 'count="18"' in middle and 'count="12"' in old
    assert "host_hash" not in old and 'latency="0.000000"' in old and 'latency="0"' in new
    # 2.12.12 knows no lane faster than HDR's.
    assert 'speed="200000"' in old and 'speed="800000"' in new
    # GPUs come before NICs if all are detected in one document, after those of rank 0 if documents are fused.
    assert old.index("0010:01:00.0") < old.index("0003:03:00.0")
    assert new.index("0003:03:00.0") < new.index("0010:01:00.0")


def test_a_fabric_is_told_as_a_cluster_file_takes_it(make):
    told = detect(make("gb300-tray"))[1]
    assert '{"uuid": "9f0c6a1e2b3d4455a6b7c8d9e0f10203", "clique": 1, "state": "completed"}' in told
    assert "uuid" not in detect(make("hgx-h100"))[1]


def test_link_of_an_idle_gpu(make):
    machine = make("tree-a")
    machine.gpus = [text.replace("pcie 4 16 4", "pcie 1 16 4") for text in machine.gpus]
    xml, notes = detect(machine, release="2.30.7")
    assert xml.count('link_speed="2.5 GT/s PCIe"') == 2 and "[idle-gpu-link]" in notes
    assert "2.5 GT/s" not in detect(machine, release="2.27.7")[0]


def test_dual_port_card_is_one_device_in_the_plugin_of_2_21(make):
    machine = make("tree-b")
    xml, notes = detect(machine, release="2.21.5")
    assert 'name="mlx5_1+mlx5_2" dev="1" speed="200000" port="1"' in xml and "two-ports-one-device" in notes
    xml, _ = detect(machine, "--set", "NCCL_IB_MERGE_NICS=0", release="2.21.5")
    assert 'name="mlx5_2" dev="2" speed="100000" port="2"' in xml
