"""Answers: what became of a command, and an attempt, as its player may see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.board import Delta, View, view_of
from server.core.attempt import Attempt, Started
from server.core.ids import AttemptId
from server.core.ranking import Result


class Played(NamedTuple):
    """A move that stands: the attempt before and after it, and what it changed for its viewer."""

    before: Attempt
    after: Attempt
    delta: Delta


class Over(NamedTuple):
    """An end without a move, and the attempt after it."""

    after: Attempt


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An attempt as its player may see it."""

    attempt: AttemptId
    start: Started
    seq: int
    view: View
    result: Result
    commitment: str


Answer = Played | Over | Snapshot


def snapshot_of(attempt: Attempt, commitment: str) -> Snapshot:
    """Return an attempt as its player may see it."""
    view = view_of(attempt.board)
    return Snapshot(attempt.id, attempt.start, attempt.seq, view, attempt.result, commitment)
