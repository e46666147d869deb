#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares answers for clusters of different hosts with the twin: random communicators, or NCCL's own results if they
exist.

usage: twin_check.py [--orrery PATH] [--seed N] [--count N] | --references      (a seed is the same case again)

The twin (twin_joining.py, twin_tuning.py) was written from a description of NCCL's rules alone: docs/nccl/connect.md
and docs/nccl/tuning.md. From our analyses of single hosts (twin_facts.py) it joins the ranks once more. Compared are
the channels, the tuning model, the sections about rank 0's host, the hosts that decide shared values, and the streamed
channels. Real dumps take part where ../shared is beside the checkout. The last line is 'N passed, N failed'.
"""
import argparse
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
import traceback

from twin_cases import RELEASES, Case, dumps_in
from twin_facts import Facts, Refused, analyse, gpu_count
from twin_joining import Joined
from twin_tuning import tuning

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SHARED = os.path.join(ROOT, "../shared")
HOST_SECTIONS = ("graphs", "system", "paths", "p2p", "gdr", "net_devs")


def differ(ours, theirs, at):
    """The first difference as text, the twin's value first; None. Keys that the twin lacks are free."""
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return (
            None if abs(ours - theirs) <= 1e-6 * max(abs(ours), abs(theirs)) else f"{at}: {ours!r}, orrery {theirs!r}"
        )
    if isinstance(ours, dict) and isinstance(theirs, dict):
        rows = ((f"{at}.{key}", value, theirs.get(key)) for key, value in ours.items())
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return f"{at}: {len(ours)} entries, orrery {len(theirs)}"
        rows = ((f"{at}[{i}]", a, b) for i, (a, b) in enumerate(zip(ours, theirs)))
    else:
        return None if ours == theirs else f"{at}: {ours!r}, orrery {theirs!r}"
    return next(filter(None, (differ(a, b, place) for place, a, b in rows)), None)


def joined(facts, release, settings, groups):
    """groups: what shares a system, [[(path, order of GPUs, ranks)]]"""
    systems = [system for group in groups for system in facts.systems(release, settings, group, len(groups) == 1)]
    fused = len(next(group for group in groups if any(0 in host[2] for host in group))) > 1
    return Joined(release, settings, systems, len(groups) if fused else sum(map(len, groups)))


def alignment(joined, kinds):
    """{(graph, field): (what lasts, what each kind brings, the kinds that say so)} where kinds differ."""
    names = {number: name for name, number in reversed(joined.own.types.items())}
    most = ["cross_nic", "type_inter", "pattern"] + ([] if joined.release == "2.7.8" else ["type_intra"])
    fields = ["channels", "same_channels", "bw_intra", "bw_inter", "type_intra"]
    fields += ["type_inter"] if joined.since("2.12.12") else []
    fields += ["cross_nic"] if joined.since("2.21.5") else []
    found = {}
    for name in {graph for system in joined.systems for graph in system.graphs}:
        for field in fields + (["pattern"] if name == "tree" and joined.since("2.27.7") else []):
            lacks = [not all(name in system.graphs for system in kind) for kind in kinds]
            if field != "channels" and any(lacks):
                continue
            rows = [
                0 if lack else (max if field in most else min)(system.graphs[name][field] for system in kind)
                for lack, kind in zip(lacks, kinds)
            ]
            if len(set(rows)) == 1:
                continue
            value = joined.max_tree_pattern if field == "pattern" else joined.graph(name)[field]
            setters = [k for k, row in enumerate(rows) if row == value]
            if field == "channels" and name in ("ring", "tree"):
                setters = [k for k, kind in enumerate(kinds) if min(system.k for system in kind) == value]
            say = names.get if field.startswith("type") else lambda number: number
            found[name, field] = [say(value), [say(row) for row in rows], setters]
    return found


def machines(joined, kinds):
    """The same of capabilities and CPUs, which all hear of."""
    found = {}
    for field, worst, value in (("sm_min", min, joined.cc), ("sm_max", max, joined.cc_max)):
        rows = [worst(gpu["sm"] for system in kind for gpu in system.gpus) for kind in kinds]
        if len(set(rows)) > 1:
            found["machine", field] = [value, rows, [k for k, row in enumerate(rows) if row == value]]
    for field, names in (
        ("arch", {1: "x86_64", 2: "ppc64", 3: "arm64"}),
        ("vendor", {1: "Intel", 2: "AMD", 3: "Zhaoxin"}),
    ):
        rows = [names.get(kind[0].cpus[0][field], "unknown") for kind in kinds]
        if len(set(rows)) > 1 and joined.since("2.27.7"):
            found["machine", "cpu_" + field] = ["mixed", rows, [k for k, row in enumerate(rows) if row != rows[0]]]
    return found


def check_alignment(joined, hosts, groups, view):
    kinds = []
    for kind in view["kinds"]:
        group = next(group for group in groups if hosts[kind["hosts"][0][0]] in group)
        ranks = {rank for _, _, own in group for rank in own}
        kinds.append([system for system in joined.systems if ranks & set(system.ranks)])
    wanted = {**alignment(joined, kinds), **machines(joined, kinds)}
    shown = {(row["graph"], row["field"]): [row["value"], row["values"], row["set_by"]] for row in view["alignment"]}
    if set(shown) != set(wanted):
        return f"alignment: only one of the two has {sorted(set(shown) ^ set(wanted))}"
    return next(filter(None, (differ(wanted[key], shown[key], f"alignment of {key}") for key in wanted)), None)


def check_stream(facts, case, file, document):
    """`orrery channels` says the same as the analysis."""
    command = [facts.orrery, "channels", "--lines", "--release", case.release, "--cluster", file]
    for name, value in case.settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, timeout=120)
    if done.returncode:
        return "channels: " + done.stderr.decode(errors="replace")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    made = dict(
        rows[0],
        rings=[row["ranks"] for row in rows if "ring" in row],
        trees=[{key: row[key] for key in ("up", "down", "depth")} for row in rows if "tree" in row],
    )
    wanted = {
        key: document["channels"][key] for key in ("count", "p2p_channels", "p2p_channels_per_peer", "rings", "trees")
    }
    return differ(dict(wanted, nodes=document["cluster"]["nodes"]), made, "stream")


def without_cards(document):
    """Numbers of cards only say which ports share one; those of a domain's hosts are made up on either side."""
    nodes = [{key: value for key, value in node.items() if key != "asic"} for node in document["system"]["nodes"]]
    return dict(document, system=dict(document["system"], nodes=nodes))


def check(facts, case, file):
    """The first difference between the twin and orrery, or None."""
    hosts, groups, refused = case.hosts(), case.groups(), None
    with open(file, "w") as out:
        json.dump(case.description(), out)
    try:
        twin = joined(facts, case.release, case.settings, groups)
    except Refused as why:
        refused = str(why)
    try:
        document = analyse(facts.orrery, case.release, case.settings, "--cluster", file)
    except Refused as why:
        return None if refused else f"refused: {why}"
    if refused:
        return f"one host alone is refused: {refused}"
    if not twin.nvls and (document["channels"].get("nvls") or {}).get("channels"):
        return "channels.nvls: none expected"
    alone = dict(twin.own.document)
    if not twin.since("2.17.1") or twin.since("2.30.7"):  # NICs of the channels that the rings of all hosts have
        shared = twin.ring_channels if twin.since("2.30.7") else twin.k
        alone["net_devs"] = [row for row in alone["net_devs"] if row["channel"] < shared]
    found = (
        differ({"channels": twin.channels(), "tuning": tuning(twin)}, document, "")
        or differ(without_cards({name: alone[name] for name in HOST_SECTIONS}), document, "host of rank 0")
        or differ({"nodes": twin.nodes, "hosts": len(hosts)}, document["cluster"], "cluster")
        or check_alignment(twin, hosts, groups, document["cluster"])
    )
    return found or (check_stream(facts, case, file, document) if case.seed % 4 == 0 else None)


def report(name, check, *arguments):
    try:
        found = check(*arguments)
    except Exception:  # an assertion of the twin is a finding like any other
        found = traceback.format_exc(limit=-3)
    if found:
        print(f"differs: {name}\n    {found[:1500]}", flush=True)
    return bool(found)


def random_cases(orrery, seed, count):
    facts, dumps, failed = Facts(orrery), dumps_in(ROOT, SHARED), 0
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        for number in range(seed, seed + count):
            case = Case(number, dumps)
            failed += report(case.text(), check, facts, case, file.name)
            if number % 100 == 99:
                facts.forget()
    return count - failed, failed


def check_reference(facts, case, files):
    hosts, base = [], 0
    for name in case["topologies"]:
        count = gpu_count(files[name])
        hosts.append([(files[name], list(range(count)), list(range(base, base + count)))])
        base += count
    twin = joined(facts, case["nccl"], case["settings"], hosts)
    return differ(case["channels"], twin.channels(), "channels") or differ(case["tuning"], tuning(twin), "tuning")


def references(orrery):
    """The twin itself against what NCCL's own code computes, in the releases that the twin knows."""
    files = {os.path.basename(path): path for path in glob.glob(SHARED + "/topologies/*/*.xml")}
    facts, passed, failed = Facts(orrery), 0, 0
    for path in sorted(glob.glob(SHARED + "/conformance/clusters/*/*.jsonl.gz")):
        for line in gzip.open(path, "rt"):
            case = json.loads(line)
            if case["nccl"] not in RELEASES:
                continue
            bad = report(f"{case['nccl']} {case['topologies']} {case['settings']}", check_reference, facts, case, files)
            passed, failed = passed + (not bad), failed + bad
        facts.forget()
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orrery", default=os.environ.get("ORRERY", os.path.join(ROOT, "build/orrery")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--references", action="store_true", help="the twin against ../shared/conformance/clusters")
    args = parser.parse_args()
    if not os.path.isdir(SHARED):
        print("skipped: clusters of real dumps, because ../shared is not beside this checkout")
    passed, failed = references(args.orrery) if args.references else random_cases(args.orrery, args.seed, args.count)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
