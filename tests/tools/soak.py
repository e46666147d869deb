#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a real `orrery serve` many mixed requests, good and bad, and checks that memory does not grow and nothing
fails.

usage: ORRERY=build-dev/orrery soak.py [SECONDS]

Four clients store, ask, draw, delete and send rubbish; eight read streams of 8192 ranks slowly and leave most of them
half way.
Any answer of status 500 or more other than 503, a connection that
breaks, an exit other than 0 after SIGTERM, a sanitizer report, or memory that keeps growing in the second half fails
it.
"""
import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMPS = [
    path.read_bytes() for folder in ("static/examples", "tests/data") for path in sorted((ROOT / folder).glob("*.xml"))
]


def resident(pid):
    """Memory of the daemon in MB, without that of its drawing workers."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")


def requests(seed):
    """An endless mix, the same for the same seed."""
    chance = random.Random(seed)
    idents = []
    while True:
        dump = chance.choice(DUMPS)
        hosts = chance.randint(1, 4)
        kind = chance.randrange(8)
        if kind == 0 or not idents:
            answer = yield "POST", f"/v1/topologies?name=soak{chance.randrange(1000)}", dump
            if isinstance(answer, str):
                idents.append(answer)
        elif kind == 1:
            yield "DELETE", f"/v1/topologies/{idents.pop()}", None
        elif kind == 2:
            at = chance.randrange(len(dump))
            yield "POST", "/v1/analyze", dump[:at] + bytes([chance.randrange(256)]) + dump[at + chance.randint(0, 20) :]
        elif kind == 3:
            yield "POST", f"/v1/render?view=system&format={chance.choice(('svg', 'dot', 'png'))}", dump
        elif kind == 4:
            yield "GET", f"/v1/topologies/{chance.choice(idents)}/analysis/graphs?hosts={hosts}", None
        elif kind == 5:
            yield "GET", chance.choice(
                ("/v1/releases", "/v1/settings", "/openapi.yaml", "/", "/nowhere", "/%00", "/v1/topologies?limit=3")
            ), None
        else:
            yield "POST", f"/v1/analyze?hosts={hosts}&NCCL_CROSS_NIC={chance.randrange(3)}", dump


def client(port, seed, until, faults, counts):
    mix, answer = requests(seed), None
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    method, path, body = next(mix)
    while time.monotonic() < until and len(faults) < 10:
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            response.read()
            counts[response.status] = counts.get(response.status, 0) + 1
            if response.status >= 500 and response.status != 503:
                faults.append(f"{method} {path}: {response.status}")
            location = response.headers.get("Location", "")
            answer = location.rsplit("/", 1)[-1] if location else None
            if response.will_close:
                connection.close()
        except (OSError, http.client.HTTPException) as error:
            faults.append(f"{method} {path}: {error!r}")
            connection.close()
            answer = None
        method, path, body = mix.send(answer)


def slow_reader(port, seed, until, faults):
    """Reads a long stream, also of clusters, in small pieces; mostly leaves early."""
    chance = random.Random(seed)
    dump = next(dump for dump in DUMPS if b'sm="90"' in dump)
    while time.monotonic() < until and len(faults) < 10:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("POST", "/v1/topologies", dump)
            ident = json.load(connection.getresponse())["id"]
            target = f"/v1/topologies/{ident}/channels?hosts=1024"
            if chance.random() < 0.5:
                connection.request(
                    "POST",
                    "/v1/clusters",
                    json.dumps({"hosts": [{"topology": ident, "count": 1000}, {"topology": ident, "gpus": [0, 1]}]}),
                )
                target = f"/v1/clusters/{json.load(connection.getresponse())['id']}/channels"
            connection.request(
                "GET", target, None, {"Accept": chance.choice(("application/json", "application/x-ndjson"))}
            )
            response = connection.getresponse()
            for _ in range(chance.randrange(400)):
                if time.monotonic() > until or not response.read(4096):
                    break
                time.sleep(0.02)
            if response.status not in (200, 404, 503):  # another client may have deleted it
                faults.append(f"GET {target}: {response.status}")
        except (OSError, http.client.HTTPException, KeyError) as error:
            if not isinstance(error, KeyError):
                faults.append(f"slow reader: {error!r}")
        connection.close()


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "w+") as log:
        daemon = subprocess.Popen(
            [
                os.environ.get("ORRERY", "build-dev/orrery"),
                "serve",
                "--analysis-time",
                "0",
                "--listen",
                "127.0.0.1:0",
                "--database",
                f"{folder}/soak.db",
            ],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=dict(os.environ, ASAN_OPTIONS="detect_leaks=1:exitcode=99:quarantine_size_mb=16"),
        )
        port = int(daemon.stdout.readline().rsplit(":", 1)[1])
        start, faults, counts, samples = time.monotonic(), [], {}, []
        clients = [
            threading.Thread(target=client, args=(port, seed, start + seconds, faults, counts)) for seed in range(4)
        ]
        clients += [
            threading.Thread(target=slow_reader, args=(port, seed, start + seconds, faults)) for seed in range(8)
        ]
        for thread in clients:
            thread.start()
        while True:
            if not any(thread.is_alive() for thread in clients) or daemon.poll() is not None:
                break
            time.sleep(min(1, seconds / 10))
            if daemon.poll() is None:
                samples.append(resident(daemon.pid))
        for thread in clients:
            thread.join()
        daemon.send_signal(signal.SIGTERM)
        status = daemon.wait(60)
        log.seek(0)
        text = log.read()
        middle, last = samples[len(samples) // 2], max(samples[-3:])
        print(
            f"{sum(counts.values())} answers in {seconds:.0f} s: "
            + ", ".join(f"{n} x {code}" for code, n in sorted(counts.items()))
        )
        print(f"memory: {samples[0]:.0f} MB at first, {middle:.0f} MB half way, {last:.0f} MB at the end")
        if last > middle * 1.25 + 32:
            faults.append("memory keeps growing")
        if status != 0 or "Sanitizer" in text or "runtime error" in text:
            faults.append(f"exit status {status}\n{text[-3000:]}")
        print(*faults, sep="\n")
        print("soak:", "failed" if faults else "passed")
        return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
