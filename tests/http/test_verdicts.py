# SPDX-License-Identifier: Apache-2.0
"""Verdicts are never better than their evidence, and outcomes come before facts: a test for each sentence of the
commands that was wrong or rested on an assumption."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from conftest import ROOT

sys.path.append(str(ROOT / "tests" / "tools"))
import machine_faults  # noqa: E402
import other_forms  # noqa: E402

ORRERY = ROOT / os.environ.get("ORRERY", "build-dev/orrery")
EXAMPLES = ROOT / "static" / "examples"
FAULTY, WHOLE = EXAMPLES / "h100-with-faults.xml", EXAMPLES / "h100-nvswitch.xml"
GPUS = "\t".join(f"GPU{i}" for i in range(8))
NICS = "\t".join(f"NIC{i}" for i in range(8))


def run(*words, status=0, stdin=None):
    slow = ["--timeout", "600"] if words[0] == "gate" else []  # no test depends on how fast this machine is
    done = subprocess.run(
        [str(ORRERY), *map(str, words), *slow], capture_output=True, text=True, check=False, input=stdin, timeout=120
    )
    assert done.returncode == status, (done.returncode, done.stdout[:500], done.stderr)
    return done.stdout


def flat(text):
    return " ".join(text.split())


@pytest.fixture(name="matrix", scope="module")
def make_matrix(tmp_path_factory):
    """nvidia-smi topo -m of 8 Hopper GPUs with a NIC each: it does not show how fast the NICs are."""
    rows = [f"\t{GPUS}\t{NICS}\tCPU Affinity\tNUMA Affinity"]
    for i in range(8):
        links = [" X " if i == k else "NV18" for k in range(8)]
        ways = ["PIX" if i == k else "NODE" if i // 4 == k // 4 else "SYS" for k in range(8)]
        rows.append("\t".join([f"GPU{i}", *links, *ways, "0-47" if i < 4 else "48-95", str(i // 4)]))
    file = tmp_path_factory.mktemp("matrix") / "matrix.txt"
    file.write_text("\n".join(rows) + "\n")
    return file


@pytest.fixture(name="results", scope="module")
def make_results(tmp_path_factory):
    """The output of nccl-tests on two hosts whose NICs run at 100 Gb/s."""
    file = tmp_path_factory.mktemp("results") / "results.txt"
    file.write_text(run("predict", "--machine", "hgx-h100", "--hosts", 2, "--sizes", "1M:8G:4"))
    return file


def test_one_reference_figure_for_all_faults():
    found = json.loads(run("analyze", "--hosts", 2, FAULTY))
    verdict = found["summary"]["verdict"]
    costs = [finding["cost"] for finding in found["findings"] if finding["cost"] and finding["severity"] == "warning"]
    assert {round(cost["all_repaired"]) for cost in costs} == {round(verdict["cost"]["repaired"])} == {455}
    gains = [cost["adds"] for cost in costs if cost["adds"] is not None]
    assert sum(gains) == pytest.approx(verdict["cost"]["repaired"] - verdict["cost"]["now"], rel=1e-6)
    assert "instead of" not in verdict["sentence"] and "342 of 455 GB/s" in verdict["sentence"]
    titles = [finding["title"] for finding in found["findings"]]
    assert len(set(titles)) == len(titles)
    line = run("gate", "--expect", "hgx-h100", FAULTY, status=3)
    assert "342 of 455 GB/s on 2 hosts (25 % less)" in line


def test_remedies_fit_the_device_and_the_extent():
    found = {finding["id"]: finding for finding in json.loads(run("analyze", "--hosts", 2, FAULTY))["findings"]}
    assert "NIC's PCIe link has fewer lanes" in found["slow-link"]["title"]
    assert "under load" not in found["slow-link"]["advice"], "a NIC is not idle"
    assert "nvidia-peermem" not in found["gdr-off"]["advice"], "seven ports prove that the module is loaded"


def test_nics_limit_a_placement_not_nvlinks():
    placed = json.loads(run("place", "--count", 4, "--hosts", 2, "--top", 4, FAULTY))
    for choice in placed["best"]:
        assert choice["hosts"][0]["limited_by"] == "nics", choice


def test_assumed_nics_make_a_question_of_a_verdict(matrix, results):
    said = json.loads(run("check-perf", "--topology", matrix, "--hosts", 2, results, status=4))
    assert said["verdict"] == "cannot judge" and said["depends"]
    assert all(set(row) == {"assuming", "verdict", "busbw", "expected"} for row in said["depends"])
    assert "the NICs run at 400 Gb/s" in {row["assuming"] for row in said["depends"]}
    refuted = {row["assuming"] for row in said["depends"]} & {"the NICs run at 100 Gb/s", "the NICs run at 50 Gb/s"}
    assert not refuted, "such NICs could not give as much"
    shown = said["rows"][said["main"]]["expected"]
    assert shown in {row["expected"] for row in said["depends"]}, "the table and the sentence have one prediction"
    assert any(note.endswith("for the predictions of the table") for note in said["assumed"])
    given = json.loads(run("check-perf", "--machine", "hgx-h100", results))
    assert given["verdict"] == "as expected" and given["depends"] == []


def test_assumed_nics_follow_the_generation(matrix):
    summary = json.loads(run("analyze", matrix))["summary"]
    assert summary["machine"]["net_gbps"] == [400]
    assert summary["verdict"]["state"] == "cannot tell"


def test_a_machine_type_says_what_it_gets():
    said = json.loads(run("analyze", "--machine", "hgx-h100", "--hosts", 2))
    assert said["summary"]["verdict"]["sentence"] == "HGX H100, 8 GPUs: AllReduce gets about 455 GB/s on 2 hosts."
    assert not {"nvlink-target-hidden", "affinity"} & {finding["id"] for finding in said["findings"]}


def test_a_rack_is_one_nvlink_domain():
    said = json.loads(run("analyze", "--machine", "gb200-nvl72"))
    assert said["ranks"] == 72
    sentence = said["summary"]["verdict"]["sentence"]
    assert 890 <= float(re.search(r"about (\d+) GB/s on 72 GPUs", sentence)[1]) <= 930, sentence
    assert sentence.endswith("No traffic leaves NVLink.")
    two = json.loads(run("predict", "--machine", "gb300-nvl72", "--hosts", 2, "--sizes", "1G", "--json"))
    assert two["ranks"] == 144
    assert json.loads(run("analyze", "--machine", "gb200-tray"))["ranks"] == 4


def verdict(*words):
    return json.loads(run("analyze", *words))["summary"]["verdict"]["sentence"]


def predicted(*words):
    return json.loads(run("predict", *words, "--sizes", "1G:1G:2", "--json"))


def test_trays_of_a_type_are_joined_as_in_a_rack(tmp_path):
    """The same as the cluster that says so; the verdict says that it is assumed, and what there is without it."""
    cluster = tmp_path / "rack.json"
    for racks in ((18,), (16,), (18, 18), (18, 2)):
        lines = [{"machine": "gb300-tray", "count": count, "domain": f"r{i}"} for i, count in enumerate(racks)]
        cluster.write_text(json.dumps({"hosts": lines}))
        wanted = predicted("--cluster", cluster)
        got = predicted("--machine", "gb300-tray", "--hosts", sum(racks))
        assert got["rows"][0]["busbw"] == wanted["rows"][0]["busbw"], racks
        assert got["hosts"] == sum(racks) and got["ranks"] == 4 * sum(racks)
        assert any("NVLink joins" in text for text in got["assumed"])
        assert not any("NVLink joins" in text for text in wanted["assumed"]), "the file says so"
    said = verdict("--machine", "gb200-tray", "--hosts", 18)
    assert 890 <= float(re.search(r"about (\d+) GB/s on 18 hosts", said)[1]) <= 930, said
    assert "Assumed: NVLink joins the hosts (72 GPUs in 1 domain); otherwise they get about 189 GB/s" in said
    assert "about 316 GB/s" in verdict("--machine", "gb300-tray", "--hosts", 18), "without NVLink"
    said = verdict("--machine", "gb200-tray", "--hosts", 32, "--domain", 16)
    assert "NVLink joins every 16 hosts (128 GPUs in 2 domains); otherwise" in said
    assert said.endswith("Only traffic between the domains leaves NVLink.")
    cluster.write_text(json.dumps({"hosts": [{"machine": "gb300-tray", "count": 4, "domain": "r"}]}))
    said = verdict("--cluster", cluster)
    assert "on 4 hosts. NVLink joins the hosts (16 GPUs in 1 domain); otherwise they get about 367 GB/s" in said
    said = verdict("--machine", "gb300-tray", "--hosts", 20)
    assert "(80 GPUs in 2 domains, the last with 2 hosts)" in said and "differ" not in said
    assert "# Assumed: NVLink joins the hosts (64 GPUs in 1 domain)" in run(
        "predict", "--machine", "ndv6", "--hosts", 16, "--sizes", "1G:1G:2"
    )
    for alone in (("gb200-tray", 1), ("hgx-b200", 16), ("gb200-nvl72", 2)):
        assert "Assumed: NVLink" not in verdict("--machine", alone[0], "--hosts", alone[1]), alone


def test_trays_that_nvlink_does_not_join(tmp_path):
    apart = verdict("--machine", "gb300-tray", "--hosts", 18, "--domain", 1)
    assert apart == (
        "GB300 NVL72 compute tray: AllReduce gets about 316 GB/s on 18 hosts. Here NVLink does not join the hosts, "
        "because `domain` is 1; in a rack it joins 18."
    )
    said = verdict("--machine", "gb300-tray", "--hosts", 18, "--set", "NCCL_MNNVL_ENABLE=0")
    assert "about 316 GB/s" in said and said.endswith("NVLink does not join the hosts: NCCL_MNNVL_ENABLE is 0.")
    tray = tmp_path / "tray.xml"
    tray.write_text(run("convert", "--machine", "gb300-tray"))
    bandwidths = [predicted("--hosts", 18, *words, tray)["rows"][0]["busbw"] for words in ((), ("--domain", 18))]
    assert bandwidths[0] == pytest.approx(316, rel=0.01), "a dump says nothing about NVLink between hosts"
    assert bandwidths[1] > 800


def test_a_range_of_trays():
    said = run("show", "--machine", "gb200-tray", "--hosts", "1,4,18")
    assert re.match(r"AllReduce at 1 GiB gets 711, 878 and 908 GB/s on 1, 4\s+and 18 hosts\.", said), said[:200]
    said = json.loads(run("scaling", "--machine", "gb200-tray", "--hosts", 18, "--json"))
    assert sorted({row["hosts"] for row in said["outcomes"]}) == [1, 2, 4, 8, 16, 18]


def test_a_gpu_that_one_tray_lacks_is_missing(tmp_path):
    for trays, state in ((3, "degraded"), (2, "healthy")):  # of two, nobody knows which one is whole
        tree = ET.fromstring(run("convert", "--machine", "gb200-nvl72"))
        for cpu in tree.findall("cpu")[2 * trays :]:
            tree.remove(cpu)
        assert machine_faults.gpu_gone(tree)
        rack = tmp_path / "rack.xml"
        rack.write_text(ET.tostring(tree, encoding="unicode"))
        verdict = json.loads(run("analyze", rack))["summary"]["verdict"]
        assert verdict["state"] == state, verdict
        assert ("has 11 of 12 GPUs" in verdict["sentence"]) == (state == "degraded")


def test_half_the_gpus_are_worse_than_a_far_nic(tmp_path):
    """Both cost something; with half of its GPUs the machine has its NIC far from all of them."""
    tree = ET.fromstring(run("convert", "--machine", "Standard_ND40rs_v2"))
    assert machine_faults.half_the_gpus_gone(tree)
    file = tmp_path / "half.xml"
    file.write_text(ET.tostring(tree, encoding="unicode"))
    verdict = json.loads(run("analyze", "--hosts", 2, file))["summary"]["verdict"]
    assert verdict["finding"] == "gpu-missing" and "4 of 8 GPUs" in verdict["sentence"]


def test_links_that_hold_back_gpus_and_nics_alike_are_one_fault(tmp_path):
    """Repairing either alone gains nothing. NICs in narrow slots are a fault of their own."""
    dump = tmp_path / "slow.xml"
    whole = run("convert", "--machine", "hgx-h100").replace("32.0 GT/s PCIe", "16.0 GT/s PCIe")
    dump.write_text(whole)
    said = verdict("--hosts", 2, dump)
    assert "283 of 455 GB/s on 2 hosts, because all GPUs have a slower PCIe link" in said, said
    dump.write_text(whole.replace('link_width="16"', 'link_width="8"'))
    assert "of 455 GB/s on 2 hosts, because all GPUs have" in (said := verdict("--hosts", 2, dump)), said
    nics = re.compile(r'(link_speed="16.0 GT/s PCIe" link_width=")16("[^>]*>\s*<nic)')
    dump.write_text(nics.sub(r"\g<1>8\2", whole))
    said = verdict("--hosts", 2, dump)
    assert said.startswith("AllReduce gets 142 of 455 GB/s on 2 hosts. Repairing mlx5_0 and 7 more adds 141 GB/s"), said
    assert "another 172 (all GPUs have a slower PCIe link" in said, "the slots hide the links, which count all the same"


def test_a_machine_that_fits_a_type_may_be_a_better_one_that_lacks_nics(tmp_path):
    """Half of the NICs of BM.GPU.H100.8 are those of IBM's type: a fault that a dump cannot show is a question with its
    cost."""
    tree = ET.fromstring(run("convert", "--machine", "BM.GPU.H100.8"))
    assert machine_faults.half_the_nics_gone(tree)
    file = tmp_path / "half.xml"
    file.write_text(ET.tostring(tree, encoding="unicode"))
    document = json.loads(run("analyze", "--hosts", 2, file))
    said = document["summary"]["verdict"]
    assert said["state"] == "healthy" and not said["cost"]
    assert "BM.GPU.H100.8 differs only in that it has 16 instead of 8 NIC ports. If this is one" in said["sentence"]
    assert "283 of 371 GB/s on 2 hosts" in said["sentence"]
    asks = [finding for finding in document["findings"] if finding["id"] == "nics-of-other-type"]
    assert [finding["severity"] for finding in asks] == ["info"]
    run("gate", "--expect", "gx3d-160x1792x8h100", file)
    whole = tmp_path / "whole.xml"
    whole.write_text(run("convert", "--machine", "BM.GPU.H100.8"))
    assert "differs only" not in json.loads(run("analyze", "--hosts", 2, whole))["summary"]["verdict"]["sentence"]


def test_fewer_and_slower_nics_are_two_faults_of_one_machine(tmp_path):
    tree = ET.fromstring(run("convert", "--machine", "dgx-1"))
    assert machine_faults.all_ports_slow(tree) and machine_faults.half_the_nics_gone(tree)
    file = tmp_path / "dgx.xml"
    file.write_text(ET.tostring(tree, encoding="unicode"))
    said = json.loads(run("analyze", "--hosts", 2, file))["summary"]["verdict"]["sentence"]
    assert said.startswith("AllReduce gets 20.7 of 68.8 GB/s on 2 hosts. Repairing this adds 20.6 GB/s (half of"), said
    assert "adds another 27.5 (all NICs run slower" in said


def test_a_port_that_is_slow_is_not_said_to_be_missing(tmp_path):
    tree = ET.fromstring(run("convert", "--machine", "dgx-spark"))
    assert machine_faults.port_slow(tree)
    file = tmp_path / "spark.xml"
    file.write_text(ET.tostring(tree, encoding="unicode"))
    verdict = json.loads(run("analyze", "--hosts", 2, file))["summary"]["verdict"]
    assert "1 instead of 2 NIC ports of this speed, and 1 slower" in verdict["sentence"]


def test_a_newer_release_stops_nobody(results):
    said = json.loads(run("check-perf", "--release", "2.32.1", "--machine", "hgx-h100", results))
    assert said["verdict"] == "as expected"
    assert "analysed for NCCL" in run("show", "--release", "2.32.1", WHOLE)
    run("analyze", "--release", "2.32.1", WHOLE, status=2)


def test_a_comparison_starts_with_outcomes():
    shown = flat(run("show", "--release", "2.21.5", "--against", "2.27.7", "--hosts", 64, WHOLE))
    assert re.search(r"No change at 1 GiB: AllReduce gets \d+, \d+ and \d+ GB/s on 1, 2 and 64 hosts\.", shown)
    assert shown.index("No change at 1 GiB") < shown.index("facts change")
    both = json.loads(run("compare", "--hosts", 2, WHOLE, FAULTY))
    rows = {(row["collective"], row["size"], row["hosts"]): row for row in both["outcomes"]}
    assert len(rows) == 16 and rows["all_reduce", 1 << 30, 2]["change"] < -0.2


def test_ids_of_nodes_come_last():
    """Facts are always shown, ids only on request."""
    for words in (("compare", "--text", WHOLE, FAULTY), ("show", "--hosts", 2, "--against", "2.7.8", FAULTY)):
        ids = re.compile(r"\b(GPU|NET|NIC|CPU|PCI|NVS)/[0-9a-f]+-")
        brief = run(*words)
        assert " -> " in brief and not ids.search(brief), ids.search(brief)
        assert ids.search(run(*words, "--verbose"))


def test_the_gate_starts_with_a_line_and_outcomes(matrix):
    fault = ("gate", "--timeout", 600, "--hosts", 64, "--expect", WHOLE)
    line = run(*fault, FAULTY, status=3)
    assert line.count("\n") == 1, "programs get one line"
    shown = run(*fault, "--text", FAULTY, status=3)
    assert flat(shown).startswith(flat(line)) and "GB/s expected > of this node" in shown
    assert re.search(r"^ +2  AllReduce +1 GiB +455 > 342 \(-25 %\)$", shown, re.M)
    table, rest = shown.split("\nReasons\n")
    reasons, facts = rest.split("\nHardware that differs\n")
    assert "AlltoAll" in table and "GPUDirect RDMA is off on some RDMA NICs" in flat(reasons)
    assert "NIC mlx5_3: PCIe lanes 8 instead of 16" in facts
    said = json.loads(run(*fault, "--json", FAULTY, status=3))
    rows = {(row["collective"], row["size"], row["hosts"]): row for row in said["outcomes"]}
    assert len(rows) == 24 and {hosts for _, _, hosts in rows} == {1, 2, 64}
    last = rows["all_reduce", 1 << 30, 64]
    assert (last["before"], last["after"]) == (said["expected"], said["busbw"])
    same = json.loads(run(*fault, "--json", WHOLE))["outcomes"]
    assert len(same) == 24 and all(row["change"] == 0 for row in same)
    asked = json.loads(run("gate", "--timeout", 600, "--expect", "hgx-h100", "--json", matrix, status=4))
    assert asked["outcomes"] == [], "they would rest on a speed that nobody knows"


def test_a_majority_starts_with_outcomes(tmp_path):
    twins = [tmp_path / f"{i}.xml" for i in range(3)]
    for twin in twins:
        twin.write_text(WHOLE.read_text())
    shown = flat(run("compare", "--majority", "--text", "--hosts", 8, *twins, FAULTY))
    assert shown.startswith(f"{FAULTY}: AlltoAll at 1 GiB on 2 hosts changes most:")
    assert shown.index("GB/s of the reference > of this dump") < shown.index("warning L90")
    assert "8 AllReduce 1 GiB 355 > 278 (-22 %)" in shown
    said = json.loads(run("compare", "--majority", "--hosts", 8, *twins, FAULTY))
    outcomes = {row["topology"]: row["outcomes"] for row in said["members"]}
    assert len(outcomes[str(FAULTY)]) == 24 and outcomes[str(twins[0])] is None
    renumbered = tmp_path / "renamed.xml"
    renumbered.write_text(WHOLE.read_text().replace('"mlx5_', '"ib_'))
    alike = flat(run("compare", "--majority", "--text", *twins, renumbered))
    assert alike.startswith("All 4 dumps have the same hardware") and "No change at 1 GiB: AllReduce gets" in alike


def test_settings_that_help_here_are_tried():
    said = json.loads(run("settings", "--for", FAULTY, "--hosts", 2, "--json"))
    assert said["complete"] and said["tried"] > 20
    for number, row in enumerate(said["settings"]):
        changes = [one["change"] for one in row["outcomes"] if one["change"] is not None]
        lost = any(one["before"] and not one["after"] for one in row["outcomes"])
        assert row["helps"] == (number < said["helping"])
        assert row["gains"] == sum(change > 0.02 for change in changes)
        assert (row["harms"] > 0) == (lost or any(change < -0.02 for change in changes))
    ring = next(row for row in said["settings"] if row["settings"] == {"NCCL_ALGO": "Ring"})
    again = json.loads(run("predict", "--hosts", 1, "--set", "NCCL_ALGO=Ring", "--sizes", "1G", "--json", FAULTY))
    shown = next(o for o in ring["outcomes"] if (o["collective"], o["size"], o["hosts"]) == ("all_reduce", 1 << 30, 1))
    assert shown["after"] == pytest.approx(again["rows"][0]["busbw"])


def test_rows_say_a_reason_once():
    small = run("predict", "--machine", "hgx-h100", "--hosts", 2, "--sizes", "1K:8G:4")
    said = run("check-perf", "--text", "--machine", "hgx-h100", "-", stdin=small)
    assert said.count("cannot judge (1)") > 1 and said.count("below 1 MiB") == 1


@pytest.mark.parametrize("name", ["gb200-tray", "BM.GPU.GB200.4", "alps-gh200", "a4x-highgpu-4g"])
def test_a_nic_that_no_switch_lacks_is_missing_by_the_machine_type(name, tmp_path):
    """CPUs of superchips are built alike, so a NIC that one of them lacks was not left out by the server's maker."""
    tree, file = ET.fromstring(run("convert", "--machine", name)), tmp_path / "node.xml"
    assert machine_faults.nic_gone(tree)
    file.write_text(ET.tostring(tree, encoding="unicode"))
    document = json.loads(run("analyze", "--hosts", 2, "--domain", 1, file))
    said = document["summary"]["verdict"]
    assert (said["state"], said["finding"]) == ("degraded", "nic-missing") and "have 4" in said["sentence"], said
    whole = json.loads(run("predict", "--json", "--machine", name, "--hosts", 2, "--domain", 1, "--sizes", "1G:1G:2"))
    assert said["cost"]["repaired"] == pytest.approx(whole["rows"][0]["busbw"], rel=0.01), "the type has that"
    if name == "gb200-tray":  # the maker chose one NIC for each CPU
        assert machine_faults.cards(tree, "nic")[0] is not None
        for cpu in tree.findall("cpu")[:1]:
            cpu.remove(next(card for card in cpu.findall("pci") if card.find("nic") is not None))
        file.write_text(ET.tostring(tree, encoding="unicode"))
        assert "nic-missing" not in run("analyze", "--hosts", 2, "--domain", 1, file)


@pytest.mark.parametrize("trays, there", [(3, 11), (2, None)])
def test_a_nic_that_one_tray_lacks_is_missing(trays, there, tmp_path):
    """Most trays of a rack have 4; if two differ, nobody knows which one is whole."""
    tree, file = ET.fromstring(run("convert", "--machine", "gb200-nvl72")), tmp_path / "rack.xml"
    for cpu in tree.findall("cpu")[2 * trays :]:
        tree.remove(cpu)
    assert machine_faults.nic_gone(tree)
    file.write_text(ET.tostring(tree, encoding="unicode"))
    rows = [row for row in json.loads(run("analyze", file))["findings"] if row["id"] == "nic-missing"]
    said = f"{there} NIC ports are in the dump of several hosts; if each had as many as most, there would be 12"
    assert [row["detail"] for row in rows] == ([said] if there else [])


def test_a_slow_port_is_not_a_missing_nic(tmp_path):
    tree, file = ET.fromstring(run("convert", "--machine", "alps-gh200")), tmp_path / "node.xml"
    assert machine_faults.port_slow(tree)
    file.write_text(ET.tostring(tree, encoding="unicode"))
    document = json.loads(run("analyze", "--hosts", 2, "--domain", 1, file))
    assert document["summary"]["verdict"]["finding"] == "port-slow"


def test_a_machine_of_no_known_type_is_only_compared_with_itself(tmp_path):
    said = verdict(ROOT / "static/examples/l40s-8gpu.xml", "--hosts", 2)
    assert said.startswith("No fault inside this dump: ") and said.endswith(
        "Orrery did not recognise the machine type, so it only compared equal devices with each other."
    )
    tree, file = ET.fromstring(run("convert", "--machine", "gh200")), tmp_path / "node.xml"
    for card in machine_faults.cards(tree, "nic"):
        machine_faults.parents(tree)[card].remove(card)
    file.write_text(ET.tostring(tree, encoding="unicode"))
    assert "Healthy" not in verdict(file, "--hosts", 2), "its only NIC is gone"
    assert verdict(ROOT / "static/examples/gh200.xml").startswith("Healthy: ")


def test_slow_links_below_an_unknown_cpu_are_a_question(tmp_path):
    """No link shows whether the CPU can run at more than generation 3."""
    file = tmp_path / "node.xml"
    text = (ROOT / "static/examples/l40s-8gpu.xml").read_text().replace("16.0 GT/s", "8.0 GT/s")
    file.write_text(text.replace('modelid="17"', 'modelid="250"'))
    said = verdict(file, "--hosts", 2)
    assert (
        "But with a CPU of PCIe generation 4 (Orrery does not know this CPU), all 8 GPUs (L40S) can run at 16 "
        "GT/s x16 (31.5 GB/s) instead of 8 GT/s x16 (15.8 GB/s). If this is one, AllReduce gets 12 of 24 GB/s on "
    ) in said, said
    file.write_text(text.replace('familyid="143" modelid="17"', 'familyid="143" modelid="1"'))
    assert "If this is one" not in verdict(file, "--hosts", 2), "Naples: generation 3 is all that it has"


def test_a_low_bandwidth_is_no_further_reason(tmp_path):
    """One fault is one reason, and the line begins with its cost."""
    for name, change, said in (
        ("gb300-tray", machine_faults.port_slow, r": AllReduce gets 283 of 379 GB/s .*an equal device, has 800 Gb/s$"),
        ("BM.GPU.H100.8", machine_faults.half_the_nics_gone, r": AllReduce gets .*: 8 of 16 NIC ports are missing$"),
    ):
        tree = ET.fromstring(run("convert", "--machine", name))
        assert change(tree)
        file = tmp_path / "node.xml"
        file.write_text(ET.tostring(tree, encoding="unicode"))
        line = run("gate", "--domain", "1", "--expect", name, file, status=3).strip()
        assert re.search(said, line), line


def test_the_gate_asks_for_what_an_input_does_not_show(matrix):
    """283 GB/s with NICs of 200 Gb/s, 455 with 400: no exit status may say that the node is fit."""
    said = json.loads(run("gate", "--expect", "hgx-h100", "--json", matrix, status=4))
    assert said["state"] == "not comparable" and said["confirm"] == "ibstat | grep Rate"
    states = {row["assuming"]: row["state"] for row in said["depends"]}
    assert states["the NICs run at 200 Gb/s"] == "degraded" and states["the NICs run at 400 Gb/s"] == "fit"
    line = flat(run("gate", "--expect", "hgx-h100", matrix, status=4))
    assert "does not show the speed of the NICs: fit if the NICs run at 400 Gb/s (455 of 455 GB/s on 2 hosts)" in line
    assert "degraded if the NICs run at 200 Gb/s" in line and "Which is it?" in line
    links = run("gate", "--expect", "hgx-h100", "--assume-nics", 400, matrix, status=4)
    assert "the speed of the PCIe links" in links, "the next figure that decides"


def test_the_gate_asks_where_nothing_can_be_compared(tmp_path):
    """The PCIe switches of this type are made up, so its bandwidth is not compared with one that rests on assumed
    speeds."""
    dump = run("convert", "--machine", "g6e.48xlarge")
    xml, table, tree = tmp_path / "node.xml", tmp_path / "node.txt", tmp_path / "lstopo.xml"
    xml.write_text(dump)
    table.write_text(other_forms.matrix(other_forms.Machine(dump)))
    tree.write_text(other_forms.hwloc(other_forms.Machine(dump)))
    asked = ("gate", "--timeout", 600, "--expect", "g6e.48xlarge", "--json")
    said = json.loads(run(*asked, tree, status=4))  # it shows the PCIe links
    assert "does not show the speed of the NICs, which limits AllReduce" in said["sentence"]
    assert said["confirm"] == "ibstat | grep Rate" and said["outcomes"] == []
    said = json.loads(run(*asked, table, status=4))
    assert "does not show the speed of the PCIe links: fit if the PCIe links are of generation 4" in said["sentence"]
    assert json.loads(run(*asked, xml))["state"] == "fit", "the dump shows every speed"
    assert json.loads(run(*asked, "--assume", "g6e.48xlarge", table))["state"] == "fit", "the user says so"


def table_of(name, tmp_path, change, head=""):
    """What `nvidia-smi topo -m` shows of a machine type with something changed."""
    tree = ET.fromstring(run("convert", "--machine", name))
    change(tree)
    table = tmp_path / "node.txt"
    table.write_text(head + other_forms.matrix(other_forms.Machine(ET.tostring(tree, encoding="unicode"))))
    return table


def test_a_cost_that_rests_on_an_assumed_speed_is_a_question(tmp_path):
    """One of 16 NICs is in the wrong place: with NICs of 200 Gb/s that costs something, with 400 nothing."""
    table = table_of("BM.GPU.H100.8", tmp_path, machine_faults.nic_moved)
    verdict = json.loads(run("analyze", "--hosts", 2, table))["summary"]["verdict"]
    assert (verdict["state"], verdict["finding"]) == ("cannot tell", "nic-misplaced")
    assert re.search(
        r"^The input does not show the speed of the NICs\. If the NICs run at 200 Gb/s, AllReduce gets 349 of 371 GB/s "
        r"on 2 hosts, because a NIC is not on the PCIe switch .*; if the NICs run at 400 Gb/s, that costs nothing\. "
        r"Which is it\? `ibstat \| grep Rate` shows it\.$",
        verdict["sentence"],
    ), verdict
    states = {row["assuming"]: row["state"] for row in verdict["depends"]}
    assert states["the NICs run at 200 Gb/s"] == "degraded" and states["the NICs run at 400 Gb/s"] == "healthy"
    assert verdict["confirm"] == "ibstat | grep Rate"
    given = json.loads(run("analyze", "--hosts", 2, FAULTY))["summary"]["verdict"]
    assert given["depends"] == [] and given["confirm"] is None
    said = json.loads(run("analyze", "--hosts", 2, "--assume", "BM.GPU.H100.8", table))["summary"]["verdict"]
    assert said["state"] == "degraded" and "which is assumed" not in said["sentence"], "the user says so"
    asked = ("gate", "--timeout", 600, "--min-busbw", 0.5, "--expect", "BM.GPU.H100.8", "--json")
    said = json.loads(run(*asked, table, status=4))
    assert said["confirm"] == "ibstat | grep Rate"
    states = {row["assuming"]: row["state"] for row in said["depends"]}
    assert states["the NICs run at 200 Gb/s"] == "degraded" and states["the NICs run at 400 Gb/s"] == "fit"


def test_a_cost_with_each_value_is_a_cost(tmp_path):
    """A GPU without NVLinks is slow whatever the rest is like; the figures still say what they assume."""
    table = table_of("hgx-h100", tmp_path, machine_faults.nvlinks_of_one_gone)
    verdict = json.loads(run("analyze", "--hosts", 2, table))["summary"]["verdict"]
    assert verdict["state"] == "degraded"
    assert re.search(r" That is if .* run at \d+ Gb/s, which is assumed\.$", verdict["sentence"]), verdict
    table = table_of("hgx-h100", tmp_path, machine_faults.nvlinks_of_one)  # NVLink limits one host, and is shown
    verdict = json.loads(run("analyze", "--hosts", 2, table))["summary"]["verdict"]
    assert verdict["state"] == "degraded" and "assumed" not in verdict["sentence"]
    moved = table_of("hgx-h100", tmp_path, machine_faults.nic_moved)
    line = run("gate", "--timeout", 600, "--expect", "hgx-h100", moved, status=3)
    assert re.search(r" of 455 GB/s on 2 hosts \(\d+ % less\) if the NICs run at \d+ Gb/s, which is assumed: ", line)


def test_no_verdict_on_hidden_nvlinks(tmp_path):
    head = "$ nvidia-smi topo -mp\n"
    for change in (
        machine_faults.nvlinks_gone,
        lambda tree: machine_faults.nvlinks_gone(tree) and machine_faults.nic_moved(tree),
    ):
        table = table_of("hgx-h100", tmp_path, change, head)
        verdict = json.loads(run("analyze", "--hosts", 2, table))["summary"]["verdict"]
        assert verdict["state"] == "cannot tell" and verdict["finding"] == "nvlink-hidden"
        said = json.loads(run("gate", "--timeout", 600, "--expect", "hgx-h100", "--json", table, status=4))
        assert said["confirm"] == "nvidia-smi topo -m" and said["outcomes"] == []
        assert re.search(r"degraded if it has none \([\d.]+ of \d+ GB/s on \d hosts?\), unknown if", said["sentence"])
        itself = json.loads(run("gate", "--timeout", 600, "--expect", table, "--json", table, status=4))
        assert "shows no NVLink" in itself["sentence"]
    # no NVLink hides a GPU that is missing, and `topo -m` hides none
    table = table_of(
        "hgx-h100", tmp_path, lambda tree: machine_faults.nvlinks_gone(tree) and machine_faults.gpu_gone(tree), head
    )
    assert "7 GPUs" in run("gate", "--timeout", 600, "--expect", "hgx-h100", table, status=3)
    table = table_of("hgx-h100", tmp_path, machine_faults.nvlinks_gone, "$ nvidia-smi topo -m\n")
    run("gate", "--timeout", 600, "--expect", "hgx-h100", table, status=3)


def test_a_lower_bandwidth_names_its_hosts(tmp_path):
    table = table_of("dgx-1", tmp_path, machine_faults.nvlinks_gone, "$ nvidia-smi topo -m\n")
    line = run("gate", "--timeout", 600, "--expect", "dgx-1", table, status=3)
    assert re.search(r"AllReduce gets [\d.]+ of 120 GB/s on 1 host \(", line), line


def test_the_gate_answers_where_no_assumed_figure_decides(matrix):
    assert ": fit: " in run("gate", "--expect", "hgx-h100", "--hosts", 1, matrix), "NVLink limits one host"
    assert json.loads(run("gate", "--expect", "hgx-h100", "--json", WHOLE))["depends"] == []
    assert ": fit: " in run("gate", "--expect", "hgx-h100", "--assume", "hgx-h100", matrix), "the user says so"
    low = json.loads(run("gate", "--expect", "hgx-h100", "--min-busbw", "0.01", "--json", matrix))
    assert low["state"] == "fit", "with each value"


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "--hosts", 2, "--sizes", "1G:1G:2"),
        ("scaling", "--hosts", "1,2", "--against", "2.27.7"),
        ("scaling", "--hosts", "1,2"),
        ("settings", "--hosts", 2, "--for"),
        ("order", "--hosts", 2, "--format", "text"),
        ("show", "--hosts", "1,2"),
        ("show", "--hosts", 2, "--against", "2.27.7"),
    ],
)
def test_figures_that_rest_on_assumed_speeds_say_so(matrix, words):
    said = "The input does not show the speed of the NICs"
    assert re.search(said + "[^.]*, so the figures rest on assumed values\\.", flat(run(*words, matrix)))
    assert said not in flat(run(*words, WHOLE))
    assert said not in flat(run(words[0], "--assume-nics", 400, *words[1:], matrix))


def test_place_and_clusters_say_what_the_inputs_do_not_show(matrix, tmp_path):
    placed = json.loads(run("place", "--count", 4, "--hosts", 2, matrix))
    assert "The input does not show the speed of the NICs" in placed["sentence"]
    assert "does not show" not in json.loads(run("place", "--count", 4, "--hosts", 2, WHOLE))["sentence"]
    cluster = tmp_path / "cluster.json"
    for file, known in ((matrix, False), (WHOLE, True)):
        hosts = [{"topology": str(file), "count": 4}, {"topology": str(FAULTY)}]
        cluster.write_text(json.dumps({"hosts": hosts}))
        shown = flat(run("show", "--cluster", cluster))
        assert "because of 1 host." in shown
        assert ("The inputs do not show the speed of the NICs" in shown) == (not known), shown[:900]


@pytest.mark.parametrize("name", ["a3-highgpu-8g", "gx3d-160x1792x8h100"])
def test_a_question_about_the_type_explains_no_missing_nic(tmp_path, name):
    """Without one NIC these are also like a type with more of them; that asks, and the empty switch proves."""
    tree = ET.fromstring(run("convert", "--machine", name))
    assert machine_faults.nic_gone(tree)
    ET.ElementTree(tree).write(tmp_path / "dump.xml")
    document = json.loads(run("analyze", "--hosts", "2", tmp_path / "dump.xml"))
    verdict = document["summary"]["verdict"]
    assert (verdict["state"], verdict["finding"]) == ("degraded", "nic-missing"), verdict
