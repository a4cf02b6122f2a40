"""How many device codes a node tries, and the challenges of passkeys.

A device code has 40 bits, and holds for five minutes. Players and addresses may be wrong only so
often (`server.gateway.budgets`), and who has many addresses may not try more: on each node, all
tries of device codes take from one bucket, of five a second; while that is empty, device codes are
refused there. So somebody who guesses on one node without pause has hit a given
code with a probability of 1.5 in a billion when it expires. If a thousand codes hold at any time on
ten nodes, one of them is hit on a day with a probability of 0.4 %. Recovery codes, of 100 bits, and
passkeys need no such bucket, so whoever empties it keeps nobody from them.
"""

from __future__ import annotations

import secrets
import time
from typing import Literal
from weakref import WeakKeyDictionary

from server.core.codes import is_recovery
from server.core.refusal import Refusal
from server.gateway import limits
from server.gateway.budgets import TOO_MANY_MISSES
from server.gateway.limits import Bucket
from server.gateway.session import Session
from server.service.passkeys import CHALLENGE_LIFE

Purpose = Literal["create", "use", "confirm"]
"""What a challenge is for: an answer to one is none to the others."""


class SignIns:
    """Bounds the guesses of this node's sessions, and remembers their challenges.

    A challenge that has not been answered is kept with its purpose and the end of its time by the
    monotonic clock.
    """

    def __init__(self) -> None:
        # Only those who try have an entry, and lose it when they end.
        self._asked: WeakKeyDictionary[Session, tuple[Purpose, bytes, float]] = WeakKeyDictionary()
        self._guesses = Bucket(limits.DEVICE_CODES)

    def challenge(self, session: Session, purpose: Purpose) -> bytes:
        """Return a new challenge, in place of one that the session has not answered."""
        made = secrets.token_bytes(32)
        until = time.monotonic() + CHALLENGE_LIFE / 1000
        self._asked[session] = (purpose, made, until)
        return made

    def answered(self, session: Session, purpose: Purpose) -> bytes:
        """Return the challenge that a session answers, once.

        Raises:
            Refusal: as `bad_passkey`, if there is none, or it is too old.
        """
        challenge = self._asked.pop(session, None)
        if challenge is None or challenge[0] != purpose or challenge[2] < time.monotonic():
            raise Refusal("bad_passkey")
        return challenge[1]

    def guess(self, code: str) -> None:
        """Count a code that is tried, if it is a device code.

        Raises:
            Refusal: as `too_fast`, if this node has just tried too many.
        """
        if not is_recovery(code) and not self._guesses.take(time.monotonic()):
            raise Refusal("too_fast", TOO_MANY_MISSES)
