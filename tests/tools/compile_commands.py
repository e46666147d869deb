#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_commands.py BUILD [OPTION]: the shell commands that compile each file of a build folder, in that folder and
with one option more."""
import json
import pathlib
import shlex
import sys

build, option = pathlib.Path(sys.argv[1]), " ".join(sys.argv[2:])
for entry in json.loads((build / "compile_commands.json").read_text()):
    print(f"cd {shlex.quote(entry['directory'])} && {entry['command']} {option}")
