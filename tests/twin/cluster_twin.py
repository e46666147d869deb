#!/usr/bin/env python3
import argparse, glob, gzip, json, os, sys
from facts import Facts, Refused, f32, analyse
from joining import Joined

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(HERE, "../../../shared")

def files():
    return {os.path.basename(p): p for p in glob.glob(SHARED + "/topologies/*/*.xml")}

def differ(ref, got, at=""):
    if isinstance(ref, (int, float)) and isinstance(got, (int, float)):
        return None if ref == got or abs(ref - got) <= 1e-6 * max(abs(ref), abs(got)) else f"{at}: {ref!r} / {got!r}"
    if isinstance(ref, dict):
        for k, v in ref.items():
            if k not in got: return f"{at}.{k}: missing"
            d = differ(v, got[k], f"{at}.{k}")
            if d: return d
        return None
    if isinstance(ref, list):
        for i, (a, b) in enumerate(zip(ref, got)):
            d = differ(a, b, f"{at}[{i}]")
            if d: return d
        return None if len(ref) == len(got) else f"{at}: length {len(ref)} / {len(got)}"
    return None if ref == got else f"{at}: {ref!r} / {got!r}"

def joined(facts, release, settings, hosts, place=None):
    systems, base = [], 0
    for path, order, ranks in hosts:
        systems += facts.systems(release, settings, path, order, ranks)
    return Joined(release, settings, systems)

def references(orrery):
    from facts import gpu_count
    facts, byname = Facts(orrery), files()
    ok = bad = 0
    for p in sorted(glob.glob(SHARED + "/conformance/clusters/*/*.gz")):
        for line in gzip.open(p, "rt"):
            d = json.loads(line)
            hosts, base = [], 0
            for name in d["topologies"]:
                n = gpu_count(byname[name])
                hosts.append((byname[name], list(range(n)), list(range(base, base + n))))
                base += n
            try:
                j = joined(facts, d["nccl"], d["settings"], hosts)
                x = differ(d["channels"], j.channels(), "channels")
                if not x and "tuning" in d and TUNING:
                    from tuning import tuning
                    x = differ(d["tuning"], tuning(j), "tuning")
            except Exception as e:
                import traceback; traceback.print_exc(limit=-2)
                x = repr(e)
            ok, bad = ok + (not x), bad + bool(x)
            if x: print(d["nccl"], d["topologies"], d["settings"], x)
    print(ok, "agree", bad, "differ")

TUNING = True
def renumbered(case, document, ranks):
    return document

def alignment(j, case, hosts, facts, got):
    """Who sets what: fields in which kinds of hosts differ, what each brings, whose value lasts."""
    types = {v: k for k, v in reversed(list(j.own.types.items()))}
    kinds = []
    for kind in got["cluster"]["kinds"]:
        ranks = hosts[kind["hosts"][0][0]][2]
        kinds.append([s for s in j.systems if set(s.ranks) & set(ranks)])
    most = ["cross_nic", "type_inter", "pattern"] + ([] if j.release == "2.7.8" else ["type_intra"])
    fields = ["channels", "same_channels", "bw_intra", "bw_inter", "type_intra"]
    fields += ["type_inter"] if j.since("2.12.12") else []
    fields += ["cross_nic"] if j.since("2.21.5") else []
    expected = {}
    for name in {g for s in j.systems for g in s.graphs}:
        for field in fields + (["pattern"] if name == "tree" and j.since("2.27.7") else []):
            lacks = [not all(name in s.graphs for s in part) for part in kinds]
            if field != "channels" and any(lacks):
                continue
            rows = [0 if lack else (max if field in most else min)(s.graphs[name][field] for s in part) for lack, part in zip(lacks, kinds)]
            if len(set(rows)) == 1:
                continue
            value = j.max_tree_pattern if field == "pattern" else j.graph(name)[field]
            by = [k for k, v in enumerate(rows) if v == value]
            if field == "channels" and name in ("ring", "tree"):
                by = [k for k, part in enumerate(kinds) if min(s.k for s in part) == value]
            say = (lambda v: types[v]) if field.startswith("type") else (lambda v: v)
            expected[name, field] = (say(value), [say(v) for v in rows], by)
    shown = {(r["graph"], r["field"]): r for r in got["cluster"]["alignment"]}
    if set(shown) != set(expected):
        return f"alignment: {sorted(set(shown) ^ set(expected))} only in one"
    for key, (value, values, by) in expected.items():
        x = differ([value, values, by], [shown[key]["value"], shown[key]["values"], shown[key]["set_by"]], f"alignment.{key}")
        if x: return x
    return None

def lines(facts, case, tmp, got):
    command = [facts.orrery, "channels", "--lines", "--release", case.release, "--cluster", tmp]
    for k, v in case.settings.items(): command += ["--set", f"{k}={v}"]
    import subprocess
    out = subprocess.run(command, capture_output=True, timeout=120)
    if out.returncode: return "channels: " + out.stderr.decode()
    rows = [json.loads(l) for l in out.stdout.decode().splitlines()]
    rings = {r["ring"]: r["ranks"] for r in rows if "ring" in r}
    trees = {r["tree"]: {k: r[k] for k in ("up", "down", "depth")} for r in rows if "tree" in r}
    c = got["channels"]
    return differ([c["rings"], c["trees"], c["count"], c["p2p_channels"], c["p2p_channels_per_peer"], got["cluster"]["nodes"]],
                  [[rings[i] for i in sorted(rings)], [trees[i] for i in sorted(trees)], rows[0]["count"], rows[0]["p2p_channels"], rows[0]["p2p_channels_per_peer"], rows[0]["nodes"]], "lines")

def check(facts, case, tmp):
    """None, or the first difference."""
    hosts = case.hosts()
    refused = None
    try:
        systems = []
        for h in hosts: systems += facts.systems(case.release, case.settings, *h)
    except Refused as r:
        refused = str(r)
    with open(tmp, "w") as f: json.dump(case.description(), f)
    try:
        got = analyse(facts.orrery, case.release, case.settings, "--cluster", tmp)
    except Refused as r:
        return None if refused else f"refused: {r}"
    if refused: return f"not refused: {refused}"
    j = Joined(case.release, case.settings, systems)
    x = differ(j.channels(), got["channels"], "channels")
    if x: return x
    if not j.nvls and (got["channels"].get("nvls") or {}).get("channels"): return "nvls not expected"
    from tuning import tuning
    x = differ(tuning(j), got["tuning"], "tuning")
    if x: return x
    first = next(h for h in hosts if 0 in h[2])
    doc = facts.document(case.release, case.settings, first[0], first[1])
    for name in ("graphs", "system", "paths", "p2p", "gdr", "net_devs"):
        x = differ(doc[name], got[name], name)
        if x: return x
    if got["cluster"]["nodes"] != j.nodes: return "cluster.nodes"
    x = alignment(j, case, hosts, facts, got)
    if x: return x
    if case.seed % 4 == 0:
        return lines(facts, case, tmp, got)
    return None

def all_dumps():
    from facts import gpu_count
    dumps = {}
    for p in sorted(glob.glob(SHARED + "/topologies/*/*.xml") + glob.glob(HERE + "/../data/*.xml") + glob.glob(HERE + "/../../static/examples/*.xml")):
        if "graphs/" in p or "nvl72" in p or "4p4h" in p or "hygon-dtk" in p: continue
        try: n = gpu_count(p)
        except Exception: continue
        ids = [e.get("dev") for e in __import__("xml.etree.ElementTree").etree.ElementTree.parse(p).iter("net")]
        if n and (len(set(ids)) == len(ids) or "fused" in p or "trays" in p): dumps[p] = n
    return dumps

def randoms(orrery, first, count):
    from cases import Case
    from facts import gpu_count
    facts = Facts(orrery)
    dumps = all_dumps()
    import tempfile, traceback
    ok = bad = refused = 0
    with tempfile.NamedTemporaryFile(suffix=".json") as t:
        for seed in range(first, first + count):
            case = Case(seed, dumps)
            try: x = check(facts, case, t.name)
            except Exception as e:
                x = "".join(traceback.format_exc(limit=-3))
            ok, bad = ok + (not x), bad + bool(x)
            if x: print(case.text(), "\n    ", x[:600])
    print(ok, "agree", bad, "differ")

if __name__ == "__main__":
    if sys.argv[2] == "references": references(sys.argv[1])
    else: randoms(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
