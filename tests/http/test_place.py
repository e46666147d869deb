# SPDX-License-Identifier: Apache-2.0
"""Which GPUs a job should take: the command and the routes, what an orchestrator's own choice costs, and hostile
requests."""
import itertools
import json
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest

from conftest import DUMP, ROOT, SANITIZERS


PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))
EXAMPLES = ROOT / "static" / "examples"


def run(*arguments, stdin=b""):
    done = subprocess.run(
        [PROGRAM, "place", *arguments], input=stdin, capture_output=True, env={**os.environ, **SANITIZERS}, timeout=300
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def place(*arguments):
    status, out, err = run("--json", *arguments)
    assert status == 0, err
    return json.loads(out)


def devices(example):
    """For each GPU: the elements above it from the innermost on, and its direct NVLinks by bus id."""
    found = []

    def walk(element, above):
        for child in element:
            if child.tag == "gpu":
                links = {link.get("target"): int(link.get("count", 1)) for link in child.iter("nvlink")}
                found.append((int(child.get("rank")), above[0].get("busid"), above[1:], links))
            walk(child, [child, *above])

    walk(xml.parse(EXAMPLES / example).getroot(), [])
    return [row[1:] for row in sorted(found, key=lambda row: row[0])]


def pair_score(a, b):
    """go-gpuallocator's score of a pair, as its documentation lists them: 100 for each NVLink that joins the two GPUs
    directly (those to an
    NVSwitch join none), and by what PCIe has between them: one switch 50, several 40, the host bridge 30, one socket
    20, two sockets 10.
    """
    links = a[2].get(b[0], 0)
    shared = next((element for element in a[1] if any(element is other for other in b[1])), None)
    if shared is None or shared.tag == "system":
        return 100 * links + 10
    if shared.tag == "cpu":
        return 100 * links + 20
    return 100 * links + (50 if shared is a[1][0] and shared is b[1][0] else 40)


def allocator_choice(example, count):
    """Its best-effort policy: of all ways to part the GPUs into sets of that size the one with the highest total, and
    of that the best set."""
    gpus = devices(example)
    scores = {pair: pair_score(gpus[pair[0]], gpus[pair[1]]) for pair in itertools.combinations(range(len(gpus)), 2)}

    def of(group):
        return sum(scores[pair] for pair in itertools.combinations(group, 2))

    def parts(left):
        if not left:
            yield []
            return
        for rest in itertools.combinations(left[1:], count - 1):
            group = (left[0], *rest)
            for others in parts([gpu for gpu in left if gpu not in group]):
                yield [group, *others]

    best = max(parts(list(range(len(gpus)))), key=lambda groups: sum(map(of, groups)))
    return max(best, key=of)


@pytest.mark.parametrize(
    "example, count, chosen, possible",
    [("aws-p4d.xml", 4, 38.6, 57.9), ("gcp-a3.xml", 4, 72.3, 139.4), ("v100-cube-mesh.xml", 2, 13.9, 27.6)],
)
def test_what_link_scores_without_nics_cost(example, count, chosen, possible):
    """AllReduce of 1 GiB on two hosts: the set that go-gpuallocator takes, and the one that place takes."""
    choice = ",".join(map(str, allocator_choice(example, count)))
    body = place("--release", "2.27.7", "--hosts", "2", "--compare", choice, str(EXAMPLES / example))
    assert round(body["compared"]["busbw"], 1) == chosen, (choice, body["compared"])
    assert round(body["best"][0]["busbw"], 1) == possible
    assert body["compared"]["share"] == pytest.approx(chosen / possible, rel=0.01)
    assert body["count"] == count and body["exact"] and body["bound"] is None
    assert f"{possible:.1f} GB/s" in body["sentence"] or f"{possible:.0f} GB/s" in body["sentence"]
    assert f"{chosen} GB/s" in body["sentence"]


def test_a_set_is_what_predict_says():
    path = str(EXAMPLES / "aws-p4d.xml")
    body = place("--count", "3", "--hosts", "1,2", "--free", "1,2,4,5,7", "--top", "200", path)
    assert sum(row["same"] for row in body["best"]) == body["sets"] == body["scored"] == 10
    for row in body["best"][:2] + body["best"][-1:]:
        assert set(row["gpus"]) <= {1, 2, 4, 5, 7} and set(row["left"]["gpus"]) == {1, 2, 4, 5, 7} - set(row["gpus"])
        for hosts in row["hosts"]:
            done = subprocess.run(
                [
                    PROGRAM,
                    "predict",
                    "--json",
                    "--hosts",
                    str(hosts["hosts"]),
                    "--gpus",
                    ",".join(map(str, row["gpus"])),
                    "--sizes",
                    "1G",
                    path,
                ],
                capture_output=True,
                env={**os.environ, **SANITIZERS},
            )
            predicted = json.loads(done.stdout)
            assert predicted["rows"][0]["busbw"] == hosts["busbw"] and predicted["limit"] == hosts["limit"]
    analysis = json.loads(
        subprocess.run(
            [PROGRAM, "analyze", "--hosts", "2", "--gpus", ",".join(map(str, body["best"][0]["gpus"])), path],
            capture_output=True,
            env={**os.environ, **SANITIZERS},
        ).stdout
    )
    names = {net.get("dev"): net.get("name") for net in xml.parse(path).getroot().iter("net")}
    devs = {node["id"]: names[str(node["dev"])] for node in analysis["system"]["nodes"] if node["type"] == "NET"}
    assert set(body["best"][0]["nics"]) == {devs[row["net"]] for row in analysis["net_devs"]}


def test_text_and_help():
    path = str(EXAMPLES / "aws-p4d.xml")
    status, text, _ = run("--text", "--release", "2.27.7", "--hosts", "2", "--compare", "0,1,2,3", path)
    assert status == 0 and text.startswith(
        "Take GPUs 0, 1, 2, 4: 57.9 GB/s on 2 hosts for AllReduce; 0, 1, 2, 3 would get 38.6 GB/s.\n"
    )
    assert "48 equivalent sets" in text and "GPUs left: 3, 5, 6, 7; another job of 4 gets 57.9 GB/s" in text
    status, text, _ = run("--text", "--jobs", "4,2,2", "--pack", "worst", "--hosts", "2", path)
    assert status == 0 and "for the slowest job" in text and "links that they share is not modelled" in text
    status, text, _ = run("--help")
    assert status == 0 and "orrery place --count 4 --hosts 2 topo.xml" in text and "--orders" in text


def test_routes_answer_alike(server):
    dump = (EXAMPLES / "aws-p4d.xml").read_bytes()
    ident = server.json("POST", "/v1/topologies", dump)[1]["id"]
    for question in (
        "count=2&hosts=2",
        "count=3&free=0,2,4,5,6&hosts=1:3,16:1",
        "compare=2,3&hosts=2",
        "jobs=4,2,2&pack=worst",
        "count=4&orders=1&hosts=1",
        "count=2&nics=1&hosts=2",
        "count=2&collective=alltoall&size=64M",
        "count=2&gpus=0,1,2&free=1,2,3",
        "",
    ):
        status, kept = server.json("GET", f"/v1/topologies/{ident}/place?{question}")
        assert status == 200, (question, kept)
        assert (200, kept) == server.json("POST", f"/v1/place?{question}", dump)
    assert kept["count"] == 8 and kept["best"][0]["gpus"] == list(range(8))
    server.ask("DELETE", f"/v1/topologies/{ident}")
    assert server.json("GET", f"/v1/topologies/{ident}/place?count=2")[0] == 404


def test_more_than_sixteen_free_gpus(server):
    """Not every set can be compared: the answer gives a bound that no other choice exceeds."""
    gpus = "".join(
        f'<pci busid="0000:{g + 1:02x}:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">'
        f'<gpu dev="{g}" sm="90" rank="{g}" gdr="1"><nvlink target="fffffff:ffff:ff" count="18" '
        'tclass="0x068000"/></gpu></pci>'
        for g in range(72)
    )
    dump = (
        '<system version="1"><cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" '
        f'modelid="143">{gpus}</cpu></system>'
    ).encode()
    status, body = server.json("POST", "/v1/place?jobs=36,20,16&hosts=1", dump)
    assert status == 200, body
    packed = body["packed"]
    assert sorted(gpu for job in packed["jobs"] for gpu in job["gpus"]) == list(range(72)) and [
        len(job["gpus"]) for job in packed["jobs"]
    ] == [36, 20, 16]
    assert (
        not body["exact"]
        and body["bound"] >= packed["total"] > 0
        and 0 < body["scored"] < body["sets"] == 9007199254740991
    )
    status, body = server.json(
        "POST", "/v1/place?jobs=2,2&hosts=1&pack=worst&free=" + ",".join(map(str, range(50, 72))), dump
    )
    assert status == 200 and body["exact"] and body["bound"] is None  # all pairs were compared
    status, body = server.json("POST", "/v1/place?count=70&hosts=1", dump)
    assert (
        status == 200
        and not body["exact"]
        and body["bound"] >= body["best"][0]["busbw"] > 0
        and len(body["best"][0]["left"]["gpus"]) == 2
    )


@pytest.mark.parametrize(
    "question, where",
    [
        ("count=9", "count"),
        ("count=0", "count"),
        ("count=65", "count"),
        ("count=129", "count"),
        ("count=2&free=0", "count"),
        ("count=2&free=0,0", "free"),
        ("count=2&free=8", "free"),
        ("count=2&free=0,", "free"),
        ("count=1&free=" + ",".join(map(str, range(64))), "free"),
        ("compare=0,9", "compare"),
        ("count=3&compare=0,1", "compare"),
        ("compare=0,1&free=2,3", "compare"),
        ("free=0,1&gpus=2,3", "free"),
        ("jobs=4,4,1", "jobs"),
        ("jobs=0", "jobs"),
        ("jobs=2,2&count=4", "jobs"),
        ("count=2&hosts=0", "hosts"),
        ("count=2&hosts=1,1", "hosts"),
        ("count=2&hosts=99999999999", "hosts"),
        ("count=2&nics=0", "nics"),
        ("count=2&nics=129", "nics"),
        ("count=2&collective=sum", "collective"),
        ("count=2&size=0", "size"),
        ("count=2&pack=all", "pack"),
        ("count=2&top=0", "top"),
    ],
)
def test_what_cannot_be_asked(server, question, where):
    status, problem = server.json("POST", f"/v1/place?{question}", (EXAMPLES / "aws-p4d.xml").read_bytes())
    assert (status, problem["where"]) == (400, where), problem


def test_without_a_place_to_choose(server):
    status, problem = server.json("POST", "/v1/place?count=1", b"<system version='1'><cpu numaid='0'/></system>")
    assert status == 422 and "no GPU" in problem["detail"]
    assert server.json("POST", "/v1/place?count=1&hosts=2", DUMP)[0] == 200
