#!/usr/bin/env python3
"""Runs every example of docs/nccl and compares it with what the book prints. docs/nccl/README.md says how to mark one.

    ORRERY=build-dev/orrery python3 tests/golden/book.py [--all] [CHAPTER...]     such as paths.md; all by default
    ORR_UPDATE_GOLDEN=1 ...                                                writes the program's answers into the book

It fails for a wrong answer, a failing command, a chapter without an example, a link or a citation that leads nowhere,
and where nothing was checked. Cells about releases that the program does not emulate are counted, not checked.
A cell about several releases is checked for the first and the last of them, which is where rules change; --all and
ORR_UPDATE_GOLDEN=1 check it for each.
"""
import functools
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOOK = ROOT / "docs" / "nccl"
EXAMPLES = BOOK / "examples"
UPDATE = os.environ.get("ORR_UPDATE_GOLDEN") == "1"
ALL = UPDATE or "--all" in sys.argv[1:]
CHAPTERS = [word for word in sys.argv[1:] if word != "--all"]
FENCE = re.compile(r"^```orrery\n(.*?)^```$", re.M | re.S)
FILE_FENCE = re.compile(r"^```xml ([\w.-]+)\n(.*?)^```$", re.M | re.S)
TABLE = re.compile(r"^<!-- orrery: (.+?) -->\n+((?:\|.*\n)+)", re.M)
PICTURE = re.compile(r"^<!-- picture: (.+?) -->\n+!\[[^]]*\]\((pictures/[\w.-]+\.svg)\)", re.M)
MARK = re.compile(r"^(```orrery|<!-- (?:orrery|picture)\b|```xml \S)", re.M)
VERSION = r"\d+\.\d+\.\d+"
SPAN = re.compile(
    rf"(?:(?P<one>{VERSION})|(?P<first>{VERSION}) (?:–|to) (?P<last>{VERSION})|to (?P<until>{VERSION})|"
    rf"from (?P<since>{VERSION})|(?P<on>{VERSION}) on|(?P<all>all releases))"
)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
CITATION = re.compile(r"docs/nccl/([\w-]+\.md)((?:[,;]?(?: and)? \"[^\"]+\")+)")
SOURCES = ("engine", "api", "server", "cli", "tests", "docs")
TIMEOUT = 120

spec = importlib.util.spec_from_file_location("show", EXAMPLES / "show.py")
show = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(show)

failures, counts = [], {
    "examples": 0,
    "cells": 0,
    "files": 0,
    "pictures": 0,
    "links": 0,
    "citations": 0,
    "not emulated": 0,
}


def fail(chapter, text):
    failures.append(f"{chapter}: {text}")


@functools.cache
def program():
    """A folder for PATH with the program under the name `orrery`."""
    folder = tempfile.TemporaryDirectory(prefix="orrery-book-")
    os.symlink((ROOT / os.environ.get("ORRERY", "build-dev/orrery")).resolve(), f"{folder.name}/orrery")
    return folder  # removed when the program ends


@functools.cache
def run(command):
    """Standard output of a shell command in the folder of the examples, or the reason why there is none."""
    env = dict(os.environ, PATH=f"{program().name}:{os.environ['PATH']}", LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=EXAMPLES,
        env=env,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        return None, f"`{command}`: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}"
    return done.stdout, None


@functools.cache
def document(command):
    text, error = run(command)
    return (None, error) if error else (json.loads(text), None)


@functools.cache
def answer(command):
    """Lines that a command prints; `./show.py` runs in this process, where examples share an analysis."""
    left, pipe, question = command.rpartition("| ./show.py ")
    if not pipe or set(question) & set("|<>&;"):
        text, error = run(command)
        return (None, error) if error else (text.rstrip("\n").split("\n"), None)
    a, error = document(left.strip())
    if error:
        return None, error
    try:
        return show.show(a, shlex.split(question)), None
    except (SystemExit, KeyError, IndexError, TypeError, ValueError) as problem:
        return None, f"`{command}`: {problem!r}"


def key(version):
    return tuple(map(int, version.split(".")))


@functools.cache
def releases():
    text, error = run("orrery releases --json")
    if error:
        sys.exit(error)
    return sorted((row["release"] for row in json.loads(text)["releases"]), key=key)


def span(text):
    """The emulated releases that a header names; None if it names no release at all."""
    match = SPAN.fullmatch(plain(text))
    if not match:
        return None
    part = match.groupdict()
    first = part["one"] or part["first"] or part["since"] or part["on"] or "0.0.0"
    last = part["one"] or part["last"] or part["until"] or "99.0.0"
    named = [r for r in releases() if key(first) <= key(r) <= key(last)]
    return named if ALL or len(named) < 3 else [named[0], named[-1]]


def plain(cell):
    return re.sub(r"\s+", " ", cell.replace("`", "").replace("**", "").replace(r"\|", "|")).strip()


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def fenced(chapter, match):
    """A fenced block: lines after "$ " are commands, what follows each is what it prints."""
    blocks = []
    for line in match[1].splitlines():
        if line.startswith("$ "):
            blocks.append((line[2:], []))
        elif blocks and blocks[-1][0].endswith("\\"):
            blocks[-1] = (blocks[-1][0] + "\n" + line, [])
        elif blocks:
            blocks[-1][1].append(line)
        else:
            fail(chapter, f"a block begins without a command: {line}")
    text = ""
    for command, printed in blocks:
        lines, error = answer(re.sub(r"\\\n\s*", "", command))
        counts["examples"] += 1
        if error:
            fail(chapter, error)
            lines = printed
        elif [line.rstrip() for line in lines] != [line.rstrip() for line in printed] and not UPDATE:
            fail(
                chapter,
                f"`{command}` prints\n    " + "\n    ".join(lines) + "\n  the book says\n    " + "\n    ".join(printed),
            )
        text += "".join(f"{line}\n" for line in ["$ " + command, *lines])
    return f"```orrery\n{text}```"


def cell(chapter, command, row, column, emulated):
    """The right content of a cell; None if unknown."""
    found = set()
    for release in emulated:
        filled = re.sub(r"\{(\d)\}", lambda m: plain(row[int(m[1]) - 1]), command).replace("{release}", release)
        lines, error = answer(filled)
        counts["cells"] += 1
        if error:
            fail(chapter, error)
            continue
        said = plain("; ".join(lines))
        found.add(said)
        if said != plain(row[column]) and not UPDATE:
            fail(
                chapter,
                f'row "{plain(row[0])}", {release}: `{filled}` prints "{said}", the book says "{plain(row[column])}"',
            )
    if len(found) > 1 and UPDATE:
        fail(chapter, f'row "{plain(row[0])}", column {column + 1}: releases of one span differ: {sorted(found)}')
    return found.pop() if len(found) == 1 else None


def table(chapter, match):
    """A table below `<!-- orrery: COMMAND -->`: its columns named by releases, or else its last one, are compared."""
    command, lines = match[1], match[2].splitlines()
    header, rows = cells(lines[0]), [cells(line) for line in lines[2:]]
    columns = {i: span(name) for i, name in enumerate(header) if span(name) is not None}
    if not rows or any(len(row) != len(header) for row in rows):
        fail(chapter, f"the table below `{command}` has no rows, or rows of different lengths")
        return match[0]
    before = counts["cells"]
    for row in rows:
        spans = columns or {len(header) - 1: (span(row[0]) or []) if "{release}" in command else [releases()[-1]]}
        for column, emulated in spans.items():
            if not emulated:
                counts["not emulated"] += 1
                continue
            said = cell(chapter, command, row, column, emulated)
            if UPDATE and said is not None and said != plain(row[column]):
                print(f'{chapter}: row "{plain(row[0])}", column {column + 1}: "{plain(row[column])}" becomes "{said}"')
                row[column] = said.replace("|", r"\|")
    if counts["cells"] == before:
        fail(chapter, f"no cell was checked of the table below `{command}`")
    return f"<!-- orrery: {command} -->\n\n" + "\n".join(lines[:2] + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def file_shown(chapter, match):
    counts["files"] += 1
    name = EXAMPLES / match[1]
    if not name.is_file() or (name.read_text() != match[2] and not UPDATE):
        fail(chapter, f"the block `xml {match[1]}` is not what examples/{match[1]} holds")
    return f"```xml {match[1]}\n{name.read_text()}```" if UPDATE and name.is_file() else match[0]


def figures(svg):
    """The numbers in the texts of a drawing: fonts and layout differ from machine to machine, and words are not
    figures."""
    return sorted(re.findall(r"\d[\w.:]*", " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))))


def picture(chapter, match):
    """A picture below `<!-- picture: COMMAND -->`, which draws it on standard output."""
    command, name = match[1], BOOK / match[2]
    counts["pictures"] += 1
    drawn, error = run(command)
    if error:
        fail(chapter, error)
    elif UPDATE and (not name.is_file() or figures(name.read_text()) != figures(drawn)):
        name.parent.mkdir(exist_ok=True)
        name.write_text(drawn)
    elif not figures(drawn) or not name.is_file() or figures(name.read_text()) != figures(drawn):
        fail(chapter, f"{match[2]} does not show the figures that `{command}` draws")
    return match[0]


def check_chapter(path):
    text = path.read_text()
    before = counts["examples"] + counts["cells"]
    marks = len(MARK.findall(text))
    found = sum(len(pattern.findall(text)) for pattern in (FENCE, TABLE, FILE_FENCE, PICTURE))
    if marks != found:
        fail(path.name, f"{marks} marks, but {found} examples: a fence is not closed, or no table follows a comment")
    new = text
    for pattern, check in ((FENCE, fenced), (TABLE, table), (FILE_FENCE, file_shown), (PICTURE, picture)):
        new = pattern.sub(functools.partial(check, path.name), new)
    if counts["examples"] + counts["cells"] == before:
        fail(path.name, "nothing was checked: it has no example")
    if UPDATE and new != text:
        path.write_text(new)


@functools.cache
def headings(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    return [plain(title) for title in re.findall(r"^#+ (.+)$", text, re.M)]


def anchor(title):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def check_links(path):
    for name, part in LINK.findall(re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)):
        target = (path.parent / name).resolve() if name else path
        counts["links"] += 1
        if not target.exists():
            fail(path.name, f"a link to {name}, which does not exist")
        elif part and part not in map(anchor, headings(target)):
            fail(path.name, f"a link to {name}#{part}: there is no such heading")


def check_citations():
    """Comments that cite `docs/nccl/paths.md, "Title"` name a heading that exists."""
    for folder in SOURCES:
        for source in sorted((ROOT / folder).rglob("*")):
            if (
                source.suffix not in (".c", ".h", ".py", ".md", ".mjs", ".txt", ".sh")
                or source == pathlib.Path(__file__).resolve()
            ):
                continue
            flat = re.sub(r"\s*\n\s*(?:\*|//|#)?\s*", " ", source.read_text(errors="replace"))
            for chapter, titles in CITATION.findall(flat):
                for title in re.findall(r"\"([^\"]+)\"", titles):
                    counts["citations"] += 1
                    if not (BOOK / chapter).is_file() or title not in headings(BOOK / chapter):
                        fail(source.relative_to(ROOT), f'cites {chapter}, "{title}": there is no such heading')


def main():
    wanted = CHAPTERS or sorted(path.name for path in BOOK.glob("*.md"))
    for name in wanted:
        check_chapter(BOOK / name)
        check_links(BOOK / name)
    if not CHAPTERS:
        check_citations()
    print("\n".join(failures))
    print(
        f"{len(wanted)} chapters: "
        + ", ".join(f"{n} {what}" for what, n in counts.items())
        + f"; {len(failures)} failed"
    )
    return 1 if failures or not counts["examples"] + counts["cells"] else 0


if __name__ == "__main__":
    sys.exit(main())
