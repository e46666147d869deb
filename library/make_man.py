#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes liborrery(3) from the public header: make_man.py HEADER VERSION DATE OUT. Comments become text, everything
else examples of code."""
import gzip
import pathlib
import re
import sys


def plain(text):
    """Text for roff: no line begins with its control characters, and hyphens stay hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def prose(comment):
    """The paragraphs of a comment; its lines that are indented are shown as they are."""
    lines = [re.sub(r"^ ?\* ?", "", line) for line in comment.splitlines()]
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if not paragraph.strip():
            continue
        if re.search(r"(?m)^ {2,}", paragraph):
            yield f".PP\n.nf\n{plain(paragraph)}\n.fi"
        else:
            yield f".PP\n{plain(paragraph.strip())}"


def page(header, version, date):
    opening, rest = header.split("#ifndef", 1)
    rest = rest.split('extern "C" {\n#endif\n', 1)[1].split("#ifdef __cplusplus", 1)[0]
    about = re.findall(r"/\*(.*?)\*/", opening.replace("/* SPDX-License-Identifier: Apache-2.0 */", ""), re.S)
    yield f'.TH liborrery 3 "{date}" "Orrery {version}" "Library Functions Manual"'
    yield ".SH NAME\nliborrery \\- how NCCL sees a machine, as a library for C"
    yield ".SH SYNOPSIS\n.nf\n#include <orrery/orrery.h>\n.fi\n.PP"
    yield "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs orrery)"
    yield ".SH DESCRIPTION"
    for comment in about:
        yield from prose(comment)
    yield ".SH FUNCTIONS AND STRUCTURES"
    # A comment that begins a line is text; one after a member or a function belongs to the code.
    for comment, code in re.findall(r"^/\*((?:.|\n)*?)\*/\n|((?:^(?!/\*).+\n)+)", rest, re.M):
        if comment:
            yield from prose(comment)
        elif code.strip():
            yield f".PP\n.nf\n{plain(re.sub(r'ORR_LIBRARY_(CALL|MUST) ', '', code).rstrip())}\n.fi"
    yield ".SH SEE ALSO\n.BR orrery (1)"


def main():
    header, version, date, out = sys.argv[1:]
    text = "\n".join(page(pathlib.Path(header).read_text(), version, date)) + "\n"
    text = re.sub(r"(?m)^(\.SH .*\n)\.PP\n", r"\1", text)
    pathlib.Path(out).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


main()
