#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_commands.py BUILD OPTION...: the shell commands that compile the files of a build folder, in that folder and
with more options. A file that several programs compile in the same way comes once."""
import json
import pathlib
import re
import shlex
import sys

build, options = pathlib.Path(sys.argv[1]), " ".join(sys.argv[2:])
commands = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    without_output = re.sub(r" -o \S+", "", entry["command"])
    commands.setdefault(without_output, f"cd {shlex.quote(entry['directory'])} && {entry['command']} {options}")
print("\n".join(commands.values()))
