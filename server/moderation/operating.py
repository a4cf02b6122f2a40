"""Limits of operators on this node: how long a session moderates, how much, one scan at a time.

A token alone, even an operator's, opens nothing: a session has to show a passkey, each half hour.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from server.accounts.confirmations import Confirmations
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.net.limits import Bucket, Rate
from server.base.wire.session import Session

OPERATE_FOR: Final = 1_800.0
"""Seconds for which a session that has shown a passkey may moderate."""

ACTS: Final = Rate(0.1, 30.0)
"""Acts of an operator. More than one in ten seconds for long is for `samedeal admin`: so whoever
sits down at a desk that somebody has left cannot do harm without end."""

SCAN_WAIT_MS: Final = 2_000
"""Milliseconds after which a scan is asked for again, while one of the same operator goes on."""


class Operating:
    """The sessions that may moderate, and the budgets of their operators."""

    def __init__(self) -> None:
        self._confirmed = Confirmations(OPERATE_FOR)
        # Only those who are operators have an entry.
        self._acts: dict[PlayerId, Bucket] = {}
        self._scanning: set[PlayerId] = set()

    def note(self, session: Session) -> None:
        """Note that a session has just shown a passkey of its player, who is an operator."""
        self._confirmed.note(session)

    def check(self, session: Session) -> None:
        """Check that a session may moderate now.

        Raises:
            Refusal: as `confirm_first`.
        """
        if not self._confirmed.holds(session):
            raise Refusal("confirm_first", "Please show your passkey first.")

    def charge_act(self, player: PlayerId) -> None:
        """Charge an operator for an act.

        Raises:
            Refusal: as `too_fast`.
        """
        bucket, now = self._acts.setdefault(player, Bucket(ACTS)), time.monotonic()
        if not bucket.take(now):
            raise Refusal("too_fast", wait=math.ceil(bucket.wait(now) * 1000))

    @contextmanager
    def scanning(self, player: PlayerId) -> Iterator[None]:
        """Let an operator scan all keys in the block, and begin no other scan meanwhile.

        Raises:
            Refusal: as `too_fast`.
        """
        if player in self._scanning:
            raise Refusal("too_fast", wait=SCAN_WAIT_MS)
        self._scanning.add(player)
        try:
            yield
        finally:
            self._scanning.discard(player)
