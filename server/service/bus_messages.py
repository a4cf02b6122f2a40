"""What nodes publish to one another: msgpack arrays that begin with the number of their kind.

The messages only save reads: a node that misses one reads the journal instead. A
message of a kind that a node does not know, as while a newer version is being rolled out, counts
as a lost one: what it may be about is read anew.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from server.core.ids import AttemptId, DealId, PlayerId
from server.core.ranking import Result


class Entry(Struct, tag=1, array_like=True, frozen=True):
    """To a room's topic: an entry of its journal, by number and text."""

    number: int
    text: str


class Progress(Struct, tag=2, array_like=True, frozen=True):
    """To a room's topic: how far runners of the round on this deal have got.

    Attributes:
        runners: (player, cards at home, moves) of each who got further.
    """

    deal: DealId
    runners: list[tuple[PlayerId, int, int]]


class Presence(Struct, tag=3, array_like=True, frozen=True):
    """To a room's topic: a player is present by way of a node, or no longer is."""

    player: PlayerId
    node: str
    online: bool


class Renamed(Struct, tag=4, array_like=True, frozen=True):
    """To `topics.NAMES` and to a room's topic: a player has another name."""

    player: PlayerId
    name: str


class Version(Struct, tag=5, array_like=True, frozen=True):
    """To a room's topic: its journal has this many entries, for a node that may have missed one."""

    number: int


RoomMessage = Entry | Progress | Presence | Renamed | Version
"""What is published to the topic of a room."""


class Replaced(Struct, tag=1, array_like=True, frozen=True):
    """To a node's topic: the player of one of its sessions has opened a newer one elsewhere."""

    session: str


class Ended(Struct, tag=2, array_like=True, frozen=True):
    """To a node's topic: a player's attempt ended as its entry `seq`, without a command."""

    player: PlayerId
    attempt: AttemptId
    seq: int
    result: Result


NodeMessage = Replaced | Ended
"""What is published to the topic of a node."""


class Entered(Struct, array_like=True, frozen=True):
    """To a leaderboard's topic: a player's result was entered, with this score."""

    player: PlayerId
    score: int


encode = msgspec.msgpack.Encoder().encode
"""Returns the payload of a message."""


def room_message(payload: bytes | None) -> RoomMessage | None:
    """Return a message of a room's topic; `None` if some may have been missed."""
    return _decoded(_ROOM, payload)


def node_message(payload: bytes | None) -> NodeMessage | None:
    """Return a message of a node's topic; `None` if some may have been missed."""
    return _decoded(_NODE, payload)


def renamed(payload: bytes | None) -> Renamed | None:
    """Return a message of `topics.NAMES`; `None` if some may have been missed."""
    return _decoded(_RENAMED, payload)


def entered(payload: bytes | None) -> Entered | None:
    """Return a message of a leaderboard's topic; `None` if some may have been missed."""
    return _decoded(_ENTERED, payload)


_ROOM: msgspec.msgpack.Decoder[RoomMessage] = msgspec.msgpack.Decoder(RoomMessage)
_NODE: msgspec.msgpack.Decoder[NodeMessage] = msgspec.msgpack.Decoder(NodeMessage)
_RENAMED = msgspec.msgpack.Decoder(Renamed)
_ENTERED = msgspec.msgpack.Decoder(Entered)

T = TypeVar("T")


def _decoded(decoder: msgspec.msgpack.Decoder[T], payload: bytes | None) -> T | None:
    if not payload:
        return None
    try:
        return decoder.decode(payload)
    except msgspec.MsgspecError:
        return None
