"""Ranking: results, packed into one integer, and standings.

Fewer cards left are better, then an earlier time of the last card home, then fewer moves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, NamedTuple, TypeVar

from msgspec import Struct

from server.base.core.ids import PlayerId

_TIME_BITS = 34
_MOVE_BITS = 12
# The longest ranked time in milliseconds, 198 days; longer ones count as equal.
MAX_TIME = (1 << _TIME_BITS) - 1
MAX_MOVES = (1 << _MOVE_BITS) - 1  # the maximum number of moves of an attempt

T = TypeVar("T")

End = Literal["won", "stuck", "resigned", "time"]  # why an attempt ended; `time` is its deadline
Help = Literal["none", "undo", "hints"]  # the help available to a player; `hints` includes undo


class Result(Struct, frozen=True, omit_defaults=True):
    """A final or preliminary result of an attempt, also in storage and between nodes."""

    home: int  # cards on foundations
    left: int  # cards not there yet, at most 127
    time: int  # milliseconds from the start to the last move that brought a card home
    moves: int  # the number of moves played, including undos
    end: End | None  # why the attempt ended, or `None` while it is running
    undos: int = 0  # the number of undos among the moves
    hints: int = 0
    peeked: bool = False  # whether an undo has covered a card that had been seen


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a leaderboard, where a lower score is better and equal ones share a rank."""

    rank: int
    player: PlayerId
    score: int  # a packed result, or a negated number: see `BoardId.is_of_results`


class Rows(NamedTuple):
    """A part of a leaderboard."""

    size: int
    rows: list[Row]
    middle: int | None  # the median score, the better of the two in the middle; `None` without rows


def pack(left: int, time: int, moves: int) -> int:
    """Return an integer below 2^53 that sorts as results do; a double holds it exactly."""
    return (left << _TIME_BITS | min(time, MAX_TIME)) << _MOVE_BITS | min(moves, MAX_MOVES)


def unpack(packed: int) -> tuple[int, int, int]:
    """Return (left, time, moves) from a packed result."""
    moves = packed & MAX_MOVES
    time = packed >> _MOVE_BITS & MAX_TIME
    return packed >> _TIME_BITS + _MOVE_BITS, time, moves


def packed(result: Result) -> int:
    """Return a result packed into one integer."""
    return pack(result.left, result.time, result.moves)


def standing(results: Iterable[tuple[T, Result]]) -> list[tuple[int, T, Result]]:
    """Return (rank, key, result) for each (key, result), best first; equal results share ranks."""
    scored = sorted(((packed(result), key, result) for key, result in results), key=itemgetter(0))
    scores = [score for score, *_ in scored]
    return [(bisect_left(scores, score) + 1, key, result) for score, key, result in scored]


def ranks(results: Mapping[T, Result], home: int) -> dict[T, int]:
    """Return the ranks of the players of a round, from 1.

    Players who brought no card home share the last rank, even if it is the only one. `home` is the
    number of cards that are home after dealing; -1 ranks every run.
    """
    return {
        player: rank if result.home > home else len(results)
        for rank, player, result in standing(results.items())
    }


def winners(results: Mapping[T, Result], home: int) -> list[T]:
    """Return the winners of a round; empty if no card came home."""
    return [
        player
        for rank, player, result in standing(results.items())
        if rank == 1 and result.home > home
    ]
