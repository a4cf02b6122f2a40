"""Restrictions that operators place on players."""

from __future__ import annotations

from typing import NamedTuple

from server.base.core.refusal import BaseRefusals, Refusal

MAX_WAIT_MS = 86_400_000  # the longest wait that a barred client is told before its next attempt


class Restrictions(NamedTuple):
    """Restrictions on a player."""

    # The end of the bar, in Unix milliseconds; 0 if permanent, `None` if not barred.
    barred: int | None
    hidden: str | None  # the hidden name, empty for a default name; `None` if the name is shown
    known: bool  # whether a record, results or a session of the player are stored


def is_barred(barred: int | None, now: int) -> bool:
    """Return whether a player is barred at a time; see `Restrictions.barred`."""
    return barred is not None and (barred == 0 or barred > now)


def refusal_of(barred: int, now: int) -> Refusal:
    """Return the refusal of a barred player's session."""
    return Refusal(
        BaseRefusals.barred, wait=min(barred - now, MAX_WAIT_MS) if barred else MAX_WAIT_MS
    )
