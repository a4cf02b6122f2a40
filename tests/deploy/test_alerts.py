"""The rules for Prometheus, `deploy/alerts.yml`: what they ask for is what nodes tell."""

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
    """Return the names of the metrics in a rule's expression."""
    return {name for name, _ in selectors(rule["expr"])}


def test_each_rule_says_what_to_do_and_how_urgent_it_is() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["annotations"]["summary"].endswith("."), rule["alert"]
        assert rule["labels"]["severity"] in {"warning", "critical"}, rule["alert"]
        assert metrics_of(rule), rule["alert"]


def test_a_rule_asks_for_labels_that_metrics_have() -> None:
    known = labels_by_name()
    for rule in RULES:
        for name, labels in selectors(rule["expr"]):
            assert labels <= known[name], rule["alert"]


def test_a_node_has_each_metric_from_its_start() -> None:
    """A counter that appears with its first value has not increased, as Prometheus sees it."""
    with running_server() as server, site_on(server.url) as site:
        found = site.metrics()
    names = {name for name, _ in found}
    for rule in RULES:
        assert metrics_of(rule) <= names, rule["alert"]
    assert found["samedeal_refusals_total", frozenset({("code", "unavailable")})] == 0


def test_the_alert_of_lost_data_asks_for_all_that_a_node_counts_as_lost() -> None:
    (rule,) = [rule for rule in RULES if rule["alert"] == "SamedealDataLost"]
    counted = {f"samedeal_store_{name}_total" for name in Metrics.__slots__ if "lost" in name}
    assert metrics_of(rule) == counted
    assert len(re.findall(r"> 0\b", rule["expr"])) == len(counted)


def test_the_bounds_of_alerts_are_those_from_which_a_node_acts() -> None:
    bounds = {
        rule["alert"]: float(found[1])
        for rule in RULES
        if (found := re.search(r"[<>]=? ([\d.]+)(?!.*[<>])", rule["expr"], re.DOTALL))
    }
    assert bounds["SamedealStoreFilling"] == bounds["SamedealStoreFillsSoon"] == FROM["filling"]
    assert bounds["SamedealStoreFull"] == FROM["short"]
    assert bounds["SamedealMovesSlow"] == MAX_LAG
    assert bounds["SamedealPoolShort"] == DRAWN_AHEAD
