"""Leaderboards, by pages."""

from __future__ import annotations

from msgspec import Struct

from server.gateway.api.shared import Count, Player


class BoardRow(Struct, frozen=True):
    """A row of a leaderboard.

    Attributes:
        rank: 1 for the best; equal values share one.
        value: what the board is about, as a number; `server/HTTP.md` has it for each scope.
        left: cards that are not on the foundations; null unless the board is that of a day.
        time: milliseconds from the start to the last card that reached a foundation, or null.
        moves: moves played, or null.
        run: the id of the run, once its deal is closed; null before, and on boards of no one deal.
    """

    rank: Count
    player: Player
    value: int
    left: Count | None
    time: Count | None
    moves: Count | None
    run: str | None


class Board(Struct, frozen=True):
    """A part of a leaderboard.

    Attributes:
        scope: what a period is.
        game: the game's id, or `all`.
        period: which one, as in the path.
        size: how many rows the leaderboard has.
        rows: those that were asked for.
    """

    scope: str
    game: str
    period: str
    size: Count
    rows: list[BoardRow]
