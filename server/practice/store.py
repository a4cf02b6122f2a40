"""Storage of practice: a hash per player.

The figures of each variant are in a field `f:<game>:<variant>`, and the last batches of all devices
in `devices`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import msgspec

from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, UnreadableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.players.core import keys as players_keys
from server.practice.core import keys
from server.practice.core.figures import Figures, Played

_FORMAT: Final = "1"
_FIGURES: Final = "f:"

# Keys: the hash, and the player's record, which says whether the identity is kept. Arguments:
# lifetime and format; the figures' field; the texts of it and of the devices, as read and new.
_ADD = Script("""
local record = redis.call('HMGET', KEYS[2], 'kept', 'deleted')
if not record[1] or record[2] then return 2 end
local found = redis.call('HMGET', KEYS[1], ARGV[3], 'devices')
if (found[1] or '') ~= ARGV[4] or (found[2] or '') ~= ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], 'format', ARGV[2], ARGV[3], ARGV[5], 'devices', ARGV[7])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
""")

_CONFLICT, _ADDED = 0, 1


class Mark(NamedTuple):
    """The number of a device's last batch, and its time in Unix milliseconds."""

    number: int
    at: int


Devices: TypeAlias = dict[str, Mark]
"""The last batches of devices, by the device's name."""

_FIGURES_DECODER = msgspec.json.Decoder(Figures)
_DEVICES_DECODER = msgspec.json.Decoder(Devices)
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The figures of one variant, and the devices, as they are stored; empty if they are not."""

    of: Played
    figures_text: str
    devices_text: str

    @property
    def figures(self) -> Figures | None:
        """The figures; `None` if there are none."""
        return _FIGURES_DECODER.decode(self.figures_text) if self.figures_text else None

    @property
    def devices(self) -> Devices:
        """The devices."""
        return _devices(self.devices_text)


class PracticeStore:
    """The practice of all players."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, player: PlayerId) -> tuple[list[tuple[Played, Figures]], Devices]:
        """Return all figures of a player by name, and the devices.

        Raises:
            UnreadableError: a newer release has stored them.
        """
        key = keys.practice(player)
        (found,) = await self._database.ask(lambda redis, key: redis.hgetall(key), key)
        _check_format(found.get("format"))
        figures = [
            (Played(*name.split(":", 2)[1:]), _FIGURES_DECODER.decode(text))
            for name, text in sorted(found.items())
            if name.startswith(_FIGURES)
        ]
        return figures, _devices(found.get("devices", ""))

    async def read(self, player: PlayerId, of: Played) -> Excerpt:
        """Return the figures of a variant and the devices. Raises as `load`."""
        key = keys.practice(player)
        form, figures, devices = await self._database.read_batched(
            key, "HMGET", key, "format", _name(of), "devices"
        )
        _check_format(form)
        return Excerpt(of, figures or "", devices or "")

    async def write(
        self, player: PlayerId, before: Excerpt, figures: Figures, devices: Devices
    ) -> bool | None:
        """Store new figures of a variant, and the devices.

        Return `True`, or `False` if either has changed since `before` was read, or `None` if the
        player is a guest or has been deleted.
        """
        found = await self._database.run(
            _ADD,
            [keys.practice(player), players_keys.player(player)],
            *(keys.PRACTICE_LIFE_S, _FORMAT, _name(before.of)),
            *(before.figures_text, _ENCODER.encode(figures)),
            *(before.devices_text, _ENCODER.encode(devices)),
        )
        return found == _ADDED if found in {_CONFLICT, _ADDED} else None

    async def forget(self, player: PlayerId) -> None:
        """Delete a player's practice."""
        key = keys.practice(player)
        await self._database.write(key, "DEL", key)


def _name(of: Played) -> str:
    return f"{_FIGURES}{of.game}:{of.variant}"


def _devices(text: str) -> Devices:
    return _DEVICES_DECODER.decode(text) if text else {}


def _check_format(form: str | None) -> None:
    if form not in {None, _FORMAT}:
        raise UnreadableError(BaseRefusals.unknown_format)
