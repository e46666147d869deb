# SPDX-License-Identifier: Apache-2.0
"""api/openapi.yaml against the live service: every route, every kind of answer, every example."""
import json
import urllib.parse

import pytest

from conftest import DUMP, ROOT, Server
from openapi import description

ID = "0" * 32


def filled(path, values):
    for name, value in values.items():
        path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=":"))
    return path


def example_of(parameter):
    """The example of a parameter, None if it has none."""
    if "example" in parameter:
        return parameter["example"]
    return parameter.get("schema", {}).get("example")


def is_id(parameter):
    return parameter["in"] == "query" and parameter.get("schema", {}).get("pattern") == "^[0-9a-f]{32}$"


def query_of(parameters, only_required=False, ident=None):
    pairs = []
    for parameter in map(description.resolve, parameters):
        value = example_of(parameter)
        if is_id(parameter) and ident:
            pairs.append((parameter["name"], ident))
            continue
        if parameter["in"] != "query" or value is None or (only_required and not parameter.get("required")):
            continue
        for item in value if isinstance(value, list) else [value]:
            pairs += list(item.items()) if isinstance(item, dict) else [(parameter["name"], item)]
    return urllib.parse.urlencode(pairs)


def with_own_ids(example, ident):
    """An example that names topologies, with the id of the stored one instead."""
    if isinstance(example, dict):
        own = {"topology": ident, "topologies": [ident]} if ident else {}
        return {key: own.get(key) or with_own_ids(value, ident) for key, value in example.items()}
    return [with_own_ids(item, ident) for item in example] if isinstance(example, list) else example


def bodies_of(operation, ident=None):
    """(media type, bytes) of each example of the request body; a dump if the body is one; nothing if there is no
    body."""
    body = description.resolve(operation.get("requestBody"))
    if not body:
        return [(None, None)]
    found = []
    for media, content in body["content"].items():
        examples = (
            [content["example"]]
            if "example" in content
            else [description.resolve(e)["value"] for e in content.get("examples", {}).values()]
        )
        for example in with_own_ids(examples, ident):
            found.append((media, json.dumps(example).encode() if media.endswith("json") else str(example).encode()))
    return found or [("application/xml", DUMP)]


PATH_VALUES = {"section": "ranks", "format": "dot", "type": "malformed-xml", "host": "example"}
OPERATIONS = [pytest.param(*row, id=f"{row[0]} {row[1]}") for row in description.operations()]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A daemon of its own: examples delete and rename."""
    server = Server("--database", str(tmp_path_factory.mktemp("openapi") / "orrery.db"))
    yield server
    server.stop()


def upload(server):
    response, data = server.ask(
        "POST", "/v1/topologies?name=example&label=host%3Dexample&label=switch%3Dleaf&label=domain%3Drack", DUMP
    )
    assert response.status in (200, 201), data
    return json.loads(data)["id"]


def make_cluster(server, topology):
    body = json.dumps(
        {
            "hosts": [
                {"topology": topology, "count": 2, "names": ["a", "b"], "domain": "rack", "switch": "leaf"},
                {"topology": topology, "gpus": [1], "names": ["c"], "switch": "leaf"},
            ]
        }
    ).encode()
    response, data = server.ask("POST", "/v1/clusters", body)
    assert response.status in (200, 201), data
    return json.loads(data)["id"]


def values_for(server, path, parameters):
    values = dict(PATH_VALUES)
    for parameter in map(description.resolve, parameters):
        if parameter["in"] == "path" and example_of(parameter) is not None:
            values[parameter["name"]] = example_of(parameter)
    if (
        "{id}" in path
        or "{host}" in path
        or path in ("/v1/clusters", "/v1/topologies")
        or any(is_id(description.resolve(p)) for p in parameters)
    ):
        values["id"] = upload(server)
    if path.startswith("/v1/clusters/"):
        values["id"] = make_cluster(server, values["id"])
    return values


@pytest.mark.parametrize("method, path, operation, parameters", OPERATIONS)
def test_examples_work_as_they_stand(own, method, path, operation, parameters):
    """With the examples of its parameters and of its body each operation succeeds."""
    ident = values_for(own, path, parameters).get("id")
    for media, body in bodies_of(operation, ident):
        values = values_for(own, path, parameters)
        target = filled(path, values) + "?" + query_of(parameters, ident=values.get("id"))
        response, data = own.ask(method.upper(), target.rstrip("?"), body, {"Content-Type": media} if media else {})
        assert 200 <= response.status < 300, (target, response.status, data[:500])


@pytest.mark.parametrize("method, path, operation, parameters", OPERATIONS)
def test_errors_are_described(own, method, path, operation, parameters):
    """The answers of each operation to a wrong parameter, a missing resource and a broken body."""
    values = values_for(own, path, parameters)
    required = query_of(parameters, only_required=True, ident=values.get("id"))
    plain = filled(path, values) + (f"?{required}" if required else "")
    mark = "&" if required else "?"
    statuses = []
    for target, body in (
        (plain + mark + "nonsense=1", DUMP),
        (plain + mark + "release=0.0.0", DUMP),
        (filled(path, {**values, "id": ID, "section": "none", "type": "none", "format": "none"}), DUMP),
        (plain, b"<system"),
        (plain, b"{"),
    ):
        response, _ = own.ask(method.upper(), target, body if method != "get" else None)
        statuses.append(response.status)
    assert any(400 <= status < 500 for status in statuses), statuses


def test_every_described_answer_has_been_seen(own):
    """Every described 2xx and 304 of every operation occurred at least once in this module."""
    ident = upload(own)
    for method, path, operation, parameters in description.operations():
        if method != "get" or "304" not in operation["responses"]:
            continue
        values = {**PATH_VALUES, "id": make_cluster(own, ident) if path.startswith("/v1/clusters/") else ident}
        required = query_of(parameters, only_required=True, ident=ident)
        target = filled(path, values) + (f"?{required}" if required else "")
        response, _ = own.ask("GET", target)
        own.ask("GET", target, None, {"If-None-Match": response.headers["ETag"]})
        own.ask("HEAD", target)
    missing = [
        (method, path, status)
        for method, path, operation, _ in description.operations()
        for status in operation["responses"]
        if (status.startswith("2") or status == "304") and (method, path, status) not in description.seen
    ]
    assert not missing, missing


EXAMPLES = sorted(path.name for path in (ROOT / "static" / "examples").glob("*.xml"))


@pytest.mark.parametrize("example", EXAMPLES)
def test_documents_of_all_kinds_of_machines(own, example):
    """NVLS, CollNet, C2C, fused hosts, faults: the whole document, the differences, the findings. Each example takes
    every fifth release, and all examples together take all of them."""
    releases = [row["release"] for row in own.json("GET", "/v1/releases")[1]["releases"]][
        EXAMPLES.index(example) % 5 :: 5
    ]
    dump = (ROOT / "static" / "examples" / example).read_bytes()
    ident = own.json("POST", "/v1/topologies", dump)[1]["id"]
    if example == "gb300-tray.xml":  # its GPUs are below switches and have a link to the CPU
        for release in ("2.19.3", "2.21.5", "2.25.1"):
            refused = own.json("GET", f"/v1/topologies/{ident}/analysis?release={release}")[1]
            assert "loops forever on a link to the CPU" in refused["detail"]
        releases = [
            release for release in releases if not (2, 19) <= tuple(map(int, release.split(".")))[:2] <= (2, 25)
        ]
    for release, other in zip(releases, releases[1:] + releases[:1]):
        for query in ("hosts=1", "hosts=3&NCCL_COLLNET_ENABLE=1"):
            assert own.ask("GET", f"/v1/topologies/{ident}/analysis?release={release}&{query}")[0].status == 200
        assert (
            own.ask("GET", f"/v1/topologies/{ident}/analysis/diff?release={release}&against={other}")[0].status == 200
        )
    assert own.ask("GET", f"/v1/topologies/{ident}/findings")[0].status == 200
    far = "NET/0-0" if example == "gh200.xml" else "rank:1"  # one GPU only
    assert own.ask("GET", f"/v1/topologies/{ident}/path?from=rank:0&to={far}")[0].status == 200


def test_the_check_bites():
    """The check finds an answer that deviates."""

    class NoHeaders(dict):
        pass

    good = json.dumps(
        {"type": "/problems/not-found", "title": "x", "status": 404, "detail": "x", "instance": "x"}
    ).encode()
    target = f"/v1/topologies/{ID}"
    description.check("GET", target, 404, {"Content-Type": "application/problem+json"}, good)
    for status, media, body in (
        (404, "application/json", good),
        (302, "application/problem+json", good),
        (404, "application/problem+json", b"{}"),
        (404, "application/problem+json", good.replace(b'"title"', b'"extra": 1, "title"')),
    ):
        with pytest.raises(AssertionError):
            description.check("GET", target, status, NoHeaders({"Content-Type": media}), body)


def keys_without_value(node, where=""):
    """A description that a comma cuts off becomes a key of its own, whose value is null."""
    if isinstance(node, dict):
        for key, value in node.items():
            if value is None and key not in ("example", "default", "const"):
                yield f"{where}/{key}"
            yield from keys_without_value(value, f"{where}/{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from keys_without_value(value, f"{where}/{i}")


def test_no_description_is_cut_off():
    assert list(keys_without_value({"type": "string", "from 1": None})) == ["/from 1"]
    assert not list(keys_without_value(description.document))
