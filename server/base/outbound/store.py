"""The store of pending posts, and of finished posts' ids until they may be forgotten.

A post is a hash with its text, while pending, and the number of tries. Its due item is the next
try. A node that tries it first moves the due item to the time when another node may take over.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from server.base.core import keys
from server.base.outbound.core.due import PostDue
from server.base.outbound.core.post import Post
from server.base.redis.database import Database
from server.base.redis.scripts import Script

_ADD = Script("""
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'text', ARGV[1], 'tries', 0)
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
return 1
""")

_TAKE = Script("""
local at = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not at or tonumber(at) > tonumber(ARGV[2]) then return nil end
local text = redis.call('HGET', KEYS[1], 'text')
if not text then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return nil
end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return {text, redis.call('HINCRBY', KEYS[1], 'tries', 1)}
""")

_RETRY = Script("""
if redis.call('HEXISTS', KEYS[1], 'text') == 1 then
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
  if ARGV[3] == '1' then redis.call('HINCRBY', KEYS[1], 'tries', -1) end
end
""")

_END = Script("""
redis.call('HDEL', KEYS[1], 'text')
redis.call('ZREM', KEYS[2], ARGV[1])
""")

_DECODER = msgspec.json.Decoder(Post)
_ENCODER = msgspec.json.Encoder()


class Taken(NamedTuple):
    """A leased post, and the number of tries including this one."""

    post: Post
    tries: int


class PostStore:
    """The posts of all partitions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, post: Post, at: int) -> bool:
        """Store a post, to be tried at a time in Unix milliseconds, unless its id is known.

        Return whether it was new.
        """
        text = _ENCODER.encode(post).decode()
        member = PostDue(post.id).member
        arguments = (text, keys.POST_LIFE_S, member, at)
        return bool(await self._database.run(_ADD, _keys(post.id), *arguments))

    async def take(self, post_id: str, now: int, until: int) -> Taken | None:
        """Take a lease on a post if it is due and no other node has taken it.

        The lease ends at `until` (Unix milliseconds), unless `retry` or `end` is called before.
        """
        member = PostDue(post_id).member
        found = await self._database.run(_TAKE, _keys(post_id), member, now, until)
        return None if found is None else Taken(_DECODER.decode(found[0]), int(found[1]))

    async def retry(self, post_id: str, at: int, *, untried: bool = False) -> None:
        """Schedule a post for a retry at a time in Unix milliseconds.

        An `untried` post's last try was never made, and does not count.
        """
        member = PostDue(post_id).member
        await self._database.run(_RETRY, _keys(post_id), member, at, int(untried))

    async def end(self, post_id: str) -> None:
        """Drop the text of a post that was sent or given up; its id stays known."""
        await self._database.run(_END, _keys(post_id), PostDue(post_id).member)


def _keys(post_id: str) -> list[str]:
    return [keys.post(post_id), keys.due(keys.partition(post_id))]
