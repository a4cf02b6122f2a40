"""What sessions have tried in order to sign in, and the challenges of their passkeys.

A device code has 40 bits, and holds for five minutes. A session may be wrong five times. On each
node, wrong guesses at device codes take from one bucket, of five a second; while that is empty, all
device codes are refused there. So somebody who guesses on one node without pause has hit a given
code with a probability of 1.5 in a billion when it expires. If a thousand codes hold at any time on
ten nodes, one of them is hit on a day with a probability of 0.4 %. Recovery codes, of 100 bits, and
passkeys need no such bucket, so whoever empties it keeps nobody from them.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

from server.core.codes import is_recovery
from server.core.refusal import Refusal
from server.gateway.limits import GUESS_BURST, GUESS_RATE, MAX_WRONG, Bucket
from server.gateway.session import Session
from server.service.passkeys import CHALLENGE_LIFE

Purpose = Literal["create", "use"]
"""What a challenge is for: an answer to one is none to the other."""


@dataclass(slots=True)
class Tries:
    """What a session has tried.

    Attributes:
        wrong: how often it was wrong.
        challenge: the challenge that has not been answered yet, with its purpose and the end of
            its time by the monotonic clock, or `None`.
    """

    wrong: int = 0
    challenge: tuple[Purpose, bytes, float] | None = None


class SignIns:
    """Bounds the guesses of this node's sessions, and remembers their challenges."""

    def __init__(self) -> None:
        # Only those who try have an entry, and lose it when they end.
        self._tries: WeakKeyDictionary[Session, Tries] = WeakKeyDictionary()
        self._guesses = Bucket(GUESS_RATE, GUESS_BURST, time.monotonic)

    def challenge(self, session: Session, purpose: Purpose) -> bytes:
        """Return a new challenge, in place of one that the session has not answered."""
        made = secrets.token_bytes(32)
        until = time.monotonic() + CHALLENGE_LIFE / 1000
        self._tries.setdefault(session, Tries()).challenge = (purpose, made, until)
        return made

    def answered(self, session: Session, purpose: Purpose) -> bytes:
        """Return the challenge that a session answers, once.

        Raises:
            Refusal: as `bad_passkey`, if there is none, or it is too old.
        """
        tries = self._tries.setdefault(session, Tries())
        challenge, tries.challenge = tries.challenge, None
        if challenge is None or challenge[0] != purpose or challenge[2] < time.monotonic():
            raise Refusal("bad_passkey")
        return challenge[1]

    @contextmanager
    def trying(self, session: Session, code: str | None = None) -> Iterator[None]:
        """Count a refusal within the block as a wrong try.

        Args:
            session: whose try it is.
            code: the code that is tried, if it is one.

        Raises:
            Refusal: as `too_fast`, if this session, or for a device code this node, has had too
                many.
        """
        tries = self._tries.setdefault(session, Tries())
        guess = code is not None and not is_recovery(code)
        if tries.wrong >= MAX_WRONG or (guess and not self._guesses.has_one()):
            raise Refusal("too_fast", "These were too many tries. Please wait a little.")
        try:
            yield
        except Refusal:
            tries.wrong += 1
            if guess:
                self._guesses.take()
            raise
