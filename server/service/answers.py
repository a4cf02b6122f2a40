"""Answers: what became of a command, and an attempt, as its player may see them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.board import Delta, View, delta_between, view_of
from engine.ruleset import Ruleset
from server.core.attempt import Attempt, Play, Resign, Started
from server.core.ids import AttemptId
from server.core.ranking import Result


@dataclass(frozen=True, slots=True)
class Played:
    """A move that stands: what it changed for its viewer, and how the attempt stands after it."""

    attempt: AttemptId
    seq: int
    move: str
    ruleset: Ruleset
    delta: Delta
    result: Result


@dataclass(frozen=True, slots=True)
class Over:
    """An end without a move."""

    attempt: AttemptId
    seq: int
    result: Result


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


def answered(before: Attempt, after: Attempt, command: Play | Resign) -> Played | Over:
    """Return what a command did that stands, as its player may see it."""
    if isinstance(command, Resign):
        return Over(after.id, after.seq, after.result)
    delta = delta_between(before.board, after.board)
    ruleset = after.board.ruleset
    return Played(after.id, after.seq, command.move, ruleset, delta, after.result)
