# SPDX-License-Identifier: Apache-2.0
"""Facts for other programs: each format follows the documented rules of the program that reads it."""
import json
import re

import pytest

from conftest import DUMP, ROOT
from test_command_line import run

# Kubernetes: a name of at most 63 characters after a DNS subdomain of at most 253; a value of at most 63, or empty.
NAME = re.compile(r"^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$")
DOMAIN = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")


def facts(*arguments, stdin=b""):
    status, out, err = run("facts", *arguments, stdin=stdin)
    assert (status, err) == (0, ""), err
    return out.decode()


def labels(text):
    """A feature file as Node Feature Discovery's worker reads it: at most 64 KiB, lines NAMESPACE/NAME=VALUE, comments
    after #."""
    assert len(text.encode()) <= 65536 and text.endswith("\n")
    found = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            assert not line.startswith("# +"), "a directive"
            continue
        key, equals, value = line.partition("=")
        domain, slash, name = key.partition("/")
        assert equals and slash and len(domain) <= 253 and DOMAIN.match(domain) and NAME.match(name), line
        assert not domain.endswith("kubernetes.io") and not value or NAME.match(value), line
        assert key not in found, line
        found[key] = value
    assert found
    return {key.partition("/")[2]: value for key, value in found.items()}


TYPES = [row["name"] for row in json.loads(run("machines", "--json")[1])["machines"]]


@pytest.mark.parametrize("name", sorted({*TYPES[::8], "hgx-h100", "dgx-1"}))
def test_labels_of_machine_types_are_labels_of_kubernetes(name):
    said = labels(facts("--machine", name))
    document = json.loads(run("analyze", "--machine", name)[1])
    rows = json.loads(run("predict", "--machine", name, "--hosts", "2", "--sizes", "1G", "--json")[1])["rows"]
    assert int(said["gpus"]) == document["ranks"] and said["release"] == document["nccl"] and said["assumed"] == "true"
    assert float(said["busbw-2n"]) == pytest.approx(rows[0]["busbw"], rel=0.01, abs=0.5)


def test_labels_say_what_the_machine_is():
    said = labels(facts("--machine", "hgx-h100", "--release", "2.27.7"))
    told = {
        "gpus": "8",
        "gpu": "H100-SXM5",
        "nvlink": "switched",
        "nvlinks-per-gpu": "18",
        "rails": "8",
        "nics": "8",
        "nic-gbps": "400",
        "p2p": "all",
        "gdr": "all",
        "nvls": "true",
        "compute-capability": "9.0",
        "verdict": "healthy",
    }
    assert {key: said[key] for key in told} == told
    said = labels(facts("--machine", "dgx-1"))
    assert (said["nvlink"], said["nvls"]) == ("direct", "false")


def test_labels_of_a_broken_host_and_of_one_gpu():
    text = run("convert", "--machine", "dgx-a100")[1]
    broken = re.sub(rb"\s*<nvlink [^>]*/>", b"", text)
    said = labels(facts("-", stdin=broken))
    assert (said["nvlink"], said["verdict"]) == ("none", "degraded")
    said = labels(facts(str(ROOT / "tests/data/single-gpu.xml")))
    assert said["gpus"] == "1" and "p2p" not in said and "busbw-1n" not in said


def test_what_cannot_be_written_is_refused(tmp_path):
    path = tmp_path / "machine.xml"
    path.write_bytes(DUMP)
    status, out, err = run("facts", str(path), str(path))
    assert (status, out) == (1, b"") and "describes one host; these are 2" in err
    assert run("facts", "--format", "morse", str(path))[0] == 2
    assert run("facts", "--machine", "hgx-h100", str(path))[0] == 2
    assert run("facts", "-", stdin=b"nothing")[0] == 1
    status, out, err = run("facts", "--output", str(tmp_path / "orrery"), str(path))
    assert (status, out) == (0, b"") and labels((tmp_path / "orrery").read_text())["gpus"] == "2"
