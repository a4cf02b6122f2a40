"""Stored bytes of each address: a hash by expiry.

Expired fields are removed whenever the hash is read, and the hash expires with the last field.
Deletions therefore need not be reported, and errors correct themselves. A hash has at most a
hundred fields, 2 kB.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.base.core import keys
from server.base.core.quota import Charge
from server.base.redis.database import Database
from server.base.redis.scripts import Script

_CHARGE = Script("""
local now, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local found, gone = redis.call('HGETALL', KEYS[1]), {}
local sum, first, last = 0, 0, 0
for at = 1, #found, 2 do
  local expires = tonumber(found[at])
  if expires <= now then gone[#gone + 1] = found[at]
  else
    sum = sum + found[at + 1]
    if first == 0 or expires < first then first = expires end
    if expires > last then last = expires end
  end
end
if #gone > 0 then redis.call('HDEL', KEYS[1], unpack(gone)) end
local more = 0
for at = 3, #ARGV, 2 do more = more + ARGV[at + 1] end
if most >= 0 and sum + more > most then return {0, sum, first} end
for at = 3, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1])
  if tonumber(ARGV[at]) > last then last = tonumber(ARGV[at]) end
end
if #ARGV > 2 then redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last)) end
return {1, sum + more, first}
""")


class QuotaStore:
    """The stored bytes of addresses, each identified by a keyed hash."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def charge(
        self, place: str, now: int, sizes: Mapping[int, int], most: int | None = None
    ) -> Charge:
        """Charge an address, given by its hash, for stored bytes.

        Args:
            now: Unix milliseconds.
            sizes: the bytes by expiry (Unix milliseconds); negative ones are refunds.
            most: the maximum total after the charge, or nothing is charged; `None` to charge in any
                case.
        """
        given = [part for until, size in sizes.items() for part in (until, size)]
        accepted, stored, first = await self._database.run(
            _CHARGE, [keys.quota(place)], now, -1 if most is None else most, *given
        )
        return Charge(bool(accepted), stored, first)
