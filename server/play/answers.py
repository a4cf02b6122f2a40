"""Outcomes of commands on an attempt, as seen by its player."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from engine.board import Delta, View, view_of
from engine.ruleset import Move
from server.base.core.ids import AttemptId
from server.deals.core.certificate import Certificate
from server.play.core.attempt import Attempt, Started
from server.play.core.result import Result


class Played(Struct, frozen=True, gc=False):
    """An appended move or undo: the attempt before and after it, and the player's delta."""

    before: Attempt
    after: Attempt
    delta: Delta
    is_repeated: bool = False  # whether it was appended before, and read from its journal


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An attempt as seen by its player."""

    attempt: AttemptId
    start: Started
    seq: int  # number of the journal's last entry, from 1
    view: View
    result: Result
    commitment: str  # to the deal's seed, in hexadecimal
    certificate: Certificate | None = None
    hinted: Move | None = None  # the hint given on this board, if any
    undoable: int = 0  # how many moves can be undone in a row


def snapshot_of(
    attempt: Attempt, commitment: str, certificate: Certificate | None = None
) -> Snapshot:
    """Return an attempt as its player sees it; commitment and certificate are its deal's."""
    view = view_of(attempt.board)
    return Snapshot(
        attempt.id,
        attempt.start,
        attempt.seq,
        view,
        attempt.result,
        commitment,
        certificate,
        attempt.hinted,
        attempt.undoable,
    )
