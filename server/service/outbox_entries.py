"""What is written to the outbox: effects that must follow, in their stored form (JSON).

Each says all that its application needs, and applying it twice changes nothing more. See
`server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from server.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.core.stored import StoredResult
from server.service.stored import Reader


class Finish(msgspec.Struct, tag="finish", frozen=True):
    """The result of an attempt that is over, written with its last entry."""

    attempt: AttemptId
    player: PlayerId
    deal: DealId
    game: str
    room: RoomCode | None
    day: int | None
    result: StoredResult

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return self.attempt


Effect: TypeAlias = Finish
"""Every effect."""

_READER: Reader[Effect] = Reader(Effect)
_ENCODER = msgspec.json.Encoder()


def encode(effect: Effect) -> str:
    """Return the text (JSON) of an effect."""
    return _ENCODER.encode(effect).decode()


def decode(text: str) -> Effect:
    """Return the effect that a text (JSON) encodes.

    Raises:
        UnreadableError: this release does not know its type.
    """
    return _READER.read(text)
