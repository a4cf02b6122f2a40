"""The store of the keyring, the nodes' shared data about signing keys. It contains no plain key."""

from __future__ import annotations

from server.base.core import keys
from server.base.redis.database import Database
from server.base.redis.scripts import Script

_CHANGE = Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
""")


class KeyringStore:
    """The keyring's text."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> str | None:
        """Return the keyring's text (JSON), or `None` if there is none yet."""
        (found,) = await self._database.ask(lambda redis, name: redis.get(name), keys.KEYRING)
        return None if found is None else str(found)

    async def keep_first(self, text: str) -> str:
        """Store a keyring unless there is one, and return the stored one."""
        return await self._database.keep_first(keys.KEYRING, text)

    async def change(self, before: str, after: str) -> bool:
        """Replace the keyring if it is still `before`, and return whether it was."""
        return bool(await self._database.run(_CHANGE, [keys.KEYRING], before, after))
