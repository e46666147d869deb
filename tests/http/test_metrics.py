# SPDX-License-Identifier: Apache-2.0
"""/metrics read by Prometheus' own parser: every family has a type and a description, figures match what was done, and
the dashboard uses only metrics that exist."""
import json
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from conftest import DUMP, ROOT, Server, wait_until


def families(server, **headers):
    response, data = server.ask("GET", "/metrics", headers=headers)
    assert response.status == 200 and response.getheader("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
    assert response.getheader("Cache-Control") == "no-store"
    return {family.name: family for family in text_string_to_metric_families(data.decode())}, data.decode()


def value(found, name, **labels):
    """The sum of the samples of a name that have these labels."""
    family = re.sub(r"_(bucket|sum|count|total)$", "", name)
    samples = found[name if name in found else family].samples
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


@pytest.fixture(scope="module")
def busy():
    """A server that has handled one request of every kind."""
    running = Server("--database", ":memory:", "--static", str(ROOT / "static"), "--max-body", "64K")
    id_ = running.json("POST", "/v1/topologies", DUMP)[1]["id"]
    for target, times in (
        (f"/v1/topologies/{id_}/analysis", 5),
        (f"/v1/topologies/{id_}/diagram.svg", 1),
        ("/nothing", 2),
        ("/v1/nothing", 1),
        (f"/v1/topologies/{'0' * 32}", 1),
        ("/healthz", 3),
    ):
        for _ in range(times):
            running.ask("GET", target)
    running.ask("HEAD", "/healthz")
    running.ask("POST", "/v1/analyze", b"x" * 70000)
    running.ask("POST", "/v1/analyze", b"nonsense")
    yield running
    running.stop()


def test_the_format_is_what_the_parser_wants(busy):
    found, text = families(busy)
    assert len(found) > 30
    for name, family in found.items():
        assert family.type in ("counter", "gauge", "histogram") and family.documentation, name
        assert re.fullmatch(r"(orrery|process)_[a-z_]+", name)
        if family.type == "counter":
            assert all(s.name.endswith("_total") for s in family.samples), name
        assert len({(s.name, tuple(sorted(s.labels.items()))) for s in family.samples}) == len(
            family.samples
        ), f"twice: {name}"
    assert text.endswith("\n") and not re.search(r"[^\x20-\x7e\n]", text)


def test_histograms_are_consistent(busy):
    found, _ = families(busy)
    seen = 0
    for family in found.values():
        if family.type != "histogram":
            continue
        groups = {}
        for sample in family.samples:
            labels = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
            groups.setdefault(labels, {"buckets": []})
            if sample.name.endswith("_bucket"):
                groups[labels]["buckets"].append((float(sample.labels["le"]), sample.value))
            else:
                groups[labels][sample.name.rsplit("_", 1)[1]] = sample.value
        for group in groups.values():
            bounds, counts = zip(*group["buckets"])
            assert list(bounds) == sorted(bounds) and bounds[-1] == float("inf")
            assert list(counts) == sorted(counts) and counts[-1] == group["count"] > 0 and group["sum"] >= 0
            seen += 1
    assert seen > 10


def test_requests_are_counted_by_template_and_code(busy):
    found, text = families(busy)
    count = "orrery_http_request_duration_seconds_count"
    assert value(found, count, method="GET", route="/v1/topologies/{id}/analysis", code="200") == 5
    assert value(found, count, method="POST", route="/v1/topologies", code="201") == 1
    assert value(found, count, method="GET", route="/{file}", code="404") == 2
    assert value(found, count, method="other", route="none", code="404") == 1
    assert value(found, count, route="/healthz", code="200") == 4
    assert (
        value(found, count, route="/v1/analyze", code="413") == 1
        and value(found, count, route="/v1/analyze", code="415") == 1
    )
    assert "0" * 32 not in text  # never a raw path
    # The answer before may be on its way still; it is counted when it has been sent.
    before = value(found, count, route="/metrics", code="200")
    wait_until(lambda: value(families(busy)[0], count, route="/metrics", code="200") > before)


def test_what_happened_inside(busy):
    found, _ = families(busy)
    for stage in ("parse", "graph", "paths", "search", "connect", "tuning", "write", "layout"):
        assert value(found, "orrery_stage_duration_seconds_count", stage=stage) >= 1, stage
    for operation in ("put", "get", "has", "read"):
        assert value(found, "orrery_store_operation_duration_seconds_count", operation=operation) >= 1, operation
    assert value(found, "orrery_store_failures_total") == 0
    assert value(found, "orrery_cache_hits_total") >= 4 and value(found, "orrery_cache_misses_total") >= 2
    assert 0 < value(found, "orrery_cache_bytes") < value(found, "orrery_cache_limit_bytes") == 256 << 20
    assert (
        value(found, "orrery_render_workers", state="running") == 1
        and value(found, "orrery_render_drawings_total", result="done") == 1
    )
    assert value(found, "orrery_rejected_total", reason="body_size") == 1 and value(found, "orrery_rejected_total") == 1
    assert value(found, "orrery_connections") >= 1 and value(found, "orrery_connections_max") == 1024
    assert value(found, "orrery_http_requests_in_flight") == 1  # this one
    assert (
        value(found, "orrery_http_received_bytes_total") >= len(DUMP)
        and value(found, "orrery_http_sent_bytes_total") > 10000
    )
    assert value(found, "orrery_draining") == 0
    labels = found["orrery_build_info"].samples[0].labels
    assert labels["version"] == busy.json("GET", "/version")[1]["version"]


def test_process_figures_are_those_of_the_process(busy):
    found, _ = families(busy)
    status = open(f"/proc/{busy.process.pid}/status").read()
    resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024
    assert abs(value(found, "process_resident_memory_bytes") - resident) < 0.2 * resident
    assert value(found, "process_threads") == int(re.search(r"Threads:\s+(\d+)", status)[1])
    assert 0 < value(found, "process_cpu_seconds_total") < 300 and 5 < value(found, "process_open_fds") < value(
        found, "process_max_fds"
    )
    import os
    import time

    age = time.time() - value(found, "process_start_time_seconds")
    assert -2 < age < 600 and os.path.exists(f"/proc/{busy.process.pid}")


def test_a_token_is_needed_unless_opened(tmp_path):
    import hashlib

    (tmp_path / "t").write_text(f"p read {hashlib.sha256(b'secret').hexdigest()}\n")
    for extra, status in (([], 401), (["--open-metrics"], 200)):
        server = Server("--database", ":memory:", "--token-file", str(tmp_path / "t"), *extra)
        assert server.ask("GET", "/metrics")[0].status == status
        found, _ = families(server, Authorization="Bearer secret")
        assert value(found, "orrery_tokens") == 1
        if status == 401:
            assert value(found, "orrery_rejected_total", reason="no_token") == 1
        server.stop()


def test_the_dashboard_asks_for_what_there_is(busy):
    found, _ = families(busy)
    names = set()
    for family in found.values():
        names |= {family.name, *(s.name for s in family.samples)}
        if family.type == "histogram":
            names |= {family.name + end for end in ("_bucket", "_sum", "_count")}
    dashboard = json.loads((ROOT / "server/deploy/grafana.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    expressions += [v["query"] for v in dashboard["templating"]["list"]]
    used = {name for e in expressions for name in re.findall(r"\b(?:orrery|process)_[a-z_]+", e)}
    assert len(expressions) > 25 and used <= names, used - names
    for expression in expressions:
        assert expression.count("(") == expression.count(")") and expression.count("{") == expression.count("}")
    labels = {
        "code",
        "method",
        "route",
        "reason",
        "stage",
        "operation",
        "result",
        "state",
        "le",
        "job",
        "instance",
        "version",
        "class",
        "limit",
    }
    for e in expressions:
        for by in re.findall(r"by \(([^)]*)\)", e):
            assert {word.strip() for word in by.split(",")} <= labels
    told = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in used}
    left_out = {re.sub(r"_total$", "", name) for name in found} - told
    assert left_out <= {
        "orrery_http_broken",
        "orrery_queue_max",
        "orrery_tokens",
        "orrery_reloads",
        "process_start_time_seconds",
        "process_virtual_memory_bytes",
        "process_threads",
    }, left_out
