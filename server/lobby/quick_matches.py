"""Quick matches: pairing players who look for somebody, and starting their rounds.

A player who looks for a match gets a room: the one in which somebody waits, or a new one, which is
offered to others. Every node that follows such a room renews its offer while its player is online,
seats the pace bot when nobody came, and starts the round when both are there. Several may decide
the same at once: what has happened already is not appended again.

A player who waits costs a small write every `RENEW_EVERY` seconds; who looks for a match, one
round trip and the entries of the room.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.random_text import random_room_code
from server.base.work.worker_pool import WorkerPool
from server.lobby.quick_matches_store import QuickMatchStore
from server.rooms.core import quick_match
from server.rooms.core.room import Room
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms

RENEW_EVERY = 2.0
"""Seconds between two renewals of an offer, which expires after three of them."""

TRIES = 8
"""Offered rooms that are tried for one player.

A room may have been taken by the pace bot, or by somebody who found it in the list.
"""

TRY_AGAIN_AFTER_MS = 1_000
"""Milliseconds after which a player may look again, if none of these could be taken."""

BACKUP_AFTER = 1.0
"""Seconds that a node leaves the start of a round to the one that leads."""

CONCURRENCY, PAUSE = 32, 0.01
"""Rooms that are worked on at the same time, and each worker's seconds between two of them."""

log = structlog.get_logger()


class Offer(NamedTuple):
    """A quick match of a game that others may take a seat in."""

    game: str
    code: RoomCode


class QuickMatches:
    """Finds quick matches for players, and carries on those that this node follows."""

    def __init__(
        self,
        store: QuickMatchStore,
        rooms: Rooms,
        live: LiveRooms,
        background: Background,
        *,
        clock: Clock,
    ) -> None:
        self._store = store
        self._clock = clock
        self._rooms = rooms
        self._live = live
        self._offers: dict[Offer, None] = {}
        self._writes: WorkerPool[Offer] = WorkerPool(
            background, "quick_match_offers", self._write, size=CONCURRENCY, pause=PAUSE
        )
        self._work: WorkerPool[RoomCode] = WorkerPool(
            background, "quick_matches", self._carry_on, size=CONCURRENCY, pause=PAUSE
        )
        live.changed.subscribe(self._changed)
        background.forever("quick_match_renewal", self.renew, every=RENEW_EVERY, waits=True)

    async def match(self, player: PlayerId, game: str) -> Room:
        """Return a quick match in which the player has a seat, with somebody else or alone as yet.

        Of players who come at the same instant, on any nodes, one waits at most. A player who
        waits already may get the same room.

        Raises:
            Refusal: there is no such game, or all offers that were tried had been taken meanwhile.
        """
        for _ in range(TRIES):
            code = await self._store.pair(game, random_room_code(), self._clock.now())
            try:
                return await self._rooms.match(code, player, game)
            except Refusal as refusal:
                if refusal.code == "unknown_game":
                    await self._store.withdraw(game, code)
                    raise
        raise Refusal("overloaded", wait=TRY_AGAIN_AFTER_MS)

    def _changed(self, code: RoomCode) -> None:
        """Offer a followed room that may have changed, and set when to carry it on."""
        live = self._live.known(code)
        known = self._live.present(code) if live is not None and live.room.opened.quick else None
        if known is None:
            return
        room, online = known
        offer = Offer(room.opened.game, code)
        offered = quick_match.offered(room, online)
        if offered and offer not in self._offers:
            self._offers[offer] = None
            self._writes.add(offer)
        elif not offered and offer in self._offers:
            del self._offers[offer]
            self._writes.add(offer)
        self._work.schedule(code, self._wait(room, online))

    def _wait(self, room: Room, online: set[PlayerId]) -> float | None:
        """Return the seconds until there is something to do in a room, or `None` if never."""
        if quick_match.starts(room, online):
            return 0.0 if self._live.leads(room.opened.code) else BACKUP_AFTER
        at = quick_match.bot_at(room)
        if at is None or not quick_match.offered(room, online):
            return None
        return (at - self._clock.now()) / 1000

    async def _carry_on(self, code: RoomCode) -> None:
        """Start the round of a room, or seat the pace bot, if it is time for that."""
        known = self._live.present(code)
        if known is None:
            return
        room, online = known
        if quick_match.starts(room, online):
            await self._rooms.start(code, None, online)
            log.info("quick_match_started", room=code)
        elif quick_match.offered(room, online):
            after = await self._rooms.seat_bot(code)
            if after.version > room.version:
                log.info("pace_bot_seated", room=code)
            else:
                self._changed(code)

    async def renew(self) -> None:
        """Have all offers written again.

        Of a room that this node no longer follows, another one does that, or it expires.
        """
        for offer in list(self._offers):
            if self._live.known(offer.code) is not None:
                self._writes.add(offer)
            else:
                del self._offers[offer]

    async def _write(self, offer: Offer) -> None:
        """Offer a room, or withdraw it."""
        if offer in self._offers:
            await self._store.offer(*offer, self._clock.now())
        else:
            await self._store.withdraw(*offer)
