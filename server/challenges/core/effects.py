"""Effects of challenges, and their form in the outbox."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import ChallengeId


class ChallengeOpened(Struct, tag="challenge", frozen=True):
    """A challenge was made, written with its first entry: whom it is for is to be told."""

    challenge: ChallengeId

    @property
    def field(self) -> str:
        """Its field in the outbox, which is in the challenge's partition."""
        return f"{self.challenge}/opened"


class ChallengeSettled(Struct, tag="settled", frozen=True):
    """The results of a challenge that has closed are final, or an operator has changed one since.

    Attributes:
        version: that of the challenge then; what follows is computed from the latest one.
    """

    challenge: ChallengeId
    version: int

    @property
    def field(self) -> str:
        """As for `ChallengeOpened`."""
        return f"{self.challenge}/{self.version}"
