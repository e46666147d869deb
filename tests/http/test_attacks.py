"""Attacks: for each, another client is answered all the while, memory stays within the budgets, and the service then does a normal request and drains in time.

No figure here depends on how quick the machine is: /healthz and a small cached analysis are compared with a trivial server that runs beside them, under the same load.
`./dev bench attacks` prints the figures.
"""
import json
import re
import signal
import sys
import time

import pytest

from conftest import ROOT, Server

sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402

EXPECTED = {0, 200, 201, 400, 404, 413, 415, 422, 503}
# What another client waits at most: a second, and as often again what a trivial server took meanwhile.
SECOND, AS_OFTEN = 1.0, 8


def start(**changes):
    limits = {**attacks.LIMITS, **changes}
    # A small quarantine: what was freed should not count as resident.
    return Server(*(word for pair in limits.items() for word in pair), environment={"ASAN_OPTIONS": "detect_leaks=1:exitcode=99:quarantine_size_mb=8"})


def drains(server, seconds=20):
    """In order, or by force where something still ran: never more than the grace time and a second, of which the test leaves a slow machine many."""
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
                assert limit["setting"] in attacks.LIMITS and limit["used"] > limit["allowed"] and limit["stage"] and limit["setting"] in problem["advice"]
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
    hard = attacks.request(f"/v1/analyze?{attacks.HARD}", attacks.machine(200, 300, 300))
    target.all_at_once([lambda: target.leave(hard, 0.5)] * 6)  # running and waiting: without a limit each would take a minute
    end = time.monotonic() + 60
    while b'orrery_cancelled_total{reason="client_gone"} 6\n' not in server.ask("GET", "/metrics")[1]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert server.json("POST", "/v1/analyze?section=ranks", attacks.CUBE)[0] == 200
    assert len(re.findall("ended=client_gone", drains(server))) == 6


def compute(server):
    """Begins what takes minutes, and returns its connection once it runs."""
    busy = attacks.Target(server.port).open()
    busy.sendall(attacks.request(f"/v1/analyze?{attacks.HARD}", attacks.machine(200, 300, 300)))
    end = time.monotonic() + 120
    while b"orrery_http_requests_in_flight 2\n" not in server.ask("GET", "/metrics")[1] or b"orrery_queue_waiting 0\n" not in server.ask("GET", "/metrics")[1]:
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.3)
    return busy


def test_the_grace_time_ends_what_is_computed():
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0", "--grace": "1"})
    with compute(server) as busy:
        log = drains(server)
        answer = busy.recv(65536)
    assert not answer or b"503" in answer.split(b"\r\n")[0]
    assert "ended=shutting_down" in log or "stopped by force" in log


def test_a_second_signal_ends_at_once():
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0", "--grace": "3600"})
    with compute(server):
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_log("draining")
        log = drains(server)
    assert "ended=shutting_down" in log or "stopped by force" in log


def test_one_client_leaves_room_for_another():
    """While one client keeps all of its threads busy and its queue full, another one's new analysis is computed."""
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0"})
    target = attacks.Target(server.port)
    hard = attacks.request(f"/v1/analyze?{attacks.HARD}", attacks.machine(200, 300, 300))
    busy = []
    for _ in range(12):
        busy.append(target.open())
        busy[-1].sendall(hard)
    while b"orrery_queue_waiting 10\n" not in server.ask("GET", "/metrics")[1]:
        time.sleep(0.05)
    # 12 requests of a minute each: were they all in front of this one, it would time out.
    assert target.ask("POST", "/v1/analyze?section=ranks", attacks.CUBE, source="127.0.0.2") == 200
    assert b"orrery_queue_waiting 10\n" in server.ask("GET", "/metrics")[1]
    for s in busy:
        s.close()
    drains(server)


def test_a_full_queue_says_when_to_come_again():
    server = start(**{"--analysis-time": "0", "--analysis-memory": "0", "--queue": "2"})
    target = attacks.Target(server.port)
    hard = attacks.request(f"/v1/analyze?{attacks.HARD}", attacks.machine(200, 300, 300))
    busy = []
    for _ in range(8):
        busy.append(target.open())
        busy[-1].sendall(hard)
    end = time.monotonic() + 60
    while server.ask("GET", "/metrics")[0].status != 503:  # the queue is full, and stays so for minutes
        assert time.monotonic() < end
        time.sleep(0.05)
    response, data = server.ask("POST", "/v1/analyze?section=ranks", attacks.CUBE)
    assert response.status == 503 and response.getheader("Retry-After") == "1" and json.loads(data)["type"] == "/problems/overloaded"
    assert server.json("GET", "/readyz")[0] == 200 and server.json("GET", "/healthz")[0] == 200  # probes pass the queue
    for s in busy:
        s.close()
    drains(server)
