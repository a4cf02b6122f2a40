"""Messages between nodes about players: their names and sessions."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import PlayerId
from server.base.core.topics import Topic

NAMES: Final = Topic("names")
"""A player has changed their name. Every node subscribes to it."""


class Renamed(Struct, tag=4, array_like=True, frozen=True):
    """To `NAMES` and to a room's topic: a player has changed the name."""

    player: PlayerId
    name: str


class NameChanged(Struct, tag=5, array_like=True, frozen=True):
    """To `NAMES`: an operator has hidden a player's name, or shows it again.

    Whatever shows it is to show the new one at once.
    """

    player: PlayerId


decode_name = Decoder[Renamed | NameChanged](Renamed | NameChanged).decode
"""Decodes a message of `NAMES`."""


class Replaced(Struct, tag=1, array_like=True, frozen=True):
    """To a node's topic: a session of it is to be closed, since its player has too many."""

    session: str


class Joined(Struct, tag=3, array_like=True, frozen=True):
    """To a node's topic: `node` has a session of the player, who may have one on the receiver.

    Attributes:
        answers: whether this answers another one; if not, the receiver answers `Joined` or `Left`.
    """

    player: PlayerId
    node: str
    answers: bool


class Left(Struct, tag=4, array_like=True, frozen=True):
    """To a node's topic: `node` has no session of the player (any more)."""

    player: PlayerId
    node: str


class SignedOut(Struct, tag=9, array_like=True, frozen=True):
    """To a node's topic: the player's sessions of epochs before this one are to be closed."""

    player: PlayerId
    epoch: int


class Barred(Struct, tag=10, array_like=True, frozen=True):
    """To a node's topic: an operator has barred a player, who may have sessions on it."""

    player: PlayerId
