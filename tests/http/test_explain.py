# SPDX-License-Identifier: Apache-2.0
"""Explanations of decisions: the route, its errors, and the same on the command line."""
import json
import re

import pytest

from conftest import DUMP, ROOT
from test_command_line import run

EXAMPLE = (ROOT / "static" / "examples" / "h100-with-faults.xml").read_bytes()
QUESTIONS = [
    "decision=path&from=5&to=NET/0-5",
    "decision=p2p&from=rank:0&to=rank:3",
    "decision=gdr&from=NET/0-5&to=5",
    "decision=nic&from=0&channel=1",
    "decision=pxn&from=0&to=NET/0-3",
    "decision=graph",
    "decision=graph&graph=nvls",
    "decision=tree",
    "decision=channels",
    "decision=nvls",
    "decision=algorithm&collective=AllGather&bytes=64k",
]


@pytest.fixture(scope="module")
def stored(server):
    return "/v1/topologies/" + server.json("POST", "/v1/topologies", EXAMPLE)[1]["id"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_decision_in_old_and_new_releases(server, stored, question):
    for release in ("2.12.12", "2.30.7"):
        if release == "2.12.12" and "nvls" in question and "graph" in question:
            continue
        status, body = server.json("GET", f"{stored}/explain?release={release}&hosts=2&{question}")
        assert status == 200, body
        assert body["nccl"] == release and body["decision"] == re.search(r"decision=(\w+)", question)[1]
        assert body["rule"] and body["text"] and len(body["answer"]) > 40 and body["answer"].endswith(".")
        assert body["release_rules"] and all(row["value"] for row in body["release_rules"])
        rows = body["what_if"]
        assert rows and rows == sorted(rows, key=lambda row: not row["changes"]), "what changes it comes first"
        for row in rows:
            assert row["changes"] == (row["refused"] or row["then"] != body["verdict"])
            assert sum(row["sections"].values()) == row["changed"]


def test_hardware_and_effect_are_distinguished(server, stored):
    _, body = server.json("GET", f"{stored}/explain?hosts=2&decision=path&from=5&to=NET/0-5")
    assert body["distance"]["physical"]["type"] == "PIX" and body["distance"]["effective"]["type"] == "PHB"
    assert body["distance"]["text"] == 'PIX by hardware, PHB in effect because gdr="0" on NET/0-5 (mlx5_5)'
    assert body["limit"]["bw"] > 0 and body["limit"]["from"] and body["limit"]["to"]


def test_what_is_promised_comes(server, stored):
    """The setting that is named, given: the verdict is the promised one, and taking it back restores the first."""
    _, body = server.json("GET", f"{stored}/explain?hosts=2&decision=channels")
    change = next(row for row in body["what_if"] if row["changes"])
    _, after = server.json("GET", f"{stored}/explain?hosts=2&decision=channels&{change['setting']}={change['value']}")
    assert after["verdict"] == change["then"]
    back = next(row for row in after["what_if"] if row["setting"] == change["setting"] and row["value"] == "")
    assert back["changes"] and back["then"] == body["verdict"]


def test_a_dump_that_is_not_kept(server):
    status, body = server.json("POST", "/v1/explain?decision=p2p&from=0&to=1", DUMP)
    assert (status, body["decision"], body["topology"][:1] != "") == (200, "p2p", True)


@pytest.mark.parametrize(
    "question, status, says",
    [
        ("", 400, "which decision"),
        ("decision=colour", 400, "decision must be path, p2p"),
        ("decision=p2p&from=0", 400, "both from and to"),
        ("decision=p2p&from=0&to=99", 404, 'no device "99"'),
        ("decision=p2p&from=0&to=NET/0-0", 404, "two GPUs"),
        ("decision=graph&graph=circle", 400, "graph must be ring"),
        ("decision=graph&graph=collnet_chain", 404, "does not build the collnet_chain graph"),
        ("decision=algorithm&bytes=huge", 400, "bytes must be"),
        ("decision=algorithm&bytes=0", 400, "bytes must be"),
        ("decision=algorithm&collective=Gossip", 400, "collective must be"),
        ("decision=nic&from=0&channel=63", 404, "no channel 63"),
        ("decision=p2p&form=0", 400, "there is no parameter"),
    ],
)
def test_wrong_questions_say_what_is_wrong(server, stored, question, status, says):
    response, raw = server.ask("GET", f"{stored}/explain?hosts=2&{question}")
    body = json.loads(raw)
    assert response.status == status and says in body["detail"], body
    assert body.get("advice") or status == 400, body


def test_the_document_holds_the_decisions_of_the_whole(server, stored):
    _, body = server.json("GET", f"{stored}/analysis/explanations?hosts=2")
    assert [row["decision"] for row in body["decisions"]] == ["graph"] * 3 + ["tree", "channels", "nvls"]
    assert all("what_if" not in row for row in body["decisions"])
    _, alone = server.json("GET", f"{stored}/explain?hosts=2&decision=nvls")
    assert all(alone[key] == value for key, value in body["decisions"][-1].items())


def test_command_line(tmp_path):
    path = tmp_path / "machine.xml"
    path.write_bytes(EXAMPLE)
    status, out, err = run("explain", "--hosts", "2", "--why", "path", "--from", "5", "--to", "NET/0-5", str(path))
    text = out.decode()
    assert (status, err) == (0, "")
    for part in (
        'By hardware it would be PIX with 48 GB/s, but gdr="0"',
        "Rule PATH_NO_GDR of NCCL",
        "Values compared:",
        "Limiting link:",
        "Assumed:",
    ):
        assert part in text, text
    body = json.loads(run("explain", "--why", "channels", "--json", str(path))[1])
    assert body["topology"] == "machine.xml" and body["what_if"]
    assert run("explain", "--why", "channels", "-", stdin=EXAMPLE)[0] == 0
    status, out, err = run("explain", str(path))
    assert (status, out) == (2, b"") and "--why NAME" in err and "p2p" in err and "Can a GPU use P2P" in err
    status, out, err = run("explain", "--why", "p2p", "--from", "0", "--to", "77", str(path))
    assert (status, out) == (1, b"") and 'no device "77"' in err


@pytest.mark.parametrize(
    "example, hosts",
    [
        ("h100-nvswitch", 1),
        ("h100-nvswitch", 2),
        ("hgx-a100-4", 2),
        ("dgx-1-p100", 2),
        ("l40s-8gpu", 1),
        ("gh200", 2),
        ("workstation-2gpu", 1),
    ],
)
def test_no_graph_takes_more_of_a_link_than_it_has(server, example, hosts):
    """Trees included, whose data runs up and down; and the fullest link is the one that the explanation of the graph
    names."""
    dump = (ROOT / "static" / "examples" / f"{example}.xml").read_bytes()
    stored = "/v1/topologies/" + server.json("POST", "/v1/topologies", dump)[1]["id"]
    for release in ("2.12.12", "2.30.7"):
        _, body = server.json("GET", f"{stored}/analysis?release={release}&hosts={hosts}")
        bandwidths = {}
        for start, end, kind, bw in body["system"]["links"]:
            bandwidths[start, end, kind] = max(bw, bandwidths.get((start, end, kind), 0))
        for graph in body["graphs"]:
            rows = body["explanations"]["loads"][graph["name"]]
            shares = [used / bandwidths[start, end, kind] for start, end, kind, used, _ in rows]
            assert bool(rows) == (graph["channels"] > 0) and all(share <= 1.001 for share in shares), (
                release,
                graph["name"],
            )
            assert {c for *_, channels in rows for c in channels} == set(range(graph["channels"]))
            if rows:
                _, why = server.json(
                    "GET", f"{stored}/explain?release={release}&hosts={hosts}&decision=graph&graph={graph['name']}"
                )
                assert why["limit"]["used"] == pytest.approx(rows[shares.index(max(shares))][3])
