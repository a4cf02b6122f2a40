"""The rooms that sessions of this node listen to: one state in memory for each, whoever asks.

A room is brought up to date by what this node appends to its journal and by what other nodes
publish to its topic: the next entry is folded, a gap is read. Redis is read when the node begins to
follow the room, and when something may have been missed; while nothing happens to a room, it costs
nothing.

Who is present is the word of the node that has the session: written to the room's presence and
published when it changes, and void when the node no longer counts as alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from server.core.attempt import Attempt
from server.core.ids import DealId, PlayerId, RoomCode
from server.core.names import Profile
from server.core.race import Room
from server.core.refusal import Refusal, UnavailableError, UnreadableError
from server.service import news, topics
from server.service.live_room import LiveRoom, RoomPage
from server.service.news import Entry, Presence, Progress, Renamed, Version
from server.service.profiles import Profiles
from server.service.registration import Registration
from server.service.rooms import Rooms
from server.service.slices import Queue
from server.service.store import Store
from server.stop import Stop
from server.store.bus import Bus
from server.store.journal import Append

AT_ONCE = 32
"""Rooms that are looked at side by side."""

SAID_AT_ONCE = 100
"""Writes about who is present that are under way side by side: never so many as to be in the way of
moves, however many sessions come and go at once."""

PAUSE = 0.01
"""Seconds between two such looks: a thousand rooms are looked at in about half a second."""

AGAIN_AFTER = 1.0
"""Seconds before a look that failed is tried again."""

log = structlog.get_logger()


class LiveRooms:
    """All rooms that this node follows.

    Attributes:
        on_change: called with a room whose page may have changed.
        on_progress: called with a room, and (place, home, moves) of runners who got further.
    """

    def __init__(
        self,
        store: Store,
        bus: Bus,
        rooms: Rooms,
        profiles: Profiles,
        registration: Registration,
    ) -> None:
        self.on_change: Callable[[RoomCode], None] = lambda _: None
        self.on_progress: Callable[[RoomCode, list[int]], None] = lambda _, __: None
        self._store = store
        self._bus = bus
        self._rooms = rooms
        self._profiles = profiles
        self._registration = registration
        self._live: dict[RoomCode, LiveRoom] = {}
        self._looks = Queue(self._look, AT_ONCE, PAUSE)
        self._unsaid = Queue(self._say, SAID_AT_ONCE, 0)

    def enter(self, room: Room, player: PlayerId) -> None:
        """Note that a session of a player listens to a room; as many `leave` end it.

        One write and one message for the first session of the player, else none.
        """
        code = room.opened.code
        live = self._live.get(code)
        if live is None:
            live = self._live[code] = LiveRoom(room)
            self._rooms.follow(code)
            self._bus.listen(topics.room(code))
        live.mine[player] = live.mine.get(player, 0) + 1
        if live.mine[player] == 1:
            if live.looked.is_set():
                # Else it is written just before the room is read.
                self._unsaid.add((code, player))
            self._tell_presence(live, player, here=True)

    def leave(self, code: RoomCode, player: PlayerId) -> None:
        """Note that a session of a player does not listen to a room any more.

        One write and one message for the last session of the player, else none.
        """
        live = self._live[code]
        live.mine[player] -= 1
        if live.mine[player] > 0:
            return
        del live.mine[player]
        self._unsaid.add((code, player))
        if live.nodes.get(player) == self._registration.id:
            self._tell_presence(live, player, here=False)
        if not live.mine:
            del self._live[code]
            self._bus.unlisten(topics.room(code))

    def _tell_presence(self, live: LiveRoom, player: PlayerId, *, here: bool) -> None:
        node = self._registration.id
        self._publish(live.code, Presence(player, node, here))
        if live.set_node(player, node if here else None):
            self.on_change(live.code)

    async def looked(self, code: RoomCode) -> None:
        """Wait until a room that is followed has been looked at, and not for long."""
        live = self._live.get(code)
        if live is not None and not live.looked.is_set():
            try:
                await asyncio.wait_for(live.looked.wait(), AGAIN_AFTER)
            except TimeoutError:
                log.warning("room_unseen", room=code)

    @property
    def size(self) -> int:
        """How many rooms somebody on this node listens to."""
        return len(self._live)

    def find(self, code: RoomCode) -> LiveRoom | None:
        """Return a room if it is followed."""
        return self._live.get(code)

    def page(self, code: RoomCode) -> RoomPage | None:
        """Return what members are shown of a room that is followed, if that is all at hand.

        If it is not, it is read, and `on_change` called once more.
        """
        live = self._live.get(code)
        if live is None:
            return None
        page = self._page(live)
        if page is None:
            self._looks.add(code)
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
        here = {p for p, node in live.nodes.items() if self._registration.is_alive(node)}
        return RoomPage(live.room, live.results(), profiles, here, seed)

    async def read_page(self, room: Room) -> RoomPage:
        """Return the same of any room, read from the store if need be.

        Raises:
            UnavailableError: the store does not answer.
        """
        live = self._live.get(room.opened.code)
        if live is None:
            live = LiveRoom(room)
            live.nodes = await self._store.rooms.present(live.code)
            await self._count(live)
        elif room.version > live.room.version:
            # What another node published may have been lost: who asks has read what it missed.
            live.take(room)
            self.on_change(live.code)
        elif room.version < live.room.version:
            # The room may have gone on since it was read. If not, the store has lost its end.
            known = self._rooms.known(live.code)
            if known is not None and known.version < live.room.version:
                live.take(known)
                self.on_change(live.code)
        while True:
            await self._complete(live)
            page = self._page(live)
            if page is not None:
                return page

    def heard(self, code: RoomCode, payload: bytes | None) -> None:
        """Take what was published to a room's topic; `None` when something may have been missed."""
        live = self._live.get(code)
        if live is None:
            return
        message = news.room_news(payload)
        match message:
            case Entry(number, text):
                if number > live.room.version:
                    self._take_entry(live, number, text)
            case Progress():
                if told := live.advance(message):
                    self.on_progress(code, told)
            case Presence(player, node, here):
                self._take_presence(live, player, node, here=here)
            case Version(number):
                if number > live.room.version:
                    self._looks.add(code)
            case Renamed(player, name):
                self._profiles.keep(Profile(player, name))
                self.on_change(code)
            case _:
                self._looks.add(code)

    def _take_entry(self, live: LiveRoom, number: int, text: str) -> None:
        room = self._rooms.receive(live.code, number, text)
        if room is None:
            self._looks.add(live.code)
        else:
            live.take(room)
            self.on_change(live.code)

    def _take_presence(self, live: LiveRoom, player: PlayerId, node: str, *, here: bool) -> None:
        me = self._registration.id
        if node == me:
            return
        self._registration.heard_of(node)
        first = here and node not in live.nodes.values()
        if not here and live.nodes.get(player) != node:
            return
        if not here and player in live.mine:
            # This node's session of the player is the only one again.
            self._unsaid.add((live.code, player))
            live.set_node(player, me)
            return
        if live.set_node(player, node if here else None):
            self.on_change(live.code)
        if first:
            self._introduce(live)

    def _introduce(self, live: LiveRoom) -> None:
        """Publish what was not published while no other node was known to follow the room."""
        me = self._registration.id
        for player, node in live.nodes.items():
            if node == me:
                self._publish(live.code, Presence(player, me, True))
        self._publish(live.code, Version(live.room.version))
        if live.counters and live.room.round is not None:
            runners = [(player, *counters) for player, counters in live.counters.items()]
            self._publish(live.code, Progress(live.room.round.deal, runners))

    def appended(self, code: RoomCode, room: Room, append: Append) -> None:
        """Take an entry of this node."""
        live = self._live.get(code)
        if live is not None:
            live.take(room)
            self.on_change(code)
        self._publish(code, Entry(append.number, append.payload))

    def note(self, code: RoomCode, attempts: dict[PlayerId, Attempt]) -> None:
        """Take how far runners have got whose moves this node has played."""
        by_deal: dict[DealId, list[tuple[PlayerId, int, int]]] = {}
        for player, attempt in attempts.items():
            counters = (player, attempt.board.home, attempt.board.moves)
            by_deal.setdefault(attempt.start.deal, []).append(counters)
        live = self._live.get(code)
        for deal, runners in by_deal.items():
            progress = Progress(deal, runners)
            self._publish(code, progress)
            if live is not None and (told := live.advance(progress)):
                self.on_progress(code, told)

    def renamed(self, code: RoomCode, profile: Profile) -> None:
        """Let a room know that a member has another name."""
        self._publish(code, Renamed(profile.id, profile.name))
        if code in self._live:
            self.on_change(code)

    def _publish(self, code: RoomCode, message: news.RoomNews) -> None:
        """Publish to a room's topic, unless all who listen to it do so on this node.

        Whoever listens is present, and that is written before the room is read. Should this node
        hear of another one only after that has read the room, it publishes then what it had not.
        """
        live = self._live.get(code)
        me = self._registration.id
        if (
            live is None
            or not live.looked.is_set()
            or any(node != me for node in live.nodes.values())
        ):
            self._bus.publish(topics.room(code), news.encode(message))

    def nodes_changed(self, come: set[str], gone: set[str]) -> None:
        """Take which nodes have come and gone.

        What a dead node did last it may have told nobody, of any room: all are looked at, a few at
        a time. Of a new one it may have been read that it has sessions before it was listed.
        """
        for code, live in self._live.items():
            if gone:
                self._looks.add(code)
            elif not come.isdisjoint(live.nodes.values()):
                self.on_change(code)

    async def run(self, stop: Stop) -> None:
        """Write who is present, and look at rooms that need it, until told to stop."""
        await asyncio.gather(self._looks.run(stop), self._unsaid.run(stop))
        await self._unsaid.finish()

    async def _say(self, who: tuple[RoomCode, PlayerId]) -> None:
        """Write whether a player is present by way of this node, as it is now."""
        code, player = who
        live = self._live.get(code)
        here = live is not None and player in live.mine
        say = self._store.rooms.enter if here else self._store.rooms.leave
        try:
            await say(code, player, self._registration.id)
        except UnavailableError as error:
            log.warning("presence_unsaid", room=code, error=str(error))
            asyncio.get_running_loop().call_later(AGAIN_AFTER, self._unsaid.add, who)

    async def _look(self, code: RoomCode) -> None:
        """Read everything about a room that is followed."""
        live = self._live.get(code)
        if live is None:
            return
        live.heard = {}
        try:
            # In this order: of two nodes that begin at once, one finds the other at least.
            if not live.looked.is_set():
                await asyncio.gather(*(self._say((code, player)) for player in live.mine))
            nodes = await self._store.rooms.present(code)
            # Last, and taken at once: what is appended meanwhile would be taken back.
            room = await self._rooms.find(code)
            self._take_nodes(live, nodes)
            live.take(room)
            await self._count(live)
            await self._complete(live)
        except Refusal:
            # It has been forgotten since; whoever asks for it will be told.
            log.info("room_forgotten", room=code)
        except UnreadableError as error:
            log.warning("room_unreadable", room=code, code=error.code)
        except UnavailableError as error:
            log.warning("look_failed", room=code, error=str(error))
            asyncio.get_running_loop().call_later(AGAIN_AFTER, self._looks.add, code)
            return
        finally:
            live.heard = None
        live.looked.set()
        self._introduce(live)
        self.on_change(code)

    def _take_nodes(self, live: LiveRoom, nodes: dict[PlayerId, str]) -> None:
        """Take who is present as it was read, with what has been heard and done meanwhile."""
        me = self._registration.id
        assert live.heard is not None
        for player, node in live.heard.items():
            if node is not None:
                nodes[player] = node
            else:
                nodes.pop(player, None)
        for player in [player for player, node in nodes.items() if node == me]:
            if player not in live.mine:
                del nodes[player]
                self._unsaid.add((live.code, player))
        for player in live.mine.keys() - nodes.keys():
            nodes[player] = me
            self._unsaid.add((live.code, player))
        live.nodes = nodes

    async def _count(self, live: LiveRoom) -> None:
        """Read how far the runners of a round have got from their journals."""
        round_ = live.room.running
        if round_ is None:
            return
        runners = [
            (attempt.start.player, attempt.board.home, attempt.board.moves)
            for attempt in await self._rooms.runners(live.room)
        ]
        if told := live.advance(Progress(round_.deal, runners)):
            self.on_progress(live.code, told)

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
