# SPDX-License-Identifier: Apache-2.0
"""HTTPS: the certificate, what is too old, reading it again on SIGHUP without dropping a connection."""
import signal
import socket
import ssl
import subprocess

import pytest

from conftest import DUMP, Server


def make_certificate(folder, name):
    certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "30",
            "-subj",
            f"/CN={name}",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


@pytest.fixture()
def pair(tmp_path):
    return make_certificate(tmp_path, "first")


def shown(server):
    """The common name of the certificate that a new handshake shows."""
    return ssl.get_server_certificate(("127.0.0.1", server.port))


def test_https_with_a_certificate_that_clients_verify(pair):
    server = Server("--database", ":memory:", "--tls-cert", str(pair[0]), "--tls-key", str(pair[1]))
    assert server.encrypted
    context = ssl.create_default_context(cafile=str(pair[0]))
    with context.wrap_socket(
        socket.create_connection(("127.0.0.1", server.port), timeout=10), server_hostname="127.0.0.1"
    ) as s:
        assert s.version() == "TLSv1.3"
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        got = b"".join(iter(lambda: s.recv(65536), b""))
        assert got.startswith(b"HTTP/1.1 200 ") and b"Strict-Transport-Security: max-age=" in got
    status, made = server.json("POST", "/v1/topologies", DUMP)
    assert status == 201 and server.json("GET", f"/v1/topologies/{made['id']}/analysis/ranks") == (200, 2)
    big = server.ask("GET", "/openapi.yaml")[1]
    assert big.startswith(b"openapi: 3.1") and len(big) > 10000
    log = server.stop()
    assert 'certificate="CN=first, until' in log


def test_tls_1_1_and_plain_http_are_refused(pair):
    server = Server("--database", ":memory:", "--tls-cert", str(pair[0]), "--tls-key", str(pair[1]))
    for version, works in ((ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_1, False)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = version, version
        try:
            context.wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=10)).close()
            assert works
        except (ssl.SSLError, OSError):
            assert not works
    assert not server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", wait=3).startswith(b"HTTP/1.1 200")
    assert server.ask("GET", "/healthz")[0].status == 200
    server.stop()


def test_a_new_certificate_is_shown_after_sighup_and_connections_stay(tmp_path, pair):
    server = Server("--database", ":memory:", "--tls-cert", str(pair[0]), "--tls-key", str(pair[1]))
    first = shown(server)
    kept = server.connect()
    assert server.ask("GET", "/healthz", connection=kept)[0].status == 200
    other = make_certificate(tmp_path, "second")
    for new, old in zip(other, pair):
        old.write_bytes(new.read_bytes())
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("msg=reloaded what=certificate")
    second = shown(server)
    assert second != first and second.strip() == other[0].read_text().strip()
    assert server.ask("GET", "/healthz", connection=kept)[0].status == 200  # on the connection from before
    pair[1].write_text("no key")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("reload failed")
    assert shown(server) == second
    pair[1].write_bytes(make_certificate(tmp_path, "third")[1].read_bytes())  # a key of another certificate
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("is not the key of the certificate")
    assert shown(server) == second and server.ask("GET", "/healthz", connection=kept)[0].status == 200
    kept.close()
    server.stop()


def test_a_handshake_that_is_never_finished_is_ended(pair):
    server = Server(
        "--database", ":memory:", "--tls-cert", str(pair[0]), "--tls-key", str(pair[1]), "--header-timeout", "0.5"
    )
    assert server.raw(b"\x16\x03\x01", wait=5) == b""
    assert server.ask("GET", "/healthz")[0].status == 200
    server.stop()
