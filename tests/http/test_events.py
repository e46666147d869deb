# SPDX-License-Identifier: Apache-2.0
"""Events: a host's upload differs from its last one. The test's own model keeps the last dump of every host and
compares texts."""
import json
import re
import urllib.parse

import pytest

from conftest import ROOT, Server

HEALTHY = (ROOT / "static/examples/h100-nvswitch.xml").read_bytes()
NARROW = HEALTHY.replace(b'link_width="16"', b'link_width="8"')
SLOW = HEALTHY.replace(b'speed="400000"', b'speed="200000"')


def guids(dump, seed):
    """The same machine with other GUIDs, as another host of its kind has."""
    assert b'guid="' in dump
    return re.sub(rb'guid="0x([0-9a-f]+)"', lambda m: b'guid="0x%x"' % (int(m[1], 16) + seed), dump)


def upload(server, host, dump):
    status, answer = server.json("POST", f"/v1/topologies?label={urllib.parse.quote(f'host={host}')}", dump)
    assert status in (200, 201), answer
    return answer["id"]


def events(server, since=0, **more):
    query = urllib.parse.urlencode({"since": since, **more})
    status, page = server.json("GET", f"/v1/events?{query}")
    assert status == 200, page
    return page


@pytest.fixture
def start(server):
    """The sequence of the last event so far."""
    since = 0
    while (page := events(server, since, limit=200))["items"]:
        since = page["next"]
    assert page["next"] == since and not page["more"]
    return since


def test_a_changed_host_is_an_event_with_its_cost(server, start):
    first = upload(server, "ev-1", guids(HEALTHY, 1))
    assert events(server, start)["items"] == []  # a first upload is not a change
    upload(server, "ev-1", guids(HEALTHY, 1))
    upload(server, "ev-1", guids(HEALTHY, 2))  # a card replaced by an equal one
    assert events(server, start)["items"] == []
    narrow = upload(server, "ev-1", guids(NARROW, 2))
    (event,) = events(server, start)["items"]
    assert event["host"] == "ev-1" and event["after"]["topology"] == narrow != first
    assert len(event["changes"]) > 1 and all("16 -> 8" in change for change in event["changes"]), event
    for side in ("before", "after"):
        path = event[side]["link"]
        row = server.json("GET", f"{path}/predict?hosts=2&sizes=1G")[1]["rows"][0]
        assert event["cost"][side] == pytest.approx(row["busbw"], rel=1e-3)
    assert event["cost"]["after"] < event["cost"]["before"]
    figures = (f"{event['cost'][side]:.3g}" for side in ("after", "before"))
    assert event["sentence"] == (
        "ev-1: AllReduce at 1 GiB on 2 hosts gets %s instead of %s GB/s: " % tuple(figures)
        + f"{event['changes'][0]}, and {len(event['changes']) + event['left_out'] - 1} more changes."
    )
    assert event["cost"]["change"] == pytest.approx(event["cost"]["after"] / event["cost"]["before"] - 1, rel=1e-4)
    # Repaired: back to what it was, and cheaper to say.
    upload(server, "ev-1", guids(HEALTHY, 2))
    back = events(server, event["sequence"])["items"]
    assert [e["cost"]["change"] > 0 for e in back] == [True] and "8 -> 16" in back[0]["changes"][0]
    assert events(server, start) == events(server, start)  # reading keeps the answer


def test_an_event_has_the_verdicts_before_and_after(database):
    """Compared with most hosts, which may differ from both the host's first dump and its last one."""
    server = Server("--database", database)
    for i in range(3):
        upload(server, f"vd-{i}", guids(HEALTHY, i))
    for dump in (NARROW, SLOW, HEALTHY, NARROW):
        upload(server, "vd-9", dump)
    found = events(server)["items"]
    verdicts = [(event["verdict"]["before"], event["verdict"]["after"]) for event in found]
    assert verdicts == [("slower", "slower"), ("slower", "alike"), ("alike", "slower")]
    listed = {row["like"]: row["verdict"] for row in server.json("GET", "/v1/fleet")[1]["items"]}
    assert listed == {"vd-0": "alike", "vd-9": verdicts[-1][1]}
    server.stop()


def test_pages_against_a_twin(server, start):
    """Some hosts upload some dumps in turn; the test's own model knows which of these uploads changed something."""
    kinds, last, expected = {"h": HEALTHY, "n": NARROW, "s": SLOW}, {}, []
    for i, (host, kind) in enumerate(zip("abcabcaabbccabcabc", "hhhnhhnshhnhshhssn")):
        ident = upload(server, f"ev-{host}", guids(kinds[kind], i))
        if last.get(host, (kind,))[0] != kind:
            expected.append((f"ev-{host}", last[host][1], ident))
        last[host] = kind, ident
    found, since = [], start
    while True:
        page = events(server, since, limit=2)
        assert [e["sequence"] for e in page["items"]] == sorted(e["sequence"] for e in page["items"])
        found += page["items"]
        if not page["items"]:
            break
        since = page["next"]
    assert [(e["host"], e["before"]["topology"], e["after"]["topology"]) for e in found] == expected
    assert len({e["sequence"] for e in found}) == len(found)
    only = events(server, start, host="ev-b")["items"]
    assert only == [e for e in found if e["host"] == "ev-b"] and only
    assert events(server, start, host="nobody")["items"] == []


def test_server_sent_events(server, start):
    upload(server, "ev-9", HEALTHY)
    upload(server, "ev-9", NARROW)
    upload(server, "ev-9", HEALTHY)
    listed = events(server, start)["items"]
    accept = {"Accept": "text/event-stream"}
    response, body = server.ask("GET", f"/v1/events?since={start}", headers=accept)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    head, *blocks = body.decode().rstrip("\n").split("\n\n")
    assert re.fullmatch(r"retry: \d+", head)
    told = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
    assert [json.loads(block["data"]) for block in told] == listed
    assert [(int(block["id"]), block["event"]) for block in told] == [(e["sequence"], "change") for e in listed]
    # EventSource continues after the last event that it has seen, whatever the address says.
    headers = {**accept, "Last-Event-ID": told[0]["id"]}
    again = server.ask("GET", f"/v1/events?since={start}", headers=headers)[1].decode()
    assert again.count("data: ") == len(listed) - 1 and f"id: {told[0]['id']}\n" not in again


def test_events_end_with_the_topology(server, start):
    upload(server, "ev-7", HEALTHY)
    odd = upload(server, "ev-7", HEALTHY.replace(b'link_width="16"', b'link_width="4"', 1))
    assert len(events(server, start)["items"]) == 1
    upload(server, "ev-7", NARROW)
    gone, kept = events(server, start)["items"]
    assert server.ask("DELETE", f"/v1/topologies/{odd}")[0].status == 204
    (left,) = events(server, start)["items"]
    assert left == kept and left["before"]["topology"] == gone["after"]["topology"] == odd
    # A new event never gets the number of a deleted one.
    upload(server, "ev-7", HEALTHY)
    assert events(server, kept["sequence"])["items"][0]["sequence"] > kept["sequence"]


def test_an_event_whose_past_is_deleted_before_it_is_read(server, start):
    odd = upload(server, "ev-8", HEALTHY.replace(b'link_width="16"', b'link_width="2"', 1))
    upload(server, "ev-8", HEALTHY)
    assert server.ask("DELETE", f"/v1/topologies/{odd}")[0].status == 204
    (event,) = events(server, start)["items"]
    assert event["changes"] is None and event["cost"] is None and event["verdict"] is None
    assert "cannot compare" in event["sentence"]


@pytest.mark.parametrize("since", ["", "x", "-1", "1e3", "9" * 19])
def test_what_is_not_a_sequence(server, since):
    status, problem = server.json("GET", f"/v1/events?since={since}")
    assert status == 400 and "since" in json.dumps(problem)
