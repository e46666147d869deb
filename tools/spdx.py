#!/usr/bin/env python3
"""spdx.py [--write]: names the source files without a licence line; --write gives them one.

REUSE.toml speaks for all other files."""
import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0"
FORMS = {
    "/* {} */": (".c", ".h", ".def", ".css"),
    "// {}": (".js", ".mjs"),
    "-- {}": (".lua", ".sql"),
    "<!-- {} -->": (".html",),
    "# {}": (".py", ".sh", ".cmake", "CMakeLists.txt", "Dockerfile", "dev", ".ci/run"),
}
NOT_OURS = ("tests/data/", "tests/golden/", "tests/fuzz/corpus/")


def form_of(name):
    if name.startswith(NOT_OURS):
        return None
    path = pathlib.Path(name)
    return next(
        (form for form, ends in FORMS.items() if path.suffix in ends or path.name in ends or name in ends), None
    )


def main():
    files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    lacking = [name for name in files if form_of(name) and LINE not in pathlib.Path(name).read_text()[:400]]
    for name in lacking if "--write" in sys.argv else ():
        path = pathlib.Path(name)
        text = path.read_text()
        # A line that must be the first stays first.
        first = text.index("\n") + 1 if text.startswith("#!") or text.lower().startswith("<!doctype") else 0
        path.write_text(text[:first] + form_of(name).format(LINE) + "\n" + text[first:])
    print("\n".join(lacking) or "every source file has its licence line")
    return 1 if lacking and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
