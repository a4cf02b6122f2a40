"""A room that this node follows, as it stands in memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from server.core.ids import DealId, PlayerId, RoomCode
from server.core.names import Profile
from server.core.race import Room
from server.core.ranking import Result
from server.service.bus_messages import Progress
from server.service.presence import RoomPresence
from server.service.stored import rules_of


@dataclass(frozen=True, slots=True)
class RoomPage:
    """A room as its members see it.

    Attributes:
        progress: the result so far of every runner of the round; of those who have not finished,
            cards at home and moves alone are known, and the time is 0.
        profiles: of all members and runners.
        online: the members who have a session on any node.
        seed: of the round's deal in hexadecimal, once it is over.
    """

    room: Room
    progress: dict[PlayerId, Result]
    profiles: dict[PlayerId, Profile]
    online: set[PlayerId]
    seed: str | None


@dataclass(slots=True, eq=False)
class LiveRoom:
    """A room that is followed.

    Attributes:
        presence: who is online in it.
        counters: (cards at home, moves) of runners of the round who have got anywhere.
        seed: of the round's deal if it is over, by the deal's id.
        loaded: set once the room has been read since it is followed.
    """

    room: Room
    presence: RoomPresence
    counters: dict[PlayerId, tuple[int, int]] = field(default_factory=dict)
    seed: tuple[DealId, str] | None = None
    loaded: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def code(self) -> RoomCode:
        """The room's code."""
        return self.room.opened.code

    @property
    def players(self) -> set[PlayerId]:
        """All members and runners."""
        players = {seat.player for seat in self.room.seats}
        return players.union(self.room.round.players) if self.room.round is not None else players

    def take(self, room: Room) -> None:
        """Take the room as it is now. The counters are those of one round."""
        old, new = self.room.round, room.round
        if new is not None and (old is None or old.deal != new.deal):
            self.counters.clear()
        self.room = room

    def advance(self, progress: Progress) -> list[int]:
        """Take how far runners have got; return (place, home, moves) of those it is news about."""
        round_ = self.room.round
        if round_ is None or round_.deal != progress.deal:
            return []
        advanced: list[int] = []
        for player, home, moves in progress.runners:
            if player in round_.results or moves <= self.counters.get(player, (0, 0))[1]:
                continue
            self.counters[player] = (home, moves)
            advanced += (round_.players.index(player), home, moves)
        return advanced

    def all_counters(self) -> list[int]:
        """Return (place, home, moves) of every runner who has got anywhere."""
        players = self.room.round.players if self.room.round is not None else ()
        found = ((place, self.counters.get(player)) for place, player in enumerate(players))
        return [number for place, known in found if known for number in (place, *known)]

    def results(self) -> dict[PlayerId, Result]:
        """Return how far each runner of the round has got, as far as that is known."""
        room = self.room
        if room.round is None:
            return {}
        rules = rules_of(room.opened.game, room.opened.variant, room.round.rules)
        start = (rules.home_at_start, 0)
        counters = {player: self.counters.get(player, start) for player in room.round.players}
        return {
            player: Result(home, rules.total - home, 0, moves, None)
            for player, (home, moves) in counters.items()
        } | room.round.results
