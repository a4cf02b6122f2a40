"""Rounds of a measurement: a scenario on several servers in turn, with a summary."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import median
from typing import Any

import uvloop

from deploy.bench.processes import Figures, LoadError, Server, running

Scenario = Callable[..., Awaitable[Figures]]  # measures a server with further arguments

# The figures of each server, by its arguments; the server under test comes last.
Round = Mapping[str, Figures]

LOAD_TIMEOUT = 240.0

# The maximum share of other programs in the server's core in an undisturbed measurement.
MAX_OTHERS_SHARE = 0.1

# The load of their core above which the load generator and Redis are the bottleneck.
MAX_LOAD_SHARE = 0.9


def load(scenario: Scenario, server: Server, given: Mapping[str, Any]) -> Figures:
    """Run a scenario on a server, and return its figures.

    Raises:
        LoadError: it failed or timed out.
    """

    async def run() -> Figures:
        async with asyncio.timeout(LOAD_TIMEOUT):
            return await scenario(server, **given)

    # Keep the collector from scanning older objects repeatedly.
    gc.collect()
    gc.freeze()
    try:
        return uvloop.run(run())
    except Exception as error:
        raise LoadError(f"{type(error).__name__}: {error}") from error
    finally:
        gc.unfreeze()


def measure(
    name: str, scenario: Scenario, servers: Sequence[str], given: Mapping[str, Any], rounds: int
) -> list[Round]:
    """Run a scenario on servers in turn; return the rounds without failed loads.

    Rounds disturbed by other programs are left out, unless there are no others.
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
    """Return medians over rounds; without rounds, the result is empty.

    It has the last server's figures by name; other servers' figures as `name of server`, and the
    medians of the ratios to them as `name / server`.
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
    """Return whether other programs disturbed the measurement."""
    return found.get("others_share", 0.0) > MAX_OTHERS_SHARE


def line(found: Figures) -> str:
    """Return a server's figures as a line, with a remark on disturbances."""
    text = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
    if found.get("load_share", 0.0) + found.get("redis_share", 0.0) > MAX_LOAD_SHARE:
        text += "; THE LOAD GENERATOR WAS THE LIMIT"
    return f"{text}; DISTURBED BY OTHERS" if disturbed(found) else text


def print_line(text: str) -> None:
    """Print a line, and flush."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
