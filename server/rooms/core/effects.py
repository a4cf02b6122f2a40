"""Outbox effects of a finished round."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import is_bot
from server.results.core.race_results import Race
from server.rooms.core.room import Room

MIN_PLAYERS = 2  # the minimum number of players, excluding bots, that makes a round a race


class RoundOver(Struct, tag="round", frozen=True):
    """A finished race, written to the outbox with the room's entry of its last result."""

    number: int  # the round's number
    race: Race  # the room, deal, players and results

    @property
    def field(self) -> str:
        """The field in the outbox, which is in the room's partition."""
        return f"{self.race.room}/{self.number}"


def race_over(room: Room) -> Race | None:
    """Return the race of a room's last round, or `None` if it is not over or not a race."""
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
        terms.variant,
    )
