"""The format of the whole store, which `server/STORED.md` describes."""

from __future__ import annotations

from typing import Final, NamedTuple

from server.base.core.refusal import UnsuitableError
from server.base.redis import keys
from server.base.redis.database import Database
from server.base.redis.scripts import Script

NEWEST: Final = 2
"""The newest format that this release reads; it reads all before it.

It writes that, too, once no node of an older release runs: see `server/base/nodes/format.py`.
"""

_RAISE = Script("""
local kept = tonumber(redis.call('GET', KEYS[1]) or '1')
if kept < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
""")


class Kept(NamedTuple):
    """What a store says of its format.

    Attributes:
        format: the format, which is 1 if the store says none.
        is_new: whether nobody has ever played on it by release 0.2.0 or an older one.
    """

    format: int
    is_new: bool


class FormatStore:
    """The number of the store's format."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> Kept:
        """Return the format, and whether the store is new.

        Raises:
            UnavailableError: Redis does not answer.
        """
        kept, secret = await self._database.ask(
            lambda redis, key: redis.get(key), keys.FORMAT, keys.SIGNING_KEY
        )
        return Kept(int(kept or 1), kept is None and secret is None)

    async def raise_to(self, number: int) -> None:
        """Raise the format, unless it is as high. Nodes that do not read it do not start then.

        Raises:
            UnavailableError: it may have been raised or not.
        """
        await self._database.run(_RAISE, [keys.FORMAT], number)


async def check_format(database: Database) -> None:
    """Check that a store can be read by this release.

    Raises:
        UnsuitableError: a newer release has written to it in a format that is not known here.
        UnavailableError: Redis does not answer.
    """
    kept = (await FormatStore(database).read()).format
    if kept > NEWEST:
        raise UnsuitableError(
            f"A newer release has written to this store: it is of format {kept}, and this release "
            f"reads formats up to {NEWEST}."
        )
