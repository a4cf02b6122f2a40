"""Contests and ratings as they should be, computed anew: what a race may do to whom, and how much.

It shares nothing with the server: neither the rules of what counts, nor the model, which is that of
Plackett and Luce in the approximation of Weng and Lin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import exp, prod, sqrt
from typing import Any

MEAN = 25.0
"""Of the ratings of those who have not raced."""

BETA, TAU, LEAST = MEAN / 6, MEAN / 300, 1e-4
"""The spread of what a player does, what a rating loses with time, and the least change of it."""

FULL, MOST = 3, 6
"""Races of the same two in a day that count in full, and those that count at all."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended: what ranks it, and whether its player has played."""

    home: int
    left: int
    time: int
    moves: int
    end: str

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Run:
        """Return it as an entry of a room's journal has it."""
        return cls(*(stored[name] for name in ("home", "left", "time", "moves", "end")))


def ranks_of(runs: Mapping[str, Run], home: int) -> dict[str, int]:
    """Return the ranks of runs, of which those without a card of their own share the last one."""
    order = {p: (run.left, run.time, run.moves) for p, run in runs.items() if run.home > home}
    return {
        p: 1 + sum(other < order[p] for other in order.values()) if p in order else len(runs)
        for p in runs
    }


def changes_of(
    before: Mapping[str, tuple[float, float]], ranks: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """Return by how much each mean is shifted, and by what each deviation is multiplied."""
    spread = {p: sqrt(before[p][1] ** 2 + TAU**2) for p in before}
    scale = sqrt(sum(each**2 + BETA**2 for each in spread.values()))
    worth = {p: exp(before[p][0] / scale) for p in before}
    found = {}
    for player in before:
        shift = loss = 0.0
        for other in before:
            if ranks[other] > ranks[player]:
                continue
            level = sum(ranks[each] == ranks[other] for each in before)
            behind = sum(worth[each] for each in before if ranks[each] >= ranks[other])
            chance = worth[player] / behind
            loss += chance * (1 - chance) / level
            shift += ((player == other) - chance) / level
        mine = spread[player]
        left = max(1 - loss * mine**3 / scale**3, LEAST)
        found[player] = (shift * mine**2 / scale, mine * sqrt(left) / before[player][1])
    return found


def contests_of(
    runs: Mapping[str, Run],
    home: int,
    *,
    ranked: Collection[str],
    together: Collection[frozenset[str]],
    earlier: Mapping[frozenset[str], int],
    played_moves: int,
) -> dict[str, dict[str, float]]:
    """Return for whom a race should be a contest, and how much it counts against each opponent.

    Args:
        runs: how the runs ended.
        home: cards that the deal itself brings home.
        ranked: who had kept an identity when it began.
        together: the pairs who are at one address.
        earlier: how many races pairs had in the day before.
        played_moves: moves from which on somebody who gave up has played.
    """
    ranks = ranks_of(runs, home)
    if not any(run.home > home for run in runs.values()):
        return {}
    played = {
        p for p, run in runs.items() if run.end in {"won", "stuck"} or run.moves >= played_moves
    }
    found = {}
    for player in sorted(ranked & runs.keys()):
        weights = {}
        for other in runs.keys() - {player}:
            pair = frozenset((player, other))
            met = earlier.get(pair, 0)
            counts = ranks[player] > ranks[other] or {player, other} <= played
            if counts and pair not in together and met < MOST:
                weights[other] = 0.5 ** max(0, met + 1 - FULL)
        if weights:
            found[player] = weights
    return found


def expected(
    runs: Mapping[str, Run],
    home: int,
    before: Mapping[str, tuple[float, float]],
    contests: Mapping[str, Mapping[str, float]],
) -> dict[str, tuple[float, float]]:
    """Return what a race should change of its players' ratings: nothing of those who are missing.

    Args:
        runs: how the runs ended.
        home: cards that the deal itself brings home.
        before: the ratings before it.
        contests: see `contests_of`.
    """
    ranks = ranks_of(runs, home)
    found = {}
    for player, weights in contests.items():
        field = {p: before[p] for p in (player, *weights)}
        shift, factor = changes_of(field, ranks)[player]
        weight = sum(weights.values()) / len(weights)
        found[player] = (shift * weight, factor**weight)
    return found


def total(
    changes: Collection[tuple[float, float]], start: tuple[float, float]
) -> tuple[float, float]:
    """Return a rating after changes, given that before them."""
    return start[0] + sum(s for s, _ in changes), start[1] * prod(f for _, f in changes)
