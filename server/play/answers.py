"""Outcomes of commands on an attempt, as seen by its player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct

from engine.board import Delta, View, view_of
from engine.ruleset import Move
from server.base.core.ids import AttemptId
from server.deals.core.certificate import Certificate
from server.play.core.attempt import Attempt, Started
from server.play.core.result import Result


class Played(Struct, frozen=True):
    """An appended move or undo: the attempt before and after it, and the player's delta."""

    before: Attempt
    after: Attempt
    delta: Delta


class Advice(NamedTuple):
    """The current hint on an attempt's board: `hinted`, which may be `None`.

    Attributes:
        after: the attempt, with its last entry.
    """

    after: Attempt


class Over(NamedTuple):
    """The attempt ended without a move, for example by resignation.

    Attributes:
        after: the finished attempt.
    """

    after: Attempt


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An attempt as seen by its player.

    Attributes:
        seq: number of the journal's last entry, from 1.
        commitment: to the deal's seed, in hexadecimal.
        certificate: the proof about the deal, if any.
        hinted: the hint given on this board, if any.
        undoable: how many moves can be undone in a row.
    """

    attempt: AttemptId
    start: Started
    seq: int
    view: View
    result: Result
    commitment: str
    certificate: Certificate | None = None
    hinted: Move | None = None
    undoable: int = 0


def snapshot_of(
    attempt: Attempt, commitment: str, certificate: Certificate | None = None
) -> Snapshot:
    """Return an attempt as seen by its player; commitment and certificate belong to its deal."""
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
