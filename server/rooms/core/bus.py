"""Messages between nodes about a room."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.topics import Topic
from server.base.journals.core.entry import AppendedEntry
from server.players.core.bus import Renamed


def topic(code: RoomCode) -> Topic:
    """Return a room's topic, which carries new entries, progress and presence."""
    return Topic(f"room:{code}")


class Progress(Struct, tag=2, array_like=True, frozen=True):
    """To a room's topic: progress of runners in the round on this deal."""

    deal: DealId
    # (player, cards at home, moves, headway) of each runner with progress.
    runners: list[tuple[PlayerId, int, int, int]]


class Presence(Struct, tag=3, array_like=True, frozen=True):
    """To a room's topic: a player came online or went offline on a node."""

    player: PlayerId
    node: str
    online: bool


class Version(Struct, tag=5, array_like=True, frozen=True):
    """To a room's topic: the length of its journal, so that nodes that lag can refresh."""

    number: int


class Emoted(Struct, tag=6, array_like=True, frozen=True):
    """To a room's topic: a member has sent an emote from a session on this node (best effort)."""

    player: PlayerId
    node: str
    emote: int


# The messages of a room's topic.
RoomMessage = AppendedEntry | Progress | Presence | Renamed | Version | Emoted

decode = Decoder[RoomMessage](RoomMessage).decode  # decodes a message of a room's topic
