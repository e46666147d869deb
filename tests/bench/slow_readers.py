#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slow and abandoned readers of streams of 131,072 ranks: the service's memory must stay flat.

usage: ORRERY=build/orrery slow_readers.py [SECONDS [READERS]]

READERS clients (32) take rings, trees and point-to-point schedules of 16,384 hosts in sips for SECONDS (30), of a
topology and of a cluster, as one document and as lines, while one reader takes a stream whole. Then forty generations
of as many readers take a byte and vanish, and the same readers sip again half as long. The resident set comes from
/proc; asserted are ratios: the second half of the sipping against the first, the median of the last ten generations
against that of the second ten, the second sipping against all before. (What was freed is kept by malloc for the next
readers, so it does not go back to what it was before any of them.)
"""
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = (ROOT / "static/examples/h100-nvswitch.xml").read_bytes()
HOSTS, SIP, PAUSE, GENERATIONS = 16384, 4096, 0.05, 40
FLAT, AGAIN = 1.05, 1.15  # the largest ratios


class Service:
    def __init__(self, folder):
        self.log = open(f"{folder}/log", "w+")
        self.process = subprocess.Popen(
            [os.environ.get("ORRERY", "build/orrery"), "serve", "--listen", "127.0.0.1:0", "--database", ":memory:"],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def resident(self):
        """MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS:")).split()[1]) / 1024

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def post(self, path, body):
        connection = self.connect()
        connection.request("POST", path, body)
        answer = json.load(connection.getresponse())
        connection.close()
        return answer["id"]

    def ask(self, target, lines):
        """A stream that has begun: (connection, response)."""
        connection = self.connect()
        connection.request("GET", target, None, {"Accept": "application/x-ndjson" if lines else "application/json"})
        response = connection.getresponse()
        if response.status != 200 or response.read(1) != b"{":
            raise RuntimeError(f"{target}: {response.status}")
        return connection, response

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def sip(response, until, taken, at):
    while time.monotonic() < until:
        piece = response.read(SIP)
        if not piece:
            return
        taken[at] += len(piece)
        time.sleep(PAUSE)


def read_whole(service, target, done):
    """Takes stream after stream whole; each must have its end."""
    until = done["until"]
    while time.monotonic() < until:
        connection, response = service.ask(target, lines=True)
        tail, size = b"", 1
        while piece := response.read(1 << 20):
            size += len(piece)
            tail = (tail + piece)[-64:]
        connection.close()
        if not tail.endswith(b'{"end":true}\n'):
            done["faults"].append("a stream that was taken whole has no end")
        done["streams"] += 1
        done["bytes"] += size


def while_sipping(service, targets, seconds, readers, faults):
    until = time.monotonic() + seconds
    whole, taken, samples = {"until": until, "streams": 0, "bytes": 0, "faults": faults}, [0] * readers, []
    open_ones = [service.ask(targets[i % len(targets)], lines=i // len(targets) % 2 == 1) for i in range(readers)]
    threads = [
        threading.Thread(target=sip, args=(response, until, taken, i)) for i, (_, response) in enumerate(open_ones)
    ]
    threads.append(threading.Thread(target=read_whole, args=(service, targets[0], whole)))
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        time.sleep(min(0.5, seconds / 20))
        samples.append(service.resident())
    for thread in threads:
        thread.join()
    for connection, _ in open_ones:
        connection.close()
    return samples, taken, whole


def abandon(service, targets, readers):
    open_ones = [service.ask(targets[i % len(targets)], lines=i % 2 == 1) for i in range(readers)]
    held = service.resident()
    for connection, _ in open_ones:
        connection.close()
    time.sleep(0.25)  # until the service has seen them go: two generations at once are not a leak
    return held


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    readers = int(sys.argv[2]) if len(sys.argv) > 2 else 32
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        service = Service(folder)
        topology = service.post("/v1/topologies", DUMP)
        cluster = service.post(
            "/v1/clusters",
            json.dumps(
                {"hosts": [{"topology": topology, "count": HOSTS - 1}, {"topology": topology, "gpus": list(range(8))}]}
            ),
        )
        targets = [
            f"/v1/topologies/{topology}/channels?hosts={HOSTS}",
            f"/v1/topologies/{topology}/p2p?hosts={HOSTS}&ranks=0-127",
            f"/v1/clusters/{cluster}/channels",
            f"/v1/clusters/{cluster}/p2p?ranks=131000-131071",
        ]
        for target in targets:  # the plans are made, and kept
            service.ask(target, False)[0].close()
        time.sleep(1)
        before = service.resident()
        samples, taken, whole = while_sipping(service, targets, seconds, readers, faults)
        half = len(samples) // 2
        first, second = statistics.median(samples[2:half]), max(samples[half:])
        generations = [abandon(service, targets, readers) for _ in range(GENERATIONS)]
        time.sleep(3)
        after = service.resident()
        again = max(while_sipping(service, targets, seconds / 2, readers, faults)[0])
        status = service.stop()
    print(
        f"{readers} readers of {HOSTS * 8} ranks took {sum(taken) / 1024:.0f} KiB in sips of {SIP} bytes in "
        f"{seconds:.0f} s; beside them {whole['streams']} streams were taken whole, "
        f"{whole['bytes'] / 2**20:.0f} MiB"
    )
    print(
        f"resident: {before:.1f} MiB with the plans; {first:.1f} MiB in the first half, at most {second:.1f} in the "
        f"second ({(second - before) / readers:.2f} a reader); "
        f"abandoned {GENERATIONS} times {readers}: {', '.join(f'{held:.1f}' for held in generations)}; {after:.1f} "
        f"MiB afterwards; at most {again:.1f} when they sipped again"
    )
    for name, ratio, most in (
        ("second half against first", second / first, FLAT),
        (
            "last ten generations against the second ten",
            statistics.median(generations[-10:]) / statistics.median(generations[10:20]),
            FLAT,
        ),
        ("sipping again against all before", again / max(samples + generations), AGAIN),
    ):
        print(f"{name}: {ratio:.3f} (at most {most})")
        if ratio > most:
            faults.append(f"memory grows: {name} {ratio:.3f}")
    if min(taken) < SIP:
        faults.append("a reader was given nothing")
    if status != 0:
        faults.append(f"exit status {status}")
    print(*faults, sep="\n")
    print("readers:", "failed" if faults else "passed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
