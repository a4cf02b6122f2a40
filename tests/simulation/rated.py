"""Expected contests and ratings, recomputed: which races count for whom, and their effect.

It shares no code with the server, neither the rules for contests nor the rating model, which is
Plackett-Luce in the approximation of Weng and Lin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import exp, prod, sqrt
from typing import Any

MEAN = 25.0
"""Mean rating of players who have not raced."""

BETA, TAU, LEAST = MEAN / 6, MEAN / 300, 1e-4
"""Performance spread, growth of the deviation with time, and the smallest change."""

FULL, MOST = 3, 6
"""Races of the same pair in a day that count fully, and that count at all."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended: its ranking values, and whether its player has played."""

    home: int
    left: int
    time: int
    moves: int
    end: str

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Run:
        """Convert a run from an entry of a room's journal."""
        return cls(*(stored[name] for name in ("home", "left", "time", "moves", "end")))


def ranks_of(runs: Mapping[str, Run], home: int) -> dict[str, int]:
    """Return the ranks of runs; runs without a card of their own share the last rank."""
    order = {p: (run.left, run.time, run.moves) for p, run in runs.items() if run.home > home}
    return {
        p: 1 + sum(other < order[p] for other in order.values()) if p in order else len(runs)
        for p in runs
    }


def changes_of(
    before: Mapping[str, tuple[float, float]], ranks: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """Return the shift of each mean and the factor of each deviation."""
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
    """Return each player's contests in a race, with their weight per opponent.

    Args:
        home: cards that the deal itself brings home.
        ranked: players who had kept an identity when it started.
        together: pairs at the same address.
        earlier: how many races pairs had in the day before.
        played_moves: a player who resigned has played if it made this many moves.
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
    """Return the expected rating changes of a race; players without a change are missing."""
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
    """Apply changes to a rating."""
    return start[0] + sum(s for s, _ in changes), start[1] * prod(f for _, f in changes)
