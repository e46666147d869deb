# SPDX-License-Identifier: Apache-2.0
"""Who may do what: tokens with scopes, their file read again on SIGHUP, pages of other origins, headers for
browsers."""
import hashlib
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import DUMP, ROOT, SANITIZERS, Server

READ, WRITE, BOTH, LATER = "read-token", "write-token", "orr_both", "later"
AGENT = "agent-token"


def line(name, scope, token):
    return f"{name} {scope} {hashlib.sha256(token.encode()).hexdigest()}\n"


@pytest.fixture(scope="module")
def token_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text(
        "# who may\n\n"
        + line("reader", "read", READ)
        + line("writer", "write", WRITE)
        + line("ci", "read,write", BOTH)
        + line("node-7", "agent:node-7", AGENT)
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


def test_a_token_that_may_only_write_sees_nothing_of_others(guarded):
    dump = DUMP + b"<!-- kept by two -->"
    target = "/v1/topologies?name=secret-name&label=owner%3Dsecret-owner"
    assert guarded.ask("POST", target, dump, headers=as_(BOTH))[0].status == 201
    response, data = guarded.ask("POST", "/v1/topologies", dump, headers=as_(WRITE))
    ident = json.loads(data)["id"]
    assert (response.status, json.loads(data)) == (201, {"id": ident})  # whether it was there is not said either
    response, data = guarded.ask("PATCH", f"/v1/topologies/{ident}", '{"name": "x"}', headers=as_(WRITE))
    assert response.status == 200 and json.loads(data) == {"id": ident}
    assert guarded.json("GET", f"/v1/topologies/{ident}", headers=as_(READ))[1]["labels"] == {"owner": "secret-owner"}


def test_an_agent_uploads_for_its_host_alone(guarded):
    dump = DUMP + b"<!-- of node-7 -->"
    own, other = "/v1/topologies?label=host%3Dnode-7", "/v1/topologies?label=host%3Dnode-8"
    response, data = guarded.ask("POST", own, dump, headers=as_(AGENT))
    assert response.status == 201 and list(json.loads(data)) == ["id"]
    ident = json.loads(data)["id"]
    for target in (other, "/v1/topologies", "/v1/topologies?label=host%3Dnode-7x", own + "&label=rack%3D1"):
        response, data = guarded.ask("POST", target, dump, headers=as_(AGENT))
        assert response.status == (201 if target.startswith(own + "&") else 403), target
        assert response.status == 201 or "dumps of the host node-7" in json.loads(data)["detail"]
    assert guarded.json("POST", "/v1/gate?expect=hgx-h100", dump, headers=as_(AGENT))[0] == 200
    for method, target, body in (
        ("DELETE", f"/v1/topologies/{ident}", None),
        ("PATCH", f"/v1/topologies/{ident}", '{"name": "x"}'),
        ("GET", f"/v1/topologies/{ident}", None),
        ("GET", "/v1/topologies", None),
        ("GET", "/v1/hosts", None),
        ("POST", "/v1/analyze", dump),
        ("POST", "/v1/detect", None),
        ("POST", "/v1/clusters", b"{}"),
        ("GET", "/metrics", None),
    ):
        assert guarded.ask(method, target, body, headers=as_(AGENT))[0].status == 403, target
    assert guarded.ask("POST", "/v1/gate?expect=hgx-h100", dump, headers=as_(WRITE))[0].status == 403


@pytest.mark.parametrize(
    "query", ["token=SECRET", "x=1&Access_Token=SECRET&y=2", "name=orr_SECRET", "q=orr%5FSECRET", "name=aorr_SECRET"]
)
def test_tokens_in_a_target_are_not_logged(query):
    server = Server("--database", ":memory:")
    server.ask("GET", "/v1/topologies?" + query.replace("SECRET", "5ec12e7" * 4), headers={"X-Request-Id": "masked"})
    server.ask("GET", "/orr_" + "5ec12e7" * 4)
    server.wait_for_log("id=masked")
    log = server.stop()
    assert "5ec12e7" not in log and "***" in log


def test_a_token_file_that_everybody_may_write_is_refused(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(line("reader", "read", READ))
    path.chmod(0o646)
    program = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
    arguments = [program, "serve", "--listen", "127.0.0.1:0", "--database", ":memory:", "--token-file", str(path)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, env={**os.environ, **SANITIZERS})
    assert done.returncode != 0 and "everybody on this machine may write" in done.stderr


def test_nobody_else_may_read_the_database(tmp_path):
    old = os.umask(0)
    try:
        (tmp_path / "old.db").touch(0o666)
        for name in ("new.db", "old.db"):
            server = Server("--database", str(tmp_path / name))
            assert server.json("POST", "/v1/topologies", DUMP)[0] == 201
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob(name + "*")}
            assert len(modes) >= 3 and not any(mode & 0o007 for mode in modes.values()), modes
            assert name == "old.db" or set(modes.values()) == {0o600}, modes
            server.stop()
    finally:
        os.umask(old)


def test_a_large_body_of_nobody_is_not_taken(guarded):
    got = guarded.raw(b"POST /v1/topologies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 401 ") and b"Connection: close" in got
    got = guarded.raw(
        b"POST /v1/topologies HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " b"100\r\n\r\n"
    )
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
        ("", "has no token"),
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


def status(server, method, target, *headers):
    lines = "".join(f"{line}\r\n" for line in (*headers, "Connection: close", "Content-Length: 0"))
    got = server.raw(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode())
    return int(got.split(b" ", 2)[1]), got


def test_a_name_that_is_not_ours_is_refused():
    """DNS rebinding: a page's own name leads to this machine, and Host still has that name."""
    server = Server("--database", ":memory:", "--allowed-hosts", "ops.example.org, Orrery.Example.Org")
    port = server.port
    for host in (
        "localhost",
        f"LocalHost:{port}",
        f"127.0.0.1:{port}",
        "127.9.9.9",
        f"[::1]:{port}",
        "orrery.example.org",
        "ops.example.org:80",
    ):
        assert status(server, "GET", "/v1/topologies", f"Host: {host}")[0] == 200, host
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.0.2.1",
        "[fe80::1]",
        "xlocalhost",
        "org",
        "",
    ):
        for method, target in (
            ("GET", "/v1/topologies"),
            ("GET", "/"),
            ("POST", "/v1/detect"),
            ("DELETE", "/v1/topologies/1"),
        ):
            code, got = status(server, method, target, f"Host: {host}")
            assert code == 421 and b"/problems/misdirected" in got, (host, got)
    assert status(server, "GET", "/healthz", "Host: pod.example")[0] == 200  # probes say nothing
    assert 'reason="host"}' in server.ask("GET", "/metrics")[1].decode()
    server.stop()


def test_names_are_not_asked_for_where_tokens_are(guarded):
    assert status(guarded, "GET", "/v1/topologies", "Host: a.example", f"Authorization: Bearer {READ}")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_pages_of_other_sites_change_nothing(method):
    server = Server("--database", ":memory:", "--cors-origins", "https://ops.example.org")
    ours = f"Host: localhost:{server.port}"
    for lines in (
        ["Sec-Fetch-Site: cross-site"],
        ["Sec-Fetch-Site: same-site"],
        ["Sec-Fetch-Site: cross-site", f"Origin: http://localhost:{server.port}"],
        ["Origin: https://evil.example"],
        ["Origin: null"],
        [f"Origin: http://localhost:{server.port + 1}"],
        ["Origin: http://localhost"],
    ):
        code, got = status(server, method, "/v1/topologies/none", ours, *lines)
        assert code == 403 and b"/problems/cross-site" in got, (lines, got)
    for lines in (
        [],
        ["Sec-Fetch-Site: same-origin", "Origin: https://behind-a-proxy.example"],
        ["Sec-Fetch-Site: none"],
        [f"Origin: http://localhost:{server.port}"],
        ["Sec-Fetch-Site: cross-site", "Origin: https://ops.example.org"],
    ):
        assert status(server, method, "/v1/topologies/none", ours, *lines)[0] in (404, 405, 400), lines
    assert status(server, "GET", "/v1/releases", ours, "Sec-Fetch-Site: cross-site")[0] == 200
    server.stop()
