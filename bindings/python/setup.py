# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel. It carries what ORRERY_TREE or ORRERY_LIBRARY names; without both, build/lib of this checkout.

ORRERY_TREE is the folder of a portable archive (`./dev archive`): the wheel then has the program and all libraries
inside and installs the command `orrery`; ORRERY_PLATFORM is its tag, such as manylinux_2_31_x86_64. ORRERY_LIBRARY is
one liborrery.so, whose libraries (libxml2, jansson, SQLite, libarchive, nettle, zlib) are those of the system, so its
wheel is for this Linux (linux_*). "none" carries nothing.

The types of the answers (orrery.documents) are made from the JSON schemas of the tree or of build/. A wheel that is
built without either has no such module, and type checkers see Any.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


def library():
    """The shared library in the wheel, or None."""
    asked = os.environ.get("ORRERY_LIBRARY")
    if asked == "none":
        return None
    found = pathlib.Path(asked) if asked else HERE.parents[1] / "build" / "lib" / "liborrery.so"
    if asked and not found.exists():
        raise SystemExit(f"ORRERY_LIBRARY: there is no {found}")
    return found.resolve() if found.exists() else None


def tree():
    """The folder of a portable archive in the wheel, or None."""
    asked = os.environ.get("ORRERY_TREE")
    return pathlib.Path(asked).resolve() if asked else None


def schemas():
    """The folder of the JSON schemas of all answers; None if there is none."""
    found = tree() / "share" / "orrery" / "schemas" if tree() else HERE.parents[1] / "build" / "schemas"
    return found if (found / "index.json").exists() else None


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if schemas():
            made = pathlib.Path(self.build_lib) / "orrery" / "documents.py"
            subprocess.run([sys.executable, HERE / "make_documents.py", schemas(), made], check=True)
        found = library()
        folder = pathlib.Path(self.build_lib) / "orrery" / "_lib"
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier build
        if tree():
            shutil.copytree(
                tree(), folder, ignore=lambda _, names: [name for name in names if name.startswith("liborrery.so")]
            )
            shutil.copy2((tree() / "lib" / "liborrery.so").resolve(), folder / "lib" / "liborrery.so")
        elif found:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, folder / "liborrery.so")


class WheelOfPlatform(bdist_wheel):
    """The Python code is the same for every version; only the library belongs to a platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = not tree() and library() is None

    def get_tag(self):
        return ("py3", "none", os.environ.get("ORRERY_PLATFORM") or super().get_tag()[2])


setup(
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfPlatform},
    entry_points={"console_scripts": ["orrery = orrery._command:main"]} if tree() else {},
)
