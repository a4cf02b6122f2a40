"""The in-memory state of a followed room, and its page."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.journals.followed import Followed
from server.base.journals.reader import rules_of
from server.play.core.result import Result
from server.players.core.names import Profile
from server.rooms.core.bus import Progress
from server.rooms.core.room import Change, Room
from server.rooms.presence import RoomPresence


@dataclass(frozen=True, slots=True)
class RoomPage:
    """A room as its members see it. Equal pages look the same.

    Attributes:
        progress: each runner's result so far. Until a runner has finished, it has only the cards at
            home and the moves, and the time is 0.
        headways: the headway (`engine.headway`) of each runner whose result is not known yet.
        profiles: of all members and runners, and of former members in the scores.
        online: the members who are online in the room, on any node.
        seed: of the round's deal in hexadecimal once the round is over; empty if the deal has
            expired.
    """

    room: Room
    progress: dict[PlayerId, Result]
    headways: dict[PlayerId, int]
    profiles: dict[PlayerId, Profile]
    online: set[PlayerId]
    seed: str | None


@dataclass(slots=True, eq=False)
class LiveRoom:
    """A room that this node follows.

    Attributes:
        followed: its journal's replica.
        presence: the players who are online in it.
        counters: (cards at home, moves, headway) of each runner of a round who has moved.
        deal: the deal of that round, which may have been replaced by another one.
        seed: (deal id, seed in hexadecimal) of the last finished round's deal.
        shown: whether this node is registered as present itself, for lack of a local player.
        loaded: set after the first refresh since this node started following the room.
    """

    code: RoomCode
    followed: Followed[Room, Change]
    presence: RoomPresence
    counters: dict[PlayerId, tuple[int, int, int]] = field(default_factory=dict)
    deal: DealId | None = None
    seed: tuple[DealId, str] | None = None
    shown: bool = False
    loaded: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def room(self) -> Room:
        """The room's last known state."""
        assert self.followed.state is not None, "a room is followed from a known state on"
        return self.followed.state

    @property
    def players(self) -> set[PlayerId]:
        """All members and runners, and former members with a place in the scores."""
        room = self.room
        players = {seat.player for seat in room.seats}.union(room.former)
        return players.union(room.round.players) if room.round is not None else players

    def advance(self, progress: Progress) -> list[int]:
        """Apply runners' progress; older progress, or progress in another round, is ignored.

        Returns:
            A flat list of (index among the round's players, cards at home, moves, headway) for each
            runner who has advanced.
        """
        # Not `room`: this is called five times a second for each racing room.
        state = self.followed.state
        round_ = state.round if state is not None else None
        if round_ is None or round_.deal != progress.deal:
            return []
        if self.deal != round_.deal:
            self.deal, self.counters = round_.deal, {}
        advanced: list[int] = []
        for player, home, moves, headway in progress.runners:
            # Moves only increase, so a message with fewer moves is older.
            if player in round_.results or moves <= self.counters.get(player, (0, 0, 0))[1]:
                continue
            self.counters[player] = (home, moves, headway)
            advanced += (round_.players.index(player), home, moves, headway)
        return advanced

    @property
    def _known(self) -> dict[PlayerId, tuple[int, int, int]]:
        """The counters, if they belong to the room's latest round."""
        round_ = self.room.round
        return self.counters if round_ is not None and round_.deal == self.deal else {}

    def progress(self) -> Progress | None:
        """Return the progress of all runners, or `None` if none is known."""
        known = self._known
        if not known or self.deal is None:
            return None
        return Progress(self.deal, [(player, *counters) for player, counters in known.items()])

    def all_counters(self) -> list[int]:
        """Return all known counters as a flat list, as `advance` does."""
        players = self.room.round.players if self.room.round is not None else ()
        counters = self._known
        found = ((place, counters.get(player)) for place, player in enumerate(players))
        return [number for place, known in found if known for number in (place, *known)]

    def results(self) -> dict[PlayerId, Result]:
        """Return each runner's result, as in `RoomPage.progress`; empty before the first round."""
        round_ = self.room.round
        if round_ is None:
            return {}
        rules = rules_of(round_.terms.game, round_.terms.variant, round_.rules)
        known = self._known
        counters = {each: known.get(each, (rules.home_at_start, 0, 0)) for each in round_.players}
        return {
            player: Result(home, rules.total - home, 0, moves, None)
            for player, (home, moves, _) in counters.items()
        } | round_.results

    def headways(self) -> dict[PlayerId, int]:
        """Return the known headways, as in `RoomPage.headways`."""
        round_ = self.room.round
        done = round_.results if round_ is not None else {}
        return {
            player: headway for player, (_, _, headway) in self._known.items() if player not in done
        }
