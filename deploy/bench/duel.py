"""Ourselves beside the floor: the same load on both, in turns, several rounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Any

from deploy.bench.meter import was_limit
from deploy.bench.processes import LoadError, Served, floor, load, node

Server = Callable[[], AbstractContextManager[Served]]

FLOOR, OURS = "floor", "samedeal"

OTHERS = 0.1
"""The share of the server's core from which on others are said to have disturbed a measurement."""


def unlimited() -> AbstractContextManager[Served]:
    """Run a node whose sessions may send as much as they like."""
    return node("--unlimited")


Finding = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Duel:
    """What some servers came to under one load.

    Attributes:
        found: by server, a finding for each round, or `None` where it did not carry the load.
    """

    sockets: int
    found: Mapping[str, Sequence[Finding | None]]

    def values(self, server: str, what: str) -> list[float]:
        """Return one figure of a server, round by round."""
        return [each[what] for each in self.found[server] if each is not None]

    def median(self, server: str, what: str) -> float:
        """Return the median of a figure.

        Raises:
            ValueError: there is none.
        """
        return median(self.values(server, what))

    def ratios(self, server: str, what: str = "rate", *, calm: bool = False) -> list[float]:
        """Return a server's figure as a ratio to the floor's, by round, undisturbed if `calm`."""
        return [
            one[what] / floor[what]
            for one, floor in zip(self.found[server], self.found[FLOOR], strict=True)
            if one is not None and floor is not None
            if not (calm and (disturbed(one) or disturbed(floor)))
        ]

    def ratio(self, server: str = OURS, what: str = "rate") -> float:
        """Return the median of those ratios: of undisturbed rounds, if there were any.

        Raises:
            ValueError: there is none.
        """
        return median(self.ratios(server, what, calm=True) or self.ratios(server, what))


def duels(
    module: str, tasks: Sequence[dict[str, Any]], rounds: int, servers: dict[str, Server]
) -> list[Duel]:
    """Put each load of a module on each server, in turns, several rounds."""
    found: list[dict[str, list[Finding | None]]] = [{name: [] for name in servers} for _ in tasks]
    for round_ in range(rounds):
        for rows, task in zip(found, tasks, strict=True):
            for name, server in servers.items():
                finding, text = _round(module, task, name, server)
                rows[name].append(finding)
                say(f"round {round_ + 1}, {task['sockets']} sockets: {text}")
    return [Duel(task["sockets"], rows) for rows, task in zip(found, tasks, strict=True)]


def _round(
    module: str, task: dict[str, Any], name: str, server: Server
) -> tuple[Finding | None, str]:
    """Return what a server came to in one round, and the line to say about it."""
    try:
        with server() as served:
            finding = load(module, served, **task)
    except LoadError as error:
        return None, f"{name}: {error}"
    return finding, line(name, finding)


def closed_loops(
    sockets: Sequence[int], rounds: int, seconds: float, others: dict[str, Server] | None = None
) -> list[Duel]:
    """Measure moves a second at each number of sockets, each player waiting for the answer."""
    tasks = [{"sockets": count, "seconds": seconds} for count in sockets]
    return duels("closed", tasks, rounds, {FLOOR: floor, OURS: unlimited, **(others or {})})


def open_loops(paces: Sequence[tuple[int, float]], rounds: int, seconds: float) -> list[Duel]:
    """Measure latency at each (sockets, seconds between two moves of one)."""
    tasks = [{"sockets": n, "interval": pace, "seconds": seconds} for n, pace in paces]
    return duels("open", tasks, rounds, {FLOOR: floor, OURS: node})


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
    for what in ("refused", "failed", "exhausted", "unanswered"):
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
