# SPDX-License-Identifier: Apache-2.0
"""Fleets of more than 512 hosts whose dumps all differ by their GUIDs and host hashes, as those of InfiniBand hosts do:
clusters, comparisons and gates work on shapes, and count the hosts of each."""
import json
import os
import re
import sqlite3
import subprocess

import pytest

from conftest import DUMP, ROOT, SANITIZERS, Server, wait_until

PROGRAM = os.path.abspath(os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery")))

COUNT = 600
SLOW = 7  # this host's first GPU has a link of half the width


def dump_of(host):
    own = DUMP.replace(b'guid="0x1"', b'guid="0x%016x"' % (0xA088C20300000000 + host))
    own = own.replace(b'host_hash="0x1"', b'host_hash="0x%016x"' % (0x1234000000000000 + host))
    return own.replace(b'link_width="16"', b'link_width="8"', 1) if host == SLOW else own


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    path = tmp_path_factory.mktemp("shapes") / "orrery.db"
    server = Server("--database", str(path))
    server.ids = []
    connection = server.connect()
    for host in range(COUNT):
        target = f"/v1/topologies?label=host%3Dn{host}&label=rack%3D7&name=n{host}"
        response, data = server.ask("POST", target, dump_of(host), None, connection)
        assert response.status == 201
        server.ids.append(json.loads(data)["id"])
    server.path = path
    yield server
    server.stop()


def test_the_ids_differ(fleet):
    assert len(set(fleet.ids)) == COUNT


def test_a_comparison_names_the_one_that_differs(fleet):
    status, found = fleet.json("GET", "/v1/compare?label=rack%3D7")
    assert status == 200, found
    assert (found["compared"], found["contents"], found["shapes"]) == (COUNT, COUNT, 2)
    members = {row["topology"]: row for row in found["members"]}
    odd = members[fleet.ids[SLOW]]
    assert odd["topologies"] == 1 and odd["also"] == [] and odd["hardware"] > 0
    others = next(row for row in found["members"] if row is not odd)
    assert others["topologies"] == COUNT - 1 and len(others["also"]) == 64 and others["hardware"] == 0
    assert set(others["also"]) < set(fleet.ids) - {others["topology"]}
    row = next(row for row in found["rows"] if row["what"] == "link_width")
    assert row["majority_count"] == COUNT - 1 and [one["topology"] for one in row["deviants"]] == [fleet.ids[SLOW]]


@pytest.mark.parametrize("host, state", [(1, "fit"), (SLOW, "degraded")])
def test_the_gate_counts_hosts(fleet, host, state):
    for _ in range(2):  # the second time the normal host is known
        status, verdict = fleet.json("POST", "/v1/gate?expect=fleet%3Alabel%3Drack%253D7", dump_of(host))
        assert status == 200, verdict
        assert verdict["state"] == state and f"the majority of {COUNT} hosts" in verdict["compared_with"]


def test_a_gate_sees_each_upload_and_each_change(fleet):
    """The normal host is remembered, but not beyond an upload, a change of labels, or a deletion."""
    gate = "/v1/gate?expect=fleet%3Alabel%3Drack%253D8"
    compared = lambda: fleet.json("POST", gate, DUMP)[1]["compared_with"]
    ids = []
    for host in range(3):
        ids.append(
            fleet.json("POST", f"/v1/topologies?label=host%3Dm{host}&label=rack%3D8", dump_of(900 + host))[1]["id"]
        )
        said = compared()
        assert "3 hosts" in said if host == 2 else "hosts" not in said.replace("hosts with", "")
    fleet.json("POST", "/v1/topologies?label=host%3Dm9&label=rack%3D8", dump_of(999))
    assert "4 hosts" in compared()
    assert fleet.ask("PATCH", f"/v1/topologies/{ids[0]}", b'{"labels": {"host": "m0"}}')[0].status == 200
    assert "3 hosts" in compared()
    fleet.json("POST", "/v1/topologies?label=host%3Dm8&label=rack%3D8", dump_of(998))
    assert "4 hosts" in compared()
    assert fleet.ask("DELETE", f"/v1/topologies/{ids[1]}")[0].status == 204
    assert "3 hosts" in compared()


def test_a_cluster_of_all(fleet):
    body = json.dumps({"hosts": [{"topology": ident} for ident in fleet.ids]}).encode()
    status, cluster = fleet.json("POST", "/v1/clusters", body)
    assert status == 201, cluster
    status, found = fleet.json("GET", f"/v1/clusters/{cluster['id']}/analysis/ranks")
    assert (status, found) == (200, 2 * COUNT)
    one = json.dumps({"hosts": [{"topology": fleet.ids[0], "count": 2}]}).encode()
    two = json.dumps({"hosts": [{"topology": fleet.ids[0]}, {"topology": fleet.ids[1]}]}).encode()
    answers = []
    for body in (one, two):
        ident = fleet.json("POST", "/v1/clusters", body)[1]["id"]
        answers.append(fleet.json("GET", f"/v1/clusters/{ident}/analysis/tuning")[1])
    assert answers[0] == answers[1]


@pytest.mark.parametrize("question", ["findings", "order", "facts?format=slurm-yaml"])
def test_a_larger_cluster_does_not_ask_the_store_more_often(fleet, question):
    def asked():
        text = fleet.ask("GET", "/metrics")[1].decode()
        return sum(map(int, re.findall(r"orrery_store_operation_duration_seconds_count\{[^}]*\} (\d+)", text)))

    def times(first, last):
        body = json.dumps(
            {"name": question, "hosts": [{"topology": ident, "domain": "d"} for ident in fleet.ids[first:last]]}
        ).encode()
        ident = fleet.json("POST", "/v1/clusters", body)[1]["id"]
        before = asked()
        response, answer = fleet.ask("GET", f"/v1/clusters/{ident}/{question}")
        assert response.status == 200, answer
        return asked() - before

    assert times(100, 104) == times(104, 140) > 0


def test_a_store_of_before_learns_the_shapes(fleet, tmp_path):
    """Topologies that were stored before shapes were get theirs while the service runs."""
    server = Server("--database", str(tmp_path / "old.db"))
    for host in range(4):
        server.json("POST", f"/v1/topologies?label=host%3Dn{host}&label=rack%3D7", dump_of(host))
    server.stop()
    with sqlite3.connect(tmp_path / "old.db") as database:
        database.execute("UPDATE topology SET shape = ''")
    server = Server("--database", str(tmp_path / "old.db"))
    wait_until(lambda: server.json("GET", "/v1/compare?label=rack%3D7")[1]["shapes"] == 1)
    server.stop()


def test_a_dry_run_says_what_would_go(fleet):
    def dry(*options):
        arguments = [PROGRAM, "serve", "--database", str(fleet.path), "--keep-dry-run", *options]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, env={**os.environ, **SANITIZERS})
        assert done.returncode == 0, done.stderr
        return [int(word) for word in re.findall(r"\d+", done.stdout)]

    due, of = dry("--keep-count", "100")
    assert of == due + 100 and of >= COUNT
    assert dry("--keep-days", "10") == [0, of]
    assert dry()[1] == of  # nothing was deleted
