"""The metrics and labels in PromQL expressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache

import promql_parser

from server.base.work.metrics import Metrics
from tests.test_metrics import families_of, samples_of

ADDED = {"instance", "job", "le"}
"""Labels added by Prometheus, and the label of a histogram's buckets."""

Asked = tuple[str, frozenset[str]]
"""A metric's name, and the labels used with it."""


def selectors(text: str) -> Iterator[Asked]:
    """Yield the metrics that an expression selects, with the labels it matches or groups by."""
    groups: list[set[str]] = []

    def labels_of(expression: promql_parser.Expr) -> set[str] | None:
        if isinstance(expression, promql_parser.AggregateExpr) and expression.modifier:
            return set(expression.modifier.labels)
        return None

    found: list[Asked] = []

    def enter(expression: promql_parser.Expr) -> None:
        if (grouped := labels_of(expression)) is not None:
            groups.append(grouped)
        if isinstance(expression, promql_parser.VectorSelector):
            matched = {each.name for each in expression.matchers.matchers}
            found.append((str(expression.name), frozenset(matched.union(*groups))))

    def leave(expression: promql_parser.Expr) -> None:
        if labels_of(expression) is not None:
            groups.pop()

    promql_parser.walk(promql_parser.parse(text), enter, leave)
    yield from found


@cache
def labels_by_name() -> dict[str, set[str]]:
    """Return the labels of each metric of a node, by every name of its samples."""
    metrics = Metrics()
    own = {each.metadata["name"]: set(each.metadata["labels"]) for each in fields(metrics)}
    own["samedeal_build_info"] = {"version", "python"}
    families, samples = sorted(families_of(metrics), key=len), samples_of(metrics)
    return {
        name: own.get(family, set()) | ADDED
        for family in families
        for name in samples
        if name.startswith(family)
    }
