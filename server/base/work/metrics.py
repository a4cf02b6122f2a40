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
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, dataclass, field, fields
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

# Counts by label values: a tuple of strings, or a string if there is only one label.
Counts = Counter[Any]


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


def _family(name: str, text: str, *labels: str, **values: str) -> dict[str, Any]:
    """Return an attribute's metadata: its metric family, and the label names or fixed labels.

    Attributes with fixed label values (`values`) may share a family.
    """
    return {"name": name, "text": text, "labels": labels or tuple(values), "values": values}


_MOVE = (
    "samedeal_move_seconds",
    "Time from the receipt of a move until it is in the journal, or until it is answered.",
)


@dataclass(slots=True, eq=False)
class Metrics:
    """The metrics of a node. A gauge that is `None` is left out of the exposition."""

    moves: Counts = field(
        default_factory=Counter,
        metadata=_family("samedeal_moves", "Answered moves.", "game", "outcome"),
    )
    until_journal: Histogram = field(
        default_factory=lambda: Histogram(SECONDS), metadata=_family(*_MOVE, until="journal")
    )
    until_answer: Histogram = field(
        default_factory=lambda: Histogram(SECONDS), metadata=_family(*_MOVE, until="answer")
    )
    refusals: Counts = field(
        # Preset, since an alert uses its rate, which is undefined before the counter exists.
        default_factory=lambda: Counter(unavailable=0),
        metadata=_family("samedeal_refusals", "Refused commands and handshakes.", "code"),
    )
    closes: Counts = field(
        default_factory=Counter,
        metadata=_family("samedeal_closes", "Sessions closed by the server.", "reason"),
    )
    requests: Counts = field(
        default_factory=Counter,
        metadata=_family("samedeal_requests", "Requests below /api.", "route", "status"),
    )
    limited: Counts = field(
        default_factory=Counter,
        metadata=_family(
            "samedeal_limited",
            "Requests refused by a limit of a player, address or node.",
            "of",
            "limit",
        ),
    )
    conflicts: int = field(
        default=0,
        metadata=_family(
            "samedeal_conflicts", "Appends rejected because another node appended first."
        ),
    )
    log_errors: Counts = field(
        default_factory=Counter,
        metadata=_family("samedeal_log_errors", "Errors logged by the process.", "level"),
    )
    lost_seconds: int = field(
        default=0,
        metadata=_family(
            "samedeal_store_lost_seconds",
            "Seconds of acknowledged writes lost by the store.",
        ),
    )
    lost_journals: int = field(
        default=0,
        metadata=_family(
            "samedeal_store_lost_journals",
            "Journals that lost acknowledged entries of this node.",
        ),
    )
    lost_entries: int = field(
        default=0,
        metadata=_family("samedeal_store_lost_entries", "Lost acknowledged entries of this node."),
    )
    store_replaced: Gauge | None = field(
        default=None,
        metadata=_family(
            "samedeal_store_replaced", "Whether the store was replaced or emptied: 1 or 0."
        ),
    )
    lookups: Counts = field(
        default_factory=Counter,
        metadata=_family(
            "samedeal_cache_lookups", "Lookups in a cache: hit or miss.", "cache", "result"
        ),
    )
    batches: Histogram = field(
        default_factory=lambda: Histogram(_SIZES),
        metadata=_family("samedeal_batch_commands", "Redis commands sent in one batch."),
    )
    round_trips: Histogram = field(
        default_factory=lambda: Histogram(SECONDS),
        metadata=_family("samedeal_redis_seconds", "Time until Redis has answered a batch."),
    )
    lag: Histogram = field(
        default_factory=lambda: Histogram(SECONDS),
        metadata=_family("samedeal_loop_lag_seconds", "How late the event loop ran a timer."),
    )
    ready: Gauge | None = field(
        default=None, metadata=_family("samedeal_ready", "Whether the node is ready: 1 or 0.")
    )
    watched: int = field(
        default=0,
        metadata=_family("samedeal_watched_entries", "Entries encoded for watchers."),
    )
    watchers: Gauge | None = field(
        default=None, metadata=_family("samedeal_watchers", "Sessions that watch a round.")
    )
    board_reads: int = field(
        default=0,
        metadata=_family("samedeal_leaderboard_reads", "Reads of watched leaderboards."),
    )
    board_changes: int = field(
        default=0,
        metadata=_family("samedeal_leaderboard_changes", "Changes encoded for watchers."),
    )
    sweeps: Histogram = field(
        default_factory=lambda: Histogram(SECONDS),
        metadata=_family("samedeal_sweep_seconds", "Duration of a sweep for due work."),
    )
    posts: Counts = field(
        default_factory=Counter,
        metadata=_family(
            "samedeal_posts",
            "Posts to third-party servers by fate, and failed tries that are retried.",
            "channel",
            "fate",
        ),
    )
    sessions: Gauge | None = field(
        default=None, metadata=_family("samedeal_sessions", "Open sessions.")
    )
    connections: Gauge | None = field(
        default=None, metadata=_family("samedeal_connections", "TCP connections of players.")
    )
    budgets: Gauges = field(
        default_factory=dict,
        metadata=_family("samedeal_budgets", "Budgets in memory: of players, addresses.", "of"),
    )
    rooms: Gauge | None = field(
        default=None, metadata=_family("samedeal_rooms", "Rooms in memory.")
    )
    attempts: Gauge | None = field(
        default=None, metadata=_family("samedeal_attempts", "Attempts in memory.")
    )
    outbox_age: Gauge | None = field(
        default=None,
        metadata=_family("samedeal_outbox_age_seconds", "Age of the oldest unapplied effect."),
    )
    store_used: Gauge | None = field(
        default=None,
        metadata=_family("samedeal_redis_memory_used_bytes", "Memory used by Redis."),
    )
    store_limit: Gauge | None = field(
        default=None,
        metadata=_family(
            "samedeal_redis_memory_limit_bytes", "Memory limit of Redis; 0 for no limit."
        ),
    )
    pool_deals: Gauges = field(
        default_factory=dict,
        metadata=_family("samedeal_pool_deals", "Certified deals left for future dailies.", "game"),
    )
    certification_failures: int = field(
        default=0,
        metadata=_family("samedeal_certification_failures", "Failures of the node's own solver."),
    )
    queues: Gauges = field(
        default_factory=dict,
        metadata=_family("samedeal_queue_length", "Items in a queue.", "queue"),
    )

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics, including the process's, as encoded text and content type.

        Args:
            accept: the Accept header of the HTTP request, which selects the format.
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
        families: dict[str, Metric] = {}
        for each in fields(self._metrics):
            value = getattr(self._metrics, each.name)
            if value is not None:
                name = each.metadata["name"]
                families[name] = _with_samples(each, value, families.get(name))
        return [*families.values(), _BUILD]


def _with_samples(each: Field[Any], value: Any, family: Metric | None) -> Metric:
    """Return the metric family of an attribute, with the samples of its value.

    `family` is the family, if another attribute has created it already.
    """
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
    """Return the buckets of a histogram: each bound with the cumulative count."""
    bounds = [*(str(float(bound)) for bound in histogram.bounds), "+Inf"]
    below = 0
    buckets: list[tuple[str, float]] = []
    for bound, count in zip(bounds, histogram.counts, strict=True):
        below += count
        buckets.append((bound, below))
    return buckets
