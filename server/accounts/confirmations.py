"""Which sessions have shown a credential of their player, and may change them for a while.

A token alone, which may have been taken from a browser for a moment, changes nothing for good.
"""

from __future__ import annotations

import time
from typing import Final
from weakref import WeakKeyDictionary

from server.base.wire.session import Session

CONFIRMED_FOR: Final = 300.0
"""Seconds for which a session that has shown a credential may change them."""


class Confirmations:
    """Remembers until when sessions are confirmed, by the monotonic clock; dies with them.

    Args:
        seconds: for which a session is confirmed; `None` for `CONFIRMED_FOR`.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._until: WeakKeyDictionary[Session, float] = WeakKeyDictionary()

    def note(self, session: Session) -> None:
        """Note that a session has just shown a credential of its player."""
        seconds = CONFIRMED_FOR if self._seconds is None else self._seconds
        self._until[session] = time.monotonic() + seconds

    def holds(self, session: Session) -> bool:
        """Return whether a session is confirmed now."""
        return self._until.get(session, 0.0) > time.monotonic()
