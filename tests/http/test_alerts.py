# SPDX-License-Identifier: Apache-2.0
"""The alert rules: Prometheus' own tool reads them and runs them on made-up series; the service has the metrics that
they use."""
import re
import shutil
import subprocess

import pytest

from conftest import ROOT
from test_events import HEALTHY, NARROW, upload
from test_metrics import families, value

RULES = ROOT / "server/deploy/alerts.yml"
needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is missing (package prometheus)")

# A sample per minute: a series, the alert that it raises after an hour, and a series that raises none.
CASES = [
    ("orrery_host_changes_total", "0x45 1x15", "OrreryHostChanged", True),
    ("orrery_host_changes_total", "5x60", "OrreryHostChanged", False),  # a change long ago
    ("orrery_host_changes_total", "0+1x60", "OrreryManyHostsChanged", True),
    ("orrery_host_changes_total", "0x30 3x30", "OrreryManyHostsChanged", False),
    ('orrery_hosts{group="other"}', "2x130", "OrreryHostsDiffer", True),
    ('orrery_hosts{group="most"}', "2x130", "OrreryHostsDiffer", False),
    ('orrery_hosts{group="other",verdict="slower"}', "1x60", "OrreryHostsSlower", True),
    ('orrery_hosts{group="other",verdict="alike"}', "1x60", "OrreryHostsSlower", False),
    ('orrery_hosts{group="other",verdict="slower"}', "0x56 1x4", "OrreryHostsSlower", False),  # not for long yet
    ('orrery_store_failures_total{operation="put"}', "0x40 0+1x20", "OrreryStoreFails", True),
    ('orrery_store_failures_total{operation="put"}', "0x57 1x3", "OrreryStoreFails", False),  # only for a moment
]


@needs_promtool
def test_prometheus_reads_the_rules():
    subprocess.run(["promtool", "check", "rules", str(RULES)], check=True, capture_output=True)


@needs_promtool
@pytest.mark.parametrize("series,values,alert,raised", CASES)
def test_alerts_fire_when_they_should(tmp_path, series, values, alert, raised):
    labels = (series[:-1] + "," if series.endswith("}") else series + "{") + 'instance="hub"}'
    test = f"""
rule_files: [{RULES}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series: [{{series: '{labels}', values: '{values}'}}]
    promql_expr_test:
      - expr: count(ALERTS{{alertname="{alert}", alertstate="firing"}}) or vector(0)
        eval_time: 1h
        exp_samples: [{{value: {int(raised)}}}]
"""
    (tmp_path / "test.yml").write_text(test)
    done = subprocess.run(["promtool", "test", "rules", str(tmp_path / "test.yml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_service_counts_what_the_rules_ask(server):
    found = families(server)[0]
    names = {sample.name for family in found.values() for sample in family.samples}
    assert set(re.findall(r"\borrery_\w+", RULES.read_text())) <= names
    before = value(found, "orrery_host_changes_total")
    for dump in (HEALTHY, HEALTHY, NARROW, HEALTHY):
        upload(server, "alert-1", dump)
    assert value(families(server)[0], "orrery_host_changes_total") == before + 2
