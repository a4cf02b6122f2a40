"""The pace bot: a labelled player that really plays a deal, by hints and at a human pace.

It has a seat, and attempts with journals, like anybody. What it plays next, and when, follows from
the attempt alone: any node appends it, and nobody has to remember that it is to be done. Like
every player it knows only what a player sees (`engine.hints`). Times are Unix milliseconds.
"""

from __future__ import annotations

from zlib import crc32

from engine.hints import hint
from server.base.core.ids import PACE_BOT
from server.base.core.refusal import Refusal
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Event

FIRST_MOVE_AFTER_MS = 2_000
"""Milliseconds from the start to the first move."""

FASTEST_MS, SLOWEST_MS = 1_200, 2_400
"""The shortest and the longest time between two moves, in milliseconds: 1.8 s on average."""


def is_its(attempt: Attempt) -> bool:
    """Return whether an attempt is the pace bot's."""
    return attempt.start.player == PACE_BOT


def next_at(attempt: Attempt) -> int:
    """Return when the bot makes the next entry of its attempt, unless that is over before."""
    if attempt.seq == 1:
        return attempt.start.at + FIRST_MOVE_AFTER_MS
    spread = crc32(f"{attempt.start.deal}:{attempt.seq}".encode())
    return attempt.at + FASTEST_MS + spread % (SLOWEST_MS - FASTEST_MS + 1)


def due(attempt: Attempt, now: int) -> Event | None:
    """Return the bot's next entry if its time has come, or `None`.

    It is the move that a hint names, or the resignation if there is none. It has the time at which
    it was due, so that every node decides the same entry, however late. It costs one hint, and
    only once the time has come.
    """
    at = next_at(attempt)
    if attempt.end is not None or now < at or at >= attempt.start.deadline:
        return None
    move = hint(attempt.board)
    if move is not None:
        try:
            return core.play(attempt, move, at).event
        except Refusal:
            # It has as many moves as an attempt may have.
            pass
    return core.resign(attempt, at)
