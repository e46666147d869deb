#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks how tally.py counts the second run of a file of browser tests: only a test that failed twice counts as
failed."""
import contextlib
import io
import os
import sys
import tempfile
from unittest import mock

import tally

FIRST = """not ok 1 - a slow answer
  ---
  location: '/a.test.mjs:1:1'
  failureType: 'testCodeFailure'
  ...
not ok 2 - a broken view
  ---
  location: '/b.test.mjs:1:1'
  failureType: 'testCodeFailure'
  ...
ok 3 - a sound view
# pass 1
# fail 2
# cancelled 0
# skipped 0
"""
BROKEN = FIRST[FIRST.index("not ok 2") :].replace("# fail 2", "# fail 1")
UNSTEADY = "unsteady: {} (failed, and passed when its file ran again)"
CASES = [
    ("no second run", None, 1, ["1 2 0"]),
    ("one comes back", BROKEN, 1, ["2 1 0", UNSTEADY.format("a slow answer")]),
    ("both come back", FIRST, 1, ["1 2 0"]),
    (
        "neither comes back",
        "# pass 3\n# fail 0\n",
        0,
        ["3 0 0", UNSTEADY.format("a slow answer"), UNSTEADY.format("a broken view")],
    ),
    ("the second run ends without a report", "", 1, ["1 2 0"]),
    ("the second run is killed after its last test", "# pass 3\n# fail 0\n", 1, ["1 2 0"]),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, again, status, expected in CASES:
            path = os.path.join(folder, name)
            for suffix, text in ("", FIRST), (".again", again):
                if text is not None:
                    with open(path + suffix, "w") as file:
                        file.write(text)
            said = io.StringIO()
            with mock.patch.object(sys, "argv", ["", "node", str(status), path]), contextlib.redirect_stdout(said):
                tally.main()
            good = said.getvalue().splitlines() == expected
            failed += not good
            print(f"ok: {name}" if good else f"{name}: {said.getvalue()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
