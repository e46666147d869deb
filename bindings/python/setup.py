# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel. It carries what ORRERY_TREE or ORRERY_LIBRARY names; without both, build/lib of this checkout.

ORRERY_TREE is the folder of a portable archive (`./dev archive`): the wheel then has the program and all libraries inside and installs the command
`orrery`; ORRERY_PLATFORM is its tag, such as manylinux_2_31_x86_64. ORRERY_LIBRARY is one liborrery.so, whose libraries (libxml2, jansson, SQLite,
libarchive, nettle, zlib) are those of the system, so its wheel is for this Linux (linux_*). "none" carries nothing.
"""
import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


def library():
    """The shared library that the wheel carries; None: none."""
    asked = os.environ.get("ORRERY_LIBRARY")
    if asked == "none":
        return None
    found = pathlib.Path(asked) if asked else HERE.parents[1] / "build" / "lib" / "liborrery.so"
    if asked and not found.exists():
        raise SystemExit(f"ORRERY_LIBRARY: there is no {found}")
    return found.resolve() if found.exists() else None


def tree():
    """The folder of a portable archive that the wheel carries; None: none."""
    asked = os.environ.get("ORRERY_TREE")
    return pathlib.Path(asked).resolve() if asked else None


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        found = library()
        folder = pathlib.Path(self.build_lib) / "orrery" / "_lib"
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier build
        if tree():
            shutil.copytree(tree(), folder, ignore=lambda _, names: [name for name in names if name.startswith("liborrery.so")])
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
