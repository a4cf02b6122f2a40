"""Live rooms: one in-memory state for each room that local sessions subscribe to.

A node follows a room while it has such sessions. The state is updated from this node's appends and
from messages on the room's topic: the next entry is folded, and a gap causes a read of the journal.
Redis is also read when a node starts following a room, and when messages may have been lost. An
idle room costs nothing.

The node of a session writes its presence to Redis and publishes it; see `server.rooms.presence`.
"""

from __future__ import annotations

import asyncio
from functools import partial

import structlog

from engine.catalog import headway_of
from engine.headway import headway
from server.base.core.bus_message import encode
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.refusal import UnreadableError
from server.base.journals.core.entry import AppendedEntry
from server.base.journals.followed import Followed, Journals, Kind, Sources
from server.base.nodes.registration import Registration
from server.base.work.signal import Signal
from server.deals.store import DealStore
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt
from server.players.core.bus import Renamed
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.rooms.core import bus as room_bus
from server.rooms.core.bus import Emoted, Progress, RoomMessage, Version
from server.rooms.core.bus import Presence as PresenceMessage
from server.rooms.core.room import Change, Room
from server.rooms.journal import RoomDefinition
from server.rooms.live_room import LiveRoom, RoomPage
from server.rooms.presence import Presence, RoomPresence
from server.rooms.store import RoomStore

CONCURRENCY = 32
"""Rooms refreshed concurrently: a thousand rooms take about half a second."""

SIZES = 64 << 20, 4 << 20
"""Cached bytes of about 20,000 rooms that this node appends to or follows, and of read ones."""

LOAD_TIMEOUT = 1.0
"""Maximum seconds that a player who enters a room waits for its first refresh."""

log = structlog.get_logger()


class LiveRooms(Journals[RoomCode, Room, Change]):
    """The journals of rooms, and all rooms that this node follows.

    Attributes:
        changed: emitted with the code of a room whose page may have changed.
        progressed: emitted with a room's code, and a flat list of (index among the round's players,
            cards at home, moves, headway) for each runner who has advanced.
        emoted: emitted with a room's code, the sender and the emote, for emotes from other nodes.
    """

    def __init__(
        self,
        sources: Sources,
        attempts: Attempts,
        profiles: Profiles,
        registration: Registration,
        *,
        deals: DealStore,
        room_store: RoomStore,
    ) -> None:
        define = partial(RoomDefinition, sources.clock)
        super().__init__(Kind("live_rooms", define, room_bus.topic, *SIZES, CONCURRENCY), sources)
        self.progressed: Signal[RoomCode, list[int]] = Signal()
        self.emoted: Signal[RoomCode, PlayerId, int] = Signal()
        self._attempts = attempts
        self._deals = deals
        self._profiles = profiles
        self._registration = registration
        self._node = PlayerId(f"node/{registration.id}")
        self._background = sources.background
        self._live: dict[RoomCode, LiveRoom] = {}
        self._presence = Presence(room_store, registration.id, sources.background)
        registration.lapsed.subscribe(self._write_presence)
        profiles.changed.subscribe(self._name_changed)

    def subscribe(self, room: Room, player: PlayerId | None, *, writes: bool = True) -> None:
        """Subscribe a player's session to a room; each call needs one `unsubscribe`.

        A player's first session on this node costs one write and one message, others none.

        Args:
            room: the room.
            player: `None` for a session without a seat. All such sessions share one presence, which
                tells other nodes that this node follows the room.
            writes: whether to write the presence; if not, the caller calls `confirm`.
        """
        player = self._node if player is None else player
        code = room.opened.code
        live = self._live.get(code)
        if live is None:
            presence = self._presence.follow(code)
            live = self._live[code] = LiveRoom(code, self.follow(code, room), presence)
        if live.presence.add_session(player):
            if writes and (live.loaded.is_set() or live.presence.is_reading):
                # Otherwise the first refresh writes it, before it reads the room.
                self._presence.write_soon(code, player)
            self._publish_presence(live, player, online=True)

    async def confirm(self, code: RoomCode, player: PlayerId, *, is_new: bool) -> Room | None:
        """Return a followed room as it is now, or `None` if its journal is gone.

        The journal is read only if it has another last entry than known here, which the write of
        the player's presence shows.

        Args:
            code: the room.
            player: a player whose session has been subscribed without writing the presence.
            is_new: whether this node has only followed the room since then: its first refresh
                writes the presence, and reads the room.

        Raises:
            UnavailableError: the store does not answer.
        """
        live = self._live[code]
        if not live.loaded.is_set():
            await self.wait_until_loaded(code)
            if not live.loaded.is_set():
                self._presence.write_soon(code, player)
                return await self.load(code)
        if is_new:
            return live.followed.seen
        _, last, generation = await self._presence.enter(code, player)
        if player not in live.presence.local:
            # The session has left, and the write of its absence may have come before this one.
            self._presence.write_soon(code, player)
        if live.followed.replica.ends_with(last, generation):
            return live.room
        return await self.load(code)

    def unsubscribe(self, code: RoomCode, player: PlayerId | None) -> None:
        """Unsubscribe a player's session from a room; `None` as in `subscribe`.

        A player's last session on this node costs one write and one message, others none.
        """
        live = self._live[code]
        self._remove_session(live, self._node if player is None else player)
        # Only this node's own registration remains: remove it too.
        if live.shown and live.presence.local == {self._node: 1}:
            self._remove_session(live, self._node)
        if not live.presence.local:
            del self._live[code]
            self._presence.unfollow(code)
            self.unfollow(code)

    def _remove_session(self, live: LiveRoom, player: PlayerId) -> None:
        """Remove a session; write and publish the absence if it was the player's last one here."""
        if live.presence.remove_session(player):
            self._presence.write_soon(live.code, player)
            if live.presence.nodes.get(player) == self._registration.id:
                self._publish_presence(live, player, online=False)

    def _show(self, live: LiveRoom) -> None:
        """Register this node as present in a room if its presence is otherwise invisible.

        A player is present on one node only. If all local players are present on other nodes, this
        node registers itself, as `subscribe` does for sessions without a seat.
        """
        if not live.shown and self._registration.id not in live.presence.nodes.values():
            live.shown = True
            self.subscribe(live.room, None)

    def _publish_presence(self, live: LiveRoom, player: PlayerId, *, online: bool) -> None:
        node = self._registration.id
        self._publish(live.code, PresenceMessage(player, node, online))
        # The first refresh reports a change when it ends.
        if live.presence.set_node(player, node if online else None) and live.loaded.is_set():
            self.changed.emit(live.code)

    async def wait_until_loaded(self, code: RoomCode) -> None:
        """Wait for the first refresh of a followed room, at most `LOAD_TIMEOUT` seconds."""
        live = self._live.get(code)
        if live is not None and not live.loaded.is_set():
            try:
                async with asyncio.timeout(LOAD_TIMEOUT):
                    await live.loaded.wait()
            except TimeoutError:
                log.debug("room_not_loaded", room=code)

    def known(self, code: RoomCode) -> LiveRoom | None:
        """Return a live room, or `None` if this node does not follow it."""
        return self._live.get(code)

    def counters(self, code: RoomCode) -> list[int]:
        """Return all counters of a followed room's round, in the form of `progressed`."""
        live = self._live.get(code)
        return live.all_counters() if live is not None else []

    def unused(self) -> list[RoomCode]:
        """Return the followed rooms without a round."""
        return [code for code, live in self._live.items() if live.room.round is None]

    def local_member(self, code: RoomCode) -> PlayerId | None:
        """Return a member of a room with a session on this node, or `None`."""
        live = self._live.get(code)
        if live is None:
            return None
        return next((each for each in live.presence.local if live.room.seat_of(each)), None)

    def present(self, code: RoomCode) -> tuple[Room, set[PlayerId]] | None:
        """Return a loaded, followed room and its online players, else `None`."""
        live = self._live.get(code)
        if live is None or not live.loaded.is_set():
            return None
        return live.room, live.presence.online(self._registration.is_alive)

    def leads(self, code: RoomCode) -> bool:
        """Return whether this node leads a room: its id is the lowest of the live nodes there.

        The leader acts first where any node that follows the room may act.
        """
        live = self._live.get(code)
        nodes = live.presence.nodes.values() if live is not None else ()
        alive = [node for node in nodes if self._registration.is_alive(node)]
        return min(alive, default=self._registration.id) == self._registration.id

    async def online(self, code: RoomCode) -> set[PlayerId]:
        """Return the players who are online in any room, on any node.

        This reads the store only if this node does not follow the room, or has not loaded it yet.
        """
        known = self.present(code)
        return known[1] if known is not None else await self.load_online(code)

    async def load_online(self, code: RoomCode) -> set[PlayerId]:
        """Read the players who are online in a room from the store."""
        found = await self._presence.read(code)
        return {player for player, node in found.items() if self._registration.is_alive(node)}

    def page(self, code: RoomCode) -> RoomPage | None:
        """Return the page of a followed room, or `None` if the room is not followed.

        Also `None` if part of the page is not in memory. Then a refresh is enqueued, after which
        `changed` is emitted.
        """
        live = self._live.get(code)
        if live is None:
            return None
        page = self._page(live)
        if page is None:
            self._reads.add(code)
        return page

    def _page(self, live: LiveRoom) -> RoomPage | None:
        room = live.room
        profiles = self._profiles.known(live.players)
        seed = None
        if room.round is not None and room.round.over:
            # The seed of an expired deal is an empty text, and `None` if it has not been read.
            known = live.seed
            seed = known[1] if known is not None and known[0] == room.round.deal else None
            if seed is None:
                return None
        if profiles is None:
            return None
        present = live.presence.online(self._registration.is_alive)
        online = {seat.player for seat in room.seats if seat.player in present}
        return RoomPage(room, live.results(), live.headways(), profiles, online, seed)

    async def load_page(self, room: Room) -> RoomPage:
        """Return the page of any room, reading missing parts from the store.

        `room` is as read by the caller; the page may be newer.
        """
        code = room.opened.code
        live = self._live.get(code)
        if live is None:
            followed = Followed(self._replica(code), room)
            live = LiveRoom(code, followed, RoomPresence(self._registration.id))
            live.presence.merge(await self._presence.read(code))
            await self._read_progress(live)
        while (page := self._page(live)) is None:
            await self._read_missing(live)
        return page

    def receive(self, code: RoomCode, payload: bytes | None) -> None:
        """Handle a message of a room's topic; `None` if messages may have been lost."""
        live = self._live.get(code)
        if live is None:
            return
        message = room_bus.decode(payload)
        match message:
            case AppendedEntry():
                self.fold(code, message)
            case Progress():
                if advanced := live.advance(message):
                    self.progressed.emit(code, advanced)
            case PresenceMessage(player, node, online):
                self._apply_presence(live, player, node, online=online)
            case Version(number):
                if number > live.room.version:
                    self._reads.add(code)
            case Renamed(player, name):
                self._profiles.cache(Profile(player, name))
                self.changed.emit(code)
            case Emoted(player, node, emote):
                if node != self._registration.id:
                    self.emoted.emit(code, player, emote)
            case _:
                self._reads.add(code)

    def _apply_presence(self, live: LiveRoom, player: PlayerId, node: str, *, online: bool) -> None:
        me = self._registration.id
        if node == me:
            return
        # The node may have started after this node last read the list of live nodes.
        self._registration.note_alive(node)
        first = online and node not in live.presence.nodes.values()
        if not online and live.presence.nodes.get(player) != node:
            return
        if not online and player in live.presence.local:
            # The player's session on the other node has ended, but one on this node remains.
            self._presence.write_soon(live.code, player)
            live.presence.set_node(player, me)
            return
        if live.presence.set_node(player, node if online else None):
            self.changed.emit(live.code)
        if first:
            self._announce(live)
        self._show(live)

    def _announce(self, live: LiveRoom) -> None:
        """Publish the room's current state to other nodes.

        Earlier changes were not published while no other node was known to follow the room.
        """
        me = self._registration.id
        for player, node in live.presence.nodes.items():
            if node == me:
                self._publish(live.code, PresenceMessage(player, me, True))
        self._publish(live.code, Version(live.room.version))
        if (progress := live.progress()) is not None:
            self._publish(live.code, progress)

    def publish_progress(self, code: RoomCode, attempts: dict[PlayerId, Attempt]) -> None:
        """Publish to a room the progress that its players have made on this node."""
        by_deal: dict[DealId, list[tuple[PlayerId, int, int, int]]] = {}
        for attempt in attempts.values():
            by_deal.setdefault(attempt.start.deal, []).append(_counters(attempt))
        live = self._live.get(code)
        for deal, runners in by_deal.items():
            progress = Progress(deal, runners)
            self._publish(code, progress)
            if live is not None and (advanced := live.advance(progress)):
                self.progressed.emit(code, advanced)

    def renamed(self, code: RoomCode, profile: Profile) -> None:
        """Publish a member's new name to a room."""
        self._publish(code, Renamed(profile.id, profile.name))
        if code in self._live:
            self.changed.emit(code)

    def _name_changed(self, player: PlayerId) -> None:
        """Show a name changed by an operator: one look-up per room."""
        for code, live in self._live.items():
            if player in live.players:
                self.changed.emit(code)

    def publish_emote(self, code: RoomCode, player: PlayerId, emote: int) -> None:
        """Publish a member's emote to the other nodes that follow the room."""
        self._publish(code, Emoted(player, self._registration.id, emote))

    def _publish(self, code: RoomCode, message: RoomMessage) -> None:
        """Publish to a room's topic, unless no other node is known to follow the room.

        Every follower writes a presence before it reads the room. When this node learns of it, it
        publishes its current state (`_announce`), so nothing is lost.
        """
        live = self._live.get(code)
        if live is None or not live.loaded.is_set() or live.presence.elsewhere:
            self._bus.publish(room_bus.topic(code), encode(message))

    def _nodes_changed(self, joined: set[str], left: set[str]) -> None:
        """Handle that nodes have joined or left."""
        for code, live in self._live.items():
            # A dead node may not have published its last changes to any room.
            if left:
                self._reads.add(code)
            # The new node's presence may have been read before the node was listed as alive.
            elif not joined.isdisjoint(live.presence.nodes.values()):
                self.changed.emit(code)

    def _write_presence(self) -> None:
        """Rewrite the presence of all sessions of this node."""
        for code, live in self._live.items():
            for player in live.presence.local:
                self._presence.write_soon(code, player)

    async def _read(self, code: RoomCode) -> None:
        """Read a followed room from the store: presence, journal, progress, profiles and seed."""
        live = self._live.get(code)
        if live is None:
            return
        live.presence.begin_read()
        try:
            # Write before reading: if two nodes start following simultaneously, at least one reads
            # the other's presence.
            is_known = False
            if not live.loaded.is_set():
                online, last, generation = await self._presence.enter(code)
                # This node has usually just written the last entry, or read it.
                is_known = live.followed.replica.ends_with(last, generation)
            else:
                online = await self._presence.read(code)
            if not is_known and await self.load(code) is None:
                # The next command on the room is refused as `unknown_room`.
                log.info("room_expired", room=code)
            for player in live.presence.merge(online):
                self._presence.write_soon(code, player)
            if self._live.get(code) is not live:
                # Its last session has unsubscribed meanwhile.
                return
            self._show(live)
            await self._read_progress(live)
            await self._read_missing(live)
        except UnreadableError as error:
            # Commands on the room are refused for the same reason.
            self._background.judge("live_rooms", error, code)
        finally:
            live.presence.end_read()
        live.loaded.set()
        self._announce(live)
        self.changed.emit(code)

    async def _read_progress(self, live: LiveRoom) -> None:
        """Read the progress of the running round's unfinished attempts, concurrently."""
        round_ = live.room.running
        if round_ is None:
            return
        found = await self._attempts.find_all(map(round_.attempt, round_.unfinished()))
        runners = [_counters(attempt) for attempt in found]
        if advanced := live.advance(Progress(round_.deal, runners)):
            self.progressed.emit(live.code, advanced)

    async def _read_missing(self, live: LiveRoom) -> None:
        """Read the profiles that are not cached, and the seed of a finished round."""
        await self._profiles.load(live.players)
        round_ = live.room.round
        if (
            round_ is not None
            and round_.over
            and (live.seed is None or live.seed[0] != round_.deal)
        ):
            deal = await self._deals.find(round_.deal)
            live.seed = (round_.deal, deal.seed.hex() if deal is not None else "")


def _counters(attempt: Attempt) -> tuple[PlayerId, int, int, int]:
    """Return an attempt's (player, cards at home, moves, headway)."""
    board = attempt.board
    counted = headway(board, headway_of(board.ruleset.game))
    return attempt.start.player, board.home, board.moves, counted
