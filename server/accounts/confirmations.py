"""Sessions that have shown a credential of their player.

Only they may change credentials, so that a briefly stolen token does no lasting damage.
"""

from __future__ import annotations

import time
from typing import Final
from weakref import WeakKeyDictionary

from server.base.wire.session import Session

CONFIRMED_FOR: Final = 300.0  # seconds before a confirmation expires


class Confirmations:
    """The sessions that have shown a credential, for `seconds` or `CONFIRMED_FOR`."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._until: WeakKeyDictionary[Session, float] = WeakKeyDictionary()

    def note(self, session: Session) -> None:
        """Confirm a session that has just shown a credential."""
        seconds = CONFIRMED_FOR if self._seconds is None else self._seconds
        self._until[session] = time.monotonic() + seconds

    def holds(self, session: Session) -> bool:
        """Return whether a session is confirmed."""
        return self._until.get(session, 0.0) > time.monotonic()
