"""Pending passkey challenges of this node's sessions."""

from __future__ import annotations

import secrets
import time
from typing import Literal
from weakref import WeakKeyDictionary

from server.accounts.core.refusals import AccountRefusals
from server.accounts.passkeys import CHALLENGE_LIFE_MS
from server.base.core.refusal import Refusal
from server.base.wire.session import Session

# The purpose of a challenge; an answer is valid for the same purpose only.
Purpose = Literal["create", "use", "confirm", "operate"]


class PasskeyChallenges:
    """Pending challenges, one per session, each with its purpose and monotonic deadline."""

    def __init__(self) -> None:
        # Sessions enter on their first challenge and leave when they end.
        self._asked: WeakKeyDictionary[Session, tuple[Purpose, bytes, float]] = WeakKeyDictionary()

    def new(self, session: Session, purpose: Purpose) -> bytes:
        """Return a new challenge, replacing the session's pending one."""
        made = secrets.token_bytes(32)
        until = time.monotonic() + CHALLENGE_LIFE_MS / 1000
        self._asked[session] = (purpose, made, until)
        return made

    def answered(self, session: Session, purpose: Purpose) -> bytes:
        """Remove and return the challenge that a session answers.

        Refused as `bad_passkey` if there is none, it has expired, or it was for another purpose.
        """
        challenge = self._asked.pop(session, None)
        if challenge is None or challenge[0] != purpose or challenge[2] < time.monotonic():
            raise Refusal(AccountRefusals.bad_passkey)
        return challenge[1]
