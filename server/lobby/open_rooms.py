"""The list of open rooms: public rooms with a free seat and an online member.

Every node that follows such a room registers it, at each change of its row and every few seconds;
without renewal, a registration expires. A private room costs a check at each change. A public one
costs a read of its host's network, and a small write, every `RENEW_EVERY` seconds. The list costs a
node one read every `READ_EVERY` seconds, for any number of players.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from server.base.core.ids import RoomCode
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.worker_pool import WorkerPool
from server.lobby.core.open_row import MAX_OF_NETWORK, OpenRow, listed, row_of
from server.lobby.store import OpenRoomStore
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.rooms.live_rooms import LiveRooms
from server.rooms.room_addresses import RoomAddresses

# Seconds between renewals of a registration, which expires after three missed ones.
RENEW_EVERY = 4.0

READ_EVERY = 2.0  # seconds that the list is cached
CONCURRENT_WRITES = 32  # of registrations

# Seconds that a worker pauses between two writes, which limits them to 3,200 per second.
PAUSE = 0.01

_DECODER = msgspec.json.Decoder(OpenRow)


class OpenRoom(NamedTuple):
    """A listed room and its host."""

    row: OpenRow
    host: Profile


class OpenRooms:
    """Registers the public rooms that this node follows, and lists the rooms of all nodes."""

    def __init__(
        self,
        store: OpenRoomStore,
        live: LiveRooms,
        profiles: Profiles,
        addresses: RoomAddresses,
        background: Background,
        *,
        clock: Clock,
    ) -> None:
        self._store = store
        self._clock = clock
        self._live = live
        self._profiles = profiles
        self._addresses = addresses
        self._rows: dict[RoomCode, OpenRow] = {}
        self._writes: WorkerPool[RoomCode] = WorkerPool(
            background, "open_rooms", self._write, size=CONCURRENT_WRITES, pause=PAUSE
        )
        self._reading = asyncio.Lock()
        self._list: Sequence[OpenRoom] = ()
        self._list_until = 0.0
        live.changed.subscribe(self._changed)
        background.forever("open_rooms_renewal", self.renew, every=RENEW_EVERY, waits=True)

    async def list(self) -> Sequence[OpenRoom]:
        """Return the open rooms, as of at most `READ_EVERY` seconds ago."""
        # One read at a time: the waiting callers share its result.
        async with self._reading:
            if time.monotonic() >= self._list_until:
                texts = await self._store.list(self._clock.now())
                rows = listed(map(_DECODER.decode, texts))
                hosts = await self._profiles.load(row.host for row in rows)
                self._list = [OpenRoom(row, hosts[row.host]) for row in rows]
                self._list_until = time.monotonic() + READ_EVERY
            return self._list

    def _changed(self, code: RoomCode) -> None:
        """Register a followed room that may have changed, or drop it."""
        room = self._live.state(code)
        # Compute the online players only for rooms that may be listed.
        known = self._live.present(code) if room is not None and room.joinable else None
        row = row_of(*known) if known is not None else None
        if row == self._rows.get(code):
            return
        if row is None:
            del self._rows[code]
        else:
            self._rows[code] = row
        self._writes.add(code)

    async def renew(self) -> None:
        """Enqueue the renewal of all registrations."""
        for code in list(self._rows):
            if self._live.known(code) is not None:
                self._writes.add(code)
            else:
                # Another node that follows it renews it, or it expires.
                del self._rows[code]

    async def _write(self, code: RoomCode) -> None:
        row = self._rows.get(code)
        if row is None:
            await self._store.drop(code)
        else:
            network = await self._addresses.network(code, row.host)
            text = msgspec.json.encode(replace(row, network=network)).decode()
            await self._store.put(code, text, self._clock.now(), network, MAX_OF_NETWORK)
