"""Loads on servers, and comparisons of servers under one load, in turns and over several rounds."""

from __future__ import annotations

import gc
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import TimeoutError as NotInTimeError
from multiprocessing import get_context
from statistics import median
from typing import Any

import uvloop

from deploy.bench.players import Figures, closed_loop, open_loop
from deploy.bench.processes import LoadError, Server, floor, node
from server.base.net.limits import ADDRESS_PLAYERS

StartServer = Callable[[], AbstractContextManager[Server]]
"""Runs a server until the context is left."""

Scenario = Callable[..., Awaitable[Figures]]
"""Measures a server, given it and further arguments."""

FLOOR, STACK, OURS = "floor", "floor on our stack", "samedeal"

LOAD_TIMEOUT = 240.0

MAX_OTHERS_SHARE = 0.1
"""The share of the server's core that other programs may use in an undisturbed measurement."""

MAX_LOAD_SHARE = 0.9
"""The share of their core above which the load generator and Redis were the bottleneck."""


def stack() -> AbstractContextManager[Server]:
    """Run the echo server that is built on what the node is built on."""
    return floor("--stack")


def unlimited() -> AbstractContextManager[Server]:
    """Run a node without rate limits for sessions."""
    return node("--unlimited")


def metered() -> AbstractContextManager[Server]:
    """Run a node that serves its metrics, and shows moves to watchers a second later."""
    return node("--metered")


def guarded() -> AbstractContextManager[Server]:
    """Run a node that serves its metrics, with the limits of addresses that nodes have."""
    return node("--metered", "--address-players", str(ADDRESS_PLAYERS))


def load(scenario: Scenario, server: Server, given: Mapping[str, Any]) -> Figures:
    """Carry out a scenario on a server, in a process of its own, and return its figures.

    Raises:
        LoadError: it failed, or took too long.
    """
    with get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(_run, (scenario, server, given)).get(LOAD_TIMEOUT)
        except NotInTimeError as error:
            raise LoadError(f"not finished within {LOAD_TIMEOUT:.0f} s") from error
        except Exception as error:
            raise LoadError(f"{type(error).__name__}: {error}") from error


def _run(scenario: Scenario, server: Server, given: Mapping[str, Any]) -> Figures:
    async def run() -> Figures:
        return await scenario(server, **given)

    # What was there before the fork is not looked at again.
    gc.freeze()
    return uvloop.run(run())


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

    def ratios(self, server: str, what: str = "rate", *, calm: bool = False) -> list[float]:
        """Return the ratios of a server's figure to the floor's, by round.

        Args:
            server: the server.
            what: the name of the figure.
            calm: whether to leave out disturbed rounds.
        """
        return [
            one[what] / floor[what]
            for one, floor in zip(self.found[server], self.found[FLOOR], strict=True)
            if one is not None and floor is not None
            if not (calm and (disturbed(one) or disturbed(floor)))
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
    scenario: Scenario,
    tasks: Sequence[dict[str, Any]],
    rounds: int,
    servers: Mapping[str, StartServer],
) -> list[Comparison]:
    """Carry out a scenario with each task on each server, in turns, for several rounds."""
    found: list[dict[str, list[Figures | None]]] = [{name: [] for name in servers} for _ in tasks]
    for round_ in range(rounds):
        for rows, task in zip(found, tasks, strict=True):
            for name, start in servers.items():
                figures = None
                try:
                    with start() as server:
                        figures = load(scenario, server, task)
                    text = line(figures)
                except LoadError as error:
                    text = str(error)
                rows[name].append(figures)
                print_line(f"round {round_ + 1}, {task['sockets']} sockets: {name}: {text}")
    return [Comparison(task["sockets"], rows) for rows, task in zip(found, tasks, strict=True)]


def closed_loops(
    sockets: Sequence[int], rounds: int, seconds: float, others: Mapping[str, StartServer]
) -> list[Comparison]:
    """Measure the closed loop at each number of sockets, beside the floor and other servers."""
    tasks = [{"sockets": count, "seconds": seconds} for count in sockets]
    return compare(closed_loop, tasks, rounds, {FLOOR: floor, OURS: unlimited, **others})


def open_loops(paces: Sequence[tuple[int, float]], rounds: int, seconds: float) -> list[Comparison]:
    """Measure the open loop at each pair of sockets and seconds between moves of a player."""
    tasks = [{"sockets": n, "interval": pace, "seconds": seconds} for n, pace in paces]
    return compare(open_loop, tasks, rounds, {FLOOR: floor, STACK: stack, OURS: node})


def disturbed(found: Figures) -> bool:
    """Return whether other programs used much of the server's core."""
    share: float = found["others_share"]
    return share > MAX_OTHERS_SHARE


def line(found: Figures) -> str:
    """Return a server's figures as a line."""
    text = (
        f"{found['rate']:,.0f}/s, {found['server_us']:.1f} us each, "
        f"p50 {found['p50']:.2f} ms, p99 {found['p99']:.2f} ms; "
        f"busy: server {found['server_share']:.0%}, load {found['load_share']:.0%}, "
        f"Redis {found['redis_share']:.0%}"
    )
    for what in ("refused", "failed", "exhausted", "unanswered"):
        if found.get(what):
            text += f"; {what}: {found[what]}"
    if found["load_share"] + found["redis_share"] > MAX_LOAD_SHARE:
        text += "; THE LOAD GENERATOR WAS THE LIMIT"
    if disturbed(found):
        text += f"; others used {found['others_share']:.0%} of the server's core"
    return text


def print_line(text: str) -> None:
    """Print a line, and flush."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
