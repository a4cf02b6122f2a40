"""Quick matches: pairing players who look for an opponent, and starting their rounds.

A player gets the room of a waiting player, or a new one that is offered to others. Every node that
follows such a room renews its offer while its player is online, seats the pace bot if no opponent
has joined, and starts the round when both players are online. Several nodes may make the same
decision; the journal gets its entry only once.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.random_text import random_room_code
from server.base.work.worker_pool import WorkerPool
from server.lobby.quick_matches_store import QuickMatchStore
from server.rooms.core import quick_match
from server.rooms.core.room import Room
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms

RENEW_EVERY = 2.0  # seconds between renewals of an offer, which expires after three missed ones

# Offered rooms tried per request. They may already be taken by the pace bot, or by a player who
# found them in the list.
TRIES = 8

RETRY_AFTER_MS = 1_000  # until a player can retry if none of these rooms was free
BACKUP_AFTER = 1.0  # seconds that other nodes wait for the leading node to start a round

# Rooms processed concurrently, and the seconds that each worker pauses between two.
CONCURRENCY, PAUSE = 32, 0.01

log = structlog.get_logger()


class Offer(NamedTuple):
    """A quick match of a game with a seat for another player."""

    game: str
    code: RoomCode


class QuickMatches:
    """Finds quick matches for players, and drives the matches that this node follows."""

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
            background, "quick_matches", self._advance, size=CONCURRENCY, pause=PAUSE
        )
        live.changed.subscribe(self._changed)
        background.forever("quick_match_renewal", self.renew, every=RENEW_EVERY, waits=True)

    async def match(self, player: PlayerId, game: str) -> Room:
        """Seat the player in a quick match, with or without an opponent yet, and return it.

        Of simultaneous requests on any nodes, at most one has to wait. A waiting player may get the
        same room. Refused if there is no such game, or all tried offers had been taken meanwhile.
        """
        for _ in range(TRIES):
            code = await self._store.pair(game, random_room_code(), self._clock.now())
            try:
                return await self._rooms.match(code, player, game)
            except Refusal as refusal:
                if refusal.code == BaseRefusals.unknown_game:
                    # `pair` has offered a room of this unknown game.
                    await self._store.withdraw(game, code)
                    raise
        raise Refusal(BaseRefusals.overloaded, wait=RETRY_AFTER_MS)

    def _changed(self, code: RoomCode) -> None:
        """Offer or withdraw a followed room that may have changed, and schedule its next step."""
        state = self._live.state(code)
        known = self._live.present(code) if state is not None and state.opened.quick else None
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
        """Return the seconds until the next step of a room, or `None`."""
        if quick_match.starts(room, online):
            return 0.0 if self._live.leads(room.opened.code) else BACKUP_AFTER
        at = quick_match.bot_at(room)
        if at is None or not quick_match.offered(room, online):
            return None
        return (at - self._clock.now()) / 1000

    async def _advance(self, code: RoomCode) -> None:
        """Start the round of a room, or seat the pace bot, if it is time for that."""
        known = self._live.present(code)
        if known is None:
            return
        room, online = known
        if quick_match.starts(room, online):
            await self._rooms.start(code, None, online)
            log.info("quick_match_started", room=code)
        elif quick_match.offered(room, online):
            after = await self._rooms.decide(code, quick_match.seat_bot)
            if after.version > room.version:
                log.info("pace_bot_seated", room=code)
            else:
                self._changed(code)

    async def renew(self) -> None:
        """Enqueue the renewal of all offers."""
        for offer in list(self._offers):
            if self._live.known(offer.code) is not None:
                self._writes.add(offer)
            else:
                # Another node that follows the room renews it, or it expires.
                del self._offers[offer]

    async def _write(self, offer: Offer) -> None:
        if offer in self._offers:
            await self._store.offer(*offer, self._clock.now())
        else:
            await self._store.withdraw(*offer)
