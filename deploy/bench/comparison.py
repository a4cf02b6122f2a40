"""Comparisons of servers under one load, in turns and over several rounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from typing import Any

from deploy.bench.meter import Figures, was_limit
from deploy.bench.processes import LoadError, RunningServer, floor, load, node
from server.base.net.limits import ADDRESS_PLAYERS

StartServer = Callable[[], AbstractContextManager[RunningServer]]
"""Runs a server until the context is left."""

FLOOR, STACK, OURS = "floor", "floor on our stack", "samedeal"

MAX_OTHERS_SHARE = 0.1
"""The share of the server's core that other programs may use in an undisturbed measurement."""


def stack() -> AbstractContextManager[RunningServer]:
    """Run the echo server that is built on what the node is built on."""
    return floor("--stack")


def unlimited() -> AbstractContextManager[RunningServer]:
    """Run a node without rate limits for sessions."""
    return node("--unlimited")


def metered() -> AbstractContextManager[RunningServer]:
    """Run a node that serves its metrics, and shows moves to watchers a second later."""
    return node("--metered")


def guarded() -> AbstractContextManager[RunningServer]:
    """Run a node that serves its metrics, with the limits of addresses that nodes have."""
    return node("--metered", "--address-players", str(ADDRESS_PLAYERS))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures of some servers under one load.

    Attributes:
        found: by server, the figures of each round, or `None` where the load failed.
    """

    sockets: int
    found: Mapping[str, Sequence[Figures | None]]

    def values(self, server: str, what: str) -> list[float]:
        """Return one figure of a server, by round."""
        return [each[what] for each in self.found[server] if each is not None]

    def median(self, server: str, what: str) -> float:
        """Return the median of a server's figure over the rounds.

        Raises:
            ValueError: the server has no figures.
        """
        return median(self.values(server, what))

    def ratios(
        self, server: str, what: str = "rate", *, calm: bool = False, steady: bool = False
    ) -> list[float]:
        """Return the ratios of a server's figure to the floor's, by round.

        Args:
            server: the server.
            what: the name of the figure.
            calm: whether to leave out disturbed rounds.
            steady: whether to leave out rounds in which the floor was disturbed.
        """
        return [
            one[what] / floor[what]
            for one, floor in zip(self.found[server], self.found[FLOOR], strict=True)
            if one is not None and floor is not None
            if not (calm and disturbed(one)) and not ((calm or steady) and disturbed(floor))
        ]

    def work(self) -> float:
        """Return the ratio of the floor's processor time a frame to ours, each in its best round.

        Other load on the machine takes turns of the processor, which do not count, and makes those
        that are left slower: what was measured is too long, never too short.

        Raises:
            ValueError: no round has figures of both.
        """
        return min(self.values(FLOOR, "server_us")) / min(self.values(OURS, "server_us"))

    def ratio(self, server: str = OURS, what: str = "rate") -> float:
        """Return the median of the ratios of undisturbed rounds, or of all if each was disturbed.

        Raises:
            ValueError: no round has figures of both.
        """
        return median(self.ratios(server, what, calm=True) or self.ratios(server, what))


def compare(
    module: str, tasks: Sequence[dict[str, Any]], rounds: int, servers: dict[str, StartServer]
) -> list[Comparison]:
    """Run a load module with each task on each server, in turns, for several rounds."""
    found: list[dict[str, list[Figures | None]]] = [{name: [] for name in servers} for _ in tasks]
    for round_ in range(rounds):
        for rows, task in zip(found, tasks, strict=True):
            for name, server in servers.items():
                figures, text = _round(module, task, name, server)
                rows[name].append(figures)
                print_line(f"round {round_ + 1}, {task['sockets']} sockets: {text}")
    return [Comparison(task["sockets"], rows) for rows, task in zip(found, tasks, strict=True)]


def _round(
    module: str, task: dict[str, Any], name: str, server: StartServer
) -> tuple[Figures | None, str]:
    """Return a server's figures in one round, or `None`, and the line to print about it."""
    try:
        with server() as served:
            figures = load(module, served, **task)
    except LoadError as error:
        return None, f"{name}: {error}"
    return figures, line(name, figures)


def closed_loops(
    sockets: Sequence[int],
    rounds: int,
    seconds: float,
    others: dict[str, StartServer] | None = None,
) -> list[Comparison]:
    """Measure the closed loop at each number of sockets, with further servers if given."""
    tasks = [{"sockets": count, "seconds": seconds} for count in sockets]
    return compare(
        "closed", tasks, rounds, {FLOOR: floor, STACK: stack, OURS: unlimited, **(others or {})}
    )


def open_loops(paces: Sequence[tuple[int, float]], rounds: int, seconds: float) -> list[Comparison]:
    """Measure the open loop at each pair of sockets and seconds between moves of a player."""
    tasks = [{"sockets": n, "interval": pace, "seconds": seconds} for n, pace in paces]
    return compare("open", tasks, rounds, {FLOOR: floor, STACK: stack, OURS: node})


def disturbed(found: Figures) -> bool:
    """Return whether other programs used much of the server's core."""
    share: float = found["others_share"]
    return share > MAX_OTHERS_SHARE


def line(name: str, found: Figures) -> str:
    """Return a server's figures as a line."""
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
        text += "; THE LOAD GENERATOR WAS THE LIMIT"
    if disturbed(found):
        text += f"; others used {found['others_share']:.0%} of the server's core"
    return text


def print_line(text: str) -> None:
    """Print a line, and flush."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
