# SPDX-License-Identifier: Apache-2.0
"""The logs and pairs of ../shared: each log has the lines that its index counts, and NCCL's own results are compared
with predictions. Every difference has a named cause, tried by predicting again (`tested`), or the log or the dump shows
why nothing can be compared. Skipped where ../shared is missing.
"""
import json

import pytest

from conftest import SHARED
from log_machines import BUILT
from test_command_line import run

LOGS, TOPOLOGIES = SHARED / "logs", SHARED / "topologies"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="real logs, because ../shared is not beside this checkout")
INDEX = {e["file"][len("logs/") :]: e for e in json.loads((LOGS / "INDEX.json").read_text())} if LOGS.is_dir() else {}

# Kinds of the index whose expression means one kind of line; it counts `GPU Direct RDMA` lines of both kinds together.
KINDS = {
    kind: [kind]
    for kind in (
        "system_tree",
        "pattern",
        "trees",
        "p2p_via",
        "net_via",
        "shm_via",
        "channel_ring",
        "ring_prevnext",
        "channels_summary",
        "comm_init_complete",
        "affinity",
        "gpu_paths",
        "threads_thresholds",
    )
}
KINDS["gdr"] = ["gdr_pair", "gdr_nic"]
KINDS["tuner_algos"] = ["tuning_algorithms"]

# Files for which our count differs: lines torn by other writers that hold no whole statement, and what the
# expressions of
# the index count otherwise. (log, kind): (ours, why)
OTHER_COUNTS = {
    ("stone-2node-4x-sm89-trace.log", "system_tree"): (2, "one head is torn; it still tells that a tree begins"),
    ("stone-2node-4x-sm89-trace.log", "trees"): (1, "line 230 is torn after `Trees [0]`"),
    ("polaris-a100-n4p2.log", "p2p_via"): (31, "line 344 begins in the middle"),
    ("polaris-a100-n4p2.log", "net_via"): (47, "line 210 begins in the middle"),
    ("polaris-a100-n4p2.log", "comm_init_complete"): (2, "line 232 begins in the middle"),
    ("polaris-a100-n4p4.log", "p2p_via"): (192, "three lines begin in the middle"),
    ("polaris-a100-n8p4.log", "channel_ring"): (3, "line 244 goes on with a message of PyTorch"),
    ("nebius-h100-2node-mlperf-sd.log", "channels_summary"): (15, "line 1429 goes on with a message of the job"),
    ("mlperf-v2.0-azure-ndv4-16node-128rank.log", "shm_via"): (
        1888,
        "the index counts `via SHM` only, not `via direct " "shared memory`",
    ),
    ("ssbandjl-all-ref.log", "channel_ring"): (64, "the index does not count rings of one rank"),
    ("ssbandjl-gdr114-s114.log", "channel_ring"): (256, "the index does not count rings of one rank"),
}
for name in ("gdr-2node-0530", "xt2xt-2gpu", "xt-dpu", "run-0528"):  # the index takes the call's line for one
    OTHER_COUNTS[f"ssbandjl-{name}.log", "threads_thresholds"] = (2, "the index counts a line of the environment too")
    OTHER_COUNTS[f"ssbandjl-{name}.log", "tuner_algos"] = (1, "the index does not count the older `Latency/AlgBw`")
OTHER_COUNTS["ssbandjl-s95.log", "threads_thresholds"] = (1, "the index counts a line of the environment too")
OTHER_COUNTS["ssbandjl-s95.log", "tuner_algos"] = (1, "the index does not count the older `Latency/AlgBw`")


def answer_of(*arguments):
    status, out, err = run("check-log", "--json", *arguments)
    assert status == 0, err
    return json.loads(out)


@pytest.mark.parametrize("name", sorted(INDEX))
def test_every_log_is_read_as_its_index_says(name):
    entry, log = INDEX[name], answer_of(str(LOGS / name))["log"]
    assert sorted(log["releases"]) == sorted(entry["nccl_version"] or [])
    assert sorted({c["ranks"] for c in log["communicators"]}) == sorted(entry["ranks"])
    for kind, ours in KINDS.items():
        wanted, _ = OTHER_COUNTS.get((name, kind), (entry["line_kinds"].get(kind, 0), None))
        assert sum(log["kinds"].get(k, 0) for k in ours) == wanted, kind
    told = set(entry["gpu_busids"])
    assert {m["bus_id"] for c in log["communicators"] for m in c["members"] if "bus_id" in m} <= told or not told


# Pair of PAIRS.md: topology, result, what must come out. "agrees", or the id of the cause that comes first with what it
# leaves; None for `left`: the cause cannot be computed, which its text says. A fourth: the machine type for --assume.
PAIRS = {
    "A1": ("real/gb300-2tray-fault-rank5-count0-fused.xml", "gb300-2tray-fault-rank5-page.log", "agrees"),
    "A2": ("real/gb300-2tray-0405-healthy-fused.xml", "gb300-2tray-healthy-page.log", "agrees"),
    "A2 graph": ("real/gb300-2tray-0405-healthy-fused.xml", "gb300-2tray-0405-healthy.graph.xml", "agrees"),
    "A3": ("real/gb300-1tray-healthy.xml", "gb300-1tray-04.graph.xml", "agrees"),
    "A4": ("real/timez-nccl_topo_dump_normal.xml", "mew0-2xa100-nccl.log", "agrees"),
    "A5": ("real/timez-topo_fail.xml", "mew0-2xa100-nccl-fault.log", "agrees"),
    "A5 dumped": ("real/timez-nccl_topo_dump.xml", "mew0-2xa100-nccl-fault.log", "agrees"),
    "A5 before the fault": ("real/timez-nccl_topo_dump_normal.xml", "mew0-2xa100-nccl-fault.log", ("hardware", 0)),
    "A6": ("real/panlichen-topo.xml", "oneflow-27-log27.log", ("no-p2p", 0)),
    "A6 two hosts": ("real/panlichen-topo.xml", "oneflow-2x-log.log", ("no-p2p", 0)),
    "A6 graph": ("real/panlichen-topo.xml", "panlichen.graph.xml", ("no-p2p", 0)),
    "A7": ("real/sugarlxn-nccl_topo.xml", "stone-2node-4x-sm89-trace.log", ("other-gpus", None)),
    "A8": ("real/perlmutter-a100-nid001056.xml", "perlmutter-a100-rank0-excerpt.log", "agrees"),
    "A8 graph": ("real/perlmutter-a100-nid001056.xml", "perlmutter-a100-nid001056.graph.xml", "agrees"),
    "A9": ("real/vastai-hgx-b200-8x.xml", "vastai-hgx-b200-rank0-excerpt.log", "agrees"),
    "A9 graph": ("real/vastai-hgx-b200-8x.xml", "vastai-hgx-b200-8x.graph.xml", "agrees"),
    "A10": ("real/vastai-hgx-h200-8x.xml", "vastai-hgx-h200-rank0-excerpt.log", "agrees"),
    "A10 graph": ("real/vastai-hgx-h200-8x.xml", "vastai-hgx-h200-8x.graph.xml", "agrees"),
    "A11": ("real/blinkplus-topology.xml", "blinkplus.graph.xml", "agrees"),
    # the author's modified NCCL (MSCCL) asks for four channels
    "A12 four ranks": ("real/yccl-topo.xml", "lm2-rtx30-4ranks-shm.log", ("setting", 0)),
    "A12 two ranks": ("real/yccl-topo.xml", "lm2-rtx30-2ranks.log", "agrees"),
    "A12 three ranks": ("real/yccl-topo.xml", "lm2-rtx30-3ranks.log", "agrees"),
    "A12 graph": ("real/yccl-topo.xml", "yccl.graph.xml", "agrees"),
    "A12 other file": ("real/yccl-topo-mod.xml", "lm2-rtx30-4ranks-shm.log", "too small"),
    # edited by the provider to be forced with NCCL_GRAPH_FILE: no search gives them
    "A13": ("real/azure-ncv4-a100-pcie.xml", "azure-ncv4-a100-pcie.graph.xml", ("edited-graph", None)),
    "A13 NC48": ("real/azure-nc48v4-a100.xml", "azure-nc48v4-a100.graph.xml", ("edited-graph", None)),
    # made up machines of an author who changed NCCL's code
    "A14": ("real/ncclgp-2node_4gpu.xml", "ncclgp-2node_4gpu_dump.graph.xml", ("edited-graph", None)),
    "A14 16 GPUs": ("real/ncclgp-2node_16gpu.xml", "ncclgp-2node_16gpu_dump.graph.xml", ("setting", 0)),
    # Provider's files hold no GPUs: a machine type fills them in. Azure's first file, as the later ones order NUMA
    # nodes otherwise than the jobs' machines.
    "B1": ("provider/aws-p4d-24xl-a100.xml", "aws-2node-16ranks-slurm104.log", "agrees", "p4d.24xlarge"),
    "B3 one host": ("provider/azure-ndv4-a100-v0.xml", "mlperf-v2.1-azure-ndv4-1node.log", "agrees", "ndv4"),
    "B3 four hosts": ("provider/azure-ndv4-a100-v0.xml", "mlperf-v2.1-azure-ndv4-4node-32rank.log", "agrees", "ndv4"),
    "B3 eight hosts": ("provider/azure-ndv4-a100-v0.xml", "mlperf-v2.0-azure-ndv4-8node-64rank.log", "agrees", "ndv4"),
    "B3 later file": ("provider/azure-ndv4-a100.xml", "mlperf-v2.1-azure-ndv4-1node.log", "differs", "ndv4"),
    "B4": ("provider/azure-ndv4-a100-v0.xml", "azure-8gpu-nccl2.8-ap1.log", "agrees", "ndv4"),
    "B4 second": ("provider/azure-ndv4-a100-v0.xml", "azure-8gpu-nccl2.8-ap2.log", "agrees", "ndv4"),
    "B6": ("provider/nebius-topo-h100-v1.xml", "nebius-h100-2node-mlperf-sd.log", "agrees", "hgx-h100"),
    # the file is of another unit of the model: bus ids differ, places do not
    "B7": (
        "provider/mlperf21-dell-xe8545_nic_affinity.xml",
        "mlperf-v2.0-dell-xe8545-4xa100sxm80.log",
        "agrees",
        "hgx-a100-4",
    ),
    "B7 two hosts": (
        "provider/mlperf21-dell-xe8545_nic_affinity.xml",
        "mlperf-v2.0-dell-2xXE8545-4xa100sxm40.log",
        ("other-gpus", None),
        "hgx-a100-4",
    ),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_pairs_agree_or_the_reason_is_named(pair):
    topology, result, wanted, *assumed = PAIRS[pair]
    result = (TOPOLOGIES / "graphs" if result.endswith(".xml") else LOGS) / result
    arguments = ("--topology", str(TOPOLOGIES / topology), str(result))
    if assumed:
        status, _, err = run("check-log", "--json", *arguments)
        assert status == 1 and "not in the dump" in err and "NCCL_TOPO_DUMP_FILE" in err
        arguments = ("--assume", *assumed, *arguments)
    answer = answer_of(*arguments)
    if wanted == "too small":
        assert (
            answer["check"] is None
            and "the dump has 2 GPUs, and a host of the log runs 4 ranks" in answer["why_no_check"]
        )
        return
    check = answer["check"]
    assert check["agree"] > 0
    if wanted == "agrees":
        assert (check["verdict"], check["differ"]) == ("agrees", 0), check["first_difference"]
        return
    if wanted == "differs":
        assert check["verdict"] == "differs" and not any(c.get("differences_left") == 0 for c in check["causes"])
        return
    identity, left = wanted
    assert check["verdict"] == "differs" and check["first_difference"]
    cause = next(c for c in check["causes"] if c["id"] == identity)
    assert cause["why"] and cause["advice"]
    assert cause.get("differences_left") == left
    if left == 0:
        assert check["causes"][0] == cause and cause["tested"]


@pytest.mark.parametrize("name", BUILT)
def test_logs_agree_where_the_machine_is_put_together_rightly(name, tmp_path):
    machine, settings, communicators, agree = BUILT[name]
    (tmp_path / "machine.xml").write_text(machine())
    options = [text for item in settings.items() for text in ("--set", "=".join(item))]
    for number in communicators:
        which = () if number is None else ("--communicator", str(number))
        answer = answer_of("--topology", str(tmp_path / "machine.xml"), *options, *which, str(LOGS / name))
        check, survey = answer["check"], answer["communicators_compared"]
        assert (check["verdict"], survey["differ"]) == ("agrees", 0), check["first_difference"]
        assert survey["compared"] == len(survey["rows"])
        assert check["agree"] >= agree


# Logs that agree in full with one file or machine type on the command line, and the settings that the log does not
# print:
# GPUs, hosts and NICs are found by themselves.
ALONE = {
    "aws-p4d-efa-eks-readme.log": (
        ("--topology", "topologies/provider/aws-p4d-24xl-a100.xml", "--assume", "p4d.24xlarge"),
        211,
    ),
    "oci-h200-2node-runc-rank0.log": (("--machine", "BM.GPU.H200.8"), 204),
    "oci-h200-2node-runsc-rank0.log": (("--machine", "BM.GPU.H200.8"), 204),
    "waynehacking-g2_Ring.log": (
        ("--topology", "nvidia-smi-topo/waynehacking8-hgx-nv18-12nic.txt", "--set", "NCCL_ALGO=Ring"),
        182,
    ),
    "waynehacking-g6_NVLS.log": (
        ("--topology", "nvidia-smi-topo/waynehacking8-hgx-nv18-12nic.txt", "--set", "NCCL_ALGO=NVLS"),
        277,
    ),
    "waynehacking-g6_auto.log": (
        (
            "--topology",
            "nvidia-smi-topo/waynehacking8-hgx-nv18-12nic.txt",
        ),
        277,
    ),
    "mlperf-v2.1-azure-ndv4-4node-32rank.log": (
        (
            "--topology",
            "topologies/provider/azure-ndv4-a100-v0.xml",
            "--assume",
            "ndv4",
            "--set",
            "NCCL_MIN_NCHANNELS=24",
        ),
        1051,
    ),
    "mlperf-v2.0-azure-ndv4-8node-64rank.log": (
        (
            "--topology",
            "topologies/provider/azure-ndv4-a100-v0.xml",
            "--assume",
            "ndv4",
            "--set",
            "NCCL_MIN_NCHANNELS=24",
        ),
        2091,
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_logs_agree_with_a_file_or_a_machine_type_alone(name):
    given, agree = ALONE[name]
    given = [str(SHARED / text) if "/" in text else text for text in given]
    check = answer_of(*given, str(LOGS / name))["check"]
    assert (check["verdict"], check["differ"]) == ("agrees", 0), check["first_difference"]
    assert check["agree"] >= agree


# Logs without a tree whose lines imply the machine type; facts of the largest communicator that agree, and differ:
# MLPerf's 16 nodes used no topology file.
IMPLIED = {
    "aws-2node-16ranks-slurm104.log": ("p4d.24xlarge", 221, 0),
    "aws-p4d-efa-eks-readme.log": ("p4d.24xlarge", 211, 0),
    "mlperf-v2.1-azure-ndv4-1node.log": ("Standard_ND96asr_v4", 227, 0),
    "azure-8gpu-nccl2.8-ap1.log": ("Standard_ND96asr_v4", 247, 0),
    "azure-8gpu-nccl2.8-ap2.log": ("Standard_ND96asr_v4", 247, 0),
    "mlperf-v2.1-azure-ndv4-4node-32rank.log": ("Standard_ND96asr_v4", 1115, 0),
    "mlperf-v2.0-azure-ndv4-8node-64rank.log": ("Standard_ND96asr_v4", 2219, 0),
    "mlperf-v2.0-azure-ndv4-16node-128rank.log": ("Standard_ND96asr_v4", 243, 176),
}


@pytest.mark.parametrize("name", sorted(INDEX))
def test_machines_are_implied_where_only_one_type_fits(name):
    answer = answer_of(str(LOGS / name))
    implied = answer.get("implied_machine")
    if name not in IMPLIED:
        assert not implied or implied["type"] is None
        return
    machine, agree, differ = IMPLIED[name]
    check = answer["check"]
    assert (implied["type"], check["agree"], check["differ"]) == (machine, agree, differ)
    assert check["assumed"][0].startswith(f"The machine is assumed to be a {machine}")
    text = (LOGS / name).read_text(errors="replace").split("\n")
    for row in implied["lines"]:  # the lines show what is said about them
        word = row["says"].split(" ")[-1].lower()
        assert row["says"].endswith(("GPUs", "virtual machines")) or word in text[row["line"] - 1].lower(), row
    causes = [(cause["id"], cause["what"].split(":")[0], cause.get("differences_left")) for cause in check["causes"]]
    if "16node" in name:
        assert [cause[0] for cause in causes] == ["machine-assumed"]
    else:
        assert causes == []


@pytest.mark.parametrize("machine", ["hgx-h100", "hgx-b200"])
def test_a_forced_algorithm_that_the_log_does_not_print_is_the_cause_of_all_differences(machine):
    """The tuning table of g6_NVLS has no bandwidth for rings and trees: its author set NCCL_ALGO=NVLS, as the name of
    the file says."""
    log = str(LOGS / "waynehacking-g6_NVLS.log")
    check = answer_of("--machine", machine, log)["check"]
    assert (check["differ"], {t["topic"] for t in check["topics"] if t["differ"]}) == (18, {"tuning"})
    assert (check["causes"][0]["what"], check["causes"][0]["differences_left"]) == ("NCCL_ALGO=NVLS", 0)
    assert answer_of("--machine", machine, "--set", "NCCL_ALGO=NVLS", log)["check"]["differ"] == 0
    assert any("compute capability 9.0" in sentence for sentence in check["assumed"]) == (
        machine == "hgx-b200"
    )  # its GPUs are H100


def test_a_torn_line_is_all_that_differs_between_a_log_and_the_machine_that_it_prints():
    check = answer_of(str(LOGS / "stone-2node-4x-sm89-trace.log"))["check"]
    assert check["differ"] == 1 and check["agree"] >= 845
    assert check["first_difference"]["line"] == 228


# Logs that print their machine whole, and the release whose row must have been taken.
PRINTED = {
    "mew0-2xa100-nccl.log": "2.27.7",
    "mew0-2xa100-nccl-fault.log": "2.27.7",
    "ssbandjl-all-ref.log": "2.26.2",
    "dolphin-n013n014-gdron-allreduce.log": "2.16.5",
    "dolphin-n013n014-gdroff-big-allreduce.log": "2.16.5",
    "dolphin-n013n014-external-gdron-allreduce.log": "2.16.5",
    "dolphin-n013n014-internal-n013-allreduce.log": "2.16.5",
    "dolphin-n013n014-mpi-from-n015-allreduce.log": "2.16.5",
}


@pytest.mark.parametrize("name", PRINTED)
def test_machines_that_logs_print_whole_predict_what_the_logs_show(name):
    check = answer_of(str(LOGS / name))["check"]
    assert check["verdict"] == "agrees" and check["agree"] >= 50
    assert check["release"]["predicted"] == PRINTED[name]


# Logs that name their release and are compared nowhere above.
NOT_COMPARED = {
    "lm2-rtx30-4ranks-shm.log": "a modified NCCL (MSCCL), which asks for four channels",
    "stone-2node-4x-sm89-trace.log": "one torn line differs",
    "ssbandjl-gdr116-2node-4gpu-allgather.log": "neither tree, rings nor communicators are in it",
}


def test_every_log_that_names_an_emulated_release_agrees_somewhere():
    agreeing = set(BUILT) | set(PRINTED) | {row[1] for row in PAIRS.values() if row[2] == "agrees"}
    named = {name for name, e in INDEX.items() if any(not v.startswith("2.5.") for v in e["nccl_version"] or [])}
    assert len(named) == 39
    assert named - agreeing == set(NOT_COMPARED)
