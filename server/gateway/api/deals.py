"""Deals that are closed, and the runs on them."""

from __future__ import annotations

from msgspec import Struct

from server.gateway.api.shared import Count, Date, Hex, Player


class ClosedDeal(Struct, frozen=True):
    """A deal that nobody can be playing any more, with the seed that it follows from.

    Attributes:
        deal: its id.
        date: the day whose daily it was; null for a deal of a room.
        commitment: to the seed, in hexadecimal.
        seed: in hexadecimal.
        rules: the digest of the rules that it was played by; null for those of release 0.1.0.
    """

    deal: str
    game: str
    variant: str
    date: Date | None
    commitment: Hex
    seed: Hex
    rules: Hex | None


class DealRun(Struct, frozen=True):
    """A run's place among those on its deal.

    Attributes:
        run: the id of the run.
        rank: 1 for the best; equal results share one.
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        undos: how many of the moves were undos; a daily has none, and no hints.
        hints: hints given to the player.
        peeked: whether an undo has covered a card that had been seen.
    """

    run: str
    rank: Count
    player: Player
    left: Count
    time: Count
    moves: Count
    undos: Count
    hints: Count
    peeked: bool


class DealRuns(Struct, frozen=True):
    """Runs on a deal that is closed, best first.

    Attributes:
        deal: its id.
        size: how many there are in all; 0 for a round whose room is not kept any more.
        runs: those that were asked for.
    """

    deal: str
    size: Count
    runs: list[DealRun]
