# SPDX-License-Identifier: Apache-2.0
"""Refused requests: the client learns why, and nothing of the request stays in the store, the cache, memory or open
files."""
import http.client
import json
import os
import socket
import sys

import pytest

from conftest import DUMP, HEAD, ROOT, Server, answers, status_of, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402


@pytest.fixture(scope="module")
def patient():
    running = Server(
        "--database",
        ":memory:",
        "--static",
        str(ROOT / "static"),
        "--header-timeout",
        "60",
        "--max-body",
        "8K",
        "--max-header",
        "4K",
    )
    running.ask("GET", "/healthz")
    running.files = len(os.listdir(f"/proc/{running.process.pid}/fd"))
    yield running
    running.stop()


ENDLESS = {
    "query": (b"GET /v1/topologies?q=" + b"x" * (1 << 20) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    "parts": (b"GET /v1/topologies?" + b"a=1&" * (1 << 18) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    "header": (HEAD + b"X-Long: " + b"y" * (1 << 20) + b"\r\n\r\n", 431),
    "headers": (HEAD + b"X-Many: y\r\n" * (1 << 17) + b"\r\n", 431),
    "body": (
        b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: " b"1048576\r\n\r\n" + b"x" * (1 << 20),
        413,
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("before", [b"", HEAD + b"\r\n"], ids=["first", "kept"])
def test_who_sends_all_before_reading_hears_why_it_was_refused(patient, name, before):
    """The server refuses long before the client has sent the rest: no reset may keep the client from reading the
    answer."""
    data, status = ENDLESS[name]
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)  # so that it cannot all be sent before it is refused
        s.settimeout(120)
        s.connect(("127.0.0.1", patient.port))
        got = b""
        if before:
            s.sendall(before)
            while b"\r\n\r\n" not in got or not got.endswith(b"}"):
                got += s.recv(65536)
            assert status_of(got) == 200
        s.sendall(data)
        got = b""
        while chunk := s.recv(65536):
            got += chunk
    assert status_of(got) == status, got
    wait_until(lambda: len(os.listdir(f"/proc/{patient.process.pid}/fd")) <= patient.files)


def test_more_refused_connections_than_are_waited_for(patient):
    """The number of refused connections that are still read from is limited; the others are closed at once, and the
    service works on."""
    held = []
    for _ in range(100):
        s = socket.create_connection(("127.0.0.1", patient.port), timeout=120)
        s.sendall(b"GET /" + b"x" * 60000)
        held.append(s)
    for s in held:
        try:
            assert status_of(s.recv(65536)) == 414
        except ConnectionResetError:
            pass
    wait_until(lambda: len(os.listdir(f"/proc/{patient.process.pid}/fd")) <= patient.files + 64)
    assert patient.ask("GET", "/healthz")[0].status == 200
    for s in held:
        s.close()
    wait_until(lambda: len(os.listdir(f"/proc/{patient.process.pid}/fd")) <= patient.files)


CHANGES = [
    ("PATCH", "/v1/topologies/{}", b'{"name": "changed", "labels": {"a": "b"}}'),
    ("DELETE", "/v1/topologies/{}", None),
    ("POST", "/v1/topologies?label=host%3Dx", DUMP.replace(b"mlx5_0", b"mlx5_9")),
    ("POST", "/v1/clusters", b'{"hosts": [{"topology": "%s"}]}'),
]


def changes_are_refused(server, topology, status, kind):
    for method, path, body in CHANGES:
        body = body % topology.encode() if body and b"%s" in body else body
        response, data = server.ask(method, path.format(topology), body)
        assert (response.status, json.loads(data)["type"]) == (status, f"/problems/{kind}"), (method, path, data)


def nothing_has_changed(server, before):
    """The topology is as it was, and there is no other, no host and no cluster."""
    topology = before["id"]
    assert server.json("GET", f"/v1/topologies/{topology}")[1] == before
    assert [item["id"] for item in server.json("GET", "/v1/topologies")[1]["items"]] == [topology]
    assert server.json("GET", "/v1/hosts")[1]["items"] == [] and server.json("GET", "/v1/clusters")[1]["items"] == []
    metrics = server.ask("GET", "/metrics")[1]
    assert b"\norrery_http_body_memory_bytes 0\n" in metrics and b"\norrery_http_requests_in_flight 1\n" in metrics


def test_surplus_connections_change_nothing_and_metrics_are_answered():
    server = Server("--database", ":memory:", "--connections", "4", "--threads", "2")
    topology = server.json("POST", "/v1/topologies?name=first", DUMP)[1]["id"]
    before = server.json("GET", f"/v1/topologies/{topology}")[1]
    wait_until(lambda: b"\norrery_connections 1\n" in server.ask("GET", "/metrics")[1])
    held = [server.connect() for _ in range(4)]
    for connection in held:
        assert server.ask("GET", "/healthz", connection=connection)[0].status == 200
    changes_are_refused(server, topology, 503, "overloaded")
    response, metrics = server.ask("GET", "/metrics")  # operators pass, on a surplus connection too
    assert response.status == 200 and b'orrery_rejected_total{reason="connections"} 4\n' in metrics
    surplus = [server.connect() for _ in range(40)]  # beyond the sixteen to spare even they do not
    passed = 0
    for connection in surplus:
        try:
            passed += server.ask("GET", "/metrics", connection=connection)[0].status == 200
        except (OSError, http.client.HTTPException):
            pass
    assert 1 <= passed <= 16
    for connection in [*surplus, *held]:
        connection.close()
    wait_until(lambda: answers(server, "/v1/topologies"))
    wait_until(lambda: b"\norrery_connections 1\n" in server.ask("GET", "/metrics")[1])
    nothing_has_changed(server, before)
    server.stop()


def test_surplus_requests_of_a_client_change_nothing_metrics_included():
    server = Server("--database", ":memory:", "--client-requests", "2")
    topology = server.json("POST", "/v1/topologies?name=first", DUMP)[1]["id"]
    before = server.json("GET", f"/v1/topologies/{topology}")[1]
    head = (
        b"POST /v1/topologies HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: "
        b"100-continue\r\nContent-Length: 5000\r\n\r\n"
    )
    begun = []

    def begin():
        """An answer can arrive before its request has stopped counting, so a refusal is tried again."""
        s = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        s.sendall(head)
        answer = s.recv(1000)
        if answer.startswith(b"HTTP/1.1 100"):
            begun.append(s)
            return True
        s.close()
        assert answer.startswith(b"HTTP/1.1 429"), answer
        return False

    for _ in range(2):
        wait_until(begin)
    changes_are_refused(server, topology, 429, "too-many-requests")
    response, data = server.ask("GET", "/metrics")  # a client like any other, unlike the probes
    assert response.status == 429 and response.getheader("Retry-After") == "1" and b"2 requests in progress" in data
    assert server.ask("GET", "/healthz")[0].status == 200 and server.ask("GET", "/readyz")[0].status == 200
    for s in begun:
        s.close()  # halves of uploads are not kept either
    wait_until(lambda: server.ask("GET", "/metrics")[0].status == 200)
    wait_until(lambda: b"\norrery_http_requests_in_flight 1\n" in server.ask("GET", "/metrics")[1])
    nothing_has_changed(server, before)
    server.stop()


def shaped(number, rest=b""):
    """A dump that differs from others in more than GUIDs and host hashes."""
    return DUMP.replace(b'maxconn="131072"', b'maxconn="%d"' % (1000 + number)) + rest


def test_clusters_and_sets_have_at_most_512_shapes():
    server = Server("--database", ":memory:")
    connection = server.connect()
    ids = []
    for i in range(513):
        response, data = server.ask("POST", "/v1/topologies?label=set%3Done", shaped(i), connection=connection)
        assert response.status == 201
        ids.append(json.loads(data)["id"])
    connection.close()
    for count, status in ((512, 200), (513, 422)):
        body = json.dumps({"hosts": [{"topology": i} for i in ids[:count]]})
        cluster = server.json("POST", "/v1/clusters", body)[1]["id"]
        got, problem = server.json("GET", f"/v1/clusters/{cluster}/findings")
        assert got == status or count == 512, problem
        assert count == 512 or ("more than 512 topologies" in problem["detail"] and "count" in problem["advice"])
    status, problem = server.json("GET", "/v1/compare?label=set%3Done")
    assert status == 422 and "more than 512 topologies" in problem["detail"] and "narrow" in problem["advice"]
    status, problem = server.json("POST", "/v1/gate?expect=fleet%3Alabel%3Dset%253Done", DUMP)
    assert status == 422 and "more than 512 topologies" in problem["detail"] and "narrow" in problem["advice"]
    server.stop()


def test_the_dumps_of_clusters_and_sets_have_at_most_64_mib():
    """A dump that is stored compressed has its full size when it is read."""
    server = Server("--database", ":memory:", "--analysis-memory", "0")
    long = b"<!-- " + b" " * (15 << 20) + b"-->"
    ids = [server.json("POST", "/v1/topologies?label=set%3Done", shaped(i, long))[1]["id"] for i in range(5)]
    status, cluster = server.json("POST", "/v1/clusters", json.dumps({"hosts": [{"topology": i} for i in ids]}))
    assert status == 201
    for path in (f"/v1/clusters/{cluster['id']}/analysis/ranks", "/v1/compare?label=set%3Done"):
        status, problem = server.json("GET", path)
        assert status == 422 and "more than 64 MiB together" in problem["detail"], (path, problem)
    status, cluster = server.json("POST", "/v1/clusters", json.dumps({"hosts": [{"topology": i} for i in ids[:4]]}))
    assert server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/ranks")[0] == 200
    server.stop()


def test_what_ends_early_is_counted_and_logged_with_its_reason():
    server = Server("--database", ":memory:", "--analysis-memory", "8M", "--unpacked", "4M", "--archive-entries", "100")
    target = attacks.Target(server.port)
    for path, body, status, limit in (
        (f"/v1/analyze?{attacks.HARD}", attacks.machine(100, 150, 150), 422, "memory"),
        ("/v1/convert", attacks.gzip_bomb(64), 413, "unpacked"),
        ("/v1/convert", attacks.empty_entries(200), 413, "entries"),
    ):
        assert target.ask("POST", path, body) == status
        assert json.loads(target.last)["limit"]["of"] == limit
    metrics = server.ask("GET", "/metrics")[1]
    for limit, count in (("time", 0), ("memory", 1), ("unpacked", 1), ("entries", 1)):
        assert b'\norrery_budget_exceeded_total{limit="%s"} %d\n' % (limit.encode(), count) in metrics
    assert (
        b'\norrery_queue_wait_seconds_count{class="long"} 3\n' in metrics
        and b'\norrery_queue_wait_seconds_count{class="short"} 1\n' in metrics
    )
    log = server.stop()
    for limit in ("memory", "unpacked", "entries"):
        assert f" ended={limit} " in log
    server = Server("--database", ":memory:", "--analysis-time", "0.2")
    target = attacks.Target(server.port)
    assert target.ask("POST", f"/v1/analyze?{attacks.LONG}", attacks.switched(240, 240, slow=True)) == 422
    assert json.loads(target.last)["limit"]["of"] == "time"
    assert b'\norrery_budget_exceeded_total{limit="time"} 1\n' in server.ask("GET", "/metrics")[1]
    assert " ended=time " in server.stop()
