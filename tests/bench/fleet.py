#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fleet in one service: how long uploads, lists, searches, groups, comparisons, gates, clusters, a restart and
retention take.

usage: fleet.py [HOSTS] [--history N] [--clients N] [--database URL] [--fill]

Posts the dumps of HOSTS hosts (1000 by default) to a real `orrery serve`, N times each (1). Each host has GUIDs of its
own, a rack of 40 hosts, and one host in a hundred has slow NICs. With --fill only the first 500 hosts are posted, and
rows like theirs are written into the database for all others, with histories of N uploads. Prints a table: the first
answer, and the median and the worst of five more, in milliseconds; and the processor time that the service took for the
first one and for a later one, which other work on the machine does not change.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
POSTED, RACK, ODD = 500, 40, 100
TEXT = (ROOT / "static/examples/h100-nvswitch.xml").read_text()
SERIAL = re.compile(r'guid="0x([0-9a-f]+)"')


def dump_of(host):
    text = SERIAL.sub(lambda found: f'guid="0x{host + 1:x}{found[1]}"', TEXT)
    return (text.replace('speed="400000"', 'speed="200000"') if host % ODD == ODD // 2 else text).encode()


def query_of(host):
    labels = (f"host=node{host}", f"rack=r{host // RACK}", "fleet=all")
    return "&".join("label=" + urllib.parse.quote(label, safe="") for label in labels)


class Service:
    def __init__(self, database, *options):
        command = [ROOT / "build/orrery", "serve", "--listen", "127.0.0.1:0", "--quiet"]
        command += ["--database", database, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rstrip("/\n").rsplit(":", 1)[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, method, target, body=None, connection=None):
        connection = connection or self.connection
        for _ in range(100):
            connection.request(method, target, body)
            response = connection.getresponse()
            answer = json.loads(response.read())
            if response.status != 503 or method != "POST":
                break
            time.sleep(0.2)  # the disk flushes slowly
        assert response.status in (200, 201), f"{method} {target[:120]}: {response.status} {answer}"
        return answer

    def peak(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def cpu(self):
        """Processor time so far, in milliseconds."""
        times = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, times)) * 1000 / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(120)


def post_all(service, hosts, clients):
    work, lock = iter(hosts), threading.Lock()

    def client():
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
        while True:
            with lock:
                host = next(work, None)
            if host is None:
                return
            service.ask("POST", f"/v1/topologies?{query_of(host)}", dump_of(host), connection)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begun


# Rows for further hosts, in the SQL that both databases know: copies of the rows of a posted host that is as slow or as
# fast, under ids of their own; then everybody's history.
FILL = """
CREATE TABLE made AS
    WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {hosts} - 1),
        named AS (SELECT i, {zeros} || (CAST(i AS BIGINT) * 2654435761 % 4294967296) || (10000000 + i) AS digits FROM n)
    SELECT 'node' || i AS host, 'r' || (i / {rack}) AS rack, {now} + i AS at, u.topology AS twin,
        '{{"fleet":"all","host":"node' || i || '","rack":"r' || (i / {rack}) || '"}}' AS labels,
        substr(digits, length(digits) - 31) AS id, substr(digits, length(digits) - 63) AS digest
    FROM named JOIN upload u ON u.host = CASE WHEN i % {odd} = {slow} THEN 'node{slow}' ELSE 'node0' END;
INSERT INTO topology (id, digest, created, seen, updated, size, name, labels, revision, about, shape)
    SELECT m.id, m.digest, m.at, m.at, m.at, t.size, t.name, m.labels, t.revision, t.about, t.shape
    FROM made m JOIN topology t ON t.id = m.twin;
INSERT INTO content (topology, body) SELECT m.id, c.body FROM made m JOIN content c ON c.topology = m.twin;
INSERT INTO words (created, topology, text)
    SELECT m.at, m.id, lower(m.digest || ' ' || t.name || ' ' || m.labels || ' ' || t.about)
    FROM made m JOIN topology t ON t.id = m.twin;
INSERT INTO label (topology, name, value, created)
    SELECT id, 'fleet', 'all', at FROM made UNION ALL SELECT id, 'host', host, at FROM made
    UNION ALL SELECT id, 'rack', rack, at FROM made;
INSERT INTO host (sort, host, seq, topology, shape, at, labels, about)
    SELECT '', m.host, 0, m.id, t.shape, m.at, m.labels, t.about FROM made m JOIN topology t ON t.id = m.twin;
DROP TABLE made;
INSERT INTO upload (host, at, topology, name, labels, seq)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {history}),
        numbered AS (SELECT host, at, topology, labels, row_number() OVER (ORDER BY at, host) AS number,
            (SELECT max(seq) FROM upload) AS last FROM host)
    SELECT host, at + i * 1000, topology, '', labels, last + (i - 1) * {hosts} + number FROM numbered, n;
UPDATE host SET sort = '', at = at + {history} * 1000, seq = (SELECT max(seq) FROM upload u WHERE u.host = host.host);
"""  # orrery serve sorts hosts without `sort`


def fill(database, first, hosts, history):
    numbers = {"first": first, "hosts": hosts, "history": history, "rack": RACK, "odd": ODD, "slow": ODD // 2}
    now = int(time.time() * 1000)
    text = FILL.format(**numbers, now=now, zeros="'" + "0" * 64 + "'")
    begun = time.monotonic()
    if "://" in database:
        command = ["psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-1", "-c", text, "-c", "ANALYZE", database]
        subprocess.run(command, check=True)
    else:
        with sqlite3.connect(database) as connection:
            connection.executescript(text)
        connection.close()
    print(f"{hosts * history} rows of history written in {time.monotonic() - begun:.0f} s", flush=True)


def questions(hosts):
    rack = urllib.parse.quote("label=rack%3Dr1", safe="")
    everything = urllib.parse.quote("label=fleet%3Dall", safe="")
    gate = "/v1/gate?hosts=2&node=n&expect=fleet:"
    return [
        ("first page", "GET", "/v1/topologies?limit=50", None),
        ("page of a rack", "GET", "/v1/topologies?label=rack%3Dr1", None),
        ("search, one match", "GET", f"/v1/topologies?q=node{hosts - 1}", None),
        ("search, no match", "GET", "/v1/topologies?q=zzzz", None),
        ("label of all and search, no match", "GET", "/v1/topologies?label=fleet%3Dall&q=zzzz", None),
        ("page of hosts", "GET", "/v1/hosts?limit=200", None),
        ("history of a host", "GET", "/v1/hosts/node1/uploads", None),
        ("groups of all hosts", "GET", "/v1/fleet", None),
        ("groups of a rack", "GET", "/v1/fleet?label=rack%3Dr1", None),
        ("events", "GET", "/v1/events", None),
        ("majority of a rack", "GET", "/v1/compare?label=rack%3Dr1", None),
        ("majority of all", "GET", "/v1/compare?label=fleet%3Dall", None),
        ("gate against a rack", "POST", gate + rack, dump_of(3)),
        ("gate against all", "POST", gate + everything, dump_of(3)),
    ]


def measure(service, name, ask):
    times, cpu = [], [service.cpu()]
    for _ in range(6):
        begun = time.monotonic()
        ask()
        times.append(1000 * (time.monotonic() - begun))
        cpu.append(service.cpu())
    wall = (times[0], statistics.median(times[1:]), max(times[1:]))
    spent = (cpu[1] - cpu[0], (cpu[-1] - cpu[1]) / 5)
    print(f"{name:<36}" + "".join(f"{value:>10.1f}" for value in wall + spent), flush=True)


def cluster_of_all(service):
    hosts, cursor = [], ""
    while cursor is not None:
        page = service.ask("GET", f"/v1/topologies?limit=200{cursor and '&cursor=' + cursor}")
        hosts += [{"topology": row["id"], "names": [row["labels"]["host"]]} for row in page["items"]]
        cursor = page["next"]
    lines = hosts[:4096]  # the most lines of a description
    return service.ask("POST", "/v1/clusters", json.dumps({"hosts": lines}).encode())["id"], len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hosts", nargs="?", type=int, default=1000)
    parser.add_argument("--history", type=int, default=1)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--database", help="as orrery serve takes it; a SQLite file of its own by default")
    parser.add_argument("--fill", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = args.database or f"{folder}/fleet.db"
        service = Service(database)
        posted = min(args.hosts, POSTED) if args.fill else args.hosts
        rounds = 1 if args.fill else args.history
        seconds = sum(post_all(service, range(posted), args.clients) for _ in range(rounds))
        print(f"{args.hosts} hosts with {args.history} uploads each; {posted * rounds / seconds:.0f} uploads a second")
        if args.fill:
            service.stop()
            fill(database, posted, args.hosts, args.history)
            service = Service(database)
        print(f"{'milliseconds':<36}{'first':>10}{'median':>10}{'worst':>10}{'CPU first':>10}{'CPU later':>10}")
        for name, method, target, body in questions(args.hosts):
            measure(service, name, lambda: service.ask(method, target, body))
        ident, lines = cluster_of_all(service)
        for what in ("findings", "verdict"):
            measure(
                service, f"cluster of {lines} hosts, {what}", lambda: service.ask("GET", f"/v1/clusters/{ident}/{what}")
            )
        print(f"at most {service.peak():.0f} MiB resident")
        service.stop()
        begun = time.monotonic()
        service = Service(database)
        service.ask("GET", "/v1/topologies?limit=1")
        print(f"a restart takes {time.monotonic() - begun:.2f} s")
        service.stop()
        due, begun = max(1, args.hosts // 100), time.monotonic()
        service = Service(database, "--keep-count", str(args.hosts - due))
        while time.monotonic() - begun < 120:
            metrics = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
            metrics.request("GET", "/metrics")
            text = metrics.getresponse().read().decode()
            found = re.search(r'operation_duration_seconds_count\{operation="expire"\} (\d+)', text)
            if found and int(found[1]) >= -(-due // 200):
                break
            time.sleep(0.05)
        print(f"retention deletes {due} of them in {time.monotonic() - begun:.2f} s")
        service.stop()


if __name__ == "__main__":
    sys.exit(main())
