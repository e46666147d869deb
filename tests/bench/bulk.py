#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten thousand hosts at once: how long until their dumps are stored and compared.

usage: bulk.py [COUNT] [--clients N] [--kinds N] [--database URL]

Posts COUNT dumps (10000 by default, mostly the same few machines, each host with its label) from 16 concurrent clients
to a real `orrery serve`, then makes a cluster of them and asks for its findings, which name the hosts that differ from
the majority. One host in a thousand has a NIC of a quarter of the speed. Prints seconds of each step and the largest
memory.
"""
import argparse
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def dumps_of(kinds):
    """Machines that differ in the numbers of their cards alone, which makes them other dumps; and one with a slow
    NIC."""
    text = (ROOT / "static/examples/h100-nvswitch.xml").read_text()
    serial = re.compile(r'guid="0x([0-9a-f]+)"')
    good = [serial.sub(lambda found: f'guid="0x{kind:x}{found[1]}"', text).encode() for kind in range(1, kinds)]
    return good, text.replace('speed="400000"', 'speed="100000"', 1).encode()


def post(port, work, idents, lock, faults):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while True:
        with lock:
            job = next(work, None)
        if job is None:
            return
        number, dump = job
        connection.request("POST", f"/v1/topologies?label=host%3Dnode{number}", dump)
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status not in (200, 201):
            faults.append(f"node{number}: {response.status} {answer.get('detail')}")
            continue
        with lock:
            idents[answer["id"]] = idents.get(answer["id"], 0) + 1


def ask(port, method, target, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, target, body)
    return json.loads(connection.getresponse().read())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=10000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--kinds", type=int, default=6)
    parser.add_argument("--database", help="as orrery serve takes it; a file of its own by default")
    args = parser.parse_args()
    good, odd = dumps_of(args.kinds)
    with tempfile.TemporaryDirectory() as folder:
        serve = subprocess.Popen(
            [
                ROOT / "build" / "orrery",
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--quiet",
                "--database",
                args.database or f"{folder}/bulk.db",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        port = int(serve.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])
        work = ((n, odd if n % 1000 == 500 else good[n % len(good)]) for n in range(args.count))
        idents, faults, lock, begun = {}, [], threading.Lock(), time.monotonic()
        clients = [threading.Thread(target=post, args=(port, work, idents, lock, faults)) for _ in range(args.clients)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        stored = time.monotonic()
        cluster = ask(
            port,
            "POST",
            "/v1/clusters",
            json.dumps({"hosts": [{"topology": i, "count": n} for i, n in idents.items()]}),
        )
        findings = ask(port, "GET", f"/v1/clusters/{cluster['id']}/findings")
        ended = time.monotonic()
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{serve.pid}/status").read_text())[1]) / 1024
        serve.send_signal(signal.SIGTERM)
        serve.wait(60)
        print(
            f"{args.count} dumps of {len(idents)} machines stored in {stored - begun:.1f} s, "
            f"{args.count / (stored - begun):.0f} a second, by {args.clients} clients"
        )
        print(f"a cluster of them with its findings in {ended - stored:.2f} s; at most {peak:.0f} MiB resident")
        differs = [row["detail"] for row in findings.get("findings", []) if row["id"] == "cluster-odd-host"]
        print(*differs, sep="\n")
        if not differs and args.count >= 1000:
            faults.append("no finding names the odd hosts")
        sys.exit("FAILED: " + "; ".join(faults[:5]) if faults else 0)


if __name__ == "__main__":
    main()
