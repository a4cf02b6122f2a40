"""The dashboard `deploy/grafana.json` queries only metrics that nodes report."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any

import pytest

from server.base.work.metrics import Metrics
from tests.deploy.promql import labels_by_name, selectors
from tests.processes import ROOT
from tests.test_metrics import families_of

DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana.json").read_text("utf-8"))
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
GRAPHS = [panel for panel in PANELS if panel["type"] != "row"]

COLUMNS = 24

LEFT_OUT = {"process_virtual_memory_bytes": "does not show how much memory a node takes"}
"""Families without a panel, with the reason."""

SOURCE = {"type": "prometheus", "uid": "${datasource}"}

QUERIES = [
    pytest.param(panel, target, id=f"{panel['title']}: {target['refId']}")
    for panel in GRAPHS
    for target in panel["targets"]
]


def without_variables(expression: str) -> str:
    return expression.replace("$__rate_interval", "1m").replace("$instance", ".*")


def test_it_is_imported_as_one_dashboard_and_prompts_for_its_data_source() -> None:
    assert DASHBOARD["id"] is None, "an id belongs to one installation"
    assert (DASHBOARD["uid"], DASHBOARD["title"]) == ("samedeal", "Samedeal")
    assert DASHBOARD["schemaVersion"] >= 36, "since Grafana 9, panels name their data source"
    source, nodes = DASHBOARD["templating"]["list"]
    assert (source["name"], source["type"], source["query"]) == (
        "datasource",
        "datasource",
        "prometheus",
    )
    assert (nodes["name"], nodes["datasource"]) == ("instance", SOURCE)
    (asked,) = re.findall(r"^label_values\((\w+), instance\)$", nodes["query"]["query"])
    assert asked in labels_by_name()


def test_each_panel_has_the_fields_that_grafana_requires() -> None:
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    assert len({panel["title"] for panel in PANELS}) == len(PANELS)
    required = {each["id"] for each in DASHBOARD["__requires"] if each["type"] == "panel"}
    assert {panel["type"] for panel in GRAPHS} == required
    for panel in GRAPHS:
        assert panel["datasource"] == SOURCE, panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0
        assert all(target["datasource"] == SOURCE for target in panel["targets"])


def test_panels_lie_within_the_columns_below_their_rows_and_do_not_overlap() -> None:
    places = [(panel["title"], *(panel["gridPos"][side] for side in "xywh")) for panel in PANELS]
    for title, x, _, width, _ in places:
        assert 0 <= x <= COLUMNS - width, title
    for one, other in combinations(places, 2):
        apart_in_x = one[1] + one[3] <= other[1] or other[1] + other[3] <= one[1]
        apart_in_y = one[2] + one[4] <= other[2] or other[2] + other[4] <= one[2]
        assert apart_in_x or apart_in_y, (one[0], other[0])
    order = [(panel["gridPos"]["y"], panel["gridPos"]["x"]) for panel in PANELS]
    assert order == sorted(order)
    assert PANELS[0]["type"] == "row"


@pytest.mark.parametrize(("panel", "target"), QUERIES)
def test_a_panel_uses_metrics_and_labels_of_nodes(
    panel: dict[str, Any], target: dict[str, Any]
) -> None:
    found = list(selectors(without_variables(target["expr"])))
    assert found
    for name, labels in found:
        assert labels <= labels_by_name()[name], name
        assert "instance" in labels, "the variable chooses the nodes of all panels"
    shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
    assert shown <= set().union(*(labels_by_name()[name] for name, _ in found))


def test_each_metric_is_on_the_dashboard_or_left_out_for_a_reason() -> None:
    asked = {
        name
        for panel in GRAPHS
        for target in panel["targets"]
        for name, _ in selectors(without_variables(target["expr"]))
    }
    shown = {
        family
        for family in families_of(Metrics())
        if any(
            re.fullmatch(rf"{family}(_total|_bucket|_sum|_count|_info)?", name) for name in asked
        )
    }
    assert set(families_of(Metrics())) - shown == set(LEFT_OUT)


def test_unknown_metrics_and_labels_are_detected() -> None:
    assert list(selectors('sum by (b) (rate(m_total{a="1"}[5m])) / on (c) n')) == [
        ("m_total", frozenset({"a", "b"})),
        ("n", frozenset()),
    ]
    with pytest.raises(ValueError, match="unclosed"):
        list(selectors("sum by (a) (rate(m_total[5m])"))
