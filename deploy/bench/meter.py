"""What processes use while something is measured, and how measured times spread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.bench.processes import SERVER_CORE, TICKS, processor_time

BUSY = 0.9
"""The share of its core above which the load, with Redis beside it, was the limit."""


Found = dict[str, Any]
"""What was found out, by name."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The node that is measured, and its Redis."""

    port: int
    pid: int
    redis: int | None
    socket: str | None

    def spent(self) -> float:
        """Return the milliseconds of a core that it has used."""
        return 1e3 * processor_time(self.pid)


class Meter:
    """The processor time of a server, of its Redis and of this process, from when it is made."""

    def __init__(self, server: int, redis: int | None) -> None:
        self._server = server
        self._redis = redis
        self._began = self._now()

    def shares(self) -> dict[str, float]:
        """Return the seconds so far, and the share of a core that each process has used.

        `others_share` is what processes that are none of ours used of the server's core.
        """
        at, server, redis, load, core = (
            now - began for now, began in zip(self._now(), self._began, strict=True)
        )
        return {
            "seconds": at,
            "server_share": server / at,
            "redis_share": redis / at,
            "load_share": load / at,
            "others_share": max(0.0, core - server) / at,
        }

    def _now(self) -> tuple[float, ...]:
        redis = processor_time(self._redis) if self._redis is not None else 0.0
        own = time.process_time()
        return time.perf_counter(), processor_time(self._server), redis, own, _busy(SERVER_CORE)


def _busy(core: int) -> float:
    """Return the seconds that a core has worked."""
    for line in Path("/proc/stat").read_text(encoding="utf-8").splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            user, nice, system, _, _, interrupts, soft = map(int, ticks[:7])
            return (user + nice + system + interrupts + soft) / TICKS
    return 0.0


def spread(times: Sequence[float]) -> dict[str, float]:
    """Return some quantiles of times in seconds, in milliseconds."""
    ordered = sorted(times) or [0.0]
    last = len(ordered) - 1
    shares = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "worst": 1.0}
    return {name: 1e3 * ordered[round(share * last)] for name, share in shares.items()}


def was_limit(found: dict[str, float]) -> bool:
    """Return whether the load and Redis had no time left on their core."""
    return found["load_share"] + found["redis_share"] > BUSY
