"""Runs: attempts that are over, as anybody may see them once their deals are closed."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.wire.messages import Command, Event, Player
from server.play.core.result import End, Help


class GetRun(Command, tag=27, frozen=True):
    """Ask for a run.

    Refused as `unknown_run`, `deal_open`, `unknown_rules`, `unknown_format` or `overloaded`.

    Attributes:
        attempt: the id of the attempt that it was.
    """

    attempt: Annotated[str, Meta(max_length=64)]
    cost: ClassVar[float] = costs.READ


class GetRuns(Command, tag=28, frozen=True):
    """Ask for the runs on a deal.

    Refused as `unknown_deal`, `deal_open`, `unknown_format` or `overloaded`.

    Attributes:
        deal: its id.
    """

    deal: Annotated[str, Meta(max_length=64)]
    cost: ClassVar[float] = costs.OPEN


class Run(Event, tag=19, frozen=True):
    """A run: its moves lead from the board that the seed deals to its result.

    Attributes:
        attempt: the id of the attempt that it was.
        player: the one who played it.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        seed: in hexadecimal.
        rules: the digest of the rules that it was played by.
        started: when its clock started, in Unix milliseconds.
        deadline: when it was to end by itself, in Unix milliseconds.
        moves: four numbers for each move: milliseconds since the move before it, or since the
            start; then source, target and count as in `PlayMove`, or 0 three times for an undo.
        ended: milliseconds from the start to the end.
        end: why it ended.
        help: the help that the player could ask for.
        hints: hints given to the player.
    """

    attempt: str
    player: Player
    deal: str
    commitment: str
    seed: str
    game: str
    variant: str
    rules: str
    started: int
    deadline: int
    moves: list[int]
    ended: int
    end: End
    help: Help = "none"
    hints: int = 0


class RunRow(Struct, array_like=True, frozen=True):
    """A run's place among those on its deal.

    Attributes:
        attempt: its id, by which `GetRun` asks for it.
        rank: 1 for the best; equal results share one.
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        undos: as in `Result`, like `hints` and `peeked`; a daily has none of them.
    """

    attempt: str
    rank: int
    player: Player
    left: int
    time: int
    moves: int
    undos: int = 0
    hints: int = 0
    peeked: bool = False


class Runs(Event, tag=20, frozen=True):
    """Runs on a deal that is closed.

    Attributes:
        deal: its id.
        size: how many there are.
        runs: all of a round, or of a daily the first ones and those around the player's own; none
            of a round whose room is not kept any more.
    """

    deal: str
    size: int
    runs: list[RunRow]
