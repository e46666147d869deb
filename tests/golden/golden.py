#!/usr/bin/env python3
"""Golden cases on made-up topologies: answers of `orrery analyze`, as short text, compared with expected/*.txt.

    ORRERY=build-dev/orrery python3 tests/golden/golden.py            compares, shows the differences
    ORR_UPDATE_GOLDEN=1 ...                                           rewrites; read the diff like code

A case of cases.json is a file, a list of host counts, settings (NAME=VALUE) and a release (2.27.7 where not named). The
default release must have its own cases besides those of older ones.
"""
import difflib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def analyze(file, hosts, settings=(), release="2.27.7"):
    command = [os.environ.get("ORRERY", "build-dev/orrery"), "analyze", "--release", release, "--hosts", str(hosts)]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command + [str(file)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} {file}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def default_release():
    done = subprocess.run(
        [os.environ.get("ORRERY", "build-dev/orrery"), "releases", "--json"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)["default"]


def order(ranks):
    return " ".join(map(str, ranks))


def matrix(rows, row, column, cell):
    """Rows of single characters, in the order in which names come."""
    lines = {}
    for entry in rows:
        lines.setdefault(entry[row], []).append((entry[column], cell(entry)))
    width = max((len(str(name)) for name in lines), default=0)
    return [f"  {name!s:<{width}}  {' '.join(mark for _, mark in cells)}" for name, cells in lines.items()]


def rings(channels):
    """Each different order once, with the channels that have it."""
    seen = {}
    for channel, ring in enumerate(channels["rings"]):
        seen.setdefault(order(ring), []).append(channel)
    for ring, where in seen.items():
        yield f"  [{ring}] channels {order(where)}"


def trees(channels):
    seen = {}
    for channel, tree in enumerate(channels["trees"]):
        down = " ".join(",".join(str(child) for child in children if child >= 0) or "-" for children in tree["down"])
        seen.setdefault(f"up {order(tree['up'])} | down {down} | depth {tree['depth']}", []).append(channel)
    for tree, where in seen.items():
        yield f"  {tree} channels {order(where)}"


def picture(a):
    """The document as lines that a person can check."""
    yield (
        f"ranks {a['ranks']} local {a['local_ranks']} max_bw {a['system']['max_bw']} total_bw "
        f"{a['system']['total_bw']}"
    )
    yield "nodes " + " ".join(node["id"] for node in a["system"]["nodes"])
    yield "paths"
    yield from matrix(a["paths"], "from", "to", lambda p: p["type"])
    yield "p2p"
    yield from matrix(
        a["p2p"],
        "a",
        "b",
        lambda p: str(p["p2p"]) + ("r" if p["read"] else "") + (f"via{p['via']}" if p["via"] >= 0 else ""),
    )
    yield "gdr send/recv"
    yield from matrix(a["gdr"], "rank", "net", lambda g: f"{g['send']}/{g['recv']}")
    for g in a["graphs"]:
        yield (
            f"graph {g['name']}: pattern {g['pattern']}, {g['channels']} x {g['bw_intra']}/{g['bw_inter']} "
            f"{g['type_intra']}/{g['type_inter']} cross_nic {g['cross_nic']} same {g['same_channels']} hops "
            f"{g['n_hops']}"
        )
        seen = {}
        for c, ranks in enumerate(g["intra"]):
            nets = g["inter"][c] if c < len(g["inter"]) else []
            text = f"[{order(ranks)}]" if not nets else f"{nets[0]} [{order(ranks)}] {nets[1]}"
            seen.setdefault(text, []).append(c)
        for text, where in seen.items():
            yield f"  {text} channels {order(where)}"
    c = a["channels"]
    yield f"channels {c['count']}, p2p {c['p2p_channels']}, per peer {c['p2p_channels_per_peer']}"
    yield "rings"
    yield from rings(c)
    yield "trees"
    yield from trees(c)
    if c.get("nvls") and c["nvls"].get("channels"):
        yield f"nvls {c['nvls']['channels']} heads {order(c['nvls']['heads'])}"
    for table, unit in (("bandwidths", "GB/s"), ("latencies", "us")):
        yield f"AllReduce {table} ({unit}: LL LL128 Simple)"
        for algorithm, protocols in a["tuning"][table]["AllReduce"].items():
            if any(protocols.values()):
                yield f"  {algorithm} {' '.join(format(value, '.6g') for value in protocols.values())}"


def main():
    update = os.environ.get("ORR_UPDATE_GOLDEN") == "1"
    wanted, bad = set(), 0
    cases = json.loads((HERE / "cases.json").read_text())
    default = default_release()
    if not any(case.get("release") == default for case in cases):
        sys.exit(f"cases.json has no case of {default}, which is the default release")
    for case in cases:
        for hosts in case["hosts"]:
            settings, release = case.get("settings", []), case.get("release", "2.27.7")
            tail = "".join("-" + s.replace("NCCL_", "").replace("=", "").lower() for s in settings)
            name = f"{pathlib.Path(case['file']).stem}-h{hosts}{'' if release == '2.27.7' else '-' + release}{tail}.txt"
            wanted.add(name)
            title = f"# {case['file']} release {release} hosts {hosts}{''.join(' ' + s for s in settings)}\n"
            try:
                got = title + "".join(line + "\n" for line in picture(analyze(case["file"], hosts, settings, release)))
            except (RuntimeError, KeyError, subprocess.TimeoutExpired) as error:
                got = f"{title}error: {error}\n"
            path = HERE / "expected" / name
            expected = path.read_text() if path.exists() else ""
            if got == expected:
                continue
            if update and "\nerror: " not in got:
                path.write_text(got)
                print("wrote", path)
                continue
            bad += 1
            sys.stdout.writelines(
                list(difflib.unified_diff(expected.splitlines(True), got.splitlines(True), f"expected/{name}", "now"))[
                    :40
                ]
            )
    stale = {path.name for path in (HERE / "expected").glob("*.txt")} - wanted
    if stale:
        print("no case for", *sorted(stale))
    print(f"{len(wanted) - bad} passed, {bad + len(stale)} failed")
    return 1 if bad or stale or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
