"""Rounds of a measurement: a scenario on some servers in turn, and what follows from all rounds."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import median
from typing import Any

import uvloop

from deploy.bench.processes import Figures, LoadError, Server, running

Scenario = Callable[..., Awaitable[Figures]]
"""Measures a server, given it and further arguments."""

Round = Mapping[str, Figures]
"""The figures of each server, by what was run, the one that is compared with the others last."""

LOAD_TIMEOUT = 240.0

MAX_OTHERS_SHARE = 0.1
"""The share of the server's core that other programs may use in an undisturbed measurement."""

MAX_LOAD_SHARE = 0.9
"""The share of their core above which the load generator and Redis were the bottleneck."""


def load(scenario: Scenario, server: Server, given: Mapping[str, Any]) -> Figures:
    """Carry out a scenario on a server, and return its figures.

    Raises:
        LoadError: it failed, or took too long.
    """

    async def run() -> Figures:
        async with asyncio.timeout(LOAD_TIMEOUT):
            return await scenario(server, **given)

    # The collector would look again and again at what was there before.
    gc.collect()
    gc.freeze()
    try:
        return uvloop.run(run())
    except Exception as error:
        raise LoadError(f"{type(error).__name__}: {error}") from error
    finally:
        gc.unfreeze()


def measure(
    name: str,
    scenario: Scenario,
    servers: Sequence[str],
    given: Mapping[str, Any],
    rounds: int,
) -> list[Round]:
    """Carry out a scenario on servers in turn, for some rounds.

    Returns:
        The rounds in which no load failed and other programs used little of the server's core; if
        they did in all, those in which no load failed.
    """
    found: list[Round] = []
    for number in range(1, rounds + 1):
        round_ = {}
        try:
            for what in servers:
                with running(*what.split()) as server:
                    round_[what] = load(scenario, server, given)
                print_line(f"{name}, round {number}: {what}: {line(round_[what])}")
        except LoadError as error:
            print_line(f"{name}, round {number}: {what}: {error}")
        else:
            found.append(round_)
    return [each for each in found if not any(map(disturbed, each.values()))] or found


def summary(rounds: Sequence[Round]) -> Figures:
    """Return medians over rounds.

    Returns:
        The figures of the last server by name; as `name of server` those of each other one, and as
        `name / server` the ratios to these, round by round. Without rounds, there are none.
    """
    if not rounds:
        return {}
    *others, ours = rounds[0]
    found = {what: median(each[ours][what] for each in rounds) for what in rounds[0][ours]}
    for other in others:
        for what in rounds[0][other]:
            found[f"{what} of {other}"] = median(each[other][what] for each in rounds)
            ratios = [each[ours][what] / (each[other][what] or float("inf")) for each in rounds]
            found[f"{what} / {other}"] = median(ratios)
    return found


def disturbed(found: Figures) -> bool:
    """Return whether other programs used much of the server's core."""
    return found.get("others_share", 0.0) > MAX_OTHERS_SHARE


def line(found: Figures) -> str:
    """Return a server's figures as a line, with a remark on what was in the way."""
    text = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
    if found.get("load_share", 0.0) + found.get("redis_share", 0.0) > MAX_LOAD_SHARE:
        text += "; THE LOAD GENERATOR WAS THE LIMIT"
    return f"{text}; DISTURBED BY OTHERS" if disturbed(found) else text


def print_line(text: str) -> None:
    """Print a line, and flush."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
