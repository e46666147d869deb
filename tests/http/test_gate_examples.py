# SPDX-License-Identifier: Apache-2.0
"""examples/gate: each script, unit and manifest is run, or checked by the documentation of the program that reads
it."""
import json
import os
import re
import shlex
import subprocess

import pytest
import yaml

from conftest import ROOT, SANITIZERS, Server
from test_command_line import PROGRAM
from test_compare import H100, narrow, put

EXAMPLES = ROOT / "examples" / "gate"
SLOW = "--timeout 600"
STATES = {"fit": 0, "degraded": 3, "unknown": 4}


@pytest.fixture
def nodes(tmp_path):
    """A file for each state, and the expectation."""
    files = {"expected": H100, "fit": H100, "degraded": narrow(H100), "unknown": b"nothing"}
    for name, content in files.items():
        (tmp_path / f"{name}.xml").write_bytes(content)
    return {name: str(tmp_path / f"{name}.xml") for name in files}


def script(name, environment, path=""):
    return subprocess.run(
        [str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": f"{path}:{os.environ['PATH']}", "ORRERY": PROGRAM, **SANITIZERS, **environment},
    )


def asks(nodes, state, **others):
    return {"ORRERY_GATE_EXPECT": nodes["expected"], "ORRERY_GATE_OPTIONS": f"{SLOW} {nodes[state]}", **others}


def test_scripts_pass_shellcheck():
    scripts = sorted(str(path) for path in EXAMPLES.glob("*.sh"))
    done = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
    assert len(scripts) == 2 and done.returncode == 0, done.stdout


@pytest.fixture
def scontrol(tmp_path):
    """A scontrol that records its arguments, one per line."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "scontrol").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/said\n')
    (folder / "scontrol").chmod(0o755)
    return str(folder), tmp_path / "said"


@pytest.mark.parametrize(
    "state, strict, drained",
    [("fit", "0", False), ("degraded", "0", True), ("unknown", "0", False), ("unknown", "1", True)],
)
def test_slurm_health_check(nodes, scontrol, state, strict, drained):
    folder, said = scontrol
    done = script("slurm-gate.sh", asks(nodes, state, ORRERY_GATE_STRICT=strict, SLURMD_NODENAME="node-17"), folder)
    assert done.returncode == 0, done
    assert said.exists() == drained
    if drained:
        words = said.read_text().splitlines()
        assert (
            words[:3] == ["update", "NodeName=node-17", "State=DRAIN"]
            and len(words) == 4
            and words[3].startswith("Reason=orrery gate: ")
        )
    if state == "degraded":
        assert re.search(r"AllReduce gets \S+ of \S+ GB/s on 2 hosts \(\d+ % less\)", said.read_text())
    assert bool(done.stderr) == (state == "unknown"), "what cannot be judged goes to slurmd's log"


def test_slurm_prolog(nodes, scontrol):
    """slurmd drains the node of a prolog that fails; scontrol must not be called there."""
    folder, said = scontrol
    for state, status in (("fit", 0), ("degraded", 1), ("unknown", 0)):
        done = script("slurm-gate.sh", asks(nodes, state, SLURM_JOB_ID="7"), folder)
        assert done.returncode == status and not said.exists() and bool(done.stderr) == (state != "fit"), done


@pytest.mark.parametrize("state, status", [("fit", 0), ("degraded", 1), ("unknown", 2)])
def test_node_problem_detector_plugin(nodes, state, status):
    done = script("npd-gate.sh", asks(nodes, state))
    assert done.returncode == status and done.stdout.count("\n") == 1, done


def seconds(text):
    found = re.fullmatch(r"(\d+)(s|m)", text)
    return int(found[1]) * (60 if found[2] == "m" else 1)


def test_node_problem_detector_configuration():
    """The fields of docs/custom_plugin_monitor.md of node-problem-detector."""
    config = json.loads((EXAMPLES / "npd-gate.json").read_text())
    assert (
        set(config) == {"plugin", "pluginConfig", "source", "metricsReporting", "conditions", "rules"}
        and config["plugin"] == "custom"
    )
    plugin = config["pluginConfig"]
    assert set(plugin) == {
        "invoke_interval",
        "timeout",
        "max_output_length",
        "concurrency",
        "enable_message_change_based_condition_update",
    }
    [condition], [rule] = config["conditions"], config["rules"]
    assert set(condition) == {"type", "reason", "message"} and set(rule) == {
        "type",
        "condition",
        "reason",
        "path",
        "timeout",
    }
    assert (
        rule["type"] == "permanent" and rule["condition"] == condition["type"] and rule["path"].endswith("/npd-gate.sh")
    )
    inner = int(re.search(r"--timeout (\d+)", (EXAMPLES / "npd-gate.sh").read_text())[1])
    assert inner < seconds(rule["timeout"]) <= seconds(plugin["timeout"]) < seconds(plugin["invoke_interval"])


def test_systemd_units(nodes, tmp_path):
    folder = tmp_path / "units"
    folder.mkdir()
    units = []
    for ending in ("service", "timer"):
        text = (EXAMPLES / f"orrery-gate.{ending}").read_text()
        units.append(folder / f"orrery-gate.{ending}")
        units[-1].write_text(text.replace("/usr/bin/orrery", os.path.abspath(PROGRAM)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", units[0]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-400:]
    text = units[0].read_text()
    line = re.search(r"^ExecStart=(.*)$", text, re.M)[1].replace("${ORRERY_GATE_EXPECT}", nodes["expected"])
    success = {0, *map(int, re.search(r"^SuccessExitStatus=(.*)$", text, re.M)[1].split())}
    for state, status in STATES.items():
        words = shlex.split(line.replace("$ORRERY_GATE_OPTIONS", f"{SLOW} {nodes[state]}"))
        done = subprocess.run(words, capture_output=True, timeout=300, env={**os.environ, **SANITIZERS}, check=False)
        assert done.returncode == status and (status in success) == (state != "degraded")


# The fields of Kubernetes' API reference (apps/v1 DaemonSet and what is inside it) that a manifest may use here.
FIELDS = {
    "DaemonSet": {"apiVersion", "kind", "metadata", "spec"},
    "metadata": {"name", "namespace", "labels", "annotations"},
    "spec": {"selector", "template", "updateStrategy", "minReadySeconds"},
    "pod": {
        "automountServiceAccountToken",
        "runtimeClassName",
        "nodeSelector",
        "tolerations",
        "initContainers",
        "containers",
        "volumes",
        "hostNetwork",
    },
    "container": {"name", "image", "command", "args", "env", "volumeMounts", "resources", "securityContext"},
    "mount": {"name", "mountPath", "readOnly"},
    "volume": {"name", "secret", "hostPath"},
    "security": {"runAsUser", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "capabilities"},
    "toleration": {"key", "operator", "value", "effect"},
}


def manifest():
    [document] = yaml.safe_load_all((EXAMPLES / "kubernetes-gate.yaml").read_text())
    return document


def test_kubernetes_manifest_has_documented_fields():
    document = manifest()
    spec, pod = document["spec"], document["spec"]["template"]["spec"]
    assert (document["apiVersion"], document["kind"]) == ("apps/v1", "DaemonSet") and set(document) == FIELDS[
        "DaemonSet"
    ]
    assert (
        set(document["metadata"]) | set(spec["template"]["metadata"]) <= FIELDS["metadata"]
        and set(spec) <= FIELDS["spec"]
    )
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    assert set(pod) <= FIELDS["pod"] and all(set(one) <= FIELDS["toleration"] for one in pod["tolerations"])
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert all(set(volume) <= FIELDS["volume"] for volume in pod["volumes"])
    assert {volume["hostPath"]["type"] for volume in pod["volumes"] if "hostPath" in volume} == {
        "Directory",
        "DirectoryOrCreate",
    }
    for container in pod["initContainers"] + pod["containers"]:
        assert set(container) <= FIELDS["container"] and set(container["securityContext"]) <= FIELDS["security"]
        assert all(set(mount) <= FIELDS["mount"] and mount["name"] in volumes for mount in container["volumeMounts"])
        for variable in container["env"]:
            assert isinstance(variable.get("value", ""), str) and set(variable) in (
                {"name", "value"},
                {"name", "valueFrom"},
            )
        assert all(isinstance(word, str) for word in container["command"])
        assert all("nvidia.com/gpu" not in str(container.get("resources")) for _ in [0]), "no GPU is claimed"


def test_kubernetes_manifest_runs_beside_a_service(nodes, tmp_path):
    """The commands of both containers, with the files of three nodes in place of /sys."""
    pod = manifest()["spec"]["template"]["spec"]
    done = subprocess.run(
        [PROGRAM, "token", "gate", "--scope", "read,write"], capture_output=True, text=True, check=True
    )
    (tmp_path / "tokens").write_text(done.stdout)
    secret = re.search(r"orr_[0-9a-f]+", done.stderr)[0]
    (tmp_path / "token").write_text(secret + "\n")
    (tmp_path / "features.d").mkdir()
    server = Server("--database", str(tmp_path / "fleet.db"), "--token-file", str(tmp_path / "tokens"), token=secret)
    values = {one["name"]: one["value"] for one in pod["containers"][0]["env"] if "value" in one}
    values.update(ORRERY_SERVER=f"http://127.0.0.1:{server.port}", ORRERY_SECONDS="0", NODE_NAME="node-17")
    try:
        for i in range(3):
            put(server, H100, f"?label=host%3Dgood-{i}&label={values['ORRERY_LABEL'].replace('=', '%3D')}")
        # what the init container gives `orrery detect`, with another tree
        words = [
            re.sub(r"\$\((\w+)\)", lambda found: values[found[1]], word) for word in pod["initContainers"][0]["command"]
        ]
        words = [
            PROGRAM,
            *[word.replace("/etc/orrery/token", str(tmp_path / "token")) for word in words[1:]],
            "--root",
            str(tmp_path),
            "--nvml",
            "none",
        ]
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=300, env={**os.environ, **SANITIZERS}, check=False
        )
        assert done.returncode == 0 and done.stdout.startswith(f"http://127.0.0.1:{server.port}/v1/topologies/"), done
        hosts = {item["host"] for item in server.json("GET", "/v1/hosts")[1]["items"]}
        assert hosts == {"good-0", "good-1", "good-2", "node-17"}
        loop = (
            pod["containers"][0]["command"][2]
            .replace("/features.d", str(tmp_path / "features.d"))
            .replace("/etc/orrery/token", str(tmp_path / "token"))
        )
        loop = loop.replace("--timeout 20", SLOW)
        checked = subprocess.run(
            ["shellcheck", "--shell=sh", "-"], input=loop, capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout
        for state in STATES:
            program = tmp_path / "orrery"
            program.write_text(f'#!/bin/sh\nexec {PROGRAM} "$@" {nodes[state]}\n')
            program.chmod(0o755)
            done = subprocess.run(
                ["/bin/sh", "-c", loop],
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
                env={**os.environ, **values, **SANITIZERS, "ORRERY": str(program)},
            )
            assert done.returncode == 0 and not done.stderr and done.stdout.startswith("node-17: "), done
            comment, label = (tmp_path / "features.d" / "orrery-gate").read_text().splitlines()
            assert comment == f"# {done.stdout.strip()}" and label == f"nccl.orrery/gate={state}"
        assert os.listdir(tmp_path / "features.d") == ["orrery-gate"]
    finally:
        server.stop()
