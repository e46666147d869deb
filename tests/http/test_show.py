# SPDX-License-Identifier: Apache-2.0
"""`orrery show`, and what other commands print on a terminal: colours, width, pager, progress, and JSON on request."""
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

from conftest import DUMP, ROOT, SANITIZERS

PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
H100 = "static/examples/h100-with-faults.xml"
UNSET = ("COLUMNS", "LINES", "NO_COLOR", "PAGER", "LESS", "LC_ALL", "LC_CTYPE", "LANG")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
LIMIT = 120  # seconds; none of this waits for the clock


def environment(more):
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    made = {**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", "PAGER": "cat", **SANITIZERS, **more}
    return {name: value for name, value in made.items() if value is not None}


def read_all(master, until=None):
    """Everything that a terminal prints until its other end is closed, or a pattern has come."""
    text, end = b"", time.monotonic() + LIMIT
    while time.monotonic() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        text += piece
        if not piece or (until and re.search(until, text)):
            break
    return text.decode().replace("\r\n", "\n")


def terminal(*arguments, columns=80, rows=500, **more):
    """The status and what a terminal shows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [PROGRAM, *arguments], cwd=ROOT, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=environment(more)
    )
    os.close(slave)
    text = read_all(master)
    _, errors = process.communicate(timeout=LIMIT)
    os.close(master)
    assert b"Sanitizer" not in errors and b"runtime error" not in errors, errors[-3000:]
    return process.returncode, text


def piped(*arguments, stdin=b"", **more):
    done = subprocess.run(
        [PROGRAM, *arguments], cwd=ROOT, input=stdin, capture_output=True, timeout=LIMIT, env=environment(more)
    )
    assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr[-3000:]
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def widest(text):
    return max(len(line) for line in ESCAPE.sub("", text).split("\n"))


def test_colours_are_for_terminals_that_want_them():
    status, coloured = terminal("show", H100)
    assert status == 0 and "\x1b[31m" in coloured and "\x1b[1mVerdict\x1b[0m" in coloured
    plain = ESCAPE.sub("", coloured)
    assert terminal("show", H100, NO_COLOR="1")[1] == plain
    assert terminal("show", H100, TERM="dumb")[1] == plain
    assert terminal("show", "--color", "never", H100)[1] == plain
    assert terminal("show", H100, NO_COLOR="")[1] == coloured  # an empty NO_COLOR means nothing
    assert "\x1b" not in piped("show", H100)[1]
    assert "\x1b[31m" in piped("show", "--color=always", H100)[1]
    status, _, errors = piped("show", "--color", "sometimes", H100)
    assert status == 2 and "--color must be auto, always or never" in errors


def test_lines_are_as_wide_as_the_terminal_or_COLUMNS():
    for columns in (40, 80, 100):
        assert columns - 8 <= widest(terminal("show", H100, columns=columns)[1]) <= columns
    assert widest(terminal("show", H100, columns=300)[1]) <= 120
    assert 60 < widest(terminal("show", H100, columns=120, COLUMNS="70")[1]) <= 70
    assert widest(terminal("show", H100, columns=0, COLUMNS="wide")[1]) <= 80
    assert widest(piped("show", H100)[1]) <= 80
    assert 90 < widest(piped("show", H100, COLUMNS="100")[1]) <= 100
    assert piped("show", H100)[1] == piped("show", H100)[1]


def test_unicode_is_for_locales_that_have_it():
    assert "├─ " in terminal("show", "--tree", H100)[1]
    for text in (terminal("show", "--tree", H100, LC_ALL="C")[1], piped("show", "--tree", H100)[1]):
        assert "|- " in text and "├" not in text


def test_the_pager_gets_what_is_longer_than_the_screen():
    marked = {"PAGER": "sed s/^/paged:/"}
    assert terminal("show", H100, rows=24, **marked)[1].startswith("paged:")
    assert "paged:" not in terminal("show", H100, rows=300, **marked)[1]
    assert "paged:" not in piped("show", H100, LINES="10", **marked)[1]
    assert terminal("show", H100, rows=300, LINES="10", **marked)[1].startswith("paged:")


# The arguments that each command needs to print something; --json prints JSON on a terminal too.
READABLE = {
    "show": [H100],
    "analyze": [H100],
    "channels": [H100],
    "p2p": ["--ranks", "0", H100],
    "groups": ["--hosts", "2", "--layout", "tp=8", H100],
    "order": ["--hosts", "2", H100],
    "explain": ["--why", "channels", H100],
    "predict": [H100],
    "scaling": [H100],
    "place": ["--count", "4", H100],
    "compare": [H100, "static/examples/h100-nvswitch.xml"],
    "check-log": ["--verbose", "tests/data/logs/workstation-2.27.7-2h.log"],
    "check-perf": ["--machine", "hgx-h100", "{results}"],
    "releases": [],
    "settings": [],
    "machines": [],
}
FILES = {
    "gate",
    "render",
    "detect",
    "gather",
    "facts",
    "convert",
    "vm-file",
    "anonymise",
    "token",
    "serve",
}  # what they print is a file, a line, or a log


@pytest.mark.parametrize("command", READABLE)
def test_what_a_terminal_shows_is_text_and_paged(command, tmp_path):
    results = tmp_path / "results.txt"
    results.write_text(piped("predict", "--machine", "hgx-h100")[1])
    arguments = [command, *(word.replace("{results}", str(results)) for word in READABLE[command])]
    status, text = terminal(*arguments, rows=3, PAGER="sed s/^/paged:/")
    assert status in (0, 3) and text.startswith("paged:") and text.count("paged:") == text.count("\n") > 2, text[:300]
    assert not text.removeprefix("paged:").lstrip().startswith(("{", "[")), text[:300]
    status, text = terminal(*arguments, "--json", rows=3, PAGER="sed s/^/paged:/")
    assert status in (0, 3) and json.loads(text), text[:300]


@pytest.mark.parametrize("command", ["check-log", "check-perf"])
def test_sentences_fit_the_terminal_and_stay_whole_in_a_pipe(command, tmp_path):
    results = tmp_path / "results.txt"
    results.write_text(piped("predict", "--machine", "hgx-h100")[1])
    arguments = [command, *(word.replace("{results}", str(results)) for word in READABLE[command])]
    whole, narrow = piped(*arguments, *(["--text"] if command == "check-perf" else []))[1].replace(
        "–", "-"
    ), ESCAPE.sub("", terminal(*arguments, columns=50)[1].replace("\r", "").replace("–", "-"))
    assert set(narrow.split()) == set(whole.split())  # the same words; a table that is too wide is cut into blocks
    tables = {line for line in whole.split("\n") if re.search(r"\S {3,}\S|^ {6,}\S|  not in the log|^ +[0-9]+ +", line)}
    assert all(len(line) <= 50 for line in narrow.split("\n") if line not in tables), [
        line for line in narrow.split("\n") if len(line) > 50
    ]
    assert any(len(line) > 110 for line in whole.split("\n") if line not in tables)


def test_every_command_is_one_of_these():
    names = set(
        re.findall(r"^  ([a-z][a-z0-9-]*) ", piped("--help")[1].split("Commands (")[1].split("Topics")[0], re.M)
    )
    assert names - {"orrery"} == set(READABLE) | FILES


def test_a_pager_that_is_missing_or_quits_does_no_harm():
    whole = terminal("show", H100, rows=300)[1]
    status, text = terminal("show", H100, rows=24, PAGER="/nowhere/pager 2>/dev/null")
    assert status == 0 and text == whole
    assert terminal("show", H100, rows=24, PAGER="")[1] == whole
    assert terminal("show", H100, rows=24, PAGER=None, PATH="/nowhere") == (0, whole)  # less is not installed
    status, text = terminal("show", H100, rows=24, PAGER="head -1")
    assert status == 0 and text == whole.split("\n")[0] + "\n"
    assert terminal("show", H100, rows=24, PAGER="true") == (0, "")


PRINTED = {
    "analyze": (["--hosts", "2", H100], "`orrery analyze --json` prints the whole analysis as JSON."),
    "channels": (["--hosts", "2", H100], "Rings (order of ranks)"),
    "p2p": (["--hosts", "2", "--ranks", "3-4", H100], "Receives from"),
    "groups": (["--hosts", "8", "--layout", "tp=8,pp=2", H100], "tp: 8 groups of 8 ranks"),
}


@pytest.mark.parametrize("command", PRINTED)
def test_commands_print_text_on_terminals_and_json_elsewhere(command):
    arguments, sentence = PRINTED[command]
    status, text = terminal(command, *arguments)
    assert status == 0 and sentence in " ".join(ESCAPE.sub("", text).split()) and widest(text) <= 80
    document = json.loads(terminal(command, "--json", *arguments)[1])
    assert document == json.loads(piped(command, *arguments)[1]) and document["nccl"] == "2.30.7"
    assert sentence in " ".join(piped(command, "--text", *arguments)[1].split())


def test_sections_lines_and_pretty_stay_json_on_terminals():
    assert json.loads(terminal("analyze", "--section", "ranks", H100)[1]) == 8
    assert json.loads(terminal("analyze", "--pretty", H100)[1])["ranks"] == 8
    assert [json.loads(line) for line in terminal("channels", "--lines", H100)[1].splitlines()][-1] == {"end": True}


def test_a_file_alone_is_shown():
    report = piped("show", H100)[1]
    assert report.startswith("h100-with-faults.xml, analysed for NCCL 2.30.7\n8 Hopper GPUs")
    assert piped(H100)[1] == report
    assert piped("--hosts", "2", H100)[1] == piped("show", "--hosts", "2", H100)[1]
    assert piped("-", stdin=DUMP)[0] == 0
    assert json.loads(piped("show", "--json", H100)[1])["ranks"] == 8
    status, _, errors = piped("nothing")
    assert status == 2 and 'unknown command "nothing"' in errors
    status, out, errors = piped("nowhere/topo.xml")
    assert (status, out, errors) == (1, "", "nowhere/topo.xml: cannot be read: No such file or directory\n")


@pytest.mark.parametrize(
    "content, pattern",
    [
        (DUMP[:300], r"^\S+machine\.xml:\d+:\d+: the file ends inside <"),
        (b"", r"^\S+machine\.xml: the input is empty"),
        (b"\x89PNG", r"^\S+machine\.xml: this is not topology XML"),
        (DUMP.replace(b"rank=", b"rang="), r"^\S+machine\.xml"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_1(tmp_path, content, pattern):
    path = tmp_path / "machine.xml"
    path.write_bytes(content)
    for option in ("--text", "--tree", "--findings", "--matrix"):
        status, out, errors = piped("show", option, str(path))
        assert (status, out) == (1, "") and re.match(pattern, errors), errors


@pytest.mark.parametrize("file", sorted(path.name for path in (ROOT / "static/examples").glob("*.xml")))
def test_the_legend_explains_what_the_matrix_shows(file):
    """Each path type of the matrix once and no other, and each NIC by its name, once."""
    status, text, _ = piped("show", "--matrix", f"static/examples/{file}", COLUMNS="4000")
    matrix, legend = text.split("\nLegend\n")
    rows = [line.split() for line in matrix.splitlines() if re.match(r"  (GPU|NIC)\d", line)]
    shown = {word for row in rows for word in row[1:] if not word.isdigit()}
    assert status == 0 and sorted(re.findall(r"^ +((?!NIC)[A-Z0-9]+) +=", legend, re.M)) == sorted(shown), text
    nics = len({row[0] for row in rows if row[0].startswith("NIC")})
    assert re.findall(r"NIC0(?:-(\d+))? = ", legend) == ([str(nics - 1) if nics > 1 else ""] if nics else []), legend


def test_findings_are_all_there():
    """The report has room for some notes; --findings has every finding, and what each of them explains."""
    status, text, _ = piped("show", "--findings", H100, COLUMNS="400")
    found = json.loads(piped("analyze", "--json", H100)[1])["findings"]
    assert status == 0 and len(found) > 5
    text = " ".join(text.split())
    for row in found:
        assert row["title"] in text and (row["follows_from"] or row["detail"] in text), row["id"]


def test_wrong_usage():
    assert piped("show", "--tree", "--matrix", H100)[0] == 2 and piped("show", "--findings", "--matrix", H100)[0] == 2
    status, _, errors = piped("show", "--against", "nowhere.xml", H100)
    assert status == 1 and "--against nowhere.xml" in errors


def test_names_of_a_file_cannot_write_to_the_terminal(tmp_path):
    """C1 control characters and marks that turn the writing direction are legal in XML."""
    path = tmp_path / "machine.xml"
    path.write_bytes(re.sub(rb'(<net [^>]*name=")[^"]*', "\\g<1>m\u009b31m\u202ex".encode(), DUMP))
    for option in ("--text", "--tree", "--findings", "--matrix"):
        status, text = terminal("show", "--color", "never", option, str(path))
        assert status == 0 and not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", text)
    assert "m?31m?x" in text


def test_words_of_proposed_commands_are_quoted(tmp_path):
    path = tmp_path / "it's a dump; ls.xml"
    path.write_bytes(DUMP)
    assert "'" + str(path).replace("'", "'\\''") + "'" in piped("show", str(path), COLUMNS="400")[1]


def with_slow_input(stderr, **more):
    process = subprocess.Popen(
        [PROGRAM, "show", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment(more),
    )
    return process


def test_progress_is_shown_on_a_terminal_and_removed():
    master, slave = pty.openpty()
    process = with_slow_input(slave)
    os.close(slave)
    shown = read_all(master, rb"working, [1-9]")
    out, _ = process.communicate(DUMP, timeout=LIMIT)
    shown += read_all(master)
    os.close(master)
    assert re.match(r"working, [1-9]\d* s", shown) and shown.endswith("\r\x1b[K")
    assert process.returncode == 0 and b"working" not in out


def test_no_progress_is_written_to_a_pipe():
    process = with_slow_input(subprocess.PIPE)
    time.sleep(2.5)  # a second line would come after 1.5 s
    _, errors = process.communicate(DUMP, timeout=LIMIT)
    assert (process.returncode, errors) == (0, b"")
