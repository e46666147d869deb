#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Orrery computes with what NCCL's own code computed, case by case.

usage: check.py [--answers PROGRAM] [--orrery PROGRAM] [--reference DIR]... [--topologies DIR]... [--release R]... [--match TEXT]
                [--section NAME]... [--every N] [--beyond-ours] [--show N] [--jobs N] [--list]

Without --reference the cases are those of this repository (references.xz; README.md says what they are). With it they come from
folders of RELEASE/NAME.jsonl.gz, such as ../shared/conformance/reference, and their files from --topologies.

A case passes when every section that the reference holds agrees (documents.py). Cases of releases that `orrery releases` does not
list are skipped and counted. One case in 400 is also put to `orrery analyze`, whose document must have the same sections.

The last line is 'N passed, N failed, N skipped'; the exit status is 0 only where nothing failed and something passed.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import zlib

from answers import Answers
import cases as reference_cases
from documents import SECTIONS, differ_section

ROOT = pathlib.Path(__file__).resolve().parents[2]
BY_COMMAND = 400  # one case in so many is asked of the command line as well


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

    def by_command(self, case, paths, texts):
        """What `orrery analyze` says otherwise than the program did, or None."""
        command = [self.args.orrery, "analyze", "--release", case.release]
        for name, value in case.settings.items():
            command += ["--set", f"{name}={value}"]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as cluster:
            if case.different_hosts:
                json.dump({"hosts": [{"topology": os.path.abspath(path), "count": 1} for path in paths]}, cluster)
                cluster.flush()
                command += ["--cluster", cluster.name]
            else:
                command += ["--hosts", str(case.hosts), *paths]
            try:
                done = subprocess.run(command, capture_output=True, timeout=self.args.timeout)
            except subprocess.TimeoutExpired:
                return f"orrery analyze: no answer in {self.args.timeout:g} s"
        if done.returncode:
            return (
                f"orrery analyze: exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()[:160]}"
            )
        document = json.loads(done.stdout)
        for section, text in texts.items():
            if document.get(section) != json.loads(text):
                return f"orrery analyze: its section {section} is not what conformance_answers gave"
        return None

    def differences(self, answers, case):
        """{section: a difference or None}; 'run' stands for the call itself."""
        paths = [self.files.get(name) for name in case.files]
        if None in paths:
            return {"run": f"there is no topology file {case.files[paths.index(None)]}"}
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
                or ours.issuperset(case.files)
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
