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
if __name__ == "__main__":
    if "notuning" in sys.argv: TUNING = False
    references("/work/main/build/orrery")
