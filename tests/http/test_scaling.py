# SPDX-License-Identifier: Apache-2.0
"""The bandwidths on 1, 2, 4 ... hosts: each figure equals that of a cluster of just these hosts."""
import json

import pytest

from conftest import ROOT
from test_clusters import create, upload
from test_cluster_verdict import natural
from test_command_line import run

HEALTHY = ROOT / "static/examples/h100-nvswitch.xml"
FAULTY = ROOT / "static/examples/h100-with-faults.xml"
TESTS = ("all_reduce", "all_gather", "reduce_scatter", "alltoall")
QUESTIONS = [(name, size) for name in TESTS for size in ("1M", "1G")]
BYTES = {"1M": 1 << 20, "1G": 1 << 30}
ROUNDED = 1e-3  # predict rounds the size down to what the ranks can share, as nccl-tests does


@pytest.fixture(scope="module")
def machines(server):
    return upload(server, HEALTHY.read_bytes()), upload(server, FAULTY.read_bytes())


def predicted(server, path, hosts, asked=""):
    """{(collective, bytes, hosts): GB/s}, one question each."""
    table = {}
    for name, size in QUESTIONS:
        status, answer = server.json("GET", f"{path}/predict?collective={name}&sizes={size}{asked}")
        assert status == 200, answer
        table[name, BYTES[size], hosts] = answer["rows"][0]["busbw"]
    return table


def scaled(server, ident, asked="", member="busbw"):
    status, answer = server.json("GET", f"/v1/clusters/{ident}/scaling{asked}")
    assert status == 200, answer
    return answer, {(row["collective"], row["size"], row["hosts"]): row[member] for row in answer["outcomes"]}


def expected(server, hosts, ranks="block", asked=""):
    table = {}
    for count in [n for n in (1, 2, 4, 8, 16) if n < len(hosts)] + [len(hosts)]:
        own = create(server, *hosts[:count], ranks=ranks)["id"]
        table.update(predicted(server, f"/v1/clusters/{own}", count, asked))
    return table


def test_each_figure_is_that_of_a_cluster_of_these_hosts(server, machines):
    """The faulty host is the first of the description, and the third by name."""
    kinds = [machines[1], *machines[:1] * 5]
    names = ("node10", "node2", "node1", "node30", "node20", "node100")
    hosts = [{"topology": kind, "names": [name]} for kind, name in zip(kinds, names)]
    ident = create(server, *hosts)["id"]
    by_name = sorted(hosts, key=lambda host: natural(host["names"][0]))
    for order, listed, ranks in (("given", hosts, "block"), ("cyclic", hosts, "cyclic"), ("name", by_name, "block")):
        answer, figures = scaled(server, ident, f"?rank_order={order}")
        wanted = expected(server, listed, ranks)
        assert set(figures) == set(wanted) and len(figures) == 4 * len(QUESTIONS)
        assert figures == pytest.approx(wanted, rel=ROUNDED)
        assert answer["order"] == {"given": "block"}.get(order, order) and answer["against"] == []
        series = [round(figures["all_reduce", 1 << 30, n]) for n in (1, 2, 4, 6)]
        assert answer["sentence"] == (
            f"AllReduce at 1 GiB gets {series[0]}, {series[1]}, {series[2]} and {series[3]} GB/s "
            "on 1, 2, 4 and 6 hosts."
        )
    one_bad, all_good = scaled(server, ident)[1], scaled(server, ident, "?rank_order=name")[1]
    assert one_bad["all_reduce", 1 << 30, 2] < 0.9 * all_good["all_reduce", 1 << 30, 2]


def test_listed_ranks_stay_in_their_order(server, machines):
    """Host 2 has rank 0, so a job on one host runs there, and a job on two also has host 0."""
    hosts = [{"topology": machines[0], "gpus": [0, 1]}, {"topology": machines[0], "gpus": [4, 5]}]
    hosts.append({"topology": machines[1], "gpus": [0, 1, 2]})
    ident = create(server, *hosts, ranks=[2, 2, 0, 1, 0, 2, 1])["id"]
    _, figures = scaled(server, ident)
    alone = create(server, hosts[2], ranks=[0, 0, 0])["id"]
    both = create(server, hosts[0], hosts[2], ranks=[1, 1, 0, 0, 1])["id"]
    wanted = {
        **predicted(server, f"/v1/clusters/{alone}", 1),
        **predicted(server, f"/v1/clusters/{both}", 2),
        **predicted(server, f"/v1/clusters/{ident}", 3),
    }
    assert figures == pytest.approx(wanted, rel=ROUNDED)


def test_two_releases_or_settings_side_by_side(server, machines):
    hosts = [{"topology": kind} for kind in (machines[0],) * 3 + (machines[1],) * 2]
    ident = create(server, *hosts)["id"]
    for against, asked in (("2.18.5", "&release=2.18.5"), ("NCCL_ALGO=Ring", "&NCCL_ALGO=Ring")):
        answer, before = scaled(server, ident, f"?against={against}", "before")
        after = scaled(server, ident, f"?against={against}", "after")[1]
        assert before == pytest.approx(expected(server, hosts), rel=ROUNDED)
        assert after == pytest.approx(expected(server, hosts, asked=asked), rel=ROUNDED)
        assert before != after and answer["against"] == [against] and "changes most" in answer["sentence"]
        for row in answer["outcomes"]:
            assert row["change"] == pytest.approx((row["after"] - row["before"]) / row["before"], rel=1e-5, abs=1e-9)
    for wrong in ("2.1.1", "NCCL_NONSENSE=1", "2.18.5&against=2.21.5"):
        assert server.json("GET", f"/v1/clusters/{ident}/scaling?against={wrong}")[0] in (400, 422)


def test_one_machine_on_more_and_more_hosts(server, machines):
    path = f"/v1/topologies/{machines[0]}"
    status, answer = server.json("GET", f"{path}/scaling?hosts=5")
    assert status == 200 and answer["order"] is None
    wanted = {}
    for hosts in (1, 2, 4, 5):
        wanted.update(predicted(server, path, hosts, f"&hosts={hosts}"))
    figures = {(row["collective"], row["size"], row["hosts"]): row["busbw"] for row in answer["outcomes"]}
    assert figures == pytest.approx(wanted, rel=ROUNDED)


def test_a_list_of_hosts_is_one_answer(server, machines, tmp_path):
    path = f"/v1/topologies/{machines[0]}"
    status, answer = server.json("GET", f"{path}/scaling?hosts=1,3,12")
    assert status == 200 and answer["sentence"].endswith(" GB/s on 1, 3 and 12 hosts.")
    figures = {(row["collective"], row["size"], row["hosts"]): row["busbw"] for row in answer["outcomes"]}
    wanted = {}
    for hosts in (1, 3, 12):
        wanted.update(predicted(server, path, hosts, f"&hosts={hosts}"))
    assert figures == pytest.approx(wanted, rel=ROUNDED)
    same = server.json("GET", f"{path}/scaling?hosts=12,3,1,3")[1]
    assert same["outcomes"] == answer["outcomes"], "whatever the order, and each number once"
    ident = create(server, {"topology": machines[0], "count": 4}, {"topology": machines[1]})["id"]
    assert {hosts for _, _, hosts in scaled(server, ident, "?hosts=1,3")[1]} == {1, 3, 5}
    assert {hosts for _, _, hosts in scaled(server, ident)[1]} == {1, 2, 4, 5}
    for wrong in ("1,", "0,2", "1,x", "1;2", ",".join(map(str, range(1, 18)))):
        assert server.json("GET", f"{path}/scaling?hosts={wrong}")[0] == 400, wrong


def test_a_report_begins_with_the_hosts_that_were_asked():
    text = run("show", "--hosts", "1,2,64", str(HEALTHY))[1].decode()
    assert text.startswith("AllReduce at 1 GiB gets ") and " on 1, 2 and 64 hosts." in text.split("\n\n")[0]
    assert text.count("AllReduce      1 GiB") == 3 and text.index("64  AllReduce") < text.index("Verdict")
    assert "Hosts  Operation" not in run("show", "--hosts", "64", str(HEALTHY))[1].decode()
    told = json.loads(run("scaling", "--json", "--hosts", "1,2,64", str(HEALTHY))[1])["sentence"]
    assert " ".join(text.split()).startswith(told)
    for command in ("analyze", "predict", "explain"):
        status, _, complaint = run(command, "--hosts", "1,2", str(HEALTHY))
        assert status == 2 and "orrery scaling --hosts 1,2,4" in complaint
    status, _, complaint = run("show", "--json", "--hosts", "1,2", str(HEALTHY))
    assert status == 2 and "orrery scaling --json --hosts 1,2,4" in complaint


def test_a_long_report_tries_settings():
    told = run("settings", "--for", str(HEALTHY), "--hosts", "2")[1].decode()
    text = " ".join(run("show", "--verbose", "--hosts", "2", str(HEALTHY))[1].decode().split())
    assert "Settings that help here, as predicted" in text
    assert " ".join(told.split("\n")[1].split()) in text
    assert "Settings that help here" not in run("show", "--hosts", "2", str(HEALTHY))[1].decode()


def test_the_command_says_the_same(server, machines, tmp_path):
    document = {"hosts": [{"topology": str(HEALTHY), "count": 2}, {"topology": str(FAULTY)}]}
    (tmp_path / "c.json").write_text(json.dumps(document))
    ident = create(server, {"topology": machines[0], "count": 2}, {"topology": machines[1]})["id"]
    answer = scaled(server, ident, "?against=2.21.5", "before")[0]
    asked = ("scaling", "--cluster", str(tmp_path / "c.json"), "--against", "2.21.5")
    said = json.loads(run(*asked, "--json")[1])
    assert {**said, "topology": ""} == {**answer, "topology": ""}
    text = run(*asked)[1].decode()
    assert text.startswith(answer["sentence"]) and text.count("AllReduce      1 GiB") == 3
    status, _, complaint = run("scaling", "--rank-order", "name", str(HEALTHY))
    assert status == 2 and "--rank-order needs --cluster" in complaint


def test_a_machine_is_predicted_as_it_would_be_repaired(server, machines):
    path, repair = f"/v1/topologies/{machines[1]}", "repair=slow-link&repair=gdr-off"
    status, answer = server.json("GET", f"{path}/scaling?hosts=2&{repair}")
    assert status == 200, answer
    for row in answer["outcomes"]:
        if (row["collective"], row["size"]) == ("all_reduce", BYTES["1G"]):
            asked = f"hosts={row['hosts']}&collective=all_reduce&sizes=1G&{repair}"
            wanted = server.json("GET", f"{path}/predict?{asked}")[1]["rows"][0]["busbw"]
            assert row["busbw"] == pytest.approx(wanted, rel=ROUNDED)
    now = server.json("GET", f"{path}/scaling?hosts=2")[1]["outcomes"]
    assert any(a["busbw"] > 1.2 * b["busbw"] for a, b in zip(answer["outcomes"], now))
