# SPDX-License-Identifier: Apache-2.0
"""Inputs of every kind over HTTP and on the command line: what is recognised, assumed or missing; and copies of
inputs."""
import json
import re
import sys

import pytest

from conftest import DUMP, ROOT
from test_command_line import run

sys.path.insert(0, str(ROOT / "tests" / "tools"))
import other_forms  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "detect"))
import fake_machine  # noqa: E402

H100 = (ROOT / "static" / "examples" / "h100-nvswitch.xml").read_text()
MATRIX = other_forms.matrix(other_forms.Machine(H100)).encode()
HWLOC = other_forms.hwloc(other_forms.Machine(H100)).encode()


class Answer:
    """One answer of the service."""

    def __init__(self, server, *arguments, **named):
        response, self.body = server.ask(*arguments, **named)
        self.status, self.headers = response.status, {name.lower(): value for name, value in response.getheaders()}

    def json(self):
        return json.loads(self.body)


PLACES = b"""<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
  <pci busid="0000:10:00.0" class="0x030200" link_speed="" link_width=""/>
  <pci busid="0000:20:00.0" class="0x030200" link_speed="" link_width=""/>
</cpu></system>"""


@pytest.mark.parametrize(
    "body, kind",
    [(MATRIX, "nvidia-smi-topo"), (HWLOC, "hwloc"), (DUMP, "nccl-topology"), (DUMP + DUMP, "nccl-topology")],
)
def test_every_kind_is_kept_and_analysed(server, body, kind):
    kept = Answer(server, "POST", "/v1/topologies", body).json()
    assert kept["input"]["kind"] == kind and kept["machine"]["gpus"] in (2, 8)
    base = f"/v1/topologies/{kept['id']}"
    source = Answer(server, "GET", base + "/source")
    assert source.body == body
    assert source.headers["content-type"].startswith("text/plain" if kind == "nvidia-smi-topo" else "application/xml")
    document = Answer(server, "GET", base + "/analysis").json()
    assert document["input"] == kept["input"]
    told = [row["id"] for row in document["assumptions"]]
    assert [f"input-{i + 1}" in told for i in range(len(kept["input"]["assumed"]))] == [True] * len(
        kept["input"]["assumed"]
    )
    assert set(document["explanations"]["rests_on"]) == set(told)
    assert ("input-assumed" in [row["id"] for row in document["findings"]]) == bool(kept["input"]["assumed"])
    xml = Answer(server, "GET", base + "/xml").body
    again = Answer(server, "POST", "/v1/analyze", xml).json()
    for section in ("paths", "p2p", "gdr", "graphs", "channels", "tuning"):
        assert again[section] == document[section], section


LOG = (ROOT / "tests" / "data" / "logs" / "workstation-2.27.7-1h.log").read_bytes()


@pytest.fixture(scope="module")
def tar(tmp_path_factory):
    """The tar that `orrery gather` makes of a made-up machine."""
    machine = fake_machine.MACHINES["tree-b"](str(tmp_path_factory.mktemp("tar") / "m"))
    status, out, err = run("gather", "--root", str(machine.root), "-")
    assert status == 0, err
    return out


def test_a_log_with_its_tree_opens_as_the_machine_that_it_prints(server):
    kept = Answer(server, "POST", "/v1/topologies", LOG).json()
    assert kept["input"]["kind"] == "nccl-log" and kept["machine"]["gpus"] == 2
    assert any("compute capability" in row["what"] for row in kept["input"]["assumed"])
    assert any("NCCL_TOPO_DUMP_FILE" in row["command"] for row in kept["input"]["missing"])
    base = f"/v1/topologies/{kept['id']}"
    source = Answer(server, "GET", base + "/source")
    assert (source.body, source.headers["content-type"][:10]) == (LOG, "text/plain")
    checked = Answer(server, "POST", base + "/log", LOG).json()["check"]
    assert checked["verdict"] == "agrees"
    assert Answer(server, "GET", base + "/xml").body == run("convert", "-", stdin=LOG)[1]
    for torn in (
        LOG[: LOG.index(b"INFO ======")],
        re.sub(rb"[^\n]*=== System[^\n]*\n", b"", LOG),
        b"n:1:2 [0] NCCL INFO hello\n",
    ):
        refused = Answer(server, "POST", "/v1/topologies", torn)
        assert (
            refused.status == 415
            and "debug log" in refused.json()["detail"]
            and "check-log --topology" in refused.json()["advice"]
        )


def test_an_anonymous_log_is_checked_alike():
    for path in sorted((ROOT / "tests" / "data" / "logs").glob("*.log")):
        topology = (
            ROOT
            / "static"
            / "examples"
            / ("v100-cube-mesh.xml" if path.name.startswith("cube") else "workstation-2gpu.xml")
        )
        hidden = run("anonymise", str(path))[1]
        first, second = (
            json.loads(run("check-log", "--json", "--topology", str(topology), "-", stdin=text)[1])
            for text in (path.read_bytes(), hidden)
        )
        assert hidden != path.read_bytes() and first["check"] == second["check"], path.name
        assert first["log"]["kinds"] == second["log"]["kinds"]


def test_a_tar_of_gather_opens_as_what_detection_makes_of_it(server, tar):
    kept = Answer(server, "POST", "/v1/topologies", tar).json()
    assert kept["input"]["kind"] == "gathered" and kept["input"]["missing"]
    base = f"/v1/topologies/{kept['id']}"
    source = Answer(server, "GET", base + "/source")
    assert (source.body, source.headers["content-type"]) == (tar, "application/gzip")
    detected, xml = run("detect", "-", stdin=tar)[1], Answer(server, "GET", base + "/xml").body
    assert re.findall(rb"busid=.[0-9a-f:.]+", detected) == re.findall(rb"busid=.[0-9a-f:.]+", xml)
    hidden = Answer(server, "GET", base + "/anonymised").body
    assert hidden.startswith(b"<system") and hidden.count(b"<pci") == xml.count(b"<pci")
    for cut in range(0, len(tar), 97):
        assert Answer(server, "POST", "/v1/topologies", tar[:cut]).status in (400, 415, 422)


RELEASES = ("2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.30.7")


def test_a_tar_is_read_by_the_rules_of_the_release_that_is_asked_for(server, tar):
    """A tar is analysed as a job would run, with NICs fused; a dump of the same machine only if that is asked
    for."""
    kept = Answer(server, "POST", "/v1/topologies", tar).json()
    base, tags = f"/v1/topologies/{kept['id']}", set()
    for release in RELEASES:
        status, xml, err = run("convert", "--release", release, "-", stdin=tar)
        assert status == 0, err
        detected = run("detect", "--release", release, "-", stdin=tar)[1]
        assert re.findall(rb' (?:host_hash|latency|gin|device)="[^"]*"', xml) == re.findall(
            rb' (?:host_hash|latency|gin|device)="[^"]*"', detected
        )
        assert Answer(server, "GET", f"{base}/xml?release={release}").body == xml
        assert Answer(server, "POST", f"/v1/convert?release={release}", tar).body == xml
        answer = Answer(server, "GET", f"{base}/analysis?release={release}")
        document, of_xml = (
            answer.json(),
            Answer(server, "POST", f"/v1/analyze?release={release}&fuse_nics=always", detected).json(),
        )
        assert document["input"]["release"] == release and of_xml["input"]["release"] is None
        assert release in document["input"]["recognised"]
        for section in ("system", "paths", "p2p", "gdr", "graphs", "channels", "tuning"):
            assert document[section] == of_xml[section], (release, section)
        assert json.loads(run("analyze", "--release", release, "-", stdin=tar)[1])["system"] == document["system"]
        again = Answer(
            server, "GET", f"{base}/analysis?release={release}", headers={"If-None-Match": answer.headers["etag"]}
        )
        assert again.status == 304
        tags.add(answer.headers["etag"])
        assert Answer(server, "GET", f"{base}/findings?release={release}").status == 200
    assert len(tags) == len(RELEASES)
    assert Answer(server, "GET", base + "/source").body == tar, "what is kept is what came"
    assert (
        Answer(server, "GET", base + "/analysis").json()["input"]["release"]
        == Answer(server, "GET", "/v1/releases").json()["default"]
    )


def test_a_comparison_of_releases_is_about_one_dump_of_a_tar(server, tar):
    """Both sides have the first side's dump, or detection's differences would have no reason among the rules."""
    base = f"/v1/topologies/{Answer(server, 'POST', '/v1/topologies', tar).json()['id']}"
    xml = Answer(server, "GET", base + "/xml?release=2.30.7").body
    plain = f"/v1/topologies/{Answer(server, 'POST', '/v1/topologies', xml).json()['id']}"
    ours, theirs = (
        Answer(server, "GET", where + "/analysis/diff?release=2.30.7&against=2.12.12&fuse_nics=always").json()
        for where in (base, plain)
    )
    for side in (ours, theirs):
        side.pop("topology", None)
    assert ours == theirs
    clusters = [
        Answer(
            server,
            "POST",
            "/v1/clusters",
            json.dumps({"hosts": [{"topology": where.rsplit("/", 1)[1], "count": 2}]}).encode(),
        ).json()["id"]
        for where in (base, plain)
    ]
    ours, theirs = (
        Answer(
            server, "GET", f"/v1/clusters/{ident}/analysis/diff?release=2.30.7&against=2.12.12&fuse_nics=always"
        ).json()
        for ident in clusters
    )
    for side in (ours, theirs):
        side.pop("topology", None)
    assert ours == theirs
    # the other release's own result for the tar differs from what that comparison left in the cache
    alone = Answer(server, "GET", base + "/analysis?release=2.12.12").json()
    mixed = Answer(server, "POST", "/v1/analyze?release=2.12.12", xml).json()
    assert (
        alone["input"]["release"] == "2.12.12" and alone["system"] != mixed["system"]
    ), "the two releases detect otherwise"


def test_a_tar_in_a_cluster_and_beside_a_log_is_read_by_their_release(server, tar):
    kept = Answer(server, "POST", "/v1/topologies", tar).json()["id"]
    body = json.dumps({"hosts": [{"topology": kept, "count": 2}]}).encode()
    cluster = Answer(server, "POST", "/v1/clusters", body).json()["id"]
    documents = [
        Answer(server, "GET", f"/v1/clusters/{cluster}/analysis?release={release}").json()
        for release in ("2.12.12", "2.30.7")
    ]
    for release, document in zip(("2.12.12", "2.30.7"), documents):
        xml = Answer(server, "GET", f"/v1/topologies/{kept}/xml?release={release}").body
        alike = Answer(server, "POST", f"/v1/analyze?release={release}&hosts=2&fuse_nics=always", xml).json()
        assert document["system"] == alike["system"] and document["graphs"] == alike["graphs"]
    checked = Answer(server, "POST", f"/v1/topologies/{kept}/log", LOG)
    assert checked.status == 200 and checked.json()["check"]["release"]["predicted"] == "2.27.7"


def test_the_answer_says_that_a_graph_file_is_in_use(server):
    host = (ROOT / "static" / "examples" / "workstation-2gpu.xml").read_bytes()
    graphs = (ROOT / "tests" / "data" / "logs" / "workstation-2.27.7.graph.xml").read_bytes()
    with_graphs, without = (Answer(server, "POST", "/v1/topologies", body).json() for body in (host + graphs, host))
    assert with_graphs["input"]["graph_file"] == graphs.count(b"<graph ") and "graph_file" not in without["input"]
    document = Answer(server, "GET", f"/v1/topologies/{with_graphs['id']}/analysis").json()
    assert document["input"]["graph_file"] == with_graphs["input"]["graph_file"]


def test_a_machine_type_is_part_of_the_question(server):
    kept = Answer(server, "POST", "/v1/topologies", PLACES).json()
    base = f"/v1/topologies/{kept['id']}"
    refused = Answer(server, "GET", base + "/analysis")
    assert refused.status == 422 and "assume" in refused.json()["advice"]
    for kind, sm in (("p4d", 80), ("Standard_ND96isr_H100_v5", 90), ("p4d.24xlarge", 80)):
        document = Answer(server, "GET", f"{base}/analysis?assume={kind}").json()
        assert document["summary"]["machine"]["capabilities"] == [sm]
        assert document["input"]["machine_type"]
    assert Answer(server, "GET", f"{base}/analysis").status == 422, "answers with and without are kept apart"
    unknown = Answer(server, "GET", f"{base}/analysis?assume=p4e")
    assert unknown.status == 400 and "p4d" in unknown.json()["advice"]
    assert Answer(server, "GET", f"{base}/diagram.svg?assume=p4d").status == 200
    assert Answer(server, "GET", f"{base}/findings?assume=p4d").status == 200
    names = [row["name"] for row in Answer(server, "GET", "/v1/machines").json()["machines"]]
    assert {"dgx-1", "dgx-2", "dgx-a100", "hgx-h100", "hgx-b200", "gb300-tray", "p5.48xlarge", "a3-highgpu-8g"} <= set(
        names
    )
    assert "nvidia-smi-topo" in [row["kind"] for row in Answer(server, "GET", "/v1/inputs").json()["inputs"]]


def test_findings_can_be_taken_as_repaired(server):
    dump = (ROOT / "static/examples/h100-with-faults.xml").read_bytes()
    base = f"/v1/topologies/{Answer(server, 'POST', '/v1/topologies', dump).json()['id']}"

    def verdict(query):
        return Answer(server, "GET", f"{base}/analysis?hosts=2{query}").json()["summary"]["verdict"]

    def bus_bandwidth(query):
        rows = Answer(server, "GET", f"{base}/predict?hosts=2&sizes=1G{query}").json()["rows"]
        return round(rows[0]["busbw"])

    cost = verdict("")["cost"]
    one, both = "&repair=slow-link", "&repair=slow-link&repair=gdr-off"
    # the repaired machine gets what the diagnosis promised
    findings = Answer(server, "GET", f"{base}/analysis/findings?hosts=2").json()
    repaired = {row["id"]: row["cost"]["repaired"] for row in findings if row["cost"]}
    assert verdict(one)["cost"]["now"] == pytest.approx(repaired["slow-link"])
    assert verdict(one)["cost"]["repaired"] == pytest.approx(cost["repaired"])
    assert verdict(both)["state"] == "healthy"
    assert [bus_bandwidth(query) for query in ("", one, both)] == [
        round(value) for value in (cost["now"], repaired["slow-link"], cost["repaired"])
    ]
    drawings = {Answer(server, "GET", f"{base}/diagram.svg?hosts=2{query}").body for query in ("", one)}
    assert len(drawings) == 2
    for wrong, why in (("nvlink-zero", "changes nothing here"), ("no-such", "no repair of the finding")):
        answer = Answer(server, "GET", f"{base}/analysis?repair={wrong}")
        assert answer.status == 400 and why in answer.json()["detail"], wrong


def test_a_file_for_a_virtual_machine(server):
    kept = Answer(server, "POST", "/v1/topologies", DUMP).json()
    answer = Answer(server, "GET", f"/v1/topologies/{kept['id']}/vm-file?gpus=0000:00:05.0,0000:00:06.0")
    assert answer.status == 200 and b"<gpu" not in answer.body and b'busid="0000:00:06.0"' in answer.body
    assert Answer(server, "POST", "/v1/vm-file?gpus=0000:00:05.0", DUMP).status == 400
    status, out, err = run("vm-file", "--gpus", "0000:00:05.0,0000:00:06.0", "-", stdin=DUMP)
    assert (status, out, err) == (0, answer.body, "")
    assert run("vm-file", "--gpus", "x", "-", stdin=DUMP)[0] == 2
    # filled in again it is the machine that it was made of
    bare = run("vm-file", stdin=H100.encode())[1]
    real, virtual = (
        json.loads(run("analyze", *more, "--hosts", "2", stdin=body)[1])
        for body, more in ((H100.encode(), ()), (bare, ("--assume", "hgx-h100")))
    )
    for section in ("p2p", "gdr", "graphs", "channels", "tuning"):
        assert virtual[section] == real[section], section


def test_an_anonymous_copy_analyses_the_same(server):
    secret = DUMP.replace(b'host_hash="0x1"', b'host_hash="0xfeedc0ffee123"').replace(
        b'guid="0x1"', b'guid="0xa088c20300e0f1d2"'
    )
    for body in (secret, HWLOC, MATRIX):
        kept = Answer(server, "POST", "/v1/topologies", body).json()
        copy = Answer(server, "GET", f"/v1/topologies/{kept['id']}/anonymised")
        assert copy.headers["content-type"].startswith("text/plain")
        assert b"feedc0ffee" not in copy.body and b"a088c20300" not in copy.body
        both = Answer(
            server, "GET", f"/v1/topologies/{kept['id']}/anonymised", headers={"Accept": "application/json"}
        ).json()
        assert both["text"].encode() == copy.body
        before, after = (Answer(server, "POST", "/v1/analyze?hosts=2", text).json() for text in (body, copy.body))
        for section in ("system_before_trim", "paths", "p2p", "gdr", "net_devs", "graphs", "channels", "tuning"):
            assert before[section] == after[section], section
        assert run("anonymise", stdin=body)[:2] == (0, copy.body)
    assert (
        Answer(server, "POST", "/v1/anonymise", b"node17:1:2 [0] NCCL INFO node17").body
        == b"host-1:1:2 [0] NCCL INFO host-1"
    )


def test_convert_says_what_it_took_for_granted():
    status, out, err = run("convert", stdin=MATRIX)
    assert status == 0 and out.startswith(b'<system version="1">')
    assert (
        "nvidia-smi topo -m: 8 GPUs and 8 NICs" in err
        and "  assumed: a matrix has no bandwidths" in err
        and "  missing: " in err
    )
    assert run("convert", "--assume", "nonsense", stdin=MATRIX)[0] == 2
    status, out, err = run("convert", stdin=b'<graphs version="1"/>')
    assert (status, out) == (1, b"") and "graph XML" in err
    assert b"p5.48xlarge" in run("machines")[1] and json.loads(run("machines", "--json")[1])["machines"]


def test_a_log_is_analysed_with_the_release_that_it_names(server):
    log = ROOT / "tests/data/logs/workstation-2.21.5-1h.log"
    status, out, err = run("analyze", "--section", "nccl", str(log))
    assert (status, json.loads(out)) == (0, "2.21.5") and "using the rules of NCCL 2.21.5" in err
    status, out, err = run("analyze", "--release", "2.28.9", "--section", "nccl", str(log))
    assert (status, json.loads(out)) == (0, "2.28.9") and "the rules of NCCL" not in err
    status, body = server.json("POST", "/v1/analyze?release=2.28.9", log.read_bytes())
    assert status == 200 and body["input"]["logged_release"] == "2.21.5" and body["nccl"] == "2.28.9"


def test_a_machine_type_is_kept_like_a_file(server):
    kept = Answer(server, "POST", "/v1/topologies?name=wanted", b"machine type: HGX-h100\r\n").json()
    assert (kept["input"]["kind"], kept["input"]["machine_type"], kept["machine"]["gpus"]) == (
        "machine-type",
        "hgx-h100",
        8,
    )
    assert (
        any("made up" in row["what"] for row in kept["input"]["assumed"])
        and "NCCL_TOPO_DUMP_FILE" in kept["input"]["missing"][0]["command"]
    )
    own = Answer(server, "GET", f"/v1/topologies/{kept['id']}/analysis?hosts=2").json()
    assert own["channels"] == Answer(server, "POST", "/v1/analyze?machine=hgx-h100&hosts=2", b"").json()["channels"]
    status, out, err = run("analyze", "--hosts", "2", "--section", "channels", stdin=b"machine type: hgx-h100")
    assert status == 0 and json.loads(out) == own["channels"], err
    refused = Answer(server, "POST", "/v1/topologies", b"machine type: hgx-h10")
    assert refused.status in (400, 422) and "hgx-h100" in refused.json()["advice"]


def test_nics_that_the_input_does_not_describe_have_what_is_asked_for_them(server):
    kept = Answer(server, "POST", "/v1/topologies", body=MATRIX).json()
    base = f"/v1/topologies/{kept['id']}"
    assert kept["input"]["assumed_nics"] == 8
    said = {}
    for word in ("default", "400", "400-no-gdr"):
        document = Answer(server, "GET", f"{base}/analysis?hosts=2&assume_nics={word}").json()
        said[word] = [row["what"] for row in document["input"]["assumed"] if "NIC port" in row["what"]]
        assert {net["bw"] for net in document["system"]["nodes"] if net["type"] == "NET"} == {50}
    assert said == {
        "default": ["8 NIC ports have 400 Gb/s, with GPUDirect RDMA"],
        "400": ["8 NIC ports have 400 Gb/s, with GPUDirect RDMA"],
        "400-no-gdr": ["8 NIC ports have 400 Gb/s, without GPUDirect RDMA"],
    }
    status, out, _ = run("analyze", "--assume-nics", "400", "--hosts", "2", "--json", stdin=MATRIX)
    assert (
        status == 0
        and json.loads(out)["paths"]
        == Answer(server, "GET", f"{base}/analysis?hosts=2&assume_nics=400").json()["paths"]
    )
    assert Answer(server, "GET", f"{base}/analysis?assume_nics=7").status == 400
    measured = Answer(server, "POST", "/v1/topologies", body=H100.encode()).json()
    document = Answer(server, "GET", f"/v1/topologies/{measured['id']}/analysis?hosts=2&assume_nics=25").json()
    assert "assumed_nics" not in document["input"] and {
        net["bw"] for net in document["system"]["nodes"] if net["type"] == "NET"
    } == {50}


def drawn(server, body, **query):
    """Title and classes of each device of the drawing, by its id."""
    kept = Answer(server, "POST", "/v1/topologies", body).json()
    asked = "&".join(f"{name}={value}" for name, value in {"format": "dot", "hosts": 2, **query}.items())
    dot = Answer(server, "GET", f"/v1/topologies/{kept['id']}/diagram?{asked}").body.decode()
    return {
        row[0]: {"classes": row[1].split(), "title": row[2], "label": row[3], "dashed": "dashed" in row[4]}
        for row in re.findall(
            r'^"([A-Z]+/[^"]*)" \[id="[^"]*",class="([^"]*)",tooltip="([^"]*)",label="([^"]*)",(.*)$', dot, re.M
        )
    }


def test_a_drawing_shows_what_is_assumed_without_bus_ids_of_its_own(server):
    """A matrix has no bus ids, switches, CPUs or speeds: those are dashed, and no id is invented."""
    devices = drawn(server, MATRIX)
    assert {kind for kind in {name.split("/")[0] for name in devices} if kind != "NVS"} >= {"GPU", "PCI", "CPU", "NET"}
    for name, device in devices.items():
        assumed = name.split("/")[0] in ("PCI", "CPU", "NET")
        assert device["dashed"] == assumed == ("assumed" in device["classes"]) == ("assumed" in device["title"]), device
        assert not re.search(r"\b[0-9a-f]{2}:[0-9a-f]{2}\.0", device["label"] + device["title"]), device


def test_a_bus_id_that_the_input_gives_stays_on_the_drawing(server):
    named = MATRIX + b"\n0, NVIDIA H100, 00000000:07:00.0\n"
    titles = {name: device["title"] for name, device in drawn(server, named).items() if name.startswith("GPU/")}
    assert [name for name, title in titles.items() if "bus id" in title] == ["GPU/0-7000"]
    assert "bus id 0000:07:00.0" in titles["GPU/0-7000"]


def test_a_drawing_of_a_dump_has_its_bus_ids_and_nothing_dashed(server):
    devices = drawn(server, H100.encode())
    assert not any(device["dashed"] or "assumed" in device["classes"] for device in devices.values())
    assert "bus id 0000:19:00.0" in devices["GPU/0-19000"]["title"]


def test_a_machine_type_has_known_devices_and_no_bus_ids(server):
    """Its NICs and CPUs are those of the type, but their bus ids are not known."""
    dot = Answer(server, "POST", "/v1/render?machine=hgx-h100&format=dot&hosts=2", b"").body.decode()
    assert "GPU 0" in dot and "dashed" not in dot
    assert not re.search(r"(label|tooltip)=\"[^\"]*\b[0-9a-f]{2}:[0-9a-f]{2}\.0", dot)


def test_json_says_which_bus_ids_are_made_up(server):
    def made_up(query, body):
        answer = Answer(server, "POST", f"/v1/analyze?hosts=2{query}", body).json()
        nodes = answer["system"]["nodes"]
        assert all(node.get("id_assumed") in (None, True) for node in nodes)
        by_bus_id = {node["id"] for node in nodes if node["type"] in ("GPU", "PCI", "NIC", "DEV")}
        return {node["id"] for node in nodes if "id_assumed" in node}, by_bus_id

    ids, all_ids = made_up("", MATRIX + b"\n0, NVIDIA H100, 00000000:07:00.0\n")
    assert len(ids) > 8 and all_ids - ids == {"GPU/0-7000", "DEV/0-7000"}
    ids, all_ids = made_up("&machine=hgx-h100", b"")
    assert len(ids) > 8 and ids == all_ids
    assert made_up("", H100.encode())[0] == set()
