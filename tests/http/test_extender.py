# SPDX-License-Identifier: Apache-2.0
"""examples/kubernetes-extender against the real service, with requests as kube-scheduler writes them (ExtenderArgs of
k8s.io/kube-scheduler/extender/v1: Go structures without JSON names, so Pod, Nodes, NodeNames)."""
import contextlib
import http.client
import http.server
import json
import signal
import subprocess
import sys
import threading

import pytest
import yaml

from conftest import ROOT

EXAMPLE = ROOT / "examples" / "kubernetes-extender"
RECORDED = json.loads((ROOT / "tests" / "data" / "extender_args.json").read_text())
MACHINES = {"gpu-a": "dgx1-v100", "gpu-b": "hgx-h100"}


class Extender:
    def __init__(self, url, *options):
        self.process = subprocess.Popen(
            [sys.executable, str(EXAMPLE / "orrery_extender.py"), "--listen", "127.0.0.1:0", "--orrery", url, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def ask(self, path, body, method="POST", headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(
                method, path, body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode(), headers
            )
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0 and err == "", err


@contextlib.contextmanager
def extender(url, *options):
    one = Extender(url, *options)
    try:
        yield one
    finally:
        one.stop()


@pytest.fixture(scope="module")
def fleet(any_server):
    """The service knows two of the recorded nodes: gpu-a by the label of its node, gpu-b by its name, but not gpu-c."""
    server, ids = any_server, {}
    for node, machine in MACHINES.items():
        status, answer = server.json(
            "POST", f"/v1/topologies?machine={machine}" + (f"&label=host%3D{node}" if node == "gpu-b" else "")
        )
        assert status in (200, 201)
        ids[node] = answer["id"]
    return server, ids


@pytest.fixture(scope="module")
def any_server(request, tmp_path_factory):
    from conftest import Server

    server = Server("--database", str(tmp_path_factory.mktemp("extender") / "db"))
    yield server
    server.stop()


def url_of(server):
    return f"http://127.0.0.1:{server.port}"


def arguments(ids, gpus=4, free="0,1,2,3,4,5,6,7", annotations={}):
    """The recorded call with the changes that the test needs."""
    args = json.loads(json.dumps(RECORDED["nodes"]))
    args["Pod"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = str(gpus)
    args["Pod"]["metadata"]["annotations"] = annotations
    for node in args["Nodes"]["items"]:
        if node["metadata"]["name"] == "gpu-a":
            node["metadata"]["labels"]["orrery.dev/topology"] = ids["gpu-a"]
            node["metadata"]["annotations"]["orrery.dev/free-gpus"] = free
    return args


def test_filter_and_prioritize(fleet):
    server, ids = fleet
    with extender(url_of(server), "--timeout", "60") as ours:
        args = arguments(ids)
        status, result = ours.ask("/filter", args)
        assert status == 200 and set(result) == {
            "Nodes",
            "NodeNames",
            "FailedNodes",
            "FailedAndUnresolvableNodes",
            "Error",
        }
        assert [node["metadata"]["name"] for node in result["Nodes"]["items"]] == [
            "gpu-a",
            "gpu-b",
            "gpu-c",
        ]  # nothing is known of gpu-c: fails open
        assert result["NodeNames"] is None and result["FailedNodes"] == {} and result["Error"] == ""
        assert result["Nodes"]["items"][0] == args["Nodes"]["items"][0]
        status, scores = ours.ask("/prioritize", args)
        assert status == 200 and [row["Host"] for row in scores] == ["gpu-a", "gpu-b", "gpu-c"]
        by_name = {row["Host"]: row["Score"] for row in scores}
        expected = {
            node: server.json("GET", f"/v1/topologies/{ids[node]}/place?count=4&top=1")[1]["best"][0]["busbw"]
            for node in ids
        }
        assert by_name == {"gpu-a": round(10 * expected["gpu-a"] / expected["gpu-b"]), "gpu-b": 10, "gpu-c": 0}
        assert 0 < by_name["gpu-a"] < 10 and all(isinstance(row["Score"], int) for row in scores)


def test_free_gpus_and_wishes_filter(fleet):
    server, ids = fleet
    with extender(url_of(server), "--timeout", "60", "--fail", "closed") as ours:

        def failed(args):
            status, result = ours.ask("/filter", args)
            assert status == 200
            return result["FailedNodes"]

        assert set(failed(arguments(ids))) == {"gpu-c"} and "no topology" in failed(arguments(ids))["gpu-c"]
        assert "fewer are free" in failed(arguments(ids, free="0,1"))["gpu-a"]
        assert "fewer are free" in failed(arguments(ids, gpus=1, free=""))["gpu-a"]
        assert set(failed(arguments(ids, gpus=9, free="0,1,2,3,4,5,6,7"))) == {"gpu-a", "gpu-b", "gpu-c"}
        assert "not a list" in failed(arguments(ids, free="0;1"))["gpu-a"]
        wish = failed(arguments(ids, annotations={"orrery.dev/min-busbw": "200", "orrery.dev/hosts": "2"}))
        assert "200 are needed" in wish["gpu-a"] and "gpu-b" not in wish
        # what is free decides: two GPUs with a direct NVLink, or two without
        good, poor = (
            ours.ask("/prioritize", arguments(ids, gpus=2, free=free))[1][0]["Score"] for free in ("0,3,1", "0,5")
        )
        assert good >= poor


def test_names_only(fleet):
    """nodeCacheCapable: true. Nodes are looked up by their names."""
    server, _ = fleet
    with extender(url_of(server), "--timeout", "60") as ours:
        status, result = ours.ask("/filter", RECORDED["names"])
        assert status == 200 and result["Nodes"] is None and result["NodeNames"] == ["gpu-b", "gpu-c"]
        assert {row["Host"]: row["Score"] for row in ours.ask("/prioritize", RECORDED["names"])[1]} == {
            "gpu-b": 10,
            "gpu-c": 0,
        }


def test_pods_without_gpus_are_not_asked_about():
    with extender("http://127.0.0.1:9", "--fail", "closed") as ours:
        args = json.loads(json.dumps(RECORDED["names"]))
        del args["Pod"]["spec"]["containers"][0]["resources"]
        assert ours.ask("/filter", args)[1]["NodeNames"] == ["gpu-b", "gpu-c"]
        assert ours.ask("/prioritize", args)[1] == [{"Host": "gpu-b", "Score": 0}, {"Host": "gpu-c", "Score": 0}]


@pytest.mark.parametrize("fail, passes", [("open", ["gpu-b", "gpu-c"]), ("closed", [])])
def test_the_service_is_down(fail, passes):
    with extender("http://127.0.0.1:9", "--fail", fail) as ours:  # nothing listens there
        status, result = ours.ask("/filter", RECORDED["names"])
        assert status == 200 and result["NodeNames"] == passes and len(result["FailedNodes"]) == 2 - len(passes)
        assert all("cannot be asked" in why for why in result["FailedNodes"].values())
        assert [row["Score"] for row in ours.ask("/prioritize", RECORDED["names"])[1]] == [0, 0]


def test_the_service_is_too_slow():
    """The service accepts the connection and never answers: the extender answers all the same."""
    release = threading.Event()

    class Silent(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            release.wait(120)

        def log_message(self, *arguments):
            pass

    silent = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    silent.daemon_threads = True
    threading.Thread(target=silent.serve_forever, daemon=True).start()
    try:
        with extender(f"http://127.0.0.1:{silent.server_address[1]}", "--timeout", "0.5", "--fail", "closed") as ours:
            status, result = ours.ask("/filter", RECORDED["names"])
            assert status == 200 and result["NodeNames"] == [] and set(result["FailedNodes"]) == {"gpu-b", "gpu-c"}
            assert not release.is_set()
    finally:
        release.set()
        silent.shutdown()
        silent.server_close()


POD = RECORDED["names"]["Pod"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"Pod": 3}',
        b"[" * 100000,
        b"\xff\xfe",
        {"Pod": POD, "NodeNames": ["../x"]},
        {"Pod": POD, "NodeNames": [3]},
        {"Pod": POD, "NodeNames": "a"},
        {"Pod": POD, "Nodes": {"items": [{"metadata": {}}]}},
        {"Pod": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "-1"}}}]}}},
        {"Pod": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1e9"}}}]}}},
        {"Pod": {"metadata": {"annotations": {"orrery.dev/min-busbw": "much"}}}},
        {"Pod": POD, "NodeNames": [f"n{i}" for i in range(5001)]},
    ],
)
def test_bad_requests(bad, body):
    status, answer = bad.ask("/filter", body)
    assert status == 400 and answer["error"], answer


@pytest.fixture(scope="module")
def bad():
    with extender("http://127.0.0.1:9") as ours:
        yield ours


def test_other_paths_and_lengths(bad):
    assert (
        bad.ask("/bind", {})[0] == 404
        and bad.ask("/", None, "GET")[0] == 404
        and bad.ask("/healthz", None, "GET") == (200, {"status": "ok"})
    )
    assert (
        bad.ask("/filter", None, headers={"Content-Length": "x"})[0] == 411
        and bad.ask("/filter", None, headers={"Content-Length": "99999999999"})[0] == 413
    )


def test_the_manifest_and_the_readme_agree_with_the_program():
    """Kinds, names and options of the manifest, and every annotation of the README."""
    documents = {one["kind"]: one for one in yaml.safe_load_all((EXAMPLE / "extender.yaml").read_text())}
    assert set(documents) == {"Deployment", "Service", "KubeSchedulerConfiguration"}
    container = documents["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert documents["Service"]["spec"]["ports"][0]["targetPort"] == container["ports"][0]["containerPort"]
    assert documents["Service"]["spec"]["selector"] == documents["Deployment"]["spec"]["template"]["metadata"]["labels"]
    text = (EXAMPLE / "orrery_extender.py").read_text()
    for argument in container["args"]:
        assert f'"{argument.partition("=")[0]}"' in text, argument
    rows = documents["KubeSchedulerConfiguration"]["extenders"][0]
    assert (
        f'"/{rows["filterVerb"]}"' in text
        and f'"/{rows["prioritizeVerb"]}"' in text
        and rows["nodeCacheCapable"] is False
    )
    assert float(rows["httpTimeout"].removesuffix("s")) > 3
    for name in ("topology", "free-gpus", "hosts", "min-busbw"):
        assert f"orrery.dev/{name}" in (EXAMPLE / "README.md").read_text()
