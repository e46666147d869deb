# SPDX-License-Identifier: Apache-2.0
"""A store that is slow, locked, gone, full or damaged: requests that need no store are answered all the same, the
others soon get 503 with Retry-After, /readyz says so, and deleting makes room on a full disk. Times are compared only
with how long the database stays away, never with the speed of the machine.
"""
import base64
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import socket
import sqlite3
import subprocess

import pytest

from conftest import DUMP, ROOT, Server, answers, wait_until
from openapi import description
from test_openapi import bodies_of, query_of

AWAY = 20  # seconds for which a table stays locked, and after which a statement gives up


def dump(number):
    return DUMP + b"<!-- %d -->" % number


def is_ready(server):
    return server.ask("GET", "/readyz")[0].status == 200


class Lock:
    """Holds a write lock on a SQLite file, or on the tables of a PostgreSQL database."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)

    def __enter__(self):
        self.connection.execute("BEGIN EXCLUSIVE")

    def __exit__(self, *_):
        self.connection.execute("ROLLBACK")
        self.connection.close()


def ask_all(server, ident, cluster):
    """Every described operation with its examples, all at once: (method, path, status, Retry-After) of each."""

    def one(method, path, operation, parameters):
        values = {"section": "ranks", "format": "dot", "type": "malformed-xml", "host": "example"}
        values["id"] = cluster if path.startswith("/v1/clusters") else ident
        target = path
        for name, value in values.items():
            target = target.replace("{" + name + "}", value)
        assert "{" not in target, target  # a route that nobody gave a value
        query = query_of(parameters, only_required=True, ident=ident)
        media, body = bodies_of(operation, ident)[0]
        response, _ = server.ask(
            method.upper(), target + ("?" + query if query else ""), body, {"Content-Type": media} if media else {}
        )
        return method, path, response.status, response.getheader("Retry-After")

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        return list(pool.map(lambda row: one(*row), list(description.operations())))


def test_a_locked_database_holds_few_threads(tmp_path):
    """Every route while another process holds the file: analyses of posted dumps are answered meanwhile, readiness
    fails, and nothing waits for the end of the lock."""
    path = tmp_path / "db"
    server = Server("--database", str(path), "--threads", "2", "--database-timeout", str(AWAY))
    ident = server.json("POST", "/v1/topologies?label=host%3Dexample", DUMP)[1]["id"]
    cluster = server.json("POST", "/v1/clusters", json.dumps({"hosts": [{"topology": ident}]}).encode())[1]["id"]
    assert is_ready(server)
    with Lock(path):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            uploads = [pool.submit(server.ask, "POST", "/v1/topologies", dump(i)) for i in range(4)]
            wait_until(lambda: any(upload.done() for upload in uploads), seconds=AWAY / 2)
            early = next(upload.result()[0] for upload in uploads if upload.done())
            assert early.status == 503 and early.getheader("Retry-After")
            assert server.json("POST", "/v1/analyze?section=ranks", dump(9)) == (200, 2)
            wait_until(lambda: not is_ready(server), seconds=AWAY / 2)
            assert not all(upload.done() for upload in uploads)  # the lock was there all the while
            assert {upload.result()[0].status for upload in uploads} == {503}
    wait_until(lambda: is_ready(server))
    assert server.json("POST", "/v1/topologies", dump(0))[0] == 201
    answers = ask_all(server, ident, cluster)
    assert all(status < 500 for *_, status, _ in answers), answers
    server.stop()


def test_every_route_while_the_database_is_locked(tmp_path):
    path = tmp_path / "db"
    server = Server("--database", str(path), "--threads", "2", "--database-timeout", "1")
    ident = server.json("POST", "/v1/topologies?label=host%3Dexample", DUMP)[1]["id"]
    cluster = server.json("POST", "/v1/clusters", json.dumps({"hosts": [{"topology": ident}]}).encode())[1]["id"]
    with Lock(path):
        answers = ask_all(server, ident, cluster)
    for method, path, status, retry in answers:
        assert status < 500 or (status == 503 and (retry or path == "/readyz")), (method, path, status)
    assert any(status == 503 for *_, status, _ in answers)
    wait_until(lambda: is_ready(server))
    server.stop()


@pytest.mark.parametrize("fault", ["locked", "gone", "frozen"])
def test_every_route_while_postgresql_fails(postgresql, fault):
    url = postgresql.new_database()
    server = Server("--database", url + "&connect_timeout=2", "--threads", "2", "--database-timeout", "1")
    ident = server.json("POST", "/v1/topologies?label=host%3Dexample", DUMP)[1]["id"]
    cluster = server.json("POST", "/v1/clusters", json.dumps({"hosts": [{"topology": ident}]}).encode())[1]["id"]
    assert is_ready(server)
    locker = None
    try:
        if fault == "locked":
            locker = subprocess.Popen(
                postgresql._command("psql", "-qAt", url), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            locker.stdin.write("BEGIN; LOCK TABLE topology, upload, cluster; SELECT 'held';\n")
            locker.stdin.flush()
            assert locker.stdout.readline() == "held\n"
        elif fault == "gone":
            postgresql.kill()
        else:
            postgresql.freeze(True)
        answers = ask_all(server, ident, cluster)
        assert server.json("POST", "/v1/analyze?section=ranks", dump(9)) == (200, 2)
    finally:
        if locker:
            locker.kill()
            locker.wait()
        elif fault == "gone":
            postgresql.start()
        else:
            postgresql.freeze(False)
    for method, path, status, retry in answers:
        assert status < 500 or (status == 503 and (retry or path == "/readyz")), (method, path, status)
    assert any(status == 503 for *_, status, _ in answers)
    wait_until(lambda: is_ready(server))
    assert server.json("POST", "/v1/topologies", dump(7))[0] == 201
    server.stop()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 16 MiB, in a namespace of its own where mounting is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        not shutil.which("unshare")
        or subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)], capture_output=True
        ).returncode
    ):
        pytest.skip("mounting a small file system is not allowed here")
    program = tmp_path / "orrery"
    real = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
    script = f'mount -t tmpfs -o size=16m tmpfs {folder} && exec "{os.path.abspath(real)}" "$@"'
    program.write_text(f"#!/bin/sh\nexec unshare -m sh -c '{script}' orrery \"$@\"\n")
    program.chmod(0o755)
    return folder, str(program)


def test_a_full_disk_is_not_ready_and_deleting_works(small_disk):
    folder, program = small_disk
    server = Server("--database", str(folder / "db"), program=program)

    def large(number):  # half a mebibyte that does not compress
        noise = base64.b64encode(random.Random(number).randbytes(400 << 10)).replace(b"--", b"..")
        return DUMP + b"<!--" + noise + b"-->"

    kept = []
    for number in range(40):
        response, data = server.ask("POST", "/v1/topologies", large(number))
        if response.status != 201:
            break
        kept.append(json.loads(data)["id"])
    assert response.status == 503 and response.getheader("Retry-After") and len(kept) > 2
    assert json.loads(data)["type"] == "/problems/store-failed"
    assert not is_ready(server)
    assert server.ask("GET", f"/v1/topologies/{kept[0]}/analysis/ranks")[0].status == 200
    for ident in kept[:3]:
        response, data = server.ask("DELETE", f"/v1/topologies/{ident}")
        assert response.status == 204, data
    wait_until(lambda: server.ask("POST", "/v1/topologies", large(99))[0].status == 201)
    wait_until(lambda: is_ready(server))
    for number, ident in enumerate(kept[3:], 3):
        assert server.ask("GET", f"/v1/topologies/{ident}/source")[1] == large(number)
    server.stop()


def test_every_route_while_the_disk_is_full(small_disk):
    """Writes are refused with Retry-After, reads are answered, and everything works again when there is room."""
    folder, program = small_disk
    server = Server("--database", str(folder / "db"), "--threads", "2", program=program)
    ident = server.json("POST", "/v1/topologies?label=host%3Dexample", DUMP)[1]["id"]
    cluster = server.json("POST", "/v1/clusters", json.dumps({"hosts": [{"topology": ident}]}).encode())[1]["id"]
    seen = pathlib.Path(f"/proc/{server.process.pid}/root{folder}")  # the disk is in the namespace of the service
    block = next((folder for folder in (seen, folder) if (folder / "db").exists())) / "block"
    with open(block, "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"x" * 4096)
    noise = base64.b64encode(random.Random(1).randbytes(300 << 10)).replace(b"--", b"..")
    assert server.ask("POST", "/v1/topologies", DUMP + b"<!--" + noise + b"-->")[0].status == 503
    answers = ask_all(server, ident, cluster)
    for method, path, status, retry in answers:
        assert status < 500 or (status == 503 and (retry or path == "/readyz")), (method, path, status)
    block.unlink()
    wait_until(lambda: is_ready(server))
    assert server.json("POST", "/v1/topologies", dump(2))[0] == 201
    server.stop()


def test_a_damaged_database_is_not_ready(tmp_path):
    path = tmp_path / "db"
    server = Server("--database", str(path))
    ids = [server.json("POST", "/v1/topologies", dump(i))[1]["id"] for i in range(300)]
    server.stop()
    size = path.stat().st_size
    with open(path, "r+b") as file:
        for page in range(8, size // 4096):  # the first pages hold the schema and the roots of the tables
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)
    server = Server("--database", str(path))
    statuses = [server.ask("GET", f"/v1/topologies/{ident}/source")[0].status for ident in ids[:50]]
    assert 503 in statuses
    assert not is_ready(server)
    assert server.json("POST", "/v1/analyze?section=ranks", DUMP) == (200, 2)
    server.process.terminate()
    server.process.wait(60)


def test_a_file_gets_smaller_after_deletions(tmp_path):
    path = tmp_path / "db"
    server = Server("--database", str(path))
    noise = [DUMP + b"<!--" + os.urandom(100000).hex().encode() + b"-->" for _ in range(40)]
    ids = [server.json("POST", "/v1/topologies", body)[1]["id"] for body in noise]
    server.stop()
    before = path.stat().st_size
    server = Server("--database", str(path))
    for ident in ids:
        assert server.ask("DELETE", f"/v1/topologies/{ident}")[0].status == 204
    server.stop()
    assert path.stat().st_size < before / 4


def test_few_file_descriptors_mean_fewer_connections():
    """A connection beyond those that fit is answered or closed; none waits in silence."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    server = Server("--database", ":memory:", "--threads", "1", before=limit)
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as one:
            one.sendall(b"GET /v1/releases HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            try:
                got = one.recv(64)
            except ConnectionError:
                got = b""
        assert got == b"" or got.split()[1] in (b"200", b"503"), got
    for one in held:
        one.close()
    wait_until(lambda: answers(server, "/healthz"))
    assert "too few file descriptors for --connections" in server.stop()


def test_spellings_of_a_target_do_not_fill_the_cache():
    server = Server("--database", ":memory:")
    ident = server.json("POST", "/v1/topologies", DUMP)[1]["id"]

    def entries():
        return int(re.search(rb"^orrery_cache_entries (\d+)", server.ask("GET", "/metrics")[1], re.M)[1])

    plain = f"/v1/topologies/{ident}/analysis/ranks?hosts=2"
    assert server.json("GET", plain) == (200, 4)
    before = entries()
    for number in range(1, 64):  # each letter of "hosts=2" as itself, or in percent
        word = "".join(f"%{ord(c):02x}" if number >> i & 1 else c for i, c in enumerate("hosts"))
        assert server.json("GET", f"/v1/topologies/{ident}/analysis/ranks?{word}=2") == (200, 4)
    assert entries() <= before + 2
    server.stop()
