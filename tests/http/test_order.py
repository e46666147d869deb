# SPDX-License-Identifier: Apache-2.0
"""orrery order and GET /v1/clusters/{id}/order: the best order of hosts in every format, the same from both."""
import json
import sys

import pytest

from conftest import ROOT, Server
from test_command_line import run

sys.path.insert(0, str(ROOT / "tests" / "tools"))
import other_forms  # noqa: E402

TRAY = ROOT / "static" / "examples" / "grace-blackwell-tray.xml"
MEGA = ROOT / "static" / "examples" / "gcp-a2-mega.xml"
NAMES = [f"tray-{i:02}" for i in range(4)]


def trays(topology):
    """Two NVLink domains of two trays each, in turn."""
    return [
        {"topology": str(topology), "domain": "rack1" if i % 2 == 0 else "rack2", "names": [NAMES[i]]} for i in range(4)
    ]


@pytest.fixture
def cluster(tmp_path):
    def write(hosts, ranks="block"):
        path = tmp_path / "cluster.json"
        path.write_text(json.dumps({"hosts": hosts, "ranks": ranks}))
        return str(path)

    return write


def order(*arguments):
    status, out, err = run("order", *arguments)
    assert status == 0, err
    return out.decode()


def upload(server, path, query=""):
    status, answer = server.json("POST", f"/v1/topologies{query}", body=path.read_bytes())
    assert status in (200, 201)
    return answer["id"]


def test_hosts_of_a_domain_come_together(cluster):
    answer = json.loads(order("--cluster", cluster(trays(TRAY)), "--layout", "tp=8,dp=2"))
    names = [host["name"] for host in answer["hosts"]]
    assert answer["better"] and names == NAMES[0::2] + NAMES[1::2]
    assert [load["groups"] for load in answer["present"]["loads"]] == ["tp", "dp"]
    assert answer["present"]["loads"][0]["rings"] > 0 and answer["best"]["loads"][0] == {
        "groups": "tp",
        "rings": 0,
        "nic_bw": None,
    }
    assert answer["hosts"][1]["ranks"] == [4, 5, 6, 7] and answer["hosts"][1]["gpus"] == [0, 1, 2, 3]
    assert "0 rings of tp groups instead of" in answer["sentence"] and answer["gain"] is None


def test_assumed_values_are_named(cluster, tmp_path):
    """A table of nvidia-smi shows no speed of a NIC; a dump does."""
    _, dump, _ = run("convert", "--machine", "hgx-h100")
    table = tmp_path / "matrix.txt"
    table.write_text(other_forms.matrix(other_forms.Machine(dump.decode())))
    for topology, assumed in ((table, True), (TRAY, False)):
        path = cluster([{"topology": str(topology), "count": 2}])
        said = json.loads(order("--cluster", path))["assumed"]
        assert any("does not show the speed of the NICs" in line for line in said) == assumed


def test_the_order_found_gets_what_is_said(cluster):
    """`groups` on the order found gives the loads that `order` states."""
    path = cluster(trays(TRAY))
    answer = json.loads(order("--cluster", path, "--layout", "tp=8,dp=2,order=tp-dp"))
    for figures, hosts in ((answer["present"], range(4)), (answer["best"], [host["host"] for host in answer["hosts"]])):
        status, out, err = run(
            "groups", "--cluster", cluster([trays(TRAY)[host] for host in hosts]), "--layout", "tp=8,dp=2"
        )
        assert status == 0, err
        kinds = {
            kind["name"]: max((nic["most"] for nic in kind["nics"]), default=0) for kind in json.loads(out)["kinds"]
        }
        assert {load["groups"]: load["rings"] for load in figures["loads"]} == pytest.approx(kinds)


def test_an_order_that_gains_nothing_is_not_offered(cluster):
    answer = json.loads(order("--cluster", cluster(trays(TRAY))))
    assert not answer["better"] and answer["gain"] == 0 and [host["host"] for host in answer["hosts"]] == list(range(4))
    assert answer["search"] | {"gpu_orders_tried": 0} == {
        "orders": 3,
        "tried": 3,
        "gpu_orders_tried": 0,
        "proven": True,
        "bound": None,
    }
    assert (
        answer["sentence"].startswith("The present order of hosts is as good as any")
        and answer["present"] == answer["best"]
    )
    status, out, _ = run("predict", "--json", "--sizes", "1G", "--cluster", cluster(trays(TRAY)))
    assert json.loads(out)["rows"][0]["busbw"] == pytest.approx(answer["present"]["busbw"])


def test_gpus_within_hosts(cluster):
    """Neighbouring ranks exchange data in sendrecv: on this machine not every pair of GPUs is next to each other."""
    path = cluster([{"topology": str(MEGA), "count": 2}])
    answer = json.loads(order("--cluster", path, "--collective", "sendrecv"))
    gpus = answer["hosts"][0]["gpus"]
    assert answer["better"] and answer["gain"] > 0.1 and sorted(gpus) == list(range(16)) and gpus != list(range(16))
    text = order("--cluster", path, "--collective", "sendrecv", "--format", "text")
    status, out, _ = run(
        "predict",
        "--json",
        "--collective",
        "sendrecv",
        "--sizes",
        "1G",
        "--cluster",
        cluster([{"topology": str(MEGA), "count": 2, "gpus": gpus}]),
    )
    assert json.loads(out)["rows"][0]["busbw"] == pytest.approx(answer["best"]["busbw"])
    assert "CUDA_VISIBLE_DEVICES=" + ",".join(map(str, gpus)) in text


def test_formats_of_launchers(cluster):
    path, expected = cluster(trays(TRAY)), NAMES[0::2] + NAMES[1::2]
    ask = ("--cluster", path, "--layout", "tp=8,dp=2", "--format")

    def lines(name):
        text = order(*ask, name)
        assert text.startswith("# With this order the busiest NIC carries")
        return [line for line in text.splitlines() if not line.startswith("#")]

    assert lines("slurm") == [name for name in expected for _ in range(4)]
    assert lines("hostfile") == [f"{name} slots=4" for name in expected]
    ranks = [line.split() for line in lines("rankfile")]
    assert [row[:2] for row in ranks] == [["rank", f"{r}={expected[r // 4]}"] for r in range(16)]
    used = set()
    for row in ranks[:4]:
        for part in row[2].removeprefix("slot=").split(","):
            first, _, last = part.partition("-")
            cpus = set(range(int(first), int(last or first) + 1))
            assert not used & cpus, "two ranks of a host are bound to the same CPU"
            used |= cpus


def test_leaf_switches_and_made_up_names(cluster):
    hosts = [{"topology": str(MEGA), "switch": f"leaf{i % 2}"} for i in range(4)]
    answer = json.loads(order("--cluster", cluster(hosts), "--layout", "tp=16"))
    assert answer["better"] and answer["present"]["loads"] == answer["best"]["loads"]
    assert (answer["present"]["switch_changes"], answer["best"]["switch_changes"]) == (4, 2)
    assert [host["switch"] for host in answer["hosts"]] == ["leaf0", "leaf0", "leaf1", "leaf1"]
    assert answer["hosts"][1]["name"] == "host-2" and "names" in answer["assumed"][0]


def test_stored_cluster_answers_the_same(server, cluster):
    ident = upload(server, TRAY)
    status, made = server.json("POST", "/v1/clusters", body=json.dumps({"hosts": trays(ident)}).encode())
    assert status == 201 and made["description"]["hosts"][3]["names"] == [NAMES[3]]
    target = f"/v1/clusters/{made['id']}/order"
    status, answer = server.json("GET", f"{target}?layout=tp=8,dp=2")
    assert status == 200 and answer == json.loads(order("--cluster", cluster(trays(TRAY)), "--layout", "tp=8,dp=2"))
    response, body = server.ask("GET", f"{target}?layout=tp=8,dp=2&format=slurm")
    assert response.status == 200 and response.getheader("Content-Type").startswith("text/plain")
    assert body.decode() == order("--cluster", cluster(trays(TRAY)), "--layout", "tp=8,dp=2", "--format", "slurm")
    for wrong in ("layout=tp=3", "format=pbs", "collective=all_everything", "size=0x1"):
        status, problem = server.json("GET", f"{target}?{wrong}")
        assert status == 400 and problem["type"] == "/problems/invalid-parameter", wrong


def test_stored_hosts_are_called_by_their_labels():
    server, hosts = (
        Server("--database", ":memory:"),
        [],
    )  # labels of a first upload stay, so others must not have kept these machines
    try:
        for i, machine in enumerate(("hgx-h100", "dgx-a100")):
            status, answer = server.json(
                "POST", f"/v1/topologies?machine={machine}&label=host%3Dnode-{i}&label=switch%3Dleaf-{i}"
            )
            assert status == 201
            hosts.append({"topology": answer["id"]})
        status, made = server.json("POST", "/v1/clusters", body=json.dumps({"hosts": hosts}).encode())
        status, answer = server.json("GET", f"/v1/clusters/{made['id']}/order")
        assert status == 200 and [(host["name"], host["switch"]) for host in answer["hosts"]] == [
            ("node-0", "leaf-0"),
            ("node-1", "leaf-1"),
        ]
    finally:
        server.stop()


@pytest.mark.parametrize(
    "host, words",
    [
        ({"count": 2, "names": ["a"]}, "one name for each"),
        ({"names": ["a b"]}, "letters, digits"),
        ({"names": ["a\nb"]}, "letters, digits"),
        ({"names": "a"}, "an array"),
        ({"names": ["-a"]}, "letters, digits"),
        ({"switch": 3}, "switch must be a text"),
        ({"names": [None]}, "letters, digits"),
    ],
)
def test_names_that_cannot_be_used(cluster, host, words):
    status, _, err = run("order", "--cluster", cluster([{"topology": str(MEGA)} | host]))
    assert status == 1 and words in err and "hosts[0]" in err


def test_names_given_twice_are_not_used(cluster):
    answer = json.loads(
        order(
            "--cluster",
            cluster([{"topology": str(TRAY), "names": ["a"]}, {"topology": str(TRAY), "names": ["a"]}]),
            "--layout",
            "tp=4",
        )
    )
    assert [host["name"] for host in answer["hosts"]] == ["host-0", "host-1"]
