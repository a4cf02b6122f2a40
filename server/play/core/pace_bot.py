"""The pace bot: a labelled player that plays deals by hints, at a human pace.

Its next move and the time of that move depend only on the attempt, so any node can append it, and
none needs to remember it. It knows only the cards that a player sees (`engine.hints`). Times are
Unix milliseconds.
"""

from __future__ import annotations

from zlib import crc32

from engine.hints import hint
from server.base.core.ids import PACE_BOT
from server.base.core.refusal import Refusal
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Event

FIRST_MOVE_AFTER_MS = 2_000  # after the start
FASTEST_MS, SLOWEST_MS = 1_200, 2_400  # between two moves; 1.8 s on average


def owns(attempt: Attempt) -> bool:
    """Return whether an attempt belongs to the pace bot."""
    return attempt.start.player == PACE_BOT


def next_at(attempt: Attempt) -> int:
    """Return the time of the bot's next entry, unless the attempt ends before."""
    if attempt.seq == 1:
        return attempt.start.at + FIRST_MOVE_AFTER_MS
    spread = crc32(f"{attempt.start.deal}:{attempt.seq}".encode())
    return attempt.at + FASTEST_MS + spread % (SLOWEST_MS - FASTEST_MS + 1)


def due(attempt: Attempt, now: int) -> Event | None:
    """Return the bot's next entry if it is due: the move of a hint, or a resignation without one.

    This costs a hint, and only when an entry is due.
    """
    # Dated to its due time, so that every node decides the same entry, however late.
    at = next_at(attempt)
    if attempt.end is not None or now < at or at >= attempt.start.deadline:
        return None
    move = hint(attempt.board)
    if move is not None:
        try:
            return core.play(attempt, move, at).event
        except Refusal:
            # The attempt has reached the maximum number of moves.
            pass
    return core.resign(attempt, at)
