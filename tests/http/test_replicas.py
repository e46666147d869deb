# SPDX-License-Identifier: Apache-2.0
"""Two replicas behind nginx on one PostgreSQL, as server/deploy has it, run natively; one is killed under load."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest
import yaml

from conftest import DUMP, ROOT, SANITIZERS, Server, wait_until
from postgresql import free_port
from test_database import Writers, is_ready

DEPLOY = ROOT / "server" / "deploy"
# A mount namespace in which nothing can be written, where this machine lets us have one.
READ_ONLY = [
    "unshare",
    "--mount",
    "sh",
    "-c",
    'mount --make-rprivate / && mount --bind / / && mount -o remount,ro,bind / && exec "$@"',
    "sh",
]


def read_only_works():
    return (
        subprocess.run([*READ_ONLY, "sh", "-c", "! touch /tmp/orr-x 2>/dev/null"], capture_output=True).returncode == 0
    )


class Replica(Server):
    """A server whose root is read-only, as in the manifests."""

    def __init__(self, *options):
        self.log = open(os.memfd_create("log"), "w+b")
        program = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
        command = [*(READ_ONLY if read_only_works() else []), program, "serve", "--listen", "127.0.0.1:0", *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, env=dict(os.environ, **SANITIZERS, HOME="/nowhere")
        )
        line = self.process.stdout.readline().decode()
        assert line.startswith("listening on"), (line, self.stop_log())
        self.port, self.token, self.encrypted = int(line.rsplit(":", 1)[1]), None, False


class Nginx(Server):
    """server/deploy/nginx.conf, with this machine's addresses and a folder of its own."""

    def __init__(self, folder, replicas):
        self.port, self.token, self.encrypted = free_port(), None, False
        text = (DEPLOY / "nginx.conf").read_text()
        for name, replica in zip(("orrery-1:8080", "orrery-2:8080"), replicas):
            assert name in text
            text = text.replace(name, f"127.0.0.1:{replica.port}")
        text = text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};").replace("/tmp/", f"{folder}/")
        (folder / "nginx.conf").write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        self.log = open(folder / "nginx.log", "w+b")
        self.process = subprocess.Popen(
            [program, "-p", folder, "-c", folder / "nginx.conf", "-g", "daemon off;"], stdout=self.log, stderr=self.log
        )
        wait_until(self.answers)

    def answers(self):
        assert self.process.poll() is None, self.stop_log()
        try:
            return self.ask("GET", "/healthz")[0].status == 200
        except OSError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        assert self.process.wait(timeout=20) == 0


@pytest.fixture
def arrangement(postgresql, tmp_path):
    database = postgresql.new_database()
    replicas = [Replica("--database", database, "--quiet") for _ in range(2)]
    nginx = Nginx(tmp_path, replicas)
    yield replicas, nginx, database
    nginx.stop()
    for replica in replicas:
        if replica.process.poll() is None:
            replica.stop()


def test_both_replicas_serve_the_same_data(arrangement):
    (first, second), nginx, _ = arrangement
    made = first.json("POST", "/v1/topologies?name=one&label=host%3Da", DUMP)[1]
    tag = first.ask("GET", f"/v1/topologies/{made['id']}")[0].getheader("ETag")
    response, data = second.ask("GET", f"/v1/topologies/{made['id']}")
    assert response.getheader("ETag") == tag and json.loads(data) == made
    assert second.ask("PATCH", f"/v1/topologies/{made['id']}", '{"name": "two"}', {"If-Match": tag})[0].status == 200
    assert first.ask("PATCH", f"/v1/topologies/{made['id']}", '{"name": "three"}', {"If-Match": tag})[0].status == 412
    for server in (first, second, nginx):
        assert server.json("GET", f"/v1/topologies/{made['id']}")[1]["name"] == "two"
        assert server.json("GET", f"/v1/topologies/{made['id']}/analysis/ranks") == (200, 2)
        assert len(server.json("GET", "/v1/hosts/a/uploads")[1]["items"]) == 1
    assert nginx.ask("GET", f"/v1/topologies/{made['id']}/diagram.svg")[1].startswith(b"<?xml")
    assert nginx.ask("GET", "/metrics")[0].status == 404
    assert first.ask("DELETE", f"/v1/topologies/{made['id']}")[0].status == 204
    assert second.ask("GET", f"/v1/topologies/{made['id']}")[0].status == 404
    time.sleep(1.1)
    assert second.ask("GET", f"/v1/topologies/{made['id']}/analysis/ranks")[0].status == 404


def test_killing_a_replica_under_load_loses_nothing(arrangement):
    (first, second), nginx, database = arrangement
    writers = Writers(nginx.ask, count=6)
    try:
        wait_until(lambda: len(writers.present) > 60)
        before = len(writers.present)
        first.process.kill()
        first.process.wait()
        wait_until(lambda: len(writers.present) > before + 100)
    finally:
        writers.stop()
    assert (writers.refused, writers.broken) == (0, 0)  # nginx asked the other replica
    writers.check(second)
    assert is_ready(second) and is_ready(nginx)
    # A new replica in its place finds everything.
    third = Replica("--database", database, "--quiet")
    writers.check(third)
    third.stop()


def test_a_draining_replica_costs_no_request(arrangement):
    (first, second), nginx, _ = arrangement
    writers = Writers(nginx.ask, count=4)
    try:
        wait_until(lambda: len(writers.present) > 20)
        first.process.send_signal(signal.SIGTERM)
        assert first.process.wait(timeout=30) == 0, first.stop_log()
        before = len(writers.present)
        wait_until(lambda: len(writers.present) > before + 40)
    finally:
        writers.stop()
    assert (writers.refused, writers.broken) == (0, 0)
    writers.check(second)


def test_a_read_only_root_leaves_no_place_for_a_file():
    """That the replicas above really ran without a place to write: SQLite finds none."""
    if not read_only_works():
        pytest.skip("this machine grants no mount namespace: the replicas above ran with a writable root")
    program = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
    done = subprocess.run(
        [*READ_ONLY, os.path.abspath(program), "serve", "--database", "/orrery-test.db"],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 1 and "unable to open database file" in done.stderr


def containers(document):
    spec = document["spec"]["template"]["spec"]
    return [(c, spec) for c in spec["containers"]]


def test_the_kubernetes_manifest_says_what_it_claims():
    documents = {
        (d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    }
    deployment = documents["Deployment", "orrery"]
    assert deployment["spec"]["replicas"] == 2
    assert documents["StatefulSet", "orrery-database"]["spec"]["replicas"] == 1
    for document in (deployment, documents["StatefulSet", "orrery-database"]):
        assert (
            document["spec"]["selector"]["matchLabels"].items()
            <= document["spec"]["template"]["metadata"]["labels"].items()
        )
        for container, pod in containers(document):
            assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys(), container["name"]
            assert {"cpu", "memory"} <= container["resources"]["limits"].keys() & container["resources"][
                "requests"
            ].keys()
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True and security["allowPrivilegeEscalation"] is False
            assert security["capabilities"]["drop"] == ["ALL"] and pod["securityContext"]["runAsNonRoot"] is True
            volumes = {v["name"] for v in pod.get("volumes", [])} | {
                v["metadata"]["name"] for v in document["spec"].get("volumeClaimTemplates", [])
            }
            assert {m["name"] for m in container["volumeMounts"]} <= volumes
    orrery = containers(deployment)[0][0]
    assert (
        orrery["livenessProbe"]["httpGet"]["path"] == "/healthz"
        and orrery["readinessProbe"]["httpGet"]["path"] == "/readyz"
    )
    pod = containers(deployment)[0][1]
    grace = int(next(a for a in orrery["args"] if a.startswith("--grace=")).split("=")[1])
    delay = int(next(a for a in orrery["args"] if a.startswith("--drain-delay=")).split("=")[1])
    assert pod["terminationGracePeriodSeconds"] > grace + delay
    assert not any("--insecure" in a for a in orrery["args"])
    service = documents["Service", "orrery"]["spec"]
    assert service["selector"] == {"app": "orrery"}
    backend = documents["Ingress", "orrery"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert documents["Ingress", "orrery"]["spec"]["ingressClassName"] == "nginx"
    assert (backend["name"], backend["port"]["name"]) == ("orrery", service["ports"][0]["name"])


def test_the_compose_file_says_what_it_claims():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    assert {"orrery-1", "orrery-2", "nginx", "db"} == set(services)
    for name, service in services.items():
        assert service["read_only"] is True and "no-new-privileges:true" in service["security_opt"], name
        assert service["mem_limit"] and service["cpus"] and service["healthcheck"]["test"], name
        assert set(service["networks"]) <= set(compose["networks"])
    assert "ports" not in services["orrery-1"] and services["nginx"]["ports"] == ["127.0.0.1:8080:8080"]
    assert (DEPLOY / services["orrery-1"]["build"] / "Dockerfile").exists()
    assert "./nginx.conf:/etc/nginx/nginx.conf:ro" in services["nginx"]["volumes"]
    conf = (DEPLOY / "nginx.conf").read_text()
    assert all(f"server {name}:8080" in conf for name in ("orrery-1", "orrery-2"))


def test_the_options_in_the_manifests_exist(tmp_path):
    program = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
    known = subprocess.run([program, "serve", "--help"], capture_output=True, text=True).stdout
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    manifest = next(
        d for d in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()) if d["kind"] == "Deployment"
    )
    tokens = tmp_path / "tokens"
    tokens.write_bytes(
        subprocess.run([program, "token", "me", "--scope", "read,write"], capture_output=True, check=True).stdout
    )
    for arguments in (compose["services"]["orrery-1"]["command"], containers(manifest)[0][0]["args"]):
        for argument in arguments:
            assert argument.split("=")[0] in known, argument
        own = [f"--token-file={tokens}" if a.startswith("--token-file=") else a for a in arguments]
        done = subprocess.run([program, "serve", "--check-config", *own], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (
        "token-file" in str(compose["services"]["orrery-1"]["command"])
        and compose["secrets"]["tokens"]["file"] == "./tokens"
    )
    subnet = compose["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert f"--trusted-proxies={subnet}" in compose["services"]["orrery-1"]["command"]


SMUGGLED = b"GET /metrics?smuggled HTTP/1.1\r\nHost: localhost\r\nX: "
CHUNKED = b"0\r\n\r\n" + SMUGGLED
# Headers by which a proxy and a service may disagree about where a request ends; each with what follows.
DISAGREEMENTS = {
    "a length and chunks": (b"Content-Length: %d\r\nTransfer-Encoding: chunked" % len(CHUNKED), CHUNKED),
    "chunks and a short length": (
        b"Content-Length: 4\r\nTransfer-Encoding: chunked",
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(SMUGGLED), SMUGGLED),
    ),
    "an unknown coding": (b"Content-Length: %d\r\nTransfer-Encoding: xchunked" % len(CHUNKED), CHUNKED),
    "a blank before the colon": (b"Content-Length: %d\r\nTransfer-Encoding : chunked" % len(CHUNKED), CHUNKED),
    "a tab behind the colon": (b"Content-Length: %d\r\nTransfer-Encoding:\tchunked" % len(CHUNKED), CHUNKED),
    "a folded line": (b"Content-Length: %d\r\nTransfer-Encoding:\r\n chunked" % len(CHUNKED), CHUNKED),
    "a bare LF": (b"Content-Length: %d\r\nX: y\nTransfer-Encoding: chunked" % len(CHUNKED), CHUNKED),
    "a bare CR": (b"Content-Length: %d\r\nX: y\rTransfer-Encoding: chunked" % len(CHUNKED), CHUNKED),
    "a NUL": (b"Content-Length: %d\r\nX: \0\r\nTransfer-Encoding: chunked" % len(CHUNKED), CHUNKED),
    "two codings": (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", CHUNKED),
    "two lengths": (b"Content-Length: 0\r\nContent-Length: %d" % len(SMUGGLED), SMUGGLED),
    "a signed length": (b"Content-Length: +%d" % len(SMUGGLED), SMUGGLED),
    "a length in hex": (b"Content-Length: 0x%x" % len(SMUGGLED), SMUGGLED),
    "a list of lengths": (b"Content-Length: 0, %d" % len(SMUGGLED), SMUGGLED),
    "a chunk of too many digits": (b"Transfer-Encoding: chunked", b"00000000000000000000\r\n\r\n" + SMUGGLED),
    "a chunk that overflows": (b"Transfer-Encoding: chunked", b"10000000000000000\r\n\r\n" + SMUGGLED),
    "an extension with LF": (b"Transfer-Encoding: chunked", b"0;a=b\n\n" + SMUGGLED),
    "a second request in the target": (b"X: y", b""),
}


def test_nothing_is_smuggled_past_nginx(tmp_path):
    """nginx answers /metrics itself. A request for it that reaches a replica was hidden in another one."""
    replicas = [Server("--database", ":memory:") for _ in range(2)]
    nginx = Nginx(tmp_path, replicas)
    for name, (headers, rest) in DISAGREEMENTS.items():
        target = b"/v1/releases"
        if name == "a second request in the target":
            target += b"?x=%20HTTP/1.1%0d%0aHost:%20localhost%0d%0a%0d%0aGET%20/metrics?smuggled"
        for method in (b"POST", b"GET"):
            request = b"%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n%s" % (method, target, headers, rest)
            got = nginx.raw(request + b"x\r\nConnection: close\r\n\r\n")
            assert got.count(b"HTTP/1.1 200") <= 1 and b"orrery_" not in got, (name, got)
    log = "".join(replica.stop() for replica in replicas)
    nginx.stop()
    assert "/v1/releases" in log and "target=/metrics" not in log and 'target="/metrics' not in log
