# SPDX-License-Identifier: Apache-2.0
"""Triage: whether the job worked, what went wrong, what ran, and which algorithms NCCL chose. The logs are made up,
each with one fault."""
import json
import os
import pty
import random
import re
import select
import subprocess
import sys

import pytest

from conftest import ROOT
from test_check_log import EXAMPLES, check, lines_of
from test_command_line import PROGRAM, run

sys.path.insert(0, str(ROOT / "tests" / "tools"))
import make_log  # noqa: E402


@pytest.fixture(scope="module")
def job():
    """Two hosts of eight ranks each, as NCCL 2.27.7 prints them, without the tree of the machine: nothing is
    predicted."""
    return [line for line in lines_of("h100-with-faults.xml", hosts=2) if "=== System" not in line]


def triage(tmp_path, lines, *arguments):
    return check(tmp_path, lines, *arguments)["triage"]


def ended(lines):
    """The same log of a job that destroyed its communicators."""
    done = []
    for line in lines:
        found = re.match(
            r"(\S+ \[\d+\]) NCCL INFO .*?comm (0x\w+) rank (\d+) nranks (\d+) cudaDev (\d+).* busId (\w+).*Init "
            r"COMPLETE",
            line,
        )
        if found:
            head, comm, rank, ranks, dev, bus = found.groups()
            done.append(
                f"{head} NCCL INFO comm {comm} rank {rank} nranks {ranks} cudaDev {dev} busId {bus} - Destroy COMPLETE"
            )
    assert done
    return lines + done


def header_of(lines, rank):
    return next(
        re.match(r"\S+ \[\d+\]", line).group()
        for line in lines
        if re.search(rf" rank {rank} nranks .*Init COMPLETE", line)
    )


def test_a_job_that_came_to_its_end(tmp_path, job):
    found = triage(tmp_path, ended(job))
    assert (found["verdict"], found["errors"], found["warnings"], found["cause"], found["missing_ranks"]) == (
        "worked",
        0,
        0,
        None,
        [],
    )
    assert 3 <= len(found["sentences"]) <= 7 and "no errors or warnings" in found["sentences"][0]
    assert triage(tmp_path, job)["verdict"] == "cannot tell"  # the log ends after the initialisation


def test_a_crash_is_never_called_fine(tmp_path, job):
    heads = [header_of(job, rank) for rank in (1, 2)]
    crash = [
        f"{head} transport.cc:183 NCCL WARN No transport found for rank 2[1b000] -> rank 1[3b000]" for head in heads
    ] * 2
    crash += ["RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1333, unhandled system error, NCCL version 2.27.7"]
    found = triage(tmp_path, job + crash)
    assert found["verdict"] == "failed"
    cause = found["events"][found["cause"]]
    assert (cause["id"], cause["count"], cause["ranks"], len(cause["hosts"])) == ("no-transport", 4, [1, 2], 1)
    assert [event["id"] for event in found["events"]] == ["no-transport", "unhandled-system"]
    assert [event["consequence"] for event in found["events"]] == [False, True]
    path = tmp_path / "job.log"
    text = run("check-log", "--topology", str(EXAMPLES / "h100-with-faults.xml"), str(path))[1].decode()
    assert re.search(r"facts of the log about (it|the machine)", " ".join(text.split()))
    assert text.startswith("Verdict: failed\n\nThe job failed.\n")


def test_what_follows_from_an_error_elsewhere_is_no_cause(tmp_path, job):
    late = [f"{header_of(job, 0)} NCCL WARN Cuda failure 700 'an illegal memory access was encountered'"]
    early = [f"{header_of(job, 5)} NCCL WARN socketProgress: Connection closed by remote peer node1<42918>"]
    found = triage(tmp_path, job + early + late)
    assert found["events"][found["cause"]]["id"] == "cuda-illegal-access"
    found = triage(tmp_path, job + early)
    assert found["verdict"] == "failed" and found["events"][found["cause"]]["id"] == "socket-closed"
    assert any("another error that the log does not show" in sentence for sentence in found["sentences"])


def test_many_things_to_say_are_few_sentences_and_the_machine_is_one_of_them(tmp_path, job):
    versions = [
        f"{host}:{1000 + i}:{1000 + i} [0] NCCL INFO {text}"
        for i, host in enumerate(("node1", "node2"))
        for text in (
            f"NET/OFI Initializing aws-ofi-nccl 1.{i}",
            f"cudaDriverVersion 120{i}0",
            *(f"NCCL_{name} set by environment to {i}." for name in ("CROSS_NIC", "IB_TIMEOUT", "IB_TC", "BUFFSIZE")),
        )
    ]
    error = f"{header_of(job, 0)} NCCL WARN Cuda failure 700 'an illegal memory access was encountered'"
    found = triage(tmp_path, versions + job + [error])
    assert (
        len(found["sentences"]) <= 14
        and found["sentences"][-1] == "The machine is not known, so nothing was compared with a prediction."
    )
    assert sum(sentence.startswith("Hosts differ in") for sentence in found["sentences"]) >= 1


def test_an_unknown_warning_is_shown_as_it_stands(tmp_path, job):
    warning = f"{header_of(job, 3)} NCCL WARN the flux capacitor of rank 3 is empty"
    found = triage(tmp_path, ended(job) + [warning])
    assert (found["verdict"], found["events"][0]["id"], found["events"][0]["ranks"]) == (
        "worked with warnings",
        "unknown",
        [3],
    )
    assert found["events"][0]["text"] == "the flux capacitor of rank 3 is empty"


@pytest.mark.parametrize("silent", [[5], [0, 7]])
def test_ranks_that_never_finished_initialisation(tmp_path, job, silent):
    lines = [
        line for line in job if not any(re.search(rf" rank {rank} nranks .*Init COMPLETE", line) for rank in silent)
    ]
    found = triage(tmp_path, lines)
    assert (found["verdict"], found["missing_ranks"]) == ("incomplete", silent)
    assert "did not end on rank" in found["sentences"][0]


def watchdog(rank, last):
    head = f"[rank{rank}]:[E ProcessGroupNCCL.cpp:563] [Rank {rank}]"
    return [
        f"{head} Watchdog caught collective operation timeout: WorkNCCL(SeqNum=30, OpType=ALLREDUCE) ran for 600029 "
        "milliseconds before timing out.",
        f"[rank{rank}]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank {rank}] Timeout at NCCL work: {last}, last enqueued "
        f"NCCL work: {last}, last completed NCCL work: 29.",
    ]


def test_the_rank_that_is_behind_in_a_hang(tmp_path, job):
    found = triage(tmp_path, job + [line for rank in range(16) for line in watchdog(rank, 29 if rank == 6 else 30)])
    assert (found["verdict"], found["missing_ranks"]) == ("hung", [6]) and "up to work 29" in found["missing_why"]
    found = triage(tmp_path, job + [line for rank in range(16) if rank != 3 for line in watchdog(rank, 30)])
    assert (found["verdict"], found["missing_ranks"]) == ("hung", [3]) and "no timeout" in found["missing_why"]
    found = triage(tmp_path, job + [line for rank in range(16) for line in watchdog(rank, 30)])
    assert (found["verdict"], found["missing_ranks"]) == ("hung", []) and any(
        "every rank took part" in s for s in found["sentences"]
    )


def test_groups_that_only_some_lines_name(tmp_path, job):
    """PyTorch of two releases in one log: the first line names no group, so no rank is said to be late."""
    plain = [line.replace("[PG 0 Rank", "[Rank") for rank in range(16) for line in watchdog(rank, 30)]
    named = [line.replace("[Rank", "[PG 0 (default_pg) Rank") for line in plain]
    for lines in (plain[:2] + named[2:], named[:2] + plain[2:], plain + named, plain, named):
        assert triage(tmp_path, job + lines)["verdict"] == "hung"


def calls(job, rank, last, function="AllReduce", first=1):
    """NCCL_DEBUG_SUBSYS=COLL: a line for each collective of a rank."""
    found = next(
        m
        for line in job
        if (m := re.search(rf"^(\S+ \[\d+\]) .*comm (0x\w+) rank {rank} nranks (\d+) .*Init COMPLETE", line))
    )
    head, comm, ranks = found.groups()
    return [
        f"{head} NCCL INFO {function if number == last else 'AllReduce'}: opCount {number:x} sendbuff 0x7f00 "
        "recvbuff (nil) count 4096 datatype 7 op 0 root 0 "
        f"comm {comm} [nranks={ranks}] stream 0x55d5"
        for number in range(first, last + 1)
    ]


def test_the_rank_whose_last_collective_is_behind_the_others(tmp_path, job):
    lines = job + make_log.interleave(
        [line for rank in range(16) for line in calls(job, rank, 0x2A if rank == 6 else 0x2C)]
    )
    found = triage(tmp_path, lines)
    assert (found["verdict"], found["missing_ranks"]) == ("incomplete", [6])
    said = re.search(
        r"no collective after AllReduce, opCount 2a \(line (\d+)\); other ranks went on to AllReduce, opCount 2c "
        r"\(line (\d+)\)",
        found["missing_why"],
    )
    assert "opCount 2a" in lines[int(said[1]) - 1] and lines[int(said[1]) - 1].startswith(header_of(job, 6))
    assert "opCount 2c" in lines[int(said[2]) - 1]
    assert [(row["collective"], row["op_count"], row["ranks"]) for row in found["last_collectives"]] == [
        ("AllReduce", "2a", [6]),
        ("AllReduce", "2c", [r for r in range(16) if r != 6]),
    ]
    assert "different collectives" in found["sentences"][0] and f"Rank 6 {found['missing_why']}." in found["sentences"]
    text = run("check-log", str(tmp_path / "job.log"))[1].decode()
    assert "opCount 2a, rank 6\n" in text and "opCount 2c, ranks 0-5,7-15\n" in text
    # A time limit ended the job, and PyTorch does not say which rank is behind.
    found = triage(tmp_path, lines + [line for rank in range(16) for line in watchdog(rank, 30)])
    assert (found["verdict"], found["missing_ranks"]) == ("hung", [6]) and "opCount 2a" in found["missing_why"]


def test_ranks_that_call_another_collective_or_none(tmp_path, job):
    found = triage(
        tmp_path,
        job
        + [line for rank in range(16) for line in calls(job, rank, 9, "Broadcast" if rank in (2, 3) else "AllGather")],
    )
    assert (found["verdict"], found["missing_ranks"]) == ("incomplete", [2, 3])
    assert re.search(
        r"called Broadcast \(line \d+\) as operation 9, and other ranks called AllGather", found["missing_why"]
    )
    found = triage(tmp_path, job + [line for rank in range(16) if rank != 11 for line in calls(job, rank, 9)])
    assert (found["verdict"], found["missing_ranks"]) == (
        "incomplete",
        [11],
    ) and "called no collective; other ranks came to AllReduce, opCount 9" in found["missing_why"]


def test_collectives_prove_nothing_where_the_job_ended_or_ranks_count_differently(tmp_path, job):
    behind = [line for rank in range(16) for line in calls(job, rank, 8 if rank == 6 else 9)]
    assert (
        triage(tmp_path, ended(job + behind))["verdict"],
        triage(tmp_path, ended(job + behind))["missing_ranks"],
    ) == ("worked", [])
    same = [line for rank in range(16) for line in calls(job, rank, 9)]
    assert (
        triage(tmp_path, job + same)["verdict"] == "cannot tell"
        and triage(tmp_path, job + same)["last_collectives"] == []
    )
    sends = [line.replace("AllReduce", "Send") for line in calls(job, 0, 3)]
    assert triage(tmp_path, job + behind + sends)["verdict"] == "cannot tell"


def test_hosts_that_differ_are_named(tmp_path, job):
    versions = {"node1": "1.5.0aws", "node2": "1.7.4-aws"}
    hosts = sorted({line.split(":")[0] for line in job if re.match(r"node\d+:", line)})
    assert len(hosts) == 2
    extra = [
        f"{host}:{1000 + i}:{1000 + i} [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl {version}"
        for i, (host, version) in enumerate(zip(hosts, versions.values()))
    ]
    extra += [
        f"{host}:{1000 + i}:{1000 + i} [0] NCCL INFO NCCL_CROSS_NIC set by environment to {i}."
        for i, host in enumerate(hosts)
    ]
    found = triage(tmp_path, extra + job)
    assert [(row["value"], row["hosts"]) for row in found["ran"]["plugin"]] == [
        (f"aws-ofi-nccl {v}", [h]) for h, v in zip(hosts, versions.values())
    ]
    said = [sentence for sentence in found["sentences"] if sentence.startswith("Hosts differ in")]
    assert len(said) == 2 and all(host in said[0] for host in hosts) and "NCCL_CROSS_NIC" in said[1]


def test_sockets_although_there_is_infiniband(tmp_path):
    head = "node1:10:11 [0]"
    lines = [
        f"{head} NCCL INFO NCCL version 2.21.5+cuda12.4",
        f"{head} NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
        f"{head} NCCL INFO Using network Socket",
        f"{head} NCCL INFO comm 0x1 rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 1b000 commId 0xa - Init COMPLETE",
    ]
    found = triage(tmp_path, lines)
    assert found["ran"]["infiniband_unused"] and any(
        "chose sockets although the hosts have InfiniBand" in s for s in found["sentences"]
    )
    lines.pop(1)
    assert not triage(tmp_path, lines)["ran"]["infiniband_unused"]


def test_sockets_although_the_topology_has_infiniband(tmp_path, job):
    machine = EXAMPLES / "h100-with-faults.xml"
    assert 'name="mlx5_' in machine.read_text()
    lines = [
        line.replace("Using network IB", "Using network Socket").replace("NET/IB", "NET/Socket")
        for line in job
        if "NET/IB :" not in line
    ]
    lines.insert(1, f"{header_of(job, 0)} NCCL INFO Using network Socket")
    assert triage(tmp_path, lines, "--topology", str(machine))["ran"]["infiniband_unused"]
    assert not triage(tmp_path, lines)["ran"]["infiniband_unused"]


def test_rccl_is_read_and_nothing_is_predicted(tmp_path, job):
    lines = [line.replace("NCCL version 2.27.7+cuda12.4", "RCCL version : 2.22.3-HEAD:7d8d67c") for line in job]
    assert lines != job
    answer = check(tmp_path, lines, "--topology", str(EXAMPLES / "h100-with-faults.xml"))
    assert answer["check"] is None and "RCCL" in answer["why_no_check"] and answer["log"]["library"] == "RCCL"
    assert any("RCCL" in sentence for sentence in answer["triage"]["sentences"])
    assert not any("NCCL's" in sentence.replace("RCCL's", "") for sentence in answer["triage"]["sentences"])


def choice_lines(release, head, rows, numbers=False):
    return [
        f"{head} NCCL INFO AllReduce: {size} Bytes -> Algo {algo} proto {proto} "
        + ("time 12.3" if numbers else "channel{Lo..Hi}={0..15}")
        for size, algo, proto in rows
        for _ in range(3)
    ]


@pytest.mark.parametrize("numbers", [False, True])
def test_choices_are_compared(tmp_path, numbers):
    machine, release = str(EXAMPLES / "h100-nvswitch.xml"), "2.27.7" if not numbers else "2.21.5"
    document = json.loads(run("analyze", "--release", release, "--section", "predictions", machine)[1])
    lines = lines_of("h100-nvswitch.xml", release)
    head = header_of(lines, 0)
    names = ["Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"]
    protocols = ["LL", "LL128", "Simple"]

    def rows(algorithm=None):
        for entry in document["functions"]["AllReduce"]["ranges"]:
            algo = algorithm or entry["algorithm"]
            yield (entry["from"], names.index(algo), protocols.index(entry["protocol"])) if numbers else (
                entry["from"],
                {"NVLSTree": "NVLS_TREE"}.get(algo, algo.upper()),
                entry["protocol"].upper(),
            )

    logged = choice_lines(release, head, list(rows()), numbers)
    found = triage(tmp_path, lines + logged, "--topology", machine)["choices"]
    assert (found["agree"], found["differ"], found["not_compared"]) == (len(logged) // 3, 0, 0) and found["why"] is None
    assert all(row["agrees"] and row["lines"] >= 3 for row in found["rows"])
    # Another algorithm than predicted, in all sizes: the setting that makes it so is found by computing.
    only_ring = json.loads(
        run("analyze", "--release", release, "--section", "predictions", "--set", "NCCL_ALGO=Ring", machine)[1]
    )
    document["functions"]["AllReduce"]["ranges"] = only_ring["functions"]["AllReduce"]["ranges"]
    found = triage(tmp_path, lines + choice_lines(release, head, list(rows()), numbers), "--topology", machine)[
        "choices"
    ]
    assert found["differ"] > 0 and "NCCL_ALGO=Ring" in found["why"]
    found = triage(
        tmp_path,
        lines
        + [f"{head} NCCL INFO TUNER/Plugin: Using tuner plugin Example"]
        + choice_lines(release, head, list(rows()), numbers),
        "--topology",
        machine,
    )["choices"]
    assert found["differ"] > 0 and "tuner plugin" in found["why"] and "NCCL_ALGO" not in found["why"]
    assert (
        triage(tmp_path, lines[:1] + logged)["choices"]["not_compared"] == len(logged) // 3
    )  # no communicator, no machine


PREFIXES = {
    "torchrun": lambda line: f"[default{len(line) % 8}]:{line}",
    "mpirun --tag-output": lambda line: f"[1,{len(line) % 8}]<stdout>:{line}",
    "srun -l": lambda line: f" {len(line) % 8}: {line}",
    "kubectl": lambda line: f"[pod/job-worker-{len(line) % 2}/main] {line}",
    "time": lambda line: f"2026-01-01T10:00:00.123456Z {line}",
}


@pytest.mark.parametrize("launcher", PREFIXES)
def test_launchers_prefixes_change_nothing(tmp_path, job, launcher):
    crash = job + [f"{header_of(job, 4)} NCCL WARN Call to ibv_modify_qp failed with error Invalid argument"]
    plain = check(tmp_path, crash)
    found = check(tmp_path, [PREFIXES[launcher](line) for line in crash])
    assert found["log"]["hosts"] == plain["log"]["hosts"] and len(found["log"]["communicators"]) == 1
    for key in ("verdict", "missing_ranks", "ran"):
        assert found["triage"][key] == plain["triage"][key]
    event = found["triage"]["events"][found["triage"]["cause"]]
    assert (event["id"], event["ranks"], event["text"]) == (
        "ib-modify-qp",
        [4],
        "Call to ibv_modify_qp failed with error Invalid argument",
    )


@pytest.mark.parametrize("seed", range(20))
def test_torn_lines_make_no_hosts_or_communicators(tmp_path, job, seed):
    """Two ranks' lines in one another: the first is cut anywhere, and its rest comes after the second."""
    chance, lines, torn = random.Random(seed), list(ended(job)), 0
    while torn < 30:
        at = chance.randrange(20, len(lines) - 1)
        first, second = lines[at], lines[at + 1]
        if first.count("NCCL INFO") != 1 or second.count("NCCL INFO") != 1:
            continue
        cut = chance.randrange(1, len(first))
        lines[at : at + 2] = [first[:cut] + second, first[cut:]]
        torn += 1
    plain, found = check(tmp_path, job), check(tmp_path, lines)
    assert found["log"]["hosts"] == plain["log"]["hosts"]
    assert [(c["ranks"], c["ranks_seen"]) for c in found["log"]["communicators"]] == [(16, 16)]
    assert found["triage"]["verdict"] == "worked"


def test_every_communicator_is_counted(tmp_path):
    lines = []
    for number in range(21):
        for rank in range(2):
            lines.append(
                f"node1:{10 + rank}:{20 + rank} [{rank}] NCCL INFO ncclCommInitRank comm 0x{number}{rank} rank "
                f"{rank} nranks 2 cudaDev {rank} nvmlDev {rank} busId {rank}1000 commId 0x{number + 10} - Init COMPLETE"
            )
    assert len(check(tmp_path, lines)["log"]["communicators"]) == 21
    text = run("check-log", "--verbose", str(tmp_path / "job.log"))[1].decode()
    assert text.count("  communicator ") == 8 and "and 13 more communicators" in text


def test_a_log_of_pieces_from_standard_input(tmp_path, job):
    lines = ended(job)
    text = ("\n".join(lines) + "\n").encode()
    status, out, err = run("check-log", "--json", "-", stdin=text)
    assert status == 0, err
    assert json.loads(out)["triage"]["verdict"] == "worked" and json.loads(out)["log"]["lines"] == len(lines)


def fed(text, times, terminal=None):
    """(answer, MiB that `check-log` held at most): the text is written to its standard input this many times."""
    child = subprocess.Popen(
        [PROGRAM, "check-log", "--json", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=terminal or subprocess.DEVNULL,
    )
    for _ in range(times):
        child.stdin.write(text)
    child.stdin.close()
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    assert status == 0
    return json.loads(out), used.ru_maxrss / 1024


def test_memory_does_not_grow_with_lines_that_are_only_counted(job):
    """Four times as much text takes no more memory: chosen algorithms, calls of collectives and the job's own
    output."""
    text = ("\n".join(job) + "\n").encode()
    some = (
        "\n".join(
            [
                f"node1:1000:1100 [0] NCCL INFO AllReduce: {1 << size} Bytes -> Algo RING proto SIMPLE "
                f"channel{{Lo..Hi}}={{0..23}}"
                for size in range(10, 30)
            ]
            + calls(job, 0, 40)
            + [f"step {i} loss 2.{i:04d}" for i in range(40)]
        )
        + "\n"
    )
    more = some.encode() * 200
    few, small = fed(text + more, 1)
    many, large = fed(more, 40)
    assert many["log"]["bytes"] > 30 * few["log"]["bytes"] and many["log"]["lines"] > 700000
    assert large < small + 48, (small, large)


def test_progress_is_shown_on_a_terminal():
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [PROGRAM, "check-log", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=follower
    )
    os.close(follower)
    shown, line = b"", b"node1:1:2 [0] NCCL INFO NCCL version 2.27.7+cuda12.4\n" + b"step 1 loss 2.0\n" * 4096
    for _ in range(600):  # it is shown once a second, whenever text comes
        child.stdin.write(line * 16)
        child.stdin.flush()
        if select.select([leader], [], [], 0.1)[0]:
            shown += os.read(leader, 4096)
        if b"reading the log" in shown:
            break
    child.stdin.close()
    assert re.search(rb"reading the log: \d+ MB", shown) and child.wait(60) == 0
    os.close(leader)


CLOSED = "socketProgress: Connection closed by remote peer node2<4242>"


def warned(lines, text, rank=1):
    return f"{header_of(lines, rank)} misc/socket.cc:49 NCCL WARN {text}"


def test_errors_after_the_end_are_noise_of_the_shutdown(tmp_path, job):
    crash = ["srun: error: node1: task 3: Exited with exit code 1", warned(job, CLOSED)]
    found = triage(tmp_path, ended(job) + crash)
    assert found["verdict"] == "worked with warnings" and found["noise"] == 2 and found["finished"]
    assert found["sentences"][0].startswith(
        "The job finished; noisy shutdown: 2 kinds of errors and warnings come after"
    )
    assert "communicators were being destroyed" in found["sentences"][0] and found["cause"] is None
    between = ended(job)[: len(job) + 3] + crash + ended(job)[len(job) + 3 :]
    assert triage(tmp_path, between)["verdict"] == "worked with warnings", "ranks do not end at the same time"


def test_an_error_before_the_end_is_not_noise(tmp_path, job):
    crash = [warned(job, CLOSED), "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1333, unhandled system error"]
    found = triage(tmp_path, job + crash + ended(job)[len(job) :])
    assert found["verdict"] == "failed" and found["noise"] == 0
    some = ended(job)[: len(job) + 3]  # the communicators of three ranks only
    assert triage(tmp_path, some + crash)["verdict"] == "failed"
    again = ended(job) + [line.replace("0x", "0x9") if "comm 0x" in line else line for line in job] + crash
    assert triage(tmp_path, again)["verdict"] == "failed", "it failed with the communicators that it made next"


@pytest.mark.parametrize(
    "line, ends",
    [
        ("RUNANDTIME_STOP 1698870000", True),
        ("RESULT,LARGE_LANGUAGE_MODEL,,2870,nvidia,2023-10-01 10:00:00 AM", True),
        (
            ':::MLLOG {"key": "run_stop", "value": null, "metadata": {"status": "success"}}',
            True,
        ),
        (
            ':::MLLOG {"key": "run_stop", "value": null, "metadata": {"status": "aborted"}}',
            False,
        ),
        (
            "INFO:torch.distributed.elastic:[default] worker group successfully finished. Waiting 300 s",
            True,
        ),
        ("`Trainer.fit` stopped: `max_steps=100` reached.", True),
        ("{'train_runtime': 85.2, 'train_samples_per_second': 12.1, 'epoch': 3.0}", True),
        ("srun: Received task exit notification for 8 tasks of StepId=12.0 (status=0x0000).", True),
        ("srun: Received task exit notification for 8 tasks of StepId=12.0 (status=0x0100).", False),
        ("# Out of bounds values : 0 OK", True),
        ("# Out of bounds values : 3 FAILED", False),
    ],
)
def test_end_marks_of_programs_and_launchers(tmp_path, job, line, ends):
    crash = [warned(job, CLOSED), "srun: error: node1: task 3: Exited with exit code 1"]
    after, before = triage(tmp_path, job + [line] + crash), triage(tmp_path, job + crash + [line])
    assert (after["verdict"] == "worked with warnings" and "noisy shutdown" in after["sentences"][0]) == ends
    assert before["noise"] == 0
    if not line.startswith("#"):
        assert before["verdict"] == "failed"
    assert (triage(tmp_path, job + [line])["verdict"] == "worked") == ends
