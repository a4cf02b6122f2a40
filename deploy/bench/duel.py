"""Ourselves beside the floor: the same load on both, in turns, several rounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import compress
from statistics import median
from typing import Any

from deploy.bench.meter import was_limit
from deploy.bench.processes import Served, floor, load, node

Server = Callable[[], AbstractContextManager[Served]]

FLOOR, OURS = "floor", "samedeal"

OTHERS = 0.1
"""The share of the server's core from which on others are said to have disturbed a measurement."""


def unlimited() -> AbstractContextManager[Served]:
    """Run a node whose sessions may send as much as they like."""
    return node("--unlimited")


@dataclass(frozen=True, slots=True)
class Duel:
    """What some servers came to under one load: a finding for each round, by server."""

    sockets: int
    found: dict[str, list[dict[str, Any]]]

    def values(self, server: str, what: str) -> list[float]:
        """Return one figure of a server, round by round."""
        return [each[what] for each in self.found[server]]

    def median(self, server: str, what: str) -> float:
        """Return the median of a figure."""
        return median(self.values(server, what))

    def ratios(self, server: str, what: str = "rate") -> list[float]:
        """Return a server's figure as a ratio to the floor's, round by round."""
        pairs = zip(self.values(server, what), self.values(FLOOR, what), strict=True)
        return [one / other for one, other in pairs]

    def ratio(self, server: str = OURS, what: str = "rate") -> float:
        """Return the median of those ratios: of undisturbed rounds, if there were any."""
        ratios = self.ratios(server, what)
        pairs = zip(self.found[server], self.found[FLOOR], strict=True)
        calm = [not (disturbed(one) or disturbed(other)) for one, other in pairs]
        return median(compress(ratios, calm) if any(calm) else ratios)


def closed_loops(
    sockets: Sequence[int], rounds: int, seconds: float, others: dict[str, Server] | None = None
) -> list[Duel]:
    """Measure moves a second at each number of sockets."""
    servers: dict[str, Server] = {FLOOR: floor, OURS: unlimited, **(others or {})}
    duels = [Duel(count, {name: [] for name in servers}) for count in sockets]
    for round_ in range(rounds):
        for duel in duels:
            for name, server in servers.items():
                with server() as served:
                    found = load("closed", served, sockets=duel.sockets, seconds=seconds)
                duel.found[name].append(found)
                say(f"round {round_ + 1}, {duel.sockets} sockets: {line(name, found)}")
    return duels


def disturbed(found: dict[str, Any]) -> bool:
    """Return whether other programs took much of the server's core."""
    share: float = found["others_share"]
    return share > OTHERS


def line(name: str, found: dict[str, Any]) -> str:
    """Return a finding as a line."""
    text = (
        f"{name}: {found['rate']:,.0f}/s, {found['server_us']:.1f} us each, "
        f"p50 {found['p50']:.2f} ms, p99 {found['p99']:.2f} ms; "
        f"busy: server {found['server_share']:.0%}, load {found['load_share']:.0%}, "
        f"Redis {found['redis_share']:.0%}"
    )
    for what in ("refused", "failed", "exhausted"):
        if found.get(what):
            text += f"; {what}: {found[what]}"
    if was_limit(found):
        text += "; THE LOAD WAS THE LIMIT"
    if disturbed(found):
        text += f"; others used {found['others_share']:.0%} of the server's core"
    return text


def say(text: str) -> None:
    """Write a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
