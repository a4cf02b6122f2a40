"""Notes of the presence and sessions of players, which are valid only while their node is alive.

A killed node cannot remove them. Each node therefore notes, in each partition, the rooms and
players for which it has stored something, and all such nodes are listed. When one of them is gone,
another node removes its data (`server.base.nodes.departures`).

A note costs a small write for a player's first session on a node, and another one for the last; a
room's note is written with the presence. A note takes 33 bytes: 330 kB for 10,000 players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from server.base.core import keys
from server.base.core.ids import PlayerId, RoomCode
from server.base.redis.database import Database
from server.base.redis.scripts import Script

_LIST = Script("""
local before = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], 'here')
redis.call('EXPIRE', KEYS[1], ARGV[2])
return {before or '', redis.call('HKEYS', KEYS[1])}
""")

_FORGET = Script("""
if redis.call('HGET', KEYS[1], ARGV[1]) == 'gone' then redis.call('HDEL', KEYS[1], ARGV[1]) end
""")

_NOTE = Script("""
redis.call('HSET', KEYS[1], ARGV[1], '')
redis.call('EXPIRE', KEYS[1], ARGV[2])
""")

_CLEAR_ROOM = Script("""
local present = redis.call('HGETALL', KEYS[1])
for at = 1, #present, 2 do
    if present[at + 1] == ARGV[2] then redis.call('HDEL', KEYS[1], present[at]) end
end
redis.call('HDEL', KEYS[2], ARGV[1])
""")

_CLEAR_PLAYER = Script("""
local prefix = ARGV[1] .. '/'
for _, session in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if string.sub(session, 1, #prefix) == prefix then redis.call('ZREM', KEYS[1], session) end
end
""")

_ROOM, _PLAYER = "room", "player"


def room_note(code: RoomCode) -> str:
    """Return the note of a node's presence in a room."""
    return f"{_ROOM}/{code}"


def player_note(player: PlayerId) -> str:
    """Return the note of a node's sessions of a player."""
    return f"{_PLAYER}/{player}"


class HeldStore:
    """The notes of each node's data that must be removed when it ends."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def register(self, node: str) -> tuple[bool, list[str]]:
        """List a node as a holder of data; return whether it was listed, and all listed nodes.

        It was not listed if it is new, or if other nodes consider it gone and remove its data.
        """
        before, nodes = await self._database.run(_LIST, [keys.HOLDERS], node, keys.SESSION_LIFE_S)
        return before == "here", nodes

    async def begin_removal(self, node: str) -> None:
        """Mark a node as gone. If it is not, it then stores all its data again."""
        await self._database.write(keys.HOLDERS, "HSET", keys.HOLDERS, node, "gone")

    async def end_removal(self, node: str) -> None:
        """Remove a node from the list, unless it has come back."""
        await self._database.run(_FORGET, [keys.HOLDERS], node)

    async def note(self, node: str, player: PlayerId) -> None:
        """Note that a node has stored sessions of a player."""
        key = keys.held(keys.partition(player), node)
        await self._database.run(_NOTE, [key], player_note(player), keys.SESSION_LIFE_S)

    def note_soon(self, node: str, player: PlayerId, failed: Callable[[], None]) -> None:
        """Note like `note`, without waiting; `failed` is called if that may have failed."""
        key = keys.held(keys.partition(player), node)
        given = player_note(player), keys.SESSION_LIFE_S
        self._database.send(key, *_NOTE.call([key], *given), failed=failed)

    def drop_soon(self, node: str, player: PlayerId, failed: Callable[[], None]) -> None:
        """Note like `drop`, without waiting; `failed` is called if that may have failed."""
        key = keys.held(keys.partition(player), node)
        self._database.send(key, "HDEL", key, player_note(player), failed=failed)

    async def drop(self, node: str, player: PlayerId) -> None:
        """Note that a node has no more sessions of a player."""
        key = keys.held(keys.partition(player), node)
        await self._database.write(key, "HDEL", key, player_note(player))

    async def notes(self, node: str, numbers: Sequence[int]) -> Iterable[tuple[int, list[str]]]:
        """Return a node's notes in some partitions, for `remove`, by partition."""
        names = [keys.held(number, node) for number in numbers]
        found = await self._database.ask(lambda redis, key: redis.hkeys(key), *names)
        return zip(numbers, found, strict=True)

    async def remove(self, node: str, number: int, note: str) -> None:
        """Remove a node's data about a room or player, and the note.

        Raises:
            UnavailableError: Redis does not answer; a part may have been removed.
        """
        held, (kind, _, name) = keys.held(number, node), note.partition("/")
        if kind == _ROOM:
            await self._database.run(_CLEAR_ROOM, [keys.presence(name), held], note, node)
            return
        # Sessions are in another slot than their note. The note is deleted last, so that a failure
        # is retried.
        await self._database.run(_CLEAR_PLAYER, [keys.sessions(name)], node)
        await self._database.write(held, "HDEL", held, note)
