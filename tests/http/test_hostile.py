# SPDX-License-Identifier: Apache-2.0
"""Every hostile request soon gets a clear problem, and the server keeps serving."""
import json
import re
import socket
import time

import pytest

from conftest import DUMP, SHARED

LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [ <!ENTITY lol "lol"> <!ENTITY a "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"> ]>
<system version="1"><cpu numaid="0">&c;</cpu></system>"""
EXTERNAL = b'<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><system version="1">&x;</system>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 16
NO_GPU = (
    b'<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" affinity="1" familyid="6" '
    b'modelid="85"/></system>'
)

CASES = {
    "empty": (b"", 400, "empty-body"),
    "blank": (b" \n\t ", 415, "unrecognised-input"),
    "png": (PNG, 415, "unrecognised-input"),
    "text": (b"hello", 415, "unrecognised-input"),
    "json": (b'{"a": 1}', 415, "unrecognised-input"),
    "html": (b"<html><body>no</body></html>", 415, "unrecognised-input"),
    "truncated": (DUMP[: len(DUMP) // 2], 400, "malformed-xml"),
    "laughs": (LAUGHS, 400, "malformed-xml"),
    "external entity": (EXTERNAL, 400, "malformed-xml"),
    "bad utf-8": (DUMP.replace(b"mlx5_0", b"mlx\xff\xfe"), 400, "malformed-xml"),
    "nul bytes": (DUMP.replace(b"mlx5_0", b"mlx\x00\x00"), 400, "malformed-xml"),
    "zeros": (b"\0" * 5000, 415, "unrecognised-input"),
    "many attributes": (
        b"<system version='1' " + b" ".join(b"a%d='1'" % i for i in range(20000)) + b"/>",
        422,
        "limit-exceeded",
    ),
    "deep": (b"<system version='1'>" + b"<cpu>" * 50000, 422, "limit-exceeded"),
    "many elements": (b"<system version='1'>" + b"<cpu/>" * 200000 + b"</system>", 422, "limit-exceeded"),
    "no version": (b"<system><cpu numaid='0'/></system>", 422, "invalid-topology"),
    "no gpu": (NO_GPU, 422, "no-ranks"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", ["/v1/analyze", "/v1/render", "/v1/topologies"])
def test_bad_bodies_get_a_problem_within_a_second(server, target, name):
    body, status, kind = CASES[name]
    begun = time.monotonic()
    response, data = server.ask("POST", target, body)
    assert time.monotonic() - begun < 10
    if target == "/v1/topologies" and kind == "no-ranks":
        assert response.status in (200, 201)  # it may be kept; only an analysis is impossible
        return
    assert (response.status, response.getheader("Content-Type")) == (status, "application/problem+json")
    problem = json.loads(data)
    assert problem["type"] == f"/problems/{kind}" and problem["status"] == status and problem["detail"]
    assert problem["instance"] == response.getheader("X-Request-Id")
    if kind == "malformed-xml":
        assert problem["line"] >= 1 and problem["column"] >= 1
    assert server.ask("GET", "/healthz")[0].status == 200


def files_of(folder):
    return sorted((SHARED / "topologies" / folder).glob("*.xml")) or [None]


@pytest.mark.parametrize("path", files_of("provider"), ids=str)
def test_topology_files_of_providers_have_no_ranks(server, path):
    if not path:
        pytest.skip("its topology files, because ../shared is not beside this checkout")
    begun = time.monotonic()
    status, problem = server.json("POST", "/v1/analyze", path.read_bytes())
    assert time.monotonic() - begun < 10
    assert status in (400, 422) and problem["detail"]
    if status == 422:
        assert problem["type"] in ("/problems/no-ranks", "/problems/invalid-topology")


@pytest.mark.parametrize("path", files_of("malformed"), ids=str)
def test_malformed_files_get_line_and_column(server, path):
    if not path:
        pytest.skip("its topology files, because ../shared is not beside this checkout")
    status, problem = server.json("POST", "/v1/analyze", path.read_bytes())
    assert status in (400, 415, 422) and problem["detail"] and problem.get("advice", "x")


def raw(server, head, parts=(), wait=60):
    """Sends the bytes unchanged and returns the answer."""
    got = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as s:
        s.sendall(head)
        try:
            for part in parts:
                s.sendall(part)
        except OSError:
            pass
        try:
            while chunk := s.recv(65536):
                got += chunk
                if b"\r\n\r\n" in got and not parts:
                    break
        except OSError:
            pass
    return got


def test_a_body_of_100_mb_is_refused_at_once(server):
    begun = time.monotonic()
    got = raw(server, b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104857600\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 413 ") and b"/problems/body-too-large" in got
    assert time.monotonic() - begun < 10
    assert server.ask("GET", "/healthz")[0].status == 200


def test_100_mb_that_are_really_sent_end_in_413(server):
    begun = time.monotonic()
    got = raw(
        server,
        b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: " b"104857600\r\n\r\n",
        [b"x" * 1048576] * 100,
    )
    assert not got or got.startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - begun < 30  # before --body-timeout, which is 60 s
    assert server.ask("GET", "/healthz")[0].status == 200


def bodies_refused(server):
    return int(re.search(rb'\norrery_rejected_total{reason="body_size"} (\d+)\n', server.ask("GET", "/metrics")[1])[1])


def test_the_limit_holds_for_chunked_bodies(server):
    chunk = b"100000\r\n" + b"x" * 1048576 + b"\r\n"
    got = raw(
        server,
        b"POST /v1/topologies HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        [chunk] * 20 + [b"0\r\n\r\n"],
    )
    assert got.startswith(b"HTTP/1.1 413 ")
    counted = bodies_refused(server)
    got = raw(
        server, b"POST /v1/topologies HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", [chunk] * 160
    )  # cut off after 128 MB
    assert got.startswith(b"HTTP/1.1 413 ") and b"/problems/body-too-large" in got and b"--max-body" in got
    assert bodies_refused(server) == counted + 1
    assert server.ask("GET", "/healthz")[0].status == 200


@pytest.mark.parametrize(
    "lines",
    [
        b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: xchunked",
        b"Content-Length: 3\r\nContent-Length: 4",
        b"Host: y",
        b"A : b",
        b"Content-Length : 3",
        b"A: b\rc",
        b"A\x01: b",
    ],
)
@pytest.mark.parametrize("start", [b"GET /healthz", b"POST /v1/analyze"])
def test_headers_that_a_proxy_could_read_differently(server, start, lines):
    """Refused at once, and the connection is closed, so that the rest of the bytes is not taken for a request."""
    begun = time.monotonic()
    got = raw(server, start + b" HTTP/1.1\r\nHost: localhost\r\n" + lines + b"\r\n\r\n", [b"abc"])
    assert got.startswith(b"HTTP/1.1 400 ") and b"/problems/malformed-headers" in got, got
    assert got.count(b"HTTP/1.1") == 1 and b"\r\nConnection: close\r\n" in got, got
    assert time.monotonic() - begun < 10


def test_a_chunked_dump_is_taken(server):
    head = (
        b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: "
        b"chunked\r\n\r\n"
    )
    pieces = [b"%x\r\n%s\r\n" % (len(DUMP[i : i + 100]), DUMP[i : i + 100]) for i in range(0, len(DUMP), 100)]
    assert raw(server, head, pieces + [b"0\r\n\r\n"]).endswith(b"\r\n\r\n2")


@pytest.mark.parametrize(
    "target",
    [
        "/v1/topologies/%00",
        "/v1/topologies/%zz",
        "/v1/topologies/..%2f..%2fetc",
        "/..%2f..%2fetc%2fpasswd",
        "/../../etc/passwd",
        "/v1/topologies?limit=%",
        "/v1/topologies?limit=0",
        "/v1/topologies?cursor=zzz",
        "/v1/releases?x=%ff%fe",
        "/" + "a" * 9000,
        "/v1/topologies?q=" + "b" * 300,
        "/v1/topologies?" + "&".join("a=1" for _ in range(500)),
        "//",
        "/.git/config",
        "/index.html/",
        "/v1/",
        "/v1",
        "/v1/topologies/",
        "/v1/topologies/zz/analysis/x/y",
    ],
)
def test_odd_targets_are_client_errors(server, target):
    response, data = server.ask("GET", target)
    assert 400 <= response.status < 500
    if response.getheader("Content-Type") == "application/problem+json":
        json.loads(data)
    assert server.ask("GET", "/healthz")[0].status == 200


@pytest.mark.parametrize(
    "bytes_",
    [
        b"\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 200000 + b"\r\n\r\n",
        b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        bytes(range(256)) * 8,
    ],
)
def test_bytes_that_are_no_request_harm_nobody(server, bytes_):
    raw(server, bytes_, wait=0.5)
    assert server.ask("GET", "/healthz")[0].status == 200


def test_slow_and_broken_requests_hold_up_nobody(server):
    open_ones = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    for i, s in enumerate(open_ones):
        s.sendall(
            [b"GET /hea", b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: " b"500\r\n\r\n<sys", b""][
                i % 3
            ]
        )
    begun = time.monotonic()
    assert server.ask("GET", "/healthz")[0].status == 200
    assert server.ask("POST", "/v1/analyze", DUMP)[0].status == 200
    assert time.monotonic() - begun < 10
    for s in open_ones:
        s.close()
