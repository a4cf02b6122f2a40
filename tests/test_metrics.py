"""The numbers of a node, as Prometheus reads them."""

from __future__ import annotations

import asyncio
import math
import re
import time
from http.client import HTTPConnection

from prometheus_client.parser import text_string_to_metric_families

from server import app, listening, metrics
from server.metrics import Histogram, LagMeter, Metrics
from server.settings import Settings
from tests.processes import free_port

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    """Return the values of a text by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read(counted: Metrics) -> Samples:
    return samples(counted.exposition("")[0].decode())


def test_counters_have_their_labels() -> None:
    counted = Metrics()
    counted.moves["a", "played"] += 2
    counted.moves["b", "played"] += 1
    counted.refusals["too_fast"] += 1
    counted.conflicts += 3
    found = read(counted)
    assert found["samedeal_moves_total", frozenset({("game", "a"), ("outcome", "played")})] == 2
    assert found["samedeal_moves_total", frozenset({("game", "b"), ("outcome", "played")})] == 1
    assert found["samedeal_refusals_total", frozenset({("code", "too_fast")})] == 1
    assert found["samedeal_conflicts_total", frozenset()] == 3


def test_a_histogram_counts_what_lies_at_or_below_each_bound() -> None:
    counted = Metrics()
    for size in (1, 1, 2, 3, 2000):
        counted.batches.observe(size)
    found = read(counted)

    def below(bound: str) -> float:
        return found["samedeal_batch_commands_bucket", frozenset({("le", bound)})]

    assert [below(bound) for bound in ("1.0", "2.0", "4.0", "1024.0", "+Inf")] == [2, 3, 4, 4, 5]
    assert found["samedeal_batch_commands_count", frozenset()] == 5
    assert found["samedeal_batch_commands_sum", frozenset()] == 2007


def test_the_two_times_of_a_move_are_one_family() -> None:
    counted = Metrics()
    counted.until_journal.observe(0.001)
    counted.until_answer.observe(0.002)
    counted.until_answer.observe(0.003)
    found = read(counted)
    for until, count, total in (("journal", 1, 0.001), ("answer", 2, 0.005)):
        labels = frozenset({("until", until)})
        assert found["samedeal_move_seconds_count", labels] == count
        assert math.isclose(found["samedeal_move_seconds_sum", labels], total)
    text = counted.exposition("")[0].decode()
    assert len(re.findall("^# TYPE samedeal_move_seconds histogram$", text, re.MULTILINE)) == 1


def test_gauges_are_asked_when_they_are_read() -> None:
    counted = Metrics()
    assert not any(name == "samedeal_sessions" for name, _ in read(counted))
    sessions: list[int] = []
    counted.sessions = lambda: len(sessions)
    counted.queues["writes"] = lambda: 7
    assert read(counted)["samedeal_sessions", frozenset()] == 0
    sessions.append(1)
    found = read(counted)
    assert found["samedeal_sessions", frozenset()] == 1
    assert found["samedeal_queue_length", frozenset({("queue", "writes")})] == 7


def test_two_nodes_of_one_process_count_apart() -> None:
    one, other = Metrics(), Metrics()
    one.conflicts += 1
    one.moves["a", "played"] += 1
    one.lag.observe(1)
    assert (other.conflicts, sum(other.moves.values()), sum(other.lag.counts)) == (0, 0, 0)


def test_every_number_is_explained_and_named_as_usual() -> None:
    counted = Metrics()
    counted.sessions = counted.rooms = counted.attempts = counted.outbox_age = lambda: 0
    families = list(text_string_to_metric_families(counted.exposition("")[0].decode()))
    ours = [family for family in families if family.name.startswith("samedeal_")]
    names = [family.name for family in ours]
    assert len(names) == len(set(names)) == 15
    assert all(family.documentation.endswith(".") for family in ours)
    assert {family.name for family in families} > {"process_cpu_seconds", "process_open_fds"}


def test_open_metrics_are_served_to_who_asks_for_them() -> None:
    body, content_type = Metrics().exposition("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert body.endswith(b"# EOF\n")


async def test_the_lag_is_how_long_the_loop_was_held_up() -> None:
    lag = Histogram(metrics.SECONDS)
    meter = LagMeter(lag)
    time.sleep(metrics.LAG_INTERVAL + 0.1)  # noqa: ASYNC251 - holding the loop up is the point
    async with asyncio.timeout(10):
        while sum(lag.counts) < 2:
            await asyncio.sleep(0.01)
    meter.close()
    assert lag.total >= 0.1
    assert sum(lag.counts[metrics.SECONDS.index(0.1) :]) >= 1


async def test_they_are_served_on_a_port_of_their_own(redis_url: str) -> None:
    settings = Settings(host="127.0.0.1", port=0, redis=redis_url, metrics_port=0)
    (bound,) = app.bind(settings)
    assert bound.metrics is not None

    def ask(port: int, path: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", path)
        response = connection.getresponse()
        status, body = response.status, response.read().decode()
        connection.close()
        return status, body

    async with app.running_node(settings, bound) as port:
        status, text = await asyncio.to_thread(ask, listening.port_of(bound.metrics), "/metrics")
        assert status == 200
        assert ("samedeal_conflicts_total", frozenset()) in samples(text)
        status, _ = await asyncio.to_thread(ask, listening.port_of(bound.metrics), "/")
        assert status == 404
        status, _ = await asyncio.to_thread(ask, port, "/metrics")
        assert status == 404


def test_nodes_have_ports_for_prometheus_one_after_the_other() -> None:
    first = free_port(2)
    settings = Settings("127.0.0.1", 0, metrics_host="127.0.0.1", metrics_port=first)
    bound = app.bind(settings, 2)
    try:
        found = [listening.port_of(each.metrics) for each in bound if each.metrics is not None]
        assert found == [first, first + 1]
        assert len({listening.port_of(each.players) for each in bound}) == 1
    finally:
        for each in bound:
            each.close()
