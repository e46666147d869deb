# SPDX-License-Identifier: Apache-2.0
"""What real GPUs gave: archives of gather, and dumps and logs of NVIDIA's NCCL, which real.py recorded on virtual
machines with one H100 or H200 (driver 580.159, 27 November 2026). Each rank named a host of its own."""
import json
import pathlib

import pytest

from conftest import run

RECORDED = pathlib.Path(__file__).resolve().parent / "recorded"


@pytest.mark.parametrize("name", [file.stem for file in sorted(RECORDED.glob("*.tar"))])
def test_detection_gives_the_dump_of_nccl(name):
    release = name.split("-")[1]
    status, out, err = run("detect", "--release", release, RECORDED / f"{name}.tar")
    assert status == 0, err
    assert out.decode() == (RECORDED / f"{name}.xml").read_text()


@pytest.mark.parametrize("name,hosts", [("channels", 2), ("no-LL", 4), ("one-channel", 4), ("two-NICs", 3)])
def test_the_log_of_nccl_agrees(name, hosts):
    (log,) = RECORDED.glob(f"h200-*-{name}.log")
    status, out, err = run("check-log", "--json", "--topology", log.with_suffix(".xml"), "--hosts", hosts, log)
    assert status == 0, err
    told = json.loads(out)
    assert told["check"]["verdict"] == "agrees" and told["check"]["agree"] > 100
    assert not [fact for fact in told["check"]["facts"] if fact["verdict"] == "differs"]
    choices = told["triage"]["choices"]
    assert (choices["agree"], choices["differ"], choices["not_compared"]) == (50, 0, 0)
    started = [(row["channels"], row["predicted_channels"]) for row in choices["rows"]]
    assert started and all(logged == predicted for logged, predicted in started), started
    assert not [symptom for symptom in told["triage"]["symptoms"] if symptom["id"] == "gdr-off"]
