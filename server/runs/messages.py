"""Messages of runs: finished attempts, which are public once their deals are closed."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.wire.messages import Command, Event, Player
from server.play.core.result import End, Help


class GetRun(Command, tag=27, frozen=True):
    """Request a run.

    Refused as `unknown_run`, `deal_open`, `unknown_rules`, `unknown_format` or `overloaded`.

    Attributes:
        attempt: the id of its attempt.
    """

    attempt: Annotated[str, Meta(max_length=64)]
    cost: ClassVar[float] = costs.READ


class GetRuns(Command, tag=28, frozen=True):
    """Request the runs on a deal.

    Refused as `unknown_deal`, `deal_open`, `unknown_format` or `overloaded`.

    Attributes:
        deal: its id.
    """

    deal: Annotated[str, Meta(max_length=64)]
    cost: ClassVar[float] = costs.READ


class Run(Event, tag=19, frozen=True):
    """A run: its moves lead from the board dealt by the seed to its result.

    Attributes:
        attempt: the id of its attempt.
        player: the player of the run.
        deal: the id of its deal.
        commitment: to the deal's seed, in hexadecimal.
        seed: in hexadecimal.
        rules: the digest of its rules.
        started: when its clock started, in Unix milliseconds.
        deadline: when it would have ended automatically, in Unix milliseconds.
        moves: four numbers per move: milliseconds since the previous move or the start; then
            source, target and count as in `PlayMove`, or three zeros for an undo.
        ended: milliseconds from the start to the end.
        end: why it ended.
        help: the help available to the player.
        hints: the number of hints given.
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
    """A run's place in the ranking of its deal.

    Attributes:
        attempt: its id, for `GetRun`.
        rank: 1 for the best, shared by equal results.
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        undos: as in `Result`, like `hints` and `peeked`; all are 0 or false for a daily.
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
    """Runs on a closed deal.

    Attributes:
        deal: its id.
        size: the number of all runs.
        runs: all runs of a round; for a daily or a challenge, the first ones, and the player's own
            with its neighbours; empty for a round whose results are no longer kept.
    """

    deal: str
    size: int
    runs: list[RunRow]
