"""The Prometheus rules in `deploy/alerts.yml` use only metrics that nodes report."""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml import YAML

from server.base.core.days import DRAWN_AHEAD
from server.base.core.memory_level import FROM
from server.base.net.load import MAX_LAG
from server.base.work.metrics import Metrics
from tests.deploy.promql import labels_by_name, selectors
from tests.processes import ROOT
from tests.redis_servers import running_server
from tests.test_losses import site_on

DOCUMENT: Any = YAML(typ="safe").load(ROOT / "deploy/alerts.yml")
RULES: list[dict[str, Any]] = [rule for group in DOCUMENT["groups"] for rule in group["rules"]]


def metrics_of(rule: dict[str, Any]) -> set[str]:
    return {name for name, _ in selectors(rule["expr"])}


def test_each_rule_has_instructions_and_a_severity() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]
        assert rule["labels"]["severity"] in {"warning", "critical"}, rule["alert"]
        assert metrics_of(rule), rule["alert"]


def test_a_rule_uses_existing_labels() -> None:
    known = labels_by_name()
    for rule in RULES:
        for name, labels in selectors(rule["expr"]):
            assert labels <= known[name], rule["alert"]


def test_a_node_reports_each_metric_from_its_start() -> None:
    """Prometheus sees no increase in a counter that appears with its first value."""
    with running_server() as server, site_on(server.url) as site:
        found = site.metrics()
    names = {name for name, _ in found}
    for rule in RULES:
        assert metrics_of(rule) <= names, rule["alert"]
    assert found["samedeal_refusals_total", frozenset({("code", "unavailable")})] == 0


def test_the_alert_of_lost_data_covers_every_kind_of_loss() -> None:
    (rule,) = [rule for rule in RULES if rule["alert"] == "SamedealDataLost"]
    counted = {f"samedeal_store_{name}_total" for name in Metrics.__slots__ if "lost" in name}
    assert metrics_of(rule) == counted
    assert len(re.findall(r"> 0\b", rule["expr"])) == len(counted)


def test_the_bounds_of_alerts_equal_the_nodes_thresholds() -> None:
    bounds = {
        rule["alert"]: float(found[1])
        for rule in RULES
        if (found := re.search(r"[<>]=? ([\d.]+)(?!.*[<>])", rule["expr"], re.DOTALL))
    }
    assert bounds["SamedealStoreFilling"] == bounds["SamedealStoreFillsSoon"] == FROM["filling"]
    assert bounds["SamedealStoreFull"] == FROM["short"]
    assert bounds["SamedealMovesSlow"] == MAX_LAG
    assert bounds["SamedealPoolShort"] == DRAWN_AHEAD
