#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds files of a room that need each other, directly or through other files. usage: check_circles.py BUILD

The symbols that a C file defines and needs are read by nm from its object in BUILD. A circle is allowed only if the
README of its room says why it is natural, in a line "Circle: a.c, b.c: REASON". Prints each circle that has no such
line, with the names that close it, and each line that no circle needs any more. ctest runs this as `circles`.
"""
import collections
import pathlib
import re
import subprocess
import sys

PARTS = ("engine", "api", "server", "cli", "library")
ALLOWED = re.compile(r"^Circle: ([^:]+): \S", re.M)


def objects(build):
    """(source, object) of each file of the product; one that two libraries build counts once."""
    seen = {}
    for part in PARTS:
        for path in sorted(pathlib.Path(build, part).rglob("*.c.o")):
            inside = str(path).split(".dir/", 1)[1].removesuffix(".o")
            source = pathlib.Path(part, inside)
            if source.exists():
                seen.setdefault(source, path)
    return seen


def read(build):
    """source: names that it needs, and name: source that defines it"""
    sources = {str(path): source for source, path in objects(build).items()}
    needs, home = {source: set() for source in sources.values()}, {}
    said = subprocess.run(["nm", "-A", *sources], check=True, capture_output=True, text=True).stdout if sources else ""
    for line in said.splitlines():
        path, row = line.split(":", 1)
        words = row.split()
        if words[0] == "U":
            needs[sources[path]].add(words[1])
        elif len(words) == 3 and words[1] in "TDRBV":
            home[words[2]] = sources[path]
    return needs, home


def reached(graph, start):
    found, waiting = set(), [start]
    while waiting:
        for file in graph[waiting.pop()] - found:
            found.add(file)
            waiting.append(file)
    return found


def circles(graph):
    """Sets of files each of which reaches all others of its set."""
    reach = {file: reached(graph, file) for file in graph}
    sets = {frozenset(other for other in reach[file] if file in reach[other]) for file in graph if file in reach[file]}
    return sorted(sets, key=lambda files: sorted(files))


def main():
    needs, home = read(sys.argv[1])
    if not needs:
        print(f"no objects in {sys.argv[1]}")
        return 1
    graph = collections.defaultdict(set)
    for source, names in needs.items():
        graph[source] |= {home[name] for name in names if name in home and home[name].parent == source.parent} - {
            source
        }
    allowed = {
        frozenset(readme.parent / name for name in re.split(r",\s*", names))
        for part in PARTS
        for readme in pathlib.Path(part).rglob("README.md")
        for names in ALLOWED.findall(readme.read_text())
    }
    found = circles(graph)
    for files in found:
        if files in allowed:
            continue
        print(f"circle: {', '.join(map(str, sorted(files)))}")
        for file in sorted(files):
            for other in sorted(graph[file] & files):
                names = sorted(name for name in needs[file] if home.get(name) == other)
                print(f"    {file.name} needs {' '.join(names)} of {other.name}")
    for files in allowed - set(found):
        print(f"no circle any more, but a README mentions it: {', '.join(map(str, sorted(files)))}")
    bad = len(allowed ^ set(found))
    print(f"{len(needs)} files, {len(found)} circles, {len(allowed & set(found))} of them explained")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
