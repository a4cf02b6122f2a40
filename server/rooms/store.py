"""Storage of rooms besides their journals: presence, address hashes and rounds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import NamedTuple

from server.base.core import keys as base_keys
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.nodes.held_store import room_note
from server.base.redis.database import Database
from server.base.redis.scans import ScanStore
from server.base.redis.scripts import Script
from server.rooms.core import keys

_PUT_ADDRESS = Script("""
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
""")

# Keys: the room's presence, the node's list of held rooms in the partition, and the room's journal.
# It stores the players before it reads, so that of two nodes that enter, at least one sees the
# other.
_ENTER_ROOM = Script("""
for at = 4, #ARGV do redis.call('HSET', KEYS[1], ARGV[at], ARGV[1]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[3], '')
redis.call('EXPIRE', KEYS[2], ARGV[2])
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
return {redis.call('HGETALL', KEYS[1]), last and last[1] or '0-0'}
""")

# If a round was started meanwhile, the room's remaining lifetime is longer and stays.
_EXTEND = Script("""
local left = redis.call('TTL', KEYS[1])
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
""")

# The first two keys as above. The node's note of the room is deleted with its last player there.
_LEAVE_ROOM = Script("""
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
for _, node in ipairs(redis.call('HVALS', KEYS[1])) do
    if node == ARGV[2] then return end
end
redis.call('HDEL', KEYS[2], ARGV[3])
""")


class Entered(NamedTuple):
    """A room as read after players have entered it."""

    present: dict[PlayerId, str]  # the node of each present player; that node may be dead
    last: int  # the number of the journal's last entry, or 0 without a journal
    generation: int  # the generation of the connection


class RoomStore:
    """Stores presence, addresses and finished rounds of rooms."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._scans = ScanStore(database)

    async def all(self) -> AsyncIterator[list[RoomCode]]:
        """Yield the codes of all rooms in batches, by a scan of all keys; some may occur twice."""
        async for found in self._scans.all_keys("{p*}:room:*"):
            yield [RoomCode(key.rpartition(":")[2]) for key in found]

    async def put_present(self, code: RoomCode, player: PlayerId, node: str) -> None:
        """Store that a player is present in a room, as long as the session's node is alive."""
        await self.enter(code, [player], node)

    async def enter(self, code: RoomCode, players: Collection[PlayerId], node: str) -> Entered:
        """Store that players are present, as `put_present`, then read the room."""
        presence, held = base_keys.presence(code), base_keys.held(base_keys.partition(code), node)
        names = [presence, held, keys.room(code)]
        given = node, keys.PRESENCE_LIFE_S, room_note(code)
        reply = await self._database.reply(presence, *_ENTER_ROOM.call(names, *given, *players))
        found, last = reply.value
        present = dict(zip(map(PlayerId, found[::2]), found[1::2], strict=True))
        return Entered(present, int(last.partition("-")[2]), reply.generation)

    async def remove_present(self, code: RoomCode, player: PlayerId, node: str) -> None:
        """Delete a player's presence on a node; presence on another node is kept."""
        names = [base_keys.presence(code), base_keys.held(base_keys.partition(code), node)]
        await self._database.run(_LEAVE_ROOM, names, player, node, room_note(code))

    async def extend(self, code: RoomCode, life: int) -> None:
        """Extend a room's lifetime to at least `life` milliseconds, if the room exists."""
        await self._database.run(_EXTEND, [keys.room(code)], life // 1000)

    async def round_on(self, code: RoomCode, deal: DealId) -> str | None:
        """Return a recently finished round of a room as text (JSON), or `None`."""
        key = keys.round_in(code, deal)
        (found,) = await self._database.ask(lambda redis, key: redis.get(key), key)
        return None if found is None else str(found)

    def put_address(self, code: RoomCode, player: PlayerId, hashes: str) -> None:
        """Store the hashes of a player's address and network in a room, for some hours.

        This does not wait for the write, whose failure is only logged.
        """
        key = keys.addresses(code)
        given = player, hashes, keys.ADDRESSES_LIFE_S
        self._database.send(key, *_PUT_ADDRESS.call([key], *given))

    async def addresses(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the address hashes of a room's current and recent players."""
        return await self._by_player(keys.addresses(code))

    async def present(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the node of each present player; that node may be dead."""
        return await self._by_player(base_keys.presence(code))

    async def _by_player(self, key: str) -> dict[PlayerId, str]:
        (found,) = await self._database.ask(lambda redis, key: redis.hgetall(key), key)
        return {PlayerId(player): text for player, text in found.items()}
