#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the texts that people read: strings of the program and the page, documentation, descriptions of openapi.yaml, kept answers, and comments.

Refused are words that do not say who does what (WORDS; EXCEPT names where they are right), names of XML attributes with a capital, and "1 links". Texts for users,
READMEs and comments of headers also have no sentence of more than 32 words. Comments elsewhere (C files, tests, the page and its styles) may have longer ones."""
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = re.compile(
    r"\b(ways?|rate inside|tells?|told|held? against|holds? against|stands?|stood|odd ones?|wish(?:es)?|mend(?:s|ed)?|looked at)\b",
    re.I,
)
EXCEPT = re.compile(
    r"""under\ way | both\ ways | \bother\ way\b | same\ way | (?:on\ the|its|in\ the)\ way\b | way\ (?:in|out|back|round|down|up)\b | in\ (?:a|this|what|which|no|any)\ way
    | way\.\w+ # a value of the page's code
    | (?:no|the\ only|another|one|quickest)\ way\ to | cannot[- ]tell | stand[- ](?:alone|ins?\b)""",
    re.I | re.X,
)
ATTRIBUTE = re.compile(r"\b(Gdr|Busid|Guid|Numaid|Link_width|Link_speed|Maxconn|Familyid|Modelid|Tclass|Coll|Keep)=")
ONE = re.compile(
    r"(?<![\d.,/–-])(?<![-+] )\b1 (links|NICs|GPUs|hosts|channels|ranks|ports|findings|sockets|switches|nodes|errors|warnings|facts|lines|bytes)\b"
)
MOST_WORDS = 32


def strings_of_c(text):
    """(line, text) of string literals; adjacent ones are one."""
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for found in re.finditer(rf"/\*.*?\*/|//[^\n]*|'(?:[^'\\]|\\.)+'|({literal}(?:\s*{literal})*)", text, re.S):
        if found[1]:
            joined = "".join(part[1:-1] for part in re.findall(literal, found[1]))
            yield text.count("\n", 0, found.start()) + 1, joined.replace("\\n", "\n").replace('\\"', '"')


def comments(text, literals):
    """(line, text) of comments; literals: a pattern of what else may hold their marks."""
    for found in re.finditer(rf"{literals}|(/\*.*?\*/|(?<![:\w])//[^\n]*)", text, re.S):
        if found[1]:
            yield text.count("\n", 0, found.start()) + 1, re.sub(
                r"\n\s*(?:\*(?!/) ?|// ?)?", " ", re.sub(r"\n\s*\*\n", "   ", found[1])
            )


LITERALS_OF_C = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\]|\\.)+\''
LITERALS_OF_JS = r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`'


def strings_of_js(text):
    for found in re.finditer(r"/\*.*?\*/|(?<![:\w])//[^\n]*|(\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\\n]|\\.)*`)", text, re.S):
        if found[1]:
            yield text.count("\n", 0, found.start()) + 1, re.sub(
                r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "X", found[1][1:-1]
            )


def paragraphs_of_markdown(text):
    """(line, text) of paragraphs and rows of tables, without blocks of code and spans of it."""
    start, block, code = 1, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.startswith("```")
        if fence or code or not line.strip() or line.startswith(("    ", "|", "#", "- ", "* ")):
            if block:
                yield start, " ".join(block)
            block, code = [], code != fence
            if not (fence or code) and line.startswith(("|", "#", "- ", "* ")):
                if line.startswith("|"):
                    yield from ((number, part) for cell in line.split("|") for part in re.split(r"[;:] ", cell))
                else:
                    start, block = number, [line.lstrip("#-* ")]
        else:
            start = start if block else number
            block.append(line.strip())


def descriptions(node, where=""):
    """(where, text) of every summary and description of openapi.yaml."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("description", "summary") and isinstance(value, str):
                yield f"{where}/{key}", value
            else:
                yield from descriptions(value, f"{where}/{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from descriptions(value, f"{where}/{i}")


# Who reads a text: its sentences and words are checked; the same, but that a comment may have tables (wide blanks) and JSON; its words alone; neither.
USER, CALLER, WORKER, KEPT = "user", "caller", "worker", "kept"


def markdown(path, reader):
    for line, text in paragraphs_of_markdown(path.read_text()):
        text = re.sub(r"`[^`]*`", "X", re.sub(r"\]\([^)]*\)", "]", text))
        yield f"{path.relative_to(ROOT)}:{line}", text, reader


def texts_of_workers():
    """Comments, and what is written about rooms."""
    for room in ("engine", "api", "cli", "server", "library", "include", "tests", "examples", "bindings"):
        for path in sorted([*(ROOT / room).rglob("*.[ch]"), *(ROOT / room).rglob("*.def")]):
            if "node_modules" not in path.parts:
                reader = CALLER if path.suffix == ".h" and room not in ("tests", "examples", "bindings") else WORKER
                yield from (
                    (f"{path.relative_to(ROOT)}:{line}", text, reader)
                    for line, text in comments(path.read_text(), LITERALS_OF_C)
                )
    for path in sorted([*(ROOT / "static").rglob("*.js"), *(ROOT / "static").rglob("*.css")]):
        yield from (
            (f"{path.relative_to(ROOT)}:{line}", text, WORKER)
            for line, text in comments(path.read_text(), LITERALS_OF_JS)
        )
    yield from markdown(ROOT / "CHANGELOG.md", USER)
    for path in sorted(
        path
        for room in ("engine", "api", "cli", "server", "tests", "static")
        for path in (ROOT / room).rglob("README.md")
    ):
        if "node_modules" not in path.parts:
            yield from markdown(path, USER)


def texts():
    """(where, text, who reads it)"""
    yield from texts_of_workers()
    for room in ("engine", "api", "cli", "server"):
        for path in sorted([*(ROOT / room).rglob("*.[ch]"), *(ROOT / room).rglob("*.def")]):
            if path.name != "store_sql.c" and path.name != "store_sql.h":  # statements of SQL
                yield from (
                    (f"{path.relative_to(ROOT)}:{line}", text, USER)
                    for line, text in strings_of_c(path.read_text())
                    if text.count(" ") > 2
                )
    for path in sorted([*(ROOT / "static/js").glob("**/*.js")]):
        yield from (
            (f"{path.relative_to(ROOT)}:{line}", text, USER)
            for line, text in strings_of_js(path.read_text())
            if text.count(" ") > 2
        )
    pages = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
        (ROOT / "docs").rglob("*.md")
    )
    for path in [*pages, *sorted((ROOT / "examples").rglob("*.md")), *sorted((ROOT / "bindings").rglob("*.md"))]:
        yield from markdown(
            path, USER if path.name != "release-table.md" else KEPT
        )  # written from rows of engine/release, which are checked above
    yield from (
        ("static/index.html", text, USER)
        for text in re.findall(r">([^<>]+)<", (ROOT / "static/index.html").read_text())
    )
    yield from (
        (f"api/openapi.yaml {where}", re.sub(r"`[^`]*`", "X", text), USER)
        for where, text in descriptions(yaml.safe_load((ROOT / "api/openapi.yaml").read_text()))
    )
    for path in sorted((ROOT / "tests/golden").rglob("*")):
        if (
            path.suffix in (".txt", ".md", ".csv")
            and path.name != "perf_questions.csv"
            and path.parent.name != "expected"
        ):
            yield from (
                (f"{path.relative_to(ROOT)}:{number}", line, KEPT)
                for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
            )


def wrong_of(text, reader):
    for pattern in (ATTRIBUTE, ONE):
        for found in pattern.finditer(text):
            yield f"“{found[0]}”"
    if reader == KEPT:
        return
    for found in WORDS.finditer(text):
        around = text[max(0, found.start() - 20) : found.end() + 12]
        if not any(
            right.start() <= found.start() - max(0, found.start() - 20) < right.end()
            for right in EXCEPT.finditer(around)
        ):
            yield f"the word “{found[0]}”"
    if reader == WORKER:
        return
    if reader == CALLER:
        text = re.sub(r"\{[^{}]*\}", "X", re.sub(r"\{[^{}]*\}", "X", text)).replace("   ", "\n\n")
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n(?=  )", text):
        count = len(re.findall(r"[A-Za-z][\w'’-]*", sentence))
        if count > MOST_WORDS:
            yield f"{count} words in one sentence"


def check_itself():
    """Each rule finds what it is for, and leaves what is right."""
    refused = [
        "Ranks take another way",
        'Gdr="0" of a NIC',
        "a pair with 1 links",
        "this is told by its content",
        " ".join(["word"] * 33) + ".",
    ]
    allowed = [
        "requests under way",
        'gdr="0" of a NIC',
        "a pair with 1 link, or 11 links",
        "Cannot tell, because",
        " ".join(["word"] * 32) + ".",
    ]
    assert all(any(wrong_of(text, USER)) for text in refused) and not any(any(wrong_of(text, USER)) for text in allowed)
    assert list(wrong_of(refused[-1], CALLER)) and not list(
        wrong_of("   ".join(["a row of a table"] * 10) + " {" + "word " * 40 + "}", CALLER)
    )
    assert list(wrong_of("the GPU is told", WORKER)) and not list(wrong_of(refused[-1], WORKER))
    assert [text for _, text in comments('x = "/* a */"; /* b\n * c */ // d\n', LITERALS_OF_C)] == ["/* b c */", "// d"]
    assert list(strings_of_c('/* "not this" */ puts("a b" /* c */ "d");'))[0] == (1, "a b")


def main():
    check_itself()
    wrong, count = [], 0
    for where, text, reader in texts():
        count += 1
        wrong.extend(f"{where}: {what}: {' '.join(text.split())[:200]}" for what in wrong_of(text, reader))
    print("\n".join(wrong))
    print(f"{count} texts, {len(wrong)} wrong")
    sys.exit(1 if wrong or count < 25000 else 0)


if __name__ == "__main__":
    main()
