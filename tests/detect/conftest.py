# SPDX-License-Identifier: Apache-2.0
"""Runs the program over fake machines, under the sanitizers of the development build."""
import os
import pathlib
import subprocess

import pytest

import fake_machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
DOUBLES = pathlib.Path(os.environ.get("ORR_DOUBLES", ROOT / "build-dev" / "tests" / "doubles"))
NVML = str(DOUBLES / "libnvidia-ml.so.1")
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=1:exitcode=99", "UBSAN_OPTIONS": "print_stacktrace=1"}


def run(*arguments, stdin=b"", environment=None, timeout=60):
    """(exit status, bytes of standard output, text of standard error)."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env=dict(clean, **SANITIZERS, **(environment or {})),
    )
    text = done.stderr.decode(errors="replace")
    assert "Sanitizer" not in text and "runtime error" not in text, text[-4000:]
    assert done.returncode in (0, 1, 2), (done.returncode, text[-2000:])
    return done.returncode, done.stdout, text


def detect(machine, *options, release="2.27.7", nvml=True, environment=None, fails=False):
    """(XML, notes) of a fake machine."""
    arguments = ["detect", "--root", machine.root, "--release", release, *options]
    if nvml:
        arguments += ["--nvml", NVML]
    status, out, err = run(*arguments, environment=dict(environment or {}, ORR_FAKE_NVML=machine.nvml()))
    assert status == (1 if fails else 0), err
    return out.decode(), err


@pytest.fixture
def make(tmp_path):
    """make(name, ...): a fake machine below tmp_path, with the host hash of the worked examples."""

    def build(name, *arguments, **named):
        machine = fake_machine.MACHINES[name](tmp_path / name, *arguments, **named)
        machine.write("/orrery/facts", "host 0x1122334455667788 0x1122334455667788\n")
        return machine

    return build
