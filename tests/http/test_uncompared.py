# SPDX-License-Identifier: Apache-2.0
"""A release that was not compared with NCCL's own results: every command and every resource says so. The program under
test is orrery with another release table (tests/support/uncompared.c)."""
import html
import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import ROOT, Server
from openapi import description

PROGRAM = pathlib.Path(os.environ.get("ORRERY", ROOT / "build-dev/orrery")).parent / "tests/orrery_uncompared"
SAYS = re.compile(r"not (been )?compared with NCCL's own results|\"verified\": ?false")
HOPPER = ["--machine", "hgx-h100"]
FILE = str(ROOT / "static/examples/h100-nvswitch.xml")
LOG = """node1:10:11 [0] NCCL INFO NCCL version 2.30.7+cuda12.9
node1:10:11 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 11000 - Init START
node1:10:11 [0] NCCL INFO Check P2P Type isAllDirectP2p 1 directMode 0 isAllCudaP2p 1
"""
# The arguments that each command needs besides the release.
COMMANDS = {
    "show": HOPPER,
    "analyze": HOPPER,
    "channels": HOPPER,
    "p2p": HOPPER,
    "groups": [*HOPPER, "--layout", "tp=8"],
    "order": [*HOPPER, "--hosts", "2"],
    "predict": HOPPER,
    "scaling": HOPPER,
    "place": [*HOPPER, "--count", "4"],
    "explain": [*HOPPER, "--why", "nvls"],
    "render": HOPPER,
    "compare": [FILE, FILE],
    "detect": ["--root", "/nothing"],
    "gate": [*HOPPER, "--expect", "hgx-h100", "--timeout", "600"],
    "check-log": [*HOPPER, "-"],
    "check-perf": [*HOPPER, "-"],
    "facts": HOPPER,
    "releases": [],
    "settings": HOPPER,
    "convert": HOPPER,
}


def run(*arguments, text=LOG):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=300)
    return html.unescape(" ".join((done.stdout + done.stderr).split()))


def test_each_command_with_a_release_is_one_of_these():
    text = subprocess.run([PROGRAM, "help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z0-9-]+) +[a-z]", text.split("Commands")[1].split("Topics")[0], re.M)
    accepting = {name for name in names if re.search(r"--release\b", run("help", name))}
    assert accepting == set(COMMANDS)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_command_says_that_a_release_was_not_compared(command):
    assert SAYS.search(run(command, "--release", "2.30.7", *COMMANDS[command]))
    if command not in ("releases", "check-log"):  # one lists all releases, the other has a log of 2.30.7
        assert not SAYS.search(run(command, "--release", "2.30.4", *COMMANDS[command]))


def test_a_log_of_such_a_release():
    """Without --release: the log names it."""
    assert SAYS.search(run("check-log", *HOPPER, "-"))
    assert SAYS.search(run("check-log", "--json", *HOPPER, "-"))
    assert not SAYS.search(run("check-log", *HOPPER, "-", text=LOG.replace("2.30.7+", "2.30.4+")))
    assert not SAYS.search(run("check-log", "--json", *HOPPER, "-", text=LOG.replace("2.30.7+", "2.30.4+")))


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_people_get_the_nearest_release(command):
    """Each command takes the nearest release by itself and says so once, except `analyze`, whose readers are programs:
    it needs --nearest."""
    given = COMMANDS[command]
    said = r"2\.32\.3 is assumed to behave like 2\.30\.7|2\.30\.7, the nearest release to 2\.32\.3"
    if command == "analyze":
        refused = run(command, "--release", "2.32.3", *given)
        assert "newer than 2.30.7" in refused
        text = run(command, "--release", "2.32.3", "--nearest", *given)
        assert re.search(r'"asked": ?"2.32.3"', text) and re.search(r'"verified": ?false', text)
        return
    text = run(command, "--release", "2.32.3", *given)
    # A drawing has it in the caption and two tooltips; the document of `place` has it besides the note.
    times = {"render": 3, "place": 2}.get(command, 1)
    assert "newer than 2.30.7, the newest" not in text and len(re.findall(said, text)) == times, text[:2000]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_strict_refuses_a_release_that_is_not_emulated(command):
    if "--strict" in run("help", command):
        assert "newer than 2.30.7" in run(command, "--strict", "--release", "2.32.3", *COMMANDS[command])


def test_it_is_not_the_default():
    assert "2.30.4" in run("analyze", *HOPPER, "--section", "nccl")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    database = tmp_path_factory.mktemp("uncompared") / "orrery.db"
    started = Server("--database", str(database), program=str(PROGRAM))
    yield started
    started.stop()


RESULTS = """#       size         count      type   redop    root     time   algbw   busbw #wrong
   536870912     134217728     float     sum      -1   2100.0  255.65  447.39      0
"""
# What each route needs besides the release, by its path or the last part of it.
QUERIES = {
    "explain": "decision=nvls",
    "groups": "layout=tp%3D8",
    "gate": "expect=hgx-h100",
    "path": "from=GPU/0-19000&to=NET/0-0&hosts=2",
    "diff": "against=2.21.5",
    "/v1/clusters/{id}/facts": "format=slurm-tree",
}
BODIES = {"check-log": LOG, "log": LOG, "check-perf": RESULTS, "perf": RESULTS}
# A machine's own detection is not this machine's business, and the tables of releases and settings name each release.
LEFT_OUT = {"/v1/detect", "/v1/settings"}


def operations(prefix, method):
    """Paths of a method that take `release`."""
    for its, path, _, parameters in description.operations():
        names = {parameter.get("name") for parameter in parameters}
        if its == method and "release" in names and path.startswith(prefix) and path not in LEFT_OUT:
            yield path.replace("{section}", "graphs").replace("{format}", "svg")


def assert_says_so(service, paths, method, stored, query=None):
    """Each route is asked twice, because the second answer may come from a cache, and says so both times; for another
    release it says nothing."""
    for path in paths:
        target, last = path.replace("{id}", stored), path.rsplit("/", 1)[1]
        assert "{" not in target
        asked = query or QUERIES.get(path, QUERIES.get(last, ""))
        text = BODIES.get(last, pathlib.Path(FILE).read_text())

        def ask(release, log):
            body = text.replace("2.30.7+", log).encode() if method == "POST" else None
            return service.ask(method, f"{target}?release={release}&{asked}", body)[0]

        for _ in range(2):
            response = ask("2.30.7", "2.30.7+")
            assert response.status == 200, path
            assert SAYS.search(response.getheader("Orrery-Caveat", "")), path
        assert ask("2.30.4", "2.30.4+").getheader("Orrery-Caveat") is None, path
        response = ask("2.32.3&nearest=1", "2.30.7+")
        assert "is assumed to behave like 2.30.7" in response.getheader("Orrery-Caveat", ""), (path, response.status)


def store(service, comment=b""):
    body = pathlib.Path(FILE).read_bytes() + comment
    return service.json("POST", "/v1/topologies", body)[1]["id"]


def test_each_resource_says_that_a_release_was_not_compared(service):
    assert_says_so(service, operations("/v1/topologies/{id}", "get"), "GET", store(service))


def test_what_is_posted_beside_a_machine(service):
    assert_says_so(service, operations("/v1/topologies/{id}", "post"), "POST", store(service))


def test_each_resource_of_a_cluster(service):
    hosts = {"hosts": [{"topology": store(service), "count": 2, "names": ["a1", "a2"], "switch": "leaf"}]}
    kept = service.json("POST", "/v1/clusters", json.dumps(hosts).encode())[1]["id"]
    assert_says_so(service, operations("/v1/clusters/{id}", "get"), "GET", kept)


def test_each_question_about_a_machine_that_is_not_kept(service):
    paths = [path for path in operations("/v1/", "post") if "{id}" not in path]
    assert len(paths) > 14
    assert_says_so(service, paths, "POST", "")


def test_machines_that_are_kept_side_by_side(service):
    kept = [store(service, comment) for comment in (b"", b"<!-- 1 -->", b"<!-- 2 -->")]
    paths = [path for path in operations("/v1/", "get") if "{id}" not in path]
    assert paths == ["/v1/compare"]
    for query in (f"a={kept[0]}&b={kept[1]}", "&".join(f"topology={one}" for one in kept)):
        assert_says_so(service, paths, "GET", "", query)
