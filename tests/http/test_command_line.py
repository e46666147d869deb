# SPDX-License-Identifier: Apache-2.0
"""The program on the command line: what it prints to which stream, and its exit status."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import pytest

from conftest import DUMP, ROOT, SANITIZERS, wait_until

sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="orrery-home-")
HOME = FOLDER.name  # not that of whoever runs the tests: databases are made there
PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))


def run(*arguments, stdin=b"", program=PROGRAM):
    done = subprocess.run(
        [program, *arguments],
        input=stdin,
        capture_output=True,
        timeout=60,
        env=dict(os.environ, HOME=HOME, XDG_STATE_HOME="", **SANITIZERS),
    )
    assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr[-3000:]
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "machine.xml"
    path.write_bytes(DUMP)
    return str(path)


def test_analyze_prints_the_document(dump):
    status, out, err = run("analyze", "--hosts", "2", "--set", "NCCL_CROSS_NIC=1", "--release=2.27.7", dump)
    document = json.loads(out)
    assert (status, err, document["topology"], document["ranks"]) == (0, "", "machine.xml", 4)
    assert document["settings"] == {"NCCL_CROSS_NIC": "1"}
    assert run("analyze", "--hosts", "2", "--set", "NCCL_CROSS_NIC=1", "-", stdin=DUMP)[1] != b""
    assert json.loads(run("analyze", "--section", "ranks", stdin=DUMP)[1]) == 2


def test_channels_of_buffers_that_are_registered_with_nvls():
    def registered(*arguments):
        return json.loads(run("analyze", "--section", "device", *arguments)[1])["nvls_registered"]

    hopper = ("--machine", "hgx-h100", "--release", "2.30.7")
    assert registered(*hopper) == {"AllReduce": 4, "AllGather": 4, "ReduceScatter": 5}
    assert registered(*hopper, "--hosts", "2") == {"AllReduce": 6, "AllGather": 6, "ReduceScatter": 6}
    assert registered(*hopper, "--set", "NCCL_NVLS_ENABLE=0") is None
    assert registered("--machine", "dgx-a100", "--release", "2.30.7") is None


@pytest.mark.parametrize(
    "content, pattern",
    [
        (DUMP[:300], r"^\S+machine\.xml:\d+:\d+: the file ends inside <"),
        (b"", r"^\S+machine\.xml: the input is empty"),
        (b"\x89PNG", r"^\S+machine\.xml: this is not topology XML"),
        (DUMP.replace(b' gdr="1"/>', b"/>", 1), r"^\S+machine\.xml:\d+:\d+: <gpu> has no attribute gdr"),
        (DUMP.replace(b"rank=", b"rang="), r"^\S+machine\.xml"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_1(tmp_path, content, pattern):
    path = tmp_path / "machine.xml"
    path.write_bytes(content)
    for command in ("analyze", "render"):
        status, out, err = run(command, str(path))
        assert (status, out) == (1, b"") and re.match(pattern, err), err


def test_files_that_are_not_there(tmp_path):
    status, out, err = run("analyze", str(tmp_path / "none.xml"))
    assert (status, out) == (1, b"") and "No such file" in err
    assert run("analyze", str(tmp_path))[0] == 1
    assert run("serve", "--listen", "127.0.0.1:0", "--database", "/nonexistent/x.db")[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("analyze", "--nonsense"),
        ("analyze", "--hosts"),
        ("analyze", "--hosts", "none"),
        ("analyze", "a", "b"),
        ("analyze", "--set", "X"),
        ("analyze", "--set", "NCCL_X=1"),
        ("analyze", "--release", "9.9"),
        ("analyze", "--section", "x"),
        ("analyze", "--hosts", "2", "--cluster", "x"),
        ("render", "--view", "x"),
        ("render", "--view", "path"),
        ("render", "--strict=1"),
        ("releases", "x"),
        ("serve", "--listen", "nowhere"),
        ("serve", "--listen", "0.0.0.0:0", "--database", ":memory:"),
        ("serve", "--max-body", "1"),
    ],
)
def test_wrong_usage_is_status_2(arguments):
    status, out, err = run(*arguments, stdin=DUMP)
    assert (status, out) == (2, b"") and err.strip()


def test_strict_refuses_what_nccl_refuses(tmp_path):
    path = tmp_path / "machine.xml"
    path.write_bytes(DUMP.replace(b"  <cpu", b"\t<cpu"))
    assert run("analyze", str(path))[0] == 0
    status, out, err = run("analyze", "--strict", str(path))
    assert (status, out) == (1, b"") and re.search(r"machine\.xml:2:\d+: NCCL's own reader", err)


def test_clusters_of_one_topology(tmp_path, dump):
    cluster = tmp_path / "cluster.json"
    cluster.write_text(json.dumps({"hosts": [{"topology": "machine.xml", "count": 2}, {"topology": dump, "count": 1}]}))
    status, out, _ = run("analyze", "--cluster", str(cluster))
    assert (
        status == 0 and json.loads(out)["channels"] == json.loads(run("analyze", "--hosts", "3", dump)[1])["channels"]
    )
    cluster.write_text(json.dumps({"hosts": [{"topology": "machine.xml", "gpus": ["0000:99:00.0"]}]}))
    status, out, err = run("analyze", "--cluster", str(cluster))
    assert (status, out) == (1, b"") and "no GPU with a rank at 0000:99:00.0" in err and "hosts[0].gpus" in err
    cluster.write_text('{"hosts": [\n 7')
    status, _, err = run("analyze", "--cluster", str(cluster))
    assert status == 1 and "cluster.json:2:" in err


def test_what_changes_against_another_release_or_setting(dump):
    document = json.loads(run("analyze", "--release", "2.12.12", "--against", "2.30.7", "--hosts", "2", dump)[1])
    assert (document["a"]["nccl"], document["b"]["nccl"], document["equal"]) == ("2.12.12", "2.30.7", False)
    assert document["reasons"] and document["search"]["complete"]
    same = json.loads(run("analyze", "--against", "NCCL_CROSS_NIC=", dump)[1])
    assert same["equal"] and not same["reasons"] and "Nothing changes" in same["summary"]
    for wrong in (("2.12.12", "2.7.8"), ("NCCL_NONSENSE=1",), ("hosts=2",), ("9.9",)):
        status, out, err = run("analyze", *[word for one in wrong for word in ("--against", one)], dump)
        assert (status, out) == (2, b"") and err.strip()


def test_drawings(dump, tmp_path):
    picture = tmp_path / "picture.png"
    assert run("render", "--format", "png", "--output", str(picture), dump) == (0, b"", "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    status, out, _ = run("render", "--format", "dot", dump)
    assert status == 0 and b"GPU/0-1000" in out
    assert b"<svg" in run("render", "--view", "path", "--from", "rank:0", "--to", "rank:1", dump)[1]


def test_a_full_disk_is_reported(dump):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, "analyze", dump], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"cannot be written" in done.stderr


def test_releases_are_told_apart():
    text = run("releases")[1].decode()
    listed = json.loads(run("releases", "--json")[1])["releases"]
    for row in listed:
        head = next(line.split() for line in text.splitlines() if line.split()[:1] == [row["release"]])
        assert head[1:] == [row["date"]] * bool(row["date"]) + ["the", "default"] * row["default"] and row["verified"]
    assert "NVLink GB/s" in text and "sm 100: 40.1" in text and "search budget" in text
    assert max(map(len, text.splitlines())) < 160
    one = run("releases", "--release", "2.28.9")[1].decode()
    assert "behaviours differ from 2.28.7" in one and "tuning.hw_latency: " in one and "\n2.30.7" not in one
    assert (
        "2.18.6 behaves as this release" in run("releases", "--release", "2.18.6")[1].decode() and "NCCL 2.18\n" in text
    )
    assert "PyTorch 2.7 for CUDA 12 brings NCCL 2.26.2" in text
    assert [row["release"] for row in json.loads(run("releases", "--release=2.28.9", "--json")[1])["releases"]] == [
        "2.28.9"
    ]


def test_a_release_lists_its_known_faults():
    listed = json.loads(run("releases", "--json")[1])["releases"]
    numbers = {row["release"]: tuple(map(int, row["release"].split("."))) for row in listed}
    faults = {row["release"]: row["faults"] for row in listed}
    assert {"usb-network", "split-share"} <= {fault["id"] for fault in faults["2.19.3"]}
    assert "usb-network" not in {fault["id"] for fault in faults["2.20.5"]}
    for release, rows in faults.items():
        for fault in rows:
            mended = fault["mended_in"]
            assert mended is None or tuple(map(int, mended.split("."))) > numbers[release]
    text = run("releases", "--release", "2.19.3")[1].decode()
    for fault in faults["2.19.3"]:
        assert fault["what"].split()[0] in text and (fault["mended_in"] or "not mended") in text
    assert f"{len(faults['2.19.3'])} known faults: `orrery releases --release 2.19.3`" in run("releases")[1].decode()


@pytest.mark.parametrize(
    "release, words",
    [
        ("v2.27.7", "did you mean 2.27.7?"),
        ("2.27.7+cuda12.9", "did you mean 2.27.7?"),
        ("22707", "did you mean 2.27.7?"),
        ("2.13.4", ", between which these changed: "),
        ("2.4.8", "older than 2.7.8"),
        ("9.9.9", "newer than"),
    ],
)
def test_an_unknown_release_is_told_from_its_neighbours(dump, release, words):
    for command in (("analyze", dump), ("render", "--strict", dump), ("settings", "--strict")):
        status, out, err = run(command[0], "--release", release, *command[1:])
        assert status == 2 and not out and words in err, (command, err)


def test_lists_and_help():
    assert b"2.27.7" in run("releases")[1] and json.loads(run("releases", "--json")[1])["default"]
    assert b"NCCL_CROSS_NIC" in run("settings")[1] and json.loads(run("settings", "--json")[1])["settings"]
    for arguments in (("--help",), ("serve", "--help"), ("analyze", "-h"), ("render", "--help"), ("--version",)):
        status, out, err = run(*arguments)
        assert status == 0 and out and not err


def interrupted(arguments, computes):
    """Ends a command by Ctrl-C: while it waits for its input, or when it has computed for a while. Returns its status,
    output and errors."""
    done = subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ, HOME=HOME, XDG_STATE_HOME="", **SANITIZERS),
    )

    def is_ready():
        process = pathlib.Path(f"/proc/{done.pid}")
        caught = int(re.search(r"SigCgt:\s*(\w+)", (process / "status").read_text())[1], 16) >> (signal.SIGINT - 1) & 1
        used = sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:13])) / os.sysconf(
            "SC_CLK_TCK"
        )
        waits = (
            "pipe" in (process / "wchan").read_text()
            or (process / "stat").read_text().rpartition(")")[2].split()[0] == "S"
        )
        return caught and (used >= 0.4 if computes else waits)

    try:
        wait_until(lambda: done.poll() is not None or is_ready())
        assert done.poll() is None, (arguments, done.stderr.read())
        done.send_signal(signal.SIGINT)
        return done.wait(60), done.stdout.read(), done.stderr.read().decode()
    finally:
        done.kill()
        done.wait()
        for pipe in (done.stdin, done.stdout, done.stderr):
            pipe.close()


COMMANDS = [
    "show",
    "analyze",
    "channels",
    "p2p",
    "groups --layout tp=2",
    "order",
    "explain --why channels",
    "predict",
    "place --count 4",
    "compare {dump}",
    "check-log",
    "convert",
    "render",
    "vm-file",
    "anonymise",
    "detect",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_ends_waiting_for_input(command, dump):
    status, out, err = interrupted([*command.format(dump=dump).split(), "-"], computes=False)
    assert (status, out) == (-signal.SIGINT, b"") and "interrupted" in err and "Sanitizer" not in err, (status, err)


LONG = [
    c
    for c in COMMANDS
    if c.split()[0] in ("show", "analyze", "channels", "p2p", "groups", "explain", "predict", "compare", "render")
]


@pytest.mark.parametrize("command", LONG)
def test_ctrl_c_ends_what_is_computed(command, tmp_path):
    """Leaves no trace: nothing is printed, and no half-written file is left."""
    path = tmp_path / "long.xml"
    path.write_bytes(attacks.switched(240, 240, slow=True))
    output = ["--output", str(tmp_path / "picture.svg")] if command == "render" else []
    status, out, err = interrupted(
        [*command.format(dump=path).split(), "--release", "2.18.1", "--hosts", "2", *output, str(path)], computes=True
    )
    assert (status, out) == (-signal.SIGINT, b"") and "interrupted" in err and "Sanitizer" not in err, (status, err)
    assert os.listdir(tmp_path) == ["long.xml"]


def test_ctrl_c_ends_checking_a_log(tmp_path):
    (tmp_path / "long.xml").write_bytes(attacks.switched(240, 240, slow=True))
    log = tmp_path / "job.log"
    log.write_text(
        "node1:1:1 [0] NCCL INFO NCCL version 2.18.1+cuda12.1\n"
        + "".join(
            f"node1:{r}:{r} [{r}] NCCL INFO comm 0x1 rank {r} nranks 2 cudaDev {r} busId {r}000 commId 0x2 - Init "
            "START\n"
            for r in range(2)
        )
    )
    status, out, err = interrupted(["check-log", "--topology", str(tmp_path / "long.xml"), str(log)], computes=True)
    assert (status, out) == (-signal.SIGINT, b"") and "interrupted" in err and "Sanitizer" not in err, (status, err)


@pytest.mark.parametrize("limit", [("--analysis-time", "0.001"), ("--analysis-memory", "200K")])
@pytest.mark.parametrize("command", LONG)
def test_limits_can_be_given(command, limit, tmp_path):
    path = tmp_path / "machine.xml"
    path.write_bytes(attacks.machine(8, 32, 32))
    status, out, err = run(*command.format(dump=path).split(), *limit, str(path))
    assert (status, out) == (1, b"") and limit[0] in err and "at the stage" in err, err
    assert command == "render" or run(*command.format(dump=path).split(), str(path))[0] in (0, 3)


@pytest.mark.parametrize("command", ["convert", "detect", "analyze"])
def test_limits_of_archives_can_be_given(command, tmp_path):
    (tmp_path / "bomb.tar.gz").write_bytes(attacks.gzip_bomb(8))
    for limit in (("--unpacked", "1M"), ("--archive-entries", "1")):
        (tmp_path / "many.tar.gz").write_bytes(attacks.empty_entries(2))
        status, out, err = run(
            command, *limit, str(tmp_path / ("bomb.tar.gz" if limit[0] == "--unpacked" else "many.tar.gz"))
        )
        assert (status, out) == (1, b"") and limit[0] in err, err


def test_settings_are_described_for_the_release_asked_for():
    def of(release, name):
        rows = json.loads(run("settings", "--json", "--release", release)[1])["settings"]
        return next(row for row in rows if row["name"] == name)

    assert (of("2.7.8", "NCCL_MAX_NCHANNELS")["default_text"], of("2.30.7", "NCCL_MAX_NCHANNELS")["default_text"]) == (
        "32",
        "64",
    )
    assert of("2.7.8", "NCCL_P2P_LEVEL")["values"] == "LOC, NVL, PIX, PXB, PHB, SYS, or 0 to 4"
    assert (
        b"default: 32" in run("settings", "--release", "2.7.8")[1]
        and b"default: 64\n" not in run("settings", "--release", "2.7.8")[1]
    )
    for text in (run("settings")[1], run("man")[1].split(b"NCCL SETTINGS")[1].split(b".SH")[0]):
        assert b"{" not in text and b"LOC, NVL, NVB" in text
