# SPDX-License-Identifier: Apache-2.0
"""A machine type in place of a file: every command with --machine and every route with ?machine= answers as for the
text that names the type."""
import json
import os
import re
import subprocess

import pytest

from conftest import DUMP, ROOT, SANITIZERS
from openapi import description

PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
TYPE, TEXT = "hgx-h100", b"machine type: hgx-h100\n"
# The parameters that a route needs; the other routes need none.
ASKS = {
    "/v1/explain": "&decision=channels",
    "/v1/path": "&from=rank:0&to=rank:1",
    "/v1/diff": "&against=2.21.5",
    "/v1/vm-file": "",
    "/v1/channels": "&hosts=600",
    "/v1/p2p": "&hosts=600&ranks=0-1&rounds=0-3",
    "/v1/predict": "&sizes=1G",
    "/v1/place": "&count=2",
    "/v1/gate": "&expect=dgx-h100",
    "/v1/render": "&format=dot",
}
ROUTES = sorted(
    path
    for method, path, _, parameters in description.operations()
    if method == "post" and "machine" in [description.resolve(one)["name"] for one in parameters]
)
STATELESS = [path for path in ROUTES if path not in ("/v1/topologies", "/v1/check-log", "/v1/check-perf")]
COMMANDS = {
    "show": ["--matrix"],
    "analyze": [],
    "channels": [],
    "p2p": ["--ranks", "0"],
    "groups": ["--hosts", "2", "--layout", "tp=8"],
    "order": [],
    "explain": ["--why", "channels"],
    "render": ["--format", "dot"],
    "convert": [],
    "vm-file": [],
    "predict": ["--sizes", "1M:1G:32"],
    "place": ["--count", "7"],
    "gate": ["--json", "--expect", "dgx-h100", "--timeout", "600", "--node", "a"],
    "facts": [],
}


def run(*arguments, stdin=b""):
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, env={**os.environ, **SANITIZERS})
    return done.returncode, done.stdout, done.stderr.decode()


def test_the_list_of_routes_is_read():
    assert {
        "/v1/topologies",
        "/v1/analyze",
        "/v1/findings",
        "/v1/path",
        "/v1/channels",
        "/v1/p2p",
        "/v1/vm-file",
        "/v1/check-log",
    } <= set(ROUTES)


@pytest.mark.parametrize("path", STATELESS)
def test_a_route_takes_a_type(server, path):
    asked = ASKS.get(path, "")
    by_name, wanted = server.ask("POST", f"{path}?machine={TYPE}{asked}", b"")
    by_text, same = server.ask("POST", f"{path}?{asked.lstrip('&')}", TEXT)
    assert (by_name.status, by_text.status) == (200, 200), (wanted[:400], same[:400])
    assert wanted == same and len(wanted) > 100
    both, problem = server.json("POST", f"{path}?machine={TYPE}{asked}", DUMP)
    assert (both, problem["detail"]) == (
        400,
        "machine replaces the body, but the request has a body as well",
    ) and problem["advice"]
    status, problem = server.json("POST", f"{path}?machine=hgx-h10{asked}", b"")
    assert status == 400 and "hgx-h100" in problem["advice"]
    status, problem = server.json("POST", f"{path}?{asked.lstrip('&')}", b"")
    assert status in (400, 422) and problem["type"].endswith("empty-body"), problem


def test_a_type_is_kept_once_whichever_way_it_comes(server):
    status, kept = server.json("POST", f"/v1/topologies?machine={TYPE}&name=wanted", b"")
    assert status in (200, 201) and (kept["input"]["kind"], kept["input"]["machine_type"]) == ("machine-type", TYPE)
    status, again = server.json("POST", "/v1/topologies", TEXT)
    assert (status, again["id"]) == (200, kept["id"])
    status, again = server.json("POST", "/v1/topologies?machine=HGX-H100", b"")
    assert (status, again["id"]) == (200, kept["id"]), "whatever the case"
    response, source = server.ask("GET", f"/v1/topologies/{kept['id']}/source")
    assert (response.status, source) == (200, TEXT)
    status, problem = server.json("POST", f"/v1/topologies?machine={TYPE}", DUMP)
    assert status == 400 and "machine" in problem["detail"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_a_type(command):
    status, wanted, err = run(command, "--machine", TYPE, *COMMANDS[command])
    assert status == 0, err
    status, same, err = run(command, *COMMANDS[command], "-", stdin=TEXT)
    assert status == 0 and wanted == same.replace(b"<standard input>", TYPE.encode()) and len(wanted) > 100, err
    status, out, err = run(command, "--machine", TYPE, *COMMANDS[command], "topo.xml")
    assert (status, out) == (2, b"") and "--machine replaces a file: leave topo.xml out" in err


def test_a_file_for_a_virtual_machine_of_a_type():
    status, out, err = run("vm-file", "--machine", TYPE, "--gpus", ",".join(f"0000:00:0{i}.0" for i in range(1, 9)))
    assert status == 0 and b'busid="0000:00:08.0" class="0x0302' in out and b"<gpu" not in out, err


def figure(*words):
    """What `orrery show` says that AllReduce gets on two hosts; of a file, with the NICs as a job has them."""
    said = subprocess.run(
        [PROGRAM, "show", "--hosts", "2", "--domain", "1", *words], capture_output=True, text=True, check=True
    ).stdout
    verdict = " ".join(said.split("\nVerdict\n")[1].split("\n\n")[0].split())
    found = re.search(r"Amazon's plugin.*it gets ([0-9.]+) GB/s", verdict) or re.search(r"([0-9.]+) GB/s", verdict)
    return found and found[1]


def test_the_file_of_a_type_has_the_figure_of_the_type(tmp_path):
    """EFA NICs are apart in NCCL's own XML, and Amazon's plugin groups them: the verdict gives both figures."""
    listed = json.loads(subprocess.run([PROGRAM, "machines", "--json"], capture_output=True, check=True).stdout)
    names = [row["name"] for row in listed["machines"] if not row["name"].endswith("-nvl72")]
    path, wrong = tmp_path / "dump.xml", []
    for name in names:
        done = subprocess.run([PROGRAM, "convert", "--machine", name], capture_output=True, check=True)
        path.write_bytes(done.stdout)
        of_type, of_file = figure("--machine", name), figure(str(path))
        wrong += [(name, of_type, of_file)] if of_type != of_file else []
    assert not wrong and len(names) > 50
