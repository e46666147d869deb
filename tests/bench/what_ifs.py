#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the overhead of Python: CPU time for the same plans through liborrery by a C program and by the package
orrery, the smallest of several runs. `./dev bench library` runs it."""
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("ORRERY_LIBRARY", str(ROOT / "build" / "lib" / "liborrery.so"))
sys.path.insert(0, str(ROOT / "bindings" / "python"))
import orrery  # noqa: E402

ROUNDS = 5


def in_python(path, count):
    machine = orrery.load(path)
    since = time.process_time()
    for i in range(count):
        machine.analyze(release="2.27.7", hosts=1 + i % 5)
    return (time.process_time() - since) * 1e6 / count


def in_c(path, count):
    return float(
        subprocess.run(
            [ROOT / "build" / "tests" / "what_ifs", path, str(count)], check=True, capture_output=True
        ).stdout
    )


def main():
    print(f"{'machine':24} {'plans':>6} {'C':>9} {'Python':>9} {'more':>7}")
    for name, count in (
        ("workstation-2gpu", 20000),
        ("hgx-h100-4", 400),
        ("v100-cube-mesh", 4000),
        ("a100-nvswitch", 4000),
        ("h100-nvswitch", 1000),
    ):
        path = ROOT / "static" / "examples" / f"{name}.xml"
        c = min(in_c(path, count) for _ in range(ROUNDS))
        python = min(in_python(path, count) for _ in range(ROUNDS))
        print(f"{name:24} {count:6} {c:6.0f} us {python:6.0f} us {100 * (python / c - 1):5.1f} %")


if __name__ == "__main__":
    main()
