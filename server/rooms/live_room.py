"""The in-memory state of a followed room, and its page."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.journals.reader import rules_of
from server.play.core.result import Result
from server.players.core.names import Profile
from server.rooms.core.bus import Progress
from server.rooms.core.room import Room
from server.rooms.presence import RoomPresence


@dataclass(frozen=True, slots=True)
class RoomPage:
    """A room as its members see it.

    Attributes:
        progress: each runner's result so far. Until a runner has finished, it has only the cards at
            home and the moves, and the time is 0.
        profiles: of all members and runners, and of former members in the scores.
        online: the players who are online in the room, on any node.
        seed: of the round's deal in hexadecimal once the round is over; empty if the deal has
            expired.
    """

    room: Room
    progress: dict[PlayerId, Result]
    profiles: dict[PlayerId, Profile]
    online: set[PlayerId]
    seed: str | None


@dataclass(slots=True, eq=False)
class LiveRoom:
    """A room that this node follows.

    Attributes:
        presence: the players who are online in it.
        counters: (cards at home, moves) of each runner of the round who has moved.
        seed: (deal id, seed in hexadecimal) of the last finished round's deal.
        shown: whether this node is registered as present itself, for lack of a local player.
        loaded: set after the first refresh since this node started following the room.
    """

    room: Room
    presence: RoomPresence
    counters: dict[PlayerId, tuple[int, int]] = field(default_factory=dict)
    seed: tuple[DealId, str] | None = None
    shown: bool = False
    loaded: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def code(self) -> RoomCode:
        """The room's code."""
        return self.room.opened.code

    @property
    def players(self) -> set[PlayerId]:
        """All members and runners, and former members with a place in the scores."""
        players = {seat.player for seat in self.room.seats}.union(self.room.former)
        return players.union(self.room.round.players) if self.room.round is not None else players

    def update(self, room: Room) -> None:
        """Replace the room's state; a new round resets the counters."""
        old, new = self.room.round, room.round
        if new is not None and (old is None or old.deal != new.deal):
            self.counters.clear()
        self.room = room

    def advance(self, progress: Progress) -> list[int]:
        """Apply runners' progress; older progress, or progress in another round, is ignored.

        Returns:
            A flat list of (index among the round's players, cards at home, moves) for each runner
            who has advanced.
        """
        round_ = self.room.round
        if round_ is None or round_.deal != progress.deal:
            return []
        advanced: list[int] = []
        for player, home, moves in progress.runners:
            # Moves only increase, so a message with fewer moves is older.
            if player in round_.results or moves <= self.counters.get(player, (0, 0))[1]:
                continue
            self.counters[player] = (home, moves)
            advanced += (round_.players.index(player), home, moves)
        return advanced

    def all_counters(self) -> list[int]:
        """Return all known counters as a flat list, as `advance` does."""
        players = self.room.round.players if self.room.round is not None else ()
        found = ((place, self.counters.get(player)) for place, player in enumerate(players))
        return [number for place, known in found if known for number in (place, *known)]

    def results(self) -> dict[PlayerId, Result]:
        """Return each runner's result, as in `RoomPage.progress`; empty before the first round."""
        room = self.room
        if room.round is None:
            return {}
        terms = room.round.terms
        rules = rules_of(terms.game, terms.variant, room.round.rules)
        start = (rules.home_at_start, 0)
        counters = {player: self.counters.get(player, start) for player in room.round.players}
        return {
            player: Result(home, rules.total - home, 0, moves, None)
            for player, (home, moves) in counters.items()
        } | room.round.results
