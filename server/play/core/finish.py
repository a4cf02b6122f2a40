"""The finish of an attempt, an effect stored in the outbox."""

from __future__ import annotations

from msgspec import Struct

from engine.schema import STANDARD
from server.base.core.ids import AttemptId, DealId, Occasion, PlayerId, RoomCode
from server.play.core.result import Result


class Finish(Struct, tag="finish", frozen=True, omit_defaults=True):
    """The result of a finished attempt, written with its last entry."""

    attempt: AttemptId
    player: PlayerId
    deal: DealId
    game: str
    room: RoomCode | None
    day: int | None
    result: Result
    ranked: bool = False  # as in `server.play.core.attempt.Started`
    occasion: Occasion | None = None  # its purpose if it was neither in a room nor a daily
    variant: str = STANDARD

    @property
    def field(self) -> str:
        """The field in the outbox."""
        return self.attempt
