"""The lines (JSON) of a day's archive file: the day with its deals, followed by its runs."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from engine.catalog import ruleset
from server.base.core.ids import PlayerId
from server.base.core.numbers import Milliseconds
from server.play.core.result import Row, unpack
from server.play.core.run import FileResult, Run
from server.results.core.boards import Group


class ArchivedDeal(Struct, frozen=True):
    """The deal of a game for the day; its fields are the same as in a run's file."""

    game: str
    variant: str
    deal: str
    rules: str
    commitment: str
    seed: str


class DayLine(Struct, frozen=True, tag_field="samedeal", tag="day"):
    """The first line."""

    format: Literal[1]  # the version of the file format
    date: str  # the day, in ISO 8601
    deals: list[ArchivedDeal]  # one per game


class RunLine(Struct, frozen=True):
    """The line of a run: a run's file without the deal of its game and its player's name."""

    game: str
    group: Group  # whether the player had a kept identity at the start
    rank: int  # among the runs of the game and group
    player: PlayerId  # the player's id; the archive contains no names
    started: Milliseconds  # as in `server.play.core.run.RunFile`, like the fields after it
    deadline: Milliseconds
    moves: list[tuple[str, Milliseconds]]
    ended: Milliseconds
    result: FileResult


_ENCODER = msgspec.json.Encoder()


def line(value: DayLine | RunLine) -> bytes:
    """Return a line of the file."""
    return _ENCODER.encode(value) + b"\n"


def run_line(game: str, group: Group, row: Row, run: Run) -> RunLine:
    """Return the line of a run, given its row on the day's leaderboard."""
    left, time, _ = unpack(row.score)
    home = ruleset(game).total - left
    # The score's moves are 0 for players who brought no card home, so count them; dailies have no
    # undo.
    moves = len(run.moves)
    return RunLine(
        game=game,
        group=group,
        rank=row.rank,
        player=row.player,
        started=run.start.at,
        deadline=run.start.deadline,
        moves=list(run.moves),
        ended=run.ended,
        result=FileResult(home, left, time, moves, run.end),
    )
