#!/usr/bin/env python3
"""Each behaviour that a release changed, on a machine where it changes the answer: `orrery analyze --against` must name it as a reason between
the last release before it and the first with it. tests/golden/boundaries.json names such a machine for each behaviour that
the machines here show; `not_shown` lists the others.

    python3 tests/tools/check_boundaries.py     ORRERY names the program
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORRERY = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
TABLE = ROOT / "tests" / "golden" / "boundaries.json"


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
    wrong, shown = [], set()
    for since, cases in table["shown"].items():
        before, names = known[since]
        for case in cases:
            found = reasons(before, since, case["machine"], case["hosts"], case["settings"])
            for name in case["behaviours"]:
                shown.add((since, name))
                if not found.get(name):
                    wrong.append(f"{before} to {since}, {case['machine']}, {case['hosts']} hosts {case['settings']}: {name} changes nothing")
                if name not in names:
                    wrong.append(f"{since} does not change {name}")
    every = {(since, name) for since, (_, names) in known.items() for name in names}
    excused = {(since, name) for since, names in table["not_shown"].items() for name in names}
    wrong += [f"{since} changes {name}: no machine shows it" for since, name in sorted(every - shown - excused)]
    wrong += [f"{since}: {name} is not changed there, or is shown" for since, name in sorted((excused - every) | (excused & shown))]
    print(f"{len(shown)} of {len(every)} changes are shown on machines, {len(excused)} are not")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
