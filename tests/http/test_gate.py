# SPDX-License-Identifier: Apache-2.0
"""Whether a node is fit: exit status and reason, on the command line and from the service, within the requested
time."""
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ET

import pytest

from conftest import DOUBLES, DUMP, ROOT, SANITIZERS, Server
from test_command_line import PROGRAM, run
from test_compare import H100, narrow, put, renamed

sys.path[:0] = [str(ROOT / "tests" / "detect"), str(ROOT / "tests" / "tools")]
import fake_machine  # noqa: E402

FIT, USAGE, DEGRADED, UNJUDGED = 0, 2, 3, 4
SLOW = ("--timeout", "600")  # no test depends on how fast this machine is


def gate(*arguments, stdin=b""):
    """(status, the line)"""
    status, out, err = run("gate", *SLOW, *arguments, stdin=stdin)
    assert err == "" and out.count(b"\n") == 1, (out, err)
    return status, out.decode().strip()


def answer(*arguments, stdin=b""):
    """(status, document)"""
    status, out, err = run("gate", "--json", *SLOW, *arguments, stdin=stdin)
    assert err == "", err
    return status, json.loads(out)


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.xml"
    path.write_bytes(H100)
    return str(path)


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "node-17.xml"
    path.write_bytes(narrow(H100))
    return str(path)


def test_a_fit_node_beside_a_file_a_type_and_itself(good):
    for expect in (good, "hgx-h100"):
        status, line = gate("--expect", expect, good)
        assert status == FIT and re.fullmatch(
            r"good: fit: AllReduce gets \d+ GB/s on 2 hosts, 1\d\d % of (good.xml|hgx-h100)", line
        ), line
    status, line = gate("--expect", "dgx-1", "--machine", "dgx-1")
    assert status == FIT and line.startswith("dgx-1: fit: ")
    assert gate("--expect", good, "--node", "gpu 4\n5", "-", stdin=H100)[1].startswith("gpu 4 5: fit: ")


def test_numbering_is_no_difference(good):
    status, found = answer("--expect", good, stdin=renamed(H100), *["-"])
    assert (status, found["state"], found["differences"]) == (FIT, "fit", [])


def test_a_slow_link_is_the_reason_with_its_cost(good, bad):
    status, line = gate("--expect", good, bad)
    assert status == DEGRADED and line.startswith("node-17: AllReduce gets ")
    assert re.search(
        r"^node-17: AllReduce gets \S+ of \S+ GB/s on 2 hosts \(\d+ % less\): a NIC's PCIe link has fewer lanes",
        line,
    ), line
    status, found = answer("--expect", good, bad)
    [first, *_] = found["reasons"]
    assert (status, found["state"], found["node"], found["compared_with"]) == (
        DEGRADED,
        "degraded",
        "node-17",
        "good.xml",
    )
    assert (first["finding"], first["difference"], first["allowed"], len(first["devices"])) == (
        "slow-link",
        None,
        False,
        1,
    )
    assert first["cost"]["now"] < first["cost"]["repaired"] and first["cost"]["hosts"] == 2
    assert first["cost"]["all_repaired"] == found["expected"], "the expected node is the reference of every cost"
    assert found["sentence"] == line and any("PCIe lanes 4 instead of 16" in text for text in found["differences"])
    assert found["busbw"] < found["expected"] and found["hosts"] == 2


def test_what_is_allowed_does_not_count(good, bad):
    status, found = answer("--expect", good, "--allow", "slow-link", "--min-busbw", "0.5", bad)
    assert (status, found["state"]) == (FIT, "fit") and [row["allowed"] for row in found["reasons"]] == [True]
    assert found["sentence"].endswith("; allowed: slow-link")
    status, found = answer("--expect", good, "--allow", "slow-link", "--min-busbw", "1", bad)
    assert status == DEGRADED and [row["difference"] for row in found["reasons"]] == ["busbw-low", None]
    assert re.search(r" \(\d+ % less\): limited by ", found["sentence"])


def without(text, tag, count):
    """Removes the last devices of a kind, with their cards."""
    tree = ET.fromstring(text)
    up = {child: parent for parent in tree.iter() for child in parent}
    for card in [up[found] for found in tree.iter(tag)][-count:]:
        for link in [link for link in tree.iter("nvlink") if link.get("target") == card.get("busid")]:
            up[link].remove(link)
        up[card].remove(card)
    return ET.tostring(tree)


@pytest.mark.parametrize("tag, reason", [("gpu", "gpu-missing"), ("nic", "nic-missing")])
def test_missing_devices(good, tmp_path, tag, reason):
    path = tmp_path / "node.xml"
    path.write_bytes(without(H100, tag, 2))
    for expect in (good, "hgx-h100"):
        status, found = answer("--expect", expect, str(path))
        assert status == DEGRADED, found
        assert reason in {row["finding"] for row in found["reasons"]} | {row["difference"] for row in found["reasons"]}
    path.write_bytes(without(H100, tag, 8))
    status, found = answer("--expect", good, str(path))
    assert status == (UNJUDGED if tag == "gpu" else DEGRADED), found


@pytest.mark.parametrize(
    "expect, why",
    [
        ("dgx-a100", r"it has H100 SXM5 GPUs, and dgx-a100 has A100 SXM4"),
        ("p5.48xlarge", r"its NICs are not Amazon's EFA, those of p5.48xlarge are"),
        ("/nowhere/good.xml", r"/nowhere/good\.xml: cannot be read: No such file"),
        ("no-such-type", r"no-such-type: cannot be read"),
    ],
)
def test_other_kinds_of_machines_cannot_be_judged(good, expect, why):
    status, line = gate("--expect", expect, good)
    assert status == UNJUDGED and re.search(f"^good: cannot be judged: .*{why}", line), line


def test_more_gpus_than_expected_are_another_kind(good, tmp_path):
    path = tmp_path / "half.xml"
    path.write_bytes(without(H100, "gpu", 4))
    assert gate("--expect", str(path), good)[0] == UNJUDGED


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 4096,
        b"<system",
        b"<system version='1'></system>",
        DUMP[:400],
        b"<" * 200000,
        re.sub(rb' rank="\d+"', b"", H100),
    ],
    ids=["empty", "zeros", "cut-off", "no-cpu", "half", "depth", "no-ranks"],
)
def test_hostile_input_is_no_verdict(good, tmp_path, content):
    path = tmp_path / "node.xml"
    path.write_bytes(content)
    for arguments in (("--expect", good, str(path)), ("--expect", str(path), good)):
        status, line = gate(*arguments)
        assert status == UNJUDGED and ": cannot be judged: " in line


def test_a_file_that_is_too_large_is_no_verdict(good, tmp_path):
    path = tmp_path / "node.xml"
    with open(path, "wb") as file:
        file.truncate(1 << 32)
    status, line = gate("--expect", good, str(path))
    assert status == UNJUDGED and "larger than" in line
    assert gate("--expect", good, str(tmp_path))[0] == UNJUDGED
    status, line = gate("--expect", good, "--analysis-memory", "64K", good)
    assert status == UNJUDGED and "memory" in line


def test_an_incomplete_file_is_no_verdict(good):
    """NCCL itself adds NVLinks that a provider's file does not list."""
    provider = re.sub(rb"\s*<gpu [^>]*>.*?</gpu>", b"", H100, flags=re.S)
    assert gate("--expect", good, "-", stdin=provider)[0] == UNJUDGED


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--expect", "fleet:label=rack%3D7"),
        ("--expect", "dgx-1", "--allow", "slow-lnik"),
        ("--expect", "dgx-1", "--min-busbw", "90"),
        ("--expect", "dgx-1", "--min-busbw", "nan"),
        ("--expect", "dgx-1", "--timeout", "0"),
        ("--expect", "dgx-1", "--hosts", "0"),
        ("--expect", "dgx-1", "--token-file", "x"),
        ("--expect", "dgx-1", "--root", "/", "x.xml"),
        ("--expect", "dgx-1", "--morse"),
        ("--expect", "dgx-1", "--machine", "dgx-1", "x.xml"),
        ("--expect", "dgx-1", "a.xml", "b.xml"),
    ],
)
def test_wrong_usage(arguments):
    status, out, err = run("gate", *arguments)
    assert status == USAGE and out == b"" and err


def test_the_time_is_bounded_whatever_hangs(good, tmp_path):
    """A pipe that nobody writes to: reading it never ends."""
    path = tmp_path / "pipe.xml"
    os.mkfifo(path)
    for arguments in (
        ("--expect", good, str(path)),
        ("--expect", str(path), good),
        ("--json", "--expect", str(path), good),
    ):
        status, out, err = run("gate", "--timeout", "1", *arguments)
        text = json.loads(out)["sentence"] if "--json" in arguments else out.decode()
        assert (status, err) == (UNJUDGED, "") and "cannot be judged: it took longer than 1 second" in text
        if "--json" in arguments:
            assert json.loads(out)["state"] == "not comparable" and json.loads(out)["reasons"] == []


def test_no_cuda_context_can_be_made():
    """The program looks up only those CUDA functions that query something: a context would take memory of each GPU. A
    looked-up name is at the end of its string; others are only mentioned in sentences of NCCL's log."""
    program = open(PROGRAM, "rb").read()
    assert all(
        name in program
        for name in (b"cuInit", b"cuDriverGetVersion", b"cuDeviceGetByPCIBusId", b"cuDeviceGetAttribute")
    )
    assert not re.search(rb"\bcu(Ctx|Mem|DevicePrimary|Launch|Stream)\w*\0", program)


def test_under_load_there_is_an_answer_in_time_or_none(good, bad):
    """64 busy processes of the lowest priority: the deadline may strike, and never changes the verdict."""
    # setpriv: none outlives this test, even if it is killed
    busy_loop = ["setpriv", "--pdeathsig=KILL", "nice", "-n19", "sh", "-c", "while :; do :; done"]
    busy = [subprocess.Popen(busy_loop) for _ in range(64)]
    try:
        for file, wanted in ((good, FIT), (bad, DEGRADED)):
            done = subprocess.run(
                [PROGRAM, "gate", "--timeout", "3", "--expect", good, file],
                capture_output=True,
                text=True,
                timeout=120,
                env=dict(os.environ, **SANITIZERS),
                check=False,
            )
            assert done.returncode in (wanted, UNJUDGED), done
            assert (done.returncode == UNJUDGED) == ("it took longer than 3 seconds" in done.stdout), done
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


def detected(tmp_path, change=None):
    """A fake HGX H100 in a folder, with a substitute for NVML."""
    machine = fake_machine.MACHINES["hgx-h100"](tmp_path / "node-17")
    machine.write("/orrery/facts", "host 0x1122334455667788 0x1122334455667788\n")
    if change:
        change(machine)
    return ("--root", str(machine.root), "--nvml", f"{DOUBLES}/libnvidia-ml.so.1"), machine.nvml()


def gate_here(arguments, nvml, *others):
    done = subprocess.run(
        [PROGRAM, "gate", *SLOW, *arguments, *others],
        capture_output=True,
        text=True,
        timeout=300,
        env=dict(os.environ, ORR_FAKE_NVML=nvml, **SANITIZERS),
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.strip()


def test_the_node_is_detected(tmp_path):
    arguments, nvml = detected(tmp_path)
    status, line = gate_here(arguments, nvml, "--expect", "hgx-h100")
    assert status == FIT and line.startswith("node-17: fit: "), line

    def lose_nvlinks(machine):
        machine.gpus[3] = re.sub(r"\n[^\n]*nvlink[^\n]*", "", machine.gpus[3])

    arguments, nvml = detected(tmp_path / "second", lose_nvlinks)
    status, line = gate_here(arguments, nvml, "--expect", "hgx-h100")
    assert status == DEGRADED and line.startswith("node-17: ") and "NVLink" in line, line


def test_links_count_as_they_run(tmp_path):
    """NCCL's dump has the lanes of the slot; a node whose link came up with fewer is degraded. An idle GPU is not."""
    card = "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:19:00.0"

    def train(name, value):
        def change(machine):
            machine.write(f"{card}/{name}", value + "\n")

        return change

    def idle(machine):
        machine.gpus = [re.sub(r"pcie \d+ (\d+) (\d+)", r"pcie 1 \1 \2", text) for text in machine.gpus]

    cases = [
        (train("current_link_width", "4"), DEGRADED),
        (train("current_link_speed", "2.5 GT/s PCIe"), DEGRADED),
        (train("current_link_width", "16"), FIT),
        (train("current_link_width", "0"), FIT),
        (train("current_link_width", "63"), FIT),
        (train("current_link_speed", "Unknown"), FIT),
        (idle, FIT),
    ]
    for number, (change, wanted) in enumerate(cases):
        arguments, nvml = detected(tmp_path / str(number), change)
        status, line = gate_here(arguments, nvml, "--expect", "hgx-h100")
        assert status == wanted and (status == FIT or "mlx5_0 (0000:19:00.0) has " in line), line


def test_what_detection_cannot_see_is_no_verdict(tmp_path):
    arguments, nvml = detected(tmp_path)
    status, line = gate_here(arguments[:2], nvml, "--nvml", "none", "--expect", "hgx-h100")
    assert status == UNJUDGED and "detection does not see all hardware" in line, line
    assert gate_here(("--root", str(tmp_path / "nowhere")), nvml, "--expect", "hgx-h100")[0] == UNJUDGED


def ask(server, body, expect, **parameters):
    query = urllib.parse.urlencode({"expect": expect, **parameters}, doseq=True)
    return server.json("POST", f"/v1/gate?{query}", body)


def test_the_service_judges_beside_a_type_and_a_stored_topology(server):
    ident = put(server, H100)
    for expect in (ident, "hgx-h100"):
        status, found = ask(server, H100, expect)
        assert (status, found["state"], found["node"], found["compared_with"]) == (200, "fit", "this node", expect)
    status, found = ask(server, narrow(H100), ident, node="node-17")
    assert (status, found["state"]) == (200, "degraded") and found["sentence"].startswith("node-17: AllReduce gets ")
    status, found = ask(server, narrow(H100), ident, allow=["slow-link"], min_busbw="0.1", hosts=4)
    assert (status, found["state"], found["hosts"], found["min_busbw"]) == (200, "fit", 4, 0.1)
    assert ask(server, b"", "dgx-1", machine="dgx-1")[1]["state"] == "fit"
    assert ask(server, H100, "dgx-a100")[1]["state"] == "not comparable"
    assert ask(server, re.sub(rb' rank="\d+"', b"", H100), ident)[1]["state"] == "not comparable"


@pytest.mark.parametrize(
    "query, body, status",
    [
        ("expect=dgx-2000", H100, 400),
        ("", H100, 400),
        ("expect=" + "0" * 32, H100, 404),
        ("expect=dgx-1&allow=typo", H100, 400),
        ("expect=dgx-1&min_busbw=2", H100, 400),
        ("expect=fleet:rack", H100, 400),
        ("expect=fleet:label%3Drack", H100, 400),
        ("expect=dgx-1", b"", 400),
        ("expect=dgx-1", b"nothing", 415),
        ("expect=dgx-1&machine=dgx-1", H100, 400),
    ],
)
def test_the_service_refuses_what_it_cannot_read(server, query, body, status):
    response, data = server.ask("POST", f"/v1/gate?{query}", body)
    assert response.status == status, data


def host(server, dump, name, rack):
    return put(server, dump, f"?label=host%3D{name}&label=rack%3D{rack}")


def test_the_normal_host_of_a_fleet(tmp_path):
    """Equal dumps count once for each host, and what a host has replaced does not count."""
    with_faults = [narrow(H100) + f"<!-- {i} -->".encode() for i in range(2)]
    server = Server("--database", str(tmp_path / "fleet.db"))
    try:
        for i in range(5):
            host(server, H100, f"good-{i}", 7)
        for i, dump in enumerate(with_faults):
            host(server, dump, f"bad-{i}", 7)
        fleet = "fleet:label=rack%3D7"
        status, found = ask(server, H100, fleet)
        assert (status, found["state"], found["compared_with"]) == (
            200,
            "fit",
            "the majority of 7 hosts with label=rack=7",
        ), found
        status, found = ask(server, with_faults[0], fleet, node="bad-0")
        assert found["state"] == "degraded" and found["reasons"][0]["finding"] == "slow-link"
        assert ask(server, H100, "fleet:label=rack%3D8")[1]["sentence"].endswith(
            "no stored topology belongs to the fleet"
        )
        host(server, H100 + b"<!-- alone -->", "alone", 8)
        assert ask(server, H100, "fleet:label=rack%3D8")[1]["sentence"].endswith(
            "the fleet has fewer than 3 hosts, too few for a majority"
        )
        host(server, H100, "bad-0", 7)
        assert ask(server, H100, fleet)[1]["compared_with"].startswith("the majority of 7 hosts")
        host(server, H100, "bad-1", 7)
        assert ask(server, H100, fleet)[1]["compared_with"].startswith("the majority of 7 hosts")
        address = f"http://127.0.0.1:{server.port}/"
        good, bad = tmp_path / "good.xml", tmp_path / "node-17.xml"
        good.write_bytes(H100)
        bad.write_bytes(narrow(H100))
        assert gate("--server", address, "--expect", fleet, str(good))[0] == FIT
        status, line = gate("--server", address, "--expect", fleet, str(bad))
        assert status == DEGRADED and line.startswith("node-17: AllReduce gets ")
        assert (
            gate("--server", address, "--expect", fleet, "--allow", "slow-link", "--min-busbw", "0.1", str(bad))[0]
            == FIT
        )
        assert answer("--server", address, "--expect", fleet, str(bad))[1]["state"] == "degraded"
        status, line = gate("--server", address, "--expect", "dgx-2000", str(good))
        assert status == UNJUDGED and "dgx-2000" in line
        assert gate("--server", address, "--expect", fleet, "-", stdin=b"nothing")[0] == UNJUDGED
    finally:
        server.stop()
    status, line = gate("--server", address, "--expect", fleet, str(good))
    assert status == UNJUDGED and "cannot be judged: http://127.0.0.1" in line


def test_a_fleet_of_many_different_hosts():
    """Comparing them needs more memory than a request may use for small things."""
    server = Server("--database", ":memory:")
    try:
        for i in range(64):
            host(server, H100 + f"<!-- {i} -->".encode(), f"host-{i}", 9)
        status, found = ask(server, narrow(H100), "fleet:label=rack%3D9")
        assert (status, found["state"]) == (200, "degraded") and found["compared_with"].startswith(
            "the majority of 64 hosts"
        ), found
    finally:
        server.stop()


def test_the_service_may_demand_a_token(tmp_path):
    token = subprocess.run([PROGRAM, "token", "gate", "--scope", "read"], capture_output=True, text=True, check=True)
    (tmp_path / "tokens").write_text(token.stdout)
    secret = re.search(r"\S{20,}", token.stderr)[0]
    (tmp_path / "token").write_text(secret + "\n")
    (tmp_path / "node.xml").write_bytes(H100)
    server = Server("--database", str(tmp_path / "fleet.db"), "--token-file", str(tmp_path / "tokens"), token=secret)
    try:
        address, node = f"http://127.0.0.1:{server.port}", str(tmp_path / "node.xml")
        assert (
            gate("--server", address, "--expect", "hgx-h100", "--token-file", str(tmp_path / "token"), node)[0] == FIT
        )
        status, line = gate("--server", address, "--expect", "hgx-h100", node)
        assert status == UNJUDGED and "401" in line
    finally:
        server.stop()
