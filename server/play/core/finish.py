"""The finish of an attempt, an effect stored in the outbox."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import AttemptId, DealId, Occasion, PlayerId, RoomCode
from server.play.core.result import Result


class Finish(Struct, tag="finish", frozen=True, omit_defaults=True):
    """The result of a finished attempt, written with its last entry.

    Attributes:
        ranked: as in `server.play.core.attempt.Started`.
        occasion: its purpose if it was neither in a room nor a daily.
    """

    attempt: AttemptId
    player: PlayerId
    deal: DealId
    game: str
    room: RoomCode | None
    day: int | None
    result: Result
    ranked: bool = False
    occasion: Occasion | None = None

    @property
    def field(self) -> str:
        """The field in the outbox."""
        return self.attempt
