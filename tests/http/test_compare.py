# SPDX-License-Identifier: Apache-2.0
"""Comparing dumps: answers and refusals of the service, and the command line."""
import json
import os
import subprocess

import pytest

from conftest import DUMP, ROOT, SANITIZERS

PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
H100 = (ROOT / "static/examples/h100-nvswitch.xml").read_bytes()
TRAY = (ROOT / "static/examples/gb300-tray.xml").read_bytes()
FAULTS = (ROOT / "static/examples/h100-with-faults.xml").read_bytes()


def narrow(dump):
    """The first NIC's slot has four lanes."""
    at = dump.index(b"<nic")
    start = dump.rindex(b'link_width="', 0, at)
    return dump[:start] + b'link_width="4"' + dump[dump.index(b'"', start + 12) + 1 :]


def renamed(dump):
    return dump.replace(b'mlx5_0"', b'mlx5_x"').replace(b'mlx5_1"', b'mlx5_0"').replace(b'mlx5_x"', b'mlx5_1"')


def put(server, dump, query=""):
    status, made = server.json("POST", f"/v1/topologies{query}", dump)
    assert status in (200, 201), made
    return made["id"]


def test_two_topologies_side_by_side(server):
    good = H100 + b"<!-- not kept yet, so that it gets its name -->"
    a, b = put(server, good, "?name=good"), put(server, narrow(good))
    status, found = server.json("GET", f"/v1/compare?a={a}&b={b}&hosts=2")
    assert status == 200 and (found["a"]["name"], found["hosts"], found["equal"]) == ("good", 2, False)
    [row] = found["hardware"]["rows"]
    assert (row["what"], row["b"], row["device_a"]["node"]) == ("link_width", "4", row["device_b"]["node"])
    assert not found["same_decisions"] and found["sections"]["system"]["changed"]
    assert all(x == y for x, y in found["match"]), "the ids are the same, as bus ids are"
    status, same = server.json("GET", f"/v1/compare?a={a}&b={a}")
    assert same["equal"] and same["same_decisions"] and "The same machine" in same["summary"]
    again = server.ask("GET", f"/v1/compare?a={a}&b={a}")[0].getheader("ETag")
    assert server.ask("GET", f"/v1/compare?a={a}&b={a}", None, {"If-None-Match": again})[0].status == 304


def test_a_machine_type_takes_the_place_of_the_second_topology(server, tmp_path):
    a = put(server, narrow(H100))
    status, found = server.json("GET", f"/v1/compare?a={a}&machine=dgx-h100&hosts=2")
    assert status == 200 and found["b"]["topology"] == "dgx-h100" and not found["same_decisions"]
    assert [(row["what"], row["a"], row["b"]) for row in found["hardware"]["rows"]] == [
        ("link_width", "4", "16")
    ]  # nothing that the type does not contain
    path = tmp_path / "topo.xml"
    path.write_bytes(narrow(H100))
    run = subprocess.run(
        [PROGRAM, "compare", "--json", "--machine", "dgx-h100", "--hosts", "2", str(path)],
        capture_output=True,
        env={**os.environ, **SANITIZERS},
    )
    assert run.returncode == 0, run.stderr
    alone = json.loads(run.stdout)
    assert alone["hardware"]["rows"] == found["hardware"]["rows"] and alone["b"]["topology"] == "dgx-h100"
    b = put(server, H100)
    for query, where in (
        (f"a={a}&b={b}&machine=dgx-h100", "machine"),
        ("machine=dgx-h100", "a"),
        (f"a={a}&machine=dgx-h10", "machine"),
        (f"a={a}&machine=dgx-h100&topology={b}", "a"),
    ):
        status, problem = server.json("GET", f"/v1/compare?{query}")
        assert status == 400 and problem, query
    for arguments in (
        ["--machine", "dgx-h100"],
        ["--machine", "dgx-h100", str(path), str(path)],
        ["--majority", "--machine", "dgx-h100", str(path), str(path), str(path)],
    ):
        assert subprocess.run([PROGRAM, "compare", *arguments], capture_output=True).returncode == 2


def test_a_set_by_label_and_by_ids(server):
    ids = [put(server, H100 + b"<!-- %d -->" % i, "?label=rack%3D77") for i in range(4)]
    odd = put(server, narrow(H100) + b"<!-- odd -->", "?label=rack%3D77&name=odd")
    other = put(server, renamed(H100) + b"<!-- other -->", "?label=rack%3D77")
    status, found = server.json("GET", "/v1/compare?label=rack%3D77")
    assert status == 200 and found["compared"] == 6 and found["kinds"] == 2
    findings = {row["catalogue"]: row for row in found["findings"]}
    assert findings["L90"]["topologies"] == [odd] and findings["L91"]["topologies"] == [other]
    hardware = [row for row in found["rows"] if not row["numbering"]]
    assert [(row["majority"], row["odd"], row["deviants"]) for row in hardware] == [
        ("16", True, [{"topology": odd, "value": "4"}])
    ]
    members = {row["topology"]: row for row in found["members"]}
    assert members[odd]["hardware"] == 1 and members[odd]["decisions"]["system"] > 0 and members[odd]["name"] == "odd"
    most = next(row for row in found["members"] if row["topology"] in ids)  # they differ in a comment alone
    assert most["decisions"] is None and {most["topology"], *most["also"]} == set(ids) and most["topologies"] == 4
    named = "&".join(f"topology={i}" for i in (*ids[:2], odd))
    assert server.json("GET", f"/v1/compare?{named}")[1]["findings"][0]["topologies"] == [odd]


@pytest.mark.parametrize(
    "query, status, word",
    [
        ("", 400, "both a and b"),
        ("a=ID", 400, "both a and b"),
        ("a=ID&b=xyz", 400, "not the id"),
        ("a=ID&b=" + "0" * 32, 404, "no topology"),
        ("topology=ID&topology=ID", 400, "at least 3"),
        ("a=ID&b=ID&label=x%3D1", 400, "not a set"),
        ("label=none%3Dsuch", 400, "at least 3"),
        ("a=ID&b=ID&release=9.9", 400, "9.9"),
    ],
)
def test_what_cannot_be_compared_says_why(server, topology, query, status, word):
    got, problem = server.json("GET", "/v1/compare?" + query.replace("ID", topology))
    assert got == status and word in problem["detail"], problem


def test_a_side_that_cannot_be_analysed_is_named(server, topology):
    unranked = put(server, DUMP.replace(b"rank=", b"rang="))
    status, problem = server.json("GET", f"/v1/compare?a={topology}&b={unranked}")
    assert status == 422 and problem["type"] == "/problems/no-ranks", problem


def run(*arguments):
    done = subprocess.run(
        [PROGRAM, "compare", *arguments], capture_output=True, timeout=60, env=dict(os.environ, **SANITIZERS)
    )
    assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr[-3000:]
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def files(folder, *dumps):
    paths = [folder / f"{i}.xml" for i in range(len(dumps))]
    for path, dump in zip(paths, dumps):
        path.write_bytes(dump)
    return [str(path) for path in paths]


def test_the_command_compares_two(tmp_path):
    a, b = files(tmp_path, H100, narrow(H100))
    status, out, err = run("--hosts", "2", a, b)
    document = json.loads(out)  # no terminal: JSON
    assert (status, err, document["a"]["topology"]) == (0, "", a) and document["hardware"]["count"] == 1
    status, text, _ = run("--text", a, b)
    assert status == 0 and "PCIe lanes: 16 -> 4" in text and "Hardware that differs\n" in text
    assert " GB/s before, " in text.split("\n")[0] and "Hosts  Operation" in text
    assert "The same machine. NCCL decides the same" in run("--text", a, a)[1]


def test_the_command_names_the_odd_one(tmp_path):
    paths = files(tmp_path, H100, FAULTS, H100, H100, renamed(H100))
    status, text, _ = run("--majority", "--text", *paths)
    assert (
        status == 0
        and "5 dumps were read, 3 of them different" in text
        and "warning L90" in text
        and "warning L91" in text
    )
    document = json.loads(run("--majority", "--json", *paths)[1])
    assert {row["catalogue"]: row["topologies"] for row in document["findings"]} == {
        "L90": [paths[1]],
        "L91": [paths[4]],
    }
    assert next(row for row in document["members"] if row["topology"] == paths[1])["decisions"]["paths"] > 0


@pytest.mark.parametrize(
    "arguments",
    [[], ["one.xml"], ["1.xml", "2.xml", "3.xml"], ["--majority", "1.xml", "2.xml"], ["--view", "ring", "a", "b"]],
)
def test_wrong_usage_of_the_command(arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "") and "compare" in err


def test_an_unreadable_side_is_named(tmp_path):
    a, b = files(tmp_path, H100, b"<system")
    status, out, err = run(a, b)
    assert (status, out) == (1, "") and err.startswith(f"{b}:1:")


def slower(dump):
    """The first NIC runs at an eighth of its speed."""
    return dump.replace(b'speed="800000"', b'speed="100000"', 1)


JOINING = (
    "The input does not show whether NVLink joins the hosts, as in a rack: if so, AllReduce gets about 908 "
    "GB/s on 18 hosts, otherwise about 316 before and 248 after. `nvidia-smi -q | grep -E 'ClusterUUID|CliqueId'` shows"
)


def test_trays_are_compared_with_nvlink_between_the_hosts_and_without(server, tmp_path):
    """NVLink joins the hosts of both sides or of neither, whatever a machine type has by default."""
    a, b = files(tmp_path, TRAY, slower(TRAY))
    assert JOINING in run("--text", "--hosts", "18", a, b)[1]
    assert JOINING in run("--text", "--majority", "--hosts", "18", a, a, b)[1]
    for apart in (("--hosts", "1"), ("--hosts", "18", "--domain", "1"), ("--hosts", "18", "--domain", "18")):
        assert "does not show" not in run("--text", *apart, a, b)[1], apart
    assert "if so, AllReduce gets about 908 GB/s" in run("--text", "--hosts", "18", "--machine", "gb300-tray", a)[1]
    stored = [put(server, dump) for dump in (TRAY, slower(TRAY), TRAY + b"<!-- another -->")]
    status, document = server.json("GET", f"/v1/compare?a={stored[0]}&b={stored[1]}&hosts=18")
    assert status == 200 and JOINING in document["summary"]
    several = "&".join(f"topology={ident}" for ident in stored)
    status, document = server.json("GET", f"/v1/compare?{several}&hosts=18")
    assert status == 200 and JOINING in document["summary"]
    status, document = server.json("GET", f"/v1/compare?a={stored[0]}&b={stored[1]}&hosts=18&domain=1")
    assert status == 200 and "does not show" not in document["summary"]
