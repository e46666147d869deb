# SPDX-License-Identifier: Apache-2.0
"""Reference cases: one question to NCCL and what NCCL's own code computed.

They come from two places: the archive beside this file (references.xz: machines that are ours to give away, all
releases), and folders of RELEASE/NAME.jsonl.gz, as ../shared/conformance/reference has them, with one case a line.

The archive is text, one JSON value a line, packed by xz. Most values are equal in many releases, so each stands once:

    {"sections": {NAME: count, ...}}                             how many values of each section follow, in this order
    VALUE ...                                                    the values, one a line
    {"machine": [FILE, ...], "hosts": N, "settings": {...},      a question; where the number of files is not 1, one
    host a file
     "asked": {"kind": KIND, ...},                               what else was asked, in cases of KINDS; see Case
     "answers": [[[RELEASE, ...], [index or null, ...]], ...]}   releases that give the same answer: for each section
     in the order above; a third member is the text with which NCCL failed
                                                                 the index of its value, null if NCCL's result was
                                                                 not kept
"""
import gzip
import hashlib
import json
import lzma
import pathlib

from documents import SECTIONS

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE = HERE / "references.xz"
TOPOLOGIES = HERE / "topologies"


# What a second set of cases is about: each is a folder of RELEASE/NAME.jsonl.gz in ../shared/conformance/round3.
KINDS = ["fusion", "mnnvl", "graphfile", "settings", "odd"]
# Further subjects of these cases besides files, hosts and settings: NICs fused as in a job, a graph file, hosts of
# NVLink domains.
ASKED = ["fuse_nics", "graphs_file", "cluster"]


class Case:
    """expected: {section: (key that is the same for the same value only, JSON text)}.

    asked: {"kind": one of KINDS, and what else was asked, as the documents have it}, empty for other cases. error: the
    text with which NCCL failed, or None.
    """

    def __init__(self, release, files, hosts, settings, expected, asked=None, error=None):
        self.release, self.files, self.hosts, self.settings, self.expected = release, files, hosts, settings, expected
        self.asked, self.error = asked or {}, error

    @property
    def label(self):
        return " ".join(
            [*filter(None, [self.asked.get("kind")]), self.release, "+".join(self.files), f"hosts={self.hosts}"]
            + [f"{k}={v}" for k, v in self.settings.items()]
            + [f"{k}={json.dumps(self.asked[k])}" for k in ASKED if k in self.asked]
        )

    @property
    def needs(self):
        """The names of all files that the question needs."""
        return [*self.files, *filter(None, [self.asked.get("graphs_file")])]

    @property
    def different_hosts(self):
        return len(self.files) > 1


def packed(archive=ARCHIVE):
    """The cases of the archive."""
    lines = lzma.decompress(archive.read_bytes()).split(b"\n")
    counts, at, first = json.loads(lines[0])["sections"], 1, {}
    for name, count in counts.items():
        first[name], at = at, at + count
    for line in lines[at:-1]:
        question = json.loads(line)
        for releases, values, *error in question["answers"]:
            expected = {
                name: (first[name] + value, lines[first[name] + value])
                for name, value in zip(counts, values)
                if value is not None
            }
            for release in releases:
                yield Case(
                    release,
                    question["machine"],
                    question["hosts"],
                    question["settings"],
                    expected,
                    question.get("asked"),
                    *error,
                )


def pack(cases):
    """The bytes of an archive; the same for the same cases in whatever order."""
    values, questions = {name: {} for name in SECTIONS}, {}
    for case in cases:
        key = (case.files, case.hosts, sorted(case.settings.items()), *sorted(case.asked.items()))
        answer = tuple(case.expected[name][1].decode() if name in case.expected else None for name in SECTIONS)
        questions.setdefault(json.dumps(key), (case, {}))[1].setdefault((answer, case.error), []).append(case.release)
        for name, value in zip(SECTIONS, answer):
            if value is not None:
                values[name][value] = None
    for name in SECTIONS:
        values[name] = {value: index for index, value in enumerate(sorted(values[name]))}
    lines = [json.dumps({"sections": {name: len(values[name]) for name in SECTIONS}})]
    for name in SECTIONS:
        lines += values[name]
    for _, (case, answers) in sorted(questions.items()):
        rows = sorted(
            [
                in_order(releases),
                [None if value is None else values[name][value] for name, value in zip(SECTIONS, answer)],
                *filter(None, [error]),
            ]
            for (answer, error), releases in answers.items()
        )
        question = {"machine": case.files, "hosts": case.hosts, "settings": case.settings}
        lines.append(json.dumps({**question, **({"asked": case.asked} if case.asked else {}), "answers": rows}))
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 128 << 20}]
    return lzma.compress(("\n".join(lines) + "\n").encode(), check=lzma.CHECK_CRC32, filters=filters)


def in_order(releases):
    return sorted(releases, key=lambda release: [int(part) for part in release.split(".")])


def in_folders(folders):
    """The cases of RELEASE/NAME.jsonl.gz below these folders."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*/*.jsonl.gz")):
            kind = next((part for part in path.parts[-3:] if part in KINDS), None)
            with gzip.open(path, "rt") as lines:
                yield from (from_document(json.loads(line), kind) for line in lines)


def from_document(document, kind=None):
    """A case from the form that a line of RELEASE/NAME.jsonl.gz has."""
    expected = {}
    hosts = document.get("cluster", {}).get("hosts", [])
    for name in SECTIONS:
        if name in document:
            text = json.dumps(document[name], separators=(",", ":")).encode()
            expected[name] = (hashlib.blake2b(text, digest_size=16).digest(), text)
    return Case(
        document["nccl"],
        document.get("topologies") or [host["topology"] for host in hosts] or [document["topology"]],
        document["hosts"],
        document.get("settings", {}),
        expected,
        {"kind": kind, **{name: document[name] for name in ASKED if name in document}} if kind else None,
        document.get("error"),
    )
