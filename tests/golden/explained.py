#!/usr/bin/env python3
"""Checks explanations of decisions on dumps of real machines by whole analyses.

    ORRERY=build-dev/orrery python3 tests/golden/explained.py

`orrery explain` explains each decision. Every setting that it names is then given to `orrery analyze`, and the two
documents must show what the explanation promised: the decision, the figures called main consequences, and how many
facts change in the sections that can be counted from documents alone. A setting without effect by the explanation must
not change the decision. The dumps lie beside the checkout; without them the check is skipped.
"""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared/topologies/real"
ORRERY = os.environ.get("ORRERY", "build-dev/orrery")

# File, hosts, release, settings and questions.
CASES = [
    (
        "perlmutter-a100-nid001056.xml",
        2,
        "2.30.7",
        [],
        [
            "p2p --from 0 --to 3",
            "gdr --from 0 --to NET/0-1",
            "nic --from 1",
            "pxn --from 0 --to NET/0-3",
            "graph",
            "nvls",
            "algorithm --bytes 64k",
        ],
    ),
    (
        "oci-BM.GPU.H100.8.xml",
        2,
        "2.27.7",
        [],
        [
            "path --from 0 --to 5",
            "gdr --from NET/0-0 --to 0",
            "nic --from 2 --channel 1",
            "pxn --from 1 --to NET/0-0",
            "graph --graph nvls",
            "tree",
            "channels",
            "nvls",
            "algorithm --bytes 256M",
        ],
    ),
    (
        "infragraph-dgx_a100_nccl_topo.xml",
        2,
        "2.21.5",
        ["NCCL_PXN_DISABLE=1"],
        ["pxn --from 0 --to NET/0-3", "path --from 0 --to NET/0-3", "graph --graph tree", "channels"],
    ),
    ("yccl-topo.xml", 1, "2.30.7", [], ["p2p --from 0 --to 1", "p2p --from 0 --to 3", "path --from 0 --to 3", "graph"]),
    (
        "panlichen-topo.xml",
        1,
        "2.12.12",
        ["NCCL_P2P_LEVEL=PIX"],
        ["p2p --from 0 --to 1", "p2p --from 0 --to 7", "path --from 1 --to 6", "channels"],
    ),
    ("blinkplus-topology.xml", 1, "2.27.7", [], ["p2p --from 0 --to 5", "path --from 0 --to 6", "graph", "tree"]),
    (
        "timez-nccl_topo_dump_normal.xml",
        2,
        "2.7.8",
        [],
        ["gdr --from 0 --to NET/0-0", "path --from NET/0-0 --to 1", "graph", "algorithm --bytes 8M"],
    ),
    ("yynil-topo.xml", 2, "2.30.7", [], ["p2p --from 0 --to 1", "gdr --from 0 --to NET/0-0", "tree", "channels"]),
    (
        "gb300-1tray-healthy.xml",
        2,
        "2.30.7",
        [],
        ["gdr --from 0 --to NET/0-0", "path --from 0 --to NET/0-0", "nic --from 0", "nvls"],
    ),
]


def run(command, file, hosts, release, settings, extra):
    arguments = [ORRERY, command, "--hosts", str(hosts), "--release", release]
    for setting in settings:
        arguments += ["--set", setting]
    done = subprocess.run(arguments + extra + [str(REAL / file)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    return (json.loads(done.stdout), None) if done.returncode == 0 else (None, done.stderr)


@functools.lru_cache(maxsize=None)
def analyze(file, hosts, release, settings):
    return run("analyze", file, hosts, release, settings, [])


def counted(number, one):
    return f"{number} {one}{'' if number == 1 else 's'}"


def figure(text):
    return float(re.match(r"-?[\d.e+-]+", text).group())


class Document:
    """The decision in an analysis, in the words of a verdict."""

    def __init__(self, document):
        self.d = document
        nodes = document["system"]["nodes"]
        self.rank = {n["id"]: n["rank"] for n in nodes if n["id"].startswith("GPU")}
        self.gpu = {rank: node for node, rank in self.rank.items()}

    def device(self, text):
        return self.gpu.get(int(text), "none") if text.isdigit() else text

    def verdict(self, ask):
        words = ask.split()
        options = dict(zip(words[1::2], words[2::2]))
        return getattr(self, words[0])(**{name[2:].replace("from", "start"): value for name, value in options.items()})

    def p2p(self, start, to):
        row = next(r for r in self.d["p2p"] if (r["a"], r["b"]) == (int(start), int(to)))
        if not row["p2p"]:
            return "no"
        return (
            "yes"
            + (f", through rank {row['via']}" if row["via"] >= 0 else "")
            + (", by reading" if row["read"] else "")
        )

    def path(self, start, to):
        row = next((r for r in self.d["paths"] if (r["from"], r["to"]) == (self.device(start), self.device(to))), None)
        if row is None:
            return None  # no such pair: the explanation says none
        return f"{row['type']}, {row['bw']:.6g} GB/s, {len(row['hops'])} hops" if row["hops"] else row["type"]

    def gdr(self, start, to):
        sends = start.isdigit()
        rank, net = (int(start), to) if sends else (int(to), start)
        row = next((r for r in self.d["gdr"] if (r["rank"], r["net"]) == (rank, net)), None)
        return row and ["no", "yes", "yes, by the PCIe side"][row["send" if sends else "recv"]]

    def nic(self, start, channel="0"):
        row = next((r for r in self.d["net_devs"] if (r["rank"], r["channel"]) == (int(start), int(channel))), None)
        return row and (row["net"], row["proxy_rank"])

    def pxn(self, start, to):
        row = next((r for r in self.d["paths"] if (r["from"], r["to"]) == (self.device(start), to)), None)
        return row and ("yes" if row["type"] == "PXN" else "no")

    def graph(self, graph="ring"):
        row = next((g for g in self.d["graphs"] if g["name"] == graph), None)
        if row is None:
            return None
        if not row["channels"]:
            return "no channels"
        if row["inter"]:
            return (
                f"{counted(row['channels'], 'channel')} of {row['bw_intra']:.6g} GB/s inside the host "
                f"({row['type_intra']}) "
                f"and {row['bw_inter']:.6g} GB/s to NICs ({row['type_inter']})"
            )
        return f"{counted(row['channels'], 'channel')} of {row['bw_intra']:.6g} GB/s ({row['type_intra']})"

    def tree(self):
        pattern = next(g for g in self.d["graphs"] if g["name"] == "tree")["pattern"]
        return {1: "balanced tree", 2: "split tree", 3: "tree"}[pattern]

    def channels(self):
        return counted(self.d["channels"]["count"], "channel")

    def nvls(self):
        nvls = self.d["channels"].get("nvls") or {"channels": 0}
        return (
            f"on, {counted(nvls['channels'], 'channel')}, {counted(len(nvls['heads']), 'head')}"
            if nvls["channels"]
            else "off"
        )

    def algorithm(self, bytes, collective="AllReduce"):
        size = int(bytes[:-1]) << {"k": 10, "M": 20}[bytes[-1]]
        row = [r for r in self.d["predictions"]["functions"][collective]["ranges"] if r["from"] <= size][-1]
        return f"{row['algorithm']} {row['protocol']}"

    def agrees(self, ask, promised):
        """Whether a promised verdict is what this document says."""
        kind, here = ask.split()[0], self.verdict(ask)
        if here is None:
            return promised.startswith("none: ")
        if kind == "nic":
            net, proxy = here
            by = re.search(r", through rank (\d+)$", promised)
            return promised.split(" ")[0].rstrip(",") == net and int(by.group(1) if by else ask.split()[2]) == proxy
        if kind == "pxn":
            return promised.startswith(here) or "CPU's way replaced it" in promised
        if kind == "algorithm":
            return promised.startswith(here + ",")
        return promised == here

    def figures(self):
        """The main consequences by (what, of)."""
        found = {
            ("count", None): self.d["channels"]["count"],
            ("p2p_channels", None): self.d["channels"]["p2p_channels"],
            ("p2p_channels_per_peer", None): self.d["channels"]["p2p_channels_per_peer"],
            ("nvls.channels", None): (self.d["channels"].get("nvls") or {}).get("channels", 0),
            ("max_bw", None): self.d["system"]["max_bw"],
            ("total_bw", None): self.d["system"]["total_bw"],
        }
        for graph in self.d["graphs"]:
            for what in ("channels", "bw_intra", "bw_inter", "type_intra", "type_inter", "cross_nic"):
                found[what, graph["name"]] = graph[what]
            found["pattern", graph["name"]] = [
                "none",
                "balanced tree",
                "split tree",
                "tree",
                "ring",
                "NVLS",
                "CollNetDirect",
            ][graph["pattern"]]
        return found


def count_changes(a, b, section, keys, values):
    """Facts of a section that differ between two documents."""
    sides = [{tuple(row[k] for k in keys): row for row in document.d[section]} for document in (a, b)]
    return sum(
        sides[0].get(place, {}).get(value) != sides[1].get(place, {}).get(value)
        for place in sides[0].keys() | sides[1].keys()
        for value in values
    )


SECTIONS = {
    "p2p": (("a", "b"), ("p2p", "read", "via")),
    "gdr": (("rank", "net"), ("send", "recv")),
    "net_devs": (("rank", "channel"), ("net", "proxy_rank")),
}


def check_what_if(before, after, ask, row):
    wrong = []
    if not after.agrees(ask, row["then"]):
        wrong.append(f"promised \"{row['then']}\", the analysis says {after.verdict(ask)}")
    if not row["changes"] and before.verdict(ask) != after.verdict(ask):
        wrong.append("said to change nothing, and it does")
    if row["changes"] and before.verdict(ask) == after.verdict(ask) and not ask.startswith(("algorithm", "pxn")):
        wrong.append("said to change the decision, and it does not")
    old, new = before.figures(), after.figures()
    promised = {(c["what"], c.get("of")): (c["before"], c["after"]) for c in row["consequences"]}
    for place, sides in promised.items():
        for text, figures in zip(sides, (old, new)):
            value = figures.get(place)
            same = (
                abs(figure(text) - value) <= 1e-5 * abs(value)
                if isinstance(value, (int, float)) and text != "none"
                else text == (value if value else "none") or (text == "none" and not value)
            )
            if not same:
                wrong.append(f"{place}: promised {text}, the analysis says {value}")
    for place in old.keys() & new.keys():
        if old[place] != new[place] and place not in promised:
            wrong.append(f"{place} goes from {old[place]} to {new[place]}, and no consequence says so")
    systems = [{n["id"] for n in document.d["system"]["nodes"]} for document in (before, after)]
    for section, (keys, values) in SECTIONS.items():
        changed = count_changes(before, after, section, keys, values)
        if systems[0] == systems[1] and changed != row["sections"].get(section, 0):
            wrong.append(f"{section}: {changed} facts change, promised {row['sections'].get(section, 0)}")
    return wrong


def check(case, ask, counts):
    file, hosts, release, settings, _ = case
    told, error = run("explain", file, hosts, release, settings, ["--json", "--why"] + ask.split())
    if error:
        return [error]
    before = Document(analyze(file, hosts, release, tuple(settings))[0])
    wrong = (
        []
        if before.agrees(ask, told["verdict"])
        else [f"verdict {told['verdict']}, the analysis says {before.verdict(ask)}"]
    )
    for row in told["what_if"]:
        document, refused = analyze(file, hosts, release, (*settings, f"{row['setting']}={row['value']}"))
        counts["changes" if row["changes"] else "stays"] += 1
        if row["refused"] or refused:
            found = [] if row["refused"] and refused else ["refused on one side only"]
        else:
            found = check_what_if(before, Document(document), ask, row)
        wrong += [f"{row['setting']}={row['value']}: {text}" for text in found]
    return wrong


def main():
    if not REAL.is_dir():
        print("skipped: explanations of real dumps, because ../shared is not beside this checkout")
        return 77
    counts, decisions, bad = {"changes": 0, "stays": 0}, 0, 0
    for case in CASES:
        for ask in case[4]:
            decisions += 1
            for text in check(case, ask, counts):
                bad += 1
                print(f"{case[0]} {case[2]} --hosts {case[1]} {' '.join(case[3])} --why {ask}: {text}")
    print(
        f"explained: {decisions} decisions of {len(CASES)} real dumps; {counts['changes']} settings that change one, "
        f"{counts['stays']} that do not; {bad} wrong"
    )
    return bad > 0 or decisions < 30 or not counts["changes"] or not counts["stays"]


if __name__ == "__main__":
    sys.exit(main())
