# SPDX-License-Identifier: Apache-2.0
"""Attacks on the service, each with a name and a function that may take a few seconds, and the observer of the service
meanwhile.

tests/http/test_attacks.py asserts what must hold; `./dev bench attacks` prints the figures. An attack gets a Target
and returns the statuses of its requests that were answered. Everything is bounded: requests time out, threads are
joined.
"""
import http.client
import http.server
import io
import itertools
import json
import lzma
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = (ROOT / "static/examples/workstation-2gpu.xml").read_bytes()
CUBE = (ROOT / "static/examples/v100-cube-mesh.xml").read_bytes()
NVSWITCH = (ROOT / "static/examples/h100-nvswitch.xml").read_bytes()
MIB = 1 << 20
# The limits of the service that is attacked: small, so that each attack is over soon.
LIMITS = {
    "--threads": "2",
    "--analysis-time": "3",
    "--analysis-memory": "96M",
    "--unpacked": "32M",
    "--archive-entries": "4096",
    "--cache": "64M",
    "--max-body": "16M",
    "--stream-memory": "32M",
    "--queue": "64",
    "--grace": "1",
    "--database": ":memory:",
}
BUDGETS_MIB = (
    4 * 96 + 64 + 32
)  # of the threads that compute (2 for one client, one to spare, one for short work), the cache, and streams


def machine(cpus, gpus, nics):
    """A dump of this many devices, each at a CPU of its own turn."""
    out = ['<system version="1">']
    for cpu in range(cpus):
        out.append(
            f'<cpu numaid="{cpu}" affinity="0000ffff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="106">'
        )
        for g in range(cpu, gpus, cpus):
            bus = f"{g >> 8:04x}:{g & 255:02x}:00.0"
            out.append(
                f'<pci busid="{bus}" class="0x030200" vendor="0x10de" device="0x2330" subsystem_vendor="0x10de" '
                'subsystem_device="0x16c1" '
                f'link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="{g}" sm="90" rank="{g}" gdr="1"/></pci>'
            )
        for n in range(cpu, nics, cpus):
            bus = f"{(n >> 8) + 256:04x}:{n & 255:02x}:00.0"
            out.append(
                f'<pci busid="{bus}" class="0x020000" vendor="0x15b3" device="0x1021" subsystem_vendor="0x15b3" '
                'subsystem_device="0x0041" '
                f'link_speed="32.0 GT/s PCIe" link_width="16"><nic><net name="mlx5_{n}" dev="{n}" speed="400000" '
                'port="1" latency="0.0" '
                f'guid="0x{n + 1:x}" maxconn="131072" gdr="1"/></nic></pci>'
            )
        out.append("</cpu>")
    return "\n".join([*out, "</system>"]).encode()


def switched(gpus, nics, slow=False):
    """A dump of this many devices behind switches of one CPU, 16 to a switch. slow: NICs so slow that all are equally
    good for a GPU, which takes some releases minutes to deal out, in little memory."""
    pcie = 'link_speed="32.0 GT/s PCIe" link_width="16"'
    out = [
        '<system version="1"><cpu numaid="0" affinity="0000ffff" arch="x86_64" vendor="GenuineIntel" familyid="6" '
        'modelid="106">'
    ]

    def behind(switch, count, device):
        for first in range(0, count, 16):
            out.append(
                f'<pci busid="{switch + first // 16:04x}:00:00.0" class="0x060400" vendor="0x1000" device="0xc010" '
                'subsystem_vendor="0x1000" '
                f'subsystem_device="0xa096" {pcie}>'
            )
            out.extend(device(i) for i in range(first, min(first + 16, count)))
            out.append("</pci>")

    behind(
        0x1000,
        gpus,
        lambda i: f'<pci busid="{i >> 8:04x}:{i & 255:02x}:00.0" class="0x030200" vendor="0x10de" device="0x2330" '
        'subsystem_vendor="0x10de" '
        f'subsystem_device="0x16c1" {pcie}><gpu dev="{i}" sm="80" rank="{i}" gdr="1"/></pci>',
    )
    behind(
        0x2000,
        nics,
        lambda i: f'<pci busid="{(i >> 8) + 256:04x}:{i & 255:02x}:00.0" class="0x020000" vendor="0x15b3" '
        'device="0x1021" subsystem_vendor="0x15b3" '
        f'subsystem_device="0x0041" {pcie}><nic><net name="mlx5_{i}" dev="{i}" speed="{1000 if slow else 400000}" '
        'port="1" latency="0.0" '
        f'guid="0x{i + 1:x}" maxconn="131072" gdr="1"/></nic></pci>',
    )
    return "\n".join([*out, "</cpu></system>"]).encode()


def gzip_of(*parts):
    """A gzip file of `parts`, each a pair of bytes and their number of repetitions. Repeated bytes are compressed once,
    because deflate compresses them in the same way after each full flush."""
    out, crc, size = [b"\x1f\x8b\x08\0\0\0\0\0\0\xff"], 0, 0
    for data, times in parts:
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        out.append((packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)) * times)
        for _ in range(times):
            crc = zlib.crc32(data, crc)
        size += len(data) * times
    return b"".join([*out, b"\x03\0", struct.pack("<II", crc, size & 0xFFFFFFFF)])


def gzip_bomb(mebibytes, name="sys/bomb"):
    """A tar.gz with one entry of this size, which nobody reads."""
    entry = tarfile.TarInfo(name)
    entry.size = mebibytes * MIB
    return gzip_of((entry.tobuf(format=tarfile.GNU_FORMAT), 1), (bytes(MIB), mebibytes))


def tar_of(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as tar:
        for name, data in entries:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def empty_entries(count):
    """A tar.gz of this many entries without content, made without tarfile: that would take a minute for a million. From
    65,536 on the names are repeated."""
    header = bytearray(tarfile.TarInfo("sys/0000000").tobuf(format=tarfile.USTAR_FORMAT))

    def entries(first, end):
        block = bytearray()
        for i in range(first, end):
            header[4:11] = b"%07d" % i
            header[148:156] = b" " * 8
            header[148:156] = b"%06o\0 " % sum(header)
            block += header
        return bytes(block)

    distinct = min(count, 65536)
    return gzip_of((entries(0, distinct), count // distinct), (entries(0, count % distinct), 1), (bytes(1024), 1))


def zip_bomb(mebibytes):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("topo.xml", bytes(mebibytes * MIB), compresslevel=1)
    return out.getvalue()


def xz_bomb(mebibytes):
    """A file of this many streams, each of a mebibyte."""
    return lzma.compress(bytes(MIB), preset=1) * mebibytes


class Target:
    """Where the attack goes."""

    def __init__(self, port, timeout=60):
        self.port, self.timeout = port, timeout
        self.lock, self.refusals = threading.Lock(), []

    def ask(self, method, path, body=None, headers=None, source="127.0.0.1"):
        """The status; 0 if there is no answer."""
        begun = time.monotonic()
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=self.timeout, source_address=(source, 0)
        )
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            data = response.read()
        except OSError:
            return 0
        finally:
            connection.close()
        with self.lock:
            if response.status >= 400:
                self.refusals.append((time.monotonic() - begun, response.status, data))
        self.last = data
        return response.status

    def post(self, path, body):
        assert self.ask("POST", path, body) in (200, 201), self.last
        return json.loads(self.last)["id"]

    def all_at_once(self, asks):
        """The statuses of calls that each go in a thread of their own."""
        found = [0] * len(asks)

        def run(i, call):
            found[i] = call()

        threads = [threading.Thread(target=run, args=(i, call)) for i, call in enumerate(asks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(self.timeout)
        return found

    def open(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)

    def leave(self, data, seconds):
        """Sends bytes and closes the connection after this time."""
        with self.open() as s:
            s.sendall(data)
            time.sleep(seconds)
        return 0


HARD = "release=2.27.7&hosts=2&NCCL_SHM_DISABLE=1&NCCL_P2P_DISABLE=1"  # of machine(): takes memory
LONG = "release=2.18.1&hosts=2"  # of switched(240, 240, slow=True): takes minutes


def request(path, body, length=None):
    return (
        b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        % (path.encode(), len(body) if length is None else length)
        + body
    )


def one(path, make, times=1):
    """make: gives the body, which is made before the clock runs."""

    def attack(target):
        body = attack.body
        return target.all_at_once([lambda: target.ask("POST", path, body)] * times)

    attack.prepare = lambda: setattr(attack, "body", make())
    return attack


def four(path, make):
    return one(path, make, 4)


def explain_and_differ(target):
    topology = target.post("/v1/topologies", machine(64, 96, 96))
    base = f"/v1/topologies/{topology}"
    return target.all_at_once(
        [
            lambda: target.ask("GET", f"{base}/explain?decision=channels&hosts=8"),
            lambda: target.ask("GET", f"{base}/analysis/diff?hosts=8&against=2.7.8&against=NCCL_NVLS_ENABLE%3D0"),
            lambda: target.ask("GET", f"{base}/analysis?hosts=512"),
        ]
    )


def draw(target):
    topology = target.post("/v1/topologies", machine(100, 200, 200))
    return target.all_at_once(
        [lambda f=f: target.ask("GET", f"/v1/topologies/{topology}/diagram.{f}") for f in ("svg", "png", "pdf")]
    )


def log_check(target):
    log = "".join(
        f"node-{i % 500}:{i}:{i} [{i % 8}] NCCL INFO Channel {i % 32:02d}/32 : {' '.join(map(str, range(64)))}\n"
        for i in range(60000)
    )
    return [target.ask("POST", "/v1/check-log", log.encode()[: 15 * MIB])]


def cluster(target):
    hosts = []
    for i in range(600):
        hosts.append(
            {
                "topology": target.post(
                    "/v1/topologies", SMALL.replace(b'guid="0x', b'guid="0x%x' % (i + 1), 1) + b"<!-- %d -->" % i
                )
            }
            if i < 40
            else {"topology": f"{i:032x}"}
        )
    many = {"hosts": hosts}
    distinct = {"hosts": [dict(h, count=100) for h in hosts[:40]]}  # 4,000 hosts
    found = [
        target.ask("POST", "/v1/clusters", json.dumps(many).encode()),
        target.ask("POST", "/v1/clusters", json.dumps(distinct).encode()),
    ]
    if found[1] in (200, 201):
        there = json.loads(target.last)["id"]
        found += target.all_at_once(
            [
                lambda: target.ask("GET", f"/v1/clusters/{there}/analysis/graphs"),
                lambda: target.ask("GET", f"/v1/clusters/{there}/findings"),
                lambda: target.ask("GET", f"/v1/clusters/{there}/groups?layout=tp%3D8"),
            ]
        )
    return found


def slow_uploads_and_readers(target):
    topology = target.post("/v1/topologies", NVSWITCH)
    sockets = []
    for i in range(64):
        upload = target.open()
        upload.sendall(request("/v1/analyze", b"<system", 100000))
        reader = target.open()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.sendall(
            (f"GET /v1/topologies/{topology}/channels?hosts=16384 HTTP/1.1\r\nHost: " "localhost\r\n\r\n").encode()
        )
        sockets += [upload, reader]
    for _ in range(10):
        for i, s in enumerate(sockets):
            try:
                if i % 2:
                    s.recv(64)
                else:
                    s.sendall(b" ")
            except OSError:
                pass
        time.sleep(0.1)
    for s in sockets:
        s.close()
    return []


def held_streams(target):
    """Streams of distinct communicators that nobody reads: each keeps an analysis."""
    topology = target.post("/v1/topologies", NVSWITCH)
    statuses, sockets = [], []
    for hosts in range(16384, 16324, -1):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(target.timeout)
        s.connect(("127.0.0.1", target.port))
        s.sendall(f"GET /v1/topologies/{topology}/channels?hosts={hosts} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        sockets.append(s)
        statuses.append(int(s.recv(64)[9:12] or 0))
    for s in sockets:
        s.close()
    return statuses


def flood(target):
    """Different uncached analyses from one client; another client asks for a new one in the middle."""
    asks = [
        lambda i=i: target.ask(
            "POST", f"/v1/analyze?section=summary&hosts={2 + i}&NCCL_MAX_NCHANNELS={1 + i % 32}", NVSWITCH
        )
        for i in range(48)
    ]
    asks.append(lambda: target.ask("POST", "/v1/analyze?section=summary&hosts=3", CUBE, source="127.0.0.3"))
    return target.all_at_once(asks)


def hang_ups(target):
    """A client goes away in the headers, in the body, while it waits, while it is computed, and while it is
    answered."""
    hard = machine(100, 150, 150)
    whole = request(f"/v1/analyze?{HARD}", hard)
    topology = target.post("/v1/topologies", NVSWITCH)
    stream = f"GET /v1/topologies/{topology}/channels?hosts=16384 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    return target.all_at_once(
        [
            lambda: target.leave(b"POST /v1/analyze HTTP/1.1\r\nHo", 0.2),
            lambda: target.leave(whole[:5000], 0.2),
            *[lambda: target.leave(whole, 0.5)] * 8,
            lambda: target.leave(whole, 0),
            *[lambda: target.leave(stream, 0.3)] * 4,
        ]
    )


def same_again(target):
    """Many clients ask for the same expensive answer at once."""
    hard = machine(100, 150, 150)
    return target.all_at_once([lambda: target.ask("POST", f"/v1/analyze?{HARD}", hard)] * 8)


def extreme_settings(target):
    values = ["2147483647", "9223372036854775807", "-9223372036854775807", "99999999999999999999", "-1"]
    names = [
        "P2P_PER_CHANNEL_NET_BW",
        "P2P_MAX_PEERS",
        "MAX_NCHANNELS",
        "MIN_NCHANNELS",
        "NTHREADS",
        "NET_OVERHEAD",
        "WORK_ARGS_BYTES",
        "NVLS_NCHANNELS",
    ]
    return [
        target.ask("POST", "/v1/analyze?section=summary&hosts=2&" + "&".join(f"NCCL_{n}={v}" for n in names), NVSWITCH)
        for v in values
    ]


def chatter(seed, size):
    return random.Random(seed).randbytes(size)


FNV_START, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def names_alike(count, bits=17):
    """So many names whose FNV-1a, without a seed, has the same low bits: each is made of words that lead from the
    start's low bits back to them."""
    mask, start, states = (1 << bits) - 1, FNV_START & ((1 << bits) - 1), {"": FNV_START & ((1 << bits) - 1)}
    for _ in range(4):
        states = {
            word + c: ((state ^ ord(c)) * FNV_PRIME) & mask
            for word, state in states.items()
            for c in "abcdefghijklmnopqrstuvwxyz0123456789"
        }
    words = [word for word, state in states.items() if state == start]
    return ["".join(name) for name in itertools.islice(itertools.product(words, repeat=5), count)]


def hosts_alike(count):
    return "".join(f"{name}:1:2 [0] NCCL INFO x\n" for name in names_alike(count)).encode()


def threads(count):
    """A log in which every line is of another host, process and thread."""
    return "".join(f"n{i % 5000}:{i}:{i + 1} [0] NCCL INFO x\n" for i in range(count)).encode()


def spellings(target):
    """One question, asked in enough ways to fill a cache that kept each."""
    topology = target.post("/v1/topologies", NVSWITCH)
    base, word = f"/v1/topologies/{topology}/analysis?", "hosts"
    ways = [
        "".join(
            f"%{ord(c):02x}" if i >> k & 1 else f"%{ord(c):02X}" if i >> (5 + k) & 1 else c for k, c in enumerate(word)
        )
        for i in range(1024)
    ]
    return [target.ask("GET", f"{base}{way}=2") for way in dict.fromkeys(ways)]


def many_hosts(target):
    """A fleet in which every dump differs by GUID and host hash; gates and comparisons of all of it."""
    for i in range(700):
        own = SMALL.replace(b'guid="0x', b'guid="0x%x' % (i + 1), 1).replace(
            b'host_hash="0x', b'host_hash="0x%x' % i, 1
        )
        target.post(f"/v1/topologies?label=host%3Dh{i}&label=fleet%3Da", own + b"<!-- %d -->" % i)
    return target.all_at_once(
        [lambda: target.ask("POST", "/v1/gate?expect=fleet%3Alabel%3Dfleet%253Da", SMALL)] * 8
        + [lambda: target.ask("GET", "/v1/compare?label=fleet%3Da")] * 4
    )


def nested_xml(depth):
    return b'<system version="1">' + b"<cpu><pci>" * depth


ATTACKS = {
    "gzip bomb in a tar, four at once": four("/v1/convert", lambda: gzip_bomb(512)),
    "gzip bomb, uploaded": one("/v1/topologies", lambda: gzip_bomb(512)),
    "gzip bomb without a tar": one("/v1/convert", lambda: gzip_of((bytes(MIB), 256))),
    "gzip within gzip within tar": one(
        "/v1/convert", lambda: tar_of((f"sys/{i}.tar.gz", bomb) for bomb in [gzip_bomb(64)] for i in range(8))
    ),
    "zip bomb": one("/v1/convert", lambda: zip_bomb(64)),
    "zip bomb within a tar": one("/v1/convert", lambda: tar_of([("sys/a.zip", zip_bomb(64))])),
    "xz bomb": one("/v1/convert", lambda: xz_bomb(256)),
    "xz bomb within a tar": one("/v1/convert", lambda: tar_of([("sys/a.xz", xz_bomb(256))])),
    "tar of a million empty entries": one("/v1/convert", lambda: empty_entries(1000000)),
    "tar of deep folders": one(
        "/v1/convert", lambda: tar_of([("sys/" + "/".join(["d"] * 900) + f"/{i}", b"x") for i in range(2000)])
    ),
    "deeply nested XML": one("/v1/convert", lambda: nested_xml(1 << 20)),
    "a million attributes": one(
        "/v1/convert",
        lambda: b'<system version="1"><cpu ' + b" ".join(b'a%d="1"' % i for i in range(1000000)) + b"/></system>",
    ),
    "entities that expand": one(
        "/v1/convert",
        lambda: b'<!DOCTYPE a [<!ENTITY a "'
        + b"x" * 1000
        + b'">'
        + b"".join(b'<!ENTITY b%d "%s">' % (i, b"&b%d;" % (i - 1) * 50 if i else b"&a;" * 50) for i in range(9))
        + b"]><system>&b8;</system>",
    ),
    "one line of 8 MiB of tags": one(
        "/v1/convert",
        lambda: b'<system version="1"><cpu numaid="0">'
        + b'<pci busid="0000:01:00.0"/>' * (8 * MIB // 28)
        + b"</cpu></system>",
    ),
    "8 MiB of noise": four("/v1/convert", lambda: chatter(1, 8 * MIB)),
    "a matrix of 2,000 GPUs": one(
        "/v1/convert",
        lambda: b"\t"
        + b"\t".join(b"GPU%d" % i for i in range(1200))
        + b"\n"
        + b"".join(b"GPU%d\t" % i + b"\t".join([b"SYS"] * 1200) + b"\n" for i in range(1200)),
    ),
    "200 CPUs, 300 GPUs, 300 NICs apart": four(f"/v1/analyze?{HARD}", lambda: machine(200, 300, 300)),
    "240 slow NICs behind switches": four(f"/v1/analyze?{LONG}", lambda: switched(240, 240, slow=True)),
    "576 GPUs": one("/v1/analyze?release=2.30.7&hosts=2", lambda: machine(64, 576, 64)),
    "the longest legal search": one(
        "/v1/analyze?release=2.27.7&hosts=512&NCCL_CROSS_NIC=2", lambda: machine(8, 128, 128)
    ),
    "explanations and differences of a large machine": explain_and_differ,
    "drawings of a large machine": draw,
    "a log of 60,000 channels": log_check,
    "65,536 names of one slot, four at once": four("/v1/anonymise", lambda: hosts_alike(65536)),
    "a log of 400,000 threads": one("/v1/check-log", lambda: threads(400000)),
    "1,024 spellings of one target": spellings,
    "a fleet of 700 hosts, gated and compared": many_hosts,
    "clusters of distinct dumps": cluster,
    "64 slow uploads beside 64 slow readers": slow_uploads_and_readers,
    "60 streams that nobody reads": held_streams,
    "a flood of distinct analyses": flood,
    "hang-ups at every stage": hang_ups,
    "the same hard question eight times": same_again,
    "extreme settings": extreme_settings,
}


CONTROL = (
    "import http.server as h\nclass H(h.BaseHTTPRequestHandler):\n  def do_GET(s):\n    s.send_response(200); "
    "s.send_header('Content-Length','0'); s.end_headers()\n  "
    "def log_message(s,*a): pass\nt=h.ThreadingHTTPServer(('127.0.0.1',0),H); print(t.server_port,flush=True); "
    "t.serve_forever()"
)


class Watch:
    """Another client, at 127.0.0.2, that asks /healthz and a small cached analysis all the time; and the resident
    memory. Beside them it asks a trivial server in a process of its own: what that one takes is what the machine
    takes, whatever is being attacked."""

    def __init__(self, port, pid):
        self.port, self.pid, self.stopping = port, pid, False
        self.worst = {"health": 0.0, "cached": 0.0, "control": 0.0}
        self.peak = self.first = 0.0
        self.failed = []
        self.control = subprocess.Popen([sys.executable, "-c", CONTROL], stdout=subprocess.PIPE, text=True)
        self.control_port = int(self.control.stdout.readline())
        status, data = self.get(port, "/v1/topologies", "POST", SMALL)
        assert status in (200, 201), data
        self.cached = f"/v1/topologies/{json.loads(data)['id']}/analysis/ranks"
        assert self.get(port, self.cached)[0] == 200
        self.thread = threading.Thread(target=self.run)

    def get(self, port, path, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=("127.0.0.2", 0))
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def resident(self):
        """MiB."""
        found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0

    def run(self):
        while not self.stopping:
            for name, port, path in (
                ("health", self.port, "/healthz"),
                ("cached", self.port, self.cached),
                ("control", self.control_port, "/"),
            ):
                begun = time.monotonic()
                try:
                    if self.get(port, path)[0] != 200:
                        self.failed.append(path)
                except OSError as error:
                    self.failed.append(f"{path}: {error}")
                self.worst[name] = max(self.worst[name], time.monotonic() - begun)
            self.peak = max(self.peak, self.resident())
            time.sleep(0.02)

    def __enter__(self):
        self.first = self.peak = self.resident()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping = True
        self.thread.join()
        self.control.kill()
        self.control.wait()
        self.control.stdout.close()
