#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each behaviour that a release changed is in one of these lists, depending on how it can be shown:
- tests/golden/boundaries.json, `shown`: `orrery analyze --against` between the last release before it and the first
with it names it as a
  reason on the machine named there, which is checked here;
- tests/golden/boundary_effects.txt: by itself it changes the answer of one of the two releases; test_boundary_effects
checks that;
- tests/golden/boundaries.json, `by_test`: another test shows it, which is named there;
- tests/golden/boundaries.json, `by_behaviour`: the default of a setting, which another behaviour of the release
decides; that one is shown;
- tests/golden/boundaries.json, `not_shown`: no machine can show it by itself, for the reason named there.

    python3 tests/tools/check_boundaries.py                ORRERY names the program
    python3 tests/tools/check_boundaries.py --not-shown | build/tests/find_boundaries 60 FOLDER
                                                           looks for machines that show more:
                                                           tests/tools/find_boundaries.c
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
TABLE = ROOT / "tests" / "golden" / "boundaries.json"
EFFECTS = ROOT / "tests" / "golden" / "boundary_effects.txt"


def ask(*arguments):
    run = subprocess.run([ORRERY, *arguments], capture_output=True, text=True, timeout=300)
    if run.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {run.stderr}")
    return json.loads(run.stdout)


def changes():
    """{release: (the one before, names of the behaviours that it changed)}"""
    rows = ask("releases", "--json")["releases"][::-1]
    found = {}
    for before, here in zip(rows, rows[1:]):
        old, new = before["figures"], here["figures"]
        found[here["release"]] = before["release"], {name for name in {**old, **new} if old.get(name) != new.get(name)}
    return found


def reasons(before, since, machine, hosts, settings):
    """{behaviour: facts that change because of it}"""
    said = [text for setting in settings for text in ("--set", setting)]
    answer = ask("analyze", "--release", before, "--against", since, "--hosts", str(hosts), *said, str(ROOT / machine))
    return {row["id"]: row["changed"] for row in answer["reasons"]}


def main():
    table, known = json.loads(TABLE.read_text()), changes()
    every = {(since, name) for since, (_, names) in known.items() for name in names}
    excused = {(since, name) for since, names in table["not_shown"].items() for name in names}
    by_test = {
        (since, name): test.split(": ") for since, names in table["by_test"].items() for name, test in names.items()
    }
    if "--not-shown" in sys.argv[1:]:
        return print("\n".join(f"{since} {name}" for since, names in table["not_shown"].items() for name in names))
    defaults = {
        (since, name): (since, other) for since, names in table["by_behaviour"].items() for name, other in names.items()
    }
    rows = [tuple(line.split("\t")[:2]) for line in EFFECTS.read_text().splitlines()]
    alone, wrong, shown = set(rows), [], set()
    for since, cases in table["shown"].items():
        before, names = known[since]
        for case in cases:
            found = reasons(before, since, case["machine"], case["hosts"], case["settings"])
            for name in case["behaviours"]:
                shown.add((since, name))
                if not found.get(name):
                    wrong.append(
                        f"{before} to {since}, {case['machine']}, {case['hosts']} hosts {case['settings']}: {name} "
                        "changes nothing"
                    )
                if name not in names:
                    wrong.append(f"{since} does not change {name}")
    lists = [shown, alone, excused, set(by_test), set(defaults)]
    wrong += [f"{since} changes {name}: no machine shows it" for since, name in sorted(every.difference(*lists))]
    wrong += [f"{since} does not change {name}" for since, name in sorted(set().union(*lists) - every)]
    wrong += [
        f"{since}: {name} is in two lists"
        for since, name in sorted(every)
        if sum((since, name) in rows for rows in lists) > 1
    ]
    wrong += [
        f"{since}: {name} is decided by {other}, which nothing shows"
        for (since, name), (_, other) in defaults.items()
        if (since, other) not in shown | alone
    ]
    wrong += [
        f"{file} has no test {name}"
        for file, name in by_test.values()
        if f"TEST({name})" not in (ROOT / file).read_text()
    ]
    wrong += [
        f"{since}: {name} has {rows.count((since, name))} rows"
        for since, name in sorted(alone)
        if rows.count((since, name)) > 1
    ]
    wrong += [
        f"{since}: {name} lacks its reason"
        for since, names in table["not_shown"].items()
        for name in names
        if len(names[name]) < 10
    ]
    print(
        f"{len(every)} changes: {len(shown)} are shown by --against, {len(alone)} by their own effect, "
        f"{len(by_test)} by another test, {len(defaults)} are defaults that another behaviour decides, "
        f"{len(excused)} are not shown"
    )
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
