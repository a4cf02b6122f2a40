"""Ranking: results, packed into one integer, and standings.

A result is ordered by cards left, then by the time at which the last card came home, then by
moves. Less is better.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from msgspec import Struct

from server.core.ids import PlayerId

_TIME_BITS = 34
_MOVE_BITS = 12
MOST_TIME = (1 << _TIME_BITS) - 1
"""The longest time that is told apart: 198 days in milliseconds."""
MOST_MOVES = (1 << _MOVE_BITS) - 1
"""The most moves that are told apart."""

T = TypeVar("T")


class Result(Struct, frozen=True):
    """How an attempt stands or ended.

    Attributes:
        home: cards on foundations.
        left: cards not there yet, at most 127.
        time: milliseconds from the start to the last card that came home.
        moves: moves played.
        end: why the attempt ended, or `None` while it goes on.
    """

    home: int
    left: int
    time: int
    moves: int
    end: Literal["won", "stuck", "resigned", "time"] | None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a leaderboard: `score` is a packed result, and equal ones share a rank."""

    rank: int
    player: PlayerId
    score: int


def pack(left: int, time: int, moves: int) -> int:
    """Return the one integer, below 2^53, whose order is that of results."""
    return (left << _TIME_BITS | min(time, MOST_TIME)) << _MOVE_BITS | min(moves, MOST_MOVES)


def unpack(packed: int) -> tuple[int, int, int]:
    """Return (left, time, moves) of a packed result."""
    moves = packed & MOST_MOVES
    time = packed >> _MOVE_BITS & MOST_TIME
    return packed >> _TIME_BITS + _MOVE_BITS, time, moves


def packed(result: Result) -> int:
    """Return a result as one integer."""
    return pack(result.left, result.time, result.moves)


def standing(results: Iterable[tuple[T, Result]]) -> list[tuple[int, T, Result]]:
    """Return (rank, whose, result), best first; equal results share a rank."""
    ordered = sorted(results, key=lambda pair: packed(pair[1]))
    scores = [packed(result) for _, result in ordered]
    return [
        (scores.index(score) + 1, whose, result)
        for score, (whose, result) in zip(scores, ordered, strict=True)
    ]
