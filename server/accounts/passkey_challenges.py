"""The challenges of passkeys that the sessions of a node have been given, and not answered yet."""

from __future__ import annotations

import secrets
import time
from typing import Literal
from weakref import WeakKeyDictionary

from server.accounts.passkeys import CHALLENGE_LIFE_MS
from server.base.core.refusal import Refusal
from server.base.wire.session import Session

Purpose = Literal["create", "use", "confirm", "operate"]
"""The purpose of a challenge: an answer to one is none to the others."""


class PasskeyChallenges:
    """The challenges of this node's sessions.

    One that has not been answered is kept with its purpose and the end of its time by the monotonic
    clock.
    """

    def __init__(self) -> None:
        # Only those who try have an entry, and lose it when they end.
        self._asked: WeakKeyDictionary[Session, tuple[Purpose, bytes, float]] = WeakKeyDictionary()

    def new(self, session: Session, purpose: Purpose) -> bytes:
        """Return a new challenge, in place of one that the session has not answered."""
        made = secrets.token_bytes(32)
        until = time.monotonic() + CHALLENGE_LIFE_MS / 1000
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
