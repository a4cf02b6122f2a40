"""Stored devices and notification preferences.

Each player has a hash with `wishes`, a field `d:<id>` per device, and the number of notifications
(`told`) on a UTC day (`day`). A due item beside it schedules the next reminder.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from server.base.core import keys as base_keys
from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.notifications.core import keys
from server.notifications.core.keys import ReminderDue
from server.notifications.core.wishes import MAX_DEVICES, Device, Wishes

_DEVICE = "d:"
_WISHES = "wishes"

_ADD = Script("""
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
for field in string.gmatch(ARGV[3], '%S+') do redis.call('HDEL', KEYS[1], field) end
redis.call('EXPIRE', KEYS[1], ARGV[4])
""")

_WISH = Script("""
redis.call('HSET', KEYS[1], 'wishes', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if ARGV[4] == '' then redis.call('ZREM', KEYS[2], ARGV[3])
else redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3]) end
""")

_FORGET = Script("""
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
""")

_REMIND = Script("""
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) end
""")

_COUNT = Script("""
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HGET', KEYS[1], 'day') ~= ARGV[1] then
  redis.call('HSET', KEYS[1], 'day', ARGV[1], 'told', 0)
end
return redis.call('HINCRBY', KEYS[1], 'told', 1)
""")

_DEVICES_DECODER = msgspec.json.Decoder(Device)
_WISHES_DECODER = msgspec.json.Decoder(Wishes)
_ENCODER = msgspec.json.Encoder()


class Subscriber(NamedTuple):
    """A player's devices, earliest first, and preferences."""

    devices: tuple[Device, ...]
    wishes: Wishes


class SubscriberStore:
    """The devices and preferences of all players."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, player: PlayerId) -> Subscriber:
        """Return a player's devices and preferences."""
        key = keys.push(player)
        (found,) = await self._database.ask(lambda redis, key: redis.hgetall(key), key)
        devices = [
            _DEVICES_DECODER.decode(text)
            for field, text in found.items()
            if field.startswith(_DEVICE)
        ]
        text = found.get(_WISHES)
        return Subscriber(
            tuple(sorted(devices, key=lambda each: each.added)),
            Wishes() if text is None else _WISHES_DECODER.decode(text),
        )

    async def add(self, player: PlayerId, device: Device, known: tuple[Device, ...]) -> None:
        """Add a device, dropping the earliest known ones beyond the limit."""
        others = [each for each in known if each.id != device.id]
        # Concurrent calls can exceed the limit until the next call.
        dropped = others[: max(0, len(others) - MAX_DEVICES + 1)]
        fields = " ".join(_DEVICE + each.id for each in dropped)
        text = _ENCODER.encode(device).decode()
        await self._database.run(
            _ADD, [keys.push(player)], _DEVICE + device.id, text, fields, keys.PUSH_LIFE_S
        )

    async def drop(self, player: PlayerId, device: str) -> None:
        """Remove a device by its id."""
        key = keys.push(player)
        await self._database.write(key, "HDEL", key, _DEVICE + device)

    async def wish(self, player: PlayerId, wishes: Wishes, remind_at: int | None) -> None:
        """Store a player's preferences, and schedule or cancel the next reminder."""
        await self._database.run(
            _WISH,
            _keys(player),
            _ENCODER.encode(wishes).decode(),
            keys.PUSH_LIFE_S,
            ReminderDue(player).member,
            "" if remind_at is None else remind_at,
        )

    async def remind(self, player: PlayerId, at: int) -> None:
        """Schedule a player's next reminder, unless reminders have been turned off."""
        due = _keys(player)[1]
        await self._database.run(_REMIND, [due], ReminderDue(player).member, at)

    async def count(self, player: PlayerId, day: int) -> int:
        """Count a notification on a UTC day, and return the day's new total."""
        return int(await self._database.run(_COUNT, [keys.push(player)], day))

    async def forget(self, player: PlayerId) -> None:
        """Delete a player's data."""
        await self._database.run(_FORGET, _keys(player), ReminderDue(player).member)


def _keys(player: PlayerId) -> list[str]:
    return [keys.push(player), base_keys.due(base_keys.partition(player))]
