#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a results text of 1 GB with `orrery check-perf` and with bounded memory: a launcher's output with occasional
tables.

    check_large_results.py [--orrery build/orrery] [--bytes 1000000000]

The text comes through a pipe, and from a sparse file, whose end alone has a table after a line of 200 MiB of zeros. A
file whose line is longer than 256 MiB is refused, as /dev/zero is. Prints seconds and MB; exit status 1 if a verdict is
missing or the process took more than 200 MB (a build with AddressSanitizer: 800 MB)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG_LINE = 200 << 20  # bytes
COLUMNS = (
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw #wrong\n"
)
HEADER = (
    "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20\n" + COLUMNS
)


def table(busbw):
    """Rows of all_reduce on 8 ranks."""
    rows = []
    for shift in range(20, 31):
        size = 1 << shift
        alg = busbw / 1.75
        rows.append(
            f"{size:12} {size // 4:12} float sum -1 {size / alg / 1000:9.1f} {alg:7.2f} {busbw:7.2f} 0 "
            f"{size / alg / 1000:9.1f} {alg:7.2f} {busbw:7.2f} 0\n"
        )
    return HEADER + "".join(rows)


def block():
    """About 1 MB: lines of a launcher and of NCCL, a line without end, and a table."""
    lines = [
        f"[1,{i % 8}]<stdout>: node{i % 8} epoch {i} loss {i * 0.37:.4f} and whatever else a job prints\n"
        for i in range(9000)
    ]
    lines += [
        f"node1:4{i % 8}:5 [{i % 8}] NCCL INFO Channel {i % 32:02d}/32 :    0   1   2   3   4   5   6   7\n"
        for i in range(3000)
    ]
    return ("".join(lines) + "x" * 80000 + "\n" + table(440)).encode()


def judge(orrery, feed, **streams):
    """(verdict, seconds, MB at most)"""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            [orrery, "check-perf", "--machine", "hgx-h100", "--release", "2.27.7", "--json", "-"], stdout=out, **streams
        )
        if feed:
            feed(child.stdin)
            child.stdin.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if child.returncode not in (0, 3, 4):
        sys.exit(f"orrery check-perf ended with {child.returncode}")
    return json.loads(text), time.monotonic() - started, usage.ru_maxrss / 1024


def is_sanitised(orrery):
    return b"__asan_init" in open(orrery, "rb").read()


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--orrery", default=os.environ.get("ORRERY", os.path.join(ROOT, "build", "orrery")))
    asked.add_argument("--bytes", type=int, default=1_000_000_000)
    asked = asked.parse_args()
    most = 800 if is_sanitised(asked.orrery) else 200
    failed = False

    def stream(pipe):
        piece, sent = block(), 0
        while sent < asked.bytes:
            pipe.write(piece)
            sent += len(piece)

    def check(what, size, found):
        nonlocal failed
        document, seconds, megabytes = found
        good = document["verdict"] in ("as expected", "low", "high") and megabytes <= most
        failed |= not good
        print(
            f"{what} of {size / 1e6:.0f} MB: {len(document['tables'])} tables, {document['verdict']}, "
            f"{seconds:.1f} s, {megabytes:.0f} MB{'' if good else ' (wrong)'}"
        )

    check("a stream", asked.bytes, judge(asked.orrery, stream, stdin=subprocess.PIPE))
    with tempfile.TemporaryFile() as sparse:
        sparse.truncate(LONG_LINE)
        sparse.seek(LONG_LINE)
        sparse.write(b"\n" + table(440).encode())
        sparse.seek(0)
        check("a sparse file", LONG_LINE, judge(asked.orrery, None, stdin=sparse))
    with tempfile.TemporaryFile() as sparse:
        sparse.truncate(2 * LONG_LINE)
        done = subprocess.run([asked.orrery, "check-perf", "-"], stdin=sparse, capture_output=True, text=True)
        if done.returncode != 1 or "longer than 256 MiB" not in done.stderr:
            print(f"a line of {2 * LONG_LINE / 1e6:.0f} MB: status {done.returncode} (wrong): {done.stderr[:200]}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
