# SPDX-License-Identifier: Apache-2.0
"""Starts the real daemon on a free port for the whole run, ends it by SIGTERM, and demands exit 0 and no sanitizer
report.

The program is taken from the environment ORRERY, otherwise build-dev/orrery.
"""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import pytest

import openapi

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from postgresql import Cluster  # noqa: E402

SHARED = ROOT.parent / "shared"
PROGRAM = pathlib.Path(os.environ.get("ORRERY", ROOT / "build-dev" / "orrery")).resolve()
DOUBLES = os.environ.get("ORR_DOUBLES", str(PROGRAM.parent / "tests" / "doubles"))  # of the same build
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={ROOT}/tests/http/tsan.supp",
}

# A made-up workstation: two GPUs and a NIC behind one CPU.
DUMP = b"""<system version="1">
  <cpu host_hash="0x1" numaid="0" affinity="0000ffff" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
    <pci busid="0000:01:00.0" class="0x030000" vendor="0x10de" device="0x2684" subsystem_vendor="0x10de"
      subsystem_device="0x16f3" link_speed="16.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="89" rank="0" gdr="1"/>
    </pci>
    <pci busid="0000:41:00.0" class="0x030000" vendor="0x10de" device="0x2684" subsystem_vendor="0x10de"
      subsystem_device="0x16f3" link_speed="16.0 GT/s PCIe" link_width="16">
      <gpu dev="1" sm="89" rank="1" gdr="1"/>
    </pci>
    <pci busid="0000:81:00.0" class="0x020000" vendor="0x15b3" device="0x1017" subsystem_vendor="0x15b3"
      subsystem_device="0x0007" link_speed="8.0 GT/s PCIe" link_width="16">
      <nic>
        <net name="mlx5_0" dev="0" speed="100000" port="1" latency="0.000000" guid="0x1" maxconn="131072" gdr="1"/>
      </nic>
    </pci>
  </cpu>
</system>
"""


def release_program():
    """The program that makes inputs for tests and is not itself tested: the release build if there is one, because it
    is faster."""
    found = ROOT / "build" / "orrery"
    return str(found if found.exists() else PROGRAM)


def wait_until(what, otherwise=lambda: "did not happen in time", seconds=120):
    """Asks again and again until what() holds; fails with otherwise() after this many seconds."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, otherwise()
        time.sleep(0.05)


HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def status_of(answer):
    """The status in the bytes of an answer, 0 if there is none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def answers(server, target):
    """Whether a new connection is served, not closed or refused."""
    try:
        return server.ask("GET", target)[0].status == 200
    except (OSError, http.client.HTTPException):
        return False


STARTED = []  # processes


def pytest_sessionfinish():
    """A test that fails does not stop its servers."""
    for process in STARTED:
        if process.poll() is None:
            process.kill()


class Server:
    def __init__(self, *options, environment=None, token=None, before=None, log=None, program=None):
        """program: replaces the one under test; before: called in the new process; log: gets standard error, instead of
        a file that stop() checks."""
        self.token = token
        program = program or str(PROGRAM)
        assert os.path.exists(program), f"{program} is not built"
        if "--analysis-time" not in options:  # the sanitized program is slow, and the machine may be
            options = ("--analysis-time", "0", *options)
        self.log = tempfile.TemporaryFile()
        environment = {**os.environ, **SANITIZERS, **(environment or {})}
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=log or self.log,
            env=environment,
            preexec_fn=before,
        )
        STARTED.append(self.process)
        line = self.process.stdout.readline().decode()
        found = re.match(r"listening on (https?)://127\.0\.0\.1:(\d+)\n", line)
        assert found, (line, self.stop_log())
        self.encrypted, self.port = found[1] == "https", int(found[2])

    def stop_log(self):
        return os.pread(self.log.fileno(), 1 << 26, 0).decode(errors="replace")

    def connect(self, timeout=120):
        if self.encrypted:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, target, body=None, headers=None, connection=None):
        """(response, bytes) of one request; on a connection of its own if none is given."""
        own = connection or self.connect()
        headers = dict(headers or {})
        if self.token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        own.request(method, target, body=body, headers=headers)
        response = own.getresponse()
        data = response.read()
        if not connection:
            own.close()
        openapi.description.check(method, target, response.status, response.headers, data)
        return response, data

    def json(self, *arguments, **named):
        response, data = self.ask(*arguments, **named)
        return response.status, json.loads(data)

    def raw(self, data, wait=10):
        """Sends the bytes unchanged and returns everything that comes back until the server closes or `wait` seconds
        pass."""
        got = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as s:
            s.sendall(data)
            try:
                while chunk := s.recv(65536):
                    got += chunk
            except OSError:
                pass
        return got

    def turns_away(self):
        """Whether a new connection gets no answer: it is refused, or closed without a byte."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as s:
                return s.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:  # it waits for a request
            return False

    def wait_for_log(self, word):
        wait_until(lambda: word in self.stop_log(), lambda: (word, self.stop_log()[-3000:]))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=120)
        log = self.stop_log()
        for word in ("ERROR: AddressSanitizer", "LeakSanitizer", "runtime error:", "ThreadSanitizer"):
            assert word not in log, log[-6000:]
        assert status == 0, log[-6000:]
        return log


@pytest.fixture(scope="session")
def postgresql():
    """A private PostgreSQL server for the whole run."""
    cluster = Cluster()
    yield cluster
    cluster.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """An empty database of each kind in turn."""
    return (
        str(tmp_path / "orrery.db")
        if request.param == "sqlite"
        else request.getfixturevalue("postgresql").new_database()
    )


# Files that test computed answers run on one kind of database: test_api_store and others show that each kind returns
# the stored dumps byte for byte.
ON_ONE_DATABASE = (
    "check_log check_perf cluster_verdict explain hostile inputs log_machine machine_types nics place predict "
    "scaling selection streams"
).split()


def pytest_generate_tests(metafunc):
    if "server" in metafunc.fixturenames:
        once = metafunc.module.__name__.removeprefix("test_") in ON_ONE_DATABASE
        kinds = ["sqlite"] if once else ["sqlite", "postgresql"]
        metafunc.parametrize("server", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def server(request):
    """The daemon that most tests share."""
    with tempfile.TemporaryDirectory() as folder:
        sqlite = f"sqlite:{folder}/orrery.db"
        place = sqlite if request.param == "sqlite" else request.getfixturevalue("postgresql").new_database()
        running = Server("--database", place, "--static", str(ROOT / "static"))
        yield running
        running.stop()


@pytest.fixture(scope="session")
def topology(server):
    """The id of the workstation above."""
    status, answer = server.json("POST", "/v1/topologies?name=workstation", DUMP)
    assert status in (200, 201)
    return answer["id"]
