#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_commands.py BUILD [OPTION]: the shell commands that compile each file of a build folder, in that folder and
with one option more. Without one: the files that the build has to make first."""
import json
import pathlib
import shlex
import sys

build, option = pathlib.Path(sys.argv[1]), " ".join(sys.argv[2:])
for entry in json.loads((build / "compile_commands.json").read_text()):
    if option:
        print(f"cd {shlex.quote(entry['directory'])} && {entry['command']} {option}")
    elif not pathlib.Path(entry["file"]).exists():
        print(pathlib.Path(entry["file"]).relative_to(build))
