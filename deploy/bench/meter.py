"""Processor time during a measurement, and quantiles of measured times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.bench.processes import SERVER_CORE, TICKS, helpers_time, processor_time

MAX_LOAD_SHARE = 0.9
"""The share of their core above which the load generator and Redis were the bottleneck."""

Figures = dict[str, Any]
"""Measured values, by name."""


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """The node that is measured, and its Redis.

    Attributes:
        pid: the node's process id.
        redis: the process id of its Redis, if it has one.
        socket: the path of that Redis's unix socket.
    """

    port: int
    pid: int
    redis: int | None
    socket: str | None

    def spent(self) -> float:
        """Return the node's processor time so far, in milliseconds."""
        return 1e3 * processor_time(self.pid)

    def searched(self) -> float:
        """Return the processor time of the node's searcher so far, in milliseconds."""
        return 1e3 * helpers_time(self.pid)


class Meter:
    """Measures the processor time of a server, its Redis and this process, from its creation on."""

    def __init__(self, server: int, redis: int | None) -> None:
        self._server = server
        self._redis = redis
        self._began = self._now()

    def shares(self) -> dict[str, float]:
        """Return the seconds since the creation, and the share of a core that each process used.

        `server_share` includes `searcher_share`, and `others_share` is the share of the server's
        core that other programs used.
        """
        at, server, searcher, redis, load, core = (
            now - began for now, began in zip(self._now(), self._began, strict=True)
        )
        return {
            "seconds": at,
            "server_share": (server + searcher) / at,
            "searcher_share": searcher / at,
            "redis_share": redis / at,
            "load_share": load / at,
            "others_share": max(0.0, core - server - searcher) / at,
        }

    def _now(self) -> tuple[float, ...]:
        redis = processor_time(self._redis) if self._redis is not None else 0.0
        own = time.process_time()
        server = processor_time(self._server), helpers_time(self._server)
        return time.perf_counter(), *server, redis, own, _busy(SERVER_CORE)


def _busy(core: int) -> float:
    """Return the seconds that a core has been busy since the system started."""
    for line in Path("/proc/stat").read_text(encoding="utf-8").splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            user, nice, system, _, _, interrupts, soft = map(int, ticks[:7])
            return (user + nice + system + interrupts + soft) / TICKS
    return 0.0


def spread(times: Sequence[float]) -> dict[str, float]:
    """Return quantiles, in milliseconds, of times in seconds."""
    ordered = sorted(times) or [0.0]
    last = len(ordered) - 1
    shares = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "worst": 1.0}
    return {name: 1e3 * ordered[round(share * last)] for name, share in shares.items()}


def was_limit(found: dict[str, float]) -> bool:
    """Return whether the load generator and Redis used up their core."""
    return found["load_share"] + found["redis_share"] > MAX_LOAD_SHARE
