# SPDX-License-Identifier: Apache-2.0
"""The GPUs and NICs that take part (--gpus, --nics, NCCL_NET, NCCL_SOCKET_IFNAME), in every command and over HTTP."""
import json
import re

import pytest

from conftest import ROOT
from test_command_line import run

H100 = ROOT / "static" / "examples" / "h100-nvswitch.xml"
SOCKETS = """<system version="1">
<cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
<pci busid="0000:17:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="80" rank="0"
  gdr="1"/></pci>
<pci busid="0000:18:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="1" sm="80" rank="1"
  gdr="1"/></pci>
<nic><net name="eth0" dev="0" speed="10000" port="0" guid="0x0" maxconn="65536" gdr="0"/>
<net name="docker0" dev="1" speed="10000" port="0" guid="0x1" maxconn="65536" gdr="0"/></nic>
</cpu></system>"""


def analyze(*arguments, stdin=b""):
    status, out, err = run("analyze", *arguments, stdin=stdin)
    assert status == 0, err
    return json.loads(out)


def nodes(body, kind):
    return [n["id"] for n in body["system"]["nodes"] if n["type"] == kind]


def test_gpus_by_number_and_by_bus_id_are_those_of_a_cluster_file(tmp_path):
    whole = analyze("--hosts", "2", str(H100))
    ids = [
        n["id"].split("-")[1]
        for n in sorted((n for n in whole["system"]["nodes"] if n["type"] == "GPU"), key=lambda n: n["rank"])
    ]
    numbers = analyze("--hosts", "2", "--gpus", "5,2", str(H100))
    assert numbers["ranks"] == 4 and {
        n["id"].split("-")[1]: n["rank"] for n in numbers["system"]["nodes"] if n["type"] == "GPU"
    } == {ids[5]: 0, ids[2]: 1}
    by_id = analyze("--hosts", "2", "--gpus", f"{ids[5]},0000:{ids[2][:-3]}:00.0", str(H100))
    cluster = tmp_path / "cluster.json"
    cluster.write_text(json.dumps({"hosts": [{"topology": str(H100), "count": 2, "gpus": [5, 2]}]}))
    listed = analyze("--cluster", str(cluster))
    cluster.write_text(json.dumps({"hosts": [{"topology": str(H100), "count": 2}]}))
    general = analyze("--cluster", str(cluster), "--gpus", "5,2")
    for section in ("paths", "graphs", "channels", "tuning"):
        assert by_id[section] == numbers[section] == listed[section] == general[section], section
    assert "2 of 8 GPUs take part: 5,2" in [row["what"] for row in numbers["input"]["assumed"]]


def test_all_gpus_in_order_change_nothing():
    whole, named = analyze("--hosts", "2", str(H100)), analyze("--hosts", "2", "--gpus", "0,1,2,3,4,5,6,7", str(H100))
    for section in ("system", "paths", "graphs", "channels", "tuning"):
        assert whole[section] == named[section], section


@pytest.mark.parametrize(
    "wrong, said",
    [
        ("8", '"8" is not a GPU of this machine'),
        ("0,0", "named twice"),
        ("x", "neither a number nor a bus id"),
        ("", "neither"),
        ("0,", "neither"),
        ("0000:ff:00.0", "is not a GPU"),
        ("1" * 3000, "neither"),
    ],
)
def test_wrong_gpus_are_refused(wrong, said):
    if not wrong:
        return_code, out, err = run("analyze", "--gpus", "", "--section", "ranks", str(H100))
        assert (return_code, json.loads(out)) == (0, 8), err  # empty: not given
        return
    status, _, err = run("analyze", "--gpus", wrong, str(H100))
    assert status != 0 and said in err and "8 GPUs" in err


def test_nics_are_named_as_nccl_ib_hca_names_them():
    for given in ("mlx5_0,mlx5_3", "=mlx5_0,mlx5_3", "^mlx5_1,mlx5_2,mlx5_4,mlx5_5,mlx5_6,mlx5_7"):
        by_option = analyze("--hosts", "2", "--nics", given, str(H100))
        by_setting = analyze("--hosts", "2", "--set", f"NCCL_IB_HCA={given}", str(H100))
        assert len(nodes(by_option, "NET")) == 2
        for section in ("system", "paths", "graphs", "channels"):
            assert by_option[section] == by_setting[section], (given, section)
    status, _, err = run("analyze", "--nics", "bnxt", str(H100))
    assert status != 0 and "nics=bnxt selects none of this machine's 8 NICs" in err and "mlx5_0" in err


def test_socket_interfaces_are_selected_by_their_own_setting():
    assert len(nodes(analyze("--hosts", "2", stdin=SOCKETS.encode()), "NET")) == 2
    for given in ("NCCL_SOCKET_IFNAME=eth", "NCCL_SOCKET_IFNAME=^docker"):
        assert nodes(analyze("--hosts", "2", "--set", given, stdin=SOCKETS.encode()), "NET") == ["NET/0-0"]
    assert len(nodes(analyze("--hosts", "2", "--set", "NCCL_IB_HCA=mlx5", stdin=SOCKETS.encode()), "NET")) == 2
    assert nodes(analyze("--hosts", "2", "--nics", "eth0", stdin=SOCKETS.encode()), "NET") == ["NET/0-0"]
    assert len(nodes(analyze("--hosts", "2", "--set", "NCCL_SOCKET_IFNAME=eth0", str(H100)), "NET")) == 8
    status, _, err = run("analyze", "--set", "NCCL_SOCKET_IFNAME=wlan", stdin=SOCKETS.encode())
    assert status != 0 and "NCCL_SOCKET_IFNAME=wlan selects none" in err


def test_a_network_that_the_nics_do_not_belong_to_is_an_error():
    status, _, err = run("analyze", "--set", "NCCL_NET=Socket", str(H100))
    assert status != 0 and "NCCL_NET=Socket needs interfaces of NET/Socket" in err and "NCCL_TOPO_DUMP_FILE" in err
    status, _, err = run("analyze", "--set", "NCCL_NET=IB", stdin=SOCKETS.encode())
    assert status != 0 and "NCCL_NET=IB needs NICs of that network" in err
    said = [row["what"] for row in analyze("--set", "NCCL_NET=ib", str(H100))["input"]["assumed"]]
    assert any(what.startswith("NCCL_NET=ib is assumed to be the network") for what in said)
    assert len(nodes(analyze("--hosts", "2", "--set", "NCCL_NET=socket", stdin=SOCKETS.encode()), "NET")) == 2


@pytest.mark.parametrize(
    "command",
    [
        ["analyze"],
        ["render"],
        ["explain", "--why", "graph"],
        ["channels", "--hosts", "2"],
        ["p2p"],
        ["compare", str(H100)],
        ["analyze", "--against", "2.21.5"],
    ],
)
def test_every_command_takes_them(command):
    name, *more = command
    both = run(name, *more, "--gpus", "0,1", "--nics", "mlx5_0", str(H100))
    whole = run(name, *more, str(H100))
    assert (both[0], whole[0]) == (0, 0), (both[2], whole[2])
    if name != "compare":
        assert both[1] != whole[1]


def test_over_http(server):
    xml = H100.read_bytes()
    kept = server.json("POST", "/v1/topologies", xml)[1]["id"]
    for where, body in ((f"/v1/topologies/{kept}/analysis?", None), ("/v1/analyze?", xml)):
        status, answer = server.json("POST" if body else "GET", where + "gpus=1,0&nics=mlx5_2&hosts=2", body)
        assert (status, answer["ranks"], len(nodes(answer, "NET"))) == (200, 4, 1)
        assert server.json("POST" if body else "GET", where + "gpus=99", body)[0] == 400
        assert (
            server.json("POST" if body else "GET", where + "hosts=2", body)[1]["ranks"] == 16
        )  # the cache keeps them apart
    status, answer = server.json("GET", f"/v1/topologies/{kept}/channels?gpus=0,1&hosts=2")
    assert status == 200 and answer["ranks"] == 4


def test_help_names_them():
    for command in ("analyze", "render", "explain", "compare", "check-log", "channels", "p2p"):
        text = run("help", command)[1].decode()
        assert re.search(r"--gpus LIST", text) and re.search(r"--nics LIST", text), command
