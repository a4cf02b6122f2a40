"""What follows from the end of a round, as stored in the outbox."""

from __future__ import annotations

from msgspec import Struct

from server.results.core.races import Race


class RoundOver(Struct, tag="round", frozen=True):
    """A race that is over, written with the room's entry of its last result.

    Attributes:
        number: the round's number.
        race: who played it in which room and on what, and how they ended.
    """

    number: int
    race: Race

    @property
    def field(self) -> str:
        """Its field in the outbox, which is in the room's partition."""
        return f"{self.race.room}/{self.number}"
