#!/usr/bin/env python3
"""spdx.py [--write]: names the source files without a licence line; --write gives them one. REUSE.toml speaks for all other files."""
import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0"
FORMS = {".c": "/* {} */", ".h": "/* {} */", ".css": "/* {} */", ".js": "// {}", ".mjs": "// {}", ".py": "# {}", ".sh": "# {}", ".cmake": "# {}", ".txt": "# {}"}


def main():
    files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    lacking = []
    for name in files:
        path = pathlib.Path(name)
        form = FORMS.get(path.suffix)
        if not form or path.suffix == ".txt" and path.name != "CMakeLists.txt" or name.startswith(("tests/data/", "tests/golden/", "tests/fuzz/corpus/")):
            continue
        text = path.read_text()
        if LINE in text[:400]:
            continue
        lacking.append(name)
        if "--write" in sys.argv:
            first, rest = ("", text) if not text.startswith("#!") else (text[:text.index("\n") + 1], text[text.index("\n") + 1:])
            path.write_text(first + form.format(LINE) + "\n" + rest)
    print("\n".join(lacking))
    return 1 if lacking and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
