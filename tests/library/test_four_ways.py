# SPDX-License-Identifier: Apache-2.0
"""The same question has the same JSON by the command line, REST, the C library and Python.

REST, C and Python must agree byte for byte. The command line must agree in every value and in the order of members,
apart from names, which MUST_DIFFER lists.
"""
import json
import os
import pathlib
import subprocess
import urllib.parse
import urllib.request

import jsonschema
import pytest

import orrery
from conftest import PROGRAM, ROOT

BUILD = pathlib.Path(PROGRAM).resolve().parent
EXAMPLES = ROOT / "static" / "examples"
LOGS = ROOT / "tests" / "data" / "logs"
TWO, A100, H100, FAULTY = (
    EXAMPLES / f"{name}.xml" for name in ("workstation-2gpu", "a100-nvswitch", "h100-nvswitch", "h100-with-faults")
)

SCHEMAS = BUILD / "schemas"
ANSWERED = json.loads((SCHEMAS / "index.json").read_text())

# What must differ between the command line and the others: a file has a path or a name there and an id here.
MUST_DIFFER = {"topology", "name"}

# Each question: its name, its parameters, its input, and the words of the command line if they are not simply
# `orrery NAME --json --PARAMETER VALUE FILE`.
QUESTIONS = [
    ("analyze", "", TWO),
    ("analyze", "release=2.27.7&hosts=2", TWO),
    ("analyze", "release=2.7.8", TWO),
    ("analyze", "release=2.21.5&hosts=4&NCCL_CROSS_NIC=1", A100),
    ("analyze", "release=2.30.7&section=paths", H100),
    ("analyze", "release=2.18.1&section=graphs&NCCL_ALGO=Ring", H100),
    ("analyze", "section=findings&hosts=2", FAULTY),
    ("analyze", "gpus=0,2,5&hosts=2&section=channels", A100),
    ("analyze", "nics=mlx5_0,mlx5_1&hosts=2&section=net_devs", A100),
    ("analyze", "section=tuning&NCCL_NVLS_ENABLE=0", H100),
    ("analyze", "machine=hgx-b200&hosts=2&section=summary", None),
    ("analyze", "nearest=1&release=2.99.9&section=nccl", TWO),
    ("diff", "release=2.27.7&against=2.21.5", TWO),
    ("diff", "hosts=2&against=NCCL_CROSS_NIC%3D1&against=NCCL_ALGO%3DTree", A100),
    ("explain", "decision=p2p&from=rank:0&to=rank:1", TWO),
    ("explain", "decision=path&from=rank:0&to=NET/0-0&hosts=2", A100),
    ("explain", "decision=gdr&from=rank:1&to=NET/0-0&hosts=2&release=2.27.7", A100),
    ("explain", "decision=channels&hosts=2", TWO),
    ("explain", "decision=algorithm&collective=AllReduce&bytes=64M&hosts=2", TWO),
    ("explain", "decision=nic&from=rank:3&hosts=2", A100),
    ("predict", "collective=all_reduce&hosts=2&sizes=1M:64M:4", A100),
    ("predict", "collective=alltoall&sizes=1M:1G:8", H100),
    ("predict", "machine=hgx-h100&hosts=2&sizes=1G", None),
    ("place", "count=4&hosts=2", A100),
    ("place", "count=2&compare=0,1", TWO),
    ("place", "jobs=2,2,2&hosts=1", A100),
    ("channels", "hosts=3", TWO),
    ("channels", "hosts=2&release=2.21.5", H100),
    ("p2p", "hosts=2", TWO),
    ("p2p", "hosts=2&ranks=0-1", A100),
    ("gate", "expect=hgx-h100&node=n0", FAULTY),
    ("gate", "expect=dgx-a100&hosts=1&node=n1", A100),
    ("check-log", "", LOGS / "workstation-2.27.7-2h.log"),
    ("check-log", "", LOGS / "workstation-2.12.12-1h.log"),
    ("check-log", "machine=hgx-h100", LOGS / "cube-2.27.7-cut.log"),
    ("releases", "", None),
    ("settings", "release=2.21.5", None),
    ("machines", "", None),
    ("compare", "release=2.27.7", (A100, H100)),
    ("compare", "release=2.27.7&hosts=2", (H100, FAULTY)),
    ("compare", "machine=hgx-h100", (FAULTY,)),
    ("check-perf", "machine=hgx-h100", "results"),
    ("cluster/analysis", "release=2.27.7", ((A100, 2), (H100, 1))),
    ("cluster/analysis", "", ((TWO, 3),)),
    ("cluster/groups", "layout=tp%3D8,pp%3D2", ((A100, 2), (H100, 2))),
    ("cluster/order", "collective=sendrecv&size=64M", ((A100, 2), (H100, 1))),
    ("cluster/predict", "sizes=1M:1G:32", ((A100, 1), (H100, 1))),
]
# Answers that are not JSON: the bytes are the same in all four ways.
TEXTS = [
    ("convert", "", TWO),
    ("convert", "machine=dgx-a100", None),
    ("render", "format=dot&view=ring&hosts=2", A100),
    ("render", "format=svg&theme=dark", TWO),
    ("anonymise", "", A100),
    ("vm-file", "gpus=0000:00:05.0,0000:00:06.0", TWO),
]
# Errors are the same by REST, C and Python: code, text and place.
ERRORS = [
    ("analyze", "release=9", TWO, "invalid-setting"),
    ("analyze", "hosts=0", TWO, "invalid-setting"),
    ("analyze", "relase=2.27.7", TWO, "invalid-parameter"),
    ("analyze", "section=ranksofall", TWO, "not-found"),
    ("analyze", "", None, "empty-body"),
    ("explain", "", TWO, "invalid-parameter"),
    ("nothing", "", None, "not-found"),
    ("compare", "a=" + "0" * 32 + "&b=" + "1" * 32, None, "not-found"),
]


def check_schema(question, document):
    """The document is what the schema of its question says."""
    if question.startswith("GET /v1/clusters/"):
        names = [ANSWERED["GET /v1/clusters/{id}/" + question.split("/")[-1]]]
    else:
        names = [
            ANSWERED[f"{method} /v1/{question}"] for method in ("POST", "GET") if f"{method} /v1/{question}" in ANSWERED
        ]
    assert names, f"{question} has no schema"
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / names[0]).read_text())).validate(document)


@pytest.fixture(scope="module")
def rest():
    process = subprocess.Popen(
        [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--database", ":memory:", "--quiet"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = process.stdout.readline().split()[-1]

        def ask(question, parameters, data):
            method, target = (
                question.split(" ")
                if " " in question
                else (
                    "POST" if question not in ("releases", "settings", "machines", "compare") else "GET",
                    f"/v1/{question}",
                )
            )
            request = urllib.request.Request(
                f"{address}{target}{'?' if parameters else ''}{parameters}",
                method=method,
                data=data if method == "POST" else None,
            )
            try:
                return urllib.request.urlopen(request, timeout=120).read()
            except urllib.error.HTTPError as error:
                return error.read()

        yield ask
    finally:
        process.terminate()
        assert process.wait(60) == 0


@pytest.fixture(scope="module")
def c_library():
    """tests/library/ask.c, which is linked with the library."""
    process = subprocess.Popen(
        [BUILD / "tests" / "library_ask", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
    )

    def send(line):
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline().decode().rstrip("\n")

    def ask(question, parameters, path):
        head = send(f"ask {question}\t{parameters}\t{path or ''}")
        return process.stdout.read(int(head.split(" ")[1])) if not head.startswith("error ") else head

    ask.keep = lambda name, path: send(f"keep {name} {path}")
    yield ask
    process.stdin.close()
    assert process.wait(60) == 0


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A table of nccl-tests, as the prediction writes it."""
    path = tmp_path_factory.mktemp("results") / "results.txt"
    path.write_bytes(
        subprocess.run(
            [PROGRAM, "predict", "--machine=hgx-h100", "--hosts=2", "--sizes=1M:8G:4"], check=True, capture_output=True
        ).stdout
    )
    return path


def command_line(words, expect=(0,)):
    slow = ["--timeout", "600"] if words[0] == "gate" else []  # no test depends on how fast this machine is
    done = subprocess.run([PROGRAM, *map(str, words), *slow], capture_output=True, timeout=300)
    assert done.returncode in expect, done.stderr.decode()
    return json.loads(done.stdout)


def options_of(parameters):
    """`release=2.27.7&NCCL_X=1` as options; what is written NAME_WITH_UNDERSCORE has dashes there."""
    return [
        f"--set={name}={value}"
        if name.startswith("NCCL_")
        else f"--{name.replace('_', '-')}={value}"
        if name != "nearest"
        else "--nearest"
        for name, value in urllib.parse.parse_qsl(parameters)
    ]


def neutral(value, names):
    """Names of files, which the command line has and the others do not, in place of ids."""
    if isinstance(value, dict):
        return {
            key: "a name" if key in MUST_DIFFER and one in names else neutral(one, names) for key, one in value.items()
        }
    return [neutral(one, names) for one in value] if isinstance(value, list) else value


def assert_same(document, from_command_line, names):
    ours, theirs = (
        json.dumps(neutral(one, names), indent=1).splitlines() for one in (json.loads(document), from_command_line)
    )
    differing = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]]
    assert not differing and len(ours) == len(theirs), differing[:4]


def python_of(question, parameters, data):
    """By Session.ask_bytes(), with keyword arguments."""
    given = {}
    for name, value in urllib.parse.parse_qsl(parameters):
        given.setdefault(name, []).append(value)
    return orrery.session().ask_bytes(
        question, data, **{name: one if len(one) > 1 else one[0] for name, one in given.items()}
    )[1]


def keep_everywhere(rest, c_library, path):
    """The id of a kept input, the same in each way."""
    data = path.read_bytes()
    ids = {
        json.loads(rest("POST /v1/topologies", f"name={path.name}", data))["id"],
        c_library.keep(path.name, path),
        orrery.session().keep(data, path.name),
    }
    assert len(ids) == 1
    return ids.pop()


@pytest.mark.parametrize("question, parameters, given", QUESTIONS, ids=[f"{q[0]}-{i}" for i, q in enumerate(QUESTIONS)])
def test_same_answer(rest, c_library, results, tmp_path, question, parameters, given):
    words, names, data, path = [question, *options_of(parameters)], {""}, None, None
    if question == "compare":
        ids = [keep_everywhere(rest, c_library, one) for one in given]
        words += ["--json", *given]
        names |= {*ids, "HGX H100, 8 GPUs", *(str(one) for one in given), *(one.name for one in given)}
        parameters = "&".join([f"{side}={one}" for side, one in zip("ab", ids)] + [parameters])
    elif question.startswith("cluster/"):
        command = {"analysis": "analyze"}.get(question.split("/")[1], question.split("/")[1])
        ids = [(keep_everywhere(rest, c_library, one), count) for one, count in given]
        file = tmp_path / "cluster.json"

        def named(topologies):
            """The cluster with names, since the command line would take those of the files."""
            return {
                "hosts": [
                    {"topology": one, "count": count, "names": [f"n{i}{at}" for at in range(count)]}
                    for i, (one, (_, count)) in enumerate(zip(topologies, given))
                ]
            }

        file.write_text(json.dumps(named([str(one) for one, _ in given])))
        body = json.dumps(named([one for one, _ in ids])).encode()
        body_file = tmp_path / "body.json"
        body_file.write_bytes(body)
        made = rest("POST /v1/clusters", "", body)
        cluster = json.loads(made)["id"]
        assert json.loads(c_library("POST /v1/clusters", "", body_file))["id"] == cluster
        assert json.loads(python_of("POST /v1/clusters", "", body))["id"] == cluster
        names |= {
            cluster,
            file.name,
            *(one for one, _ in ids),
            *(str(one) for one, _ in given),
            *(one.name for one, _ in given),
        }
        words = [
            command,
            "--format=json" if command == "order" else "--json",
            *options_of(parameters),
            "--cluster",
            file,
        ]
        question = f"GET /v1/clusters/{cluster}/{question.split('/')[1]}"
    elif question in ("releases", "settings", "machines"):
        words.append("--json")
    else:
        path = results if given == "results" else given
        data = path.read_bytes() if path else None
        if question == "diff":
            words[0] = "analyze"
        words = [word.replace("--decision=", "--why=") if isinstance(word, str) else word for word in words]
        words += ["--json", *([path] if path else [])] if question not in ("channels", "p2p") else ["--json", path]
        if path:
            names |= {path.name, str(path)}
    by_rest = rest(question, parameters, data)
    document = json.loads(by_rest)
    assert not (isinstance(document, dict) and str(document.get("type", "")).startswith("/problems/")), document
    check_schema(question, document)
    assert c_library(question, parameters, path) == by_rest
    assert python_of(question, parameters, data) == by_rest
    if isinstance(document, dict):
        names |= {
            one
            for one in (document.get("topology"), dict(urllib.parse.parse_qsl(parameters)).get("machine"))
            if isinstance(one, str)
        }
    assert_same(by_rest, command_line(words, (0, 3, 4)), names)


@pytest.mark.parametrize("question, parameters, path", TEXTS, ids=[f"{t[0]}-{i}" for i, t in enumerate(TEXTS)])
def test_same_bytes(rest, c_library, question, parameters, path):
    data = path.read_bytes() if path else None
    by_rest = rest(question, parameters, data)
    assert by_rest[:1] != b"{" and c_library(question, parameters, path) == by_rest == python_of(
        question, parameters, data
    )
    done = subprocess.run(
        [PROGRAM, question, *options_of(parameters), *([path] if path else [])], capture_output=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, by_rest), done.stderr.decode()


@pytest.mark.parametrize(
    "question, parameters, path, code", ERRORS, ids=[f"{e[0]}-{e[3]}-{i}" for i, e in enumerate(ERRORS)]
)
def test_same_error(rest, c_library, question, parameters, path, code):
    data = path.read_bytes() if path else None
    problem = json.loads(rest(question, parameters, data))
    assert problem["type"] == f"/problems/{code}"
    assert c_library(question, parameters, path) == f"error {code}: {problem['detail']}"
    with pytest.raises(orrery.OrreryError) as raised:
        python_of(question, parameters, data)
    assert (raised.value.code, raised.value.text, raised.value.where, raised.value.advice) == (
        code,
        problem["detail"],
        problem.get("where", ""),
        problem.get("advice", ""),
    )


def test_schemas_are_valid_and_can_refuse():
    for path in SCHEMAS.glob("*.json"):
        if path.name != "index.json":
            jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))
    assert {path.name for path in SCHEMAS.glob("*.json")} == {"index.json", *ANSWERED.values()} and len(ANSWERED) > 40
    document = orrery.load(TWO).analyze().document
    for broken in (
        {**document, "ranks": "two"},
        {name: value for name, value in document.items() if name != "paths"},
        {**document, "paths": [{"from": "GPU/0-1"}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(json.loads((SCHEMAS / "analysis.json").read_text())).validate(broken)


def test_plans_write_the_same_document(rest):
    """Topology.analyze() computes by the typed interface; its document is that of REST."""
    for parameters, asked in (
        ("release=2.27.7&hosts=2", {"release": "2.27.7", "hosts": 2}),
        ("NCCL_ALGO=Ring", {"NCCL_ALGO": "Ring"}),
    ):
        assert orrery.load(A100).analyze(**asked).json() == rest("analyze", parameters, A100.read_bytes())
    assert len(QUESTIONS) >= 40
