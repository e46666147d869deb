# SPDX-License-Identifier: Apache-2.0
"""The Python package of this checkout with the library of the build that ORRERY names."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.setdefault("ORRERY", str(ROOT / "build" / "orrery"))
os.environ.setdefault("ORRERY_LIBRARY", str(pathlib.Path(PROGRAM).resolve().parent / "lib" / "liborrery.so"))
os.unsetenv("COLUMNS")  # readline sets it when a newer pytest imports it, and `predict` prints for that width then
sys.path.insert(0, str(ROOT / "bindings" / "python"))
