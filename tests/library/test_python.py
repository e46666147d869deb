# SPDX-License-Identifier: Apache-2.0
"""The package orrery: objects, errors, tables, graphs, drawings, threads."""
import concurrent.futures
import copy
import gc
import inspect
import io
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

import pytest

import orrery
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
import attacks  # noqa: E402

EXAMPLES = ROOT / "static" / "examples"
TWO, A100, FAULTY = (EXAMPLES / f"{name}.xml" for name in ("workstation-2gpu", "a100-nvswitch", "h100-with-faults"))


@pytest.fixture(scope="module")
def plan():
    return orrery.load(A100).analyze(release="2.27.7", hosts=2)


def test_typed_getters_agree_with_the_document(plan):
    document = plan.document
    assert (plan.release, plan.ranks, plan.local_ranks, plan.channels) == (
        document["nccl"],
        document["ranks"],
        document["local_ranks"],
        document["channels"]["count"],
    )
    for row in document["paths"]:
        if "GPU" in row["from"] and row["to"].startswith(("GPU", "NET")):
            path = plan.path(row["from"], row["to"])
            assert (path.type, path.hops) == (row["type"], len(row["hops"])) and path.bw == pytest.approx(row["bw"])
            assert [hop.to for hop in plan.hops(row["from"], row["to"])] == row["hops"]
    for row in document["p2p"]:
        assert bool(plan.p2p(row["a"], row["b"])) == bool(row["p2p"])
    for row in document["gdr"]:
        assert (
            plan.gdr(row["rank"], row["net"]).mode == row["send"]
            and plan.gdr(row["rank"], row["net"], sends=False).mode == row["recv"]
        )
    for row in document["net_devs"]:
        assert plan.nic(row["rank"], row["channel"]) == orrery.Nic(row["net"], row["proxy_rank"])
    for collective, algorithms in document["tuning"]["bandwidths"].items():
        for algorithm, protocols in algorithms.items():
            for protocol, bw in protocols.items():
                assert plan.cost(collective, algorithm, protocol) == (
                    pytest.approx(bw),
                    pytest.approx(document["tuning"]["latencies"][collective][algorithm][protocol]),
                )
    for channel, (ring, tree) in enumerate(zip(document["channels"]["rings"], document["channels"]["trees"])):
        assert plan.ring(channel) == ring
        assert [-1 if one.parent is None else one.parent for one in plan.tree(channel)] == tree["up"]
        assert [list(one.children) for one in plan.tree(channel)] == [
            [child for child in down if child >= 0] for down in tree["down"]
        ]
    assert [(graph.name, graph.channels) for graph in plan.graphs] == [
        (graph["name"], graph["channels"]) for graph in document["graphs"]
    ]
    assert {device["id"] for device in document["system"]["nodes"]} == set(plan.devices)
    assert plan["summary"] == document["summary"] and plan.verdict and plan.findings == document["findings"]
    assert "paths" in list(plan) and plan.path(0, 1) == plan.path("rank:0", "rank:1")
    choice = plan.choose("AllReduce", 1 << 26)
    assert choice.bus_bw > choice.alg_bw > 0 and choice.channels <= plan.channels


def test_what_is_not_there(plan):
    with pytest.raises(KeyError):
        plan["no section"]
    with pytest.raises(IndexError):
        plan.ring(plan.channels)
    with pytest.raises(IndexError):
        plan.ring(-1)
    with pytest.raises(IndexError):
        plan.tree(99)
    for ask in (
        lambda: plan.path(0, 99),
        lambda: plan.p2p(0, 99),
        lambda: plan.gdr(0, "NET/9-9"),
        lambda: plan.nic(0, 99),
        lambda: plan.nic(99),
        lambda: plan.topology.analyze().nic(0),
        lambda: plan.cost("AllReduce", "Star", "LL"),
        lambda: plan.cost("AllReduce", "Ring", "XL"),
        lambda: plan.cost("AllToAll", "Ring", "LL"),
        lambda: plan.choose("AllToAll", 1),
    ):
        with pytest.raises(orrery.OrreryError) as raised:
            ask()
        assert raised.value.code == "not-found" and raised.value.name == "a100-nvswitch.xml"
    for ask in (lambda: plan.networkx("triangle"), lambda: plan.table("chairs")):
        with pytest.raises(ValueError, match="there are"):
            ask()


def test_inputs_of_all_kinds(tmp_path):
    data = TWO.read_bytes()
    with open(TWO, "rb") as file:
        loaded = [
            orrery.load(data),
            orrery.load(str(TWO)),
            orrery.load(TWO),
            orrery.load(file),
            orrery.load(io.StringIO(data.decode())),
        ]
    assert len({one.id for one in loaded}) == 1 and loaded[1].name == "workstation-2gpu.xml"
    assert len({one.analyze().json() for one in loaded}) == 1
    assert orrery.machine("hgx-h100").analyze().document["input"]["machine_type"]
    matrix = b"\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-7\nGPU1\tPHB\t X \t0-7\n"
    assert orrery.load(matrix).analyze().path(0, 1).type == "PHB"
    with_nic = b"\tGPU0\tNIC0\tCPU Affinity\nGPU0\t X \tPHB\t0-7\nNIC0\tPHB\t X\n\nNIC Legend:\n\n  NIC0: mlx5_0\n"
    assert [
        [
            row["what"]
            for row in orrery.load(with_nic, assume_nics=nics).analyze().document["input"]["assumed"]
            if "NIC port" in row["what"]
        ]
        for nics in ("100", "400-no-gdr")
    ] == [["1 NIC port has 100 Gb/s, with GPUDirect RDMA"], ["1 NIC port has 400 Gb/s, without GPUDirect RDMA"]]
    with pytest.raises(orrery.OrreryError, match="not a machine type"):
        orrery.load(matrix, assume="no such type")
    with pytest.raises(FileNotFoundError):
        orrery.load(tmp_path / "none.xml")
    log = orrery.check_log(ROOT / "tests" / "data" / "logs" / "workstation-2.27.7-2h.log")
    assert "triage" in log


def test_errors_have_place_and_advice():
    with pytest.raises(orrery.OrreryError) as raised:
        orrery.load(b'<system version="1">\n  <cpu numaid=0>')
    error = raised.value
    assert (error.code, error.line) == ("malformed-xml", 2) and error.column and "malformed-xml" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(orrery.OrreryError, match="did you mean release"):
        orrery.load(TWO).analyze(relase="2.27.7")
    with pytest.raises(orrery.OrreryError) as raised:
        orrery.load(TWO).analyze(NCCL_CROSS_NIC=7, NCCL_CROS_NIC=1)
    assert raised.value.code == "invalid-setting" and raised.value.where.startswith("NCCL_CROS")


def test_parameters_are_written_as_the_service_reads_them():
    topology = orrery.load(A100)
    assert (
        topology.analyze(gpus=[0, 2], nics="mlx5_0,mlx5_1", NCCL_CROSS_NIC=1, strict=True, tuner=None).local_ranks == 2
    )
    with pytest.raises(orrery.OrreryError, match='unknown algorithm "Ring&hosts=9"'):
        topology.analyze(NCCL_ALGO="Ring&hosts=9")
    changed = topology.analyze(hosts=2).diff("2.21.5", "NCCL_CROSS_NIC=1")
    assert changed["a"] != changed["b"]
    assert topology.analyze(hosts=2).explain("gdr", 0, "NET/0-0")["decision"] == "gdr"
    assert [row["size"] for row in topology.analyze(hosts=2).predict(sizes="1M:4M:2")["rows"]] == [
        1 << 20,
        1 << 21,
        1 << 22,
    ]


def test_questions_about_several_inputs():
    a, b = orrery.load(A100), orrery.load(FAULTY)
    assert orrery.compare(a, a)["equal"] and not orrery.compare(a, b)["equal"]
    assert orrery.compare(b, "hgx-h100")["b"]["topology"] == "hgx-h100"
    cluster = orrery.Cluster([(a, 2), orrery.machine("hgx-h100")])
    assert cluster.analyze(release="2.27.7")["ranks"] == 24 and cluster.ask("analysis/ranks") == 24
    assert a.place(4)["best"] and a.gate("dgx-a100")["state"] == "fit" and b.findings()["counts"]
    log = ROOT / "tests" / "data" / "logs" / "workstation-2.27.7-2h.log"
    assert orrery.load(TWO).check_log(log)["check"]
    assert b.xml().startswith(b"<system")
    assert orrery.releases() == [
        row["release"]
        for row in sorted(
            orrery.ask("releases")["releases"], key=lambda row: [int(n) for n in row["release"].split(".")]
        )
    ]
    assert "NCCL_CROSS_NIC" in orrery.settings() and {"name", "title"} <= set(orrery.machines()[0])


def test_tables_and_graphs(plan):
    pytest.importorskip("pandas")
    networkx = pytest.importorskip("networkx")
    for what in orrery.frames.TABLES:
        assert len(plan.table(what)), what
    paths = plan.table("paths")
    assert set(paths.columns) == {"from", "to", "type", "bw", "hops"} and len(paths) == len(plan["paths"])
    system = plan.networkx()
    assert set(system) == set(plan.devices) and networkx.is_weakly_connected(system)
    assert networkx.is_arborescence(networkx.DiGraph(plan.networkx("tree")))
    ring = plan.networkx("ring", 3)
    assert all(ring.out_degree(rank) == 1 for rank in range(plan.ranks))


def test_drawings(plan, tmp_path):
    drawing = plan.draw("ring", channel=1)
    assert xml.etree.ElementTree.fromstring(drawing.data).tag.endswith("svg") and drawing._repr_svg_()
    drawing.save(tmp_path / "ring.svg")
    assert (tmp_path / "ring.svg").read_bytes() == drawing.data
    png = plan.draw(format="png")
    assert png._repr_png_()[:4] == b"\x89PNG" and png._repr_svg_() is None
    shown = plan._repr_html_()
    assert plan.verdict in shown and "<svg" in shown
    assert "<svg" in orrery.Cluster([(plan.topology, 2)])._repr_svg_()


def test_without_the_program_there_is_no_drawing():
    session = orrery.Session(program="/nowhere/orrery")
    topology = orrery.load(FAULTY, session=session)
    assert topology.analyze()._repr_svg_() is None
    shown = topology._repr_html_()
    assert "ORRERY_PROGRAM" in shown and "fewer lanes" in shown
    with pytest.raises(orrery.OrreryError, match="does not start"):
        topology.analyze().draw()


def test_this_machine_is_detected_by_the_program():
    made = orrery.detect(release="2.27.7")
    assert made.data.startswith(b"<system") and len(made.id) == 32


def test_limits_and_stopping():
    topology = orrery.machine("hgx-h100")
    limits = orrery.Limits(memory=20000)
    with pytest.raises(orrery.OrreryError) as raised:
        topology.analyze(hosts=16, limits=limits)
    assert raised.value.code == "too-complex"
    limits = orrery.Limits(seconds=600)
    threading.Timer(0.05, limits.stop).start()
    with pytest.raises(orrery.OrreryError) as raised:
        while True:
            topology.analyze(hosts=32, limits=limits)
    assert raised.value.code == "stopped"
    limits.resume()
    assert topology.analyze(limits=limits).ranks == 8


def test_threads_share_everything(plan):
    topology = plan.topology

    def use(hosts):
        assert plan.path(0, 1).type == "NVL"
        return topology.analyze(hosts=hosts).ranks, orrery.ask("analyze", topology.data, hosts=hosts, section="ranks")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(use, [1, 2, 3, 4] * 3)) == [(8 * hosts, 8 * hosts) for hosts in [1, 2, 3, 4] * 3]


def test_many_what_ifs_need_no_process_and_no_memory():
    """Three hundred questions in this process need no more memory than the first hundred."""

    def held():
        gc.collect()
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    topology, channels = orrery.load(TWO), set()
    for i in range(300):
        if i == 100:
            before = held()
        channels.add(topology.analyze(hosts=1 + i % 7, NCCL_MIN_NCHANNELS=1 + i % 5).channels)
    assert len(channels) > 1
    assert held() - before < 16 << 20
    children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    assert not any(
        "analyze" in pathlib.Path(f"/proc/{child}/cmdline").read_text() for child in children.read_text().split()
    )


def test_objects_may_go_in_any_order():
    topology = orrery.load(TWO)
    plan = topology.analyze()
    del topology
    gc.collect()
    assert plan.path(0, 1).bw > 0
    del plan
    gc.collect()


def test_everything_public_has_a_docstring_and_hints():
    for name in orrery.__all__:
        one = getattr(orrery, name)
        assert one.__doc__, name
        members = inspect.getmembers(one, inspect.isfunction) if inspect.isclass(one) else [(name, one)]
        for called, function in members:
            if not called.startswith("_") and inspect.isfunction(function):
                assert function.__doc__, f"{name}.{called}"
                assert inspect.signature(function).return_annotation is not inspect.Signature.empty, f"{name}.{called}"


def test_the_version_is_that_of_the_checkout():
    version = (ROOT / "VERSION").read_text().strip()
    assert orrery.__version__ == version and orrery.library_version().split("+")[0] == version
    assert orrery._native.SONAME == "liborrery.so." + ".".join(version.split(".")[:2])


def test_the_package_uses_every_function_of_the_header():
    """A new function of the library gets a row in _native.py."""
    header = (ROOT / "include" / "orrery" / "orrery.h").read_text()
    functions = set(__import__("re").findall(r"\b(orr_[a-z0-9_]+)\(", header.split('extern "C"', 1)[1]))
    assert functions == set(orrery._native.FUNCTIONS)


def test_a_missing_library_is_explained():
    done = subprocess.run(
        [sys.executable, "-c", "import orrery; orrery.releases()"],
        capture_output=True,
        text=True,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "bindings" / "python"),
            "ORRERY_LIBRARY": "/nowhere/liborrery.so",
        },
    )
    assert (
        done.returncode
        and "ImportError: liborrery was not found" in done.stderr
        and "/nowhere/liborrery.so: there is no such file" in done.stderr
    )


def test_copies_are_the_object_itself_and_nothing_is_pickled():
    """A copy that owned the same memory ended the process."""
    topology, limits = orrery.machine("hgx-h100"), orrery.Limits(seconds=60)
    for held in (topology, limits, orrery.session(), topology.analyze()):
        assert copy.copy(held) is held and copy.deepcopy(held) is held
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(held)
    copies = [copy.copy(topology) for _ in range(3)]
    del topology, held
    gc.collect()
    assert copies[0].analyze(limits=limits).json()


def test_numbers_that_nothing_can_hold_are_errors():
    plan = orrery.machine("hgx-h100").analyze()
    for size in (1 << 64, -1):
        with pytest.raises(OverflowError):
            plan.choose("AllReduce", size)
    with pytest.raises(TypeError):
        orrery.load(7)


@pytest.fixture(scope="module")
def hostile():
    return attacks.hosts_alike(65536) * 2


@pytest.mark.parametrize("question", ["anonymise", "check-log"])
@pytest.mark.parametrize("how", ["seconds", "stop"])
def test_limits_and_stop_end_work_on_hostile_input(hostile, question, how):
    """65,536 host names that fall together in FNV-1a. Processor time, which a busy machine does not lengthen."""
    limits = orrery.Limits(seconds=0.1) if how == "seconds" else orrery.Limits()
    if how == "stop":
        limits.stop()
    begun = time.process_time()
    with pytest.raises(orrery.OrreryError, match="takes longer" if how == "seconds" else "interrupted"):
        orrery.Session().ask(question, hostile, limits=limits)
    assert time.process_time() - begun < 1.1
