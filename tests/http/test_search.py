# SPDX-License-Identifier: Apache-2.0
"""Text search, compared with a plain search through the name, labels, digest and sentence of every topology."""
import json
import urllib.parse

import pytest

from conftest import DUMP

# name, labels; the content of each differs in a comment.
STORED = [
    ("Rack 7 left", {"row": "A%1", "owner": "Anne"}),
    ("rack_7 right", {"row": "b"}),
    ("", {"path": "c\\d"}),
    ("plain", {}),
]
WORDS = ["RACK", "rack 7", "rack_7", "a%1", "%", "_", "\\", "ANNE", "owner", "left\nx", "nothing-like-it", "plain"]


def find(server, text):
    query = urllib.parse.urlencode({"q": text, "limit": 200, "label": "search=yes"})
    status, page = server.json("GET", f"/v1/topologies?{query}")
    assert status == 200 and page["next"] is None
    return page["items"]


def twin(records, text):
    def has(record):
        labels = json.dumps(record["labels"], separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        fields = (record["name"], labels, record["sha256"], record["machine"]["sentence"])
        return any(text.lower() in field.lower() for field in fields)

    return {record["id"] for record in records if has(record)}


@pytest.fixture
def records(server):
    idents = []
    for i, (name, labels) in enumerate(STORED):
        query = [("name", name)] + [("label", f"{key}={value}") for key, value in {**labels, "search": "yes"}.items()]
        target = f"/v1/topologies?{urllib.parse.urlencode(query)}"
        idents.append(server.json("POST", target, DUMP + b"<!-- search %d -->" % i)[1]["id"])
    yield [server.json("GET", f"/v1/topologies/{ident}")[1] for ident in idents]
    for ident in idents:
        server.ask("DELETE", f"/v1/topologies/{ident}")


def test_a_search_finds_what_the_twin_finds(server, records):
    found = {}
    for text in [*WORDS, records[1]["sha256"][10:30].upper(), records[0]["machine"]["sentence"][3:20].upper()]:
        found[text] = {record["id"] for record in find(server, text)}
        assert found[text] == twin(records, text), text
    assert len(found["RACK"]) == 2 and len(found["rack_7"]) == len(found["%"]) == 1 and not found["nothing-like-it"]


def test_a_search_follows_changes(server, records):
    target = f"/v1/topologies/{records[3]['id']}"
    patch = json.dumps({"name": "renamed", "labels": {"search": "yes", "colour": "green"}}).encode()
    assert server.json("PATCH", target, patch)[0] == 200
    assert [r["id"] for r in find(server, "RENAMED")] == [r["id"] for r in find(server, "green")] == [records[3]["id"]]
    assert find(server, "plain") == []
    assert server.json("PATCH", target, json.dumps({"name": "again"}).encode())[0] == 200
    assert [r["id"] for r in find(server, "again")] == [r["id"] for r in find(server, "green")] == [records[3]["id"]]
