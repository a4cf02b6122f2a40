"""Effects of challenges in the outbox."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import ChallengeId


class ChallengeOpened(Struct, tag="challenge", frozen=True):
    """A challenge was created and its audience must be notified. Written with its first entry."""

    challenge: ChallengeId

    @property
    def field(self) -> str:
        """The field in the outbox of the challenge's partition."""
        return f"{self.challenge}/opened"


class ChallengeSettled(Struct, tag="settled", frozen=True):
    """A challenge's results became final, or an operator changed one later."""

    challenge: ChallengeId
    version: int  # the challenge's version then. Consumers use its latest state.

    @property
    def field(self) -> str:
        """As for `ChallengeOpened`."""
        return f"{self.challenge}/{self.version}"
