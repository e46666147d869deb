# SPDX-License-Identifier: Apache-2.0
"""Attacks: during each, another client still gets answers and memory stays within the budgets; afterwards the service
answers a normal request and drains in time.

No figure here depends on how quick the machine is: /healthz and a small cached analysis are compared with a trivial
server that runs beside them, under the same load. `./dev bench attacks` prints the figures.
"""
import json
import re
import signal
import socket
import sys
import tempfile
import time

import pytest

from conftest import ROOT, Server, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402

EXPECTED = {0, 200, 201, 400, 404, 413, 415, 422, 503}
# The longest that another client may wait: a second, plus 8 times what a trivial server took meanwhile.
SECOND, AS_OFTEN = 1.0, 8
LONG = attacks.request(f"/v1/analyze?{attacks.LONG}", attacks.switched(240, 240, slow=True))


def start(program=None, **changes):
    limits = {**attacks.LIMITS, **changes}
    # A small quarantine: what was freed should not count as resident.
    return Server(
        *(word for pair in limits.items() for word in pair),
        environment={"ASAN_OPTIONS": "detect_leaks=1:exitcode=99:quarantine_size_mb=8"},
        program=program,
    )


def drains(server, seconds=20):
    """Ends in order, or by force if something still runs: never later than a second after the grace time; for slow
    machines the test allows many seconds."""
    server.process.send_signal(signal.SIGTERM)
    status, log = server.process.wait(seconds), server.stop_log()
    for word in ("ERROR: AddressSanitizer", "LeakSanitizer", "runtime error:", "ThreadSanitizer"):
        assert word not in log, log[-6000:]
    assert status == 0, log[-6000:]
    return log


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_attack(name):
    attack = attacks.ATTACKS[name]
    getattr(attack, "prepare", lambda: None)()
    server = start()
    try:
        target = attacks.Target(server.port, timeout=120)
        with attacks.Watch(server.port, server.process.pid) as watch:
            statuses = attack(target)
        assert not watch.failed and set(statuses) <= EXPECTED, (watch.failed, statuses)
        allowed = SECOND + AS_OFTEN * watch.worst["control"]
        assert watch.worst["health"] <= allowed and watch.worst["cached"] <= allowed, watch.worst
        assert watch.peak - watch.first <= attacks.BUDGETS_MIB + 256, watch.peak
        for _, status, data in target.refusals:
            problem = json.loads(data)
            assert problem["status"] == status and problem["type"].startswith("/problems/")
            if problem["type"] in ("/problems/too-complex", "/problems/unpacked-too-large"):
                limit = problem["limit"]
                assert (
                    limit["setting"] in attacks.LIMITS
                    and limit["used"] > limit["allowed"]
                    and limit["stage"]
                    and f"{limit['setting']} of the service" in problem["advice"]
                )
        assert server.json("POST", "/v1/analyze?section=ranks", attacks.CUBE)[0] == 200
    except BaseException:
        server.process.kill()
        raise
    drains(server)


def test_bombs_are_refused_and_nothing_is_kept():
    server = start()
    target = attacks.Target(server.port)
    assert target.ask("POST", "/v1/topologies", attacks.gzip_bomb(256)) == 413
    problem = json.loads(target.last)
    assert problem["type"] == "/problems/unpacked-too-large" and problem["limit"]["setting"] == "--unpacked"
    assert problem["limit"]["allowed"] == 32 << 20 and problem["limit"]["used"] < 34 << 20
    assert target.ask("POST", "/v1/topologies", attacks.empty_entries(10000)) == 413
    assert json.loads(target.last)["limit"]["setting"] == "--archive-entries"
    assert server.json("GET", "/v1/topologies")[1]["items"] == []
    drains(server)


def test_a_limit_of_memory_says_so_and_nothing_is_cached():
    server = start(**{"--analysis-memory": "8M", "--analysis-time": "0"})
    target = attacks.Target(server.port)
    hard = attacks.machine(100, 150, 150)
    for _ in range(2):
        assert target.ask("POST", f"/v1/analyze?{attacks.HARD}", hard) == 422
        problem = json.loads(target.last)
        assert problem["type"] == "/problems/too-complex" and problem["limit"]["of"] == "memory"
    _, metrics = server.ask("GET", "/metrics")
    assert b'orrery_budget_exceeded_total{limit="memory"} 2\n' in metrics
    log = drains(server)
    assert len(re.findall(r"status=422 ended=memory", log)) == 2


def test_a_client_that_goes_away_ends_its_work():
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0"})
    target = attacks.Target(server.port)
    target.all_at_once(
        [lambda: target.leave(LONG, 0.5)] * 6
    )  # running and waiting: without a limit each would take minutes
    end = time.monotonic() + 60
    while b'orrery_cancelled_total{reason="client_gone"} 6\n' not in server.ask("GET", "/metrics")[1]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert server.json("POST", "/v1/analyze?section=ranks", attacks.CUBE)[0] == 200
    assert len(re.findall("ended=client_gone", drains(server))) == 6


def compute(server):
    """Begins what takes minutes, and returns its connection once it runs."""
    busy = attacks.Target(server.port).open()
    busy.sendall(LONG)
    end = time.monotonic() + 120
    while (
        b"orrery_http_requests_in_flight 2\n" not in server.ask("GET", "/metrics")[1]
        or b"orrery_queue_waiting 0\n" not in server.ask("GET", "/metrics")[1]
    ):
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.3)
    return busy


# README's promises also hold for the program that people run.
@pytest.fixture(params=["under test", "release"])
def program(request):
    found = ROOT / "build/orrery" if request.param == "release" else None
    assert not found or found.exists(), "build/orrery is missing: ./dev build release"
    return found


def test_the_grace_time_ends_what_is_computed(program):
    server = start(program, **{"--analysis-time": "0", "--analysis-memory": "0", "--grace": "1"})
    with compute(server) as busy:
        log = drains(server)
        answer = busy.recv(65536)
    assert not answer or b"503" in answer.split(b"\r\n")[0]
    assert "ended=shutting_down" in log or "stopped at once" in log


def test_a_second_signal_ends_at_once(program):
    server = start(program, **{"--analysis-time": "0", "--analysis-memory": "0", "--grace": "3600"})
    with compute(server):
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_log("draining")
        log = drains(server)
    assert "ended=shutting_down" in log or "stopped at once" in log


def test_what_is_computed_within_the_grace_time_is_answered(program):
    server = start(program, **{"--analysis-time": "0", "--analysis-memory": "0", "--grace": "3600"})
    with attacks.Target(server.port).open() as busy:
        busy.sendall(attacks.request("/v1/analyze?hosts=64", attacks.machine(8, 48, 48)))
        wait_until(lambda: b"orrery_http_requests_in_flight 2\n" in server.ask("GET", "/metrics")[1])
        log = drains(server, 120)
        assert busy.makefile("rb").readline() == b"HTTP/1.1 200 OK\r\n"
    assert "ended=" not in log and "stopped at once" not in log


def test_one_client_leaves_room_for_another():
    """While one client keeps all of its threads busy and its queue full, another one's new analysis is computed."""
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0"})
    target = attacks.Target(server.port)
    busy = []
    for _ in range(12):
        busy.append(target.open())
        busy[-1].sendall(LONG)
    while b"orrery_queue_waiting 10\n" not in server.ask("GET", "/metrics")[1]:
        time.sleep(0.05)
    # 12 requests of minutes each: if they all ran before this one, it would time out.
    assert target.ask("POST", "/v1/analyze?section=ranks", attacks.CUBE, source="127.0.0.2") == 200
    assert b"orrery_queue_waiting 10\n" in server.ask("GET", "/metrics")[1]
    for s in busy:
        s.close()
    drains(server)


def fill_queue(server, target, beside=0):
    """With --queue 2 and --threads 2: two requests run and two wait, for minutes, besides this many others. Returns the
    connections, including those that found the queue full."""
    in_flight = b"orrery_http_requests_in_flight %d\n" % (5 + beside)  # with that of /metrics
    busy = []
    while not all(line in server.ask("GET", "/metrics")[1] for line in (b"orrery_queue_waiting 2\n", in_flight)):
        assert len(busy) < 400
        busy.append(target.open())
        busy[-1].sendall(LONG)
        time.sleep(0.1)
    return busy


def test_a_full_queue_says_when_to_come_again():
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0", "--queue": "2"})
    target = attacks.Target(server.port)
    kept = target.post("/v1/topologies?name=first", attacks.SMALL)
    busy = fill_queue(server, target)
    for method, path, body in (
        ("POST", "/v1/analyze?section=ranks", attacks.CUBE),
        ("PATCH", f"/v1/topologies/{kept}", '{"name": "second"}'),
        ("POST", "/v1/topologies", attacks.CUBE),
        ("DELETE", f"/v1/topologies/{kept}", None),
    ):
        response, data = server.ask(method, path, body)
        problem = json.loads(data)
        assert (
            response.status == 503
            and response.getheader("Retry-After") == "1"
            and problem["type"] == "/problems/overloaded"
        ), (method, path)
    assert "2 requests" in problem["detail"] and "--queue" in problem["advice"]
    assert (
        server.json("GET", "/readyz")[0] == 200 and server.json("GET", "/healthz")[0] == 200
    )  # operators pass the queue
    response, metrics = server.ask("GET", "/metrics")
    assert (
        response.status == 200
        and b"orrery_queue_waiting 2\n" in metrics
        and b'orrery_rejected_total{reason="queue"}' in metrics
    )
    for s in busy:
        s.close()
    wait_until(lambda: server.ask("GET", "/v1/topologies")[0].status == 200)
    assert [(item["id"], item["name"]) for item in server.json("GET", "/v1/topologies")[1]["items"]] == [
        (kept, "first")
    ]  # nothing changed
    drains(server)


def test_nothing_is_kept_of_what_was_refused():
    """Uploads, changes and clusters that exceed a limit leave no trace in the store, and none in the cache."""
    server = start(**{"--analysis-memory": "1M"})
    target = attacks.Target(server.port)
    small = target.post("/v1/topologies", attacks.SMALL)
    refused = [
        ("/v1/topologies", attacks.machine(100, 150, 150)),
        ("/v1/clusters", json.dumps({"hosts": [{"topology": small, "count": 1}] * 4000}).encode()),
    ]
    for path, body in refused * 2:
        assert target.ask("POST", path, body) == 422, path
        problem = json.loads(target.last)
        assert (
            problem["type"] == "/problems/too-complex"
            and problem["limit"]["of"] == "memory"
            and problem["limit"]["setting"] == "--analysis-memory"
        )
        assert problem["limit"]["stage"] in problem["detail"]
    assert [item["id"] for item in server.json("GET", "/v1/topologies")[1]["items"]] == [small]
    assert server.json("GET", "/v1/clusters")[1]["items"] == []
    assert (
        b'orrery_budget_exceeded_total{limit="memory"} 4\n' in server.ask("GET", "/metrics")[1]
    )  # each time anew: nothing was cached
    drains(server)


def test_a_drawing_and_a_stored_dump_are_drawn_from_the_memory():
    """A dump that was stored under a higher limit cannot be read under a lower one, nor be drawn."""
    big = attacks.machine(8, 32, 32) + b"<!-- " + attacks.chatter(3, 3 << 20).hex().encode() + b" -->"
    with tempfile.TemporaryDirectory() as folder:
        server = start(**{"--database": f"{folder}/db"})
        topology = attacks.Target(server.port).post("/v1/topologies", big)
        drains(server)
        server = start(**{"--database": f"{folder}/db", "--analysis-memory": "4M"})
        target = attacks.Target(server.port)
        for path in ("/diagram.png", "/source", "/analysis/ranks", "/explain?decision=channels"):
            assert target.ask("GET", f"/v1/topologies/{topology}{path}") == 422, path
            assert json.loads(target.last)["limit"]["of"] == "memory"
        drains(server)


def test_streams_go_on_while_the_queue_is_full():
    """An answer that has begun is sent to its end, and not computed by the connection's thread: /healthz answers while
    there are many readers."""
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0", "--queue": "2"})
    target = attacks.Target(server.port)
    topology = target.post("/v1/topologies", attacks.NVSWITCH)
    stream = socket.socket()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)  # it cannot be sent before it is read
    stream.settimeout(120)
    stream.connect(("127.0.0.1", server.port))
    stream.sendall(
        (
            f"GET /v1/topologies/{topology}/channels?hosts=2048 HTTP/1.1\r\nHost: localhost\r\nConnection: "
            "close\r\n\r\n"
        ).encode()
    )
    first = stream.recv(4096)
    busy = fill_queue(server, target, 1)
    whole = first
    while piece := stream.recv(1 << 20):
        whole += piece
    assert whole.startswith(b"HTTP/1.1 200") and whole.endswith(b"}\n\r\n0\r\n\r\n")
    for s in [*busy, stream]:
        s.close()
    drains(server)
