#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Orrery. `./dev bench` builds and runs it.

usage: bench.py [engine] [server] [place] [scale] [logs] [--release R] [--hosts N] [--runs N] [--match TEXT]
                [--seconds S]
       bench.py --instructions [--release R] [--match TEXT] [--every N] [--jobs N]

engine  for every topology of the conformance set (of static/examples and tests/data where ../shared is missing) the
        time of parse, graph, paths, search, connect and tuning, and the total: microseconds, the best of several runs
server  requests a second, and CPU time a request, for a cached analysis and a small section of it from a real
        `orrery serve` whose log another process reads, beside libmicrohttpd alone with the same bytes from memory, and
        beside the same asked for our address, sending our headers and writing a line of a log for each request; the
        same wrk drives all, in turns
place   processor time of the scores of all sets of GPUs, of all sizes, on 1 and 2 hosts, for every example of 8 GPUs;
        then requests a second for place that differ in their free GPUs and counts, beside a cached analysis of the
        same machine, in turns
scale   rings and trees of every rank, 32 channels, written as JSON by `orrery channels`, from 8 to 131072 ranks:
        seconds and the largest resident memory as the operating system counts them, and what twice the ranks cost
        against half of them
logs    MB of log that `orrery check-log` reads in a second of processor time, by what the lines are, beside `wc -l`
        and `grep -c` of the same bytes in the same run; best of several runs

--instructions counts machine instructions by callgrind inside orr_dump_read() and orr_analyze(), as the yardstick
../shared/conformance/cost.csv was counted for NCCL's own code: case, ours, NCCL's, ratio, and the geometric mean.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
import make_log  # noqa: E402

SHARED = ROOT.parent / "shared"
BUILD = ROOT / "build"
LOG_LINE = 267  # bytes, as the line of orrery serve for the small section
OF_LIBMICROHTTPD = {"Date", "Content-Length", "Connection"}  # it adds them itself
STAGES = ["parse", "graph", "paths", "search", "connect", "tuning"]


def topologies(release, match):
    """The files of the conformance set, or our own."""
    ours = sorted(ROOT.glob("static/examples/*.xml")) + sorted(ROOT.glob("tests/data/*.xml"))
    reference = SHARED / "conformance" / "reference" / release
    if reference.is_dir():
        where = {path.name: path for path in SHARED.glob("topologies/*/*.xml")}
        names = sorted(path.name[: -len(".jsonl.gz")] + ".xml" for path in reference.glob("*.jsonl.gz"))
        ours = [where[name] for name in names if name in where]
    return [path for path in ours if match in path.name]


def bench_engine(args):
    files = topologies(args.release, args.match)
    done = subprocess.run(
        [BUILD / "bench_engine", args.release, str(args.hosts), str(args.runs), *files], capture_output=True, text=True
    )
    print(f"NCCL {args.release}, {args.hosts} host(s), best of {args.runs} runs, microseconds\n")
    print(f"{'topology':<46}{'ranks':>6}" + "".join(f"{stage:>10}" for stage in STAGES) + f"{'total':>11}")
    totals, sums = [], [0.0] * len(STAGES)
    for line in done.stdout.splitlines():
        if " refused: " in line:
            print(f"{line.split()[0]:<46}  {line.split(' ', 1)[1]}")
            continue
        name, ranks, *times = line.split()
        times = [int(t) / 1000 for t in times]
        totals.append(sum(times))
        sums = [a + b for a, b in zip(sums, times)]
        print(f"{name:<46}{ranks:>6}" + "".join(f"{t:>10.1f}" for t in times) + f"{sum(times):>11.1f}")
    if totals:
        print(f"{'sum of ' + str(len(totals)):<52}" + "".join(f"{t:>10.1f}" for t in sums) + f"{sum(totals):>11.1f}")
        print(f"median {statistics.median(totals):.1f}, largest {max(totals):.1f} microseconds")
    if done.returncode:
        sys.exit(done.stderr.strip() or f"bench_engine ended with {done.returncode}")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(url, pid, seconds, *more, **settings):
    """(requests a second, microseconds of the server's CPU a request, answers that were no 200) of wrk with 64
    connections."""
    before = cpu_seconds(pid)
    out = subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", *more, url],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings},
    ).stdout
    used = cpu_seconds(pid) - before
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    errors = re.search(r"Socket errors: (.*)", out)
    if errors:
        print(f"  wrk: socket errors: {errors.group(1)}")
    count = int(re.search(r"(\d+) requests in", out).group(1))
    return (
        float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
        used / max(count, 1) * 1e6,
        int(bad.group(1)) if bad else 0,
    )


@contextlib.contextmanager
def service(folder, threads):
    """(process id, address) of a service of our own."""
    serve = subprocess.Popen(
        [
            BUILD / "orrery",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--database",
            f"{folder}/bench.db",
            "--threads",
            threads,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = subprocess.Popen(["cat"], stdin=serve.stderr, stdout=subprocess.DEVNULL)
    try:
        yield serve.pid, serve.stdout.readline().split()[-1].rstrip("/")
    finally:
        serve.terminate()
        serve.wait(15)
        log.wait(15)


def upload(base, example):
    dump = (ROOT / "static/examples" / example).read_bytes()
    post = urllib.request.Request(f"{base}/v1/topologies", data=dump, headers={"Content-Type": "application/xml"})
    return json.load(urllib.request.urlopen(post))["id"]


def bench_server(args):
    threads = str(os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder, service(folder, threads) as (pid, base):
        ident = upload(base, "h100-nvswitch.xml")
        for section in ("/tuning", ""):
            compare_with_bare(
                args, pid, f"{base}/v1/topologies/{ident}/analysis{section}?release={args.release}", folder, threads
            )


def bench_place(args):
    threads = str(os.cpu_count() or 1)
    print("\nscores of all sets of GPUs of all sizes, 1 and 2 hosts: milliseconds of processor time")
    with tempfile.TemporaryDirectory() as folder, service(folder, threads) as (pid, base):
        for example in sorted(path for path in (ROOT / "static/examples").glob("*.xml") if args.match in path.name):
            if len(re.findall("<gpu ", example.read_text())) != 8:
                continue
            ident, before = upload(base, example.name), cpu_seconds(pid)
            for count in range(1, 9):
                urllib.request.urlopen(
                    f"{base}/v1/topologies/{ident}/place?release={args.release}&count={count}&top=200"
                ).read()
            print(f"{example.name:<36}{(cpu_seconds(pid) - before) * 1000:>8.0f}")
        ident = upload(base, "h100-nvswitch.xml")
        analysis = f"{base}/v1/topologies/{ident}/analysis?release={args.release}"
        asked = ("-s", str(ROOT / "tests/bench/place.lua"))
        runs = [
            (
                load(analysis, pid, args.seconds),
                load(base, pid, args.seconds, *asked, PLACE_ID=ident, PLACE_RELEASE=args.release),
            )
            for _ in range(args.runs)
        ]
    rates = [statistics.median(run[what][0] for run in runs) for what in (0, 1)]
    print(
        f"cached analysis {rates[0]:.0f} requests/s, place with other GPUs and counts each time {rates[1]:.0f}: "
        f"ratio {rates[1] / rates[0]:.2f}; "
        f"{sum(run[1][2] for run in runs)} answers other than 200"
    )


class Bare:
    """libmicrohttpd alone with bytes of our own from memory, and a line of a log for each request unless it is 0."""

    def __init__(self, body, threads, headers, line):
        pairs = [part for header in headers for part in header]
        self.child = subprocess.Popen(
            [BUILD / "bare_mhd", body, threads, str(line), *pairs],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log = subprocess.Popen(["cat"], stdin=self.child.stderr, stdout=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{self.child.stdout.readline().split()[-1]}"

    def end(self):
        self.child.stdin.close()
        self.child.wait(15)
        self.log.wait(15)


def compare_with_bare(args, pid, url, folder, threads):
    with urllib.request.urlopen(url) as answer:
        body, headers = answer.read(), [header for header in answer.getheaders() if header[0] not in OF_LIBMICROHTTPD]
    file, path = pathlib.Path(folder) / "body", "/" + url.split("/", 3)[3]
    file.write_bytes(body)
    with contextlib.ExitStack() as ending:
        alone = Bare(file, threads, [("Content-Type", "application/json")], 0)
        alike = Bare(file, threads, headers, LOG_LINE)
        ending.callback(alone.end)
        ending.callback(alike.end)
        asked = {
            "orrery serve": (url, pid),
            "bare libmicrohttpd": (f"{alone.base}/", alone.child.pid),
            "the same, our request, headers, log": (alike.base + path, alike.child.pid),
        }
        print(
            f"\ncached {url.split('/', 5)[-1]}, {len(body)} bytes, {threads} threads, 64 connections, "
            f"medians of {args.runs} x {args.seconds} s each, in turns"
        )
        runs = [{name: load(*who, args.seconds) for name, who in asked.items()} for _ in range(args.runs)]
    medians = {name: [statistics.median(run[name][what] for run in runs) for what in (0, 1)] for name in asked}
    ours = medians["orrery serve"]
    for name, (rate, cpu) in medians.items():
        print(
            f"{name:<36}{rate:>8.0f} requests/s{cpu:>8.2f} us of CPU a request"
            + ("" if name == "orrery serve" else f"   ratio {ours[0] / rate:.2f}, of CPU {cpu / ours[1]:.2f}")
        )
    print(f"{sum(run['orrery serve'][2] for run in runs)} answers other than 200")


def largest_memory(pid):
    """MiB that the process has held at most so far, 0 if it has ended."""
    try:
        found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        found = None
    return int(found[1]) / 1024 if found else 0


def channels_of(hosts, release, dump, runs):
    """(seconds of the quickest of several runs, MiB at most) of `orrery channels`."""
    times, memory = [], 0
    for _ in range(runs):
        begun = time.perf_counter()
        child = subprocess.Popen(
            [
                BUILD / "orrery",
                "channels",
                "--release",
                release,
                "--hosts",
                str(hosts),
                "--set",
                "NCCL_MIN_NCHANNELS=32",
                dump,
            ],
            stdout=subprocess.DEVNULL,
        )
        while child.poll() is None:
            memory = max(memory, largest_memory(child.pid))
            time.sleep(0.001)
        times.append(time.perf_counter() - begun)
        if child.returncode:
            sys.exit(f"orrery channels ended with {child.returncode}")
    return min(times), memory


def bench_scale(args):
    dump = ROOT / "static/examples/h100-nvswitch.xml"
    print(
        f"\nrings and trees of every rank, NCCL {args.release}, 8 GPUs a host, 32 channels, best of {args.runs} runs\n"
    )
    print(f"{'ranks':>8}{'seconds':>10}{'ns a rank and channel':>24}{'MiB':>8}{'against half the ranks':>25}")
    before, hosts = None, 1
    while hosts <= 16384:
        seconds, memory = channels_of(hosts, args.release, dump, args.runs)
        ratio = f"{seconds / before:>25.2f}" if before else ""
        print(
            f"{hosts * 8:>8}{seconds:>10.4f}{seconds / (hosts * 8 * 32) * 1e9:>24.1f}{memory:>8.1f}{ratio}", flush=True
        )
        before, hosts = seconds, hosts * 2


def log_lines(release):
    """{what the lines are: some lines of a job with 16 ranks}; without a printed tree, so that nothing is predicted."""
    analysis = subprocess.run(
        [BUILD / "orrery", "analyze", "--release", release, "--hosts", "2", ROOT / "static/examples/h100-nvswitch.xml"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    job = [
        line
        for line in make_log.Maker(json.loads(analysis), more=True).make()
        if not re.search(r"=== System|={8}|\+ |CPU/", line)
    ]
    heads = [f"node{rank // 8 + 1}:{1000 + rank}:{1100 + rank} [{rank % 8}] NCCL INFO " for rank in range(16)]
    return {
        "initialisation": job,
        "chosen algorithms": [
            f"{head}AllReduce: {1 << size} Bytes -> Algo RING proto SIMPLE channel{{Lo..Hi}}={{0..23}}"
            for size in range(10, 31)
            for head in heads
        ],
        "calls of collectives": [
            f"{head}AllReduce: opCount {count:x} sendbuff 0x7f3e48000000 recvbuff 0x7f3e48000000 count 33554432 "
            "datatype 7 op 0 root 0 "
            f"comm 0x5{rank:03x}00 [nranks=16] stream 0x55d5f4d50b60"
            for count in range(64)
            for rank, head in enumerate(heads)
        ],
        "output of the job": [
            f"[rank{rank}] step {step:5d} | loss 2.{step:04d} | 14.2 s | 512.3 TFLOP/s"
            for step in range(64)
            for rank in range(16)
        ],
    }


def processor_seconds(command, runs):
    """Processor time of the quickest of several runs of a command; other work on the machine hardly changes it."""
    times = []
    for _ in range(runs):
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        child.stdout.read()  # grep stops at the first line where nobody reads
        _, _, used = os.wait4(child.pid, 0)
        times.append(used.ru_utime + used.ru_stime)
        child.returncode = 0
    return min(times)


def bench_logs(args):
    megabytes = 128
    print(f"\nreading logs of {megabytes} MB: MB a second of processor time, best of {args.runs} runs\n")
    print(f"{'lines':<24}{'orrery MB/s':>14}{'wc -l MB/s':>14}{'ratio':>9}{'grep -c MB/s':>14}{'ratio':>9}")
    job = log_lines(args.release)
    with tempfile.TemporaryDirectory() as folder:
        for what, lines in job.items():
            path, text = pathlib.Path(folder) / "job.log", "\n".join(lines) + "\n"
            if what != "initialisation":
                text = "\n".join(line for line in job["initialisation"] if "Init" in line) + "\n" + text
            path.write_text(text * (megabytes * 1000000 // len(text) + 1))
            size = path.stat().st_size / 1e6
            ours, wc, grep = (
                size / processor_seconds(command, args.runs)
                for command in (
                    [BUILD / "orrery", "check-log", "--json", path],
                    ["wc", "-l", path],
                    ["grep", "-c", "NCCL INFO", path],
                )
            )
            print(f"{what:<24}{ours:>14.0f}{wc:>14.0f}{ours / wc:>9.3f}{grep:>14.0f}{ours / grep:>9.3f}", flush=True)


def count_instructions(release, hosts, path):
    """Instructions between entry and exit of the engine's two entry points, once."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/out",
                "--collect-atstart=no",
                "--toggle-collect=orr_dump_read",
                "--toggle-collect=orr_analyze",
                BUILD / "bench_engine",
                release,
                str(hosts),
                "1",
                path,
            ],
            capture_output=True,
            text=True,
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        return None if " refused: " in done.stdout or not found else int(found.group(1))


def bench_instructions(args):
    table = SHARED / "conformance" / "cost.csv"
    if not table.exists():
        sys.exit(f"{table} is missing: nothing to compare with")
    where = {path.name: path for path in SHARED.glob("topologies/*/*.xml")}
    rows = [
        row
        for row in csv.DictReader(table.open())
        if row["topology"] in where and args.match in row["topology"] and args.release in (None, row["release"])
    ]
    rows = rows[:: args.every]
    ratios = collections.defaultdict(list)
    print(f"{'release':<9}{'topology':<46}{'hosts':>6}{'ours':>15}{'NCCL':>16}{'ratio':>9}")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        counted = pool.map(lambda row: count_instructions(row["release"], row["hosts"], where[row["topology"]]), rows)
        for row, ours in zip(rows, counted):
            theirs = int(row["instructions"])
            shown = f"{ours:>15}{theirs:>16}{ours / theirs:>9.4f}" if ours else f"{'refused':>15}{theirs:>16}"
            print(f"{row['release']:<9}{row['topology']:<46}{row['hosts']:>6}{shown}", flush=True)
            if ours:
                ratios[row["release"]].append(ours / theirs)
    ratios["all of them"] = [ratio for values in ratios.values() for ratio in values]
    for release, values in ratios.items():
        if values:
            print(
                f"{release}: geometric mean {math.exp(statistics.fmean(map(math.log, values))):.4f}, "
                f"worst {max(values):.4f}, {len(values)} cases"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help="engine, server, place, scale, logs; all by default")
    parser.add_argument(
        "--release", help="2.27.7 by default; with --instructions: every release of cost.csv by default"
    )
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--match", default="", help="only topologies whose name holds this")
    parser.add_argument("--seconds", type=int, default=5, help="of each run of wrk")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument(
        "--every", type=int, default=1, help="with --instructions: only every Nth case, for a quick look"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="with --instructions: so many cases at once")
    args = parser.parse_args()
    if args.instructions:
        return bench_instructions(args)
    args.release = args.release or "2.27.7"
    known = {
        "engine": bench_engine,
        "server": bench_server,
        "place": bench_place,
        "scale": bench_scale,
        "logs": bench_logs,
    }
    for part in args.part or known:
        if part not in known:
            parser.error(f"no part named {part}: {', '.join(known)}")
        known[part](args)


if __name__ == "__main__":
    main()
