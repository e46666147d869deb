# SPDX-License-Identifier: Apache-2.0
"""Texts that are kept in a folder beside this file and compared with the current output."""
import difflib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Kept:
    """The texts of one folder. ORR_UPDATE_GOLDEN=1 writes them in place of comparing."""

    def __init__(self, folder, others=()):
        """others: names of files in the folder that are not such texts."""
        self.folder, self.written = HERE / folder, set(others)
        self.texts = self.bad = 0
        self.update = os.environ.get("ORR_UPDATE_GOLDEN")

    def wrong(self, line):
        self.bad += 1
        print(line)

    def hold(self, name, text, wrong):
        """Compares a text with the one that is kept as `name`; wrong: what else is wrong with it, a line each."""
        self.texts += 1
        self.written.add(name)
        path = self.folder / name
        if self.update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        expected = path.read_text() if path.exists() else ""
        if text != expected:
            self.bad += 1
            sys.stdout.writelines(
                difflib.unified_diff(
                    expected.splitlines(True), text.splitlines(True), str(path.relative_to(ROOT)), "now"
                )
            )
        for line in wrong:
            self.wrong(f"{name}: {line}")

    def close(self):
        """Prints the totals; true if something is wrong or a file in the folder belongs to no text."""
        left = {path.name for path in self.folder.iterdir()} - self.written
        without = f"; no case: {', '.join(sorted(left))}" if left else ""
        print(f"{self.folder.name}: {self.texts} texts, {self.bad} wrong{without}")
        return self.bad > 0 or bool(left)
