"""The format of the whole store, which `server/STORED.md` describes."""

from __future__ import annotations

from typing import Final

from server.core.refusal import UnsuitableError
from server.store import keys
from server.store.database import Database

WRITTEN: Final = 1
"""The format that this release writes; the release before it reads that too."""

NEWEST: Final = 1
"""The newest format that this release reads; it reads all before it."""

_RAISE = """
local kept = tonumber(redis.call('GET', KEYS[1]) or '1')
local written = tonumber(ARGV[1])
if kept < written then redis.call('SET', KEYS[1], written) end
return math.max(kept, written)
"""


async def check_format(database: Database) -> None:
    """Check that a store can be read by this release, and note what it writes.

    A store that says no format is of format 1.

    Raises:
        UnsuitableError: a newer release has written to it in a format that is not known here.
        UnavailableError: Redis does not answer.
    """
    kept = int(await database.run(_RAISE, [keys.FORMAT], WRITTEN))
    if kept > NEWEST:
        raise UnsuitableError(
            f"A newer release has written to this store: it is of format {kept}, and this release "
            f"reads formats up to {NEWEST}."
        )
