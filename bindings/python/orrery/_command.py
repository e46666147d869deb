# SPDX-License-Identifier: Apache-2.0
"""The command `orrery` of a wheel that carries the program."""
import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).resolve().parent / "_lib" / "bin" / "orrery"
    os.execv(program, ["orrery", *sys.argv[1:]])
