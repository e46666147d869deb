# SPDX-License-Identifier: Apache-2.0
"""Clusters: storing, listing, analysing and deleting; streamed rings and trees; errors that name their place."""
import json
import re
import time

import pytest

from conftest import DUMP, ROOT
from test_command_line import run

H100 = (ROOT / "static/examples/h100-nvswitch.xml").read_bytes()


def upload(server, dump):
    return server.json("POST", "/v1/topologies", dump)[1]["id"]


def create(server, *hosts, **members):
    status, answer = server.json("POST", "/v1/clusters", json.dumps({"hosts": list(hosts), **members}).encode())
    assert status in (200, 201), answer
    return answer


def test_a_cluster_is_kept_once_under_its_content(server):
    small, large = upload(server, DUMP), upload(server, H100)
    body = json.dumps({"name": "one", "hosts": [{"topology": large, "count": 2}, {"topology": small}]}).encode()
    response, data = server.ask("POST", "/v1/clusters", body)
    first = json.loads(data)
    assert response.status in (200, 201) and response.headers["Location"] == f"/v1/clusters/{first['id']}"
    again = json.dumps(
        {"ranks": "block", "hosts": [{"count": 2, "topology": large}, {"topology": small, "count": 1}]}
    ).encode()
    status, second = server.json("POST", "/v1/clusters", again)
    assert (status, second["id"], second["name"]) == (200, first["id"], first["name"])
    assert first["hosts"] == 3 and first["description"]["ranks"] == "block"
    status, got = server.json("GET", f"/v1/clusters/{first['id']}")
    assert status == 200 and got == second
    items = server.json("GET", "/v1/clusters?limit=200")[1]["items"]
    assert [item["id"] for item in items].count(first["id"]) == 1 and "description" not in items[0]


def test_the_analysis_is_the_command_lines(server, tmp_path):
    small, large = upload(server, DUMP), upload(server, H100)
    (tmp_path / "small.xml").write_bytes(DUMP)
    (tmp_path / "large.xml").write_bytes(H100)
    hosts = [("large", {"count": 2}), ("small", {}), ("large", {"gpus": [3, 1]})]
    for ranks in ("block", "cyclic", [0, 2, 3, 1] + [0] * 7 + [1] * 7 + [2, 3]):
        cluster = create(
            server, *({"topology": {"small": small, "large": large}[name], **more} for name, more in hosts), ranks=ranks
        )
        (tmp_path / "c.json").write_text(
            json.dumps({"hosts": [{"topology": f"{name}.xml", **more} for name, more in hosts], "ranks": ranks})
        )
        theirs = json.loads(run("analyze", "--release", "2.27.7", "--cluster", str(tmp_path / "c.json"))[1])
        status, ours = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis?release=2.27.7")
        assert status == 200
        for document in (ours, theirs):
            del document["topology"]
        assert ours == theirs
        assert ours["ranks"] == 20 and sorted(ours["channels"]["rings"][0]) == list(range(20))
        assert server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/cluster?release=2.27.7")[1] == ours["cluster"]


def test_a_host_may_be_of_a_machine_type(server, tmp_path):
    kept = upload(server, H100)
    cluster = create(server, {"machine": "HGX-H100-8", "count": 2}, {"topology": kept})
    assert cluster["description"]["hosts"] == [{"machine": "hgx-h100", "count": 2}, {"topology": kept, "count": 1}]
    (tmp_path / "large.xml").write_bytes(H100)
    (tmp_path / "c.json").write_text(
        json.dumps({"hosts": [{"machine": "hgx-h100", "count": 2}, {"topology": "large.xml"}]})
    )
    theirs = json.loads(
        run("analyze", "--release", "2.27.7", "--cluster", str(tmp_path / "c.json"), "--section", "cluster")[1]
    )
    assert server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/cluster?release=2.27.7") == (200, theirs)
    assert server.json("GET", f"/v1/clusters/{cluster['id']}/findings")[0] == 200
    only = create(server, {"machine": "hgx-h100", "count": 2})
    by_count = json.loads(
        run("analyze", "--release", "2.27.7", "--machine", "hgx-h100", "--hosts", "2", "--section", "predictions")[1]
    )
    assert server.json("GET", f"/v1/clusters/{only['id']}/analysis/predictions?release=2.27.7") == (200, by_count)
    (tmp_path / "c.json").write_text('{"hosts": [{"machine": "hgx-h100"}, {"machine": "hgx-h1000"}]}')
    status, _, err = run("analyze", "--cluster", str(tmp_path / "c.json"))
    assert status == 1 and "(hosts[1].machine)" in err and "did you mean" in err


def test_equal_hosts_are_as_the_count_says(server):
    ident = upload(server, H100)
    cluster = create(server, {"topology": ident}, {"topology": ident, "count": 3})
    whole = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis")[1]
    counted = server.json("GET", f"/v1/topologies/{ident}/analysis?hosts=4")[1]
    for section in ("channels", "tuning", "system", "paths", "p2p", "net_devs", "graphs", "ranks"):
        assert whole[section] == counted[section], section
    assert [kind["host_count"] for kind in whole["cluster"]["kinds"]] == [4]
    assert not whole["cluster"]["alignment"] and not whole["cluster"]["slowest"] and counted["cluster"] is None


def test_findings_name_the_host_that_differs(server):
    good, bad = upload(server, H100), upload(server, H100.replace(b'speed="400000"', b'speed="100000"'))
    assert good != bad
    cluster = create(server, {"topology": good, "count": 7}, {"topology": bad})
    found = {row["id"]: row for row in server.json("GET", f"/v1/clusters/{cluster['id']}/findings")[1]["findings"]}
    assert "host 7 " in found["cluster-odd-host"]["detail"]
    even = create(server, {"topology": good, "count": 2}, {"topology": bad, "count": 2})
    found = {row["id"] for row in server.json("GET", f"/v1/clusters/{even['id']}/findings")[1]["findings"]}
    assert "cluster-odd-host" not in found  # nobody is the odd one out
    view = server.json("GET", f"/v1/clusters/{even['id']}/analysis/cluster")[1]
    assert view["slowest"] == [1] and any(row["set_by"] == [1] for row in view["alignment"])


def test_the_view_tells_who_is_slow_and_why_and_what_is_full(server):
    good = upload(server, H100)
    slow = upload(server, H100.replace(b'speed="400000"', b'speed="100000"'))
    few = upload(server, re.sub(rb'<net name="mlx5_[^"]*" dev="7".*?/>', b"", H100, flags=re.S))
    cluster = create(server, {"topology": good, "count": 7}, {"topology": slow}, {"topology": few})
    view = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/cluster?release=2.27.7")[1]
    assert [kind["odd"] for kind in view["kinds"]] == [False, True, True]
    assert 1 in view["slowest"]
    assert not view["kinds"][0]["behind"]
    assert any(row["field"] == "bw_inter" and row["value"] < row["best"] for row in view["kinds"][1]["behind"])
    assert view["rails"]["missing"] == [[2, 7]]  # its seventh port is gone
    assert sum(row["crossing"] * view["kinds"][row["kind"]]["systems"] for row in view["nics"]) == pytest.approx(
        view["rails"]["crossing"]
    )
    fullest = view["fullest"]
    assert fullest["nic"]["kind"] == 1 and fullest["nic"]["bw"] / fullest["nic"]["port_bw"] == max(
        row["bw"] / row["port_bw"] for row in view["nics"]
    )
    for row in fullest["links"]:
        assert row["bw"] / row["link_bw"] == max(
            one["bw"] / one["link_bw"] for one in view["links"] if one["type"] == row["type"]
        )
    assert {"NVL", "PCI", "NET"} <= {row["type"] for row in fullest["links"]}
    for picture in ("ring", "tree"):
        dot = server.ask("GET", f"/v1/clusters/{cluster['id']}/diagram.dot?release=2.27.7&view={picture}")[1].decode()
        assert all(f"Host {host}" in dot for host in range(9)) and "Host 7: slowest, unlike most" in dot, dot[:400]


@pytest.mark.parametrize(
    "body, status, words",
    [
        (b"", 400, "empty-body"),
        (b"{", 400, "invalid-json"),
        (b"[]", 400, "invalid-json"),
        (b'{"hosts": [{"topology": "x"}]}', 400, "not the id"),
        (b'{"hosts": [{"machine": "hgx-h100"}, {"machine": "hgx-h1000"}]}', 400, "hosts[1].machine"),
        (b'{"hosts": [{"machine": "hgx-h100", "topology": "' + b"0" * 32 + b'"}]}', 400, "not both"),
        (b'{"hosts": [{"count": 2}]}', 400, "a topology or a machine type"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'"}]}', 404, "there is no topology"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "cuont": 2}]}', 400, "no member"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "count": 9999999}]}', 400, "count must be"),
        (b" \n", 400, "is empty"),
        (b"<system/>", 400, "this is XML"),
        (b'{"release": "2.21.5", "hosts": []}', 400, "one release"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'"}], "ranks": [0, "1"]}', 400, "ranks[1]"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "gpus": [""]}]}', 400, "bus id"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "fabric": {}}]}', 400, "needs a uuid"),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "fabric": {"uuid": "8f4c"}}]}', 400, "32 hexadecimal digits"),
        (
            b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "domain": "a", "fabric": {"clique": -1}}]}',
            400,
            "from 0 to 4294967295",
        ),
        (
            b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "domain": "a", "fabric": {"state": "done"}}]}',
            400,
            "not-started",
        ),
        (b'{"hosts": [{"topology": "' + b"0" * 32 + b'", "domain": "a", "fabric": {"id": 1}}]}', 400, "no member"),
        (b'{"hosts": [{"machine": "hgx-h100", "nics": []}]}', 400, "1 to 128 objects"),
        (b'{"hosts": [{"machine": "hgx-h100", "nics": [{"rial": 1}]}]}', 400, "hosts[0].nics[0]"),
        (b'{"hosts": [{"machine": "hgx-h100"}], "rails": "apart"}', 400, "no switch connects them"),
    ],
)
def test_wrong_descriptions_say_what_is_wrong(server, body, status, words):
    response, data = server.ask("POST", "/v1/clusters", body)
    assert response.status == status and words in data.decode(), data


def test_what_does_not_fit_is_said_when_it_is_analysed(server):
    ident = upload(server, DUMP)
    for hosts, members, words in (
        ([{"topology": ident, "gpus": [7]}], {}, "GPU 7 does not exist"),
        ([{"topology": ident, "gpus": [1, 1]}], {}, "named twice"),
        ([{"topology": ident}], {"ranks": [0]}, "places 1 ranks"),
        ([{"topology": ident}], {"ranks": [0, 1]}, "on host 1, but the cluster has 1"),
        ([{"topology": ident, "count": 600}], {}, "too many for one document"),
    ):
        cluster = create(server, *hosts, **members)
        status, problem = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis")
        assert status == 422 and words in problem["detail"], problem


def test_the_networks_of_nics_are_kept_and_judged(server):
    """The normal form of a description includes what it says about NICs, and a finding names the rings that leave a
    rail."""
    nics = [{"rail": number, "leaf": f"leaf{number}"} for number in range(8)]
    hosts = [{"machine": "hgx-h100", "nics": nics}, {"machine": "hgx-h100", "nics": nics[1:] + nics[:1]}]
    cluster = create(server, *hosts)
    kept = cluster["description"]["hosts"][0]["nics"]
    assert kept[3] == {"rail": "3", "leaf": "leaf3"} and "rails" not in cluster["description"]
    isolated = create(server, *hosts, rails="isolated")
    assert isolated["description"]["rails"] == "isolated" and isolated["sha256"] != cluster["sha256"]
    for which, wanted in ((cluster, "rails-crossed"), (isolated, "rails-isolated")):
        status, found = server.json("GET", f"/v1/clusters/{which['id']}/findings")
        assert status == 200 and wanted in [row["id"] for row in found["findings"]]
    missing = create(server, {"machine": "hgx-h100", "nics": [{"name": "mlx5_99", "rail": "1"}]})
    status, problem = server.json("GET", f"/v1/clusters/{missing['id']}/analysis")
    assert status in (400, 422) and "no NIC named mlx5_99" in problem["detail"], problem


UUIDS = [f"8f4c0000-0000-0000-0000-00000000000{i}" for i in range(2)]


def test_fabrics_say_who_shares_a_system(server):
    """Cliques of one fabric are systems; a domain of two clusters and a host without fabric are found."""
    ident = upload(server, H100)
    hosts = [
        {
            "topology": ident,
            "count": 2,
            "domain": "rack",
            "fabric": {"uuid": UUIDS[0].upper().replace("-", ""), "clique": 7, "health": 2},
        },
        {"topology": ident, "domain": "rack", "fabric": {"uuid": UUIDS[1], "clique": 7}},
    ]
    cluster = create(server, *hosts)
    assert cluster["description"]["hosts"][0]["fabric"] == {
        "uuid": UUIDS[0],
        "clique": 7,
        "state": "completed",
        "health": 2,
    }
    view = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/cluster")[1]
    assert (view["systems"], view["mnnvl"]["rule"]) == (2, "ON")
    assert [(row["uuid"], row["hosts"], row["ranks"]) for row in view["mnnvl"]["cliques"]] == [
        (UUIDS[0], [[0, 1]], 16),
        (UUIDS[1], [[2, 2]], 8),
    ]
    assert [row.get("health") for row in view["mnnvl"]["cliques"]] == [2, None]
    found = {row["id"]: row for row in server.json("GET", f"/v1/clusters/{cluster['id']}/findings")[1]["findings"]}
    assert (
        "although both have the same clique number" in found["domain-split"]["detail"] and "domain-unused" not in found
    )
    whole = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/cluster?release=2.27.7&NCCL_MNNVL_UUID=5")[1]
    assert (whole["systems"], len(whole["mnnvl"]["cliques"])) == (1, 1)
    late = create(server, hosts[0], {"topology": ident, "fabric": {"state": "not-started"}})
    view = server.json("GET", f"/v1/clusters/{late['id']}/analysis/cluster")[1]
    assert (view["systems"], view["mnnvl"]["rule"], view["mnnvl"]["line"]) == (3, "NOT_COMPLETED", 1)
    found = {row["id"]: row for row in server.json("GET", f"/v1/clusters/{late['id']}/findings")[1]["findings"]}
    assert "the fabric of host 2 is not-started" in found["domain-unused"]["detail"] and "domain-split" not in found
    status, problem = server.json(
        "GET", f"/v1/clusters/{late['id']}/analysis/cluster?release=2.21.5&NCCL_MNNVL_ENABLE=1"
    )
    assert status == 400 and problem["where"] == "hosts[1]" and "NCCL 2.21.5 fails" in problem["detail"]


def test_a_place_in_a_topology_is_said_with_its_id(server):
    """When a release refuses a cluster, the reason is in a dump, not in the description."""
    good, bad = upload(server, DUMP), upload(server, DUMP.replace(b' arch="x86_64"', b"", 1))
    cluster = create(server, {"topology": good}, {"topology": bad})
    status, problem = server.json("GET", f"/v1/clusters/{cluster['id']}/analysis")
    assert (
        status == 422 and problem["line"] > 1 and problem["where"] == f"topology {bad}, hosts[1], system/cpu[0]"
    ), problem
    wide = create(server, {"topology": good, "count": 129, "domain": "x"})
    status, problem = server.json("GET", f"/v1/clusters/{wide['id']}/analysis")
    assert status == 422 and "line" not in problem and "fused with the other 128 hosts" in problem["where"], problem


def test_a_cluster_without_its_topology_says_so(server):
    ident = upload(server, DUMP.replace(b"0000:81", b"0000:82"))
    cluster = create(server, {"topology": ident, "count": 2})
    target = f"/v1/clusters/{cluster['id']}"
    assert server.ask("GET", f"{target}/analysis/ranks")[0].status == 200
    assert server.ask("DELETE", f"/v1/topologies/{ident}")[0].status == 204
    time.sleep(1.1)  # cached knowledge about the store is valid for a second
    status, problem = server.json("GET", f"{target}/analysis/ranks")
    assert status == 404 and ident in problem["detail"]
    assert server.ask("DELETE", target)[0].status == 204
    assert server.ask("GET", target)[0].status == 404 and server.ask("DELETE", target)[0].status == 404


def test_deleting_heeds_if_match(server):
    path = f"/v1/clusters/{create(server, {'topology': upload(server, DUMP), 'count': 5})['id']}"
    tag = server.ask("GET", path)[0].headers["ETag"]
    assert server.ask("DELETE", path, None, {"If-Match": '"other"'})[0].status == 412
    assert server.ask("DELETE", path, None, {"If-None-Match": tag})[0].status == 412
    assert server.ask("GET", path)[0].status == 200
    assert server.ask("DELETE", path, None, {"If-Match": tag})[0].status == 204
    assert server.ask("DELETE", path, None, {"If-Match": tag})[0].status == 404


def test_groups_of_training_frameworks(server):
    ident = upload(server, H100)
    cluster = create(server, {"topology": ident, "count": 8})
    target = f"/v1/clusters/{cluster['id']}/groups"
    status, answer = server.json("GET", f"{target}?layout=tp=8,pp=4")
    kinds = {kind["name"]: kind for kind in answer["kinds"]}
    assert status == 200 and answer["layout"]["dp"] == 2 and set(kinds) == {"tp", "dp", "pp"}
    assert (kinds["tp"]["groups"], kinds["tp"]["nics"], kinds["tp"]["shapes"][0]["nodes"]) == (8, [], 1)
    assert kinds["pp"]["shapes"][0]["ranks"] == [0, 16, 32, 48] and len(kinds["pp"]["shapes"]) == 8
    # eight groups with one rank per host: together they send the data of eight rings through the NICs of each host
    assert sum(nic["mean"] for nic in kinds["pp"]["nics"]) == pytest.approx(8)
    experts = {kind["name"]: kind for kind in server.json("GET", f"{target}?layout=tp=2,dp=*,ep=4")[1]["kinds"]}
    assert experts["ep"]["shapes"][0]["ranks"] == [0, 2, 4, 6] and experts["edp"]["shapes"][0]["ranks"] == list(
        range(0, 64, 8)
    )
    assert experts["ep"]["nics"] == [] and experts["edp"]["nics"]
    for wrong in ("tp=3", "tp=8,tp=8", "xp=8", "tp=0", "ep=3", "order=tp-tp", "tp=*,dp=*", "tp", "tp=99999999"):
        status, problem = server.json("GET", f"{target}?layout={wrong}")
        assert status == 400 and problem["type"] == "/problems/invalid-parameter", wrong
    assert server.ask("GET", target)[0].status == 400


def test_equal_hosts_explain_and_differ_as_the_count_says(server):
    ident = upload(server, H100)
    cluster, counted = (
        f"/v1/clusters/{create(server, {'topology': ident, 'count': 4})['id']}",
        f"/v1/topologies/{ident}",
    )
    for question in (
        "decision=channels",
        "decision=graph&graph=nvls",
        "decision=nic&from=0&channel=1",
        "decision=gdr&from=rank:1&to=NET/0-1",
        "decision=algorithm&collective=AllReduce&bytes=1M",
        "decision=tree",
    ):
        status, ours = server.json("GET", f"{cluster}/explain?{question}")
        assert status == 200, ours
        theirs = server.json("GET", f"{counted}/explain?hosts=4&{question}")[1]
        for row in (ours, theirs):
            row.pop("topology")
        for row in (
            ours["what_if"] + theirs["what_if"]
        ):  # these count rings, too, which are not made to explain a cluster
            del row["changed"], row["sections"]
        assert ours == theirs
    for against in ("2.21.5", "NCCL_P2P_LEVEL=PHB&against=NCCL_CROSS_NIC=1"):
        status, ours = server.json("GET", f"{cluster}/analysis/diff?against={against}")
        assert status == 200, ours
        theirs = server.json("GET", f"{counted}/analysis/diff?hosts=4&against={against}")[1]
        for row in (ours, theirs):
            row.pop("topology")
            row["outcomes"] = [one for one in row["outcomes"] if one["hosts"] == 4]  # a count is asked for 1 and 2, too
            row.pop("summary")  # it begins with the outcomes
        assert ours == theirs and not ours["equal"]


def test_a_setting_that_is_said_to_change_a_cluster_does(server):
    """NICs that are slow on one kind of host decide for all hosts; the effect of a setting is computed with all
    hosts."""
    good, bad = upload(server, H100), upload(server, H100.replace(b'speed="400000"', b'speed="100000"'))
    cluster = f"/v1/clusters/{create(server, {'topology': good, 'count': 3}, {'topology': bad})['id']}"
    status, why = server.json("GET", f"{cluster}/explain?decision=channels")
    assert status == 200 and any(row["changes"] for row in why["what_if"])
    for row in why["what_if"]:
        if not row["refused"] and row["value"]:
            there = server.json("GET", f"{cluster}/explain?decision=channels&{row['setting']}={row['value']}")[1]
            assert there["verdict"] == row["then"], row
    alone = server.json(
        "GET", f"/v1/topologies/{good}/explain?hosts=4&decision=algorithm&collective=AllReduce&bytes=1G"
    )[1]
    mixed = server.json("GET", f"{cluster}/explain?decision=algorithm&collective=AllReduce&bytes=1G")[1]
    assert alone["answer"] != mixed["answer"], "the slow host does not count"
    status, problem = server.json("GET", f"{cluster}/explain?decision=path&from=rank:9&to=0")
    assert status == 404 and "another host's topology" in problem["advice"]


def test_equal_hosts_predict_as_the_count_says(server):
    ident = upload(server, H100)
    cluster = f"/v1/clusters/{create(server, {'topology': ident, 'count': 4})['id']}"
    for question in ("sizes=1M:1G:32", "collective=alltoall&sizes=1G", "collective=sendrecv&sizes=1G&release=2.21.5"):
        status, ours = server.json("GET", f"{cluster}/predict?{question}")
        theirs = server.json("GET", f"/v1/topologies/{ident}/predict?hosts=4&{question}")[1]
        assert status == 200 and ours["hosts"] == 4 and ours["rows"]
        assert {**ours, "topology": ""} == {**theirs, "topology": ""}


def test_the_command_line_explains_and_compares_clusters(server, tmp_path):
    (tmp_path / "small.xml").write_bytes(DUMP)
    (tmp_path / "large.xml").write_bytes(H100)
    (tmp_path / "c.json").write_text(
        json.dumps(
            {
                "hosts": [{"topology": "large.xml", "count": 2}, {"topology": "small.xml"}],
                "ranks": [0] * 8 + [2, 2] + [1] * 8,
            }
        )
    )
    file = str(tmp_path / "c.json")
    status, out, _ = run("explain", "--cluster", file, "--why", "channels", "--json")
    assert status == 0 and json.loads(out)["what_if"]
    small, large = upload(server, DUMP), upload(server, H100)
    cluster = create(server, {"topology": large, "count": 2}, {"topology": small}, ranks=[0] * 8 + [2, 2] + [1] * 8)
    status, out, _ = run("analyze", "--cluster", file, "--against", "2.21.5")
    theirs, ours = json.loads(out), server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/diff?against=2.21.5")[1]
    for row in (ours, theirs):
        row.pop("topology")
    assert status == 0 and ours == theirs and any(row["changed"] for row in ours["sections"].values())


def test_a_cluster_of_thousands_is_compared_without_rings(server):
    large = upload(server, H100)
    cluster = f"/v1/clusters/{create(server, {'topology': large, 'count': 2000})['id']}"
    status, body = server.json("GET", f"{cluster}/analysis/diff?against=NCCL_MAX_NCHANNELS=4")
    assert status == 200 and body["ranks"] == 16000 and not body["equal"]
    status, body = server.json("GET", f"{cluster}/explain?decision=channels")
    assert status == 200 and body["what_if"]


@pytest.mark.parametrize("release, found", [("2.30.4", True), ("2.30.7", False)])
def test_nodes_that_would_run_different_kernels(tmp_path, release, found):
    """8 + 1 GPUs: a lone GPU has isAllDirectNvlink 0 up to 2.30.4, and NCCL does not compare it between nodes."""
    example = str(ROOT / "static/examples/h100-nvswitch.xml")
    (tmp_path / "c.json").write_text(json.dumps({"hosts": [{"topology": example}, {"topology": example, "gpus": [0]}]}))
    options = ("--cluster", str(tmp_path / "c.json"), "--release", release)
    status, out, _ = run("analyze", *options)
    rows = {row["id"]: row for row in json.loads(out)["findings"]}
    assert status == 0 and ("nodes-choose-differently" in rows) == found
    fact = next(fact for fact in json.loads(out)["device"]["facts"] if fact["name"] == "isAllDirectNvlink")
    assert [(other["rank"], other["value"]) for other in fact.get("others", [])] == ([(8, 0)] if found else [])
    if found:
        assert rows["nodes-choose-differently"]["severity"] == "warning"
        assert b"rank 0 and not on that with rank 8" in run("show", *options)[1].replace(b"\n  ", b" ")
