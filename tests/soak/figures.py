"""Periodic samples of a running soak: nodes, Redis and players."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from prometheus_client.parser import text_string_to_metric_families
from redis import Redis

from server.base.core import keys
from server.results.core.boards import PERIODIC, Scope
from tests.faults.http import request
from tests.faults.stage import Node
from tests.processes import free_port
from tests.soak.node import COLLECT

ALL_TIME = "leaderboard of all time"
"""The kind of the all-time leaderboards, which never expire.

Their keys share a prefix with the others.
"""

OUTLIVING = {keys.BUSY: "busy", keys.HOLDERS: "holders"}
"""Kinds of keys that outlive the sweepers, by key; they share the sweepers' prefix."""

_PAGE = 1_000

_NEVER, _GONE = -1, -2
"""TTL replies for a key without expiry and for a missing key."""

COUNTED_WITHIN = 10.0
"""Seconds allowed for a node to count its objects."""

Metrics = Mapping[str, float]
"""Metrics by name, with labels as in the exposition format: `name{label="value"}`."""


@dataclass(frozen=True, slots=True)
class NodeFigures:
    """A node's figures.

    Attributes:
        born: start time of its process, in Unix seconds.
        memory: resident memory in bytes.
        objects: number of objects by class; empty if not counted.
    """

    born: float
    memory: int
    metrics: Metrics
    objects: Counter[str] = field(default_factory=Counter)

    def total(self, name: str) -> float:
        """Return a metric's sum over its labels."""
        return sum(self.by_label(name).values())

    def by_label(self, name: str) -> dict[str, float]:
        """Return a metric's values by label."""
        begins = f"{name}{{"
        return {
            each.removeprefix(name): value
            for each, value in self.metrics.items()
            if each == name or each.startswith(begins)
        }


@dataclass(slots=True)
class StoreFigures:
    """Figures of a Redis, or the sum over all masters of a cluster.

    Attributes:
        lasting: number of keys without expiry, by kind.
        lives: longest remaining lifetime by kind, in seconds, of the keys that expire.
        effects: number of effects in the outboxes.
    """

    memory: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    lasting: Counter[str] = field(default_factory=Counter)
    lives: dict[str, int] = field(default_factory=dict)
    due: Counter[str] = field(default_factory=Counter)
    effects: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """All figures at one time.

    Attributes:
        at: seconds since the players started.
        store: the store, or `None` if it did not answer.
        load: the players' processor time so far, in seconds.
    """

    at: float
    nodes: dict[int, NodeFigures]
    store: StoreFigures | None
    load: float = 0.0


class Observed(Node):
    """A node under observation."""

    def __init__(self, number: int, options: Iterable[str], folder: Path) -> None:
        self._metrics_port = free_port()
        self._objects = folder / f"objects{number}"
        own = ["--metrics-port", str(self._metrics_port), "--metrics-host", "127.0.0.1"]
        own += ["--objects", str(self._objects)]
        super().__init__(number, [*options, *own], folder, module="tests.soak.node")

    async def figures(self, *, collect: bool = False) -> NodeFigures | None:
        """Return the node's figures, or `None` if it does not answer.

        Args:
            collect: whether the node collects garbage before it counts its objects.
        """
        if self.lock.locked():
            # A fault is being injected.
            return None
        async with self.lock:
            try:
                _, text = await request(self._metrics_port, "/metrics")
                metrics = parsed(text.decode())
                objects = await self._counted(collect=collect)
            except OSError:
                return None
            return NodeFigures(
                metrics.get("process_start_time_seconds", 0.0), self.memory(), metrics, objects
            )

    async def _counted(self, *, collect: bool) -> Counter[str]:
        """Return the node's object counts by class.

        Raises:
            OSError: the node does not answer in time.
        """
        reply = self._objects.with_suffix(".json")
        reply.unlink(missing_ok=True)
        self._objects.write_text(COLLECT if collect else "")
        self.signal(signal.SIGUSR2)
        async with asyncio.timeout(COUNTED_WITHIN):
            while not reply.exists():
                await asyncio.sleep(0.02)
        return Counter(json.loads(reply.read_text()))


def parsed(text: str) -> dict[str, float]:
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def kind_of(key: str) -> str:
    """Return a key's kind, which may be one of `OUTLIVING` or `ALL_TIME`."""
    if key in OUTLIVING:
        return OUTLIVING[key]
    kind, name = keys.kind_of(key)
    of_all_time = set(get_args(Scope)) - set(PERIODIC)
    is_lasting = kind == "leaderboard" and name.partition(":")[0] in of_all_time
    return ALL_TIME if is_lasting else kind


def of_store(clients: Iterable[Redis]) -> StoreFigures:
    found = StoreFigures()
    for redis in clients:
        info: Any = redis.info("memory")
        found.memory += info["used_memory"]
        for names in _pages(redis):
            _add(redis, names, found)
        redis.close()
    return found


def _pages(redis: Redis) -> Iterator[list[str]]:
    cursor = -1
    while cursor:
        page: Any = redis.scan(max(cursor, 0), count=_PAGE)
        cursor = page[0]
        yield page[1]


def _add(redis: Redis, names: list[str], found: StoreFigures) -> None:
    kinds = list(map(kind_of, names))
    pipe: Any = redis.pipeline(transaction=False)
    for name, kind in zip(names, kinds, strict=True):
        pipe.ttl(name)
        if kind in {"due", "outbox"}:
            pipe.zrange(name, 0, -1) if kind == "due" else pipe.hlen(name)
    answers = iter(pipe.execute())
    for kind, life in zip(kinds, answers, strict=False):
        if kind == "due":
            found.due.update(member[0] for member in next(answers))
        elif kind == "outbox":
            found.effects += next(answers)
        # The key may have expired since the scan.
        if life != _GONE:
            found.kinds[kind] += 1
        if life == _NEVER:
            found.lasting[kind] += 1
        else:
            found.lives[kind] = max(found.lives.get(kind, 0), life)
