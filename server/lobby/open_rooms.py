"""The list of open rooms: public, with a free seat and somebody there.

Every node that follows such a room registers it, at each change of what the list says and every few
seconds; a registration that nobody renews expires. Of one network a few rooms are registered, so
that nobody fills the list. A room that is not public costs a look at each change, a public one a
read of the network that its host is in, and a small write, every `RENEW_EVERY` seconds. Reading the
list costs a node one read every `READ_EVERY` seconds, however many players ask for it.
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

RENEW_EVERY = 4.0
"""Seconds between two renewals of a registration, which expires after three of them."""

READ_EVERY = 2.0
"""Seconds for which a list is kept that was read."""

CONCURRENT_WRITES = 32
"""Registrations that are written at the same time."""

PAUSE = 0.01
"""Seconds between two writes of a worker: 3,200 a second in all."""

_DECODER = msgspec.json.Decoder(OpenRow)


class OpenRoom(NamedTuple):
    """A room of the list, and its host."""

    row: OpenRow
    host: Profile


class OpenRooms:
    """Registers the public rooms that this node follows, and lists those of all nodes."""

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
        """Return the open rooms, as they were at most `READ_EVERY` seconds ago."""
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
        live = self._live.known(code)
        # Who is online is computed only for rooms that may be listed.
        known = self._live.present(code) if live is not None and live.room.joinable else None
        row = row_of(*known) if known is not None else None
        if row == self._rows.get(code):
            return
        if row is None:
            del self._rows[code]
        else:
            self._rows[code] = row
        self._writes.add(code)

    async def renew(self) -> None:
        """Have all registrations written again.

        Of a room that this node no longer follows, another one does that, or it expires.
        """
        for code in list(self._rows):
            if self._live.known(code) is not None:
                self._writes.add(code)
            else:
                del self._rows[code]

    async def _write(self, code: RoomCode) -> None:
        row = self._rows.get(code)
        if row is None:
            await self._store.drop(code)
        else:
            network = await self._addresses.network(code, row.host)
            text = msgspec.json.encode(replace(row, network=network)).decode()
            await self._store.put(code, text, self._clock.now(), network, MAX_OF_NETWORK)
