#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Orrery computes with what NCCL's own code computed, case by case.

usage: check.py [--answers PROGRAM] [--orrery PROGRAM] [--reference DIR]... [--topologies DIR]... [--release R]...
[--match TEXT]
                [--section NAME]... [--every N] [--beyond-ours] [--show N] [--jobs N] [--list]

Without --reference the cases are those of this repository (references.xz; README.md says what they are). With it they
come from folders of RELEASE/NAME.jsonl.gz, such as ../shared/conformance/reference, and their files from --topologies.

A case passes when every section that the reference holds agrees (documents.py). Cases of releases that `orrery
releases` does not list are skipped and counted. One case in 400 is also put to `orrery analyze`, whose document must
have the same sections. Cases of a kind (cases.py: KINDS) are asked of `orrery analyze` only. What NCCL failed on must
be an error with --strict.

The last line is 'N passed, N failed, N skipped'; the exit status is 0 only where nothing failed and something passed.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import zlib

from answers import Answers
import cases as reference_cases
from documents import SECTIONS, differ_section

ROOT = pathlib.Path(__file__).resolve().parents[2]
BY_COMMAND = 400  # one case in this many is asked of the command line as well
# Differences that are known, with the reason by which README.md names them.
LOST_NAMES = "the reference lacks a NIC that is there"
CUT_LIST = "2.24.3 cuts NCCL_NET_FORCE_MERGE, which all ranks of the reference share"


def chance(case, every):
    """Whether this is the one case in so many that is looked at: always the same ones."""
    return zlib.crc32(case.label.encode()) % every == 0


class Check:
    def __init__(self, args, files):
        self.args, self.files = args, files
        self.known = {}  # (section, expected, digest of what was got): the difference or None
        self.lock = threading.Lock()
        self.sections = collections.defaultdict(lambda: [0, 0])  # (release, section): agree, all
        self.passed, self.failed, self.commands = 0, 0, 0
        self.skipped = collections.Counter()

    def compare(self, section, expected, text):
        key = (section, expected[0], hashlib.blake2b(text, digest_size=16).digest())
        if key not in self.known:
            self.known[key] = differ_section(section, json.loads(expected[1]), json.loads(text))
        return self.known[key]

    def run_command(self, case, paths):
        """(exit status of `orrery analyze`, its output, its errors); exit status None means no answer in time."""
        command = [self.args.orrery, "analyze", "--release", case.release] + ["--strict"] * (case.error is not None)
        for name, value in case.settings.items():
            command += ["--set", f"{name}={value}"]
        command += ["--fuse-nics", "always"] * bool(case.asked.get("fuse_nics"))
        if "graphs_file" in case.asked:
            command += ["--graphs", self.files[case.asked["graphs_file"]]]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as cluster:
            if case.different_hosts or "cluster" in case.asked:
                hosts = case.asked.get("cluster", {}).get("hosts") or [{"count": 1}] * len(paths)
                whole = [{**host, "topology": os.path.abspath(path)} for host, path in zip(hosts, paths)]
                json.dump({**case.asked.get("cluster", {}), "hosts": whole}, cluster)
                cluster.flush()
                command += ["--cluster", cluster.name]
            else:
                command += ["--hosts", str(case.hosts), *paths]
            try:
                done = subprocess.run(command, capture_output=True, timeout=self.args.timeout)
            except subprocess.TimeoutExpired:
                return None, b"", f"no answer in {self.args.timeout:g} s"
        return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()

    def by_command(self, case, paths, texts):
        """The difference between `orrery analyze` and the program, or None."""
        status, out, errors = self.run_command(case, paths)
        if status != 0:
            return f"orrery analyze: exit status {status}: {errors[:160]}"
        document = json.loads(out)
        for section, text in texts.items():
            if document.get(section) != json.loads(text):
                return f"orrery analyze: its section {section} is not what conformance_answers gave"
        return None

    def differences_of_kind(self, case, paths):
        status, out, errors = self.run_command(case, paths)
        if case.error is not None:
            if status is not None and status > 0 and errors:
                return {"run": None}
            return {"run": f"NCCL fails ({case.error[:120]}), orrery ends with {status}"}
        if status != 0:
            return {"run": f"exit status {status}: {errors[:160]}"}
        document = json.loads(out)
        return {
            name: (
                differ_section(name, json.loads(text), document[name], more_channels=True)
                if name in document
                else f"{name}: missing"
            )
            for name, (_, text) in case.expected.items()
            if not self.args.section or name in self.args.section
        }

    def differences(self, answers, case):
        """{section: a difference or None}; 'run' stands for the call itself."""
        paths = [self.files.get(name) for name in case.files]
        missing = [name for name in case.needs if name not in self.files]
        if missing:
            return {"run": f"there is no file {missing[0]}"}
        if case.asked:
            return self.differences_of_kind(case, paths)
        sections = [name for name in case.expected if not self.args.section or name in self.args.section]
        texts, problem = answers.ask(
            case.release, 0 if case.different_hosts else case.hosts, case.settings, paths, sections
        )
        if problem:
            return {"run": problem}
        result = {name: self.compare(name, case.expected[name], texts[name]) for name in sections}
        if chance(case, BY_COMMAND):
            result["command"] = self.by_command(case, paths, texts)
        return result

    def work(self, waiting):
        answers = Answers(self.args.answers, self.args.timeout)
        while True:
            case = waiting.get()
            if case is None:
                break
            try:
                found = self.differences(answers, case)
            except Exception as error:  # a thread that ends would go unnoticed
                found = {"run": f"{type(error).__name__}: {error}"}
            with self.lock:
                self.record(case, found)
        answers.close()

    def record(self, case, found):
        wrong = [text for text in found.values() if text]
        known = wrong and known_difference(case, self.files)
        if known:
            self.skipped[f"{known} (tests/conformance/README.md)"] += 1
            return
        self.passed, self.failed = self.passed + (not wrong), self.failed + bool(wrong)
        self.commands += "command" in found
        for section, text in found.items():
            tally = self.sections[case.release, section]
            tally[0], tally[1] = tally[0] + (not text), tally[1] + 1
        if wrong and self.failed <= self.args.show:
            print(f"differs: {case.label}", *wrong[:3], sep="\n    ")

    def report(self):
        for release in reference_cases.in_order({release for release, _ in self.sections}):
            print(
                f"{release}: "
                + ", ".join(
                    f"{name} {good}/{count}" for (r, name), (good, count) in self.sections.items() if r == release
                )
            )
        for reason, count in sorted(self.skipped.items()):
            print(f"skipped: {count} cases, because {reason}")
        print(f"{self.commands} of them were also asked of orrery analyze")
        print(f"{self.passed} passed, {self.failed} failed, {sum(self.skipped.values())} skipped")
        return 0 if self.passed and not self.failed else 1


def listed_releases(orrery):
    """The releases that the program lists."""
    done = subprocess.run([orrery, "releases", "--json"], capture_output=True, text=True, check=True, timeout=60)
    return {row["release"] for row in json.loads(done.stdout)["releases"]}


def names_nics_that_are_there(case, files):
    """Whether NCCL is said to miss NICs of a group, although the machine has all that the group names."""
    group = re.search(r"Only matched \d+ devices, \d+ requested from (.*)", case.error or "")
    if not group or case.files[0] not in files:
        return False
    text = pathlib.Path(files[case.files[0]]).read_text()
    there = set(re.findall(r'<net name="([^"]*)"[^>]* port="(\d+)"', text))
    named = [entry.split(":") for entry in group[1].split(",") if entry]
    return all(any(name == entry[0] and port in (*entry[1:], port)[:1] for name, port in there) for entry in named)


def known_difference(case, files):
    """The known reason why Orrery differs from the reference of a case, or None."""
    if case.error is not None:
        return LOST_NAMES if names_nics_that_are_there(case, files) else None
    if case.release == "2.24.3" and ";" in case.settings.get("NCCL_NET_FORCE_MERGE", ""):
        return CUT_LIST
    return None


def why_skipped(release, listed, asked):
    if asked and release not in asked:
        return "--release names others"
    return None if release in listed else f"this build has no release {release}"


def read_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--answers", default=ROOT / "build/tests/conformance_answers")
    p.add_argument("--orrery", default=ROOT / "build/orrery")
    p.add_argument("--reference", action="append", metavar="DIR")
    p.add_argument("--topologies", action="append", metavar="DIR")
    p.add_argument("--release", action="append")
    p.add_argument("--match", default="", help="only cases with a file whose name holds this text")
    p.add_argument("--section", action="append", choices=SECTIONS)
    p.add_argument("--every", type=int, default=1, metavar="N", help="only one case in N, always the same ones")
    p.add_argument(
        "--beyond-ours", action="store_true", help="only cases that name a machine which is not in this repository"
    )
    p.add_argument("--show", type=int, default=12, help="so many differences at most")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--timeout", type=float, default=120, help="seconds for one answer")
    p.add_argument("--list", action="store_true", help="names the cases and stops")
    return p.parse_args()


def main():
    args = read_arguments()
    folders = args.topologies or [reference_cases.TOPOLOGIES]
    files = {path.name: str(path) for folder in folders for path in pathlib.Path(folder).rglob("*.xml")}
    ours = {path.name for path in reference_cases.TOPOLOGIES.glob("*.xml")} if args.beyond_ours else set()
    check = Check(args, files)
    listed = listed_releases(args.orrery)
    waiting = queue.Queue(8 * args.jobs)
    threads = [threading.Thread(target=check.work, args=[waiting]) for _ in range(0 if args.list else args.jobs)]
    for thread in threads:
        thread.start()
    try:
        for case in reference_cases.in_folders(args.reference) if args.reference else reference_cases.packed():
            if (
                not any(args.match in name for name in case.files)
                or not chance(case, args.every)
                or (ours and not case.asked and ours.issuperset(case.needs))
            ):
                continue
            reason = why_skipped(case.release, listed, args.release)
            if reason is not None:
                check.skipped[reason] += 1
            elif args.list:
                print(case.label)
            else:
                waiting.put(case)
    finally:
        for _ in threads:
            waiting.put(None)
        for thread in threads:
            thread.join()
    return 0 if args.list else check.report()


if __name__ == "__main__":
    sys.exit(main())
