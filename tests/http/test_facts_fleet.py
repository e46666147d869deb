# SPDX-License-Identifier: Apache-2.0
"""Facts about fleets: topology.conf read by Debian's slurmctld, blocks and topology.yaml by the grammar of Slurm's
manual pages topology.conf(5) and topology.yaml(5), and topograph's record by the contract of its design
(NVIDIA/topograph #442)."""
import json
import os
import pwd
import re
import socket
import subprocess

import jsonschema
import pytest
import yaml

from conftest import ROOT, wait_until
from test_command_line import run

TRAY = str(ROOT / "static" / "examples" / "grace-blackwell-tray.xml")
FLEET = [
    {"topology": TRAY, "count": 3, "names": ["n1", "n2", "n3"], "domain": "rack 1", "switch": "leaf/a"},
    {
        "topology": TRAY,
        "count": 3,
        "names": ["n4", "n5", "n6"],
        "switch": "leaf-b",
        "fabric": {"uuid": "8f4c0000-0000-0000-0000-000000000001", "clique": 7},
    },
    {"machine": "hgx-h100", "count": 2, "names": ["h-1", "h-2"], "switch": "leaf.c"},
]


@pytest.fixture
def facts(tmp_path):
    def ask(format, hosts, expected=0):
        path = tmp_path / "cluster.json"
        path.write_text(json.dumps({"hosts": hosts}))
        status, out, err = run("facts", "--format", format, "--cluster", str(path))
        assert status == expected, err
        return err if expected else out.decode()

    return ask


def entries(text):
    """Lines of topology.conf: parameters NAME=VALUE separated by blanks; # begins a comment."""
    found = []
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            pairs = [part.split("=", 1) for part in line.split()]
            assert all(len(pair) == 2 and re.fullmatch(r"[-A-Za-z0-9_.,]+", pair[1]) for pair in pairs), line
            found.append(dict(pairs))
    return found


def test_tree(facts):
    assert entries(facts("slurm-tree", FLEET)) == [
        {"SwitchName": "leaf-a", "Nodes": "n1,n2,n3"},
        {"SwitchName": "leaf-b", "Nodes": "n4,n5,n6"},
        {"SwitchName": "leaf.c", "Nodes": "h-1,h-2"},
        {"SwitchName": "top", "Switches": "leaf-a,leaf-b,leaf.c"},
    ]
    assert "Assumed: all leaf switches reach one another" in facts("slurm-tree", FLEET)
    one = facts("slurm-tree", FLEET[:1])
    assert entries(one) == [{"SwitchName": "leaf-a", "Nodes": "n1,n2,n3"}] and "Assumed" not in one
    # names that differ stay different, also from the switch that is put above
    alike = [
        {"machine": "hgx-h100", "names": [f"m{i}"], "switch": switch}
        for i, switch in enumerate(("a b", "a/b", "top", "a-b-2"))
    ]
    names = [entry["SwitchName"] for entry in entries(facts("slurm-tree", alike))]
    assert len(set(names)) == 5 and names[:3] == ["a-b", "a-b-2", "top"]


def test_blocks(facts):
    """BlockName and Nodes of each block; BlockSizes: the smallest, and doubles of it."""
    text = facts("slurm-block", FLEET)
    assert entries(text) == [
        {"BlockName": "rack-1", "Nodes": "n1,n2,n3"},
        {"BlockName": "8f4c0000-0000-0000-0000-000000000001.7", "Nodes": "n4,n5,n6"},
        {"BlockSizes": "3,6"},
    ]
    assert "# Hosts whose NVLink domain is not known: h-1,h-2" in text


BLOCK = {
    "type": "object",
    "required": ["block_sizes", "blocks"],
    "additionalProperties": False,
    "properties": {
        "block_sizes": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
        "blocks": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["block"],
                "additionalProperties": False,
                "properties": {"block": {"type": "string"}, "nodes": {"type": "string"}},
            },
        },
    },
}
TREE = {
    "type": "object",
    "required": ["switches"],
    "additionalProperties": False,
    "properties": {
        "switches": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["switch"],
                "additionalProperties": False,
                "oneOf": [{"required": ["nodes"]}, {"required": ["children"]}],
                "properties": {
                    "switch": {"type": "string"},
                    "nodes": {"type": "string"},
                    "children": {"type": "string"},
                },
            },
        }
    },
}
TOPOLOGY_YAML = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["topology"],
        "additionalProperties": False,
        "oneOf": [{"required": ["block"]}, {"required": ["tree"]}, {"required": ["flat"]}],
        "properties": {
            "topology": {"type": "string"},
            "cluster_default": {"type": "boolean"},
            "block": BLOCK,
            "tree": TREE,
            "flat": {"type": "boolean"},
        },
    },
}


def test_yaml(facts):
    text = facts("slurm-yaml", FLEET)
    found = yaml.safe_load(text)
    jsonschema.validate(found, TOPOLOGY_YAML)
    assert [list(one)[0] for one in found] == ["topology"] * 2  # "must be the first attribute"
    assert [one["cluster_default"] for one in found] == [True, False]
    assert found[0]["block"]["block_sizes"] == [3, 6] and found[0]["block"]["blocks"][0] == {
        "block": "rack-1",
        "nodes": "n1,n2,n3",
    }
    assert found[1]["tree"]["switches"][-1] == {"switch": "top", "children": "leaf-a,leaf-b,leaf.c"}
    # names that YAML would read as something else stay texts; without domains only the tree is there
    found = yaml.safe_load(
        facts(
            "slurm-yaml",
            [
                {"machine": "hgx-h100", "names": ["1"], "switch": "no"},
                {"machine": "hgx-h100", "names": ["1e3"], "switch": "2"},
            ],
        )
    )
    jsonschema.validate(found, TOPOLOGY_YAML)
    assert (
        len(found) == 1
        and found[0]["cluster_default"]
        and found[0]["tree"]["switches"][0] == {"switch": "no", "nodes": "1"}
    )


def test_yaml_without_a_complete_tree(facts):
    text = facts(
        "slurm-yaml", [FLEET[0], {**FLEET[1], "switch": FLEET[0]["switch"]}, {"machine": "hgx-h100", "names": ["h-1"]}]
    )
    assert "# No tree: the leaf switch of 1 of 7 hosts is not known." in text
    found = yaml.safe_load(text)
    jsonschema.validate(found, TOPOLOGY_YAML)
    assert ["block" in one for one in found] == [True]


def test_what_is_not_known_is_not_claimed(facts):
    unnamed = [{"machine": "hgx-h100", "count": 2, "switch": "a"}]
    assert "names are missing for 2 of the 2 hosts" in facts("slurm-tree", unnamed, 1)
    assert "leaf switch of 1 of 2 hosts is not known, such as that of b" in facts(
        "slurm-tree",
        [{"machine": "hgx-h100", "names": ["a"], "switch": "s"}, {"machine": "hgx-h100", "names": ["b"]}],
        1,
    )
    assert "no blocks" in facts("slurm-block", [{"machine": "hgx-h100", "names": ["a"]}], 1)
    assert "no blocks" in facts("slurm-yaml", [{"machine": "hgx-h100", "names": ["a"]}], 1)
    status, _, err = run("facts", "--format", "nfd", "--cluster", "x.json")
    assert status == 2 and "several hosts" in err
    status, _, err = run("facts", "--format", "slurm-tree", TRAY)
    assert status == 1 and "leaf switch" in err


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_slurmctld_reads_the_tree(facts, tmp_path):
    """The real program, without a cluster: it loads topology.conf, and scontrol shows the switches that it
    understood."""
    names = [name for host in FLEET for name in host["names"]]
    (tmp_path / "topology.conf").write_text(facts("slurm-tree", FLEET))
    (tmp_path / "state").mkdir()
    port = free_port()
    nodes = "\n".join(
        f"NodeName={name} NodeHostname=localhost Port={port + 1 + i} CPUs=1" for i, name in enumerate(names)
    )
    (tmp_path / "slurm.conf").write_text(
        f"""ClusterName=test
SlurmctldHost=localhost
SlurmctldPort={port}
SlurmdPort={port}
AuthType=auth/none
CredType=cred/none
SlurmUser={pwd.getpwuid(os.getuid()).pw_name}
CommunicationParameters=NoCtldInAddrAny
StateSaveLocation={tmp_path}/state
SlurmctldPidFile={tmp_path}/slurmctld.pid
ProctrackType=proctrack/linuxproc
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
TopologyPlugin=topology/tree
{nodes}
PartitionName=all Nodes=ALL Default=YES
"""
    )
    env = dict(os.environ, SLURM_CONF=str(tmp_path / "slurm.conf"), PATH=os.environ["PATH"] + ":/usr/sbin")
    log = tmp_path / "slurmctld.log"
    with log.open("w") as out:
        daemon = subprocess.Popen(
            ["slurmctld", "-D", "-vvv", "-f", str(tmp_path / "slurm.conf")], env=env, stdout=out, stderr=out
        )

    def shown():
        assert daemon.poll() is None, log.read_text()[-2000:]
        done = subprocess.run(["scontrol", "show", "topology"], env=env, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 and "SwitchName" in done.stdout else None

    try:
        wait_until(shown, lambda: log.read_text()[-2000:])
        switches = {}
        for line in shown().splitlines():
            pairs = dict(part.split("=", 1) for part in line.split())
            switches[pairs["SwitchName"]] = pairs
        assert {name: (row["Level"], row["Nodes"]) for name, row in switches.items() if name != "top"} == {
            "leaf-a": ("0", "n1,n2,n3"),
            "leaf-b": ("0", "n4,n5,n6"),
            "leaf.c": ("0", "h-1,h-2"),
        }
        assert (switches["top"]["Level"], switches["top"]["Switches"]) == ("1", "leaf-a,leaf-b,leaf.c")
        problems = [
            line
            for line in log.read_text().splitlines()
            if re.search(r"(error|fatal|warning).*(topo|switch)", line, re.I) and "processing time" not in line
        ]
        assert not problems, problems
    finally:
        daemon.terminate()
        daemon.wait(timeout=60)


ADDRESS = r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$"
RAIL = r"^[A-Za-z0-9][-A-Za-z0-9_.]*$"
RECORD = {
    "type": "object",
    "required": ["schemaVersion", "railSource", "nics", "gpus"],
    "additionalProperties": False,
    "properties": {
        "schemaVersion": {"const": "v1alpha1"},
        "nodeUID": {"type": "string"},
        "railSource": {"type": "string"},
        "nics": {
            "type": "object",
            "propertyNames": {"pattern": ADDRESS},
            "additionalProperties": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"pattern": RAIL}},
        },
        "gpus": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["pciAddress", "rails"],
                "additionalProperties": False,
                "properties": {
                    "pciAddress": {"pattern": ADDRESS},
                    "rails": {
                        "type": "object",
                        "propertyNames": {"pattern": RAIL},
                        "additionalProperties": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["nic", "path"],
                                "additionalProperties": False,
                                "properties": {
                                    "nic": {"pattern": ADDRESS},
                                    "path": {"enum": ["PIX", "PXB", "PHB", "NODE", "SYS"]},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}

EXAMPLES = sorted((ROOT / "static" / "examples").glob("*.xml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_topograph_record(path):
    """By the contract: every GPU has every rail, each with the NICs tied at the best class, sorted; every NIC's rails
    are the record's."""
    status, out, err = run("facts", "--format", "topograph", str(path))
    assert status == 0, err
    record = json.loads(out)
    jsonschema.validate(record, RECORD)
    rails = {rail for own in record["nics"].values() for rail in own}
    assert len(record["gpus"]) == len(re.findall(r"<gpu ", path.read_text()))
    for gpu in record["gpus"].values():
        assert set(gpu["rails"]) == rails
        for rail, nics in gpu["rails"].items():
            assert [nic["nic"] for nic in nics] == sorted({nic["nic"] for nic in nics}) and len(
                {nic["path"] for nic in nics}
            ) == 1
            assert all(rail in record["nics"][nic["nic"]] for nic in nics)


def record_of(text):
    status, out, err = run(
        "facts", "--format", "topograph", "-", stdin=text if isinstance(text, bytes) else text.encode()
    )
    assert status == 0, err
    return json.loads(out)


def test_path_classes():
    """The names that nvidia-smi topo -m uses: one switch, several, a CPU, another socket."""

    def pci(busid, inside, kind="0x060400"):
        return (
            f'<pci busid="{busid}" class="{kind}" vendor="0x1000" device="0xc010" subsystem_vendor="0x1000" '
            f'subsystem_device="0xa096" link_speed="32.0 GT/s PCIe" link_width="16">{inside}</pci>'
        )

    def nic(busid, dev):
        return pci(
            busid,
            f'<nic><net name="mlx5_{dev}" dev="{dev}" speed="400000" port="1" latency="0" guid="0x{dev + 1}" '
            'maxconn="1" gdr="1"/></nic>',
            "0x020000",
        )

    def cpu(numa, inside):
        return (
            f'<cpu host_hash="0x1" numaid="{numa}" affinity="ff" arch="x86_64" vendor="GenuineIntel" '
            f'familyid="6" modelid="143">{inside}</cpu>'
        )

    gpu = pci("0000:17:00.0", '<gpu dev="0" sm="90" rank="0" gdr="1"/>', "0x030200")
    behind = pci("0000:20:00.0", nic("0000:21:00.0", 1))
    text = (
        '<system version="1">'
        + cpu(0, pci("0000:10:00.0", gpu + nic("0000:18:00.0", 0) + behind) + nic("0000:30:00.0", 2))
        + cpu(1, nic("0000:AF:00.0", 3))
        + "</system>"
    )
    rails = record_of(text)["gpus"]["0000:17:00.0"]["rails"]
    assert rails == {
        "rail0": [{"nic": "0000:18:00.0", "path": "PIX"}],
        "rail1": [{"nic": "0000:21:00.0", "path": "PXB"}],
        "rail2": [{"nic": "0000:30:00.0", "path": "PHB"}],
        "rail3": [{"nic": "0000:af:00.0", "path": "SYS"}],
    }
    # rails that the dump states are those of the record
    stated = record_of(re.sub(r'dev="(\d)" speed', lambda m: f'dev="{m[1]}" rail="{int(m[1]) % 2}" speed', text))
    assert stated["railSource"] == "nccl-topology" and record_of(text)["railSource"] == "nccl-nic-index"
    assert stated["gpus"]["0000:17:00.0"]["rails"] == {
        "rail0": [{"nic": "0000:18:00.0", "path": "PIX"}],
        "rail1": [{"nic": "0000:21:00.0", "path": "PXB"}],
    }


def test_routes(server):
    """The same from a stored topology, a stored cluster, and the hosts that uploaded dumps."""
    status, answer = server.json(
        "POST",
        "/v1/topologies?machine=hgx-a100&label=host%3Dfleet-1&label=switch%3Dleaf1&label=domain%3Dd1&label=rack%3D7",
    )
    ident = answer["id"]
    server.json(
        "POST",
        "/v1/topologies?machine=hgx-a100&label=host%3Dfleet-2&label=switch%3Dleaf2&label=domain%3Dd1&label=rack%3D7",
    )
    server.json("POST", "/v1/topologies?machine=hgx-b200&label=host%3Dfleet-3&label=rack%3D8")
    response, body = server.ask("GET", "/v1/facts?format=slurm-tree&label=rack%3D7")
    assert response.status == 200 and entries(body.decode()) == [
        {"SwitchName": "leaf1", "Nodes": "fleet-1"},
        {"SwitchName": "leaf2", "Nodes": "fleet-2"},
        {"SwitchName": "top", "Switches": "leaf1,leaf2"},
    ]
    response, body = server.ask("GET", "/v1/facts?format=slurm-block&label=rack%3D7")
    assert entries(body.decode()) == [{"BlockName": "d1", "Nodes": "fleet-1,fleet-2"}, {"BlockSizes": "2"}]
    response, body = server.ask("GET", "/v1/facts?format=slurm-yaml&label=rack%3D7")
    assert response.getheader("Content-Type").startswith("application/yaml") and len(yaml.safe_load(body)) == 2
    assert server.json("GET", "/v1/facts?format=slurm-block&label=rack%3D8")[0] == 422
    assert server.json("GET", "/v1/facts?format=slurm-block&label=rack%3D9")[0] == 404
    assert (
        server.json("GET", "/v1/facts?format=nfd")[0] == 400
        and server.json("GET", f"/v1/topologies/{ident}/facts?format=slurm-tree")[0] == 400
    )
    response, body = server.ask("GET", f"/v1/topologies/{ident}/facts?format=topograph")
    assert response.getheader("Content-Type").startswith("application/json")
    jsonschema.validate(json.loads(body), RECORD)
    assert server.ask("GET", f"/v1/topologies/{ident}/facts")[1].decode().startswith("nccl.orrery/")
    hosts = [{"topology": ident, "count": 2, "names": ["c1", "c2"], "domain": "d", "switch": "s"}]
    status, made = server.json("POST", "/v1/clusters", body=json.dumps({"hosts": hosts}).encode())
    response, body = server.ask("GET", f"/v1/clusters/{made['id']}/facts?format=slurm-block")
    assert entries(body.decode()) == [{"BlockName": "d", "Nodes": "c1,c2"}, {"BlockSizes": "2"}]
    assert server.json("GET", f"/v1/clusters/{made['id']}/facts")[0] == 400
