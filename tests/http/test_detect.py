# SPDX-License-Identifier: Apache-2.0
"""POST /v1/detect, and the agent that posts to a service: a real one, and one that fails first."""
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from conftest import DOUBLES, ROOT, SANITIZERS, Server

sys.path.insert(0, str(ROOT / "tests" / "detect"))
import fake_machine  # noqa: E402

PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))


def agent(*arguments, environment=None):
    done = subprocess.run(
        [PROGRAM, "detect", *map(str, arguments)],
        capture_output=True,
        timeout=60,
        env=dict(os.environ, **SANITIZERS, **(environment or {})),
    )
    assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr[-3000:]
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def machine(tmp_path):
    made = fake_machine.tree_a(tmp_path / "machine")
    return ["--root", made.root, "--nvml", f"{DOUBLES}/libnvidia-ml.so.1"], {"ORR_FAKE_NVML": made.nvml()}


def test_the_machine_of_the_service_is_detected_and_kept(server):
    response, data = server.ask("POST", "/v1/detect?name=here&label=rack=12&release=2.27.7")
    document = json.loads(data)
    assert response.status in (200, 201) and response.getheader("Location") == f"/v1/topologies/{document['id']}"
    assert document["detection"]["release"] == "2.27.7" and "no-gpus" in {
        n["id"] for n in document["detection"]["notes"]
    }
    assert document["labels"]["host"] == socket.gethostname()
    source = server.ask("GET", f"/v1/topologies/{document['id']}/source")[1]
    assert source.startswith(b'<system version="1">\n')
    by_hand = subprocess.run([PROGRAM, "detect", "--release", "2.27.7"], capture_output=True, check=True).stdout
    assert source == by_hand
    again = server.ask("POST", "/v1/detect?release=2.27.7")[0]
    assert again.status == 200
    assert server.ask("POST", "/v1/detect?root=/etc")[0].status == 400
    assert server.ask("POST", "/v1/detect?release=9.9.9")[0].status == 400


def test_detection_with_a_driver_in_the_service_s_environment(tmp_path):
    (tmp_path / "gpus").write_text("gpu 0000:00:1e.0\n  name X\n  capability 9.0\n")
    running = Server(
        "--database", ":memory:", environment={"LD_LIBRARY_PATH": DOUBLES, "ORR_FAKE_NVML": str(tmp_path / "gpus")}
    )
    try:
        status, document = running.json("POST", "/v1/detect")
        assert (status, document["detection"]["gpus"]) == (201, 1)
        assert running.json("GET", f"/v1/topologies/{document['id']}/analysis/ranks")[1] == 1
    finally:
        running.stop()


def test_a_token_that_may_only_read_does_not_detect(tmp_path):
    lines, tokens = [], {}
    for scope in ("read", "write"):
        done = subprocess.run([PROGRAM, "token", scope, "--scope", scope], capture_output=True, check=True, text=True)
        lines.append(done.stdout)
        tokens[scope] = done.stderr.split()[-1]
    (tmp_path / "tokens").write_text("".join(lines))
    running = Server("--database", ":memory:", "--token-file", str(tmp_path / "tokens"))
    try:
        for scope, status in (("read", 403), ("write", 201), (None, 401)):
            headers = {"Authorization": f"Bearer {tokens[scope]}"} if scope else {}
            assert running.ask("POST", "/v1/detect", headers=headers)[0].status == status
    finally:
        running.stop()


def test_the_agent_posts_to_a_service(server, machine, tmp_path):
    options, environment = machine
    base = f"http://127.0.0.1:{server.port}"
    status, out, err = agent(
        *options,
        "--post",
        base,
        "--label",
        "host=node07",
        "--label",
        "rack=ä&b=1",
        "--name",
        "n 7",
        "--output",
        tmp_path / "kept.xml",
        environment=environment,
    )
    assert status == 0 and out.startswith(f"{base}/v1/topologies/"), err
    found = server.json("GET", out.strip()[len(base) :])[1]
    assert found["labels"] == {"host": "node07", "rack": "ä&b=1"} and found["name"] == "n 7"
    assert server.ask("GET", f"/v1/topologies/{found['id']}/source")[1] == (tmp_path / "kept.xml").read_bytes()
    assert agent(*options, "--post", base + "/v1/topologies/", environment=environment)[1] == out


class Failing(http.server.BaseHTTPRequestHandler):
    """Answers with the statuses of `plan` in turn and records the requests."""

    plan, seen = [], []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Failing.seen.append((time.monotonic(), self.path, dict(self.headers), body))
        status = Failing.plan.pop(0)
        answer = b'{"id": "00000000000000000000000000000000", "detail": "not now"}'
        self.send_response(status)
        if status == 503:
            self.send_header("Retry-After", "1")
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def failing():
    Failing.seen = []
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{service.server_port}"
    service.shutdown()
    service.server_close()


def test_the_agent_tries_again_while_it_may_help(failing, machine, tmp_path):
    options, environment = machine
    (tmp_path / "token").write_text("orr_secret and more\n")
    Failing.plan = [503, 500, 201]
    status, out, err = agent(*options, "--post", failing, "--token-file", tmp_path / "token", environment=environment)
    assert status == 0 and out.endswith("/v1/topologies/00000000000000000000000000000000\n"), err
    times, paths, headers, bodies = zip(*Failing.seen)
    assert len(times) == 3 and times[1] - times[0] >= 0.95 and times[2] - times[1] >= 0.5 and "not now" in err
    assert set(paths) == {f"/v1/topologies?label=host%3D{socket.gethostname()}"}
    assert headers[0]["Authorization"] == "Bearer orr_secret" and headers[0]["Content-Type"] == "application/xml"
    assert bodies[0] == bodies[2] and bodies[0].startswith(b"<system ")
    assert "orr_secret" not in err + out


@pytest.mark.parametrize("answer", [302, 401, 403, 413, 422])
def test_what_is_refused_for_good_is_not_tried_again(failing, machine, answer):
    options, environment = machine
    Failing.plan = [answer]
    status, out, err = agent(*options, "--post", failing, environment=environment)
    assert (status, out, len(Failing.seen)) == (1, "", 1) and f"answered {answer}" in err


def test_the_agent_gives_up(failing, machine):
    options, environment = machine
    Failing.plan = [503] * 9
    start = time.monotonic()
    status, _, err = agent(*options, "--post", failing, "--patience", "3", environment=environment)
    assert status == 1 and "gave up" in err and 2 <= len(Failing.seen) <= 4 and time.monotonic() - start < 20
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        status, _, err = agent(*options, "--post", address, "--patience", "0", environment=environment)
    assert status == 1 and "onnect" in err and "gave up" in err


@pytest.mark.parametrize(
    "arguments, status",
    [
        (["--post", "file:///etc/passwd"], 1),
        (["--post", "no address at all"], 1),
        (["--post", "http://127.0.0.1:1", "--token-file", "/nonexistent"], 1),
        (["--token-file", "x"], 2),
        (["--label", "a=b"], 2),
        (["--post", "http://127.0.0.1:1", "--label", "ab"], 2),
        (["--post", "http://127.0.0.1:1", "--patience", "x"], 2),
    ],
)
def test_wrong_usage_of_the_agent(machine, arguments, status):
    options, environment = machine
    assert agent(*options, *arguments, environment=environment)[0] == status
