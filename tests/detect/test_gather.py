# SPDX-License-Identifier: Apache-2.0
"""What gather packs gives the same document, packed, unpacked and packed anew; and what a tar must not do."""
import gzip
import io
import os
import random
import subprocess
import tarfile

import pytest

from conftest import NVML, detect, run
from fake_machine import MACHINES


def gather(machine, *options):
    status, out, err = run(
        "gather", "--root", machine.root, "--nvml", NVML, *options, environment={"ORR_FAKE_NVML": machine.nvml()}
    )
    assert status == 0, err
    return out


@pytest.mark.parametrize("name", MACHINES)
def test_the_same_document_from_machine_tar_and_folder(make, tmp_path, name):
    machine = make(name)
    tar = gather(machine)
    (tmp_path / "sent.tar.gz").write_bytes(tar)
    (tmp_path / "folder").mkdir()
    subprocess.run(["tar", "-xzf", tmp_path / "sent.tar.gz", "-C", tmp_path / "folder"], check=True)
    subprocess.run(["tar", "-cf", tmp_path / "anew.tar", "-C", tmp_path, "folder"], check=True)
    assert gather(machine) == tar, "the same machine gives the same bytes"
    for release in ("2.12.12", "2.27.7", "2.30.7"):
        xml, notes = detect(machine, release=release)
        for source in (["--root", tmp_path / "folder"], [tmp_path / "sent.tar.gz"], [tmp_path / "anew.tar"]):
            status, out, err = run("detect", "--release", release, *source)
            assert (status, out.decode(), err) == (0, xml, notes), source
    assert run("detect", "-", stdin=tar)[1].decode() == detect(machine, release="2.30.7")[0]


def test_settings_and_topology_file_are_packed(make, tmp_path):
    machine = make("tree-b")
    machine.write("/etc/nccl.conf", "NCCL_IB_HCA=mlx5_0\nNCCL_TOPO_FILE=/opt/base.xml\n")
    machine.write(
        "/opt/base.xml",
        '<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" '
        'modelid="79"/></system>',
    )
    tar = gather(machine, "--set", "NCCL_IB_MERGE_VFS=0")
    xml, notes = detect(machine)
    assert 'modelid="79"' in xml
    assert run("detect", "--release", "2.27.7", "-", stdin=tar)[1:] == (xml.encode(), notes)


def test_no_host_name_and_no_boot_id_go_in(make):
    machine = make("tree-a")
    machine.host("AuthenticAMD", 25, 8, name="secret-host", boot="0123-secret-boot")
    text = gzip.decompress(gather(machine))
    assert b"secret" not in text and b"hostname" not in text
    with tarfile.open(fileobj=io.BytesIO(text)) as tar:
        for entry in tar:
            assert (entry.uid, entry.gid, entry.mtime, entry.uname) == (0, 0, 0, ""), entry.name
            assert not entry.name.startswith("/") and ".." not in entry.name


def test_gather_is_small_and_says_where_it_writes(make, tmp_path):
    machine = make("hgx-h100")
    tar = gather(machine, tmp_path / "machine.tar.gz")
    assert tar == b"" and 0 < (tmp_path / "machine.tar.gz").stat().st_size < 65536
    status, _, err = run("gather", "--root", machine.root, "/nonexistent/x.tar.gz")
    assert status == 1 and "/nonexistent/x.tar.gz" in err


def pack(entries, compressed=False):
    """A tar of (name, type, content or target)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz" if compressed else "w") as tar:
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            if kind == tarfile.REGTYPE:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            else:
                entry.linkname = content
                tar.addfile(entry)
    return out.getvalue()


FILE, LINK, HARD, DEVICE, PIPE, FOLDER = (
    tarfile.REGTYPE,
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.CHRTYPE,
    tarfile.FIFOTYPE,
    tarfile.DIRTYPE,
)


@pytest.mark.parametrize(
    "entries",
    [
        [("../../etc/passwd", FILE, b"x"), ("/etc/shadow", FILE, b"y")],
        [("sys", LINK, "/"), ("proc", LINK, "../../../../..")],
        [("sys/a", LINK, "b"), ("sys/b", LINK, "a"), ("sys/bus/pci/devices", LINK, "/sys/a")],
        [("sys", LINK, "sys")],
        [("sys/bus/pci/devices", FOLDER, ""), ("proc/cpuinfo", HARD, "/etc/passwd")],
        [("sys/bus/pci/devices/0000:01:00.0", DEVICE, ""), ("proc/cpuinfo", PIPE, "")],
        [("sys/class/infiniband/x/ports/1/state", FOLDER, ""), ("sys/class/infiniband/x", FILE, b"x")],
        [("/".join(["d"] * 200), FILE, b"x"), ("n" * 4000, FILE, b"x")],
        [
            ("sys/class/net/" + "n" * 250, FOLDER, ""),
            ("sys/class/infiniband/" + "m" * 250 + "/ports/1/state", FILE, b"4: ACTIVE\n"),
            ("sys/class/infiniband/" + "m" * 250 + "/ports/1/link_layer", FILE, b"InfiniBand\n"),
        ],
        [
            ('sys/class/infiniband/m<"&/ports/1/state', FILE, b"4: ACTIVE\n"),
            ('sys/class/infiniband/m<"&/ports/1/link_layer', FILE, b"InfiniBand\n"),
            ('sys/class/infiniband/m<"&/ports/1/rate', FILE, b"1e300 Gb/sec\n"),
        ],
        [
            ("sys/bus/pci/devices/0000:01:00.0/vendor", FILE, b"0x10de\n"),
            ("sys/bus/pci/devices/0000:01:00.0/class", FILE, b"0x030200\n"),
            ("sys/bus/pci/devices/0000:01:00.0/device", FILE, b"0x2330\n"),
        ],
    ],
)
def test_hostile_tars_stay_inside(entries):
    for compressed in (False, True):
        status, out, err = run("detect", "-", stdin=pack(entries, compressed))
        assert status == 0, err
        assert b"root:" not in out and b"root:" not in err.encode()
        status, _, problem = run("analyze", "-", stdin=out)
        assert status == 0 or "no GPU" in problem or "rank" in problem, problem


def test_links_that_make_a_circle_of_bridges():
    """Two functions, each after the other: no machine has that."""
    entries = []
    for one, other in (("0000:01:00.0", "0000:02:00.0"), ("0000:02:00.0", "0000:01:00.0")):
        folder = f"sys/devices/x/{other}/0000:03:00.0/{one}"
        entries += [
            (f"{folder}/vendor", FILE, b"0x10de\n"),
            (f"{folder}/class", FILE, b"0x030200\n"),
            (f"{folder}/device", FILE, b"0x2330\n"),
            (f"sys/bus/pci/devices/{one}", LINK, f"/{folder}"),
        ]
    status, out, err = run("detect", "-", stdin=pack(entries))
    assert status == 0 and out.count(b"<gpu ") == 2, err


def test_what_is_no_tar():
    for content in (
        b"",
        b"x",
        b"\x1f\x8b",
        b"\x1f\x8b\x08" + bytes(40),
        gzip.compress(b"hello"),
        b"<system/>",
        bytes(10240),
    ):
        status, out, err = run("detect", "-", stdin=content)
        assert (status, out) == (1, b"") or content == bytes(10240), (content[:20], err)


def test_limits_of_a_tar():
    status, _, err = run("detect", "-", stdin=pack([(f"f{i}", FILE, b"") for i in range(66000)], True))
    assert status == 1 and "65536 entries" in err
    big = pack([(f"f{i}", FILE, bytes(1 << 20)) for i in range(40)], True)
    assert len(big) < 1 << 20
    status, _, err = run("detect", "-", stdin=big)
    assert status == 1 and "33554432 bytes" in err


def test_changed_and_cut_tars_never_crash(make):
    """Bytes changed at random, from a fixed seed."""
    plain = gzip.decompress(gather(make("tree-b")))
    chance = random.Random(7)
    for _ in range(40):
        bytes_ = bytearray(plain)
        for _ in range(chance.randrange(1, 60)):
            bytes_[chance.randrange(len(bytes_))] = chance.choice((0, 10, 34, 47, 60, 255, chance.randrange(256)))
        run("detect", "-", stdin=bytes(bytes_))
    for _ in range(10):
        run("detect", "-", stdin=plain[: chance.randrange(len(plain))])


def test_facts_that_cannot_be_understood():
    for line, words in (
        ("gpu", "gpu"),
        ("nvlink 0 up", "nvlink"),
        ("gpu 0000:01:00.0\nnvlink 99 up x", "nvlink 99"),
        ("gpu 0000:01:00.0\nfabric 12", "fabric"),
        ("host x", "host x"),
        ("interface a", "interface a"),
        ("cpu 1", "cpu 1"),
        ("gpu a\ncapability x", "capability"),
        ("\n" * 3 + "c2c 1 2", "c2c"),
    ):
        status, out, err = run("detect", "-", stdin=pack([("orrery/facts", FILE, line.encode())]))
        assert (status, out) == (1, b"") and words in err and "cannot be understood" in err, err
    assert (
        run("detect", "-", stdin=pack([("orrery/facts", FILE, b"future 1 2 3\n# x\n" + b"gpu 0000:01:00.0\n" * 64)]))[0]
        == 0
    )
    assert run("detect", "-", stdin=pack([("orrery/facts", FILE, b"gpu 0000:01:00.0\n" * 65)]))[0] == 1


def test_hostile_folders(make, tmp_path):
    """A copy whose links lead out, around, or to what must not be opened."""
    secret = tmp_path / "secret"
    secret.write_text("0xSECRET\n")
    machine = make("tree-a")
    folder = machine.root / "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0"
    for name, target in (("vendor", str(secret)), ("device", "../" * 60 + str(secret).lstrip("/")), ("class", "class")):
        (folder / name).unlink()
        os.symlink(target, folder / name)
    (folder / "subsystem_vendor").unlink()
    os.mkfifo(folder / "subsystem_vendor")
    (folder / "subsystem_device").unlink()
    (folder / "subsystem_device").mkdir()
    with open(folder / "max_link_speed", "wb") as sparse:
        sparse.truncate(1 << 40)
    os.symlink("/dev/zero", machine.root / "proc/zero")
    xml, _ = detect(machine)
    assert "SECRET" not in xml and '<pci busid="0000:41:00.0" link_speed=' in xml
    loops = make("tree-b").root
    for name in ("a", "b"):
        os.symlink("b" if name == "a" else "a", loops / "sys" / name)
    os.symlink("/sys/a/x", loops / "sys/class/infiniband/loop")
    os.symlink("..", loops / "sys/class/infiniband/up")
    status, out, err = run("detect", "--root", loops, "--release", "2.27.7")
    assert status == 0 and out.count(b"<net ") == 4, err


def test_roots_that_are_none(tmp_path):
    status, _, err = run("detect", "--root", tmp_path / "none")
    assert status == 1 and "No such file" in err
    (tmp_path / "file").write_text("x")
    assert run("detect", "--root", tmp_path / "file")[0] == 1
    assert run("detect", "--root", tmp_path, "x.tar")[0] == 2
    assert run("detect", tmp_path / "none.tar.gz")[0] == 1
