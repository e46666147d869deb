# SPDX-License-Identifier: Apache-2.0
"""Logs compared with the prediction, on the command line and over HTTP: logs made by tests/tools/make_log.py, also with
launchers' prefixes, wrapped lines and torn lines."""
import json
import re
import sys

import pytest

from conftest import DUMP, ROOT, release_program
from test_command_line import run

sys.path.insert(0, str(ROOT / "tests" / "tools"))
import make_log  # noqa: E402

EXAMPLES = ROOT / "static" / "examples"
RELEASES = ["2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.28.9", "2.30.7"]


def lines_of(machine, release="2.27.7", hosts=1, settings=()):
    asked = [part for setting in settings for part in ("--set", setting)]
    question = ["--release", release, "--hosts", str(hosts), *asked, str(EXAMPLES / machine)]
    status, out, err = run("analyze", *question, program=release_program())
    assert status == 0, err
    return make_log.Maker(json.loads(out), dict(s.split("=") for s in settings)).make()


def check(tmp_path, lines, *arguments):
    path = tmp_path / "job.log"
    path.write_text("\n".join(lines) + "\n")
    status, out, err = run("check-log", "--json", *arguments, str(path))
    assert status == 0, err
    return json.loads(out)


@pytest.mark.parametrize("hosts", [1, 2])
@pytest.mark.parametrize("release", RELEASES)
def test_a_log_of_every_release_agrees_with_its_prediction(tmp_path, release, hosts):
    lines = make_log.interleave(lines_of("h100-nvswitch.xml", release, hosts))
    answer = check(tmp_path, lines, "--topology", str(EXAMPLES / "h100-nvswitch.xml"))
    log, checked = answer["log"], answer["check"]
    assert log["releases"] == [f"{release}+cuda12.4"] and len(log["hosts"]) == hosts
    assert [(c["ranks"], c["ranks_seen"]) for c in log["communicators"]] == [(8 * hosts, 8 * hosts)]
    assert (checked["verdict"], checked["differ"], checked["hosts"]) == ("agrees", 0, hosts)
    told = {t["topic"] for t in checked["topics"] if t["agree"]}
    assert {"system", "links", "paths", "graphs", "orders", "rings", "counts", "p2p"} <= told
    assert checked["agree"] > 200 and checked["first_difference"] is None and checked["causes"] == []


TRAY = EXAMPLES / "grace-blackwell-tray.xml"


def lines_of_trays(tmp_path, release, trays=4, cliques=1, order="block", settings=()):
    """The log of a job on trays of an NVLink domain, which neither the dump nor --hosts mentions."""
    lines = [{"topology": str(TRAY), "count": trays // cliques, "domain": f"clique {c}"} for c in range(cliques)]
    (tmp_path / "trays.json").write_text(json.dumps({"hosts": lines, "ranks": order}))
    asked = [part for setting in settings for part in ("--set", setting)]
    status, out, err = run("analyze", "--release", release, *asked, "--cluster", str(tmp_path / "trays.json"))
    assert status == 0, err
    return make_log.Maker(json.loads(out), trays=trays).make()


def with_fabric(lines, host, old, new):
    return [line.replace(old, new) if line.startswith(f"{host}:") and "fabric UUID" in line else line for line in lines]


@pytest.mark.parametrize("release", ["2.24.3", "2.27.7", "2.28.9", "2.30.7"])
@pytest.mark.parametrize("cliques, order", [(1, "block"), (2, "block"), (1, "cyclic")])
def test_trays_are_joined_as_their_fabrics_say(tmp_path, release, cliques, order):
    lines = lines_of_trays(tmp_path, release, cliques=cliques, order=order)
    checked = check(tmp_path, lines, "--topology", str(TRAY))["check"]
    assert (checked["verdict"], checked["differ"], checked["hosts"], checked["ranks"]) == ("agrees", 0, 4, 16)
    said = "All 4 hosts are in one NVLink clique" if cliques == 1 else "The 4 hosts are in 2 NVLink cliques"
    assert f"{said}, as the log says" in checked["assumed"]
    device = next(t for t in checked["topics"] if t["topic"] == "device")
    assert (device["agree"], device["differ"]) == (1, 0)  # the size of the clique
    # The health mask is printed and changes nothing; a line of one rank is enough where the clique has all ranks.
    ill = check(tmp_path, with_fabric(lines, "node4", "healthMask 0xaa", "healthMask 0x2"), "--topology", str(TRAY))
    assert ill["check"]["differ"] == 0
    first = [line for line in lines if re.match(r"NCCL version|node1:1000:", line)]
    alone = check(tmp_path, first, "--topology", str(TRAY))["check"]
    assert (alone["differ"] == 0) == (cliques == 1 and order == "block"), alone["first_difference"]


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("cliqueId 0x7ffe", "cliqueId 0x7fff", "The 4 hosts are in 2 NVLink cliques"),
        ("UUID 8f4c000000000000.1", "UUID 8f4c000000000000.2", "The 4 hosts are in 2 NVLink cliques"),
        ("state 3", "state 2", "The NVLink fabric of a host is not completed (in-progress)"),
    ],
)
def test_a_tray_that_is_elsewhere_changes_the_prediction(tmp_path, old, new, said):
    lines = with_fabric(lines_of_trays(tmp_path, "2.27.7"), "node4", old, new)
    checked = check(tmp_path, lines, "--topology", str(TRAY))["check"]
    assert checked["differ"] > 100 and checked["hosts"] == 4
    assert any(sentence.startswith(said) for sentence in checked["assumed"])
    clique = next(f for f in checked["facts"] if f["what"] == "ranks of the NVLink clique")
    assert (clique["verdict"], clique["logged"]) == ("differs", "16")


def test_causes_are_sought_in_the_same_cliques(tmp_path):
    lines = lines_of_trays(tmp_path, "2.27.7", trays=2, settings=["NCCL_MAX_NCHANNELS=4"])
    checked = check(tmp_path, lines, "--topology", str(TRAY))["check"]
    best = checked["causes"][0]
    assert checked["differ"] > 0 and "NCHANNELS" in best["what"] and best["differences_left"] == 0, checked["causes"]


def test_trays_whose_fabric_is_not_known_share_no_domain(tmp_path):
    lines = lines_of_trays(tmp_path, "2.27.7", cliques=2)
    some = [line for line in lines if "fabric UUID" not in line or line.startswith("node1:")]
    checked = check(tmp_path, some, "--topology", str(TRAY))["check"]
    assert any(sentence.endswith("not all of them print their fabric") for sentence in checked["assumed"])
    # Without any line the size of the clique still says that all trays are in it.
    whole = [line for line in lines_of_trays(tmp_path, "2.27.7") if "fabric UUID" not in line]
    checked = check(tmp_path, whole, "--topology", str(TRAY))["check"]
    assert (checked["differ"], checked["verdict"]) == (0, "agrees")


@pytest.mark.parametrize("release", RELEASES)
def test_the_tree_of_a_log_serves_as_the_dump(tmp_path, release):
    lines = lines_of("v100-cube-mesh.xml", release, 2)
    answer = check(tmp_path, lines)
    assert answer["check"]["verdict"] == "agrees" and answer["check"]["agree"] > 100
    (tmp_path / "job.log").write_text("\n".join(lines))
    status, xml, err = run("check-log", "--extract", str(tmp_path / "job.log"))
    assert status == 0 and xml.startswith(b"<system"), err
    status, out, err = run("analyze", "--release", release, "--section", "ranks", stdin=xml)
    assert (status, json.loads(out)) == (0, 8), err


@pytest.mark.parametrize("kind", ["mpirun", "ray", "slurm", "time", "kubernetes"])
def test_launchers_prefixes_change_nothing(tmp_path, kind):
    lines = make_log.interleave(lines_of("a100-nvswitch.xml", hosts=2))
    plain = check(tmp_path, lines, "--topology", str(EXAMPLES / "a100-nvswitch.xml"))
    decorated = check(tmp_path, make_log.decorate(lines, kind), "--topology", str(EXAMPLES / "a100-nvswitch.xml"))
    assert decorated["log"]["kinds"] == plain["log"]["kinds"]
    assert decorated["log"]["hosts"] == plain["log"]["hosts"]
    assert decorated["check"]["agree"] == plain["check"]["agree"] > 0 and decorated["check"]["differ"] == 0


@pytest.mark.parametrize("width", [90, 132])
def test_lines_that_a_terminal_wrapped_are_put_together(tmp_path, width):
    lines = lines_of("a100-nvswitch.xml")
    plain = check(tmp_path, lines, "--topology", str(EXAMPLES / "a100-nvswitch.xml"))
    wrapped = check(tmp_path, make_log.wrap(lines, width), "--topology", str(EXAMPLES / "a100-nvswitch.xml"))
    assert wrapped["log"]["rejoined"] > 10
    assert wrapped["check"]["differ"] == 0
    for topic in ("rings", "links", "graphs", "counts"):
        agree = {t["topic"]: t["agree"] for t in wrapped["check"]["topics"]}
        assert agree[topic] == {t["topic"]: t["agree"] for t in plain["check"]["topics"]}[topic]


def test_writers_that_ran_into_one_another_are_told_apart(tmp_path):
    lines = lines_of("workstation-2gpu.xml")
    whole = [line for line in lines if "Pattern" not in line]
    torn = [line for line in lines if "Pattern" in line]
    joined = ["".join(torn[i : i + 2]) for i in range(0, len(torn), 2)]
    answer = check(tmp_path, whole + joined, "--topology", str(EXAMPLES / "workstation-2gpu.xml"))
    assert answer["log"]["run_together"] == len(joined)
    assert answer["log"]["kinds"]["pattern"] == len(torn) and answer["check"]["differ"] == 0


def test_several_jobs_in_one_file_are_told_apart(tmp_path):
    small, large = lines_of("workstation-2gpu.xml"), lines_of("h100-nvswitch.xml")
    other = [line.replace("0xabc1", "0xdef2").replace("node1:1", "node9:7") for line in small]
    answer = check(tmp_path, large + other, "--topology", str(EXAMPLES / "h100-nvswitch.xml"))
    assert [c["ranks"] for c in answer["log"]["communicators"]] == [8, 2]
    assert (answer["check"]["communicator"], answer["check"]["differ"]) == (0, 0)
    rows = answer["communicators_compared"]["rows"]
    assert (
        rows[0]["differ"] == 0
        and rows[1]["differ"] > 0
        and rows[1]["cause"] == "none of the log's 2 GPUs is in the dump"
    )
    answer = check(tmp_path, large + other, "--topology", str(EXAMPLES / "workstation-2gpu.xml"), "--communicator", "1")
    assert (answer["check"]["communicator"], answer["check"]["differ"]) == (1, 0)


def made_again(lines, number):
    """The lines of a job as those of another communicator that its ranks made in other threads."""
    again = [line.replace("0xabc1", f"0xabc{number}") for line in lines if not line.startswith("NCCL version")]
    return [re.sub(r"^(\w+:\d+:)(\d+)", lambda m: f"{m[1]}{int(m[2]) + 1000 * number}", line) for line in again]


def test_every_communicator_is_compared_under_its_own_settings(tmp_path):
    machine = "h100-nvswitch.xml"
    few, more, plain = (
        lines_of(machine, settings=["NCCL_MAX_NCHANNELS=4"]),
        lines_of(machine, settings=["NCCL_MAX_NCHANNELS=8"]),
        lines_of(machine),
    )
    lines = few + made_again(more, 2) + made_again(few, 3) + made_again(few, 4)
    answer = check(tmp_path, lines, "--topology", str(EXAMPLES / machine))
    survey = answer["communicators_compared"]
    assert (survey["compared"], survey["differing"], survey["differ"]) == (4, 0, 0)
    assert survey["agree"] == sum(row["agree"] for row in survey["rows"]) > 4 * 200
    assert [row.get("same_as") for row in survey["rows"]] == [None, None, 0, 0]
    for number, value in ((0, "4"), (1, "8")):
        one = check(tmp_path, lines, "--topology", str(EXAMPLES / machine), "--communicator", str(number))
        assert one["check"]["settings"] == {"NCCL_MAX_NCHANNELS": value} and [
            r["communicator"] for r in one["communicators_compared"]["rows"]
        ] == [number]
    assert any("in communicator 1 agree" in sentence for sentence in one["triage"]["sentences"])
    status, _, err = run("check-log", "--communicator", "4", str(tmp_path / "job.log"))
    assert status == 2 and "communicator 4 is not in the log, which has 4" in err
    # One of them ran with a setting that its lines do not name.
    hidden = [line for line in made_again(more, 2) if "set by environment" not in line]
    answer = check(tmp_path, plain + hidden + made_again(plain, 3), "--topology", str(EXAMPLES / machine))
    survey, row = answer["communicators_compared"], answer["communicators_compared"]["rows"][1]
    assert (
        answer["check"]["differ"] == 0
        and (survey["differing"], survey["differ"]) == (1, row["differ"])
        and row["differ"] > 0
    )
    assert (
        row["cause"].startswith("NCCL_MAX_NCHANNELS=")
        and row["differences_left"] == 0
        and row["first_difference"]["line"] > len(plain)
    )
    assert any("in 3 communicators differ" in sentence for sentence in answer["triage"]["sentences"])
    status, out, err = run("check-log", "--topology", str(EXAMPLES / machine), str(tmp_path / "job.log"))
    assert (
        status == 0
        and f"communicator 1, 8 ranks: {row['differ']} of {row['agree'] + row['differ']} facts differ" in out.decode()
    ), err
    assert "All communicators: 3 of 3 compared" in out.decode() and f"Likely cause: {row['cause']}" in out.decode()


@pytest.mark.parametrize(
    "machine, setting",
    [
        ("workstation-2gpu.xml", "NCCL_P2P_DISABLE=1"),
        ("h100-nvswitch.xml", "NCCL_NVLS_ENABLE=0"),
        ("h100-nvswitch.xml", "NCCL_MAX_NCHANNELS=4"),
        ("v100-cube-mesh.xml", "NCCL_MIN_NCHANNELS=16"),
    ],
)
def test_a_setting_that_the_prediction_was_not_given_is_found(tmp_path, machine, setting):
    lines = lines_of(machine, settings=[setting])
    dump = str(EXAMPLES / machine)
    answer_told = check(tmp_path, lines, "--topology", dump)
    told = answer_told["check"]
    name, value = setting.split("=")
    assert told["verdict"] == "agrees" and told["settings"] == {name: value}
    assert "log-differs" not in {f["id"] for f in answer_told["findings"]}
    hidden = [line for line in lines if "set by environment" not in line]
    answer = check(tmp_path, hidden, "--topology", dump)
    checked = answer["check"]
    assert checked["verdict"] == "differs" and checked["differ"] > 0
    best = checked["causes"][0]
    assert best["tested"] and best["differences_left"] == 0
    # The driver may refuse P2P, so that the setting is one of several causes.
    assert best["id"] == ("no-p2p" if name == "NCCL_P2P_DISABLE" else "setting")
    # Several settings may have the same effect: the named one is tried again here, and agrees.
    tried = setting if best["id"] == "no-p2p" else best["what"]
    again = check(tmp_path, hidden, "--topology", dump, "--set", tried)["check"]
    assert again["verdict"] == "agrees"
    assert "log-differs" in {f["id"] for f in answer["findings"]}


def test_hardware_that_changed_is_found_with_its_place(tmp_path):
    lines = lines_of("v100-cube-mesh.xml")
    xml = (EXAMPLES / "v100-cube-mesh.xml").read_text()
    cut = tmp_path / "cut.xml"
    cut.write_text(re.sub(r'(<nvlink [^>]*)count="2"', r'\1count="1"', xml, count=2))
    assert cut.read_text() != xml
    checked = check(tmp_path, lines, "--topology", str(cut))["check"]
    first = checked["first_difference"]
    assert first["topic"] in ("system", "links") and checked["causes"][0]["id"] == "hardware"
    assert checked["causes"][0]["tested"] and checked["causes"][0]["differences_left"] == 0
    link = next(f for f in checked["facts"] if f["topic"] == "links" and f["verdict"] == "differs")
    assert link["nodes"][0].startswith("GPU/") and lines[link["line"] - 1].count(link["nodes"][1].split("-")[1])


def test_a_host_that_is_another_machine_is_named_with_its_line(tmp_path):
    lines = lines_of("v100-cube-mesh.xml", hosts=2)
    at = [
        number
        for number, line in enumerate(lines)
        if line.startswith("node2:") and "+ PCI[" in line and " - GPU/" in line
    ]
    other = [
        re.sub(r"\+ PCI\[[0-9.]+\]", "+ PCI[6.0]", line) if number in at else line for number, line in enumerate(lines)
    ]
    cause = check(tmp_path, other)["check"]["causes"][0]
    assert (
        cause["id"] == "hosts-differ"
        and cause["lines"] == [at[0] + 1]
        and "host node2 has another topology than host node1" in cause["what"]
    )
    assert all(
        row["id"] != "hosts-differ" for row in check(tmp_path, lines, "--set", "NCCL_P2P_DISABLE=1")["check"]["causes"]
    )


def test_a_few_connections_say_how_many_hosts_there_are(tmp_path):
    lines = [
        line
        for line in lines_of("v100-cube-mesh.xml", hosts=2)
        if "NCCL version" in line or re.match(r"node1:1000:", line) and re.search(r"=|CPU/|\+ [A-Z]", line)
    ]
    lines = [line for line in lines if not re.search(r"Pattern|via ", line)]
    one = check(tmp_path, lines)["check"]
    assert one["hosts"] == 1 and one["differ"] > 0
    answer = check(
        tmp_path, lines + ["node1:1007:1107 [7] NCCL INFO Channel 00/0 : 7[7] -> 12[4] [send] via NET/IB/3"]
    )["check"]
    assert answer["hosts"] == 2 and answer["differ"] == 0
    assert any("name ranks up to 12" in sentence for sentence in answer["assumed"])


def test_a_nic_that_the_job_did_not_have(tmp_path):
    lines = lines_of("h100-with-faults.xml", hosts=2)
    checked = check(tmp_path, lines, "--topology", str(EXAMPLES / "h100-nvswitch.xml"))["check"]
    assert checked["verdict"] == "differs"
    assert checked["causes"][0]["id"] == "hardware" and checked["causes"][0]["differences_left"] < checked["differ"]


def test_p2p_that_the_driver_refuses(tmp_path):
    lines = lines_of("v100-cube-mesh.xml") + ["node1:1000:1100 [0] NCCL INFO P2P not supported between GPU0 and GPU1"]
    answer = check(tmp_path, lines, "--topology", str(EXAMPLES / "v100-cube-mesh.xml"))
    finding = next(f for f in answer["findings"] if f["catalogue"] == "L40")
    assert {p["node"] for p in finding["places"]} == {
        g["id"]
        for g in json.loads(run("analyze", "--section", "system", str(EXAMPLES / "v100-cube-mesh.xml"))[1])["nodes"]
        if g["type"] == "GPU" and g["dev"] in (0, 1)
    }
    near_miss = [line for line in lines if "not supported" not in line]
    answer = check(tmp_path, near_miss, "--topology", str(EXAMPLES / "v100-cube-mesh.xml"))
    assert not [f for f in answer["findings"] if f["catalogue"] == "L40"]


def test_findings_about_what_the_log_lacks_and_its_release(tmp_path):
    lines = lines_of("workstation-2gpu.xml")
    dump = str(EXAMPLES / "workstation-2gpu.xml")
    ids = {f["catalogue"] for f in check(tmp_path, lines, "--topology", dump)["findings"]}
    assert ids == set()
    short = [line for line in lines if not re.search(r"System|\+ |Pattern|GPU/|=====|CPU/|NET/", line)]
    assert {f["catalogue"] for f in check(tmp_path, short, "--topology", dump)["findings"]} == {"L97"}
    other = [line.replace("2.27.7", "2.27.8") for line in lines]
    answer = check(tmp_path, other, "--topology", dump)
    assert {f["catalogue"] for f in answer["findings"]} == {"L98"}
    assert answer["check"]["release"] == {
        "logged": "2.27.8+cuda12.4",
        "predicted": "2.27.7",
        "same": False,
        "verified": False,
    }
    nameless = [line for line in lines if "NCCL version" not in line]
    checked = check(tmp_path, nameless, "--topology", dump)["check"]
    assert checked["verdict"] == "agrees" and "logged" not in checked["release"]


def test_gpus_of_the_log_among_more_in_the_dump(tmp_path):
    lines = lines_of("h100-nvswitch.xml")
    xml = (EXAMPLES / "h100-nvswitch.xml").read_text()
    ranks = iter([4, 5, 6, 7, 0, 1, 2, 3])  # the job numbered the GPUs otherwise
    turned = tmp_path / "turned.xml"
    turned.write_text(re.sub(r'rank="\d+"', lambda _: f'rank="{next(ranks)}"', xml))
    checked = check(tmp_path, lines, "--topology", str(turned))["check"]
    assert checked["ranks_taken_from_log"] and checked["verdict"] == "agrees"


def test_a_dumped_graph_is_read_and_compared(tmp_path):
    analysis = json.loads(run("analyze", "--release", "2.27.7", str(EXAMPLES / "v100-cube-mesh.xml"))[1])
    rows = []
    for number, graph in enumerate(analysis["graphs"]):
        rows.append(
            f'<graph id="{number}" pattern="{graph["pattern"]}" crossnic="{graph["cross_nic"]}" '
            f'nchannels="{graph["channels"]}" speedintra="{graph["bw_intra"]}" speedinter="{graph["bw_inter"]}" '
            f'latencyinter="0" typeintra="{graph["type_intra"]}" typeinter="{graph["type_inter"]}" '
            f'samechannels="{graph["same_channels"]}">'
        )
        for order in graph["intra"]:
            rows += ["<channel>", *(f'<gpu dev="{rank:#x}"/>' for rank in order), "</channel>"]
        rows.append("</graph>")
    text = ['<graphs version="1">', *rows, "</graphs>"]
    dump = str(EXAMPLES / "v100-cube-mesh.xml")
    answer = check(tmp_path, text, "--topology", dump, "--release", "2.27.7")
    assert answer["log"]["format"] == "graph-file" and answer["check"]["verdict"] == "agrees"
    changed = [line.replace('speedintra="', 'speedintra="9', 1) for line in text]
    first = check(tmp_path, changed, "--topology", dump, "--release", "2.27.7")["check"]["first_difference"]
    assert first["topic"] == "graphs" and "GB/s" in first["what"]


def test_text_for_people_names_the_first_difference_and_its_cause(tmp_path):
    lines = [l for l in lines_of("workstation-2gpu.xml", settings=["NCCL_P2P_DISABLE=1"]) if "environment" not in l]
    path = tmp_path / "job.log"
    path.write_text("\n".join(lines))
    status, out, err = run("check-log", "--topology", str(EXAMPLES / "workstation-2gpu.xml"), str(path))
    text = out.decode()
    assert (status, err) == (0, "")
    assert "First difference, line " in text and "Likely causes:" in text and "0 of " in text
    status, out, err = run("check-log", "-", stdin=b"nothing of the kind\n")
    assert status == 1 and "does not look like an NCCL log" in err and "NCCL_DEBUG=INFO" in err
    assert run("check-log", "--communicator", "x", str(path))[0] == 2


def test_the_machine_may_be_told_by_any_input(tmp_path):
    text = (ROOT / "tests" / "data" / "logs" / "workstation-2.27.7-1h.log").read_text()
    whole = tmp_path / "first.log"
    whole.write_text(text)
    assert check(tmp_path, text.splitlines(), "--topology", str(whole))["check"]["verdict"] == "agrees"
    lines = lines_of("h100-nvswitch.xml")
    bare = tmp_path / "bare.xml"
    bare.write_bytes(run("vm-file", str(EXAMPLES / "h100-nvswitch.xml"))[1])
    path = tmp_path / "job.log"
    path.write_text("\n".join(lines))
    status, _, err = run("check-log", "--topology", str(bare), str(path))
    assert status == 1 and "not in the dump" in err
    checked = check(tmp_path, lines, "--topology", str(bare), "--assume", "hgx-h100")["check"]
    assert checked["topics"] and checked["agree"] > checked["differ"]
    assert run("check-log", "--assume", "p4e", str(path))[0] != 0


def test_over_http(server):
    status, kept = server.json("POST", "/v1/topologies", DUMP)
    at = f"/v1/topologies/{kept['id']}/log"
    document = server.json("GET", f"/v1/topologies/{kept['id']}/analysis?release=2.27.7&hosts=2")[1]
    text = "\n".join(make_log.Maker(document).make()).encode()
    status, answer = server.json("POST", at, text)
    assert (status, answer["check"]["verdict"], answer["check"]["hosts"]) == (200, "agrees", 2)
    answer = server.json("POST", at + "?hosts=1&release=2.12.12&NCCL_P2P_DISABLE=1", text)[1]
    assert answer["check"]["release"]["predicted"] == "2.12.12" and answer["check"]["verdict"] == "differs"
    assert answer["check"]["settings"] == {"NCCL_P2P_DISABLE": "1"}
    status, answer = server.json("POST", "/v1/check-log", text)
    assert (status, answer["check"]["verdict"]) == (200, "agrees")
    answer = server.json("POST", "/v1/check-log", b"x:1:2 [0] NCCL INFO Channel 00/02 : 0 1\n")[1]
    assert answer["check"] is None and "tree" in answer["why_no_check"]
    assert server.json("POST", at, b"")[0] == 400
    assert server.json("POST", "/v1/check-log", b"hello")[0] == 415
    assert server.json("POST", at + "?communicator=x", text)[0] == 400
    assert server.json("POST", "/v1/topologies/" + "0" * 32 + "/log", text)[0] == 404
