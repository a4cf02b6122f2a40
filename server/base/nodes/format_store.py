"""The format of the whole store, described in `server/STORED.md`."""

from __future__ import annotations

from typing import Final

from server.base.core import keys
from server.base.core.refusal import UnsuitableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script

OLDEST: Final = 1  # the oldest format that this release reads

# The newest format that this release reads. It also writes this format once all nodes of older
# releases are gone: see `server/base/nodes/format.py`.
NEWEST: Final = 1

# Keys of development versions before 1.0; each of their stores has one of them.
_UNNUMBERED = "format", "signing-key"

_RAISE = Script("""
local kept = tonumber(redis.call('GET', KEYS[1]) or '0')
if kept < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
""")


class FormatStore:
    """The number of the store's format."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> int | None:
        """Return the format; `None` for a new store, 0 for a development version before 1.0."""
        number, *unnumbered = await self._database.ask(
            lambda redis, key: redis.get(key), keys.FORMAT, *_UNNUMBERED
        )
        if number is not None:
            return int(number)
        return 0 if any(each is not None for each in unnumbered) else None

    async def raise_to(self, number: int) -> None:
        """Raise the format to a number. Nodes that cannot read it do not start from then on."""
        await self._database.run(_RAISE, [keys.FORMAT], number)


async def check_format(database: Database) -> None:
    """Check that this release can read a store.

    Raises:
        UnsuitableError: its format is too new or too old.
    """
    kept = await FormatStore(database).read()
    if kept is None:
        return
    if kept == 0:
        raise UnsuitableError(
            "A development version before 1.0 has written to this store, and no release can read "
            "it. Start with an empty Redis."
        )
    if kept < OLDEST:
        raise UnsuitableError(
            f"This store is of format {kept}, and this release reads formats from {OLDEST} on. "
            "Run an intermediate release first: it raises the format."
        )
    if kept > NEWEST:
        raise UnsuitableError(
            f"A newer release has written to this store: it is of format {kept}, and this release "
            f"reads formats up to {NEWEST}."
        )
