#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the fuzz targets: make_seeds.py FOLDER [--shared].

FOLDER/analysis, json, api, log, results get inputs made from this repository alone (tests/data, static/examples, the
paths of api/openapi.yaml). With --shared, FOLDER/analysis gets the dumps of ../shared/topologies instead, if they are
beside the checkout: those stay in build folders and never become part of the kept corpora.
"""
import itertools
import gzip
import io
import pathlib
import re
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 16384  # what libFuzzer is told as -max_len: a host of eight GPUs has some ten kilobytes


def write(folder, name, data):
    if len(data) <= LARGEST:
        (folder / name).write_bytes(data)


def questions():
    """Eight bytes that fuzz_analysis.c reads as a question: every release with one to four hosts and every look."""
    for i in itertools.count():
        yield bytes([i % 5, (i // 5) % 4, (i // 3) % 7, i % 16, (7 * i) % 42, i % 35, (11 * i) % 42, (3 * i) % 35])


def dumps(folder, files, each):
    question = questions()
    for path in files:
        for _ in range(each):
            asked = next(question)
            write(folder, f"{path.stem}-{asked.hex()}", asked + path.read_bytes())


def api(folder):
    text = (ROOT / "api" / "openapi.yaml").read_text()
    workstation = (ROOT / "static" / "examples" / "workstation-2gpu.xml").read_text()
    queries = [
        "",
        "?release=2.21.5&hosts=2",
        "?release=2.7.8&NCCL_CROSS_NIC=1&strict=1",
        "?view=ring&channel=1&theme=dark",
        "?view=path&from=rank:0&to=rank:1&format=dot",
        "?section=graphs&hosts=4",
        "?against=2.12.12&against=NCCL_P2P_LEVEL=LOC",
        "?limit=1&cursor=18bcfe56800-0123456789abcdef0123456789abcdef",
        "?q=fuzz",
        "?name=a%20b&label=host=node2&label=rack=7",
        "?from=rank:0&to=NET/0-0&hosts=2",
        "?from=GPU/0-1000&to=rank:1",
        "?view=tree&hosts=4",
    ]
    paths = re.findall(r"^  (/\S*):\n((?:    .*\n|\n)*)", text, re.M)
    paths += [("/index.html", "    get:"), ("/js/%2e%2e/index.html", "    get:"), ("/examples/..", "    get:")]
    number = 0
    for path, body in paths:
        target = (
            path.replace("{id}", "@")
            .replace("{section}", "paths")
            .replace("{format}", "dot")
            .replace("{type}", "not-found")
            .replace("{host}", "node1")
        )
        target = re.sub(r"\{[^}]*\}", "x", target)
        for method in re.findall(r"^    (get|post|patch|delete|put):", body, re.M):
            for query in queries:  # most are refused by a route: that is needed as well
                request = f"{method.upper()} {target}{query}\n"
                sent = {"post": workstation, "patch": '{"name": "b", "labels": {"rack": "8"}}'}.get(method, "")
                request += ["Accept-Encoding: gzip\n", "Accept: application/json, */*;q=0.1\n", "If-Match: *\n"][
                    number % 3
                ]
                request += "\n" + sent
                request += "\n====\nGET " + target + query + "\nIf-None-Match: *\n\n"
                write(folder, f"{number:03}-{method}", request.encode())
                number += 1


def json(folder):
    texts = [
        '{"hosts": [{"topology": "a.xml", "count": 2}, {"topology": "/b.xml"}]}',
        '{"hosts": []}',
        "[1, 2]",
        '{"hosts": [{"count": 1}]}',
        '{"name": "new", "labels": {"rack": "7", "\\u00e9": "\\ud83d\\ude00"}}',
        '{"name": null}',
        '{"labels": {}}',
        '{"name": 1e400}',
        '"x"',
        '{"name": "a", "name": "b"}',
        '{"name": "\\u0000"}',
    ]
    for i, text in enumerate(texts):
        for which in (b"0", b"1"):
            write(folder, f"{i:02}-{which.decode()}", which + text.encode())


def detect(folder):
    """Trees of the tests' fake machines with facts as gather writes them, and those facts alone."""
    sys.path.insert(0, str(ROOT / "tests" / "detect"))
    import fake_machine

    for number, name in enumerate(("tree-a", "tree-b", "gb300-tray", "vm-one-bus")):
        with tempfile.TemporaryDirectory() as place:
            machine = fake_machine.MACHINES[name](f"{place}/m")
            facts = (
                "nvml 570.1\nhost 0x1 0x2\n" + "\n".join(machine.gpus) + "\ninterface eth0 inet running\nverb mlx5_0\n"
            )
            machine.write("/orrery/facts", facts)
            out = io.BytesIO()
            with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed, tarfile.open(
                fileobj=packed, mode="w"
            ) as tar:
                tar.add(machine.root, "m", filter=bare)
            write(folder, f"{name}-tar", bytes([number * 8 + 2]) + out.getvalue())
            write(folder, f"{name}-facts", bytes([number * 8 + 3]) + facts.encode())


def bare(entry):
    """An entry without owner and time; those of a folder follow in order."""
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def inputs(folder):
    """Each example in every form; the first byte chooses a machine type (odd) or none."""
    sys.path.insert(0, str(ROOT / "tests" / "tools"))
    import other_forms

    for number, path in enumerate(sorted((ROOT / "static" / "examples").glob("*.xml"))):
        text = path.read_text()
        machine = other_forms.Machine(text)
        places = re.sub(r"<(gpu|nic)\b(?:[^>]*[^/])?>.*?</\1>|<(?:gpu|nic)\b[^>]*/>", "", text, flags=re.S)
        forms = {
            "matrix": other_forms.matrix(machine),
            "blanks": other_forms.matrix(machine, "  ", False),
            "hwloc": other_forms.hwloc(machine),
            "places": places,
            "twice": text + text,
            "fence": f"$ cat\n```\n{text}```\n",
        }
        for form, seed in forms.items():
            for kind in (0, 2 * number + 1):
                write(folder, f"{path.stem}-{form}-{kind}", bytes([kind]) + seed.encode())
    log = (
        "node17:1:2 [0] NCCL INFO NET/0-3 (0/a088c20300e0f1/1/50.0) 10.1.2.3 fe80::1:2 98:03:9b:16:65:ce "
        "/home/a/x GPU-d3977428-7a30-086b-2e20-5c1eeed647c6\n"
    )
    write(folder, "log", b"\0" + 3 * log.encode())
    for path in sorted((ROOT / "tests" / "data" / "logs").glob("*-1h.log")):  # each prints its tree
        for kind in (0, 1):
            write(folder, f"{path.stem}-{kind}", bytes([kind]) + path.read_bytes())
    for path in sorted((folder.parent / "detect").glob("*-tar")):
        write(folder, f"gathered-{path.name}", b"\0" + path.read_bytes()[1:])
    for name, seed in {
        "graphs": b'<graphs version="1"/>',
        "gzip": b"\x1f\x8b",
        "tar": bytes(257) + b"ustar",
        "json": b"{}",
    }.items():
        write(folder, name, b"\0" + seed)


def results(folder):
    """Results of nccl-tests in each form."""
    ways = "  50.00   20.97   31.46      0    40.00   26.21   39.32      0"
    names = (
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw  "
        " busbw #wrong\n"
    )
    info = "n1:10:11 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}\n"
    head = (
        "# nccl-tests version 2.17.1 nccl-headers=22707 nccl-library=22707\n# Collective test starting: "
        "all_reduce_perf\n"
    )
    head += (
        "# nThread 1 nGpus 2 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 "
        "validation: 1\n# Using devices\n"
    )
    head += "".join(
        f"#  Rank  {rank} Group  0 Pid   10 on   n1 device  {rank} [0000:{rank + 1}b:00] NVIDIA H100 80GB HBM3\n"
        for rank in range(4)
    )
    row = "     1048576        262144     float     sum      -1"
    tail = (
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 35.39 \n#\n# Collective test concluded: "
        "all_reduce_perf\n"
    )
    way = '{"time":50.0,"alg_bw":20.97,"bus_bw":18.35,"nwrong":0}'
    seeds = {
        "whole": head + names + row + ways + "\n" + tail,
        "torn": head + names + row + "n1:10:11 [0] " + info[13:] + info + ways + "\n" + tail,
        "prefix": "".join(
            "[1,0]<stdout>:" + line for line in (head + names + row + ways + "\n" + tail).splitlines(True)
        ),
        "bare": "8589934592 268435456 half none 0 24000.0 357.91 313.17\n0 0 half none 0 1e+03 0 0\n",
        "two": names + (row + ways + "\n") * 2 + names + "8 2 int8 max 3" + ways,
        "csv": "size,time,algbw,busbw\n8,1.5,2,3\n16,1.5,4,6\n",
        "markdown": "all_gather_perf\n| size | busbw (GB/s) |\n| --- | --- |\n| 65K | 3.5 |\n| 1.5G | N/A |\n",
        "json": '{"args":["all_gather_perf"],"nccl_version":22809,'
        '"config":{"nthreads":1,"ngpus":2,"devices":[{"rank":0,'
        '"hostname":"n1","device_hex":"0",'
        '"device_info":"H"}]},"results":[{"size":64,"count":8,"type":"float","redop":"none","root":"-1","out_of_place":'
        + way
        + ',"in_place":'
        + way
        + '}],"out_of_bounds":{"count":0},"average_bus_bandwidth":{"bandwidth":18.3}}',
        "other": " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]\n 65536 5000 1 1\n",
    }
    for name, seed in seeds.items():
        write(folder, name, seed.encode())


def main():
    out = pathlib.Path(sys.argv[1])
    folders = {name: out / name for name in ("analysis", "json", "api", "log", "results", "input", "detect")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    if "--shared" in sys.argv:
        for folder in ("hwloc", "nvidia-smi-topo"):
            for path in (ROOT.parent / "shared" / folder).iterdir():
                write(folders["input"], path.name, b"\0" + path.read_bytes())
        dumps(folders["analysis"], sorted((ROOT.parent / "shared" / "topologies").glob("**/*.xml")), 1)
        return
    dumps(
        folders["analysis"],
        sorted([*(ROOT / "tests" / "data").glob("*.xml"), *(ROOT / "static" / "examples").glob("*.xml")]),
        3,
    )
    api(folders["api"])
    json(folders["json"])
    detect(folders["detect"])
    inputs(folders["input"])
    results(folders["results"])
    for path in sorted((ROOT / "tests" / "data" / "logs").iterdir()):
        write(folders["log"], path.name, path.read_bytes())


main()
