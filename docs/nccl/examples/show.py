#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints single facts of the JSON that `orrery` writes, a line each: what the examples of this book compare.

    orrery analyze --release 2.27.7 --hosts 2 one-switch.xml | ./show.py path 0 NET/0-0

A GPU is named by its rank or its id, other nodes by their ids. Bandwidths are in GB/s. What does not exist prints "-".

    nodes [TYPE]      ids of all nodes, or of one type          links NODE       links of a node, in NCCL's order
    link A B          type and bandwidth of one link            path A B         type and bandwidth
    hops A B          the nodes of the path after A             p2p A B          yes or no, whether read, the relay rank
    gdr RANK NET      sending/receiving: yes, no or PCI         nics RANK        NET by channel, (rank) where PXN relays
    graph NAME        k x intra/inter, types, details           orders NAME [N]  NIC, ranks and NIC of the first N
    channels bandwidth         maximum and total of the system           get A.B.0.C      any value by its path in the
    JSON counts            channels, NVLS and point-to-point         ring CHANNEL     the ranks of a ring, in order
    tree CHANNEL [RANK]   parent and children                   nvls CHANNEL [RANK]  the same in an NVLS tree
    tuning FUNCTION ALGORITHM   bandwidth/latency by protocol   choice FUNCTION BYTES    what NCCL takes, with its time
    aligned GRAPH     fields that kinds of hosts differ in      mnnvl            the rule that decides on NVLink domains
    device FACT...        values of the device side            kernel FUNCTION BYTES   what runs it, with --windows
    rounds RANK       peers that a rank sends to, by round, from `orrery p2p`
    peer A B          of `orrery p2p`: how A sends to B: NICs with the rank that drives them, or transport and path
    figure NAME [LABEL]   a figure of a release, from `orrery releases --json --release R`
"""
import json
import sys

NONE = "-"


def number(value):
    """As NCCL prints floats: six significant digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def node_of(a, name):
    if not name.isdigit():
        return name
    return next((n["id"] for n in a["system"]["nodes"] if n["type"] == "GPU" and n["rank"] == int(name)), NONE)


def found(rows, **wanted):
    return next((row for row in rows if all(row[key] == value for key, value in wanted.items())), None)


def links(a, start):
    rows = a["system"]["links"]
    return [f"{far} {kind} {number(bw)}" for near, far, kind, bw in rows if near == node_of(a, start)]


def link(a, start, end):
    wanted = node_of(a, start), node_of(a, end)
    return [f"{kind} {number(bw)}" for near, far, kind, bw in a["system"]["links"] if (near, far) == wanted]


def path(a, start, end):
    row = found(a["paths"], **{"from": node_of(a, start), "to": node_of(a, end)})
    return [f"{row['type']} {number(row['bw'])}" if row else NONE]


def hops(a, start, end):
    row = found(a["paths"], **{"from": node_of(a, start), "to": node_of(a, end)})
    return [" ".join(row["hops"]) if row and row["hops"] else NONE]


def p2p(a, start, end):
    row = found(a["p2p"], a=int(start), b=int(end))
    if not row:
        return [NONE]
    more = (", read" if row["read"] else "") + (f", via {row['via']}" if row["via"] >= 0 else "")
    return [("yes" if row["p2p"] else "no") + more]


def gdr(a, rank, net):
    row = found(a["gdr"], rank=int(rank), net=net)
    return ["/".join(("no", "yes", "PCI")[row[way]] for way in ("send", "recv")) if row else NONE]


def peer(a, rank, other):
    """How a rank sends to another one, of what `orrery p2p` writes."""
    rows = found(a["schedule"], rank=int(rank))["rounds"]
    send = next(row["send"] for row in rows if row["send"]["rank"] == int(other))
    nets = [f"{n['net']} by rank {n['proxy']}" for n in send.get("nics", [])]
    return [", ".join(nets) or f"{send['transport']} {send['path']}"]


def nics(a, rank):
    rows = [row for row in a["net_devs"] if row["rank"] == int(rank)]
    names = [row["net"] + ("" if row["proxy_rank"] == row["rank"] else f" ({row['proxy_rank']})") for row in rows]
    return [", ".join(names) or NONE]


def graph(a, name):
    g = found(a["graphs"], name=name)
    if not g:
        return [NONE]
    rates = f"{g['channels']} x {number(g['bw_intra'])}/{number(g['bw_inter'])}"
    return [
        f"{rates} {g['type_intra']}/{g['type_inter']} pattern {g['pattern']} crossNic {g['cross_nic']} "
        f"sameChannels {g['same_channels']} hops {g['n_hops']}"
    ]


def orders(a, name, first=None):
    g = found(a["graphs"], name=name)
    for c, ranks in enumerate(g["intra"][: first and int(first)] if g else []):
        nets = g["inter"][c] if c < len(g["inter"]) else ["", ""]
        yield f"{c}: {nets[0]} [{' '.join(map(str, ranks))}] {nets[1]}".replace("  ", " ").rstrip()


def nodes(a, kind=None):
    return [" ".join(n["id"] for n in a["system"]["nodes"] if kind in (None, n["type"])) or NONE]


def bandwidth(a):
    return [f"max {number(a['system']['max_bw'])}, total {number(a['system']['total_bw'])}"]


def get(a, where):
    for key in where.split("."):
        a = a[int(key)] if isinstance(a, list) else a[key]
    return [number(a) if isinstance(a, (str, int, float)) else json.dumps(a)]


def figure(a, name, label=None):
    value = a["releases"][0]["figures"].get(name, NONE)
    if label is not None and isinstance(value, dict):
        value = value.get(label, NONE)
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [" ".join(map(number, value)) if isinstance(value, list) else number(value)]


def counts(a):
    c = a["channels"]
    nvls = c["nvls"]["channels"] if c["nvls"] else 0
    return [f"{c['count']} channels, {nvls} nvls, {c['p2p_channels']} p2p, {c['p2p_channels_per_peer']} per peer"]


def ring(a, channel):
    return [" ".join(map(str, a["channels"]["rings"][int(channel)]))]


def tree_place(tree, rank):
    downs = [str(d) for d in tree["down"][int(rank)] if d >= 0]
    return [f"up {tree['up'][int(rank)]}, down {' '.join(downs) or NONE}".replace("up -1", f"up {NONE}")]


def tree_places(trees, channel, rank):
    tree = trees[int(channel)]
    if rank is not None:
        return tree_place(tree, rank)
    return [f"{r}: {tree_place(tree, r)[0]}" for r in range(len(tree["up"]))]


def tree(a, channel, rank=None):
    return tree_places(a["channels"]["trees"], channel, rank)


def nvls(a, channel, rank=None):
    return tree_places(a["channels"]["nvls"]["tree"], channel, rank)


def tuning(a, function, algorithm):
    bandwidths, latencies = (a["tuning"][kind][function].get(algorithm) for kind in ("bandwidths", "latencies"))
    return [
        ", ".join(f"{p} {number(bandwidths[p])}/{number(latencies[p])}" for p in bandwidths) if bandwidths else NONE
    ]


def choice(a, function, size):
    """Of the sizes that the predictions list."""
    at = a["predictions"]["sizes"].index(int(size))
    rows = a["predictions"]["functions"][function]
    taken = [r for r in rows["ranges"] if r["from"] <= int(size)][-1]
    times = found(rows["ways"], algorithm=taken["algorithm"], protocol=taken["protocol"])["times"]
    bus = int(size) / times[at] / 1000 * rows["bus_share"]
    return [f"{taken['algorithm']} {taken['protocol']}, {number(times[at])} us, {bus:.2f} GB/s"]


def aligned(a, name):
    rows = [r for r in a["cluster"]["alignment"] if r["graph"] == name]
    return [f"{r['field']}: {', '.join(number(v) for v in r['values'])} -> {number(r['value'])}" for r in rows] or [
        NONE
    ]


def mnnvl(a):
    return [a["cluster"]["mnnvl"]["rule"]]


def device(a, *names):
    """The value of each fact, - if the release lacks it."""
    facts = {row["name"]: row["value"] for row in a["device"]["facts"]}
    return [NONE if facts.get(name) is None else str(facts[name]) for name in names]


def kernel(a, function, size):
    row = found(a["device"]["calls"] or [], collective=function, bytes=int(size))
    if not row or row["by"] != "symmetric":
        return [row["by"] if row else "classic"]
    return [f"{row['kernel']}, {row['blocks']} blocks, {number(row['us'])} us"]


def rounds(a, rank):
    row = found(a["schedule"], rank=int(rank))
    return [" ".join(str(r["send"]["rank"]) if r["send"] else NONE for r in row["rounds"])]


QUESTIONS = {
    f.__name__: f
    for f in (
        nodes,
        links,
        link,
        path,
        hops,
        p2p,
        gdr,
        nics,
        graph,
        orders,
        bandwidth,
        counts,
        ring,
        tree,
        nvls,
        tuning,
        choice,
        aligned,
        mnnvl,
        device,
        kernel,
        rounds,
        peer,
        get,
        figure,
    )
}


def show(document, words):
    """Lines of text; SystemExit for a question that is not known."""
    if not words or words[0] not in QUESTIONS:
        raise SystemExit(f"show.py: no such question: {' '.join(words)}\n{__doc__}")
    return list(QUESTIONS[words[0]](document, *words[1:]))


if __name__ == "__main__":
    if sys.stdin.isatty() or len(sys.argv) < 2:
        raise SystemExit(__doc__)
    text = sys.stdin.read()
    if not text.strip():
        raise SystemExit("show.py: no JSON came in: see the error message of orrery")
    print("\n".join(show(json.loads(text), sys.argv[1:])))
