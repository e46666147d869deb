#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a made-up machine as `orrery gather` packs a real one: /sys, /proc and the answers of the NVIDIA libraries.

    ./machine_tar.py tree-a | orrery detect --release 2.27.7 -
    ./machine_tar.py tree-a [PATH=TEXT...]       with that file changed, such as sys/module/nvidia_peermem/version=
"""
import pathlib
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "detect"))
from fake_machine import MACHINES  # noqa: E402

ANSWERS = "nvml 550.54.15\ncuda 12040\n"


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in MACHINES:
        sys.exit(__doc__ + "\nmachines: " + " ".join(MACHINES))
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "machine"
        machine = MACHINES[sys.argv[1]](root)
        machine.write("/orrery/facts", ANSWERS + "".join(f"{gpu}\n  gdr 1 1\n" for gpu in machine.gpus))
        for change in sys.argv[2:]:
            path, _, text = change.partition("=")
            if text:
                machine.write(f"/{path}", f"{text}\n")
            else:
                (root / path).unlink()
        with tarfile.open(fileobj=sys.stdout.buffer, mode="w|gz") as tar:
            tar.add(root, arcname=".")


if __name__ == "__main__":
    main()
