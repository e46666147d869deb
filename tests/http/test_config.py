# SPDX-License-Identifier: Apache-2.0
"""The settings of the service: flags, environment, --help and --check-config all follow one table."""
import os
import re
import subprocess

import pytest

from conftest import ROOT, SANITIZERS, Server

PROGRAM = os.environ.get("ORRERY", str(ROOT / "build-dev" / "orrery"))


def serve(*arguments, **environment):
    done = subprocess.run(
        [PROGRAM, "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        env=dict(os.environ, **SANITIZERS, **environment),
    )
    assert "Sanitizer" not in done.stderr, done.stderr[-3000:]
    return done.returncode, done.stdout, done.stderr


def in_force(*arguments, **environment):
    """(value, source) of each setting."""
    status, out, err = serve("--check-config", *arguments, **environment)
    assert status == 0 and out.endswith("\nusable\n"), (out, err)
    return {row[0]: (row[1], row[2]) for row in (line.split() for line in out.splitlines()[:-1])}


def rows():
    return list(in_force())


def test_every_setting_has_a_line_in_help_and_a_default_that_can_be_used():
    help_ = subprocess.run([PROGRAM, "help", "serve"], capture_output=True, text=True, check=True).stdout
    table = in_force()
    assert len(table) > 20 and {source for _, source in table.values()} == {"default"}
    for name in table:
        assert re.search(rf"^  --{name}\b", help_, re.M), name
    assert set(re.findall(r"^  --([a-z-]+)", help_, re.M)) == set(table) | {"check-config", "help"}


def test_a_flag_goes_before_the_environment_and_that_before_the_default():
    assert in_force()["max-body"] == ("16777216", "default")
    assert in_force(ORRERY_MAX_BODY="2M")["max-body"] == ("2097152", "ORRERY_MAX_BODY")
    assert in_force("--max-body", "64K", ORRERY_MAX_BODY="2M")["max-body"] == ("65536", "--max-body")
    assert in_force("--max-body=64K", ORRERY_MAX_BODY="nonsense")["max-body"] == ("65536", "--max-body")
    assert in_force(ORRERY_MAX_BODY="")["max-body"] == ("16777216", "default")
    assert in_force("--quiet")["quiet"] == ("yes", "--quiet")
    assert in_force("--quiet=no", ORRERY_QUIET="1")["quiet"] == ("no", "--quiet")
    assert in_force("--grace", "1.5")["grace"][0] == "1.500" and in_force("--grace", "2m")["grace"][0] == "120"
    assert in_force("--log-format", "json")["log-format"][0] == "json"


def test_each_setting_is_read_from_its_variable():
    """For every row, an error about an invalid value names the variable, and a valid value takes effect."""
    for name, (value, _) in in_force().items():
        variable = "ORRERY_" + name.upper().replace("-", "_")
        if re.fullmatch(r"[\d.]+", value):
            status, _, err = serve("--check-config", **{variable: "x"})
            assert status == 1 and variable in err, (name, err)
        if name not in ("token-file", "tls-cert", "tls-key", "static", "cors-origins", "trusted-proxies"):
            given = value if value != "-" else ":memory:"
            assert in_force(**{variable: given})[name] == (given, variable)


@pytest.mark.parametrize(
    "arguments, status, word",
    [
        (["--max-body", "1"], 2, "1024"),
        (["--max-body", "1T"], 2, "bytes"),
        (["--threads", "-1"], 2, "--threads"),
        (["--connections", "99999999999999999999"], 2, "--connections"),
        (["--rate", "1.5"], 2, "whole number"),
        (["--quiet=perhaps"], 2, "yes or no"),
        (["--log-format", "xml"], 2, "logfmt|json"),
        (["--timeout", "0"], 2, "from 1 to"),
        (["--cors-origins", "ops.example.org"], 2, "not an origin"),
        (["--cors-origins", "https://a/b"], 2, "not an origin"),
        (["--trusted-proxies", "proxy.local"], 2, "nor a network"),
        (["--trusted-proxies", "10.0.0.0/33"], 2, "nor a network"),
        (["--token-file", "/nonexistent"], 1, "No such file"),
        (["--tls-cert", "x"], 2, "--tls-key is missing"),
        (["--listen", "0.0.0.0:0"], 2, "--token-file"),
        (["--listen", "nowhere"], 2, "ADDR:PORT"),
        (["--static", "/nonexistent"], 1, "not a folder"),
    ],
)
def test_what_is_wrong_is_said_and_ends_it(arguments, status, word):
    for extra in ([], ["--check-config"]):
        got, out, err = serve("--database", ":memory:", *arguments, *extra)
        assert got == status and word in err, err
        assert "usable" not in out or out.endswith("not usable\n")


def test_several_faults_are_all_told():
    status, _, err = serve("--check-config", "--cors-origins", "x", "--token-file", "/nonexistent", ORRERY_RATE="fast")
    assert status == 2 and all(word in err for word in ('x" is not an origin', "/nonexistent", "ORRERY_RATE"))


def test_variables_that_kubernetes_makes_are_notes():
    status, _, err = serve("--check-config", ORRERY_PORT_8080_TCP="tcp://10.0.0.1:8080")
    assert status == 0 and "no setting ORRERY_PORT_8080_TCP" in err


@pytest.mark.parametrize(
    "url, shown",
    [
        (
            "postgresql://orrery:s3cret@db:5432/orrery?sslmode=require",
            "postgresql://orrery:***@db:5432/orrery?sslmode=require",
        ),
        ("postgresql://orrery@db/orrery?password=s3cret&x=1", "postgresql://orrery@db/orrery?password=***&x=1"),
        ("postgresql://o:s3@cret@db/x", "postgresql://o:***@db/x"),
        ("postgresql://db/x", "postgresql://db/x"),
    ],
)
def test_passwords_are_never_shown(url, shown):
    assert in_force(ORRERY_DATABASE=url)["database"] == (shown, "ORRERY_DATABASE")


def test_settings_of_the_environment_are_in_force():
    server = Server("--database", ":memory:", environment={"ORRERY_MAX_BODY": "2K", "ORRERY_LOG_FORMAT": "json"})
    assert server.ask("POST", "/v1/analyze", b"x" * 3000)[0].status == 413
    assert '"status":413' in server.stop()
