#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `orrery detect --root` against the twin on random machines: twin_check.py [--seed N] [--count N] [--release R].

A seed that differs is told with its difference; `--keep FOLDER` leaves its machine there to look at.
"""
import argparse
import difflib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import random_machine  # noqa: E402
import twin  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
NVML = str(pathlib.Path(os.environ.get("ORR_DOUBLES", ROOT / "build-dev" / "tests" / "doubles")) / "libnvidia-ml.so.1")
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # thousands of small files


def releases():
    """All that are emulated."""
    done = subprocess.run([PROGRAM, "releases", "--json"], capture_output=True, check=True)
    return [row["release"] for row in json.loads(done.stdout)["releases"]]


def detected(machine, release, running):
    """(exit status, XML, standard error)"""
    command = [
        PROGRAM,
        "detect",
        "--root",
        str(machine.root),
        "--release",
        release,
        *(["--running"] if running else []),
    ]
    command += [] if machine.cuda else ["--nvml", NVML]
    for name, value in machine.settings.items():
        command += ["--set", f"{name}={value}"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
    done = subprocess.run(command, capture_output=True, timeout=60, env=dict(clean, ORR_FAKE_NVML=machine.nvml()))
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def differences(machine, release, running):
    """Lines of a difference, [] where the two agree."""
    status, xml, errors = detected(machine, release, running)
    if status != 0:
        return [f"exit status {status}", *errors.splitlines()]
    try:
        wanted = twin.document(machine, release, machine.settings, running)
    except twin.Refused:
        return [] if "[nics-not-merged]" in errors else ["NCCL would not start, and that is not said"]
    return list(difflib.unified_diff(wanted.splitlines(), xml.splitlines(), "twin", "orrery", lineterm="", n=2))


def check(seed, among, keep=None, out=sys.stderr):
    """How many releases of one machine differ."""
    folder = pathlib.Path(keep or tempfile.mkdtemp(prefix="orr-twin-", dir=MEMORY)) / f"machine-{seed}"
    found = 0
    try:
        machine = random_machine.make(folder, seed)
        for release in among:
            running = machine.random.random() < 0.5
            lines = differences(machine, release, running)
            if lines:
                found += 1
                print(
                    f"seed {seed} release {release}{' --running' if running else ''} {machine.settings}",
                    *lines,
                    sep="\n",
                    file=out,
                )
    finally:
        if not keep:
            shutil.rmtree(folder.parent)
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--release", action="append")
    options.add_argument("--keep")
    options = options.parse_args()
    known = releases()
    wrong = sum(
        bool(check(seed, options.release or known, options.keep))
        for seed in range(options.seed, options.seed + options.count)
    )
    print(f"{options.count - wrong} of {options.count} machines agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
