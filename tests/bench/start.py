#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long the command takes to start: RUNS (200) runs of `orrery --version` and of `orrery show` in turn with
as many of `true`; milliseconds.

usage: start.py [RUNS]"""
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = {
    "true": ["/bin/true"],
    "orrery --version": [ROOT / "build/orrery", "--version"],
    "orrery show, 2 GPUs": [ROOT / "build/orrery", "show", ROOT / "static/examples/workstation-2gpu.xml"],
    "orrery serve --help": [ROOT / "build/orrery", "serve", "--help"],
    "orrery serve --check-config": [ROOT / "build/orrery", "serve", "--check-config"],
}


def seconds(command):
    begun = time.perf_counter()
    process = os.posix_spawn(
        command[0],
        list(map(str, command)),
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)],
    )
    assert os.waitpid(process, 0)[1] == 0, command
    return time.perf_counter() - begun


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    taken = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            taken[name].append(seconds(command) * 1e3)
    least = min(taken["true"])
    print(f"{runs} runs each; the least, the median, and the least beyond that of true (ms)")
    for name, times in taken.items():
        times.sort()
        print(f"{name:30} {times[0]:7.2f} {times[len(times) // 2]:7.2f} {times[0] - least:7.2f}")


if __name__ == "__main__":
    main()
