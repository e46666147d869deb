#!/usr/bin/env python3
"""Reports of `orrery show` on eleven machines, compared with show/*.txt: at 80 and 120 columns on a terminal, and
piped.

    ORRERY=build-dev/orrery python3 tests/golden/show.py     compares, shows the differences
    ORR_UPDATE_GOLDEN=1 ...                                  rewrites; read the diff like a ticket

Beside the text it is checked that no line is wider than the page, that a report about up to eight GPUs fits two
screens (check_faults.py checks that for every machine type and fault), that every command which it proposes runs, and
that its figures are those of `analyze --json` and `predict --json`.
"""
import collections
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import threading

from kept import ROOT, Kept

ORRERY = str(ROOT / os.environ.get("ORRERY", "build-dev/orrery"))

SCREENS = {80: 100, 120: 96}  # lines of a report by columns: two screens

# Name of the files, arguments.
CASES = [
    ("h100-nvswitch", ["static/examples/h100-nvswitch.xml"]),
    ("h100-with-faults", ["--hosts", "2", "--release", "2.27.7", "static/examples/h100-with-faults.xml"]),
    ("v100-cube-mesh", ["static/examples/v100-cube-mesh.xml"]),
    ("dgx-2", ["static/examples/dgx-2.xml"]),
    ("aws-p5", ["static/examples/aws-p5.xml"]),
    ("l40s-8gpu", ["static/examples/l40s-8gpu.xml"]),
    ("workstation-2gpu", ["static/examples/workstation-2gpu.xml"]),
    ("hgx-h100-assumed", ["--machine", "hgx-h100", "--set", "NCCL_CROSS_NIC=1", "--gpus", "0,1,2,3"]),
    ("nvl72", ["--cluster", "tests/golden/show/nvl72.json"]),
    ("topo-m", ["tests/golden/show/topo-m.input"]),
    ("single-gpu", ["tests/data/single-gpu.xml"]),
]
# Further texts: name, arguments.
PARTS = [
    ("tree-h100-with-faults", ["--tree", "static/examples/h100-with-faults.xml"]),
    ("tree-v100", ["--tree", "static/examples/v100-cube-mesh.xml"]),
    ("tree-nvl72", ["--tree", "--cluster", "tests/golden/show/nvl72.json"]),
    ("matrix-a100", ["--matrix", "static/examples/a100-nvswitch.xml"]),
    ("matrix-dgx-2", ["--matrix", "static/examples/dgx-2.xml"]),
    ("against-release", ["--release", "2.21.5", "--against", "2.27.7", "static/examples/workstation-2gpu.xml"]),
    ("against-machine", ["--against", "dgx-h100", "static/examples/h100-with-faults.xml"]),
    ("findings-h100-with-faults", ["--findings", "--hosts", "2", "static/examples/h100-with-faults.xml"]),
]


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR", "PAGER")}
    return {**kept, "LC_ALL": "C", **more}


def piped(arguments, **more):
    done = subprocess.run(
        [ORRERY, "show", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600, env=environment(**more)
    )
    return done.stdout if done.returncode == 0 else f"refused: {done.stderr}"


def on_terminal(arguments, columns, command="show"):
    """The output on a terminal with this many columns: UTF-8, without colours so that files can be read."""
    master, slave = pty.openpty()
    shown = []

    def read():
        try:
            while piece := os.read(master, 65536):
                shown.append(piece)
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [ORRERY, command, "--color", "never", *arguments],
        cwd=ROOT,
        stdin=slave,
        stdout=slave,
        stderr=subprocess.PIPE,
        timeout=600,
        env=environment(LC_ALL="C.UTF-8", COLUMNS=str(columns), PAGER="cat", TERM="xterm"),
    )
    os.close(slave)
    reader.join()
    os.close(master)
    text = b"".join(shown).decode().replace("\r\n", "\n")
    return text if done.returncode == 0 else f"refused: {done.stderr.decode()}"


def too_wide(text, columns):
    return [f"a line of {len(line)} columns: {line}" for line in text.split("\n") if len(line) > columns]


def too_long(text, columns):
    return [f"{text.count(chr(10))} lines at {columns} columns"] if text.count("\n") > SCREENS[columns] else []


def commands(text):
    """The commands that the report proposes, of those that orrery itself runs."""
    joined = re.sub(r" \\\n +", " ", text)
    return [shlex.split(line)[1:] for line in re.findall(r"^    (orrery .*)$", joined, re.M)]


def run(arguments):
    return subprocess.run(
        [ORRERY, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600, env=environment()
    )


def document(command, arguments):
    done = run([command, "--json", *arguments])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_hosts(arguments):
    return (
        arguments[: arguments.index("--hosts")] + arguments[arguments.index("--hosts") + 2 :]
        if "--hosts" in arguments
        else arguments
    )


def shown(number):
    return f"{number:.4g}"


def check_figures(arguments, text):
    """Graphs, channels and expected bandwidths of each number of hosts; the verdict, the costs and the paths."""
    wrong, flat = [], " ".join(text.split())
    cluster = "--cluster" in arguments
    asked = document("analyze", arguments)
    if " ".join(asked["summary"]["verdict"]["sentence"].split()) not in flat:
        wrong.append("the verdict is another one")
    if asked["summary"]["machine"]["sentence"] not in flat:
        wrong.append("the machine is another one")
    for finding in asked["findings"]:
        cost = finding["cost"]
        if finding["severity"] != "info" and finding["follows_from"] is None and finding["detail"] not in flat:
            wrong.append(f"{finding['id']} is missing")
        said = (
            f"adds {cost['adds']:.3g} GB/s"
            if cost and cost["adds"] is not None
            else f"{cost['now']:.3g} of {cost['all_repaired']:.3g}"
            if cost
            else ""
        )
        if cost and cost["now"] != cost["repaired"] and finding["follows_from"] is None and said not in flat:
            wrong.append(f"the cost of {finding['id']} is missing")
    for table in re.split(r"^  (?=Hosts|Domains)", text, flags=re.M)[1:]:
        hosts = None
        for line in table.split("\n")[1:]:
            cells = re.split(r"  +", line.strip())
            if not line.startswith("  ") or len(cells) < 3:
                break
            hosts = int(cells.pop(0)) if re.fullmatch(r" +\d+ *", line[:9]) else hosts
            options = arguments if cluster else ["--hosts", str(hosts), *without_hosts(arguments)]
            if "Size" in table.split("\n")[0]:
                size, bandwidth, way, channels, time = cells
                row = document("predict", [*options, "--sizes", size.replace(" MiB", "M").replace(" GiB", "G")])[
                    "rows"
                ][0]
                real = [
                    f"{row['busbw']:.1f}",
                    f"{row['algorithm']}, {row['protocol']}",
                    str(row["channels"]),
                    f"{row['time']:.1f}",
                ]
                if real != [bandwidth, way, channels, time]:
                    wrong.append(f"{hosts} hosts, {size}: {cells} instead of {real}")
            else:
                graph = next(g for g in document("analyze", [*options, "--section", "graphs"]) if g["name"] == cells[0])
                rates = [
                    f"{graph['channels']} x {shown(graph['bw_intra'])} = "
                    f"{shown(graph['bw_intra'] * graph['channels'])}, {graph['type_intra']}"
                ]
                if cells[2] != "-":
                    rates.append(
                        f"{graph['channels']} x {shown(graph['bw_inter'])} = "
                        f"{shown(graph['bw_inter'] * graph['channels'])}, {graph['type_inter']}"
                    )
                if cells[1 : 1 + len(rates)] != rates:
                    wrong.append(f"{hosts} hosts, {cells} instead of {rates}")
    counts = re.findall(
        r"On (\d+) hosts?: (\d+) channels?(?:; (\d+) for NVLS)?; (\d+) for Send and Recv \((\d+) per peer\)", flat
    )
    for hosts, channels, nvls, p2p, per_peer in counts:
        real = document("analyze", ["--hosts", hosts, *without_hosts(arguments)])
        of = real["channels"]
        if (
            [of["count"], of["p2p_channels"], of["p2p_channels_per_peer"]]
            != [int(n) for n in (channels, p2p, per_peer)]
            or nvls
            and of["nvls"]["channels"] != int(nvls)
        ):
            wrong.append(f"{hosts} hosts: other channels")
    if not counts and not cluster:
        wrong.append("no channels are counted")
    return wrong + ([] if cluster else check_matrix(arguments, text))


def check_matrix(arguments, text):
    """Types of paths from each GPU, with the job's NICs if the machine has any."""
    hosts = "2" if "--hosts" not in arguments else arguments[arguments.index("--hosts") + 1]
    real = document("analyze", ["--hosts", hosts, *without_hosts(arguments)])
    ranks = {node["id"]: node["rank"] for node in real["system"]["nodes"] if node["type"] == "GPU"}
    nets = {id: i for i, id in enumerate(node["id"] for node in real["system"]["nodes"] if node["type"] == "NET")}
    types = {
        (ranks[path["from"]], ("G", ranks[path["to"]]) if path["to"] in ranks else ("N", nets[path["to"]])): path[
            "type"
        ]
        for path in real["paths"]
        if path["from"] in ranks and (path["to"] in ranks or path["to"] in nets)
    }
    wrong, seen, heads = [], 0, []
    section = re.split(r"\nPaths between GPUs.*\n", text)[1].split("\n\nNIC of")[0]
    for line in section.split("\n"):
        cells = line.split()
        if (
            cells
            and re.fullmatch(r"(G|GPU|N|NIC)\d+(-\d+)?", cells[0])
            and all(re.match(r"G|N", cell) for cell in cells)
        ):
            heads = [cell for cell in cells if cell != "NUMA"]
        elif cells and re.fullmatch(r"GPU\d+", cells[0]):
            for head, type in zip(heads, cells[1:]):
                first, _, last = re.sub(r"\D+", "", head.split("-")[0]), 0, head.split("-")[-1]
                for device in range(int(first), int(re.sub(r"\D", "", last)) + 1):
                    expected = types.get((int(cells[0][3:]), (head[0], device)), "NET")
                    seen += 1
                    if int(cells[0][3:]) not in ranks.values():
                        continue  # in another system than rank 0, whose paths the document has
                    if type != ("X" if head[0] == "G" and device == int(cells[0][3:]) else expected):
                        wrong.append(f"{cells[0]} to {head}: {type} instead of {expected}")
    gpus = sorted(ranks.values())
    pairs = collections.Counter(types[(a, ("G", b))] for a in gpus for b in gpus if a < b)
    if all_alike := re.search(r"The path between every two GPUs is (\w+)\.", section):
        wrong += [] if set(pairs) == {all_alike[1]} else [f"{all_alike[0]} {pairs}"]
    elif counted := re.search(r"Paths between GPUs, in pairs: ([^.]+)\.", " ".join(section.split())):
        if {name: int(count) for count, name in (part.split() for part in counted[1].split(", "))} != pairs:
            wrong.append(f"{counted[0]} {pairs}")
    if all_alike or "in pairs:" in section:
        seen += real["local_ranks"] ** 2
    if seen != real["local_ranks"] * (real["local_ranks"] + len(nets)):
        wrong.append(f"{seen} paths in the matrix of {real['local_ranks']} GPUs and {len(nets)} NICs")
    return wrong


def main():
    kept = Kept("show", {"nvl72.json", "topo-m.input"})
    for name, arguments in CASES:
        text = piped(arguments)
        wrong = too_wide(text, 80) + check_figures(arguments, text)
        if piped(arguments) != text or not text.isascii():
            wrong.append("piped text is neither stable nor plain")
        for command in commands(text):
            if (done := run(command)).returncode:
                wrong.append(f"orrery {shlex.join(command)}: {done.stderr}")
        kept.hold(f"{name}.txt", text, wrong)
        for columns in (80, 120):
            text = on_terminal(arguments, columns)
            kept.hold(f"{name}.{columns}.txt", text, too_wide(text, columns) + too_long(text, columns))
        for columns in (40, 60, 100):
            for line in too_wide(piped(arguments, COLUMNS=str(columns)), columns):
                kept.wrong(f"{name} at {columns} columns: {line}")
    for name, arguments in PARTS:
        text = on_terminal(arguments, 80)
        kept.hold(f"{name}.80.txt", text, too_wide(text, 80))
    for path in sorted((ROOT / "static/examples").glob("*.xml")):
        for columns in SCREENS:
            for line in too_long(piped(["--hosts", "2", str(path.relative_to(ROOT))], COLUMNS=str(columns)), columns):
                kept.wrong(f"{path.name}: {line}")
    return kept.close()


if __name__ == "__main__":
    sys.exit(main())
