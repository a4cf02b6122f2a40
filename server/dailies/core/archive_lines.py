"""The lines (JSON) of a day's file in the archive: the day with its deals, and then its runs."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from engine.catalog import ruleset
from server.base.core.ids import PlayerId
from server.play.core.result import Row, unpack
from server.play.core.run import FileResult, Milliseconds, Run
from server.results.core.boards import Group


class ArchivedDeal(Struct, frozen=True):
    """The deal of a game for the day; the fields are those of a run's file."""

    game: str
    variant: str
    deal: str
    rules: str
    commitment: str
    seed: str


class DayLine(Struct, frozen=True, tag_field="samedeal", tag="day"):
    """The first line.

    Attributes:
        format: of the file.
        date: the day, in ISO 8601.
        deals: one of each game.
    """

    format: Literal[1]
    date: str
    deals: list[ArchivedDeal]


class RunLine(Struct, frozen=True):
    """The line of a run: with the deal of its game and the name of its player, its file.

    Attributes:
        group: whether the player had kept an identity.
        rank: among the runs of the game and group.
        player: the id; there are no names in the archive.
        started: as in `server.play.core.run.RunFile`, like all that follows.
    """

    game: str
    group: Group
    rank: int
    player: PlayerId
    started: Milliseconds
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
    # The moves of the score are 0 for all who brought no card home; a daily has no undo.
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
