"""The outcomes of commands on an attempt, with what its player may see of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.board import Delta, View, view_of
from server.core.attempt import Attempt, Started
from server.core.ids import AttemptId
from server.core.ranking import Result


class Played(NamedTuple):
    """A move that was appended: the attempt before and after it, and the delta for its player."""

    before: Attempt
    after: Attempt
    delta: Delta


class Over(NamedTuple):
    """The attempt ended without a move, as by resignation.

    Attributes:
        after: the attempt that is over.
    """

    after: Attempt


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An attempt as its player may see it.

    Attributes:
        seq: number of the journal's last entry, from 1.
        commitment: of the deal's seed, in hexadecimal.
    """

    attempt: AttemptId
    start: Started
    seq: int
    view: View
    result: Result
    commitment: str


def snapshot_of(attempt: Attempt, commitment: str) -> Snapshot:
    """Return an attempt as its player may see it; `commitment` is that of its deal."""
    view = view_of(attempt.board)
    return Snapshot(attempt.id, attempt.start, attempt.seq, view, attempt.result, commitment)
