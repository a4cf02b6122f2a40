"""The services of rooms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.journals.findings import journal_check
from server.base.wire.session import Session
from server.foundation import Setup
from server.play.attempt_charges import AttemptCharges
from server.players.core.names import Profile
from server.request import C_co, NodeRequest
from server.results.services import ResultServices
from server.rooms import journal
from server.rooms.absences import Absences
from server.rooms.core import keys, room
from server.rooms.core.effects import RoundOver
from server.rooms.core.keys import RoundDue
from server.rooms.emotes_feed import Emotes
from server.rooms.feed import RoomFeeds
from server.rooms.live_rooms import LiveRooms
from server.rooms.pace_bot_timers import PaceBotTimers
from server.rooms.preview import RoomPreviews
from server.rooms.progress import Progress
from server.rooms.race_recorder import RaceRecorder
from server.rooms.race_records_store import RaceRecordStore
from server.rooms.room_addresses import RoomAddresses
from server.rooms.rooms import Rooms
from server.rooms.same_address_feed import SameAddressFeed
from server.rooms.store import RoomStore
from server.rooms.unused_rooms import UnusedRooms


class RoomServices(ResultServices):
    """Rooms and their races.

    Attributes:
        room_feeds: sessions subscribed to rooms.
        emotes: transient emotes of rooms' members.
    """

    rooms: Rooms

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        background, outbox = self.background, self.outbox
        self.room_store = RoomStore(setup.database)
        self.live = LiveRooms(
            self.sources,
            self.attempts,
            self.profiles,
            self.registration,
            deals=self.deal_store,
            room_store=self.room_store,
        )
        self.journal_check.add(self.live.used)
        self.rooms = Rooms(
            self.live,
            self.room_store,
            self.attempts,
            self.quotas,
            self.keyring,
            journals=self.journal_store,
            deals=self.deal_store,
            clock=self.clock,
        )
        AttemptCharges(self.attempts, self.quotas, self.clock, self.rooms.of_first_move)
        self.metrics.rooms = lambda: self.live.size
        self.absences = Absences(self.rooms, self.live, background)
        self.room_addresses = RoomAddresses(self.address_hashes, self.room_store)
        self.unused_rooms = UnusedRooms(self.room_store, self.live, self.quotas, background)
        self.pace_bot_timers = PaceBotTimers(self.clock, self.rooms, self.live, background)
        self.race_record_store = RaceRecordStore(setup.database)
        self.race_recorder = RaceRecorder(
            self.race_record_store,
            self.histories,
            self.room_addresses,
            met=self.met_store,
            complete=outbox.complete,
        )
        self.progress = Progress(self.attempts, self.live, background)
        self.live.appended.subscribe(lambda _, __, append: outbox.enqueue_appended(append))
        self.finishes.applied.subscribe(lambda finish, _: self.rooms.apply_finish(finish))
        outbox.on(RoundOver, lambda over: self.race_recorder.apply(over.race))
        outbox.on_due(RoundDue, lambda due: self.rooms.pass_deadline(RoomCode(due.name)))
        self.room_feeds = RoomFeeds(
            self.rooms,
            self.live,
            self._withheld,
            self.hub,
            clock=self.clock,
            background=background,
        )
        self.emotes = Emotes(self.rooms, self.live, self.room_feeds)
        SameAddressFeed(self.room_addresses, self.live, background, self.room_feeds)
        self.room_feeds.dealt.subscribe(self.holding.open)
        self.hub.renamed.subscribe(self._renamed)
        self.screens["r"] = RoomPreviews(self.rooms, self.live).screen
        self.checks["room"] = journal_check(keys.room, journal.decode, room.fold)

    async def _withheld(
        self, raced: Mapping[DealId, int], viewer: PlayerId | None
    ) -> frozenset[DealId]:
        return await self.closed_deals.withheld(raced, viewer)

    def _renamed(self, session: Session, profile: Profile) -> None:
        """Show a player's new name in the session's room."""
        room = self.room_feeds.topic_of(session)
        if room is not None:
            self.live.renamed(room, profile)

    async def close(self) -> None:
        """Also send pending events of rooms."""
        await self.room_feeds.close()
        await super().close()


Request: TypeAlias = NodeRequest[C_co, RoomServices]
"""A command and the services that execute it."""
