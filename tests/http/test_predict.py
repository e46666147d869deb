# SPDX-License-Identifier: Apache-2.0
"""The expected output of nccl-tests: the command's table in nccl-tests' layout, JSON, and the same from the service."""
import json
import re

import pytest

from conftest import DUMP, ROOT
from test_command_line import run

MACHINE = ("--machine", "hgx-h100", "--release", "2.27.7")
SUMS = ("all_reduce", "reduce_scatter", "reduce", "sendrecv")  # sendrecv_perf prints it too, though it adds nothing
PROGRAMS = [
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "broadcast",
    "reduce",
    "alltoall",
    "alltoallv",
    "sendrecv",
    "gather",
    "scatter",
    "hypercube",
]


def predict(*arguments, stdin=b""):
    status, out, err = run("predict", *arguments, stdin=stdin)
    return status, out.decode(), err


def rows_of(text):
    """Rows as scripts around nccl-tests read them: thirteen words that begin with a size."""
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert all(len(row) == 13 for row in rows), text
    return rows


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_table_is_that_of_nccl_tests_and_equals_the_json(program):
    asked = (*MACHINE, "--hosts", "2", "--collective", program, "--sizes", "1k:8G:8")
    status, text, err = predict(*asked)
    assert (status, err) == (0, "")
    rows, lines = rows_of(text), text.splitlines()
    body = json.loads(predict(*asked, "--json")[1])
    assert (body["collective"], body["hosts"], body["ranks"], body["release"]) == (program, 2, 16, "2.27.7")
    assert (
        f"# Collective test starting: {program}_perf" in lines
        and len([line for line in lines if line.startswith("#  Rank")]) == 16
    )
    assert len(rows) == len(body["rows"]) >= 7
    share = {"all_reduce": 15 / 8, "broadcast": 1, "reduce": 1, "sendrecv": 1, "hypercube": 1}.get(program, 15 / 16)
    for row, told in zip(rows, body["rows"]):
        assert (
            int(row[0]) == told["size"]
            and told["size"] % 4 == 0
            and int(row[1]) in (told["size"] // 4, told["size"] // 64)
        )
        assert row[2] == "float" and row[3] == ("sum" if program in SUMS else "none")
        assert row[4] == ("0" if program in ("broadcast", "reduce", "gather", "scatter") else "-1")
        assert row[5:9] == row[9:13] and row[8] == "N/A"
        assert float(row[5]) == pytest.approx(told["time"], rel=1e-3, abs=0.51)
        assert float(row[7]) == pytest.approx(told["busbw"], abs=0.006)
        assert told["busbw"] == pytest.approx(told["algbw"] * share, rel=1e-6)
    average = float(re.search(r"^# Avg bus bandwidth    : ([\d.e+-]+)$", text, re.M)[1])
    assert average == pytest.approx(sum(row["busbw"] for row in body["rows"]) / len(rows), rel=1e-4)
    assert f"limited by {body['limit']}" in lines[0] and body["limited_by"] in (
        "nics",
        "nvlink",
        "nvls",
        "pcie",
        "cpu",
        "channels",
    )


def test_crossovers_are_where_the_choice_changes():
    body = json.loads(predict(*MACHINE, "--json")[1])
    ways = [f"{row['algorithm']}/{row['protocol']}" for row in body["rows"]]
    changes = [(body["rows"][i]["size"], ways[i - 1], ways[i]) for i in range(1, len(ways)) if ways[i] != ways[i - 1]]
    assert changes == [(row["size"], row["from"], row["to"]) for row in body["crossovers"]] and changes
    text = predict(*MACHINE)[1]
    comments = [line for line in text.splitlines() if re.match(r"# \w+, \w+, \d+ channels?:$", line)]
    assert [re.sub(r"# (\w+), (\w+),.*", r"\1/\2", line) for line in comments][0] == ways[0] and len(comments) > len(
        changes
    )


def test_the_choice_is_that_of_explain():
    body = json.loads(predict(*MACHINE, "--hosts", "2", "--sizes", "64k:1G:16", "--json")[1])
    for row in body["rows"]:
        status, out, err = run(
            "explain", *MACHINE, "--hosts", "2", "--why", "algorithm", "--bytes", str(row["size"]), "--json"
        )
        assert (status, err) == (0, "")
        verdict = json.loads(out)["verdict"]
        assert (
            verdict.startswith(f"{row['algorithm']}")
            and row["protocol"] in verdict
            and f"{row['channels']} channel" in verdict
        ), (verdict, row)


@pytest.mark.parametrize("machine, first", [("hgx-h200", 5), ("p6-b200.48xlarge", 6)])
def test_nvls_replaces_the_ring_from_so_many_gpus_on(machine, first):
    for count in range(4, 9):
        gpus = ",".join(map(str, range(count)))
        body = json.loads(
            predict("--machine", machine, "--release", "2.27.7", "--gpus", gpus, "--sizes", "16G", "--json")[1]
        )
        assert body["rows"][0]["algorithm"] == ("Ring" if count < first else "NVLS"), count
        assert body["limited_by"] == ("nvlink" if count < first else "nvls")


def test_a_release_that_is_not_known_is_named():
    asked = ("--machine", "hgx-h100", "--release", "2.99.1", "--nearest", "--sizes", "1G")
    body = json.loads(predict(*asked, "--json")[1])
    assert (
        any(row.startswith("NCCL 2.99.1 is assumed to behave like ") for row in body["assumed"])
        and body["release"] != "2.99.1"
    )
    assert "# NCCL 2.99.1 is assumed to behave like " in predict(*asked)[1]
    assert "2.99" not in predict(*MACHINE, "--sizes", "1G")[1]


def test_names_of_nccl_and_of_nccl_tests_mean_the_same():
    for one, other in (("AllGather", "all_gather"), ("REDUCESCATTER", "reduce_scatter"), ("alltoall_perf", "alltoall")):
        assert predict(*MACHINE, "--collective", one, "--sizes", "1M") == predict(
            *MACHINE, "--collective", other, "--sizes", "1M"
        )


def test_sixteen_thousand_hosts():
    status, text, err = predict(*MACHINE, "--hosts", "16384", "--collective", "alltoall", "--sizes", "64G")
    assert (status, err) == (0, "") and "# 131072 ranks on 16384 hosts" in text and len(rows_of(text)) == 1


@pytest.mark.parametrize(
    "arguments, status, says",
    [
        (("--collective", "gossip"), 2, "collective must be all_reduce"),
        (("--sizes", "8G:8"), 2, "sizes must be"),
        (("--sizes", "8:8G:1"), 2, "sizes must be"),
        (("--gpus", "0"), 1, "single rank"),
        (("--gpus", "0,1,2", "--collective", "hypercube"), 1, "power of two"),
    ],
)
def test_wrong_questions_say_what_is_wrong(arguments, status, says):
    found, out, err = predict(*MACHINE, *arguments)
    assert (found, out) == (status, "") and says in err


def test_help_teaches():
    status, text, _ = predict("--help")
    assert status == 0 and "orrery predict --machine hgx-h100 --hosts 2 --collective alltoall" in text
    assert "--sizes" in text and "8:8G:2" in run("help", "predict")[1].decode()


def test_an_assumed_release_is_named(server, tmp_path):
    words = "as the question names no release"
    assert any(words in row for row in json.loads(predict("--machine", "hgx-h100", "--json")[1])["assumed"])
    assert not any(
        words in row
        for row in json.loads(predict("--machine", "hgx-h100", "--release", "2.27.7", "--json")[1])["assumed"]
    )
    assert any(words in row for row in server.json("POST", "/v1/predict?machine=hgx-h100")[1]["assumed"])
    assert not any(
        words in row for row in server.json("POST", "/v1/predict?machine=hgx-h100&release=2.27.7")[1]["assumed"]
    )


def test_a_cluster_of_different_hosts(tmp_path):
    for name, gpus in (("a", None), ("b", [0, 1, 2, 3])):
        (tmp_path / f"{name}.xml").write_bytes((ROOT / "static" / "examples" / "h100-nvswitch.xml").read_bytes())
    (tmp_path / "cluster.json").write_text(
        json.dumps(
            {"hosts": [{"topology": "a.xml", "count": 2}, {"topology": "b.xml", "count": 1, "gpus": [0, 1, 2, 3]}]}
        )
    )
    for program in ("all_reduce", "alltoall", "sendrecv", "gather"):
        status, text, err = predict(
            "--cluster", str(tmp_path / "cluster.json"), "--collective", program, "--sizes", "1G", "--json"
        )
        assert (status, err) == (0, "")
        body = json.loads(text)
        assert body["ranks"] == 20 and body["rows"][0]["busbw"] > 1


def test_the_service_answers_as_the_command_line(server, tmp_path):
    path = tmp_path / "machine.xml"
    path.write_bytes(DUMP)
    question = "release=2.27.7&hosts=2&collective=alltoall&sizes=1M:1G:32"
    stored = server.json("POST", "/v1/topologies", DUMP)[1]["id"]
    told = json.loads(
        predict(
            "--release",
            "2.27.7",
            "--hosts",
            "2",
            "--collective",
            "alltoall",
            "--sizes",
            "1M:1G:32",
            "--json",
            str(path),
        )[1]
    )
    for method, target, body in (
        ("GET", f"/v1/topologies/{stored}/predict?{question}", None),
        ("POST", f"/v1/predict?{question}", DUMP),
    ):
        status, answer = server.json(method, target, body)
        assert status == 200 and {**answer, "topology": ""} == {**told, "topology": ""}
    for wrong, says in (
        ("collective=gossip", "collective must be"),
        ("sizes=0", "sizes must be"),
        ("hosts=16385", "hosts must be"),
    ):
        status, problem = server.json("GET", f"/v1/topologies/{stored}/predict?{wrong}")
        assert status == 400 and says in problem["detail"]


def test_a_dump_of_a_tray_has_both_figures(server):
    """A tray's dump does not show whether NVLink joins the hosts of the job: `--domain` says it."""
    tray = ROOT / "static/examples/gb300-tray.xml"
    asked = ("--hosts", "18", "--sizes", "1G:1G:2", str(tray))
    joined = predict(*asked, "--domain", "18")[1].splitlines()
    best = re.match(r"# Up to ([0-9.]+) GB/s, limited by the NVLinks", joined[0])[1]
    said = predict(*asked)[1]
    assert f"# Up to {best} GB/s if NVLink joins the hosts" in said and "limited by 4 NICs" in said.splitlines()[0]
    assert "if NVLink joins" not in predict(*asked, "--domain", "1")[1] + "\n".join(joined)
    assert "if NVLink joins" not in predict("--hosts", "1", *asked[2:])[1] + predict("--hosts", "2", str(DUMP))[1]
    status, table = server.json("POST", "/v1/predict?hosts=18&sizes=1G", tray.read_bytes())
    assert status == 200 and any(f"up to {best} GB/s" in clause for clause in table["assumed"])
