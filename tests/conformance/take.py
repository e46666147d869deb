#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the reference cases of this repository from ../shared: all that ask only about machines that are ours to give
away, and of the second set (cases.py: KINDS) those about one machine and graph file in SHARE.

    python3 tests/conformance/take.py            writes topologies/*.xml and references.xz beside this file
    python3 tests/conformance/take.py --check    says whether they are what ../shared gives; exit status 0: yes

Ours are the machine types (machine-*.xml, written from public facts) and the random machines (synth-*.xml). The same
input gives the same files. --check compares the unpacked text, since another version of xz may pack it otherwise.
"""
import lzma
import pathlib
import sys
import zlib

import cases

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"
SECOND = SHARED / "conformance/round3"
OURS = ("machine-", "synth-")
SHARE = 5


def is_in_share(case, made):
    """made: names of the files that were written for the second set."""
    asked = [case.files[0], *filter(None, [case.asked.get("graphs_file")])]
    return all(name.startswith(OURS) or name in made for name in case.needs) and not any(
        zlib.crc32(name.encode()) % SHARE for name in asked
    )


def main():
    if not SHARED.is_dir():
        sys.exit(f"take.py: {SHARED} is missing; the cases come from it")
    found = [
        case
        for case in cases.in_folders([SHARED / "conformance/reference", SHARED / "conformance/clusters"])
        if all(name.startswith(OURS) for name in case.files)
    ]
    made = {path.name for path in (SECOND / "topologies").rglob("*.xml")}
    folders = [*(SECOND / kind for kind in cases.KINDS), SECOND / "refusals"]
    found += [case for case in cases.in_folders(folders) if is_in_share(case, made)]
    wanted = {
        cases.TOPOLOGIES
        / name: next(
            path for folder in (SHARED / "topologies", SECOND / "topologies") for path in folder.rglob(name)
        ).read_bytes()
        for name in sorted({name for case in found for name in case.needs})
    }
    wanted[cases.ARCHIVE] = cases.pack(found)
    there = {*cases.TOPOLOGIES.glob("*"), *cases.HERE.glob("references.xz")}
    text = lambda path, content: lzma.decompress(content) if path.suffix == ".xz" else content
    stale = sorted(there - set(wanted)) + [
        path
        for path, content in wanted.items()
        if path not in there or text(path, path.read_bytes()) != text(path, content)
    ]
    if "--check" in sys.argv:
        for path in stale:
            print("differs from ../shared:", path)
        return 1 if stale else 0
    cases.TOPOLOGIES.mkdir(exist_ok=True)
    for path in stale:
        if path in wanted:
            path.write_bytes(wanted[path])
        else:
            path.unlink()
    print(
        f"{len(found)} cases, {len(wanted) - 1} topologies, {len(wanted[cases.ARCHIVE])} bytes; {len(stale)} files "
        "changed"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
