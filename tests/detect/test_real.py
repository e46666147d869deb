# SPDX-License-Identifier: Apache-2.0
"""real.py over doubles of CUDA and NCCL: it passes where dump and log are what Orrery says, and tells what is not."""
import os
import subprocess
import sys

import pytest

from conftest import DOUBLES, NVML, PROGRAM, ROOT, detect

sys.path.insert(0, str(ROOT / "tests" / "tools"))


@pytest.fixture
def real(make, tmp_path):
    """A function that runs real.py on a machine whose NCCL dumps this XML and logs what fits it."""
    machine = make("tree-a")
    program = tmp_path / "orrery"
    program.write_text(
        "#!/bin/sh\n"
        f'case "$1 $*" in gather*|gate*|detect*.xml) set -- "$@" --root {machine.root} --nvml {NVML} ;; esac\n'
        f'exec {PROGRAM} "$@"\n'
    )
    program.chmod(0o755)

    def run(dump, case="plain"):
        (tmp_path / "dump.xml").write_text(dump)
        analysis = subprocess.run(
            [PROGRAM, "analyze", "--release", "2.27.7", tmp_path / "dump.xml"], capture_output=True, check=True
        )
        maker = [sys.executable, ROOT / "tests" / "tools" / "make_log.py"]
        log = subprocess.run(maker, input=analysis.stdout, capture_output=True, check=True)
        (tmp_path / "log").write_bytes(log.stdout)
        surroundings = {
            "ORRERY": str(program),
            "LD_LIBRARY_PATH": str(DOUBLES),
            "ORR_FAKE_NVML": machine.nvml(),
            "ORR_FAKE_DUMP": str(tmp_path / "dump.xml"),
            "ORR_FAKE_LOG": str(tmp_path / "log"),
        }
        command = [sys.executable, ROOT / "tests" / "detect" / "real.py", "--case", case]
        command += ["--nccl", str(next(DOUBLES.glob("libnccl.so.*"))), "--keep", str(tmp_path / "kept")]
        done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **surroundings))
        return done.returncode, done.stdout + done.stderr

    return machine, run


def test_what_orrery_says_agrees(real):
    machine, run = real
    status, said = run(detect(machine)[0])
    assert status == 0 and "NCCL 2.27.7, 2 GPUs" in said and "1 cases, 0 failed" in said, said
    agree = int(said.split(" facts of the log and ")[0].split()[-1])
    assert agree > 10, said


def test_another_dump_is_told(real):
    machine, run = real
    status, said = run(detect(machine)[0].replace('link_width="8"', 'link_width="4"'))
    assert status == 1 and "1 cases, 1 failed" in said, said
    for name in ("detect", "gather"):
        told = said.split(f"+++ {name}")[1].split("--- NCCL")[0].splitlines()
        changed = [line.split()[-1] for line in told if line.strip().startswith(("+ ", "- "))]
        assert changed == ['link_width="4">', 'link_width="8">'], said
