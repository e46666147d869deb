# SPDX-License-Identifier: Apache-2.0
"""Who may do what: tokens with scopes, their file read again on SIGHUP, pages of other origins, headers for browsers."""
import hashlib
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import DUMP, ROOT, SANITIZERS, Server

READ, WRITE, BOTH, LATER = "read-token", "write-token", "orr_both", "later"


def line(name, scope, token):
    return f"{name} {scope} {hashlib.sha256(token.encode()).hexdigest()}\n"


@pytest.fixture(scope="module")
def token_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text(
        "# who may\n\n" + line("reader", "read", READ) + line("writer", "write", WRITE) + line("ci", "read,write", BOTH)
    )
    return path


@pytest.fixture(scope="module")
def guarded(token_file):
    running = Server("--database", ":memory:", "--static", str(ROOT / "static"), "--token-file", str(token_file))
    yield running
    log = running.stop()
    for token in (READ, WRITE, BOTH, "nobodys"):
        assert token not in log  # secrets are never logged


def as_(token):
    return {"Authorization": f"Bearer {token}"}


def test_without_a_token_v1_is_closed(guarded):
    for method, target in (
        ("GET", "/v1/topologies"),
        ("POST", "/v1/topologies"),
        ("GET", "/v1/releases"),
        ("POST", "/v1/analyze"),
        ("DELETE", "/v1/topologies/" + "0" * 32),
        ("HEAD", "/v1/settings"),
    ):
        response, data = guarded.ask(method, target, DUMP if method == "POST" else None)
        assert response.status == 401, (method, target)
        assert response.getheader("WWW-Authenticate") == 'Bearer realm="orrery"'
        if method != "HEAD":
            problem = json.loads(data)
            assert problem["type"] == "/problems/unauthorized" and problem["instance"] == response.getheader(
                "X-Request-Id"
            )
            assert "Authorization: Bearer" in problem["advice"]


def test_what_needs_no_token(guarded):
    for target in ("/healthz", "/readyz", "/version", "/openapi.yaml", "/", "/problems/unauthorized"):
        assert guarded.ask("GET", target)[0].status == 200, target
    assert guarded.ask("GET", "/v1/nothing")[0].status == 404


@pytest.mark.parametrize(
    "value",
    [
        "Bearer nobodys",
        "Bearer ",
        "Basic cmVhZC10b2tlbg==",
        "bearer",
        "Bearer read-token x",
        "Bearer " + "x" * 5000,
        "Bearer read-toke",
        "Bearer read-tokenn",
    ],
)
def test_wrong_tokens(guarded, value):
    response, _ = guarded.ask("GET", "/v1/topologies", headers={"Authorization": value})
    assert response.status == 401 and "invalid_token" in response.getheader("WWW-Authenticate")


def test_scopes_per_route(guarded):
    assert guarded.ask("GET", "/v1/topologies", headers=as_(READ))[0].status == 200
    assert guarded.ask("GET", "/v1/topologies", headers={"Authorization": f"bEaReR  {READ}"})[0].status == 200
    response, data = guarded.ask("POST", "/v1/topologies", DUMP, headers=as_(READ))
    assert response.status == 403 and json.loads(data)["type"] == "/problems/forbidden"
    assert 'error="insufficient_scope", scope="write"' in response.getheader("WWW-Authenticate")
    status, made = guarded.json("POST", "/v1/topologies", DUMP, headers=as_(WRITE))
    assert status in (200, 201)
    target = f"/v1/topologies/{made['id']}"
    assert guarded.ask("GET", target, headers=as_(WRITE))[0].status == 403
    assert guarded.ask("POST", "/v1/analyze", DUMP, headers=as_(READ))[0].status == 200  # keeps nothing
    assert guarded.ask("PATCH", target, '{"name": "x"}', headers=as_(READ))[0].status == 403
    assert guarded.ask("DELETE", target, headers=as_(READ))[0].status == 403
    assert guarded.ask("GET", target, headers=as_(BOTH))[0].status == 200
    assert guarded.ask("DELETE", target, headers=as_(BOTH))[0].status == 204


def test_a_large_body_of_nobody_is_not_taken(guarded):
    got = guarded.raw(b"POST /v1/topologies HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 401 ") and b"Connection: close" in got
    got = guarded.raw(b"POST /v1/topologies HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 401 ")


def test_the_log_names_who(guarded):
    guarded.ask("GET", "/v1/releases", headers={**as_(READ), "X-Request-Id": "who-1"})
    guarded.wait_for_log("id=who-1")
    assert re.search(r"id=who-1 client=127\.0\.0\.1 token=reader method=GET", guarded.stop_log())


def test_the_file_is_read_again_on_sighup(token_file):
    before = token_file.read_text()
    server = Server("--database", ":memory:", "--token-file", str(token_file))
    assert server.ask("GET", "/v1/topologies", headers=as_(LATER))[0].status == 401
    token_file.write_text(before + line("later", "read", LATER))
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("msg=reloaded what=tokens")
    assert server.ask("GET", "/v1/topologies", headers=as_(LATER))[0].status == 200
    for broken, word in (
        ("reader read 12\n", "64 hex digits"),
        ("", "holds no token"),
        (line("a", "admin", "x"), "scopes"),
    ):
        token_file.write_text(before + broken if broken else "")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for_log(word)
        assert server.ask("GET", "/v1/topologies", headers=as_(LATER))[0].status == 200
    token_file.write_text(before)
    server.process.send_signal(signal.SIGHUP)
    while server.ask("GET", "/v1/topologies", headers=as_(LATER))[0].status != 401:
        pass
    server.stop()


def test_the_command_makes_tokens(tmp_path):
    program = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
    environment = dict(os.environ, **SANITIZERS)
    done = subprocess.run(
        [program, "token", "ci", "--scope", "read,write"], capture_output=True, text=True, env=environment
    )
    token = re.search(r"orr_[0-9a-f]{64}", done.stderr)[0]
    assert done.returncode == 0 and done.stdout == line("ci", "read,write", token)
    other = subprocess.run([program, "token", "ci"], capture_output=True, text=True, env=environment)
    assert other.stdout.split()[1] == "read" and token not in other.stderr
    for wrong in (["token"], ["token", "a b"], ["token", "x", "--scope", "admin"], ["token", "x", "y"]):
        assert subprocess.run([program, *wrong], capture_output=True, env=environment).returncode == 2
    (tmp_path / "t").write_text(done.stdout)
    server = Server("--database", ":memory:", "--token-file", str(tmp_path / "t"), token=token)
    assert server.json("POST", "/v1/topologies", DUMP)[0] == 201 and server.json("GET", "/v1/topologies")[0] == 200
    server.stop()


def test_beyond_loopback_only_with_tokens_or_on_purpose(token_file):
    program = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
    for extra in (["--token-file", str(token_file)], ["--insecure"]):
        process = subprocess.Popen(
            [program, "serve", "--listen", "0.0.0.0:0", "--database", ":memory:", *extra],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout.readline().startswith("listening on http://0.0.0.0:")
        process.terminate()
        assert process.wait(20) == 0


def test_security_headers_are_on_every_answer(guarded):
    for method, target, headers in (
        ("GET", "/", {}),
        ("GET", "/v1/topologies", {}),
        ("GET", "/v1/topologies", as_(READ)),
        ("GET", "/nope", {}),
        ("PUT", "/healthz", {}),
        ("OPTIONS", "/healthz", {}),
        ("GET", "/healthz", {}),
    ):
        response, _ = guarded.ask(method, target, headers=headers)
        assert (
            response.getheader("X-Content-Type-Options") == "nosniff"
            and response.getheader("Referrer-Policy") == "no-referrer"
        )
        assert "frame-ancestors 'none'" in response.getheader("Content-Security-Policy")
        assert response.getheader("Cache-Control") and response.getheader("X-Request-Id")
        assert response.getheader("Access-Control-Allow-Origin") is None
    page = guarded.ask("GET", "/")[0]
    tag = page.getheader("ETag")
    not_modified = guarded.ask("GET", "/", headers={"If-None-Match": tag})[0]
    assert not_modified.status == 304 and not_modified.getheader("Content-Security-Policy") == page.getheader(
        "Content-Security-Policy"
    )


def test_pages_of_listed_origins_may_ask(token_file):
    origin, other = "https://ops.example.org", "https://evil.example.org"
    server = Server(
        "--database", ":memory:", "--token-file", str(token_file), "--cors-origins", f"http://localhost:3000, {origin}"
    )
    preflight = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    response, data = server.ask("OPTIONS", "/v1/topologies", headers=preflight)
    assert (response.status, data, response.getheader("Access-Control-Allow-Origin")) == (204, b"", origin)
    assert "POST" in response.getheader("Access-Control-Allow-Methods") and "Authorization" in response.getheader(
        "Access-Control-Allow-Headers"
    )
    assert response.getheader("X-Content-Type-Options") == "nosniff"
    refused = server.ask("OPTIONS", "/v1/topologies", headers={**preflight, "Origin": other})[0]
    assert refused.status == 405 and refused.getheader("Access-Control-Allow-Origin") is None
    for headers, allowed in (
        ({"Origin": origin}, origin),
        ({"Origin": other}, None),
        ({}, None),
        ({"Origin": "null"}, None),
    ):
        for token in (as_(READ), {}):  # a page must be able to read the 401 as well
            response = server.ask("GET", "/v1/releases", headers={**headers, **token})[0]
            assert response.getheader("Access-Control-Allow-Origin") == allowed
            assert "Origin" in response.headers.get_all("Vary")
            assert response.getheader("Access-Control-Allow-Credentials") is None
    server.stop()
    everyone = Server("--database", ":memory:", "--cors-origins", "*")
    assert (
        everyone.ask("GET", "/healthz", headers={"Origin": other})[0].getheader("Access-Control-Allow-Origin") == other
    )
    everyone.stop()
