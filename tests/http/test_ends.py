# SPDX-License-Identifier: Apache-2.0
"""Every request to any route, and every command with any input, ends within its time limit.

The routes come from the description (which test_openapi compares with the table of routes), the commands and their
arguments from the examples of --help. Every route gets every input, and every command gets each input that could be its
file. Processor time is compared with the limit. Limits are wall time, so a slow or busy machine spends less of it,
never more. The release build has a second more. The sanitized program takes several times as long from one look at the
clock to the next, and to free memory; work that nobody ends takes tens of seconds.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

from conftest import ROOT, SANITIZERS, Server
from openapi import description
from test_openapi import query_of

sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery")))
LIMIT = 0.2  # seconds
SLACK = 10.0 if b"__asan_init" in pathlib.Path(PROGRAM).read_bytes() else 1.0


def events(count):
    """A log in which communicators begin and never agree."""
    return "".join(
        f"n{i}:{i}:{i} [0] NCCL INFO comm 0x{i:x} rank {i} nranks {count} cudaDev 0 busId {i:x} commId 0x{i:x} - Init "
        f"START\nn{i}:{i}:{i} [0] NCCL WARN Call to connect returned Connection refused {i}\n"
        for i in range(count)
    ).encode()


def results(count):
    head = "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1\n"
    row = "  %12d  %12d     float     sum      -1    %.2f  %.2f  %.2f      0    %.2f  %.2f  %.2f      0\n"
    return (head + "".join(row % (i, i // 4, 9.0, 1.0, 1.0, 9.0, 1.0, 1.0) for i in range(8, count))).encode()


def hosts(count, topology):
    return json.dumps({"hosts": [{"topology": topology, "names": [f"h{i}"]} for i in range(count)]}).encode()


HARD = attacks.switched(240, 240, slow=True)
DUMPS = {
    "slow NICs": HARD,
    "far apart": attacks.machine(200, 300, 300),
    "deep": attacks.nested_xml(1 << 18),
    "matrix": b"\t"
    + b"\t".join(b"GPU%d" % i for i in range(600))
    + b"\n"
    + b"".join(b"GPU%d\t" % i + b"\t".join([b"SYS"] * 600) + b"\n" for i in range(600)),
    "entries": attacks.empty_entries(60000),
}
ARCHIVES = {
    "entries": DUMPS["entries"],
    "bomb": attacks.gzip_bomb(64),
    "devices": attacks.tar_of(
        (f"sys/bus/pci/devices/0000:{i >> 5:02x}:{i & 31:02x}.0/class", b"1") for i in range(8000)
    ),
}
LOGS = {"names alike": attacks.hosts_alike(65536), "threads": attacks.threads(150000), "events": events(20000)}
RESULTS = {"rows": results(60000)}


def cpu_of(pid):
    """Seconds of processor time of a process, its threads and its children."""
    total = 0
    for stat in (pid, *pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        try:
            fields = pathlib.Path(f"/proc/{stat}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended; its parent counts it
        total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def service():
    server = Server("--analysis-time", str(LIMIT), "--threads", "2", "--database", ":memory:")
    server.ident = server.json("POST", "/v1/topologies?label=host%3Da", HARD)[1]["id"]
    body = hosts(4000, server.ident)
    server.cluster = server.json("POST", "/v1/clusters", body)[1].get("id")
    server.spent = 0
    yield server
    assert server.spent > 20  # the inputs do reach the limit
    server.stop()


def ends(server, method, target, body, headers=None):
    before = cpu_of(server.process.pid)
    response, data = server.ask(method.upper(), target, body, headers)
    used = cpu_of(server.process.pid) - before
    assert used <= LIMIT + SLACK, (method, target, used, response.status, data[:300])
    assert response.status != 500, (method, target, data[:300])
    server.spent += response.status == 422 and b"/problems/too-complex" in data


OPERATIONS = [pytest.param(*row, id=f"{row[0]} {row[1]}") for row in description.operations()]


@pytest.mark.parametrize("method, path, operation, parameters", OPERATIONS)
def test_every_route_ends(service, method, path, operation, parameters):
    values = {"section": "graphs", "format": "svg", "type": "malformed-xml", "host": "a", "file": "index.html"}
    values["id"] = service.cluster if path.startswith("/v1/clusters") else service.ident
    if method == "delete" or (path.startswith("/v1/clusters/") and not service.cluster):
        values["id"] = "0" * 32
    target = re.sub(r"{(\w+)}", lambda found: values[found[1]], path)
    query = query_of(parameters, only_required=True, ident=service.ident)
    known = {description.resolve(p).get("name") for p in parameters}
    for name, value in (("release", "2.18.1"), ("hosts", "2")):
        if name in known and f"{name}=" not in query:
            query += f"&{name}={value}"
    target += "?" + query.strip("&") if query else ""
    if "requestBody" not in operation:
        return ends(service, method, target, None)
    media = next(iter(description.resolve(operation["requestBody"])["content"]))
    json_inputs = {"hosts": hosts(4000, service.ident), "labels": json.dumps({"labels": {"a": "b" * 200}}).encode()}
    inputs = json_inputs if media.endswith("json") else {**DUMPS, **LOGS, **RESULTS}
    for body in inputs.values():
        ends(service, method, target, body, {"Content-Type": media})


def described():
    """(name, help) of each command."""
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^  ([a-z0-9-]+) +\S", text.split("Commands (")[1].split("Topics")[0], re.M):
        about = subprocess.run([PROGRAM, "help", name], capture_output=True, text=True).stdout
        yield name, re.sub(r" \\\n +", " ", about)  # commands that go on in the next line


def commands():
    """(name, arguments) of each example of --help that reads a file."""
    for name, about in described():
        usage = re.search(r"^usage: (.*)", about, re.M)
        found = [
            shlex.split(re.split(r"  +\(| [|>]", line)[0])
            for line in re.findall(rf"^  (orrery {name} .*)", about, re.M)
        ]
        reads = [words[2:] for words in found if any(FILE.search(word) for word in words)]
        if name in WITHOUT_EXAMPLE:
            reads = WITHOUT_EXAMPLE[name]
        elif usage and "[FILE|-]" in usage[1] and not reads:
            reads = [["machine.xml"]]
        yield from ((name, tuple(words)) for words in reads[:3] if not OUTSIDE.search(" ".join(words)))


WITHOUT_EXAMPLE = {"gather": [], "detect": [["machine.tar.gz"]]}  # a file of gather is an output
FILE = re.compile(r"\.(xml|log|txt|json|gz)$")
OUTSIDE = re.compile(r"--(server|post)|\*")  # a service, a folder
COMMANDS = [pytest.param(*row, id=f"{row[0]} {' '.join(row[1])[:40]}") for row in commands()]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ends")
    kinds = {"xml": DUMPS, "log": LOGS, "txt": RESULTS, "gz": ARCHIVES}
    for ending, inputs in kinds.items():
        for i, body in enumerate(inputs.values()):
            (folder / f"{i}.{ending}").write_bytes(body)
    (folder / "0.json").write_bytes(hosts(4000, "0.xml"))
    return folder


def test_every_command_with_an_input_is_one_of_these():
    reading = {name for name, about in described() if re.search(r"^usage: .*(FILE|LOG|RESULTS)", about, re.M)}
    assert len(reading) > 15 and reading - {"gather"} <= {row.values[0] for row in COMMANDS}


@pytest.mark.parametrize("name, arguments", COMMANDS)
def test_every_command_ends(files, name, arguments):
    endings = [FILE.search(word)[1] for word in arguments if FILE.search(word)]
    for which in range(max(len(list(files.glob(f"*.{ending}"))) for ending in endings)):
        words = []
        for word in arguments:
            found = FILE.search(word)
            given = found and files / f"{which % len(list(files.glob(f'*.{found[1]}')))}.{found[1]}"
            output = words and words[-1] == "--output"
            words.append(str(files / "out") if output else str(given) if given else word)
        child = subprocess.Popen(
            [PROGRAM, name, "--analysis-time", str(LIMIT), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **SANITIZERS},
        )
        said = child.stderr.read()
        child.stderr.close()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        spent = used.ru_utime + used.ru_stime
        assert spent <= LIMIT + SLACK, (words, spent, said[:300])
        assert child.returncode in (0, 1, 2, 3, 4), (words, said[:300])


def test_a_device_without_an_end_is_not_a_log():
    for command in ("check-log", "check-perf", "anonymise", "analyze"):
        done = subprocess.run([PROGRAM, command, "/dev/zero"], capture_output=True, timeout=300)
        assert done.returncode == 1 and done.stderr, command


def test_commands_have_limits_of_their_own():
    text = subprocess.run([PROGRAM, "help", "check-log"], capture_output=True, text=True).stdout
    for option in ("analysis-time", "analysis-memory", "unpacked", "archive-entries"):
        assert re.search(rf"--{option} [^\n]*\n?[^\n]*default:\s+[1-9]", text), option
