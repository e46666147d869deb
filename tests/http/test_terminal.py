# SPDX-License-Identifier: Apache-2.0
"""Contents of an input never reach a terminal as commands, and files that a command writes are whole."""
import os
import pty
import re
import resource
import select
import subprocess

import pytest

from conftest import DUMP, ROOT, SANITIZERS

PROGRAM = os.path.abspath(os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery")))
NASTY = "a\x1b[2Jb\x07c\u009b31md\u202ee\u2066f\x7fg\u2028h"
HARMFUL = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def on_terminal(*arguments, folder):
    """(exit status, all that the terminal got), without our own styles."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, **SANITIZERS, "PAGER": "cat", "TERM": "xterm", "LANG": "C.UTF-8"}
    child = subprocess.Popen(
        [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    got = b""
    while select.select([ours], [], [], 120)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        got += piece
    os.close(ours)
    text = got.decode("utf-8").replace("\r\n", "\n").replace("\r\x1b[K", "")
    return child.wait(60), re.sub(r"\x1b\[(0|1|31|32|33)m", "", text)


@pytest.fixture
def folder(tmp_path):
    name = "mlx5" + NASTY.replace("\x1b", "").replace("\x07", "").replace("\x7f", "")  # XML has no control characters
    nasty = DUMP.replace(b'name="mlx5_0"', b'name="' + name.encode() + b'"')
    (tmp_path / f"dump{NASTY}\n.xml").write_bytes(nasty)
    (tmp_path / f"broken{NASTY}\n.xml").write_bytes(DUMP.replace(b"busid=", b"nasty=") + NASTY.encode())
    log = f"host{NASTY}:1:2 [0] NCCL INFO NCCL version 2.27.7+cuda12.4\nh:1:2 [0] NCCL WARN {NASTY} failed\n"
    (tmp_path / "job.log").write_bytes(log.encode() + b"h:1:2 [0] NCCL WARN \xff\xfe\x9b31m\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "DUMP"),
        ("show", "--tree", "DUMP"),
        ("analyze", "--json", "DUMP"),
        ("convert", "DUMP"),
        ("explain", "--why", "channels", "DUMP"),
        ("compare", "DUMP", "DUMP"),
        ("facts", "DUMP"),
        ("predict", "DUMP"),
        ("check-log", "job.log"),
        ("check-log", "--json", "job.log"),
        ("anonymise", "job.log"),
        ("check-perf", "job.log"),
        ("show", "BROKEN"),
        ("analyze", "BROKEN"),
        ("analyze", "--set", f"NCCL_{NASTY}=1", "DUMP"),
        ("show", f"none{NASTY}.xml"),
        ("nonsense" + NASTY,),
        ("show", "--release", NASTY, "DUMP"),
        ("show", "--" + NASTY),
    ],
    ids=lambda words: re.sub(r"[^ -~]", "?", " ".join(words)),
)
def test_nothing_changes_the_terminal(folder, arguments):
    names = {"DUMP": f"dump{NASTY}\n.xml", "BROKEN": f"broken{NASTY}\n.xml"}
    status, text = on_terminal(*(names.get(word, word) for word in arguments), folder=folder)
    assert text.strip() and status >= 0, arguments
    found = HARMFUL.search(text)
    assert not found, (hex(ord(found[0])), text[max(0, found.start() - 200) : found.end() + 80])


def test_a_name_with_a_line_break_is_one_line(folder):
    done = subprocess.run([PROGRAM, "show", f"broken{NASTY}\n.xml"], capture_output=True, cwd=folder, timeout=60)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1 and lines[0].startswith("broken") and ".xml:" in lines[0], lines


def test_an_output_file_is_whole_or_as_it_was(folder, tmp_path):
    target = tmp_path / "out.xml"
    target.write_bytes(b"before" * 100000)
    target.chmod(0o640)
    (tmp_path / "machine.xml").write_bytes(DUMP)

    def full():  # no file may get larger than this
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    command = [PROGRAM, "convert", "--output", str(target), str(tmp_path / "machine.xml")]
    done = subprocess.run(command, capture_output=True, timeout=60, preexec_fn=full)
    assert done.returncode == 1 and b"cannot be written" in done.stderr
    assert target.read_bytes() == b"before" * 100000 and not list(tmp_path.glob("out.xml.*"))
    link = tmp_path / "link.xml"
    link.symlink_to(target)
    command[3] = str(link)
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    assert b"<system" in target.read_bytes() and link.is_symlink() and target.stat().st_mode & 0o777 == 0o640
    command[3] = "/dev/stdout"
    assert b"<system" in subprocess.run(command, capture_output=True, timeout=60).stdout
    assert not list(tmp_path.glob("*.xml.*"))
