"""Messages between nodes about players: their names and sessions."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import PlayerId
from server.base.core.topics import Topic

NAMES: Final = Topic("names")  # the topic of name changes, to which every node subscribes


class Renamed(Struct, tag=4, array_like=True, frozen=True):
    """To `NAMES` and a room's topic: a player has changed their name."""

    player: PlayerId
    name: str


class NameChanged(Struct, tag=5, array_like=True, frozen=True):
    """To `NAMES`: an operator has hidden or restored a name; receivers read it again."""

    player: PlayerId


# Decodes a message of `NAMES`.
decode_name = Decoder[Renamed | NameChanged](Renamed | NameChanged).decode


class Replaced(Struct, tag=1, array_like=True, frozen=True):
    """To a node's topic: close this session, since its player has too many."""

    session: str


class Joined(Struct, tag=3, array_like=True, frozen=True):
    """To a node's topic: `node` has a session of the player; the receiver may have one, too."""

    player: PlayerId
    node: str
    answers: bool  # whether this is an answer; otherwise the receiver answers `Joined` or `Left`


class Left(Struct, tag=4, array_like=True, frozen=True):
    """To a node's topic: `node` has no session of the player, or no longer."""

    player: PlayerId
    node: str


class SignedOut(Struct, tag=9, array_like=True, frozen=True):
    """To a node's topic: close the player's sessions of earlier epochs."""

    player: PlayerId
    epoch: int


class Barred(Struct, tag=10, array_like=True, frozen=True):
    """To a node's topic: an operator has barred the player; close any sessions."""

    player: PlayerId
