"""The rooms that sessions of this node subscribe to: one shared state in memory for each.

A room is kept current by what this node appends to its journal and by what other nodes publish to
its topic: the next entry is folded, and after a gap the journal is read. Redis is read when a node
begins to follow a room, and when messages may have been lost; an idle room costs nothing.

Presence is asserted by the node that has the session: written to a hash in Redis and published when
it changes. It is void when the node no longer counts as alive.
"""

from __future__ import annotations

import asyncio
from functools import partial

import structlog

from server.core import topics
from server.core.attempt import Attempt
from server.core.ids import DealId, PlayerId, RoomCode
from server.core.names import Profile
from server.core.race import Room
from server.core.refusal import Refusal, UnavailableError
from server.service import bus_messages
from server.service.bus_messages import Entry, Progress, Renamed, Version
from server.service.bus_messages import Presence as PresenceMessage
from server.service.live_room import LiveRoom, RoomPage
from server.service.presence import Presence, RoomPresence
from server.service.profiles import Profiles
from server.service.registration import Registration
from server.service.rooms import Rooms
from server.service.signal import Signal
from server.service.store import Store
from server.service.work_queue import WorkQueue
from server.stop import Stop
from server.store.bus import Bus
from server.store.journal import Append

AT_ONCE = 32
"""Rooms that are refreshed concurrently."""

PAUSE = 0.01
"""Seconds between two such batches: a thousand rooms are refreshed in about half a second."""

AGAIN_AFTER = 1.0
"""Seconds before a refresh that failed is tried again."""

log = structlog.get_logger()


class LiveRooms:
    """All rooms that this node follows.

    Attributes:
        changed: emitted with the code of a room whose page may have changed.
        progressed: emitted with a room's code, and (place, home, moves) of each runner who got
            further.
    """

    def __init__(
        self,
        store: Store,
        bus: Bus,
        rooms: Rooms,
        profiles: Profiles,
        registration: Registration,
    ) -> None:
        self.changed: Signal[RoomCode] = Signal()
        self.progressed: Signal[RoomCode, list[int]] = Signal()
        self._store = store
        self._bus = bus
        self._rooms = rooms
        self._profiles = profiles
        self._registration = registration
        self._live: dict[RoomCode, LiveRoom] = {}
        self._refreshes = WorkQueue(self._refresh, AT_ONCE, PAUSE)
        self._presence = Presence(store, registration.id)
        rooms.appended.subscribe(self._appended)
        registration.changed.subscribe(self._nodes_changed)

    def enter(self, room: Room, player: PlayerId) -> None:
        """Note that a session of a player listens to a room; as many `leave` end it.

        One write and one message for the first session of the player, else none.
        """
        code = room.opened.code
        live = self._live.get(code)
        if live is None:
            live = self._live[code] = LiveRoom(room, self._presence.follow(code))
            self._rooms.follow(code)
            self._bus.subscribe(topics.room(code), partial(self.receive, code))
        if live.presence.enter(player):
            if live.loaded.is_set():
                # Else it is written just before the room is read.
                self._presence.write_soon(code, player)
            self._publish_presence(live, player, online=True)

    def leave(self, code: RoomCode, player: PlayerId) -> None:
        """Note that a session of a player does not listen to a room any more.

        One write and one message for the last session of the player, else none.
        """
        live = self._live[code]
        if not live.presence.leave(player):
            return
        self._presence.write_soon(code, player)
        if live.presence.nodes.get(player) == self._registration.id:
            self._publish_presence(live, player, online=False)
        if not live.presence.local:
            del self._live[code]
            self._presence.unfollow(code)
            self._bus.unsubscribe(topics.room(code))

    def _publish_presence(self, live: LiveRoom, player: PlayerId, *, online: bool) -> None:
        node = self._registration.id
        self._publish(live.code, PresenceMessage(player, node, online))
        if live.presence.set_node(player, node if online else None):
            self.changed.emit(live.code)

    async def wait_until_loaded(self, code: RoomCode) -> None:
        """Wait until a room that is followed has been read once, at most `AGAIN_AFTER` seconds."""
        live = self._live.get(code)
        if live is not None and not live.loaded.is_set():
            try:
                await asyncio.wait_for(live.loaded.wait(), AGAIN_AFTER)
            except TimeoutError:
                log.warning("room_not_loaded", room=code)

    @property
    def size(self) -> int:
        """How many rooms somebody on this node listens to."""
        return len(self._live)

    def find(self, code: RoomCode) -> LiveRoom | None:
        """Return a room if it is followed."""
        return self._live.get(code)

    def page(self, code: RoomCode) -> RoomPage | None:
        """Return what members are shown of a room that is followed, if that is all at hand.

        If it is not, it is read, and `changed` emitted once more.
        """
        live = self._live.get(code)
        if live is None:
            return None
        page = self._page(live)
        if page is None:
            self._refreshes.add(code)
        return page

    def _page(self, live: LiveRoom) -> RoomPage | None:
        round_ = live.room.round
        profiles = self._profiles.known(live.players)
        seed = None
        if round_ is not None and round_.over:
            seed = live.seed[1] if live.seed is not None and live.seed[0] == round_.deal else None
            if seed is None:
                return None
        if profiles is None:
            return None
        online = live.presence.online(self._registration.is_alive)
        return RoomPage(live.room, live.results(), profiles, online, seed)

    async def read_page(self, room: Room) -> RoomPage:
        """Return the same of any room, read from the store if need be.

        Raises:
            UnavailableError: the store does not answer.
        """
        live = self._live.get(room.opened.code)
        if live is None:
            live = LiveRoom(room, RoomPresence(self._registration.id))
            live.presence.merge(await self._presence.read(live.code))
            await self._count(live)
        elif room.version > live.room.version:
            # What another node published may have been lost: who asks has read what it missed.
            live.take(room)
            self.changed.emit(live.code)
        elif room.version < live.room.version:
            # The room may have gone on since it was read. If not, the store has lost its end.
            known = self._rooms.known(live.code)
            if known is not None and known.version < live.room.version:
                live.take(known)
                self.changed.emit(live.code)
        while True:
            await self._complete(live)
            page = self._page(live)
            if page is not None:
                return page

    def receive(self, code: RoomCode, payload: bytes | None) -> None:
        """Take a message of a room's topic; `None` when some may have been missed."""
        live = self._live.get(code)
        if live is None:
            return
        message = bus_messages.room_message(payload)
        match message:
            case Entry(number, text):
                if number > live.room.version:
                    self._take_entry(live, number, text)
            case Progress():
                if advanced := live.advance(message):
                    self.progressed.emit(code, advanced)
            case PresenceMessage(player, node, online):
                self._take_presence(live, player, node, online=online)
            case Version(number):
                if number > live.room.version:
                    self._refreshes.add(code)
            case Renamed(player, name):
                self._profiles.keep(Profile(player, name))
                self.changed.emit(code)
            case _:
                self._refreshes.add(code)

    def _take_entry(self, live: LiveRoom, number: int, text: str) -> None:
        room = self._rooms.receive(live.code, number, text)
        if room is None:
            self._refreshes.add(live.code)
        else:
            live.take(room)
            self.changed.emit(live.code)

    def _take_presence(self, live: LiveRoom, player: PlayerId, node: str, *, online: bool) -> None:
        me = self._registration.id
        if node == me:
            return
        self._registration.note_alive(node)
        first = online and node not in live.presence.nodes.values()
        if not online and live.presence.nodes.get(player) != node:
            return
        if not online and player in live.presence.local:
            # This node's session of the player is the only one again.
            self._presence.write_soon(live.code, player)
            live.presence.set_node(player, me)
            return
        if live.presence.set_node(player, node if online else None):
            self.changed.emit(live.code)
        if first:
            self._announce(live)

    def _announce(self, live: LiveRoom) -> None:
        """Publish what was not published while no other node was known to follow the room."""
        me = self._registration.id
        for player, node in live.presence.nodes.items():
            if node == me:
                self._publish(live.code, PresenceMessage(player, me, True))
        self._publish(live.code, Version(live.room.version))
        if live.counters and live.room.round is not None:
            runners = [(player, *counters) for player, counters in live.counters.items()]
            self._publish(live.code, Progress(live.room.round.deal, runners))

    def _appended(self, code: RoomCode, room: Room, append: Append) -> None:
        """Take an entry of this node."""
        live = self._live.get(code)
        if live is not None:
            live.take(room)
            self.changed.emit(code)
        self._publish(code, Entry(append.number, append.payload))

    def publish_progress(self, code: RoomCode, attempts: dict[PlayerId, Attempt]) -> None:
        """Take how far runners have got whose moves this node has played."""
        by_deal: dict[DealId, list[tuple[PlayerId, int, int]]] = {}
        for player, attempt in attempts.items():
            counters = (player, attempt.board.home, attempt.board.moves)
            by_deal.setdefault(attempt.start.deal, []).append(counters)
        live = self._live.get(code)
        for deal, runners in by_deal.items():
            progress = Progress(deal, runners)
            self._publish(code, progress)
            if live is not None and (advanced := live.advance(progress)):
                self.progressed.emit(code, advanced)

    def renamed(self, code: RoomCode, profile: Profile) -> None:
        """Let a room know that a member has another name."""
        self._publish(code, Renamed(profile.id, profile.name))
        if code in self._live:
            self.changed.emit(code)

    def _publish(self, code: RoomCode, message: bus_messages.RoomMessage) -> None:
        """Publish to a room's topic, unless all who listen to it do so on this node.

        Whoever listens is present, and that is written before the room is read. Should this node
        hear of another one only after that has read the room, it publishes then what it had not.
        """
        live = self._live.get(code)
        if live is None or not live.loaded.is_set() or live.presence.elsewhere:
            self._bus.publish(topics.room(code), bus_messages.encode(message))

    def _nodes_changed(self, come: set[str], gone: set[str]) -> None:
        """Take which nodes have come and gone.

        A dead node may not have published what it did last in any room: all are refreshed, a few at
        a time. Of a new one it may have been read that it has sessions before it was listed.
        """
        for code, live in self._live.items():
            if gone:
                self._refreshes.add(code)
            elif not come.isdisjoint(live.presence.nodes.values()):
                self.changed.emit(code)

    async def run(self, stop: Stop) -> None:
        """Write presence changes, and refresh rooms that need it, until told to stop."""
        await asyncio.gather(self._refreshes.run(stop), self._presence.run(stop))

    async def _refresh(self, code: RoomCode) -> None:
        """Read everything about a room that is followed."""
        live = self._live.get(code)
        if live is None:
            return
        live.presence.begin_read()
        try:
            # In this order: of two nodes that begin at once, one finds the other at least.
            if not live.loaded.is_set():
                await self._presence.write_all(code)
            online = await self._presence.read(code)
            # Last, and taken at once: what is appended meanwhile would be taken back.
            room = await self._rooms.find(code)
            for player in live.presence.merge(online):
                self._presence.write_soon(code, player)
            live.take(room)
            await self._count(live)
            await self._complete(live)
        except Refusal:
            # It has expired since; whoever asks for it gets `unknown_room`.
            log.info("room_forgotten", room=code)
        except UnavailableError as error:
            log.warning("room_refresh_failed", room=code, error=str(error))
            asyncio.get_running_loop().call_later(AGAIN_AFTER, self._refreshes.add, code)
            return
        finally:
            live.presence.end_read()
        live.loaded.set()
        self._announce(live)
        self.changed.emit(code)

    async def _count(self, live: LiveRoom) -> None:
        """Read how far the runners of a round have got from their journals."""
        round_ = live.room.running
        if round_ is None:
            return
        runners = [
            (attempt.start.player, attempt.board.home, attempt.board.moves)
            for attempt in await self._rooms.runners(live.room)
        ]
        if advanced := live.advance(Progress(round_.deal, runners)):
            self.progressed.emit(live.code, advanced)

    async def _complete(self, live: LiveRoom) -> None:
        """Read the profiles that are not held, and the seed of a round that is over."""
        await self._profiles.find(live.players)
        round_ = live.room.round
        if (
            round_ is not None
            and round_.over
            and (live.seed is None or live.seed[0] != round_.deal)
        ):
            deal = await self._store.deals.find(round_.deal)
            live.seed = (round_.deal, deal.seed.hex() if deal is not None else "")
