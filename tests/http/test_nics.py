# SPDX-License-Identifier: Apache-2.0
"""The NICs that a job uses (fuse_nics, NCCL_IB_HCA), graph files and tuner files, over HTTP and from the command
line."""
import json
import urllib.parse

import pytest

from conftest import ROOT
from test_command_line import run

P5 = (ROOT / "static" / "examples" / "aws-p5.xml").read_bytes()
H100 = (ROOT / "static" / "examples" / "h100-nvswitch.xml").read_bytes()


def assumed(body):
    return [row["what"] for row in body["input"]["assumed"]]


def nets(body):
    return [node for node in body["system"]["nodes"] if node["id"].startswith("NET/")]


def best(body):
    n = body["ranks"]
    return (
        max(bw for row in body["tuning"]["bandwidths"]["AllReduce"].values() for bw in row.values()) * 2 * (n - 1) / n
    )


def test_efa_nics_are_grouped_where_asked(server):
    """AWS p5: as /sys shows 32 NICs, half of what is measured (487 GB/s on two hosts); as the plugin groups them,
    within 5 %."""
    bodies = {}
    for mode in ("auto", "never", "always"):
        status, bodies[mode] = server.json("POST", f"/v1/analyze?release=2.27.7&hosts=2&fuse_nics={mode}", P5)
        assert status == 200, bodies[mode]
    assert len(nets(bodies["auto"])) == len(nets(bodies["never"])) == 32
    assert len(nets(bodies["always"])) == 8 and all(node["bw"] == 50 for node in nets(bodies["always"]))
    assert any("EFA NICs are grouped" in line and "8 NICs in place of 32" in line for line in assumed(bodies["always"]))
    assert best(bodies["never"]) < 0.8 * 487 and abs(best(bodies["always"]) / 487 - 1) < 0.05


def test_a_machine_type_fuses_by_default(server):
    """A provider's file is not a dump of NCCL: NICs are presented as a job sees them, and a note says so."""
    provider = ROOT / "static" / "examples" / "aws-p5.xml"
    xml = provider.read_text()
    for what in (' rank="%d"' % i for i in range(8)):
        xml = xml.replace(what, "")
    status, body = server.json("POST", "/v1/analyze?release=2.27.7&hosts=2&assume=p5", xml.encode())
    assert status == 200, body
    assert len(nets(body)) == 8 and any("EFA NICs are grouped" in line for line in assumed(body))


def test_nccl_ib_hca_selects_and_refuses(server):
    _, whole = server.json("POST", "/v1/analyze?hosts=2", H100)
    names = sorted({row["net"] for row in whole["gdr"]})
    status, body = server.json("POST", "/v1/analyze?hosts=2&NCCL_IB_HCA=mlx5_0,mlx5_1", H100)
    assert status == 200 and len(names) > 2
    assert len(nets(body)) == 2 and any("leaves out" in line for line in assumed(body))
    status, body = server.json("POST", "/v1/analyze?hosts=2&NCCL_IB_HCA=bnxt", H100)
    assert status in (400, 422) and "selects none" in body["detail"]


@pytest.mark.parametrize("command", [["analyze"], ["explain", "--why", "nic", "--from", "0"], ["render"], ["channels"]])
def test_every_command_takes_them(command, tmp_path):
    status, out, err = run(
        *command,
        "--hosts",
        "2",
        "--fuse-nics",
        "always",
        "--set",
        "NCCL_IB_HCA=^rdmap31s0",
        str(ROOT / "static/examples/aws-p5.xml"),
    )
    assert status == 0, err


GRAPHS = """<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="5" speedinter="5"
  latencyinter="0"
 typeintra="PHB" typeinter="PHB" samechannels="1"><channel>{}</channel></graph></graphs>"""


def ring(order):
    return GRAPHS.format("".join(f'<gpu dev="{gpu:#x}"/>' for gpu in order))


def test_a_graph_file_replaces_the_search(server, tmp_path):
    order = [0, 2, 4, 6, 7, 5, 3, 1]
    status, body = server.json("POST", "/v1/analyze?release=2.27.7", H100 + ring(order).encode())
    assert status == 200, body
    found = next(graph for graph in body["graphs"] if graph["name"] == "ring")
    assert found["intra"] == [order] and found["bw_intra"] == 5
    (tmp_path / "graph.xml").write_text(ring(order))
    for option in (["--graphs", str(tmp_path / "graph.xml")], ["--set", f"NCCL_GRAPH_FILE={tmp_path / 'graph.xml'}"]):
        status, out, err = run(
            "analyze", "--release", "2.27.7", *option, str(ROOT / "static/examples/h100-nvswitch.xml")
        )
        assert status == 0, err
        assert json.loads(out)["graphs"] == body["graphs"]
    status, out, err = run(
        "explain",
        "--release",
        "2.27.7",
        "--why",
        "graph",
        "--graphs",
        str(tmp_path / "graph.xml"),
        str(ROOT / "static/examples/h100-nvswitch.xml"),
    )
    assert status == 0 and b"NCCL_GRAPH_FILE gives this graph" in out
    status, body = server.json("POST", "/v1/analyze?release=2.27.7", H100 + ring([0, 1, 2, 3, 4, 5, 6, 9]).encode())
    assert status == 422 and "does not fit this machine" in body["detail"] and body.get("line", 0) > 1


def test_a_refused_graph_file_is_named_with_its_own_line(tmp_path):
    graph, machine = tmp_path / "graph.xml", str(ROOT / "static/examples/h100-nvswitch.xml")
    for text, line in ((ring([0, 1, 2, 3, 4, 5, 6, 9]), 3), ("<system version='1'/>", None)):
        graph.write_text(text)
        status, _, err = run("analyze", "--release", "2.27.7", "--graphs", str(graph), machine)
        assert status != 0 and str(graph) in err and "h100-nvswitch" not in err, err
        assert line is None or f"{graph}:{line}:" in err, err


ROWS = "allreduce,0,65536,tree,ll,4,-1,-1\nallreduce,65537,1048576,ring,simple,8,-1,-1\n"


def test_a_tuner_file_decides(server, tmp_path):
    query = urllib.parse.quote(ROWS.strip().replace("\n", ";"))
    status, body = server.json("POST", f"/v1/analyze?release=2.27.7&hosts=2&tuner={query}", H100)
    assert status == 200, body
    ranges = body["predictions"]["functions"]["AllReduce"]["ranges"]
    assert [row.get("tuner_line") for row in ranges[:2]] == [1, 2] and ranges[1]["from"] == 65537
    assert any(row["algorithm"] == "Tree" and row["protocol"] == "LL" and row["channels"] == 4 for row in ranges)
    assert (
        ranges[-1].get("tuner_line") is None and ranges[-1]["channels"] == 1
    ), "beyond the rows the plugin leaves one channel"
    (tmp_path / "tuner.csv").write_text(ROWS)
    status, out, err = run(
        "analyze",
        "--release",
        "2.27.7",
        "--hosts",
        "2",
        "--tuner",
        str(tmp_path / "tuner.csv"),
        str(ROOT / "static/examples/h100-nvswitch.xml"),
    )
    assert status == 0, err
    mine = json.loads(out)["predictions"]["functions"]["AllReduce"]["ranges"]
    assert [(row["from"], row["algorithm"], row["channels"]) for row in mine] == [
        (row["from"], row["algorithm"], row["channels"]) for row in ranges
    ]
    status, body = server.json("POST", "/v1/analyze?tuner=allreduce,0,1,rings,ll,4,-1,-1", H100)
    assert status in (400, 422) and "rings" in body["detail"]


def test_a_log_with_a_tuner_plugin_leaves_choices_open(tmp_path):
    log = tmp_path / "job.log"
    log.write_text(
        "h:1:2 [0] NCCL INFO NCCL version 2.27.7+cuda12.9\nh:1:2 [0] NCCL INFO TUNER/Plugin: Using tuner plugin "
        "Example\n"
        "h:1:2 [0] NCCL INFO comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0\n"
    )
    topology = str(ROOT / "static/examples/h100-nvswitch.xml")
    status, out, err = run("check-log", "--json", "--topology", topology, str(log))
    assert status == 0, err
    assert "tuner plugin" in json.loads(out)["check"]["choices_undecidable"]
    rows = tmp_path / "tuner.csv"
    rows.write_text(ROWS)
    status, out, err = run("check-log", "--json", "--topology", topology, "--tuner", str(rows), str(log))
    assert status == 0 and "choices_undecidable" not in json.loads(out)["check"]
