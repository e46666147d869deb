# SPDX-License-Identifier: Apache-2.0
"""Resources run out or processes die while the service runs: it answers cleanly and works on without a restart."""
import json
import os
import pathlib
import resource
import select
import signal
import socket
import time

import pytest

from conftest import DUMP, Server, wait_until


def limited(descriptors):
    """A daemon that may open this many files."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


def test_no_descriptors_left(tmp_path):
    """With more connections than descriptors, some wait or are refused, but the daemon survives, and store, analysis
    and drawing work when the crowd has gone."""
    server = Server("--database", str(tmp_path / "orrery.db"), "--connections", "1000", before=limited(64))
    ident = server.json("POST", "/v1/topologies", DUMP)[1]["id"]
    crowd = []
    for _ in range(200):
        s = socket.socket()
        s.settimeout(2)
        try:
            s.connect(("127.0.0.1", server.port))
            s.sendall(b"GET /v1/topologies HTTP/1.1\r\nHost: localhost\r\n\r\n")
        except OSError:
            s.close()
            continue
        crowd.append(s)
    statuses = {}

    def enough():
        """Those that had a descriptor are served; the others wait, or are closed."""
        for s in select.select([s for s in crowd if s not in statuses], [], [], 0)[0]:
            try:
                statuses[s] = s.recv(65536).split(b" ")[1:2]
            except OSError:
                statuses[s] = []
        return list(statuses.values()).count([b"200"]) > 10

    wait_until(enough)
    for s in crowd:
        s.close()
    end = time.monotonic() + 20
    while True:
        try:
            response, _ = server.ask("GET", f"/v1/topologies/{ident}/diagram.svg?release=2.27.7")
            if response.status == 200:
                break
        except OSError:
            pass
        assert time.monotonic() < end
        time.sleep(0.1)
    assert server.json("GET", f"/v1/topologies/{ident}/analysis?release=2.12.12")[0] == 200
    assert server.json("POST", "/v1/topologies", DUMP.replace(b"0x16f3", b"0x16f4"))[0] == 201
    server.stop()


def workers_of(pid):
    """The processes that draw."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split() if entry.name.isdigit() else []
        except OSError:
            continue
        if fields and int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def test_a_drawing_worker_that_dies(server, topology):
    """kill -9 of the workers between drawings and during one: at worst one drawing fails, with a problem."""
    target = f"/v1/topologies/{topology}/diagram.svg?release=2.27.7&channel="
    assert server.ask("GET", target + "0")[0].status == 200
    for channel in range(1, 6):
        for worker in workers_of(server.process.pid):
            os.kill(worker, signal.SIGKILL)
        response, data = server.ask("GET", target + str(channel))
        assert response.status in (200, 500), data
        if response.status == 500:
            assert json.loads(data)["type"] == "/problems/render-failed"
        assert server.ask("GET", target + str(channel))[0].status == 200


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_log_that_cannot_be_written(tmp_path):
    """Standard error on a full disk: lines are lost, requests are not."""
    with open("/dev/full", "wb") as full:
        server = Server("--database", ":memory:", log=full)
        assert server.json("POST", "/v1/topologies", DUMP)[0] == 201
        assert server.json("GET", "/v1/topologies")[0] == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=30) == 0


@pytest.mark.parametrize(
    "target", ["/healthz", "/nothing", "/v1/topologies/{}/analysis", "/v1/topologies/{}/channels?hosts=64"]
)
def test_a_line_of_the_log_is_there_before_its_answer(target):
    """kill -9 as soon as an answer has been read, whole or streamed: its line is in the log."""
    for attempt in range(5):
        server = Server("--database", ":memory:")
        connection = server.connect()
        path = target.format(server.json("POST", "/v1/topologies", DUMP)[1]["id"])
        names = [f"asked-{attempt}-{i}" for i in range(3)]
        for name in names:
            connection.request("GET", path, headers={"X-Request-Id": name})
            response = connection.getresponse()
            assert bool(response.getheader("Transfer-Encoding")) == ("channels" in path)
            response.read()
        server.process.kill()
        server.process.wait(timeout=30)
        log = server.stop_log()
        assert [name for name in names if f"id={name} " not in log] == [], log[-2000:]
