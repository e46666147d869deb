# SPDX-License-Identifier: Apache-2.0
"""The gate on a tray of NVL72, whose dump does not show whether NVLink joins the hosts of a job."""
import json

import pytest

from test_command_line import run
from test_compare import TRAY, files, put, slower
from test_gate import DEGRADED, FIT, UNJUDGED, ask, gate

BOTH = (
    ". The input does not show whether NVLink joins the hosts, as in a rack: if so, AllReduce gets about "
    "908 GB/s on 18 hosts, otherwise about 316. `nvidia-smi -q | grep -E 'ClusterUUID|CliqueId'` shows it."
)


def test_a_fit_tray_has_both_figures(tmp_path):
    (tray,) = files(tmp_path, TRAY)
    for expect in (tray, "gb300-tray"):
        status, line = gate("--hosts", "18", "--expect", expect, tray)
        assert status == FIT and line.endswith(BOTH) and "fit: AllReduce gets 316 GB/s on 18 hosts" in line, line
    for domain, figure in (("1", "316"), ("18", "908")):
        status, line = gate("--hosts", "18", "--domain", domain, "--expect", "gb300-tray", tray)
        assert status == FIT and line.endswith(f"{figure} GB/s on 18 hosts, 100 % of gb300-tray"), line
    assert "does not show" not in gate("--hosts", "1", "--expect", "gb300-tray", tray)[1]
    said = json.loads(run("show", "--json", "--hosts", "18", tray)[1])["summary"]["verdict"]["sentence"]
    assert said.endswith(BOTH[1:]), "the words of the verdict"


def test_a_fault_that_costs_nothing_if_nvlink_joins_the_hosts_is_a_question(tmp_path):
    tray, slow = files(tmp_path, TRAY, slower(TRAY))
    status, line = gate("--hosts", "18", "--expect", tray, slow)
    question = (
        "does not show whether NVLink joins the hosts: fit if NVLink joins the hosts of a rack (908 of 908 GB/s on "
        "18 hosts), degraded if only the network joins the hosts (248 of 316 GB/s on 18 hosts). Which is it?"
    )
    assert status == UNJUDGED and question in line
    assert gate("--hosts", "18", "--domain", "1", "--expect", tray, slow)[0] == DEGRADED
    assert gate("--hosts", "18", "--domain", "18", "--expect", tray, slow)[0] == FIT


@pytest.mark.parametrize("dump, state", [(TRAY, "fit"), (slower(TRAY), "not comparable")])
def test_the_service_asks_the_same(server, dump, state):
    status, found = ask(server, dump, put(server, TRAY), hosts=18)
    assert (status, found["state"]) == (200, state) and "ClusterUUID" in found["confirm"], found
    assert [row["assuming"] for row in found["depends"]] == [
        "only the network joins the hosts",
        "NVLink joins the hosts of a rack",
    ]
    assert found["depends"][1]["busbw"] == pytest.approx(908, abs=1)
    status, found = ask(server, dump, put(server, TRAY), hosts=18, domain=18)
    assert (status, found["state"], found["depends"], found["confirm"]) == (200, "fit", [], None)
