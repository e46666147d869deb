# SPDX-License-Identifier: Apache-2.0
"""The fleet in groups: the test's own model keeps the last dump of every host and groups hosts by the text without
GUIDs."""
import urllib.parse

import pytest

from conftest import Server, wait_until
from test_cluster_verdict import natural
from test_events import HEALTHY, NARROW, SLOW, guids
from test_metrics import families, value

KINDS = {"healthy": HEALTHY, "narrow": NARROW, "slow": SLOW}


def put(server, host, dump, *labels):
    query = "&".join(f"label={urllib.parse.quote(text)}" for text in (f"host={host}", *labels))
    status, answer = server.json("POST", f"/v1/topologies?{query}", dump)
    assert status in (200, 201), answer
    return answer["id"]


def fleet(server, query=""):
    status, answer = server.json("GET", f"/v1/fleet?{query}")
    assert status == 200, answer
    return answer


@pytest.fixture(scope="module")
def hosts(server):
    """{host: (kind, topology)}; every host has a history, and one ends where it began."""
    last = {}
    order = [10, 2, 1, 7, 30, 4, 12, 9, 100, 3]
    for i, number in enumerate(order):
        for kind in ("healthy", "slow" if number == 4 else "narrow" if number in (7, 12) else "healthy"):
            rack = f"rack=g{number % 2}"
            last[f"gr-{number}"] = kind, put(server, f"gr-{number}", guids(KINDS[kind], i), rack, "fleet=groups")
    put(server, "gr-9", guids(NARROW, 50), "rack=g1", "fleet=groups")
    last["gr-9"] = "healthy", put(server, "gr-9", guids(HEALTHY, 7), "rack=g1", "fleet=groups")
    put(server, "other-1", HEALTHY, "fleet=none")
    return last


def twin(hosts, chosen):
    groups = {}
    for host in sorted(filter(chosen, hosts), key=natural):
        groups.setdefault(hosts[host][0], []).append(host)
    return sorted(groups.values(), key=lambda names: (-len(names), natural(names[0])))


@pytest.mark.parametrize(
    "query,chosen",
    [
        ("label=fleet%3Dgroups", lambda host: True),
        ("label=fleet%3Dgroups&label=rack%3Dg1", lambda host: int(host[3:]) % 2 == 1),
        ("label=fleet%3Dgroups&q=GR-1", lambda host: host.startswith("gr-1")),
        ("label=fleet%3Dgroups&q=hopper", lambda host: True),
        ("label=fleet%3Dgroups&q=volta", lambda host: False),
        ("label=fleet%3Dnobody", lambda host: False),
    ],
)
def test_groups_are_those_of_the_twin(server, hosts, query, chosen):
    answer, expected = fleet(server, query), twin(hosts, chosen)
    assert [row["names"] for row in answer["items"]] == expected
    assert answer["hosts"] == sum(map(len, expected)) and answer["groups"] == len(expected)
    for row, names in zip(answer["items"], expected):
        assert (row["like"], row["hosts"], row["names_left_out"]) == (names[0], len(names), 0)
        assert row["topology"] == hosts[names[0]][1]
    assert [row["reference"] for row in answer["items"]] == [i == 0 for i in range(len(expected))]
    if len(expected) > 1:
        rest = answer["hosts"] - len(expected[0])
        alike = f"{len(expected[0])} of {answer['hosts']} hosts are like {expected[0][0]}"
        assert answer["sentence"].startswith(f"{alike}, and {rest} differ")


def test_each_group_says_in_what_it_differs_and_what_it_costs(server, hosts):
    first, *others = fleet(server, "label=fleet%3Dgroups")["items"]
    assert first["differs"] is None and len(others) == 2
    for row in others:
        differs = row["differs"]
        kind = hosts[row["like"]][0]
        assert all(("16 -> 8" if kind == "narrow" else "400") in change for change in differs["changes"]), differs
        assert differs["changes"]
        for side, ident in (("before", first["topology"]), ("after", row["topology"])):
            wanted = server.json("GET", f"/v1/topologies/{ident}/predict?hosts=2&sizes=1G")[1]["rows"][0]["busbw"]
            assert differs["cost"][side] == pytest.approx(wanted, rel=1e-3)
        assert differs["cost"]["change"] < -0.05


def test_verdicts_narrow_the_groups(server, hosts):
    """Each verdict follows from the cost beside it, and the four share all groups."""
    every = fleet(server, "label=fleet%3Dgroups")
    for row in every["items"]:
        change = row["differs"]["cost"]["change"] if row["differs"] else 0
        assert row["verdict"] == ("slower" if change <= -0.01 else "faster" if change >= 0.01 else "alike")
    assert [row["verdict"] for row in every["items"]] == ["alike", "slower", "slower"]
    parts = {word: fleet(server, f"label=fleet%3Dgroups&verdict={word}") for word in ("alike", "slower", "faster")}
    assert sum((part["items"] for part in parts.values()), []) == every["items"]
    assert all(part["hosts"] == every["hosts"] and part["left_out"] == 0 for part in parts.values())
    assert not fleet(server, "label=fleet%3Dgroups&verdict=unknown")["items"]
    assert server.json("GET", "/v1/fleet?verdict=bad")[0] == 400


def test_a_change_narrows_the_groups(server, hosts):
    """Hosts are compared with the largest of all groups, although only hosts that changed since then are listed."""
    events, since = [], 0
    while True:
        page = server.json("GET", f"/v1/events?since={since}&limit=200")[1]
        events, since = events + page["items"], page["next"]
        if not page["more"]:
            break
    own = [event for event in events if event["host"] in hosts]
    for at in (1, own[0]["sequence"], own[-2]["sequence"], own[-1]["sequence"]):
        changed = {event["host"] for event in own if event["sequence"] > at}
        answer = fleet(server, f"label=fleet%3Dgroups&since={at}")
        names = [name for row in answer["items"] for name in row["names"]]
        assert sorted(names) == sorted(changed) and answer["hosts"] == len(hosts)
        assert [row["hosts"] for row in answer["items"]] == [len(row["names"]) for row in answer["items"]]
        for row in answer["items"]:
            assert row["reference"] == (hosts[row["like"]][0] == "healthy")
    assert changed == set() and server.json("GET", "/v1/fleet?since=soon")[0] == 400


def test_groups_against_a_machine_type(server, hosts):
    """The example is an HGX H100, so the largest group is as expected, and the slow one is not."""
    answer = fleet(server, "label=fleet%3Dgroups&machine=hgx-h100")
    assert not any(row["reference"] for row in answer["items"])
    costs = {hosts[row["like"]][0]: row["differs"]["cost"]["change"] for row in answer["items"]}
    assert abs(costs["healthy"]) < 0.01 and costs["slow"] < -0.05 and costs["narrow"] < -0.05
    assert server.json("GET", "/v1/fleet?machine=nothing")[0] == 400


def test_a_list_of_groups_has_an_end(server, hosts):
    answer = fleet(server, "label=fleet%3Dgroups&limit=1")
    assert len(answer["items"]) == 1 and answer["left_out"] == 2 and answer["hosts"] == 10


def test_the_metrics_count_hosts_by_group_and_verdict(database):
    """The counts are renewed once a minute, when the service starts, and by a request for all groups."""
    server = Server("--database", database)
    for i, dump in enumerate((HEALTHY, HEALTHY, NARROW, HEALTHY, SLOW)):
        put(server, f"m{i}", guids(dump, i))
    put(server, "m3", SLOW)
    server.stop()
    server = Server("--database", database)
    wait_until(lambda: value(families(server)[0], "orrery_host_groups"))
    found = families(server)[0]
    assert value(found, "orrery_hosts", group="most") == 2 == value(found, "orrery_hosts", verdict="alike")
    assert (
        value(found, "orrery_hosts", group="other", verdict="slower")
        == 3
        == value(found, "orrery_hosts", group="other")
    )
    assert value(found, "orrery_host_groups") == 3
    put(server, "m2", guids(HEALTHY, 9))
    for query in ("q=m3", "label=host%3Dm3", "machine=hgx-h100", "since=1", "limit=1"):
        fleet(server, query)  # not about all hosts, or not all of the answer
    assert value(families(server)[0], "orrery_hosts", verdict="slower") == 3
    fleet(server)
    assert value(families(server)[0], "orrery_hosts", verdict="slower") == 2
    server.stop()


def test_hosts_come_in_natural_order_over_all_pages(server, hosts):
    names, cursor = [], ""
    while cursor is not None:
        status, page = server.json("GET", f"/v1/hosts?limit=3{cursor and '&cursor=' + cursor}")
        assert status == 200, page
        names += [row["host"] for row in page["items"]]
        cursor = page["next"]
    assert names == sorted(names, key=natural) and set(hosts) < set(names) and len(names) == len(set(names))
