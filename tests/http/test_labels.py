# SPDX-License-Identifier: Apache-2.0
"""Labels of several topologies at once: all of them change or none, on SQLite and PostgreSQL; the test merges the
labels itself."""
import concurrent.futures
import json

import pytest

from conftest import DUMP

GIVEN = [{"rack": "1", "row": "a"}, {"rack": "2"}, {}, {"rack": "1", "spare": "yes"}]


def labels_of(server, idents):
    return [server.json("GET", f"/v1/topologies/{ident}")[1]["labels"] for ident in idents]


def patch(server, idents, labels):
    return server.json("PATCH", "/v1/topologies", json.dumps({"topologies": idents, "labels": labels}).encode())


@pytest.fixture
def idents(server):
    made = []
    for i, labels in enumerate(GIVEN):
        query = "&".join(f"label={name}%3D{value}" for name, value in labels.items())
        made.append(server.json("POST", f"/v1/topologies?{query}", DUMP + b"<!-- labels %d -->" % i)[1]["id"])
    yield made
    for ident in made:
        server.ask("DELETE", f"/v1/topologies/{ident}")


def test_labels_are_set_and_removed_and_others_stay(server, idents):
    changes = {"rack": "9", "row": None, "owner": "Anne"}
    expected = [{**labels, "rack": "9", "owner": "Anne"} for labels in GIVEN]
    for labels in expected:
        labels.pop("row", None)
    assert patch(server, idents[:3] + idents[:1], changes) == (200, {"topologies": 3})  # one is named twice
    assert labels_of(server, idents) == expected[:3] + GIVEN[3:]
    found = server.json("GET", "/v1/topologies?label=owner%3DAnne&q=anne")[1]["items"]
    assert {row["id"] for row in found} == set(idents[:3])
    assert not server.json("GET", "/v1/topologies?label=row%3Da")[1]["items"]


def test_nothing_changes_if_one_cannot(server, idents):
    status, problem = patch(server, idents + ["0" * 32], {"rack": "9"})
    assert status == 404 and "0" * 32 in problem["detail"]
    full = {f"n{i}": "x" for i in range(32)}
    assert patch(server, idents[2:3], full)[0] == 200
    status, problem = patch(server, idents, {"one": "more"})
    assert status == 400 and idents[2] in problem["detail"] and "32" in problem["detail"]
    assert labels_of(server, idents) == GIVEN[:2] + [full] + GIVEN[3:]
    assert patch(server, idents, {"one": "more", "n0": None})[0] == 200  # as many as before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"topologies": [], "labels": {"a": "b"}}',
        b'{"topologies": ["x"], "labels": {"a": "b"}}',
        b'{"topologies": "x", "labels": {"a": "b"}}',
        json.dumps({"topologies": ["0" * 32] * 1001, "labels": {"a": "b"}}).encode(),
        json.dumps({"topologies": ["0" * 32], "labels": {}}).encode(),
        json.dumps({"topologies": ["0" * 32], "labels": {"a": 1}}).encode(),
        json.dumps({"topologies": ["0" * 32], "labels": {"": "b"}}).encode(),
        json.dumps({"topologies": ["0" * 32], "labels": {"a": "b" * 257}}).encode(),
        json.dumps({"topologies": ["0" * 32], "labels": {"a": "b"}, "name": "c"}).encode(),
    ],
)
def test_bodies_that_say_something_else(server, body):
    status, problem = server.json("PATCH", "/v1/topologies", body)
    assert status == 400 and problem["type"] == "/problems/invalid-json", problem


def test_changes_at_once_are_all_kept(server, idents):
    """Each request sets its own label; during most of them, other requests come in between."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda i: (i, patch(server, idents, {f"k{i}": "x"})[0]), range(12)))
    kept = {f"k{i}" for i, status in done if status == 200}
    assert kept and all(status in (200, 503) for _, status in done)
    for labels in labels_of(server, idents):
        assert {name for name in labels if name.startswith("k")} == kept
