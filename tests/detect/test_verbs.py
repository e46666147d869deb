# SPDX-License-Identifier: Apache-2.0
"""What libibverbs adds to /sys: how many queue pairs, the order of devices, DMA-BUF; and what is said without it."""
import io
import re
import tarfile

from conftest import DOUBLES, detect, run

NETS = re.compile(r'<net name="(\w+)" dev="(\d+)".*?maxconn="(\d+)" gdr="(\d)"')


def facts(machine, text):
    machine.write("/orrery/facts", "host 0x1122334455667788 0x1122334455667788\n" + text)


def gathered(verbs, tmp_path):
    """The facts that `orrery gather` packs of this machine, with the double in place of libibverbs."""
    (tmp_path / "gpus").write_text("")
    environment = {"LD_LIBRARY_PATH": str(DOUBLES), "ORR_FAKE_NVML": str(tmp_path / "gpus"), "ORR_FAKE_VERBS": verbs}
    status, out, err = run("gather", "-", environment=environment)
    assert status == 0, err
    tar = tarfile.open(fileobj=io.BytesIO(out))
    member = next(name for name in tar.getnames() if name.endswith("orrery/facts"))
    return tar.extractfile(member).read().decode()


def test_the_library_is_asked_by_name_and_what_it_says_is_packed(tmp_path):
    lines = gathered("mlx5_2:262144:dmabuf mlx5_0:1024:plain mlx5_7:9:closed", tmp_path).splitlines()
    at = lines.index("ibverbs")
    assert lines[at + 1 :] == ["ibverbs-device mlx5_2 262144 1", "ibverbs-device mlx5_0 1024 0"]
    assert any(
        line.startswith("no-ibverbs ibv_get_device_list gives") for line in gathered("fail", tmp_path).splitlines()
    )


def test_without_the_library_the_facts_say_why(tmp_path):
    """The double's folder without it, where this machine has none of its own."""
    for name in ("libnvidia-ml.so.1",):
        (tmp_path / name).symlink_to(DOUBLES / name)
    (tmp_path / "gpus").write_text("")
    status, out, _ = run(
        "gather", "-", environment={"LD_LIBRARY_PATH": str(tmp_path), "ORR_FAKE_NVML": str(tmp_path / "gpus")}
    )
    text = tarfile.open(fileobj=io.BytesIO(out))
    member = next(name for name in text.getnames() if name.endswith("orrery/facts"))
    lines = text.extractfile(member).read().decode().splitlines()
    assert status == 0 and ("ibverbs" in lines or any(line.startswith("no-ibverbs libibverbs.so.1") for line in lines))


def test_queue_pairs_and_order_are_the_library_s(make):
    machine = make("tree-b")
    xml, notes = detect(machine)
    assert [net[:3] for net in NETS.findall(xml)] == [(f"mlx5_{i}", str(i), "131072") for i in range(4)]
    assert "[ib-from-sys]" in notes and "apt install libibverbs1" in notes
    facts(machine, "ibverbs\n" + "".join(f"ibverbs-device mlx5_{i} {1000 + i} 1\n" for i in (3, 1, 0, 2)))
    xml, notes = detect(machine)
    assert sorted(NETS.findall(xml)) == [
        ("mlx5_0", "2", "1000", "1"),
        ("mlx5_1", "1", "1001", "1"),
        ("mlx5_2", "3", "1002", "1"),
        ("mlx5_3", "0", "1003", "1"),
    ]
    assert "[ib-from-sys]" not in notes and "[verbs-not-listed]" not in notes
    xml, _ = detect(machine, release="2.30.7")  # which sorts by bus id
    assert re.findall(r'<net name="(\w+)" dev="(\d)"', xml) == [(f"mlx5_{i}", str(i)) for i in range(4)]


def test_devices_that_the_library_does_not_list_are_told(make):
    machine = make("tree-b")
    facts(machine, "ibverbs\nibverbs-device mlx5_3 70000 1\nibverbs-device mlx5_1 0 -1\n")
    xml, notes = detect(machine)
    assert notes.count("[verbs-not-listed]") == 2 and "mlx5_0 is in /sys" in notes and "ibverbs-providers" in notes
    assert dict((name, (dev, most)) for name, dev, most, _ in NETS.findall(xml)) == {
        "mlx5_3": ("0", "70000"),
        "mlx5_1": ("1", "131072"),
        "mlx5_0": ("2", "131072"),
        "mlx5_2": ("3", "131072"),
    }


def test_dma_buf_is_what_the_device_says(make):
    machine = make("tree-b")
    (machine.root / "sys/module/nvidia_peermem/version").unlink()
    machine.write("/proc/sys/kernel/osrelease", "4.18.0-513\n")  # a kernel that would not have it
    text = machine.nvml()
    gpus = open(text).read().replace("  capability", "  gdr 1 1\n  capability")
    machine.write(
        "/orrery/facts",
        "nvml 550.1\ncuda 12040\n"
        + gpus
        + "ibverbs\n"
        + "".join(f"ibverbs-device mlx5_{i} 131072 {known}\n" for i, known in ((0, 1), (1, 0), (2, -1), (3, 1))),
    )
    xml, notes = detect(machine, nvml=False)
    gdr = {name: flag for name, _, _, flag in NETS.findall(xml)}
    assert gdr == {"mlx5_0": "1", "mlx5_1": "0", "mlx5_2": "0", "mlx5_3": "1"} and "[dma-buf-assumed]" not in notes


def test_lines_that_cannot_be_understood(make):
    machine = make("tree-a")
    for line in ("ibverbs-device", "ibverbs-device mlx5_0", "ibverbs-device mlx5_0 many 1", "ibverbs-device mlx5_0 1"):
        facts(machine, f"ibverbs\n{line}\n")
        status, _, err = run("detect", "--root", machine.root)
        assert status == 1 and "cannot be understood" in err, line
    facts(machine, "ibverbs\n" + "".join(f"ibverbs-device d{i} 1 1\n" for i in range(129)))
    assert run("detect", "--root", machine.root)[0] == 1
