# SPDX-License-Identifier: Apache-2.0
"""The service's log: its lines about requests, request ids, traces and slow requests. And the shutdown: not ready
first, then no new connections, then the end of what still runs."""
import json
import re
import shlex
import signal
import socket
import time

import pytest

from conftest import DUMP, Server, wait_until

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def start(form, *options):
    return Server("--database", ":memory:", "--log-format", form, *options)


def lines(log, form):
    """The lines of a log as dictionaries; each must be whole."""
    rows = [line for line in log.splitlines() if line]
    if form == "json":
        return [json.loads(row) for row in rows]
    assert all(re.fullmatch(r'([a-z_]+=("(\\.|[^"\\])*"|[^" ]*)( |$))+', row) for row in rows), rows
    return [dict(word.split("=", 1) for word in shlex.split(row)) for row in rows]


@pytest.mark.parametrize("form", ["json", "logfmt"])
def test_a_line_a_request(form):
    server = start(form)
    server.ask("GET", "/v1/releases?release=%22x%22", headers={"X-Request-Id": "one"})
    server.ask("POST", "/v1/analyze", DUMP, headers={"X-Request-Id": "two", "traceparent": PARENT})
    server.raw(b'GET /"\x01\xff=\\ HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: three\r\nConnection: close\r\n\r\n')
    rows = lines(server.stop(), form)
    requests = {row["id"]: row for row in rows if row["msg"] == "request"}
    assert [row["msg"] for row in rows if row["msg"] != "request"] == ["ready", "draining", "stopped"] and rows[0][
        "msg"
    ] == "ready"
    one, two, three = requests["one"], requests["two"], requests["three"]
    assert (one["method"], one["target"], one["client"], str(one["status"])) == (
        "GET",
        "/v1/releases?release=%22x%22",
        "127.0.0.1",
        "400",
    )
    assert (
        two["route"] == "/v1/analyze"
        and str(two["status"]) == "200"
        and int(two["bytes"]) > 1000
        and float(two["dur_ms"]) > 0
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", two["ts"]) and two["level"] == "info"
    assert two["traceparent"].split("-")[1] == PARENT.split("-")[1]
    if form == "json":
        assert three["target"].startswith('/"') and isinstance(two["status"], int) and isinstance(two["dur_ms"], float)
        assert "\x01" in three["target"] or three["status"] == 400


def test_quiet_says_nothing_of_requests_but_slow_ones():
    server = start("logfmt", "--quiet", "--slow-request", "0.3")
    server.ask("GET", "/healthz")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as s:
        s.sendall(
            b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: slow\r\nContent-Length: "
            b"%d\r\n\r\n" % len(DUMP) + DUMP[:100]
        )
        time.sleep(0.5)
        s.sendall(DUMP[100:])
        assert s.recv(65536).startswith(b"HTTP/1.1 200 ")
    rows = [row for row in lines(server.stop(), "logfmt") if "dur_ms" in row]
    assert [(row["id"], row["level"], row["msg"]) for row in rows] == [("slow", "warn", "slow request")] and float(
        rows[0]["dur_ms"]
    ) >= 400


def test_request_ids(server):
    def id_of(given=None):
        return server.ask("GET", "/healthz", headers={"X-Request-Id": given} if given is not None else {})[0].getheader(
            "X-Request-Id"
        )

    assert id_of("abc-1.X_y") == "abc-1.X_y" and id_of("a" * 64) == "a" * 64
    made = {id_of() for _ in range(20)} | {id_of("a" * 65), id_of("a b"), id_of('"'), id_of("<script>"), id_of("ü")}
    assert len(made) == 25 and all(re.fullmatch(r"[0-9a-f]{16}", id_) for id_ in made)


@pytest.mark.parametrize(
    "given, continued",
    [
        (PARENT, True),
        (PARENT[:-2] + "00", True),
        ("cc" + PARENT[2:] + "-what-comes-later", True),
        ("cc" + PARENT[2:], True),
        ("ff" + PARENT[2:], False),
        (PARENT + "-x", False),
        (PARENT.upper(), False),
        ("00-" + "0" * 32 + PARENT[35:], False),
        (PARENT[:36] + "0" * 16 + "-01", False),
        ("", False),
        ("00-abc", False),
        (PARENT.replace("-", "_"), False),
        ("x" * 55, False),
    ],
)
def test_traces_are_continued(server, given, continued):
    response, _ = server.ask("GET", "/v1/releases", headers={"traceparent": given})
    got = response.getheader("traceparent")
    if not continued:
        assert got is None
        return
    version, trace, span, flags = got.split("-")
    assert (version, trace, flags) == ("00", given.split("-")[1], given.split("-")[3]) and span != given.split("-")[2]
    assert re.fullmatch(r"[0-9a-f]{16}", span) and response.status == 200


def test_readiness_goes_first_then_connections_then_what_is_under_way():
    server = start("logfmt", "--drain-delay", "5", "--grace", "60")
    kept = server.connect()
    assert server.json("GET", "/readyz", connection=kept) == (200, {"status": "ready"})
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as slow:
        slow.sendall(
            (b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nContent-Length: " b"%d\r\n\r\n")
            % len(DUMP)
            + DUMP[:100]
        )
        wait_until(lambda: b"\norrery_http_requests_in_flight 2\n" in server.ask("GET", "/metrics")[1])
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.json("GET", "/readyz") == (503, {"status": "draining"}))  # a new connection
        assert server.json("GET", "/healthz") == (200, {"status": "ok"})
        response, data = server.ask("GET", "/metrics")
        assert b"\norrery_draining 1\n" in data
        wait_until(server.turns_away)
        response, _ = server.ask("GET", "/readyz", connection=kept)  # one from before is told to go
        assert response.status == 503 and response.getheader("Connection") == "close"
        slow.sendall(DUMP[100:])
        assert slow.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert server.process.wait(60) == 0
    server.stop()


def test_the_grace_time_ends():
    server = start("logfmt", "--grace", "0.5")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as slow:
        slow.sendall(b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n<sys")
        wait_until(lambda: b"\norrery_http_requests_in_flight 2\n" in server.ask("GET", "/metrics")[1])
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0 and 0.4 < time.monotonic() - begun < 50  # not --body-timeout, which is 60 s
    server.stop()
