"""A node's metrics, as read by Prometheus."""

from __future__ import annotations

import platform
import time
from dataclasses import fields

from click.testing import CliRunner
from prometheus_client import Metric as Family
from prometheus_client.parser import text_string_to_metric_families

from server import app
from server.base.net import bound_sockets
from server.base.work import metrics
from server.base.work.metrics import Histogram, LagMeter, Metrics
from server.cli.main import main
from server.settings import Settings
from tests.base.redis.servers import until
from tests.base.web.test_pages import get
from tests.conftest import SECRET_KEY_FILE
from tests.processes import free_port

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    """Return the values in an exposition, by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read(node_metrics: Metrics) -> Samples:
    return samples(node_metrics.exposition("")[0].decode())


def families_of(node_metrics: Metrics) -> dict[str, Family]:
    """Return all metric families of a node by name, including those without samples."""
    for each in fields(node_metrics):
        if getattr(node_metrics, each.name) is None:
            setattr(node_metrics, each.name, lambda: 0.0)
    text = node_metrics.exposition("")[0].decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


SUFFIXES = {
    "counter": ("_total",),
    "gauge": ("",),
    "histogram": ("_bucket", "_count", "_sum"),
    "info": ("_info",),
}
"""Suffixes of the sample names of a family, by type."""


def samples_of(node_metrics: Metrics) -> set[str]:
    """Return the names of all possible samples of a node, as in Prometheus."""
    return {
        f"{name}{suffix}"
        for name, family in families_of(node_metrics).items()
        for suffix in SUFFIXES[family.type]
    }


def test_counters_are_read_by_their_labels() -> None:
    node_metrics = Metrics()
    node_metrics.moves["a", "played"] += 2
    node_metrics.moves["b", "played"] += 1
    node_metrics.refusals["too_fast"] += 1
    node_metrics.conflicts += 3
    found = read(node_metrics)
    assert found["samedeal_moves_total", frozenset({("game", "a"), ("outcome", "played")})] == 2
    assert found["samedeal_moves_total", frozenset({("game", "b"), ("outcome", "played")})] == 1
    assert found["samedeal_refusals_total", frozenset({("code", "too_fast")})] == 1
    assert found["samedeal_conflicts_total", frozenset()] == 3


def test_a_histogram_counts_values_up_to_each_bound() -> None:
    node_metrics = Metrics()
    for size in (1, 1, 2, 3, 2000):
        node_metrics.batches.observe(size)
    found = read(node_metrics)

    def below(bound: str) -> float:
        return found["samedeal_batch_commands_bucket", frozenset({("le", bound)})]

    assert [below(bound) for bound in ("1.0", "2.0", "4.0", "1024.0", "+Inf")] == [2, 3, 4, 4, 5]
    assert found["samedeal_batch_commands_count", frozenset()] == 5
    assert found["samedeal_batch_commands_sum", frozenset()] == 2007


def test_gauges_are_computed_when_read() -> None:
    node_metrics = Metrics()
    assert not any(name == "samedeal_sessions" for name, _ in read(node_metrics))
    sessions: list[int] = []
    node_metrics.sessions = lambda: len(sessions)
    node_metrics.queues["writes"] = lambda: 7
    assert read(node_metrics)["samedeal_sessions", frozenset()] == 0
    sessions.append(1)
    found = read(node_metrics)
    assert found["samedeal_sessions", frozenset()] == 1
    assert found["samedeal_queue_length", frozenset({("queue", "writes")})] == 7


def test_two_nodes_of_one_process_count_separately() -> None:
    one, other = Metrics(), Metrics()
    one.conflicts += 1
    one.moves["a", "played"] += 1
    one.lag.observe(1)
    assert (other.conflicts, sum(other.moves.values()), sum(other.lag.counts)) == (0, 0, 0)


def test_every_metric_has_a_description_and_a_unique_name() -> None:
    families = list(families_of(Metrics()).values())
    ours = [family for family in families if family.name.startswith("samedeal_")]
    names = [family.name for family in ours]
    assert len(names) == len(set(names)) == 35
    assert all(family.documentation.endswith(".") for family in ours)
    assert {family.name for family in families} > {"process_cpu_seconds", "process_open_fds"}


def test_the_metric_of_the_release_matches_the_command() -> None:
    found = read(Metrics())
    (labels,) = [dict(labels) for name, labels in found if name == "samedeal_build_info"]
    told = CliRunner().invoke(main, ["--version"]).output
    assert told == f"samedeal, version {labels['version']}\n"
    assert labels["python"] == platform.python_version()


def test_the_openmetrics_format_is_served_on_request() -> None:
    body, content_type = Metrics().exposition("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert body.endswith(b"# EOF\n")


async def test_the_lag_measures_how_long_the_event_loop_was_blocked() -> None:
    lag = Histogram(metrics.SECONDS)
    meter = LagMeter(lag)
    time.sleep(metrics.LAG_INTERVAL + 0.1)  # noqa: ASYNC251 - it blocks the loop on purpose
    await until(lambda: sum(lag.counts) >= 2)
    meter.close()
    assert lag.total >= 0.1
    assert sum(lag.counts[metrics.SECONDS.index(0.1) :]) >= 1


async def test_metrics_are_served_on_a_separate_port(redis_url: str) -> None:
    settings = Settings(
        "127.0.0.1", 0, redis=redis_url, secret_key_file=SECRET_KEY_FILE, metrics_port=0
    )
    (bound,) = app.bind(settings)
    assert bound.metrics is not None
    own = bound_sockets.port_of(bound.metrics)
    async with app.running_node(settings, bound) as port:
        _, text = await get(own, "/metrics")
        assert ("samedeal_conflicts_total", frozenset()) in samples(text)
        assert ("samedeal_log_errors_total", frozenset({("level", "error")})) in samples(text)
        for at, path, host, expected in (
            (own, "/metrics", "127.0.0.1", 200),
            (own, "/", "127.0.0.1", 404),
            (own, "/metrics", "node-a:9000", 200),
            (own, "/metrics", "evil.example", 421),
            (port, "/metrics", "127.0.0.1", 404),
        ):
            response, text = await get(at, path, Host=host)
            assert (response.status, "samedeal_" in text) == (expected, expected == 200), host


def test_the_metrics_ports_of_several_nodes_are_consecutive() -> None:
    first = free_port(2)
    settings = Settings("127.0.0.1", 0, metrics_host="127.0.0.1", metrics_port=first)
    bound = app.bind(settings, 2)
    try:
        found = [bound_sockets.port_of(each.metrics) for each in bound if each.metrics is not None]
        assert found == [first, first + 1]
        assert len({bound_sockets.port_of(each.players) for each in bound}) == 1
    finally:
        for each in bound:
            each.close()
