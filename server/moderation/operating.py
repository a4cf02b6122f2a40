"""Limits of operators on this node: session time, acts, and concurrent scans.

A token alone, even an operator's, is not enough to moderate: a session must show a passkey every
half hour.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from server.accounts.confirmations import Confirmations
from server.accounts.core.refusals import AccountRefusals
from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.net.limits import Bucket, Rate
from server.base.wire.session import Session

OPERATE_FOR: Final = 1_800.0  # seconds before an operator's session must show a passkey again

# An operator's acts; sustained higher rates need `samedeal admin`. This bounds the damage done by a
# stranger at an unattended desk.
ACTS: Final = Rate(0.1, 30.0)

# Until another scan can be requested, while one of the operator's is running.
SCAN_WAIT_MS: Final = 2_000


class Operating:
    """Sessions that may moderate, and their operators' budgets."""

    def __init__(self) -> None:
        self._confirmed = Confirmations(OPERATE_FOR)
        # Entries of operators only, so it stays small.
        self._acts: dict[PlayerId, Bucket] = {}
        self._scanning: set[PlayerId] = set()

    def note(self, session: Session) -> None:
        """Record that an operator has just shown a passkey in a session."""
        self._confirmed.note(session)

    def check(self, session: Session) -> None:
        """Check that a session may moderate. Refused as `confirm_first`."""
        if not self._confirmed.holds(session):
            raise Refusal(AccountRefusals.confirm_first, "Please show your passkey first.")

    def charge_act(self, player: PlayerId) -> None:
        """Charge an operator for an act. Refused as `too_fast`."""
        bucket, now = self._acts.setdefault(player, Bucket(ACTS)), time.monotonic()
        if not bucket.take(now):
            raise Refusal(BaseRefusals.too_fast, wait=math.ceil(bucket.wait(now) * 1000))

    @contextmanager
    def scanning(self, player: PlayerId) -> Iterator[None]:
        """Allow an operator a single scan of all keys at a time. Refused as `too_fast`."""
        if player in self._scanning:
            raise Refusal(BaseRefusals.too_fast, wait=SCAN_WAIT_MS)
        self._scanning.add(player)
        try:
            yield
        finally:
            self._scanning.discard(player)
