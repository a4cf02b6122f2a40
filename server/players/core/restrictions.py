"""Restrictions on players, which operators make. Pure."""

from __future__ import annotations

from typing import NamedTuple

from server.base.core.refusal import Refusal

MAX_WAIT_MS = 86_400_000
"""The longest time that a barred client is asked to wait before another try, in milliseconds."""


class Restrictions(NamedTuple):
    """The restrictions on a player.

    Attributes:
        barred: until when no session begins, in Unix milliseconds; 0 for ever, `None` if any may.
        hidden: the name that is put aside, empty if there was none; `None` if it is shown.
        known: whether anything is stored of the player: a record, results, or a session.
    """

    barred: int | None
    hidden: str | None
    known: bool


def is_barred(barred: int | None, now: int) -> bool:
    """Return whether a player is barred at a time; see `Restrictions.barred`."""
    return barred is not None and (barred == 0 or barred > now)


def refusal_of(barred: int, now: int) -> Refusal:
    """Return the refusal of a session of a player who is barred at a time."""
    return Refusal("barred", wait=min(barred - now, MAX_WAIT_MS) if barred else MAX_WAIT_MS)
