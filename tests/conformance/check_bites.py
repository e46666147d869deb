#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that the comparison can fail: takes right answers, makes one thing wrong at a time, and expects a difference
each time.

    CONFORMANCE_ANSWERS=build-dev/tests/conformance_answers python3 tests/conformance/check_bites.py

If ../shared lies beside the checkout, its compare.py must also judge every right and wrong answer as we do.
"""
import copy
import importlib.util
import json
import os
import pathlib
import random
import sys

from answers import Answers
import cases
from documents import differ_section

COMPARE = pathlib.Path(__file__).resolve().parents[3] / "shared/conformance/compare.py"


def places(value, at=()):
    """The places of all values inside a value, itself included."""
    yield at
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*at, key))


def wrong(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 1.001 + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return value[:-1] or [{"another": 1}]
    return {**value, "another": 1} if isinstance(value, dict) else "x"


def spoil(value, at):
    """A copy with another value at one place."""
    if not at:
        return wrong(value)
    made = copy.deepcopy(value)
    inner = made
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = wrong(inner[at[-1]])
    return made


def shared_judge():
    if not COMPARE.exists():
        return None
    spec = importlib.util.spec_from_file_location("compare", COMPARE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.differ_section


def main():
    chance, bad, tried, judge = random.Random(1), [], 0, shared_judge()
    answers = Answers(os.environ["CONFORMANCE_ANSWERS"], 120)
    wanted = [
        case
        for case in cases.packed()
        if case.release == "2.27.7"
        and not case.settings
        and case.label
        in ("2.27.7 machine-hgx-h100.xml hosts=2", "2.27.7 synth-17.xml hosts=4", "2.27.7 machine-gh200.xml hosts=1")
    ]
    for case in wanted:
        texts, problem = answers.ask(
            case.release, case.hosts, {}, [str(cases.TOPOLOGIES / case.files[0])], list(case.expected)
        )
        if problem:
            sys.exit(f"{case.label}: {problem}")
        for section, (_, text) in case.expected.items():
            expected, got = json.loads(text), json.loads(texts[section])
            everywhere = list(places(expected))
            trials = [(None, expected)] + [
                (at, spoil(expected, at)) for at in chance.sample(everywhere, min(40, len(everywhere)))
            ]
            for at, value in trials:
                tried += 1
                found = differ_section(section, value, got)
                if bool(found) != (at is not None):
                    bad.append(f"{case.label} {section}{list(at or [])}: {found or 'a wrong value went unnoticed'}")
                if judge and (judge(section, value, got) or None) != found:
                    bad.append(
                        f"{case.label} {section}{list(at or [])}: compare.py says {judge(section, value, got)!r}, "
                        f"we say {found!r}"
                    )
    if answers.ask("2.27.7", 1, {}, ["no-such-file.xml"], ["paths"])[1] != "error: no-such-file.xml cannot be opened":
        bad.append("a missing file is not an error")
    if not Answers("/bin/false", 5).ask("2.27.7", 1, {}, ["x.xml"], ["paths"])[1].startswith("the program ended"):
        bad.append("a program that ends is not an error")
    if Answers("/bin/cat", 0.5).ask("2.27.7", 1, {}, ["x.xml"], ["paths"])[0]:
        bad.append("a wrong answer passes")
    answers.close()
    print(*bad, sep="\n")
    if not judge:
        print("skipped: the same judgement as compare.py's, because ../shared is not beside this checkout")
    print(f"{tried} answers judged, {len(bad)} wrongly")
    return 1 if bad or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
