# SPDX-License-Identifier: Apache-2.0
"""When the database fails, answers are clean, and all is well again without a restart when it is back. When processes
are killed, everything acknowledged is still there."""
import base64
import concurrent.futures
import json
import os
import random
import signal
import subprocess
import threading
import time

import pytest

from conftest import DUMP, Server, wait_until

KILLS = int(os.environ.get("ORR_TEST_KILLS", "8"))


def dump(number):
    return DUMP + b"<!-- %d -->" % number


def is_ready(server):
    return server.ask("GET", "/readyz")[0].status == 200


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_database_goes_and_comes_back(postgresql, how):
    server = Server("--database", postgresql.new_database(), "--database-timeout", "120", "--quiet")
    kept = server.json("POST", "/v1/topologies?name=kept", DUMP)[1]["id"]
    target = f"/v1/topologies/{kept}"
    assert server.json("GET", target + "/analysis/ranks") == (200, 2)
    postgresql.end(how)
    try:
        time.sleep(1.1)  # for so long what is cached is believed to be there still
        for method, path, body in (
            ("POST", "/v1/topologies", dump(1)),
            ("GET", target, None),
            ("GET", target + "/source", None),
            ("GET", target + "/analysis/ranks", None),
            ("GET", "/v1/topologies", None),
            ("PATCH", target, '{"name": "x"}'),
            ("DELETE", target, None),
            ("GET", "/v1/hosts", None),
        ):
            begun = time.monotonic()
            response, data = server.ask(method, path, body)
            assert (response.status, response.getheader("Retry-After")) == (503, "1"), (
                method,
                path,
                response.status,
                data,
            )
            assert b"/problems/store-failed" in data and b"127.0.0.1" not in data
            assert time.monotonic() - begun < 60  # at once, not when --database-timeout ends it
        assert server.ask("GET", "/readyz")[0].status == 503
        assert server.ask("GET", "/healthz")[0].status == 200
        assert server.json("POST", "/v1/analyze?section=ranks", DUMP) == (200, 2)  # needs no store
    finally:
        postgresql.start()
    wait_until(lambda: is_ready(server))
    assert server.json("GET", target)[1]["name"] == "kept"
    assert server.json("POST", "/v1/topologies", dump(1))[0] == 201
    server.stop()


def test_a_database_that_hangs_costs_no_more_than_the_stated_time(postgresql):
    server = Server(
        "--database", postgresql.new_database() + "&connect_timeout=2", "--database-timeout", "1", "--quiet"
    )
    assert server.json("POST", "/v1/topologies", DUMP)[0] == 201
    postgresql.freeze(True)
    try:
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(server.ask, "POST", "/v1/topologies", dump(i)) for i in range(6)]
            assert server.ask("GET", "/healthz")[0].status == 200
            assert not all(a.done() for a in asked)  # others are served meanwhile
            assert {a.result()[0].status for a in asked} == {503}
        assert time.monotonic() - begun < 60
    finally:
        postgresql.freeze(False)
    wait_until(lambda: is_ready(server))
    assert server.json("POST", "/v1/topologies", dump(7))[0] == 201
    server.stop()


def test_a_full_disk_of_the_database_server(postgresql):
    """For a while its files may not grow past 24 MiB: uploads are refused, everything else works, and nothing
    acknowledged is lost."""

    def restrict(largest):
        family = subprocess.run(
            ["pgrep", "-P", str(postgresql.process.pid)], capture_output=True, text=True
        ).stdout.split()
        for pid in [postgresql.process.pid, *map(int, family)]:
            subprocess.run(
                ["setpriv", *postgresql.user, "prlimit", f"--fsize={largest}:", "--pid", str(pid)]
            )  # one may have ended

    def large(number):  # about a mebibyte that does not compress
        return (
            DUMP + b"<!--" + base64.b64encode(random.Random(number).randbytes(1 << 20)).replace(b"--", b"..") + b"-->"
        )

    server = Server("--database", postgresql.new_database(), "--quiet")
    kept = []
    restrict(24 << 20)
    try:
        for number in range(80):
            response, data = server.ask("POST", "/v1/topologies", large(number))
            if response.status != 201:
                break
            kept.append((json.loads(data)["id"], number))
        problem = json.loads(data)
        assert (response.status, problem["type"]) == (503, "/problems/store-failed"), data[:500]
        assert len(kept) > 5
        assert server.ask("GET", f"/v1/topologies/{kept[0][0]}/analysis")[0].status == 200
    finally:
        restrict("unlimited")
    wait_until(lambda: server.ask("POST", "/v1/topologies", large(1000))[0].status == 201)
    for ident, number in kept:
        assert server.ask("GET", f"/v1/topologies/{ident}/source")[1] == large(number)
    server.stop()


class Writers:
    """Clients that upload, change and delete until they are told to stop, and remember what was acknowledged."""

    def __init__(self, ask, count=4):
        self.ask, self.ending, self.present, self.absent, self.refused, self.broken = (
            ask,
            threading.Event(),
            {},
            set(),
            0,
            0,
        )
        self.uncertain = set()  # what is being deleted
        self.threads = [threading.Thread(target=self.write, args=(i,)) for i in range(count)]
        for thread in self.threads:
            thread.start()

    def one(self, method, target, body=None):
        """The status if the answer came whole, otherwise 0."""
        try:
            response, data = self.ask(method, target, body)
            self.refused += response.status >= 500
            return response.status, response.getheader("Location")
        except Exception:  # the connection broke: nothing was acknowledged
            self.broken += 1
            time.sleep(0.02)
            return 0, None

    def write(self, which):
        chance = random.Random(which)
        while not self.ending.is_set():
            number = chance.randrange(1 << 40)
            status, location = self.one("POST", f"/v1/topologies?name=w{which}&label=host%3Dnode-{which}", dump(number))
            if status not in (200, 201):
                continue
            self.present[location] = number
            if chance.random() < 0.2:
                self.uncertain.add(location)
                if self.one("DELETE", location)[0] == 204:
                    self.absent.add(location)

    def stop(self):
        self.ending.set()
        for thread in self.threads:
            thread.join(60)

    def check(self, server):
        """Everything acknowledged is there byte for byte, everything deleted is not."""
        for location, number in list(self.present.items()):
            response, data = server.ask("GET", location + "/source")
            if location in self.absent:
                assert response.status == 404, location
            elif location not in self.uncertain or response.status != 404:
                assert (response.status, data) == (200, dump(number)), (location, response.status)


def test_a_killed_server_loses_nothing_acknowledged(database):
    """Over real sockets; test_api_store_kill does it a hundred times in process."""
    running, chance = [Server("--database", database, "--quiet")], random.Random(1)
    writers = Writers(lambda *arguments: running[0].ask(*arguments))
    try:
        for _ in range(KILLS):
            time.sleep(chance.random() * 0.3)
            running[0].process.kill()
            running[0].process.wait()
            running[0] = Server("--database", database, "--quiet")
            assert is_ready(running[0])
    finally:
        writers.stop()
    assert len(writers.present) > KILLS
    writers.check(running[0])
    running[0].stop()


def test_a_killed_database_server_loses_nothing_acknowledged(postgresql):
    server, chance = Server("--database", postgresql.new_database(), "--quiet"), random.Random(2)
    writers = Writers(server.ask)
    try:
        for _ in range(max(3, KILLS // 3)):
            time.sleep(0.2 + chance.random() * 0.5)
            postgresql.kill()
            postgresql.start()
            wait_until(lambda: is_ready(server))
    finally:
        writers.stop()
    assert len(writers.present) > 3 and writers.broken == 0
    writers.check(server)
    server.stop()


def test_dumps_expire_as_the_options_say(database):
    server = Server("--database", database, "--keep-count", "2", "--quiet")
    made = [server.json("POST", "/v1/topologies", dump(i))[1]["id"] for i in range(4)]
    wait_until(lambda: [t["id"] for t in server.json("GET", "/v1/topologies")[1]["items"]] == made[:1:-1])
    assert server.ask("GET", f"/v1/topologies/{made[0]}")[0].status == 404
    assert server.ask("GET", f"/v1/topologies/{made[0]}/findings")[0].status == 404
    server.stop()


def test_the_password_of_the_database_is_told_to_nobody(postgresql):
    url = postgresql.new_database().replace("orrery@", "orrery:geheim@")
    server = Server("--database", url)
    assert server.ask("GET", "/readyz")[0].status == 200
    log = server.stop()
    assert "geheim" not in log and "postgresql://127.0.0.1" in log
