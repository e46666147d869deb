#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds detection and analysis against the NCCL of a machine with GPUs: real.py [--nccl FILE] [--keep FOLDER].

It needs GPUs, their driver and libnccl.so.2 (PyTorch's will do), but no compiler and no MPI. The suite has no GPU and
runs it over doubles (test_real.py). For every row of CASES it starts NCCL, a process per rank, with a dump, a log and
five collective operations of all SIZES and an all-to-all. Then
- `orrery detect` must write NCCL's dump, byte for byte, from the machine and from what `gather` packed of it;
- `orrery check-log` must find nothing in the log that differs from the prediction for this dump;
- `orrery gate` must call the node fit beside its own dump.
--keep leaves dumps, logs and archives there; --case runs one row. engine/detect/README.md says where it ran.
"""
import argparse
import ctypes
import difflib
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ORRERY", str(ROOT / "build" / "orrery"))

HOSTS = {"NCCL_SOCKET_IFNAME": "lo", "NCCL_IB_DISABLE": "1"}  # hosts that are processes of one machine

CASES = [  # name, hosts that the ranks say they are on, settings
    ("plain", 1, {}),
    ("no verbs", 1, {"NCCL_IB_DISABLE": "1"}),
    ("loopback", 1, {"NCCL_SOCKET_IFNAME": "lo"}),
    ("affinity ignored", 1, {"NCCL_IGNORE_CPU_AFFINITY": "1"}),
    ("topology file", 1, {"NCCL_TOPO_FILE": str(ROOT / "static" / "examples" / "l40s-8gpu.xml")}),
    ("two hosts", 2, HOSTS),
    ("four hosts", 4, HOSTS),
    ("seven hosts", 7, HOSTS),
    ("two NICs", 3, {"NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "lo,eth0"}),
    ("NICs crossed", 3, {"NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "lo,eth0", "NCCL_CROSS_NIC": "1"}),
    ("channels", 2, HOSTS | {"NCCL_MIN_NCHANNELS": "4"}),
    ("one channel", 4, HOSTS | {"NCCL_MAX_NCHANNELS": "1"}),
    ("tree", 4, HOSTS | {"NCCL_ALGO": "allreduce:Tree"}),
    ("no LL", 4, HOSTS | {"NCCL_PROTO": "^LL"}),
    ("LL128", 4, HOSTS | {"NCCL_PROTO": "LL128"}),
    ("threads", 4, HOSTS | {"NCCL_NTHREADS": "128"}),
    ("no PAT", 4, HOSTS | {"NCCL_PAT_ENABLE": "0"}),
    ("PAT", 4, HOSTS | {"NCCL_ALGO": "allgather:PAT;reducescatter:PAT"}),
]

DETECTION = ("NCCL_IB_DISABLE", "NCCL_SOCKET_IFNAME", "NCCL_HOSTID", "NCCL_TOPO_FILE")  # what a dump depends on
SIZES = [4 << step for step in range(4, 24, 2)]  # bytes of one rank's part, up to 16 MiB
FLOAT, SUM = 7, 0  # of nccl.h


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_byte * 128)]


def done(status, what):
    if status != 0:
        sys.exit(f"{what}: {status}")


def count_gpus():
    cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    done(cuda.cuInit(0), "cuInit")
    done(cuda.cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
    return count.value


def release_of(library):
    number = ctypes.c_int()
    done(ctypes.CDLL(library).ncclGetVersion(ctypes.byref(number)), "ncclGetVersion")
    base = 10000 if number.value >= 10000 else 1000  # 2.9 was the first with two digits for the minor number
    return f"{number.value // base}.{number.value % base // 100}.{number.value % 100}"


def operate(nccl, communicator, rank, ranks, at):
    """All collective operations in all sizes, then an all-to-all; `at` has room for the parts of all ranks."""
    word, null = ctypes.c_size_t, ctypes.c_void_p
    for size in SIZES:
        mine, count, whole = null(at + rank * size), word(size // 4), null(at)
        end = (communicator, None)
        done(nccl.ncclAllReduce(whole, whole, count, FLOAT, SUM, *end), "ncclAllReduce")
        done(nccl.ncclBroadcast(whole, whole, count, FLOAT, 0, *end), "ncclBroadcast")
        done(nccl.ncclReduce(whole, whole, count, FLOAT, SUM, 0, *end), "ncclReduce")
        done(nccl.ncclAllGather(mine, whole, count, FLOAT, *end), "ncclAllGather")
        done(nccl.ncclReduceScatter(whole, mine, count, FLOAT, SUM, *end), "ncclReduceScatter")
    done(nccl.ncclGroupStart(), "ncclGroupStart")
    for peer in range(ranks):
        part, count = null(at + peer * SIZES[0]), word(SIZES[0] // 4)
        done(nccl.ncclSend(part, count, FLOAT, peer, communicator, None), "ncclSend")
        done(nccl.ncclRecv(part, count, FLOAT, peer, communicator, None), "ncclRecv")
    done(nccl.ncclGroupEnd(), "ncclGroupEnd")


def rank_main(library, rank, ranks, gpu, meeting):
    """One rank of a communicator."""
    cuda, nccl = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL(library)
    context, communicator, buffer = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    done(cuda.cuInit(0), "cuInit")
    done(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), gpu), "cuDevicePrimaryCtxRetain")
    done(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    key = UniqueId()
    if rank == 0:
        done(nccl.ncclGetUniqueId(ctypes.byref(key)), "ncclGetUniqueId")
        pathlib.Path(meeting + ".part").write_bytes(bytes(key))
        os.rename(meeting + ".part", meeting)
    while not os.path.exists(meeting):
        time.sleep(0.01)
    key = UniqueId.from_buffer_copy(pathlib.Path(meeting).read_bytes())
    nccl.ncclCommInitRank.argtypes = [ctypes.c_void_p, ctypes.c_int, UniqueId, ctypes.c_int]
    done(nccl.ncclCommInitRank(ctypes.byref(communicator), ranks, key, rank), "ncclCommInitRank")
    done(cuda.cuMemAlloc_v2(ctypes.byref(buffer), ctypes.c_size_t(ranks * SIZES[-1])), "cuMemAlloc")
    operate(nccl, communicator, rank, ranks, buffer.value)
    done(cuda.cuCtxSynchronize(), "cuCtxSynchronize")
    done(nccl.ncclCommDestroy(communicator), "ncclCommDestroy")


def start_nccl(library, folder, hosts, settings):
    """Runs a communicator over all GPUs, once per host; NCCL tells hosts apart by NCCL_HOSTID."""
    gpus = count_gpus()
    base = {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
    base |= settings | {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,GRAPH,TUNING,NET"}
    base |= {"NCCL_TOPO_DUMP_FILE": f"{folder}/nccl.xml", "NCCL_GRAPH_DUMP_FILE": f"{folder}/graph.xml"}
    running = []
    for rank in range(gpus * hosts):
        here = base | ({"NCCL_HOSTID": f"host{rank // gpus}"} if hosts > 1 else {})
        command = [sys.executable, __file__, "--nccl", library, "--rank", str(rank), "--ranks", str(gpus * hosts)]
        command += ["--gpu", str(rank % gpus), "--meeting", f"{folder}/meeting"]
        log = open(f"{folder}/rank{rank}.log", "wb")
        running.append(subprocess.Popen(command, env=here, stdout=log, stderr=subprocess.STDOUT))
    failed = [process.wait(timeout=180) for process in running]
    logs = [pathlib.Path(f"{folder}/rank{rank}.log").read_text(errors="replace") for rank in range(gpus * hosts)]
    pathlib.Path(f"{folder}/nccl.log").write_text("".join(logs))
    return [f"rank {rank} ended with {status}" for rank, status in enumerate(failed) if status]


def orrery(*arguments, settings=None):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=clean | (settings or {}))


def differ(name, wanted, got):
    return list(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "NCCL", name, lineterm=""))


def check(library, release, folder, hosts, settings):
    """Lines that tell what differs."""
    wrong = start_nccl(library, folder, hosts, settings)
    if wrong:
        return wrong
    known = settings | ({"NCCL_HOSTID": "host0"} if hosts > 1 else {})
    wanted = pathlib.Path(f"{folder}/nccl.xml").read_text()
    live = orrery("detect", "--nearest", "--release", release, "--output", f"{folder}/detect.xml", settings=known)
    wrong += [f"detect ended with {live.returncode}", *live.stderr.splitlines()] if live.returncode else []
    wrong += differ("detect", wanted, pathlib.Path(f"{folder}/detect.xml").read_text()) if not wrong else []
    packed = orrery("gather", f"{folder}/machine.tar", settings=known)
    wrong += [f"gather ended with {packed.returncode}", *packed.stderr.splitlines()] if packed.returncode else []
    given = [part for name in DETECTION if name in known for part in ("--set", f"{name}={known[name]}")]
    copy = orrery("detect", "--nearest", "--release", release, *given, f"{folder}/machine.tar")
    wrong += [f"the copy: {copy.returncode}", *copy.stderr.splitlines()] if copy.returncode else []
    wrong += differ("gather", wanted, copy.stdout)
    log = orrery("check-log", "--json", "--topology", f"{folder}/nccl.xml", "--hosts", str(hosts), f"{folder}/nccl.log")
    pathlib.Path(f"{folder}/check-log.json").write_text(log.stdout)
    if log.returncode or not log.stdout:
        return wrong + [f"check-log ended with {log.returncode}", *log.stderr.splitlines()]
    told = json.loads(log.stdout)
    facts, choices = told["check"]["facts"], told["triage"]["choices"]
    wrong += [json.dumps(fact) for fact in facts if fact["verdict"] == "differs"]
    rows = choices["rows"]
    wrong += [json.dumps(row) for row in rows if not row["agrees"] or row["channels"] != row["predicted_channels"]]
    agree = sum(fact["verdict"] == "agrees" for fact in facts)
    print(f"{agree} facts of the log and {choices['agree']} choices agree", end="; ")
    gate = orrery("gate", "--expect", f"{folder}/nccl.xml", "--nearest", "--release", release, settings=known)
    wrong += (
        [f"gate ended with {gate.returncode}", *(gate.stdout + gate.stderr).splitlines()] if gate.returncode else []
    )
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--nccl", help="libnccl.so.2 to use (default: the system's, else that of Python's packages)")
    options.add_argument("--keep", help="folder that keeps dumps and logs")
    options.add_argument("--case", help="the only case to run")
    for name in ("--rank", "--ranks", "--gpu"):
        options.add_argument(name, type=int, help=argparse.SUPPRESS)
    options.add_argument("--meeting", help=argparse.SUPPRESS)
    asked = options.parse_args()
    found = [file for place in sys.path for file in glob.glob(f"{place}/nvidia/nccl/lib/libnccl.so.2")]
    library = asked.nccl or (found[0] if found else "libnccl.so.2")
    if asked.meeting:
        return rank_main(library, asked.rank, asked.ranks, asked.gpu, asked.meeting)
    cases = [case for case in CASES if asked.case in (None, case[0])]
    release, failed = release_of(library), 0
    print(f"NCCL {release}, {count_gpus()} GPUs")
    with tempfile.TemporaryDirectory() as rubbish:
        for name, hosts, settings in cases:
            folder = os.path.join(asked.keep or rubbish, name.replace(" ", "-"))
            os.makedirs(folder)
            wrong = check(library, release, folder, hosts, settings)
            print(f"{name}: {'differs' if wrong else 'agrees'}", *wrong[:60], sep="\n    ", flush=True)
            failed += bool(wrong)
    print(f"{len(cases)} cases, {failed} failed")
    return failed != 0 or not cases


if __name__ == "__main__":
    sys.exit(main())
