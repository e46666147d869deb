# SPDX-License-Identifier: Apache-2.0
"""The verdict on a cluster: which hosts are at fault, and how much each repair gains. Every figure is compared with a
cluster that has the repair: the same question, asked another way."""
import csv
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from conftest import ROOT
from test_clusters import create, upload
from test_command_line import run
from test_compare import TRAY, slower

sys.path.insert(0, str(ROOT / "tests/tools"))
from machine_faults import FAULTS  # noqa: E402

HEALTHY = (ROOT / "static/examples/h100-nvswitch.xml").read_bytes()
FAULTY = (ROOT / "static/examples/h100-with-faults.xml").read_bytes()
SLOW_LINK = b'link_width="8"'


def bandwidth(server, *hosts):
    """The prediction for AllReduce at 1 GiB on these hosts."""
    cluster = create(server, *hosts)
    status, table = server.json("GET", f"/v1/clusters/{cluster['id']}/predict?sizes=1G")
    assert status == 200, table
    return table["rows"][0]["busbw"]


@pytest.fixture(scope="module")
def machines(server):
    """Ids of the healthy machine, of the one with two faults, and of that with either of them repaired."""
    assert FAULTY.count(SLOW_LINK) >= 1 and FAULTY.count(b'gdr="0"') == 1
    dumps = [HEALTHY, FAULTY, FAULTY.replace(SLOW_LINK, b'link_width="16"'), FAULTY.replace(b'gdr="0"', b'gdr="1"')]
    return [upload(server, dump) for dump in dumps]


def hosts_of(machine, count, first=1):
    return {"topology": machine, "count": count, "names": [f"node{first + i}" for i in range(count)]}


def verdict_of(server, *hosts):
    cluster = create(server, *hosts)
    status, verdict = server.json("GET", f"/v1/clusters/{cluster['id']}/verdict")
    assert status == 200, verdict
    return cluster["id"], verdict


def close(left, right):
    return left == pytest.approx(right, rel=1e-6)


def test_each_figure_is_that_of_a_cluster_with_the_repair(server, machines):
    healthy, faulty, wide, with_gdr = machines
    rest = hosts_of(healthy, 6)
    _, verdict = verdict_of(server, rest, hosts_of(faulty, 2, 7))
    assert close(verdict["now"], bandwidth(server, rest, hosts_of(faulty, 2, 7)))
    assert close(verdict["all_repaired"], bandwidth(server, hosts_of(healthy, 8)))
    assert (verdict["hosts"], verdict["hosts_at_fault"], verdict["left_out"]) == (8, 2, 0)
    figures = (round(verdict["now"]), round(verdict["all_repaired"]))
    assert verdict["sentence"] == "8 hosts: AllReduce %d of %d GB/s, because of 2 hosts." % figures
    faults = {fault["finding"]: fault for fault in verdict["faults"]}
    assert set(faults) == {"slow-link", "gdr-off"}
    for finding, repaired in (("slow-link", wide), ("gdr-off", with_gdr)):
        fault = faults[finding]
        assert [host["name"] for host in fault["hosts"]] == ["node7", "node8"]
        assert fault["hosts_text"] == "node7 and node8"
        assert close(fault["fixed"], bandwidth(server, rest, hosts_of(repaired, 2, 7)))
        assert close(fault["drained"], bandwidth(server, rest))


def test_different_faults_are_rows_of_their_own(server, machines):
    """Each row has its own hosts, and its gain is 0 as long as another host limits all of them."""
    healthy, _, wide, with_gdr = machines
    _, verdict = verdict_of(server, hosts_of(healthy, 6), hosts_of(wide, 1, 7), hosts_of(with_gdr, 1, 8))
    named = {fault["finding"]: fault["hosts_text"] for fault in verdict["faults"]}
    assert named == {"gdr-off": "node7", "slow-link": "node8"}
    assert verdict["hosts_at_fault"] == 2
    for fault in verdict["faults"]:
        assert close(fault["fixed"], verdict["now"]) and verdict["all_repaired"] > 1.05 * verdict["now"]
        assert fault["only_together"]


# All PCIe links at Gen4, and the NICs have 8 lanes: repairing the GPUs' links gains nothing as long as the NICs limit.
MASKED = re.sub(
    rb'(<pci [^>]*class="0x020[07]00"[^>]*link_width=")16"',
    rb'\g<1>8"',
    HEALTHY.replace(b'link_speed="32.0 GT/s PCIe"', b'link_speed="16.0 GT/s PCIe"'),
)


@pytest.mark.parametrize("healthy, bad", [(3, 1), (0, 4)])
def test_a_fault_that_hides_another_is_not_the_whole_loss(server, machines, healthy, bad):
    assert MASKED.count(b'link_width="8"') == 8
    hosts = [hosts_of(machines[0], healthy)] if healthy else []
    ident, verdict = verdict_of(server, *hosts, hosts_of(upload(server, MASKED), bad, healthy + 1))
    whole = bandwidth(server, hosts_of(machines[0], 4))
    assert verdict["all_repaired"] == pytest.approx(whole, rel=0.02) and whole > 3 * verdict["now"]
    assert [(fault["finding"], fault["only_together"]) for fault in verdict["faults"]] == [
        ("slow-slot", False),
        ("pcie-below-model", True),
    ]
    report = server.ask("GET", f"/v1/clusters/{ident}/facts?format=report")[1].decode()
    assert [row["Repaired"] for row in markdown_table(report)][1] == "with others"


def test_hosts_with_a_fault_that_differ_as_well(server, machines):
    """A host whose NICs run at half the speed has a slow link, too: its own repair leaves it slower than the others."""
    slow = HEALTHY.replace(b'speed="400000"', b'speed="200000"').replace(b'link_width="16"', b'link_width="4"', 3)
    _, verdict = verdict_of(server, hosts_of(machines[0], 7), hosts_of(upload(server, slow), 1, 8))
    whole = bandwidth(server, hosts_of(machines[0], 8))
    assert close(verdict["all_repaired"], whole)
    assert None in {fault["finding"] for fault in verdict["faults"]}
    assert {fault["hosts_text"] for fault in verdict["faults"]} == {"node8"}


def test_faults_that_cost_this_job_nothing_are_listed_and_not_blamed(server, machines):
    """The NICs of a job on one host do not count."""
    _, verdict = verdict_of(server, hosts_of(machines[1], 1))
    assert {fault["finding"] for fault in verdict["faults"]} == {"slow-link", "gdr-off"}
    assert verdict["hosts_at_fault"] == 1 and close(verdict["now"], verdict["all_repaired"])
    assert verdict["sentence"].endswith("No repair of a host would raise it.")


def test_hosts_that_are_alike_and_unlike_their_type(server, machines):
    """No GPU and no port of any host has GPUDirect RDMA, which such GPUs of other machines have."""
    without = upload(server, HEALTHY.replace(b'gdr="1"', b'gdr="0"'))
    _, verdict = verdict_of(server, hosts_of(without, 8))
    assert [fault["finding"] for fault in verdict["faults"]] == ["gdr-off"]
    assert close(verdict["all_repaired"], bandwidth(server, hosts_of(machines[0], 8)))
    assert "because of faults that every host has" in verdict["sentence"] and verdict["now"] < 200


def broken(kind):
    tree = ET.fromstring(run("convert", "--machine", "hgx-h100")[1])
    assert FAULTS[kind][0](tree)
    return ET.tostring(tree)


def said_of(tmp_path, dump, count=4):
    """The verdict of `orrery show` on as many hosts with this dump, in one line, and the findings."""
    (tmp_path / "dump.xml").write_bytes(dump)
    (tmp_path / "c.json").write_text(json.dumps({"hosts": [{"topology": "dump.xml", "count": count}]}))
    said = " ".join(run("show", "--cluster", str(tmp_path / "c.json"))[1].decode().split())
    return said.split(" Verdict ")[1].split(" What NCCL does ")[0]


@pytest.mark.parametrize(
    "kind, says",
    [
        ("gpu-gone", "4 hosts: AllReduce 318 GB/s. GPUs are missing on every host: 7 GPUs are in the dump"),
        ("half-the-gpus-gone", "GPUs are missing on every host: like dgx-h100 or hgx-h100, but 4 instead of 8 GPUs"),
        ("all-ports-slow", "If every host should be one, AllReduce gets 190 of 358 GB/s."),
        ("switch-narrow", "4 hosts: AllReduce 358 GB/s. No repair of a host would raise it."),
    ],
)
def test_hosts_are_compared_with_their_type(server, tmp_path, kind, says):
    """Hosts that are all alike: what one machine is told, the cluster is told, too."""
    said = said_of(tmp_path, broken(kind))
    assert says in said and "Healthy" not in said and "cannot compute" not in said
    _, verdict = verdict_of(server, hosts_of(upload(server, broken(kind)), 4))
    assert says in verdict["sentence"]
    assert verdict["hosts_at_fault"] == (4 if "GPUs are missing" in says else 0)


def test_the_findings_of_a_cluster_have_its_costs(tmp_path):
    said = said_of(tmp_path, HEALTHY.replace(b'gdr="1"', b'gdr="0"'))
    assert "GPUs have no GPUDirect RDMA (warning). AllReduce gets 159 of 358 GB/s on 4 hosts." in said
    assert "What it costs is not known" not in said


def test_a_finding_of_a_rack_that_costs_nothing_is_a_note(tmp_path):
    """No traffic of one rack uses the NIC, so the trial of its repair gains nothing."""
    tray, cluster = tmp_path / "tray.xml", tmp_path / "cluster.json"
    tray.write_bytes(slower(TRAY))
    cluster.write_text(json.dumps({"hosts": [{"topology": str(tray), "count": 18, "domain": "r"}]}))
    for words in (["--cluster", str(cluster)], ["--hosts", "18", "--domain", "18", str(tray)]):
        said = " ".join(run("show", "--findings", *words)[1].decode().split())
        assert "What it costs is not known" not in said and "Findings, the most expensive first" not in said
        assert "Notes - A NIC is slower than equal NICs: mlx5_0 of host 0 has 100 Gb/s" in said, said


def test_remedies_are_those_of_the_host(server, machines):
    """A port without GPUDirect RDMA beside seven with it misses no kernel module; a NIC with 8 lanes is not idle."""
    healthy, faulty, _, _ = machines
    _, verdict = verdict_of(server, hosts_of(healthy, 6), hosts_of(faulty, 1, 7))
    remedies = " ".join(fault["remedy"] for fault in verdict["faults"])
    assert "Compare these ports with them" in remedies and "does not depend on the load" in remedies, remedies
    assert "nvidia-peermem" not in remedies and "idle" not in remedies, remedies


def test_a_healthy_cluster_has_no_fault(server, machines):
    _, verdict = verdict_of(server, hosts_of(machines[0], 8))
    assert verdict["faults"] == [] and verdict["hosts_at_fault"] == 0
    assert close(verdict["now"], verdict["all_repaired"])
    assert verdict["sentence"].endswith("No repair of a host would raise it.")


def test_a_host_that_only_differs_is_compared_with_most(server, machines):
    """All NICs of one host at half the speed: none is slower than its equals, but the host is slower than the
    others."""
    slow = upload(server, HEALTHY.replace(b'speed="400000"', b'speed="200000"'))
    _, verdict = verdict_of(server, hosts_of(machines[0], 7), hosts_of(slow, 1, 8))
    (fault,) = verdict["faults"]
    assert (fault["finding"], fault["hosts_text"]) == (None, "node8")
    assert close(fault["fixed"], bandwidth(server, hosts_of(machines[0], 8)))


@pytest.mark.parametrize("fast, slow", [(2, 2), (3, 5)])
def test_hosts_that_are_slow_alike_are_at_fault(server, machines, fast, slow):
    """Half of the hosts, or most, have NICs at half the speed: none differs from most, but the others are faster."""
    half = upload(server, HEALTHY.replace(b'speed="400000"', b'speed="200000"'))
    _, verdict = verdict_of(server, hosts_of(machines[0], fast), hosts_of(half, slow, fast + 1))
    (fault,) = verdict["faults"]
    assert fault["what"] == "The hosts are slower than others with the same GPUs"
    assert [host["name"] for host in fault["hosts"]] == [f"node{fast + 1 + i}" for i in range(slow)]
    whole = bandwidth(server, hosts_of(machines[0], fast + slow))
    assert close(fault["fixed"], whole) and close(verdict["all_repaired"], whole)
    assert verdict["sentence"] == "%d hosts: AllReduce %.0f of %.0f GB/s, because of %d hosts." % (
        fast + slow,
        verdict["now"],
        whole,
        slow,
    )


def test_lists_for_other_programs(server, machines):
    ident, verdict = verdict_of(server, hosts_of(machines[0], 6), hosts_of(machines[1], 2, 7))
    response, table = server.ask("GET", f"/v1/clusters/{ident}/facts?format=faults-csv")
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    assert response.headers["Content-Type"].startswith("text/csv")
    assert sorted((row["host"], row["fault"]) for row in rows) == sorted(
        (host["name"], fault["what"]) for fault in verdict["faults"] for host in fault["hosts"]
    )
    drain = server.ask("GET", f"/v1/clusters/{ident}/facts?format=slurm-drain")[1].decode().splitlines()
    assert [re.match(r"scontrol update nodename=(\S+) state=drain reason=\"Orrery: ", line)[1] for line in drain] == [
        "node7",
        "node8",
    ]
    cordon = server.ask("GET", f"/v1/clusters/{ident}/facts?format=kubernetes-cordon")[1].decode()
    said = subprocess.run(
        ["sh", "-c", f'kubectl() {{ printf "[%s]" "$@"; echo; }}\n{cordon}'], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert said[0] == "[cordon][node7]" and said[1].startswith(
        "[annotate][--overwrite][node][node7][orrery/fault=Orrery: "
    )


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def test_hosts_are_listed_by_name(server, machines):
    """Dumps arrive in any order: node10 before node9."""
    healthy, faulty = machines[:2]
    bad = {"topology": faulty, "count": 4, "names": ["node10", "node9", "node2", "node11"]}
    ident, verdict = verdict_of(server, bad, hosts_of(healthy, 8, 20))
    for fault in verdict["faults"]:
        assert [host["name"] for host in fault["hosts"]] == sorted(bad["names"], key=natural)
        assert [bad["names"][host["host"]] for host in fault["hosts"]] == sorted(bad["names"], key=natural)
        assert fault["hosts_text"] == "node2 and node9 to node11"
    drain = server.ask("GET", f"/v1/clusters/{ident}/facts?format=slurm-drain")[1].decode()
    assert re.findall(r"nodename=(\S+)", drain) == sorted(bad["names"], key=natural)
    table = csv.DictReader(io.StringIO(server.ask("GET", f"/v1/clusters/{ident}/facts?format=faults-csv")[1].decode()))
    assert [row["host"] for row in table] == 2 * sorted(bad["names"], key=natural)


def test_the_order_of_the_ranks_is_that_of_the_names(server, machines):
    """A description in any order, with rank_order=name, is the same job as the sorted description."""
    healthy, faulty = machines[:2]
    hosts = [{"topology": faulty if i in (2, 10) else healthy, "names": [f"node{i}"]} for i in (10, 3, 2, 1, 12)]
    for host, leaf in zip(hosts, ("b", "a", "b", "b", "a")):
        host["switch"] = f"leaf-{leaf}"
    by_name = sorted(hosts, key=lambda host: natural(host["names"][0]))
    by_leaf = sorted(by_name, key=lambda host: host["switch"])
    shuffled = create(server, *hosts)["id"]

    def told(ident, order):
        path, asked = f"/v1/clusters/{ident}", f"rank_order={order}"
        channels = server.json("GET", f"{path}/analysis/channels?{asked}")[1]
        answers = channels, server.json("GET", f"{path}/predict?{asked}")[1]["rows"]
        view = server.json("GET", f"{path}/analysis/cluster?{asked}")[1]
        assert server.json("GET", f"{path}/verdict?{asked}")[1]["order"] == view["order"]
        return answers, view["order"]

    given = told(shuffled, "given")
    for order, listed in (("name", by_name), ("switch", by_leaf)):
        answers, said = told(shuffled, order)
        same, plain = told(create(server, *listed)["id"], "given")
        assert answers == same and answers != given[0] and (said, plain) == (order, "block")
        kept = create(server, *hosts, ranks=order)["id"]
        assert told(kept, "given") == (answers, order) and told(kept, "block") == given
    status, problem = server.json("GET", f"/v1/clusters/{shuffled}/predict?rank_order=domain")
    assert status == 422 and "NVLink domain of each host" in problem["detail"]
    assert server.json("GET", f"/v1/clusters/{shuffled}/predict?rank_order=rack")[0] == 400


def markdown_table(text):
    """The rows of the only table, by a second implementation of CommonMark's rules: a character after a backslash is
    literal."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    cells = [[re.sub(r"\\(\W|_)", r"\1", cell).strip() for cell in row] for row in rows]
    assert {len(row) for row in cells} == {len(cells[0])} and set(cells[1]) <= {"---", "--:"}
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def test_a_report_of_one_page(server, machines):
    names = [f"node{i}" for i in (1, 2, 3, 10, 9, 4)]
    hosts = [{"topology": machines[0], "count": 4, "names": names[:4]}]
    hosts.append({"topology": machines[1], "count": 2, "names": names[4:]})
    status, cluster = server.json("POST", "/v1/clusters", json.dumps({"name": "pod|*a*", "hosts": hosts}).encode())
    assert status in (200, 201)
    path = f"/v1/clusters/{cluster['id']}"
    verdict = server.json("GET", f"{path}/verdict")[1]
    response, body = server.ask("GET", f"{path}/facts?format=report")
    report = body.decode()
    assert response.headers["Content-Type"].startswith("text/markdown")
    assert report.startswith("# pod\\|\\*a\\*\n") and f"**{verdict['sentence']}**" in report and path in report
    rows = markdown_table(report)
    assert [(row["Hosts"], row["Device"], row["Fault"]) for row in rows] == [
        (fault["hosts_text"], fault["device"], fault["what"]) for fault in verdict["faults"]
    ]
    for row, fault in zip(rows, verdict["faults"]):
        for column, figure in (("Repaired", "fixed"), ("Drained", "drained")):
            assert row[column] == f"{fault[figure]:.0f} ({fault[figure] - verdict['now']:+.0f})"
    drain = server.ask("GET", f"{path}/facts?format=slurm-drain")[1].decode()
    assert drain.count("\n") == 2 and f"```sh\n{drain}```\n" in report
    # Without host names there are no commands, and a healthy cluster has nothing to drain.
    unnamed = create(server, {"topology": machines[0], "count": 4}, {"topology": machines[1]})["id"]
    report = server.ask("GET", f"/v1/clusters/{unnamed}/facts?format=report")[1].decode()
    assert "have no names" in report and "scontrol" not in report and report.startswith("# Cluster\n")
    healthy = create(server, {"topology": machines[0], "count": 4})["id"]
    report = server.ask("GET", f"/v1/clusters/{healthy}/facts?format=report")[1].decode()
    assert "No repair of a host would raise it" in report and "|" not in report


def test_a_report_stays_a_page(server, machines):
    ident, _ = verdict_of(server, hosts_of(machines[0], 60), hosts_of(machines[1], 40, 61))
    report = server.ask("GET", f"/v1/clusters/{ident}/facts?format=report")[1].decode()
    assert report.count("scontrol") == 24 and "These are 24 of 40 hosts" in report
    assert report.count("\n") < 60


def test_hosts_without_names_and_with_odd_ones(server, machines):
    hosts = [{"topology": machines[0], "count": 6}, {"topology": machines[1], "count": 2}]
    ident, verdict = verdict_of(server, *hosts)
    assert verdict["faults"][0]["hosts_text"] == "hosts 6-7"
    assert server.json("GET", f"/v1/clusters/{ident}/facts?format=slurm-drain")[0] == 422
    # Labels may hold anything, and name a host of a line that has no names.
    odd = server.json("POST", "/v1/topologies?label=host%3D%24%28reboot%29", FAULTY + b"\n")[1]["id"]
    hosts = [hosts_of(machines[0], 6), hosts_of(machines[2], 1, 7), {"topology": odd}]
    ident, verdict = verdict_of(server, *hosts)
    assert any(host["name"] == "$(reboot)" for fault in verdict["faults"] for host in fault["hosts"])
    drain = server.ask("GET", f"/v1/clusters/{ident}/facts?format=slurm-drain")[1].decode()
    assert "reboot" not in drain and "nodename=node7 " in drain and "# a host whose name" in drain


def test_the_report_shows_the_same(server, machines, tmp_path):
    _, verdict = verdict_of(server, hosts_of(machines[0], 6), hosts_of(machines[1], 2, 7))
    names = [f"node{i}" for i in range(1, 9)]
    folder = ROOT / "static/examples"
    (tmp_path / "c.json").write_text(
        json.dumps(
            {
                "hosts": [
                    {"topology": str(folder / "h100-nvswitch.xml"), "count": 6, "names": names[:6]},
                    {"topology": str(folder / "h100-with-faults.xml"), "count": 2, "names": names[6:]},
                ]
            }
        )
    )
    said = run("show", "--cluster", str(tmp_path / "c.json"))[1].decode()
    assert verdict["sentence"] in said and "node7 and node8" in said
    assert "different order" not in said  # a port without GPUDirect RDMA is not a NIC in another place


def test_what_the_inputs_do_not_show_is_listed(server, machines):
    """A matrix shows neither the speed of NICs nor PCIe links: the sentence says so, and does not mention a dump."""
    rows = ["\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity"]
    rows += ["GPU0\t X \tNV18\tPIX\tNODE\t0-47\t0", "GPU1\tNV18\t X \tNODE\tPIX\t0-47\t0"]
    matrix = upload(server, ("\n".join(rows) + "\n").encode())
    _, verdict = verdict_of(server, hosts_of(matrix, 4))
    assert len(verdict["assumed"]) == 1 and "the speed of the NICs" in verdict["assumed"][0]
    assert "The inputs do not show the speed of the NICs" in verdict["sentence"]
    assert "assumed values" in verdict["sentence"]
    _, known = verdict_of(server, hosts_of(machines[0], 4))
    assert known["assumed"] == [] and "do not show" not in known["sentence"]


def test_hosts_that_are_slow_alike_are_said_to_have_the_fault_all(server):
    """None of them differs from another; the fault shows in what the GPUs, NICs and CPUs support."""
    slow = upload(server, HEALTHY.replace(b'link_width="16"', b'link_width="8"'))
    _, verdict = verdict_of(server, hosts_of(slow, 8))
    figures = (verdict["now"], verdict["all_repaired"])
    assert (
        verdict["sentence"] == "8 hosts: AllReduce %.0f of %.0f GB/s, because of faults that every host has." % figures
    )
    assert verdict["hosts_at_fault"] == 8 and figures[0] < 0.8 * figures[1]
    assert verdict["faults"][0]["what"].startswith("All GPUs have fewer PCIe lanes"), verdict["faults"]
