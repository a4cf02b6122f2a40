"""Effects of the end of a round, and their form in the outbox."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import is_bot
from server.results.core.race_results import Race
from server.rooms.core.room import Room

MIN_PLAYERS = 2
"""Players, without bots, from which on a round is a race."""


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


def race_over(room: Room) -> Race | None:
    """Return the race that a room's last round was; `None` if it is not over, or was no race.

    A round that an operator has ended by closing the room is none, nor one without a move.
    """
    round_ = room.round
    if round_ is None or not round_.over or room.closed:
        return None
    results = {player: round_.results[player] for player in round_.players if not is_bot(player)}
    if len(results) < MIN_PLAYERS or not any(result.moves for result in results.values()):
        return None
    terms = round_.terms
    return Race(
        round_.deal,
        terms.game,
        room.at,
        round_.home,
        terms.help,
        results,
        room.opened.code,
        round_.starts,
        round_.rated,
        round_.counts,
    )
