# SPDX-License-Identifier: Apache-2.0
"""The machine that a job used, found from its log: GPUs, hosts, NICs, numbers of the log's release, causes that no
line contradicts."""
import json
import re
import xml.etree.ElementTree as ET

import pytest

from conftest import release_program
from test_check_log import EXAMPLES, check, lines_of, make_log
from test_command_line import run

H100 = EXAMPLES / "h100-nvswitch.xml"
MATRIX = """        GPU0    GPU1    GPU2    GPU3    CPU Affinity    NUMA Affinity
GPU0     X      NV18    NV18    NV18    0-31            0
GPU1    NV18     X      NV18    NV18    0-31            0
GPU2    NV18    NV18     X      NV18    32-63           1
GPU3    NV18    NV18    NV18     X      32-63           1
"""


def analyzed(*arguments, stdin=b""):
    status, out, err = run("analyze", *arguments, stdin=stdin, program=release_program())
    assert status == 0, err
    return json.loads(out)


def log_of(*arguments, stdin=b"", settings=()):
    asked = [part for setting in settings for part in ("--set", setting)]
    return make_log.Maker(analyzed(*arguments, *asked, stdin=stdin), dict(s.split("=") for s in settings)).make()


@pytest.mark.parametrize("gpus", ["0,1", "2,5", "7,0,3", "6"])
def test_the_dump_is_cut_to_the_gpus_of_the_log(tmp_path, gpus):
    lines = log_of("--release", "2.27.7", "--gpus", gpus, str(H100))
    checked = check(tmp_path, lines, "--topology", str(H100))["check"]
    assert (checked["verdict"], checked["ranks"], checked["differ"]) == ("agrees", len(gpus.split(",")), 0)
    assert checked["ranks_taken_from_log"]


def test_a_short_ring_is_not_the_beginning_of_a_long_one(tmp_path):
    lines = [
        re.sub(r"(Channel \d+/\d+ : )0 1 2 3 4 5 6 7$", r"\g<1>0 1", line) for line in lines_of("h100-nvswitch.xml")
    ]
    lines = [re.sub(r"(Channel \d+/\d+ : ) *(\d+ *){8}$", r"\g<1>0 1", line) for line in lines]
    assert any(line.endswith(" 0 1") for line in lines)
    checked = check(tmp_path, lines, "--topology", str(H100))["check"]
    assert next(t for t in checked["topics"] if t["topic"] == "rings")["differ"] > 0


@pytest.mark.parametrize("hosts", [2, 3])
@pytest.mark.parametrize("release", ["2.12.12", "2.21.5", "2.27.7", "2.30.7"])
def test_ranks_that_are_placed_cyclically_are_predicted_under_their_own_numbers(tmp_path, release, hosts):
    maker = make_log.Maker(analyzed("--release", release, "--hosts", str(hosts), str(H100)), more=True, cyclic=True)
    lines = make_log.interleave(maker.make())
    checked = check(tmp_path, lines, "--topology", str(H100))["check"]
    assert (checked["verdict"], checked["differ"], checked["hosts"]) == ("agrees", 0, hosts), checked[
        "first_difference"
    ]
    told = {row["topic"]: row["agree"] for row in checked["topics"]}
    assert min(told[topic] for topic in ("graphs", "orders", "rings", "p2p", "net")) > 0 and (
        release == "2.7.8" or told["trees"] > 0
    )
    assert any(
        "not placed host by host" in sentence and f"ranks 0, {hosts} ... of {8 * hosts}" in sentence
        for sentence in checked["assumed"]
    )
    ring = next(f for f in checked["facts"] if f["what"] == "ring of channel 0")["predicted"].split()
    assert [int(rank) % hosts for rank in ring[:8]] == [0] * 8  # the first host's ranks follow one another
    in_blocks = [
        re.sub(r"^node\d+:(\d+)", lambda m: f"node{(int(m[1]) - 1000) // 8 + 1}:{m[1]}", line) for line in lines
    ]
    answer = check(tmp_path, in_blocks, "--topology", str(H100))  # the names of the hosts decide: now ranks share GPUs
    assert answer["check"] is None and "several ranks of a host use the GPU at bus id" in answer["why_no_check"]


def test_hosts_that_use_their_gpus_in_other_orders_are_named(tmp_path):
    lines = lines_of("h100-nvswitch.xml", hosts=2)
    ids = [re.search(r"busId (\w+)", line)[1] for line in lines if re.search(r"rank ([0-7]) nranks .*Init START", line)]
    swapped = [
        line
        if not line.startswith("node2:")
        else re.sub(r"busId (\w+)", lambda m: f"busId {ids[7 - ids.index(m[1])]}", line)
        for line in lines
    ]
    assumed = check(tmp_path, swapped, "--topology", str(H100))["check"]["assumed"]
    assert any("different orders" in sentence and "node1" in sentence for sentence in assumed)


def test_a_dump_that_is_too_small_is_named(tmp_path):
    lines = log_of("--release", "2.27.7", "--gpus", "0,1,2,3", str(H100))
    small = run("convert", str(EXAMPLES / "workstation-2gpu.xml"))[1]
    (tmp_path / "small.xml").write_bytes(small)
    answer = check(tmp_path, lines, "--topology", str(tmp_path / "small.xml"))
    assert (
        answer["check"] is None and answer["why_no_check"] == "the dump has 2 GPUs, and a host of the log runs 4 ranks"
    )


def test_bus_ids_that_a_matrix_does_not_have_are_never_compared(tmp_path):
    lines = log_of("--release", "2.27.7", "--gpus", "2,3", stdin=MATRIX.encode())
    lines = [
        re.sub(r"cudaDev (\d) nvmlDev (\d)", lambda m: f"cudaDev {m[1]} nvmlDev {int(m[2]) + 2}", line)
        for line in lines
    ]
    real = {}
    for line in lines:  # the bus ids of the job's real GPUs
        for found in re.findall(r"GPU/0-([0-9a-f]+)", line):
            real.setdefault(found, f"{0xa0 + len(real):x}000")
    for old, new in real.items():
        lines = [re.sub(rf"\b{old}\b", new, line) for line in lines]
    matrix = tmp_path / "matrix.txt"
    matrix.write_text(MATRIX)
    checked = check(tmp_path, lines, "--topology", str(matrix))["check"]
    assert (checked["verdict"], checked["ranks"], checked["differ"]) == ("agrees", 2, 0), checked["first_difference"]
    assert any("nvmlDev" in sentence for sentence in checked["assumed"])
    assert not any(
        "CPU/" in f["what"] or "PCI/" in f["what"] for f in checked["facts"] if f["verdict"] != "not-predicted"
    )


def renumbered(order):
    """The example with its NICs numbered otherwise: NIC i becomes order[i]."""
    root = ET.fromstring(H100.read_text())
    for net in root.iter("net"):
        net.set("dev", str(order[int(net.get("dev"))]))
    return ET.tostring(root)


@pytest.mark.parametrize("order", [[8, 9, 10, 11, 12, 13, 14, 15], [3, 2, 1, 0, 7, 6, 5, 4], [1, 0, 3, 2, 5, 4, 7, 6]])
def test_nics_are_matched_by_name(tmp_path, order):
    lines = log_of("--release", "2.27.7", "--hosts", "2", stdin=renumbered(order))
    named = " ".join(f"[{number}]mlx5_{i}:1/IB" for i, number in sorted(enumerate(order), key=lambda p: p[1]))
    first = [
        f"{line.split(' NCCL INFO ')[0]} NCCL INFO NET/IB : Using {named} [RO]; OOB eth0:10.0.0.1<0>"
        for line in lines
        if "Init START" in line
    ]
    checked = check(tmp_path, lines[:1] + first + lines[1:], "--topology", str(H100))["check"]
    assert (checked["verdict"], checked["differ"]) == ("agrees", 0), checked["first_difference"]


def test_nics_that_the_job_did_not_use_are_left_out(tmp_path):
    lines = log_of("--release", "2.27.7", "--hosts", "2", "--nics", "mlx5_0,mlx5_3,mlx5_4,mlx5_7", str(H100))
    named = "[0]mlx5_0:1/IB [1]mlx5_3:1/IB [2]mlx5_4:1/IB [3]mlx5_7:1/IB"
    first = [
        f"{line.split(' NCCL INFO ')[0]} NCCL INFO NET/IB : Using {named} [RO]; OOB eth0:10.0.0.1<0>"
        for line in lines
        if "Init START" in line
    ]
    checked = check(tmp_path, lines[:1] + first + lines[1:], "--topology", str(H100))["check"]
    assert (checked["verdict"], checked["differ"]) == ("agrees", 0), checked["first_difference"]
    assert any("4 of the dump's 8 NICs" in sentence for sentence in checked["assumed"])
    by_hand = check(tmp_path, lines, "--topology", str(H100), "--nics", "mlx5_0,mlx5_3,mlx5_4,mlx5_7")["check"]
    assert (by_hand["verdict"], by_hand["differ"]) == ("agrees", 0)


# A path type as each release numbers it, around every renumbering: PXN (2.12), DIS (2.18), C2C (2.26.2), P2C (2.27.5).
DISTANCES = [
    ("2.7.8", "PIX", 2),
    ("2.7.8", "PHB", 4),
    ("2.8.4", "PIX", 3),
    ("2.11.4", "SYS", 6),
    ("2.12.10", "PHB", 6),
    ("2.12.10", "SYS", 7),
    ("2.21.5", "PIX", 3),
    ("2.25.1", "PIX", 3),
    ("2.26.2", "C2C", 3),
    ("2.26.2", "PIX", 4),
    ("2.27.3", "PIX", 4),
    ("2.27.7", "PXB", 5),
    ("2.30.7", "SYS", 9),
]


@pytest.mark.parametrize("release, name, number", DISTANCES)
def test_distances_are_numbers_of_the_logs_own_release(tmp_path, release, name, number):
    lines = lines_of("h100-nvswitch.xml", release, 2)
    bus = lines_bus(lines)
    start = next(i for i, line in enumerate(lines) if "=== System" in line)
    head = lines[start].split(" NCCL INFO ")[0]
    said = f"{head} NCCL INFO GPU Direct RDMA Enabled for GPU {bus} / HCA 0 (distance {number} <= 9), read 0"
    end = next(i for i, line in enumerate(lines) if "==========" in line)
    checked = check(
        tmp_path, lines[: end + 1] + [said] + lines[end + 1 :], "--topology", str(H100), "--release", "2.30.7"
    )["check"]
    fact = next(f for f in checked["facts"] if f["topic"] == "gdr")
    assert fact["logged"] == f"on at distance {name}"


def lines_bus(lines):
    return next(m[1] for line in lines if (m := re.search(r"GPU/(?:0-)?([0-9a-fA-F]+)", line))).lower()


@pytest.mark.parametrize("machine", ["hgx-h100", "p4d.24xlarge", "dgx-a100", "gb200-tray"])
def test_a_machine_type_stands_for_a_file(tmp_path, server, machine):
    lines = log_of("--machine", machine, "--hosts", "2", "--release", "2.27.7", "--domain", "1")
    lines = [
        line for line in lines if not re.search(r"=== System|={8}|\+ |CPU/|NET/.*:|GPU/.* :", line)
    ]  # the log has no tree
    by_machine = check(tmp_path, lines, "--machine", machine)["check"]
    by_assume = check(tmp_path, lines, "--assume", machine)["check"]
    assert by_machine["verdict"] == "agrees" and by_machine["agree"] > 50, by_machine["first_difference"]
    assert by_assume["agree"] == by_machine["agree"] and by_assume["differ"] == 0
    status, whole = server.json("POST", f"/v1/analyze?machine={machine}&hosts=2&release=2.27.7", b"")
    assert (
        status == 200
        and whole["channels"]["rings"]
        == analyzed("--machine", machine, "--hosts", "2", "--release", "2.27.7")["channels"]["rings"]
    )
    assert whole["input"]["kind"] == "machine-type" and any(
        "made up" in row["what"] for row in whole["input"]["assumed"]
    )
    status, answer = server.json("POST", f"/v1/check-log?machine={machine}", "\n".join(lines).encode())
    assert (status, answer["check"]["verdict"]) == (200, "agrees")


def test_bus_ids_of_all_gpus_give_their_order_whatever_cuda_numbers_them(tmp_path):
    """CUDA_VISIBLE_DEVICES=7,6,...,0: cudaDev 0 has the highest bus id, as in Azure's logs. The bus ids of a machine
    type are made up, but not their order."""
    lines = log_of("--machine", "Standard_ND96asr_v4", "--gpus", "7,6,5,4,3,2,1,0", "--release", "2.12.12")
    lines = [
        re.sub(r" nvmlDev [0-9]+", "", line)
        for line in lines
        if not re.search(r"=== System|={8}|\+ |CPU/|NET/.*:|GPU/.* :", line)
    ]
    lines = [re.sub(r"busId ([0-9a-f]+)0 ", r"busId \g<1>000 ", line) for line in lines]  # no bus id of the type
    checked = check(tmp_path, lines, "--machine", "Standard_ND96asr_v4")["check"]
    assert (checked["verdict"], checked["differ"]) == ("agrees", 0), checked["first_difference"]
    assert any("in order of bus ids" in text for text in checked["assumed"])


def test_a_machine_type_and_a_file_exclude_each_other(server):
    for command in (("analyze",), ("convert",), ("explain", "--why", "graph"), ("render",)):
        status, _, err = run(*command, "--machine", "hgx-h100", str(H100))
        assert status == 2 and "replaces a file" in err
    assert server.json("POST", "/v1/analyze?machine=hgx-h100", H100.read_bytes())[0] == 400
    assert server.json("POST", "/v1/analyze?machine=hgx-h10", b"")[0] == 400
    assert server.json("POST", "/v1/analyze", b"")[0] == 400


def test_causes_that_a_line_contradicts_are_not_offered(tmp_path):
    lines = log_of("--release", "2.27.7", "--hosts", "2", stdin=H100.read_text().replace('gdr="1"', 'gdr="0"').encode())
    answer = check(tmp_path, lines, "--topology", str(H100))["check"]
    assert answer["causes"][0]["id"] in ("gdr-off", "hardware") and answer["causes"][0]["differences_left"] == 0
    head = next(line for line in lines if "Init START" in line).split(" NCCL INFO ")[0]
    end = next(i for i, line in enumerate(lines) if "==========" in line)
    used = f"{head} NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA"
    answer = check(tmp_path, lines[: end + 1] + [used] + lines[end + 1 :], "--topology", str(H100))["check"]
    for cause in answer["causes"]:
        assert (
            "every NIC" not in cause["what"]
            and "GDR_LEVEL=LOC" not in cause["what"]
            and "newer release" not in cause["why"]
        )


def test_a_cause_leaves_at_most_half_of_the_differences_and_names_lines(tmp_path):
    lines = [l for l in lines_of("v100-cube-mesh.xml", settings=["NCCL_MIN_NCHANNELS=16"]) if "environment" not in l]
    checked = check(tmp_path, lines, "--topology", str(EXAMPLES / "v100-cube-mesh.xml"))["check"]
    assert checked["causes"] and all(
        c["differences_left"] * 2 <= checked["differ"] for c in checked["causes"] if c["tested"]
    )
    assert 1 <= len(checked["causes"][0]["lines"]) <= 3
    differing = {f["line"] for f in checked["facts"] if f["verdict"] == "differs"}
    assert set(checked["causes"][0]["lines"]) <= differing


def test_causes_that_no_prediction_tries_name_their_lines_too(tmp_path):
    lines = [
        l.replace("2.27.7+cuda", "2.99.1+cuda")
        for l in lines_of("v100-cube-mesh.xml", settings=["NCCL_MIN_NCHANNELS=16"])
        if "environment" not in l
    ]
    head = next(line for line in lines if "Init START" in line).split(" NCCL INFO ")[0]
    lines.insert(1, f"{head} NCCL INFO NCCL_TOPO_FILE set by environment to /etc/topo.xml")
    causes = {
        cause["id"]: cause
        for cause in check(tmp_path, lines, "--topology", str(EXAMPLES / "v100-cube-mesh.xml"))["check"]["causes"]
    }
    assert causes["topology-file"]["lines"] == [2] and causes["release-not-emulated"]["lines"] == [1]
    mixed = [lines[0], lines[0].replace("2.99.1", "2.27.7"), *lines[1:]]
    causes = {
        cause["id"]: cause
        for cause in check(tmp_path, mixed, "--topology", str(EXAMPLES / "v100-cube-mesh.xml"))["check"]["causes"]
    }
    assert causes["releases-differ"]["lines"] == [1, 2]


def implied(tmp_path, machine, *said, name="", gpus=None, hosts=2):
    """The answer about a log without a tree of a job on a machine type, with lines that say something of the
    machine."""
    chosen = ("--gpus", gpus) if gpus else ()
    lines = log_of("--machine", machine, "--hosts", str(hosts), "--release", "2.27.7", *chosen)
    lines = [line for line in lines if not re.search(r"=== System|={8}|\+ |CPU/|NET/.*:|GPU/.* :", line)]
    head = next(line for line in lines if " rank 0 " in line).split(" NCCL INFO ")[0]
    for old, new in zip(
        sorted({m for line in lines for m in re.findall(r"busId (\w+)", line)}, key=lambda text: int(text, 16)),
        name.split(),
    ):
        lines = [re.sub(rf"(busId |GPU/0-){old}\b", rf"\g<1>{new}", line) for line in lines]
    return check(
        tmp_path,
        lines[:1]
        + [f"{head} NCCL INFO {text}" for text in said if not text.startswith("#")]
        + [t for t in said if t.startswith("#")]
        + lines[1:],
    )


AZURE = "100000 200000 300000 400000 b00000 c00000 d00000 e00000"
IB_NAMES = "NET/IB : Using " + " ".join(f"[{i}]mlx5_ib{i}:1/IB" for i in range(8)) + " [RO]; OOB eth0:10.0.0.1<0>"
DEVICE = "#  Rank  0 Group  0 Pid      1 on      node1 device  7 [0x18] "


@pytest.mark.parametrize(
    "machine, said, bus_ids, alike",
    [
        (
            "p4d.24xlarge",
            (
                "NET/OFI Running on p4d.24xlarge platform, Setting NCCL_TOPO_FILE environment variable to "
                "/opt/p4d-24xl-topo.xml",
            ),
            "",
            [],
        ),
        ("p5.48xlarge", ("NET/OFI Running on p5.48xlarge platform, topology file /opt/p5.48xl-topo.xml",), "", []),
        (
            "p5.48xlarge",
            ("NET/OFI Selected provider is efa, fabric is efa (found 32 nics)", DEVICE + "NVIDIA H100 80GB HBM3"),
            "",
            [],
        ),
        (
            "Standard_ND96isr_H100_v5",
            ("NCCL_TOPO_FILE set by environment to /opt/microsoft/ndv5-topo.xml", DEVICE + "NVIDIA H100 80GB HBM3"),
            "",
            [],
        ),
        (
            "Standard_ND96isr_H200_v5",
            ("NCCL_TOPO_FILE set by environment to /opt/microsoft/ndv5-topo.xml", DEVICE + "NVIDIA H200"),
            "",
            [],
        ),
        ("Standard_ND96asr_v4", (IB_NAMES,), AZURE, ["Standard_ND96amsr_A100_v4"]),
    ],
)
def test_the_only_machine_type_that_fits_the_lines_is_used_and_the_lines_are_named(
    tmp_path, machine, said, bus_ids, alike
):
    answer = implied(tmp_path, machine, *said, name=bus_ids)
    found, checked = answer["implied_machine"], answer["check"]
    assert (found["type"], found["fits"], found["would_decide"]) == (machine, [machine, *alike], ""), found
    assert (checked["verdict"], checked["differ"]) == ("agrees", 0) and checked["agree"] > 50, checked[
        "first_difference"
    ]
    first = checked["assumed"][0]
    assert first.startswith(f"The machine is assumed to be a {machine}") and all(name in first for name in alike)
    text = (tmp_path / "job.log").read_text().split("\n")
    for row in found["lines"]:
        assert f"line {row['line']}: {row['says']}" in first and 0 < row["line"] <= len(text)
    named = {text[row["line"] - 1].split(" NCCL INFO ")[-1] for row in found["lines"]}
    assert set(said) <= named  # the lines that were added decide
    assert "made up" in checked["assumed"][1] and "NCCL_TOPO_DUMP_FILE" in checked["assumed"][1]
    assert any("machine type that the log's lines imply" in sentence for sentence in answer["triage"]["sentences"])
    printed = run("check-log", str(tmp_path / "job.log"))[1].decode()
    assert f"Assumed: {first}." in printed


@pytest.mark.parametrize(
    "said, some, would_decide",
    [
        (
            (DEVICE + "NVIDIA H100 80GB HBM3",),
            {"dgx-h100", "p5.48xlarge", "Standard_ND96isr_H100_v5"},
            ["names of the NICs", "speed of the NICs"],
        ),
        (
            (DEVICE + "NVIDIA L40S",),
            {"g6e.48xlarge"},
            [],
        ),  # one type has such GPUs, and so has many a server: nothing proves the type
        ((IB_NAMES,), {"Standard_ND96asr_v4", "Standard_ND96isr_H100_v5"}, ["model of the GPUs", "speed of the NICs"]),
        (
            (
                "NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=200000 context=0x7f pciPath=/sys/a ar=0",
                DEVICE + "NVIDIA H100 80GB HBM3",
            ),
            {"BM.GPU.H100.8", "gx3d-160x1792x8h100"},
            ["names of the NICs"],
        ),
    ],
)
def test_where_several_types_fit_none_is_chosen_and_what_would_decide_is_named(tmp_path, said, some, would_decide):
    answer = implied(tmp_path, "hgx-h100", *said)
    found = answer["implied_machine"]
    assert answer["check"] is None and found["type"] is None and some <= set(found["fits"])
    assert "Which one is it (--machine TYPE)? " in answer["why_no_check"] and all(
        name in answer["why_no_check"] for name in found["fits"]
    )
    assert [text in found["would_decide"] for text in would_decide] == [True] * len(would_decide)
    assert bool(would_decide) == ("these lines would decide" in answer["why_no_check"])


@pytest.mark.parametrize(
    "said, named",
    [
        ((DEVICE + "NVIDIA RTX A6000",), "the GPUs are NVIDIA RTX A6000"),
        (
            ("NET/OFI Running on p9z.96xlarge platform, Setting NCCL_TOPO_FILE environment variable to /a.xml",),
            "names the platform p9z.96xlarge",
        ),
        (
            (
                "NET/OFI Running on p4d.24xlarge platform, Setting NCCL_TOPO_FILE environment variable to /a.xml",
                DEVICE + "NVIDIA H100 80GB HBM3",
            ),
            "p4d.24xlarge",
        ),
    ],
)
def test_where_no_type_fits_the_lines_that_exclude_them_are_named(tmp_path, said, named):
    answer = implied(tmp_path, "hgx-h100", *said)
    assert answer["check"] is None and answer["implied_machine"]["fits"] == []
    assert (
        "no machine type that Orrery knows fits the log" in answer["why_no_check"] and named in answer["why_no_check"]
    )


def test_a_given_machine_comes_before_what_the_lines_imply(tmp_path):
    answer = implied(tmp_path, "p4d.24xlarge", "NET/OFI Running on p4d.24xlarge platform, topology file /a.xml")
    assert answer["implied_machine"]["type"] == "p4d.24xlarge"
    given = json.loads(run("check-log", "--json", "--machine", "hgx-b200", str(tmp_path / "job.log"))[1])
    assert "implied_machine" not in given and not any("taken to be" in s for s in given["check"].get("assumed", []))


def test_a_difference_from_an_implied_machine_names_the_assumption(tmp_path):
    said = "NET/OFI Running on p4d.24xlarge platform, topology file /a.xml"
    lines = implied(tmp_path, "p4d.24xlarge", said) and (tmp_path / "job.log").read_text().split("\n")
    swapped = [
        re.sub(r"(Channel \d+/\d+ : +\d+ +)(\d+) +(\d+)", r"\1\3 \2", line)
        for line in lines
        if not re.search(r"Ring \d+ :|Trees ", line)
    ]
    checked = check(tmp_path, swapped)["check"]
    assert checked["verdict"] == "differs"
    assert any(cause["id"] == "machine-assumed" and "--topology" in cause["advice"] for cause in checked["causes"])


def test_gpus_of_another_capability_than_the_given_type_are_named(tmp_path):
    lines = log_of("--machine", "hgx-h100", "--release", "2.27.7")
    lines = [line for line in lines if not re.search(r"=== System|={8}|\+ |CPU/|NET/.*:|GPU/.* :", line)]
    checked = check(tmp_path, [DEVICE + "NVIDIA H100 80GB HBM3"] + lines, "--machine", "hgx-b200")["check"]
    assert any("compute capability 9.0" in sentence and "10.0" in sentence for sentence in checked["assumed"])


@pytest.mark.parametrize(
    "model, named, not_named",
    [
        ("NVIDIA H200", "dgx-h200", "dgx-h100"),
        ("NVIDIA GH200 480GB", "gh200", "dgx-h200"),
        ("NVIDIA A100-SXM4-40GB", "p4d.24xlarge", "p3.16xlarge"),
        ("NVIDIA RTX A6000", None, "g7e.48xlarge"),
        ("NVIDIA H100 NVL", None, "dgx-h100"),
    ],
)
def test_a_log_without_tree_names_the_machine_types_that_have_its_gpus(model, named, not_named):
    """The types are named and none is chosen: types with the same GPU model differ in NICs and switches, and nothing
    proves which it is."""
    text = (
        "node1:1:1 [0] NCCL INFO NCCL version 2.27.7+cuda12.4\n#  Rank  0 Group  0 Pid      1 on      node1 "
        f"device  0 [0x18] {model}\n"
    )
    status, out, err = run("check-log", "--json", "-", stdin=text.encode())
    assert status == 0, err
    answer = json.loads(out)
    assert answer["check"] is None and "does not contain the tree" in answer["why_no_check"]
    listed = answer["implied_machine"]["fits"]
    assert (
        answer["implied_machine"]["type"] is None
        and not_named not in listed
        and (named in listed if named else not listed)
    ), listed
