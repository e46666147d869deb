# SPDX-License-Identifier: Apache-2.0
"""Every limit over real sockets: refused requests get a clear problem in time, and everything else works on."""
import json
import re
import select
import socket
import threading
import time

import pytest

from conftest import DUMP, HEAD, ROOT, Server, answers, status_of, wait_until


def problem_of(answer):
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b"application/problem+json" in head, answer
    return json.loads(body)["type"]


def trickle(server, first, piece):
    """Sends `first`, then `piece` ten times a second: (all that came back, after how many seconds the server ended the
    connection).

    Fails where the server has not ended it after 9 s. The limits of `strict` are about 1 s, and each default is 10 s
    at least.
    """
    begun, got = time.monotonic(), b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=0.1) as s:
        s.sendall(first)
        while time.monotonic() - begun < 9:
            try:
                if piece:
                    s.sendall(piece)
            except OSError:
                return got, time.monotonic() - begun
            try:
                chunk = s.recv(65536)
                if not chunk:
                    return got, time.monotonic() - begun
                got += chunk
            except TimeoutError:
                continue
            except OSError:
                return got, time.monotonic() - begun
    raise AssertionError(f"the connection is open after 9 s; received: {got[-500:]}")


@pytest.fixture(scope="module")
def strict():
    running = Server(
        "--database",
        ":memory:",
        "--static",
        str(ROOT / "static"),
        "--header-timeout",
        "0.6",
        "--body-timeout",
        "0.9",
        "--timeout",
        "1.2",
        "--send-timeout",
        "1",
        "--max-body",
        "8K",
        "--max-header",
        "4K",
    )
    yield running
    running.stop()


def test_slow_headers_get_408(strict):
    got, took = trickle(strict, HEAD, b"X-%d: y\r\n" % 1)
    assert (status_of(got), problem_of(got)) == (408, "/problems/request-timeout") and took > 0.5


def test_a_slow_request_line_gets_408(strict):
    got, took = trickle(strict, b"G", b"E")
    assert status_of(got) == 408 and took > 0.5


def test_a_slow_body_gets_408(strict):
    got, took = trickle(strict, b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\n", b"x")
    assert (status_of(got), problem_of(got)) == (408, "/problems/request-timeout") and took > 0.8


def test_who_was_too_slow_is_logged_and_counted(strict):
    trickle(
        strict,
        b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: late\r\nContent-Length: " b"4000\r\n\r\n",
        b"x",
    )
    strict.wait_for_log("id=late")
    line = [row for row in strict.stop_log().splitlines() if "id=late" in row][0]
    assert "status=408" in line and "refused=body_time" in line and "route=/v1/analyze" in line
    text = strict.ask("GET", "/metrics")[1].decode()
    count = lambda pattern: sum(int(n) for n in re.findall(pattern + r"[^}\n]*} (\d+)\n", text))
    assert count(r'orrery_rejected_total{reason="body_time"') >= 1
    assert count(r'orrery_http_request_duration_seconds_count{method="POST",route="/v1/analyze",code="408"') >= 1


def test_a_body_that_stops_gets_408(strict):
    got, took = trickle(
        strict, b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", b""
    )
    assert status_of(got) == 408 and took > 0.8


def test_a_connection_that_asks_nothing_is_closed_without_a_word(strict):
    got, took = trickle(strict, b"", b"")
    assert got == b"" and took > 0.5


def test_a_connection_that_asks_nothing_more_is_closed(strict):
    got, took = trickle(strict, HEAD + b"\r\n", b"")
    assert status_of(got) == 200 and got.count(b"HTTP/1.1") == 1 and took > 1
    got, _ = trickle(strict, HEAD + b"\r\n", b"G")  # a byte now and then is not a request
    assert got.count(b"HTTP/1.1") == 1


def test_a_client_that_does_not_read_is_let_go(strict):
    with socket.create_connection(("127.0.0.1", strict.port), timeout=5) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asked = b"GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400
        s.settimeout(0.2)
        try:
            s.sendall(asked)
        except OSError:
            pass
        time.sleep(2)
        s.settimeout(5)
        seen = 0
        try:
            while chunk := s.recv(65536):
                seen += len(chunk)
        except OSError:
            pass
        assert seen < 400 * 30000  # the connection ended before all was sent


def test_clients_in_time_are_served_meanwhile():
    server = Server("--database", ":memory:", "--header-timeout", "60")
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(30)]
    for s in slow:
        s.sendall(HEAD)
    assert server.ask("GET", "/healthz")[0].status == 200 and server.ask("POST", "/v1/analyze", DUMP)[0].status == 200
    assert select.select(slow, [], [], 0)[0] == []  # the slow ones still wait: nobody had to wait for their end
    for s in slow:
        s.close()
    server.stop()


@pytest.mark.parametrize("size", [4200, 6000])
def test_headers_that_are_too_long(strict, size):
    got = strict.raw(HEAD + b"X-Long: " + b"y" * size + b"\r\n\r\n")
    assert (status_of(got), problem_of(got)) == (431, "/problems/headers-too-large")


def test_headers_that_do_not_even_fit_into_memory(strict):
    assert status_of(strict.raw(HEAD + b"X-Long: " + b"y" * 30000 + b"\r\n\r\n")) == 431
    assert status_of(strict.raw(b"GET /" + b"y" * 30000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")) in (414, 431)
    assert strict.ask("GET", "/healthz")[0].status == 200


def test_who_never_stops_sending_is_let_go(strict):
    """Bytes after a refusal are read for the time that headers may take, not longer."""
    until = time.monotonic() + 120
    with socket.create_connection(("127.0.0.1", strict.port), timeout=120) as s:
        with pytest.raises(OSError):
            while time.monotonic() < until:
                s.sendall(b"x" * 65536)


def test_queries_of_many_parts():
    """Their number is bounded if they are read, and libmicrohttpd, which would not answer, does not get them."""
    server = Server("--database", ":memory:", "--header-timeout", "120", "--timeout", "120")
    for parts, problem in (
        (100, "invalid-parameter"),
        (130, "malformed-target"),
        (400, "malformed-target"),
        (2000, "malformed-target"),
    ):
        got = server.raw(
            b"GET /v1/topologies?"
            + b"&".join(b"a=1" for _ in range(parts))
            + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            wait=60,
        )
        assert (status_of(got), problem_of(got)) == (400, "/problems/" + problem), parts
    server.stop()


@pytest.mark.parametrize("most", [2048, 8192, 65536])
def test_headers_of_just_the_length_that_is_allowed(most):
    """However they are divided: one long header, twenty or so, or a long target; and each with one byte more."""
    server = Server("--database", ":memory:", "--max-header", str(most))
    for shape in (
        lambda n: (b"/healthz", b"X: " + b"y" * (n - 5) + b"\r\n"),
        lambda n: (
            b"/healthz",
            b"".join(b"X-%02d: " % i + b"y" * (n // 20 - 8) + b"\r\n" for i in range(19))
            + b"X: "
            + b"y" * (n - 19 * (n // 20) - 5)
            + b"\r\n",
        ),
        lambda n: (b"/healthz?" + b"a" * (n - 1), b""),
    ):
        for size, status in ((most, (200, 400, 414)), (most + 1, (431,))):
            first = b"Host: localhost\r\nConnection: close\r\n"
            target, headers = shape(size - len(b"GET /healthz HTTP/1.1\r\n" + first + b"\r\n"))
            request = b"GET " + target + b" HTTP/1.1\r\n" + first + headers + b"\r\n"
            assert len(request) == size
            assert status_of(server.raw(request, wait=60)) in status, (target[:20], size)
    server.stop()


def test_what_libmicrohttpd_refuses_by_itself_ends_too(strict):
    """It does not tell of the end of these requests, as those whose cookies do not fit into its memory."""
    for n in range(50, 700, 50):
        strict.raw(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: "
            + b"; ".join(b"a=b" for _ in range(n))
            + b"\r\nConnection: close\r\n\r\n"
        )
        strict.raw(HEAD + b"a: b\r\n" * n + b"Connection: close\r\n\r\n")
    assert b"\norrery_http_requests_in_flight 1\n" in strict.ask("GET", "/metrics")[1]


def test_bodies_that_are_too_large(strict):
    response, data = strict.ask("POST", "/v1/analyze", b"x" * 8193)
    assert (
        response.status == 413
        and json.loads(data)["type"] == "/problems/body-too-large"
        and "8192" in json.loads(data)["detail"]
    )
    assert strict.ask("POST", "/v1/analyze", DUMP.ljust(8192))[0].status == 200
    chunked = (
        b"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1000\r\n"
        + b"x" * 4096
        + b"\r\n"
    )
    got = strict.raw(chunked + (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 2 + b"0\r\n\r\n")
    assert (status_of(got), problem_of(got)) == (413, "/problems/body-too-large")


def test_one_client_may_ask_so_often():
    server = Server("--database", ":memory:", "--rate", "1", "--burst", "10")
    begun = time.monotonic()
    statuses = []
    for _ in range(25):
        response, data = server.ask("GET", "/v1/topologies")
        statuses.append(response.status)
        if response.status == 429:
            assert json.loads(data)["type"] == "/problems/too-many-requests"
            assert 1 <= int(response.getheader("Retry-After")) <= 2
    allowed = 10 + (time.monotonic() - begun) + 1
    assert statuses[:10] == [200] * 10 and 10 <= statuses.count(200) <= allowed and 429 in statuses
    assert [server.ask("GET", "/healthz")[0].status for _ in range(20)] == [200] * 20  # probes always pass
    time.sleep(1.1)
    assert server.ask("GET", "/v1/topologies")[0].status == 200
    server.stop()


def test_clients_behind_a_trusted_proxy_are_told_apart():
    server = Server(
        "--database", ":memory:", "--rate", "1", "--burst", "3", "--trusted-proxies", "127.0.0.0/8, 10.0.0.0/8"
    )

    def asks(forwarded):
        return server.ask("GET", "/v1/topologies", headers={"X-Forwarded-For": forwarded} if forwarded else {})[
            0
        ].status

    assert [asks("192.0.2.1") for _ in range(4)] == [200, 200, 200, 429]
    assert [asks("192.0.2.2, 10.1.2.3") for _ in range(4)] == [200, 200, 200, 429]
    assert asks("6.6.6.6, 192.0.2.1") == 429  # what the client itself wrote counts for nothing
    assert (
        asks("2001:db8::1") == 200
        and asks("[2001:db8::2]:1234") == 200
        and asks("2001:db8::3") == 200
        and asks("2001:db8::4") == 429
    )
    got = server.raw(
        b"GET /v1/topologies HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 7.7.7.7\r\nX-Forwarded-For: "
        b"192.0.2.1\r\nConnection: close\r\n\r\n"
    )
    assert status_of(got) == 429
    for nonsense in ("", "unknown", "999.1.1.1", "x" * 3000, ",,,,", "192.0.2.1, "):
        assert asks(nonsense) in (200, 429)
    log = server.stop()
    assert "client=192.0.2.2 " in log and "client=2001:db8::1 " in log


def test_without_trusted_proxies_the_header_is_not_believed():
    server = Server("--database", ":memory:", "--rate", "1", "--burst", "2")
    statuses = [
        server.ask("GET", "/v1/topologies", headers={"X-Forwarded-For": f"192.0.2.{i}"})[0].status for i in range(4)
    ]
    assert statuses == [200, 200, 429, 429]
    assert "client=192.0.2" not in server.stop()


def test_one_client_may_have_so_many_requests_under_way():
    server = Server("--database", ":memory:", "--client-requests", "2")
    head = (
        b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: "
        b"100-continue\r\nContent-Length: %d\r\n\r\n" % len(DUMP)
    )
    begun = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(2)]
    for s in begun:
        s.sendall(head)
        assert s.recv(1000).startswith(b"HTTP/1.1 100"), "the server has counted it"
        s.sendall(DUMP[:50])
    wait_until(lambda: server.ask("GET", "/v1/topologies")[0].status == 429)
    response, data = server.ask("GET", "/v1/topologies")
    assert (
        response.status == 429
        and "2 requests in progress" in json.loads(data)["detail"]
        and response.getheader("Retry-After") == "1"
    )
    assert server.ask("GET", "/readyz")[0].status == 200
    for s in begun:
        s.sendall(DUMP[50:])
        assert s.recv(65536).startswith(b"HTTP/1.1 200 ")
        s.close()
    wait_until(lambda: server.ask("GET", "/v1/topologies")[0].status == 200)
    server.stop()


def test_more_connections_than_allowed_get_503_or_are_closed():
    server = Server("--database", ":memory:", "--connections", "8", "--threads", "2")
    ask = b"GET /v1/topologies HTTP/1.1\r\nHost: localhost\r\n\r\n"
    held, statuses = [], []
    for _ in range(60):
        s = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        held.append(s)
        try:
            s.sendall(ask)
            answer = s.recv(65536)
            if b"503" in answer[:20]:
                assert b"Retry-After: 1" in answer and b"Connection: close" in answer
                answer += s.recv(65536)
                assert b"/problems/overloaded" in answer
            statuses.append(status_of(answer))
        except OSError:
            statuses.append(0)
    assert statuses[:8] == [200] * 8 and statuses.count(200) == 8 and 503 in statuses[8:]
    for s in held:
        s.close()
    wait_until(lambda: answers(server, "/v1/topologies"))
    server.stop()


def test_what_waits_to_be_computed_is_bounded():
    server = Server("--database", ":memory:", "--queue", "1", "--threads", "1")
    results = []

    def ask(i):
        response, data = server.ask("POST", f"/v1/render?format=png&hosts={i + 1}", DUMP)
        results.append((response.status, response.getheader("Retry-After"), data[:200]))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {status for status, _, _ in results} == {200, 503}
    assert all(again == "1" and b"overloaded" in data for status, again, data in results if status == 503)
    assert server.ask("POST", "/v1/render", DUMP)[0].status == 200
    server.stop()


def test_the_bodies_of_all_requests_share_a_memory():
    server = Server("--database", ":memory:", "--body-memory", "1M")
    head = (
        b"POST /v1/analyze?section=ranks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
        b"%d\r\n\r\n"
    )
    big = DUMP.ljust(700000)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as first:
        first.sendall(head % len(big) + big[:600000])
        wait_until(lambda: b"\norrery_http_body_memory_bytes 1048576\n" in server.ask("GET", "/metrics")[1])
        response, data = server.ask("POST", "/v1/analyze", big)
        assert response.status == 503 and response.getheader("Retry-After") == "1"
        assert json.loads(data)["type"] == "/problems/overloaded" and "1048576" in json.loads(data)["detail"]
        first.sendall(big[600000:])
        assert first.recv(65536).startswith(b"HTTP/1.1 200 ")
    wait_until(lambda: server.ask("POST", "/v1/analyze", big)[0].status == 200)
    wait_until(lambda: b"\norrery_http_body_memory_bytes 0\n" in server.ask("GET", "/metrics")[1])
    server.stop()


def test_one_address_may_have_so_many_connections():
    server = Server("--database", ":memory:", "--client-connections", "3", "--threads", "2")
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=3) for _ in range(3)]
    for s in held:
        s.sendall(HEAD + b"\r\n")
        assert s.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert server.raw(HEAD + b"\r\n", wait=2) == b""
    held.pop().close()
    wait_until(lambda: answers(server, "/healthz"))
    server.stop()


def test_streams_hold_no_more_memory_than_they_may():
    """Readers that do not read keep their analyses, each of its own communicator: the memory of all of them has a
    limit. Each document has 26 MB, more than the buffers of a socket take."""
    server = Server("--database", ":memory:", "--stream-memory", "8M")
    topology = server.json("POST", "/v1/topologies", DUMP)[1]["id"]
    held = []
    for hosts in range(16384, 16184, -1):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(120)
        s.connect(("127.0.0.1", server.port))
        s.sendall(
            (
                f"GET /v1/topologies/{topology}/channels?hosts={hosts}&NCCL_MIN_NCHANNELS=32 HTTP/1.1\r\nHost: "
                "localhost\r\n\r\n"
            ).encode()
        )
        held.append(s)
        answer = s.recv(4096)
        if b" 503 " in answer.split(b"\r\n")[0]:
            while not answer.endswith(b"}"):
                answer += s.recv(4096)
            break
        assert answer.startswith(b"HTTP/1.1 200 ")
    assert (
        1 < len(held) < 200
        and b"Retry-After: 1\r\n" in answer
        and b"--stream-memory" in answer
        and b"8388608 bytes" in answer
    )
    assert b'orrery_rejected_total{reason="stream_memory"} 1\n' in server.ask("GET", "/metrics")[1]
    for s in held:
        s.close()
    wait_until(lambda: server.ask("GET", f"/v1/topologies/{topology}/channels?hosts=2")[0].status == 200)
    server.stop()
