# SPDX-License-Identifier: Apache-2.0
"""Type checking of the Python package: orrery.documents is made from the JSON schemas, as in a wheel, and mypy reads
small programs with it."""
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/library"))
from test_four_ways import SCHEMAS  # noqa: E402

MYPY = shutil.which("mypy")

GOOD = """
import orrery

machine = orrery.load("topo.xml")
plan = machine.analyze(hosts=2)
sentence: str = plan.summary["verdict"]["sentence"]
bandwidth: float = plan.document["summary"]["ring_bw"]
titles: list[str] = [finding["title"] for finding in plan.findings]
first: list[int] = machine.place(4)["best"][0]["gpus"]
state: str = orrery.session().ask("gate", b"", expect="hgx-h100")["state"]
of_route: str = machine.ask("GET /v1/releases")["default"]
other: int = machine.ask("a question that a later version answers")
"""

# each line: what a type checker must refuse
WRONG = [
    'plan.summary["verdicts"]',
    'number: int = plan.summary["verdict"]["sentence"]',
    'machine.place(4)["best"][0]["cards"]',
    'orrery.session().ask("gate", b"")["stat"]',
    'orrery.session().ask("gate", 7)',
]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package as a wheel has it."""
    folder = tmp_path_factory.mktemp("typed")
    shutil.copytree(ROOT / "bindings/python/orrery", folder / "orrery", ignore=shutil.ignore_patterns("__pycache__"))
    made = folder / "orrery/documents.py"
    subprocess.run([sys.executable, ROOT / "bindings/python/make_documents.py", SCHEMAS, made], check=True)
    return folder


def check(package, *words):
    """The errors that mypy finds."""
    command = [MYPY, "--follow-imports=silent", "--ignore-missing-imports", "--no-error-summary", *words]
    return subprocess.run(command, cwd=package, capture_output=True, text=True).stdout


def check_program(package, program):
    (package / "program.py").write_text(program)
    return check(package, "--strict", "program.py")


@pytest.mark.skipif(MYPY is None, reason="mypy is not installed")
def test_types_of_answers(package):
    """A program that uses answers of every kind as they are passes strictly, and the package passes."""
    assert check_program(package, GOOD) == ""
    assert check(package, "orrery") == ""


@pytest.mark.skipif(MYPY is None, reason="mypy is not installed")
def test_wrong_members_and_types_are_refused(package):
    begin = 'import orrery\nmachine = orrery.load("topo.xml")\nplan = machine.analyze()\n'
    said = check_program(package, begin + "\n".join(WRONG) + "\n")
    refused = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    assert refused == set(range(4, 4 + len(WRONG))), said


def test_the_module_runs(package):
    """A program may also import it."""
    subprocess.run(
        [sys.executable, "-c", "from orrery import documents; assert documents.Placing.__annotations__"],
        cwd=package,
        check=True,
    )
