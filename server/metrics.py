"""The numbers of a node, each named in one place, for Prometheus.

What happens with every move is counted by plain integers and lists, since a counter of
prometheus-client costs a microsecond or two each time; they become its families when they are
asked for. An attribute of `Metrics` is one of five kinds:

- `int`: a counter. `metrics.conflicts += 1`
- `Counts`: a counter by labels. `metrics.moves["robert", "played"] += 1`, or with one label
  `metrics.refusals["too_fast"] += 1`
- `Histogram`: `metrics.until_answer.observe(seconds)`
- `Gauge`: a function, called when it is asked for. `metrics.sessions = lambda: len(sessions)`
- `Gauges`: a function for each value of a label. `metrics.queues["writes"] = lambda: len(queue)`
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

LAG_EVERY = 0.1
"""Seconds between two looks at how late the event loop is."""

_LATEST = 0.2
"""How much the latest look counts in what is recent."""

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Bounds of what takes a moment."""

_SIZE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

Gauge = Callable[[], float]

Gauges = dict[str, Gauge]

Counts = Counter[Any]
"""By the values of the labels: a tuple, or a text where there is one label."""


class Histogram:
    """How often a value lay below each of some bounds."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


def _named(name: str, text: str, *labels: str, **values: str) -> dict[str, Any]:
    """Return how an attribute is called outside: a family with its labels, or with their values."""
    return {"name": name, "text": text, "labels": labels or tuple(values), "values": values}


_MOVE = ("samedeal_move_seconds", "Time from the receipt of a move until it stands or is answered.")


@dataclass(slots=True, eq=False)
class Metrics:
    """What is counted and measured. A gauge that nobody has set is left out."""

    moves: Counts = field(
        default_factory=Counter,
        metadata=_named("samedeal_moves", "Moves that were answered.", "game", "outcome"),
    )
    until_journal: Histogram = field(
        default_factory=lambda: Histogram(SECONDS), metadata=_named(*_MOVE, until="journal")
    )
    until_answer: Histogram = field(
        default_factory=lambda: Histogram(SECONDS), metadata=_named(*_MOVE, until="answer")
    )
    refusals: Counts = field(
        default_factory=Counter,
        metadata=_named("samedeal_refusals", "Commands that were refused.", "code"),
    )
    closes: Counts = field(
        default_factory=Counter,
        metadata=_named("samedeal_closes", "Sessions that the server closed.", "reason"),
    )
    conflicts: int = field(
        default=0,
        metadata=_named("samedeal_conflicts", "Appends that another node was ahead of."),
    )
    lookups: Counts = field(
        default_factory=Counter,
        metadata=_named(
            "samedeal_cache_lookups", "Lookups in a cache: hit or miss.", "cache", "result"
        ),
    )
    batches: Histogram = field(
        default_factory=lambda: Histogram(_SIZE),
        metadata=_named("samedeal_batch_commands", "Commands that went to Redis in one batch."),
    )
    round_trips: Histogram = field(
        default_factory=lambda: Histogram(SECONDS),
        metadata=_named("samedeal_redis_seconds", "Time until Redis had answered a batch."),
    )
    lag: Histogram = field(
        default_factory=lambda: Histogram(SECONDS),
        metadata=_named("samedeal_loop_lag_seconds", "How late the event loop ran a timer."),
    )
    sweeps: Histogram = field(
        default_factory=lambda: Histogram(SECONDS),
        metadata=_named("samedeal_sweep_seconds", "Time of a sweep for work that is due."),
    )
    sessions: Gauge | None = field(
        default=None, metadata=_named("samedeal_sessions", "Sessions that are open.")
    )
    rooms: Gauge | None = field(default=None, metadata=_named("samedeal_rooms", "Rooms in memory."))
    attempts: Gauge | None = field(
        default=None, metadata=_named("samedeal_attempts", "Attempts in memory.")
    )
    outbox_age: Gauge | None = field(
        default=None,
        metadata=_named("samedeal_outbox_age_seconds", "Age of the oldest effect to be applied."),
    )
    queues: Gauges = field(
        default_factory=dict, metadata=_named("samedeal_queue_length", "What waits.", "queue")
    )

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return all numbers, those of the process with them, and their content type.

        Args:
            accept: the formats that the reader takes, as in an HTTP request.
        """
        registry = CollectorRegistry()
        registry.register(_Numbers(self))
        ProcessCollector(registry=registry)
        encode, content_type = choose_encoder(accept)
        return encode(registry), content_type


class LagMeter:
    """Measures how late the event loop is, for as long as it is open.

    Attributes:
        recent: seconds by which it was late lately, the last half second counting most.
    """

    def __init__(self, lag: Histogram) -> None:
        self.recent = 0.0
        self._lag = lag
        self._loop = asyncio.get_running_loop()
        self._due = time.monotonic() + LAG_EVERY
        self._timer = self._loop.call_later(LAG_EVERY, self._measure)

    def close(self) -> None:
        """Measure no more."""
        self._timer.cancel()

    def _measure(self) -> None:
        now = time.monotonic()
        late = max(0.0, now - self._due)
        self._lag.observe(late)
        self.recent += (late - self.recent) * _LATEST
        self._due = now + LAG_EVERY
        self._timer = self._loop.call_later(LAG_EVERY, self._measure)


class _Numbers(Collector):
    """Turns the numbers into families of prometheus-client."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        families: dict[str, Metric] = {}
        for each in fields(self._metrics):
            value = getattr(self._metrics, each.name)
            if value is not None:
                name = each.metadata["name"]
                families[name] = _family(each, value, families.get(name))
        return families.values()


def _family(each: Field[Any], value: Any, family: Metric | None) -> Metric:
    """Return the family of an attribute; one that has samples by others gets more."""
    name, text = each.metadata["name"], each.metadata["text"]
    labels = each.metadata["labels"]
    match value:
        case int():
            return CounterMetricFamily(name, text, value=value)
        case Counter():
            counter = CounterMetricFamily(name, text, labels=labels)
            for key, count in list(value.items()):
                counter.add_metric(key if isinstance(key, tuple) else (key,), count)
            return counter
        case Histogram():
            histogram = family or HistogramMetricFamily(name, text, labels=labels)
            assert isinstance(histogram, HistogramMetricFamily), name
            values = each.metadata["values"].values()
            histogram.add_metric(tuple(values), _buckets(value), value.total)
            return histogram
        case dict():
            gauges = GaugeMetricFamily(name, text, labels=labels)
            for key, sample in value.items():
                gauges.add_metric((key,), sample())
            return gauges
        case _:
            return GaugeMetricFamily(name, text, value=value())


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    """Return the bounds of a histogram, each with the count of all values up to it."""
    bounds = [*(str(float(bound)) for bound in histogram.bounds), "+Inf"]
    below = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip(bounds, histogram.counts, strict=True):
        below += count
        buckets.append((bound, below))
    return buckets
