# SPDX-License-Identifier: Apache-2.0
"""Logs that agree with a machine except for one change each (tests/tools/mutate_log.py): the right cause comes first,
and no cause that a line contradicts. Whole answers are compared, so the release build gives them: 78 here; `./dev soak`
asks 500 of the sanitized one."""
import sys

import pytest

from conftest import ROOT, release_program

sys.path.insert(0, str(ROOT / "tests" / "tools"))
import mutate_log  # noqa: E402

mutate_log.PROGRAM = release_program()

COUNT, SEED = 78, 11


def test_the_right_cause_comes_first():
    wrong = []
    for number, name, machine, release, right, contradicted in mutate_log.tried(COUNT, SEED):
        assert contradicted is None, (number, name, machine, release, contradicted)
        if right is not True:
            wrong.append((number, name, machine, release, right))
    assert len(wrong) * 20 <= COUNT, wrong


@pytest.mark.parametrize(
    "said, text, found",
    [
        (
            {"id": "gdr-off", "what": 'gdr="0" on every NIC', "tested": True, "differences_left": 0},
            "via NET/IB/0/GDRDMA",
            True,
        ),
        (
            {"id": "gdr-off", "what": 'gdr="0" on every NIC', "tested": True, "differences_left": 0},
            "via NET/IB/0",
            False,
        ),
        ({"id": "acs", "what": "no P2P", "tested": True, "differences_left": 0}, "via SHM", True),
        ({"id": "acs", "what": "no P2P", "tested": True, "differences_left": 0}, mutate_log.REFUSAL, False),
        (
            {"id": "setting", "what": "NCCL_P2P_DISABLE=1", "tested": True, "differences_left": 0},
            mutate_log.REFUSAL,
            True,
        ),
        (
            {"id": "other-release", "what": "NCCL 2.28.3", "tested": True, "differences_left": 0},
            "NCCL version 2.27.7",
            True,
        ),
        ({"id": "setting", "what": "NCCL_P2P_DISABLE=1", "tested": True, "differences_left": 0}, "via P2P/CUMEM", True),
        ({"id": "setting", "what": "NCCL_ALGO=Ring", "tested": True, "differences_left": 6}, "", True),
    ],
)
def test_the_judge_sees_what_is_contradicted(said, text, found):
    assert bool(mutate_log.refuted({"check": {"causes": [said], "differ": 10}}, text)) == found


def test_a_tree_without_capabilities_is_read_with_those_of_the_dump(tmp_path):
    """240 GB/s are 12 NVLinks of an A100 or 6 of a B200. A tree does not say which; the dump does, so a PCI link that
    differs is found as the cause."""
    bench = mutate_log.Bench(tmp_path)
    machine, release = "a100-nvswitch.xml", "2.26.2"

    def narrow(root):
        next(pci for pci in root.iter("pci") if pci.find("gpu") is not None).set("link_width", "4")

    answer = bench.check(bench.lines(machine, release, 1), "--topology", bench.file(mutate_log.edited(machine, narrow)))
    assert [(cause["id"], cause["differences_left"]) for cause in answer["check"]["causes"]] == [("hardware", 0)]
