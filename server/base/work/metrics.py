"""All metrics of a node, and their exposition for Prometheus.

The values are plain integers and lists, since incrementing a counter of prometheus-client takes one
or two microseconds; each scrape converts them to metric families. An attribute of `Metrics` is of
one of five kinds:

- `int`: a counter. `metrics.conflicts += 1`
- `Counts`: a counter by labels. `metrics.moves["robert", "played"] += 1`, or with one label
  `metrics.refusals["too_fast"] += 1`
- `Histogram`: `metrics.until_answer.observe(seconds)`
- `Gauge`: a function, called on each scrape. `metrics.sessions = lambda: len(sessions)`
- `Gauges`: a function for each value of a label. `metrics.queues["writes"] = lambda: len(queue)`
"""

from __future__ import annotations

import asyncio
import platform
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

LAG_INTERVAL = 0.1  # seconds between measurements of the event loop's lag

# Weight of the latest measurement in `LagMeter.recent`, an exponential moving average.
_LAG_WEIGHT = 0.2

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

Gauge = Callable[[], float]

Gauges = dict[str, Gauge]

# Counts by label values: a tuple of strings, or a string if there is only one label. Those changed
# by each move are no `Counter`, which takes 0.1 µs more.
Counts = dict[Any, int]


class Histogram:
    """A histogram of observed values."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds  # the upper bounds of the buckets, ascending and inclusive
        # The number of values in each bucket; the last one is beyond all bounds.
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0  # of all values

    def observe(self, value: float) -> None:
        """Record a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


def _attribute(make: Callable[[], object], name: str, text: str, *labels: str) -> Any:
    """Declare an attribute with its metric family and the names of its labels."""
    return field(default_factory=make, metadata={"name": name, "text": text, "labels": labels})


# The kinds of attributes.
_total = partial(_attribute, int)
_counts = partial(_attribute, partial(defaultdict, int))
_gauge = partial(_attribute, lambda: None)
_gauges = partial(_attribute, dict)
_times = partial(_attribute, lambda: Histogram(SECONDS))
_sizes = partial(_attribute, lambda: Histogram(_SIZES))


@dataclass(slots=True, eq=False)
class Metrics:
    """The metrics of a node. A gauge that is `None` is left out of the exposition."""

    moves: Counts = _counts("samedeal_moves", "Answered moves.", "game", "outcome")
    until_answer: Histogram = _times(
        "samedeal_move_seconds", "Time from the receipt of a move until its answer is sent."
    )
    # Preset, since an alert uses its rate, which is undefined before the counter exists.
    refusals: Counts = _attribute(
        lambda: Counter(unavailable=0),
        "samedeal_refusals",
        "Refused commands and handshakes.",
        "code",
    )
    closes: Counts = _counts("samedeal_closes", "Sessions closed by the server.", "reason")
    requests: Counts = _counts("samedeal_requests", "Requests below /api.", "route", "status")
    limited: Counts = _counts(
        "samedeal_limited",
        "Requests refused by a limit of a player, address or node.",
        "of",
        "limit",
    )
    conflicts: int = _total(
        "samedeal_conflicts", "Appends rejected because another node appended first."
    )
    log_errors: Counts = _counts("samedeal_log_errors", "Errors logged by the process.", "level")
    lost_seconds: int = _total(
        "samedeal_store_lost_seconds", "Seconds of acknowledged writes lost by the store."
    )
    lost_journals: int = _total(
        "samedeal_store_lost_journals", "Journals that lost acknowledged entries of this node."
    )
    lost_entries: int = _total(
        "samedeal_store_lost_entries", "Lost acknowledged entries of this node."
    )
    store_replaced: Gauge | None = _gauge(
        "samedeal_store_replaced", "Whether the store was replaced or emptied: 1 or 0."
    )
    lookups: Counts = _counts(
        "samedeal_cache_lookups", "Lookups in a cache: hit or miss.", "cache", "result"
    )
    batches: Histogram = _sizes("samedeal_batch_commands", "Redis commands sent in one batch.")
    round_trips: Histogram = _times(
        "samedeal_redis_seconds", "Time until Redis has answered a batch."
    )
    lag: Histogram = _times("samedeal_loop_lag_seconds", "How late the event loop ran a timer.")
    ready: Gauge | None = _gauge("samedeal_ready", "Whether the node is ready: 1 or 0.")
    watched: int = _total("samedeal_watched_entries", "Entries encoded for watchers.")
    watchers: Gauge | None = _gauge("samedeal_watchers", "Sessions that watch a round.")
    board_reads: int = _total("samedeal_leaderboard_reads", "Reads of watched leaderboards.")
    board_changes: int = _total("samedeal_leaderboard_changes", "Changes encoded for watchers.")
    sweeps: Histogram = _times("samedeal_sweep_seconds", "Duration of a sweep for due work.")
    posts: Counts = _counts(
        "samedeal_posts",
        "Posts to third-party servers by fate, and failed tries that are retried.",
        "channel",
        "fate",
    )
    sessions: Gauge | None = _gauge("samedeal_sessions", "Open sessions.")
    connections: Gauge | None = _gauge("samedeal_connections", "TCP connections of players.")
    budgets: Gauges = _gauges("samedeal_budgets", "Budgets in memory: of players, addresses.", "of")
    rooms: Gauge | None = _gauge("samedeal_rooms", "Rooms in memory.")
    attempts: Gauge | None = _gauge("samedeal_attempts", "Attempts in memory.")
    outbox_age: Gauge | None = _gauge(
        "samedeal_outbox_age_seconds", "Age of the oldest unapplied effect."
    )
    store_used: Gauge | None = _gauge("samedeal_redis_memory_used_bytes", "Memory used by Redis.")
    store_limit: Gauge | None = _gauge(
        "samedeal_redis_memory_limit_bytes", "Memory limit of Redis; 0 for no limit."
    )
    pool_deals: Gauges = _gauges(
        "samedeal_pool_deals", "Certified deals left for future dailies.", "game"
    )
    certification_failures: int = _total(
        "samedeal_certification_failures", "Failures of the node's own solver."
    )
    queues: Gauges = _gauges("samedeal_queue_length", "Items in a queue.", "queue")

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics, including the process's, as encoded text and content type.

        The format depends on the HTTP request's Accept header.
        """
        registry = CollectorRegistry()
        registry.register(_MetricsCollector(self))
        ProcessCollector(registry=registry)
        encode, content_type = choose_encoder(accept)
        return encode(registry), content_type


class LagMeter:
    """Measures the event loop's lag with a timer, until it is closed."""

    def __init__(self, lag: Histogram) -> None:
        self.measured: Callable[[], None] | None = None  # called after each measurement
        # The moving average of the lag in seconds, mostly of the last half second.
        self.recent = 0.0
        self._lag = lag
        self._loop = asyncio.get_running_loop()
        self._due = time.monotonic() + LAG_INTERVAL
        self._timer = self._loop.call_later(LAG_INTERVAL, self._measure)

    def close(self) -> None:
        """Stop measuring."""
        self._timer.cancel()

    def _measure(self) -> None:
        now = time.monotonic()
        late = max(0.0, now - self._due)
        self._lag.observe(late)
        self.recent += (late - self.recent) * _LAG_WEIGHT
        self._due = now + LAG_INTERVAL
        self._timer = self._loop.call_later(LAG_INTERVAL, self._measure)
        if self.measured is not None:
            self.measured()


_BUILD: Final = InfoMetricFamily(
    "samedeal_build",
    "Release of the server, and what it runs on.",
    value={"version": version("samedeal"), "python": platform.python_version()},
)


class _MetricsCollector(Collector):
    """Converts `Metrics` to metric families of prometheus-client."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        for each in fields(self._metrics):
            value = getattr(self._metrics, each.name)
            if value is not None:
                yield _family_of(each, value)
        yield _BUILD


def _family_of(each: Field[Any], value: Any) -> Metric:
    """Return the metric family of an attribute, with the samples of its value."""
    name, text = each.metadata["name"], each.metadata["text"]
    labels = each.metadata["labels"]
    match value:
        case int():
            return CounterMetricFamily(name, text, value=value)
        case defaultdict() | Counter():
            counter = CounterMetricFamily(name, text, labels=labels)
            for key, count in list(value.items()):
                counter.add_metric(key if isinstance(key, tuple) else (key,), count)
            return counter
        case Histogram():
            return HistogramMetricFamily(name, text, _buckets(value), value.total)
        case dict():
            gauges = GaugeMetricFamily(name, text, labels=labels)
            for key, sample in value.items():
                gauges.add_metric((key,), sample())
            return gauges
        case _:
            return GaugeMetricFamily(name, text, value=value())


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    bounds = [*(str(float(bound)) for bound in histogram.bounds), "+Inf"]
    below = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip(bounds, histogram.counts, strict=True):
        below += count
        buckets.append((bound, below))
    return buckets
