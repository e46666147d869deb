#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 Tests the wheel that contains the program: check_wheel.sh WHEEL DUMP, on a system
# with python3-pip. First the rules of its tag, then its functions.
set -u
wrong() { echo "wrong: $*"; exit 1; }
python3 -m pip install -q --no-index --no-deps --target here "$1" 2>said || wrong "pip install: $(cat said)"
PYTHONPATH=$PWD/here python3 - "$2" <<'PY' || wrong "the package"
import sys
import orrery
from orrery import documents
plan = orrery.load(sys.argv[1]).analyze(release="2.27.7", hosts=2)
assert plan.channels > 0 and "<svg" in plan.draw()._repr_svg_()
assert documents.Placing.__annotations__["best"]
PY
said=$(PYTHONPATH=$PWD/here here/bin/orrery show "$2") && grep -q '^Verdict' <<<"$said" || wrong "the command orrery: $said"
echo "ok: the wheel analyses, draws and has the command orrery"
