"""The kinds of fault in a race, their rates and their targets."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping

LOST = "store: commands lost"
UNANSWERED = "store: applied, answer lost"
APPLIED_LATE = "store: connection lost, command applied later"
SLOW = "store: answer delayed"
UNAVAILABLE = "store: unavailable for a while"
KILLED_BEFORE = "node: killed before a command"
KILLED_AFTER = "node: killed after a command"
RESTARTED = "node: restarted"
CLOCK_JUMP = "node: clock jumps"
BUS_MESSAGE_LOST = "message between nodes lost"
BUS_MESSAGE_LATE = "message between nodes late"
COMMAND_LOST = "network: cut before a command"
ANSWER_LOST = "network: cut after a command"
DELAYED = "network: message delayed"
ELSEWHERE = "network: to another node"
SECOND_DEVICE = "player: second device"
COMMAND_TWICE = "player: command twice"
TAIL_LOST = "store: its last writes lost"

STORE: Mapping[str, float] = {
    LOST: 0.010,
    UNANSWERED: 0.015,
    APPLIED_LATE: 0.008,
    SLOW: 0.030,
    UNAVAILABLE: 0.003,
    KILLED_BEFORE: 0.003,
    KILLED_AFTER: 0.005,
    RESTARTED: 0.001,
    CLOCK_JUMP: 0.006,
}
"""Faults of a batch of commands to the store, and their usual rates."""

NETWORK: Mapping[str, float] = {
    COMMAND_LOST: 0.02,
    ANSWER_LOST: 0.04,
    DELAYED: 0.06,
    ELSEWHERE: 0.02,
}
"""Faults of a message from a player to a node, and their usual rates."""

OTHERS: Mapping[str, float] = {
    BUS_MESSAGE_LOST: 0.1,
    BUS_MESSAGE_LATE: 0.1,
    SECOND_DEVICE: 0.08,
    COMMAND_TWICE: 0.04,
}


MAX_STEPS = 250
"""A race's single fault hits one of its first batches, at most this one."""


class FaultDraw:
    """Draws a fault or none for each command or message, until it is stopped."""

    def __init__(self, rates: Mapping[str, float], rng: random.Random) -> None:
        self._rates = list(rates.items())
        self._total = sum(rates.values())
        self._rng = rng

    def draw(self) -> str | None:
        """Return the kind of the next fault, or `None`, which is most frequent."""
        chance = self._rng.random()
        if chance >= self._total:
            return None
        for kind, rate in self._rates:
            chance -= rate
            if chance < 0:
                return kind
        return None

    def stop(self) -> None:
        """Draw no more faults."""
        self._total = 0.0


class FaultMix:
    """The faults of one race: several kinds with their rates, or a single fault."""

    def __init__(self, rng: random.Random, counts: Counter[str]) -> None:
        strength = rng.choice((0.0, 0.5, 1.0, 1.0, 2.0))
        self._rng = rng
        self._counts = counts
        rates = {
            kind: min(rate * strength * rng.choice((0.0, 1.0, 1.0, 3.0)), 0.9)
            for rates in (STORE, NETWORK, OTHERS)
            for kind, rate in rates.items()
        }
        self._store_draw = FaultDraw(_rates_of(rates, STORE), rng)
        self._network_draw = FaultDraw(_rates_of(rates, NETWORK), rng)
        # With strength 0 there is a single fault, after this many batches.
        self._steps_until_only = rng.randint(1, MAX_STEPS) if strength == 0.0 else 0
        self._only = rng.choice(list(STORE))
        self._others = {kind: FaultDraw({kind: rates[kind]}, rng) for kind in OTHERS}

    def of_store(self) -> str | None:
        """Return the fault of a batch of store commands, or `None`."""
        if self._steps_until_only:
            self._steps_until_only -= 1
            return None if self._steps_until_only else self._only
        return self._store_draw.draw()

    def of_network(self) -> str | None:
        """Return the fault of a message, or `None`."""
        return self._network_draw.draw()

    def happens(self, kind: str) -> bool:
        """Return whether a fault of a kind in `OTHERS` happens."""
        return self._others[kind].draw() is not None

    def note(self, kind: str) -> None:
        """Count a fault that happened."""
        self._counts[f"fault: {kind}"] += 1

    def stop(self) -> None:
        """Draw no more faults."""
        self._steps_until_only = 0
        for draw in (self._store_draw, self._network_draw, *self._others.values()):
            draw.stop()


def _rates_of(rates: Mapping[str, float], kinds: Iterable[str]) -> dict[str, float]:
    return {kind: rates[kind] for kind in kinds}
