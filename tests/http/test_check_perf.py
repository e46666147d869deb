# SPDX-License-Identifier: Apache-2.0
"""Results of nccl-tests over HTTP and on the command line: verdicts, documents, exit statuses, and refusals."""
import json
import os
import re
import subprocess

import pytest

from conftest import ROOT, SANITIZERS

PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))


def rows(bandwidths, ranks=8, first=30):
    """Rows of all_reduce of doubling sizes."""
    out = [
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
        "busbw #wrong",
    ]
    for i, bus in enumerate(bandwidths):
        size, alg = 1 << (first + i), bus / (2 * (ranks - 1) / ranks)
        one = f"{size / alg / 1000:9.1f} {alg:7.2f} {bus:7.2f} 0"
        out.append(f"{size:12} {size // 4:12} float sum -1 {one} {one}")
    return "\n".join(out + ["# Out of bounds values : 0 OK", ""]).encode()


GOOD, LOW = rows([463.6, 469.2, 473.1]), rows([80.1, 80.3, 80.4])


def run(*arguments, stdin=b""):
    done = subprocess.run(
        [PROGRAM, "check-perf", *arguments], input=stdin, capture_output=True, env={**os.environ, **SANITIZERS}
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_document_of_good_results(server):
    status, answer = server.json("POST", "/v1/check-perf?machine=hgx-h200&release=2.27.7", GOOD)
    assert status == 200 and answer["verdict"] == "as expected" and answer["collective"] == "all_reduce"
    assert answer["sentence"].startswith("473 GB/s at 4 GiB is what this machine should give (predicted 466, normal ")
    assert [row["size"] for row in answer["rows"]] == [1 << 30, 1 << 31, 1 << 32]
    assert all(row["low"] < row["busbw"] < row["high"] and row["algorithm"] == "NVLS" for row in answer["rows"])
    assert answer["machine"]["name"] == "hgx-h200" and answer["machine"]["source"] == "machine type"
    assert answer["tables"][answer["table"]]["rows"] == answer["rows"] and not answer["explanations"]


def test_the_document_of_low_results(server):
    status, answer = server.json("POST", "/v1/check-perf?machine=hgx-h200&release=2.27.7", LOW)
    assert status == 200 and answer["verdict"] == "low" and " % of what this machine should give" in answer["sentence"]
    for one in answer["explanations"]:
        assert one["ids"] and one["confirm"] and 0.7 <= one["fit"] <= 1 and len(one["curve"]) == len(answer["rows"])
    fits = [one["fit"] for one in answer["explanations"]]
    assert fits == sorted(fits, reverse=True) and len(fits) <= 3


def test_a_cause_that_is_tried_several_times_is_named_once(tmp_path):
    """NICs of 10 Gb/s are slower than every speed that is tried for TCP, so the trials predict the same."""
    slow = tmp_path / "slow.xml"
    slow.write_text(re.sub(r'speed="\d+"', 'speed="10000"', (ROOT / "static/examples/h100-nvswitch.xml").read_text()))
    status, out, err = run(
        "--json", "--topology", str(slow), "--hosts", "2", stdin=rows([9.7, 9.7, 9.7, 9.71], ranks=16)
    )
    assert status == 3, err
    ids = [id for one in json.loads(out)["explanations"] for id in one["ids"]]
    assert "tcp" in ids and len(set(ids)) == len(ids), ids


def test_chosen_gpus_that_do_not_give_the_ranks_are_not_judged():
    eight = "# Using devices\n" + "".join(
        f"#  Rank  {i} Group  0 Pid 1 on a device  {i} [0x1b] NVIDIA H100\n" for i in range(8)
    )
    text = GOOD.decode().replace("#       size", eight + "#       size", 1).encode()
    status, out, err = run("--json", "--machine", "hgx-h100", "--gpus", "0,1", stdin=text)
    assert status == 4 and "8 ranks, but the chosen GPUs and hosts give 2" in json.loads(out)["sentence"], (out, err)
    assert run("--json", "--machine", "hgx-h100", "--gpus", "0,1,2,3,4,5,6,7", stdin=text)[0] == 0


def test_a_kept_topology(server):
    status, kept = server.json("POST", "/v1/topologies?machine=hgx-h200&name=perf", b"")
    assert status in (200, 201), kept
    status, answer = server.json("POST", f"/v1/topologies/{kept['id']}/perf?release=2.27.7", GOOD)
    assert status == 200 and answer["verdict"] == "as expected"
    status, problem = server.json("POST", "/v1/topologies/ffffffffffff/perf", GOOD)
    assert status == 404


def test_without_a_machine_nothing_is_judged(server):
    status, answer = server.json("POST", "/v1/check-perf", GOOD)
    assert (
        status == 200
        and answer["verdict"] == "cannot judge"
        and answer["machine"] is None
        and "--machine TYPE" in answer["sentence"]
    )


@pytest.mark.parametrize("body", [b"hello\n", b"# OSU MPI Allreduce Latency Test\n# Size Avg Latency(us)\n8 1.2\n"])
def test_other_texts_are_refused(server, body):
    status, problem = server.json("POST", "/v1/check-perf?machine=hgx-h200", body)
    assert (
        status == 415 and problem["type"].endswith("/unrecognised-input") and problem["detail"] and problem["advice"]
    ), problem


def test_an_empty_body_and_wrong_values(server):
    status, problem = server.json("POST", "/v1/check-perf", b"")
    assert status in (400, 422) and problem["type"].endswith("empty-body")
    status, problem = server.json("POST", "/v1/check-perf?collective=allsum", GOOD)
    assert status == 400 and "allsum" in problem["detail"]


def test_exit_statuses(tmp_path):
    file = tmp_path / "results.txt"
    file.write_bytes(GOOD)
    arguments = ("--machine", "hgx-h200", "--release", "2.27.7")
    status, text, _ = run("--text", *arguments, str(file))
    assert status == 0 and text.startswith("473 GB/s at 4 GiB is what this machine should give")
    status, text, _ = run(*arguments, stdin=LOW)
    assert status == 3 and json.loads(text)["verdict"] == "low"
    assert run(str(file))[0] == 4
    status, _, error = run(*arguments, stdin=b"nothing\n")
    assert status == 1 and "nccl-tests" in error
    assert run("--collective", "allsum", str(file))[0] in (1, 2)
    assert run("--machine", "hgx-h20x", str(file))[0] in (1, 2)


def test_a_file_of_many_tables(tmp_path):
    file = tmp_path / "results.txt"
    file.write_bytes(GOOD + LOW)
    status, text, _ = run("--json", "--machine", "hgx-h200", "--release", "2.27.7", str(file))
    answer = json.loads(text)
    assert (
        status == 3 and [one["verdict"] for one in answer["tables"]] == ["as expected", "low"] and answer["table"] == 1
    )


def test_trays_of_a_rack_are_joined_by_nvlink():
    text = rows([905.0, 915.0], ranks=64, first=33)
    arguments = ("--json", "--machine", "BM.GPU.GB300.4", "--hosts", "16", "--release", "2.28.7")
    answer = json.loads(run(*arguments, stdin=text)[1])
    assert answer["machine"]["sentence"] == "BM.GPU.GB300.4, 16 hosts of 4 GPUs joined by NVLink, NCCL 2.28.7"
    assert answer["verdict"] == "as expected" and any("joined by NVLink" in one for one in answer["assumed"])
    apart = json.loads(run(*arguments, "--set", "NCCL_MNNVL_ENABLE=0", stdin=text)[1])
    assert (
        apart["machine"]["sentence"].startswith("BM.GPU.GB300.4, 16 hosts of 4 GPUs, NCCL")
        and apart["verdict"] == "high"
    )


def test_the_release_is_that_of_the_results():
    named = b"# nccl-tests version 2.17.1 nccl-headers=22707 nccl-library=22707\n" + GOOD
    assert json.loads(run("--json", "--machine", "hgx-h200", stdin=named)[1])["release"] == "2.27.7"
    unnamed = json.loads(run("--json", "--machine", "hgx-h200", stdin=GOOD)[1])
    assert any("do not name their release" in one for one in unnamed["assumed"])
