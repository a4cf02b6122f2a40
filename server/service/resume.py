"""Coming back to an attempt: what happened after the entry that a client has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.board import Delta, delta_between, view_of
from server.core.attempt import Moved
from server.core.digest import digest as digest_of
from server.service.answers import Snapshot
from server.service.attempt_journal import Step
from server.service.attempts import Attempts

MOST_MISSED = 64
"""Entries after the one that a client has; after more of them it is shown the whole board."""


@dataclass(frozen=True, slots=True)
class Missed:
    """What leads from the entry `since` to a snapshot.

    Attributes:
        moves: each with what it changed for its viewer. The last entry may be an end without one.
    """

    since: int
    moves: tuple[tuple[str, Delta], ...]
    now: Snapshot


async def find_missed(attempts: Attempts, now: Snapshot, seq: int, digest: int) -> Missed | None:
    """Return what a client has missed that has entry `seq`, and a view of this digest with it.

    Returns:
        `None` if it needs the snapshot: its view is another one, or its entry is too old, or none
        of this journal.

    Raises:
        Refusal: the attempt is no longer kept.
        UnavailableError: the store does not answer.
    """
    if not 0 <= now.seq - seq <= MOST_MISSED:
        return None
    if seq == now.seq:
        # Nobody has played on, as mostly: there is no need to read the journal.
        return Missed(seq, (), now) if digest == digest_of(now.view) else None
    return missed_of(await attempts.steps(now.attempt, seq + 1), now, seq, digest)


def missed_of(steps: Iterable[Step], now: Snapshot, seq: int, digest: int) -> Missed | None:
    """Return the same from the journal's entries after that one, or some before it too."""
    moves: list[tuple[str, Delta]] = []
    last = 0
    for before, event, after in steps:
        if before is None or before.seq < seq:
            continue
        if before.seq == seq and digest != digest_of(view_of(before.board)):
            return None
        if isinstance(event, Moved):
            moves.append((event.move, delta_between(before.board, after.board)))
        last = after.seq
    return Missed(seq, tuple(moves), now) if last == now.seq else None
