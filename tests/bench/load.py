#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load on a real `orrery serve` from 64 keep-alive clients. `./dev load` builds and runs it.

usage: load.py [SECONDS] [--database URL]

90 % a cached analysis, 5 % upload and analysis of dumps not seen before, 5 % drawings (load.lua), for 300 s by
default. Prints the latencies and the resident memory each half minute. Any answer other than 200 and 201, a broken
connection, or memory that grows after the first minute by more than a twentieth is a failure.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTLED, GROWTH = 60, 1.05


def resident(pid):
    """(MB of the daemon, MB of it and its drawing workers)"""
    total = own = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            status = (entry / "status").read_text() if entry.name.isdigit() else ""
        except OSError:
            continue
        ident, parent, size = (re.search(rf"^{key}:\s+(\d+)", status, re.M) for key in ("Pid", "PPid", "VmRSS"))
        if size and (int(ident[1]) == pid or int(parent[1]) == pid):
            total += int(size[1]) / 1024
            own += int(size[1]) / 1024 if int(ident[1]) == pid else 0
    return own, total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=int, default=300)
    parser.add_argument("--database", help="as orrery serve takes it; a file of its own by default")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = open(f"{folder}/log", "wb")
        serve = subprocess.Popen(
            [
                ROOT / "build" / "orrery",
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--quiet",
                "--database",
                args.database or f"{folder}/load.db",
            ],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        base = "http" + serve.stdout.readline().split("http", 1)[1].split()[0]
        dump = (ROOT / "static" / "examples" / "a100-nvswitch.xml").read_text()
        (pathlib.Path(folder) / "dump.xml").write_text(
            re.sub(r'host_hash="[^"]*"', 'host_hash="LOADNONCE"', dump, count=1)
            if "host_hash" in dump
            else dump.replace("<cpu ", '<cpu host_hash="LOADNONCE" ', 1)
        )
        answer = urllib.request.urlopen(urllib.request.Request(f"{base}/v1/topologies", dump.encode(), method="POST"))
        ident = json.load(answer)["id"]
        urllib.request.urlopen(f"{base}/v1/topologies/{ident}/analysis").read()
        samples, ended = [], threading.Event()

        def watch():
            begun = time.monotonic()
            while not ended.wait(1):
                samples.append((time.monotonic() - begun, *resident(serve.pid)))

        watcher = threading.Thread(target=watch)
        watcher.start()
        done = subprocess.run(
            ["wrk", "-t2", "-c64", f"-d{args.seconds}s", "--timeout", "30s", "-s", ROOT / "tests/bench/load.lua", base],
            env=dict(os.environ, LOAD_ID=ident, LOAD_DUMP=f"{folder}/dump.xml"),
            capture_output=True,
            text=True,
        )
        ended.set()
        watcher.join()
        serve.send_signal(signal.SIGTERM)
        status = serve.wait(60)
        found = re.search(r"^LOAD (.*)$", done.stdout, re.M)
        if not found:
            sys.exit(done.stdout + done.stderr)
        figures = {key: float(value) for key, value in (pair.split("=") for pair in found[1].split())}
        print(
            f"{figures['requests']:.0f} requests in {figures['seconds']:.0f} s, "
            f"{figures['requests'] / figures['seconds']:.0f} a second; "
            f"{figures['uploads']:.0f} uploads, {figures['drawings']:.0f} drawings of one dump\n"
            f"latency: p50 {figures['p50_ms']:.2f} ms, p99 {figures['p99_ms']:.2f} ms, max {figures['max_ms']:.2f} ms"
        )
        for at, own, total in samples[::30]:
            print(f"  {at:5.0f} s: {own:7.1f} MB resident, {total:7.1f} MB with the drawing workers")
        failures = [
            f"{key}: {figures[key]:.0f}"
            for key in ("other_status", "connect", "read", "write", "timeout")
            if figures[key]
        ]
        if status:
            failures.append(f"exit {status}")
        early = max((own for at, own, _ in samples if at <= SETTLED), default=0)
        late = max((own for at, own, _ in samples if at > SETTLED), default=0)
        print(f"largest: {early:.1f} MB in the first minute, {late:.1f} MB later")
        if late > early * GROWTH:
            failures.append(f"memory grew by {late / early - 1:.1%} after the first minute")
        sys.exit("FAILED: " + "; ".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
