"""Builds the wheel. Where a liborrery was built, the wheel carries it; otherwise it uses the one that is installed.

ORRERY_LIBRARY names the library to carry, and "none" carries none. Without it, build/lib of this checkout is taken. The
libraries that liborrery needs (libxml2, jansson, SQLite, libarchive, nettle, zlib) are those of the system, so a wheel
with a library is for this Linux (the tag is linux_*, not manylinux).
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


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        found = library()
        folder = pathlib.Path(self.build_lib) / "orrery" / "_lib"
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier build
        if found:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, folder / "liborrery.so")


class WheelOfPlatform(bdist_wheel):
    """The Python code is the same for every version; only the library belongs to a platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = library() is None

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfPlatform})
