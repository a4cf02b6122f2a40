"""Resuming an attempt: the entries that a reconnecting client has missed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.board import Delta, delta_between, view_of
from server.play.answers import Snapshot
from server.play.attempts import Attempts
from server.play.core.attempt import move_of
from server.play.core.digest import digest as digest_of
from server.play.journal import Step

MAX_MISSED = 64  # maximum missed entries sent as deltas; beyond that the client gets a snapshot


@dataclass(frozen=True, slots=True)
class Missed:
    """The moves after a client's last entry."""

    since: int  # number of the client's last entry
    # (text, delta for the player) of each move, with `UNDONE` for undos. An end without a move adds
    # none.
    moves: tuple[tuple[str, Delta], ...]
    now: Snapshot  # the attempt after these moves


async def find_missed(attempts: Attempts, now: Snapshot, seq: int, digest: int) -> Missed | None:
    """Return the moves that a client has missed since entry `seq`.

    Return `None` if it needs the snapshot: its view had another digest at that entry, which may
    also be too old or not in this journal, or the player was given a hint since. Refused if the
    attempt does not exist, or has expired.
    """
    if not 0 <= now.seq - seq <= MAX_MISSED:
        return None
    if seq == now.seq:
        # The usual case: nothing was missed, so skip reading the journal.
        return Missed(seq, (), now) if digest == digest_of(now.view) else None
    return missed_of(await attempts.steps(now.attempt, seq + 1), now, seq, digest)


def missed_of(steps: Iterable[Step], now: Snapshot, seq: int, digest: int) -> Missed | None:
    """Return the result of `find_missed` from the journal's steps, which may start before `seq`."""
    moves: list[tuple[str, Delta]] = []
    last = 0
    for before, event, after in steps:
        if before is None or before.seq < seq:
            continue
        if before.seq == seq and digest != digest_of(view_of(before.board)):
            return None
        text = move_of(event)
        if text is None and after.end is None:
            # Only the snapshot shows a hint.
            return None
        if text is not None:
            moves.append((text, delta_between(before.board, after.board)))
        last = after.seq
    return Missed(seq, tuple(moves), now) if last == now.seq else None
