# SPDX-License-Identifier: Apache-2.0
"""Streams: channels and point-to-point rounds of hosts and clusters, whole and line by line, and slow readers of
them."""
import json

from conftest import Server
from test_clusters import H100, create, upload


def test_channels_are_streamed_in_either_form(server):
    ident = upload(server, H100)
    whole = server.json("GET", f"/v1/topologies/{ident}/analysis/channels?hosts=6")[1]
    response, data = server.ask("GET", f"/v1/topologies/{ident}/channels?hosts=6")
    streamed = json.loads(data)
    assert response.headers["Transfer-Encoding"] == "chunked" and "Content-Length" not in response.headers
    assert (streamed["rings"], streamed["trees"]) == (whole["rings"], whole["trees"])
    response, data = server.ask(
        "GET", f"/v1/topologies/{ident}/channels?hosts=6", None, {"Accept": "application/x-ndjson"}
    )
    lines = [json.loads(line) for line in data.splitlines()]
    assert response.headers["Content-Type"] == "application/x-ndjson"
    assert lines[0]["ranks"] == 48 and lines[-1] == {"end": True}
    assert [line["ranks"] for line in lines[1:-1] if "ring" in line] == whole["rings"]
    assert [line["done"] for line in lines[1:-1]] == list(range(1, lines[1]["of"] + 1))
    assert server.ask("GET", f"/v1/topologies/{ident}/channels", None, {"Accept": "text/html"})[0].status == 406
    assert server.ask("GET", f"/v1/topologies/{ident}/channels?hosts=16385")[0].status == 400
    cluster = create(server, {"topology": ident, "count": 600})
    assert len(json.loads(server.ask("GET", f"/v1/clusters/{cluster['id']}/channels")[1])["rings"][0]) == 4800
    assert server.json("GET", f"/v1/clusters/{cluster['id']}/analysis/cluster")[1]["hosts"] == 600


def test_trees_of_nvls_are_streamed(server):
    ident = upload(server, H100)
    whole = server.json("GET", f"/v1/topologies/{ident}/analysis/channels?hosts=3")[1]["nvls"]
    streamed = json.loads(server.ask("GET", f"/v1/topologies/{ident}/channels?hosts=3")[1])["nvls"]
    assert (streamed["channels"], streamed["heads"], streamed["tree_channels"]) == (
        whole["channels"],
        whole["heads"],
        len(whole["tree"]),
    )
    assert [streamed["trees"][channel % 2] for channel in range(len(whole["tree"]))] == whole["tree"]
    data = server.ask("GET", f"/v1/topologies/{ident}/channels?hosts=3", None, {"Accept": "application/x-ndjson"})[1]
    lines = [json.loads(line) for line in data.splitlines()]
    assert [{"up": line["up"], "down": line["down"]} for line in lines if "nvls_tree" in line] == streamed["trees"]
    assert (
        lines[0]["nvls"] == {key: value for key, value in streamed.items() if key != "trees"}
        and lines[-2]["done"] == lines[-2]["of"]
    )
    assert (
        json.loads(server.ask("GET", f"/v1/topologies/{ident}/channels?hosts=3&NCCL_NVLS_ENABLE=0")[1])["nvls"] is None
    )
    assert json.loads(server.ask("GET", f"/v1/topologies/{ident}/channels")[1])["nvls"]["trees"] == []


def resident(pid):
    return int(next(line for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS")).split()[1])


def test_slow_readers_hold_little(tmp_path):
    """Thirty clients that take a byte of a long answer and stop cost a few megabytes each at most, and nothing once
    gone."""
    server = Server("--database", str(tmp_path / "orrery.db"))
    try:
        ident = upload(server, H100)
        target = f"/v1/topologies/{ident}/channels?hosts=1024"
        assert server.ask("GET", target)[0].status == 200
        before, open_ones = resident(server.process.pid), []
        for _ in range(30):
            connection = server.connect()
            connection.request("GET", target)
            open_ones.append((connection, connection.getresponse()))
            assert open_ones[-1][1].read(1) == b"{"
        held = resident(server.process.pid) - before
        for connection, _ in open_ones:
            connection.close()
        assert held < 30 * 2048, f"{held} KiB"
    finally:
        server.stop()


def schedule(server, target):
    response, data = server.ask("GET", target)
    assert response.status == 200 and response.headers["Transfer-Encoding"] == "chunked", data
    return json.loads(data)


def test_the_point_to_point_schedule_is_streamed(server):
    ident = upload(server, H100)
    target = f"/v1/topologies/{ident}/p2p?hosts=2&release=2.27.7"
    whole = schedule(server, target)
    assert whole["window"] == {"ranks": [0, 15], "rounds": [0, 15]} and whole["group"] is None
    assert [row["rank"] for row in whole["schedule"]] == list(range(16))
    own = whole["schedule"][1]["rounds"]
    assert [row["send"]["rank"] for row in own[:8]] == [1, 2, 4, 7, 3, 0, 6, 5]  # deltas 0 1 3 6 2 7 5 4
    assert {row["send"]["transport"] for row in own[1:8]} == {"P2P"} and {
        row["send"]["transport"] for row in own[8:]
    } == {"NET"}
    for row in whole["schedule"]:  # whoever is sent to receives, in the same round and over the same channels
        for turn in row["rounds"]:
            there = whole["schedule"][turn["send"]["rank"]]["rounds"][turn["round"]]
            assert there["receive"]["rank"] == row["rank"] and there["channels"] == turn["channels"]
            assert there["receive"]["transport"] == turn["send"]["transport"]
    to_ten = next(row["send"] for row in own if row["send"]["rank"] == 10)
    assert to_ten["nics"] == [{"net": "NET/0-2", "proxy": 2, "path": "PXN", "gdr": 1}]
    part = schedule(server, f"{target}&ranks=1&rounds=9-10")
    assert part["schedule"] == [{"rank": 1, "node": 0, "count": 16, "rounds": own[9:11]}]
    response, data = server.ask("GET", f"{target}&ranks=0-3", None, {"Accept": "application/x-ndjson"})
    lines = [json.loads(line) for line in data.splitlines()]
    assert response.headers["Content-Type"] == "application/x-ndjson" and lines[-1] == {"end": True}
    assert [line["done"] for line in lines if "done" in line] == [1, 2, 3, 4]
    assert [line for line in lines if "round" in line][16:32] == own
    old = schedule(server, f"/v1/topologies/{ident}/p2p?hosts=2&release=2.12.12&ranks=0")
    assert {row["channels"] for row in old["schedule"][0]["rounds"]} == {None}


def test_what_a_schedule_cannot_be_asked(server):
    ident = upload(server, H100)
    target = f"/v1/topologies/{ident}/p2p"
    for query, where in (
        ("ranks=8", "ranks"),
        ("ranks=3-1", "ranks"),
        ("ranks=a", "ranks"),
        ("ranks=", "ranks"),
        ("ranks=0-", "ranks"),
        ("rounds=8", "rounds"),
        ("rounds=99999999999", "rounds"),
        ("group=ep:0", "group"),
        ("hosts=16384", "ranks"),
    ):
        response, data = server.ask("GET", f"{target}?{query}")
        assert (
            response.status == 400
            and json.loads(data)["parameter" if "parameter" in json.loads(data) else "where"] == where
        ), (query, data)
    assert server.ask("GET", f"{target}?ranks=1&ranks=2")[0].status == 400
    cluster = create(server, {"topology": ident, "count": 4})
    for query in (
        "group=ep:0",
        "layout=tp=8",
        "layout=tp=8&group=tp:4",
        "layout=tp=8&group=ep:0",
        "layout=tp=8&group=xx:0",
        "layout=tp=8&group=tp:0x",
    ):
        assert server.ask("GET", f"/v1/clusters/{cluster['id']}/p2p?{query}")[0].status == 400, query


def test_a_group_has_a_schedule_of_its_own(server):
    ident = upload(server, H100)
    cluster = create(server, {"topology": ident, "count": 4})
    group = schedule(server, f"/v1/clusters/{cluster['id']}/p2p?layout=tp=8,dp=4&group=dp:3")
    assert group["ranks"] == 4 and group["group"] == {"kind": "dp", "number": 3, "of": 8, "world": [3, 11, 19, 27]}
    assert [row["send"]["transport"] for row in group["schedule"][0]["rounds"]].count("NET") == 3
    whole = schedule(server, f"/v1/clusters/{cluster['id']}/p2p?ranks=0")
    assert whole["ranks"] == 32 and len(whole["schedule"][0]["rounds"]) == 32
