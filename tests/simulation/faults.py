"""Which faults happen in a race, how often, and to what."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping

LOST = "store: commands lost"
UNANSWERED = "store: applied, answer lost"
LATE = "store: given up, applied later"
SLOW = "store: answer delayed"
AWAY = "store: away for a while"
KILLED_BEFORE = "node: killed before a command"
KILLED_AFTER = "node: killed after a command"
RESTARTED = "node: restarted"
CLOCK_JUMP = "node: clock jumps"
WAKE_UP_LOST = "message between nodes lost"
WAKE_UP_LATE = "message between nodes late"
COMMAND_LOST = "network: cut before a command"
ANSWER_LOST = "network: cut after a command"
DELAYED = "network: message delayed"
ELSEWHERE = "network: to another node"
SECOND_DEVICE = "player: second device"
AGAIN = "player: command twice"
TAIL_LOST = "store: its last writes lost"

STORE: Mapping[str, float] = {
    LOST: 0.010,
    UNANSWERED: 0.015,
    LATE: 0.008,
    SLOW: 0.030,
    AWAY: 0.003,
    KILLED_BEFORE: 0.003,
    KILLED_AFTER: 0.005,
    RESTARTED: 0.001,
    CLOCK_JUMP: 0.006,
}
"""Faults that happen to a command to the store, and how often, where they are in season."""

NETWORK: Mapping[str, float] = {
    COMMAND_LOST: 0.02,
    ANSWER_LOST: 0.04,
    DELAYED: 0.06,
    ELSEWHERE: 0.02,
}
"""Faults that happen to a message between a player and a node."""

OTHERS: Mapping[str, float] = {
    WAKE_UP_LOST: 0.1,
    WAKE_UP_LATE: 0.1,
    SECOND_DEVICE: 0.08,
    AGAIN: 0.04,
}


MAX_STEPS = 250
"""Commands to the store among which the one fault of a race comes, if there is but one."""


class Fates:
    """Draws what happens to each thing, until all is calm."""

    def __init__(self, rates: Mapping[str, float], rng: random.Random) -> None:
        self._rates = list(rates.items())
        self._total = sum(rates.values())
        self._rng = rng

    def draw(self) -> str | None:
        """Return what happens to the next thing, mostly nothing."""
        chance = self._rng.random()
        if chance >= self._total:
            return None
        for kind, rate in self._rates:
            chance -= rate
            if chance < 0:
                return kind
        return None

    def calm(self) -> None:
        """Let nothing more happen."""
        self._total = 0.0


class Season:
    """The faults of one race: some kinds, each more or less often than usual; or one alone."""

    def __init__(self, rng: random.Random, counts: Counter[str]) -> None:
        strength = rng.choice((0.0, 0.5, 1.0, 1.0, 2.0))
        self._rng = rng
        self._counts = counts
        rates = {
            kind: min(rate * strength * rng.choice((0.0, 1.0, 1.0, 3.0)), 0.9)
            for rates in (STORE, NETWORK, OTHERS)
            for kind, rate in rates.items()
        }
        self._of_store = Fates(_some(rates, STORE), rng)
        self._of_network = Fates(_some(rates, NETWORK), rng)
        # Where everything else goes well, one fault comes at some step.
        self._until_only = rng.randint(1, MAX_STEPS) if strength == 0.0 else 0
        self._only = rng.choice(list(STORE))
        self._others = {kind: Fates({kind: rates[kind]}, rng) for kind in OTHERS}

    def of_store(self) -> str | None:
        """Return what happens to a command to the store."""
        if self._until_only:
            self._until_only -= 1
            return None if self._until_only else self._only
        return self._of_store.draw()

    def of_network(self) -> str | None:
        """Return what happens to a message."""
        return self._of_network.draw()

    def happens(self, kind: str) -> bool:
        """Return whether a fault of one kind happens."""
        return self._others[kind].draw() is not None

    def note(self, kind: str) -> None:
        """Count a fault that happened."""
        self._counts[f"fault: {kind}"] += 1

    def calm(self) -> None:
        """Let nothing more happen."""
        self._until_only = 0
        for fates in (self._of_store, self._of_network, *self._others.values()):
            fates.calm()


def _some(rates: Mapping[str, float], kinds: Iterable[str]) -> dict[str, float]:
    return {kind: rates[kind] for kind in kinds}
