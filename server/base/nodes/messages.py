"""The messages that nodes publish to one another: msgpack arrays that begin with their tag.

Messages only save reads: a node that misses one reads the store instead. A message with an unknown
tag, as during the rollout of a newer version, is treated as a lost one.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from server.base.core.ids import AttemptId, DealId, PlayerId
from server.play.core.attempt import Attempt
from server.play.core.stored import StoredResult


class Entry(Struct, tag=1, array_like=True, frozen=True):
    """To a room's topic: an entry was appended to its journal, with this number and text (JSON)."""

    number: int
    text: str


class Progress(Struct, tag=2, array_like=True, frozen=True):
    """To a room's topic: the progress of runners in the round on this deal.

    Attributes:
        runners: (player, cards at home, moves) of each runner who has advanced.
    """

    deal: DealId
    runners: list[tuple[PlayerId, int, int]]


class Presence(Struct, tag=3, array_like=True, frozen=True):
    """To a room's topic: a player came online or went offline on a node."""

    player: PlayerId
    node: str
    online: bool


class Renamed(Struct, tag=4, array_like=True, frozen=True):
    """To `topics.NAMES` and to a room's topic: a player has changed the name."""

    player: PlayerId
    name: str


class NameChanged(Struct, tag=5, array_like=True, frozen=True):
    """To `topics.NAMES`: an operator has hidden a player's name, or shows it again.

    Whatever shows it is to show the new one at once. Nodes up to release 0.2.0 forget all names.
    """

    player: PlayerId


class Version(Struct, tag=5, array_like=True, frozen=True):
    """To a room's topic: its journal has this many entries; a node that lacks some refreshes it."""

    number: int


class Emoted(Struct, tag=6, array_like=True, frozen=True):
    """To a room's topic: a member has sent an emote, by a session on this node.

    If it is lost, so is the emote. Nodes up to release 0.2.0 read the room in vain.
    """

    player: PlayerId
    node: str
    emote: int


RoomMessage = Entry | Progress | Presence | Renamed | Version | Emoted
"""The messages of a room's topic."""


class Replaced(Struct, tag=1, array_like=True, frozen=True):
    """To a node's topic: a session of it is to be closed, since its player has opened others.

    A node of this release says so if there are too many; up to 0.2.0, the newest one was the only.
    """

    session: str


class Ended(Struct, tag=2, array_like=True, frozen=True):
    """To a node's topic: a player's attempt ended with entry `seq`, without a command."""

    player: PlayerId
    attempt: AttemptId
    seq: int
    result: StoredResult

    @classmethod
    def of(cls, attempt: Attempt) -> Ended:
        """Return the message about an attempt that is over."""
        result = StoredResult.of(attempt.result)
        return cls(attempt.start.player, attempt.id, attempt.seq, result)


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


class Advanced(Struct, tag=5, array_like=True, frozen=True):
    """To a node's topic: a player's attempt has a new entry, with this number and text (JSON).

    Attributes:
        node: the node that has appended it.
        by: the session that it is by, if one asked for it.
    """

    player: PlayerId
    node: str
    attempt: AttemptId
    number: int
    text: str
    by: str | None


class Opened(Struct, tag=6, array_like=True, frozen=True):
    """To a node's topic: a session on `node` shows an attempt; who plays it is to be answered."""

    player: PlayerId
    attempt: AttemptId
    session: str
    node: str


class Taken(Struct, tag=7, array_like=True, frozen=True):
    """To a node's topic: an attempt is played by the session `by` of the player.

    Attributes:
        at: when `by` took it over, in Unix milliseconds; 0 if it has played without.
        session: the only session to be told, as the answer to `Opened`; `None` for all others.
    """

    player: PlayerId
    attempt: AttemptId
    by: str
    at: int
    session: str | None


class Released(Struct, tag=8, array_like=True, frozen=True):
    """To a node's topic: the session `by` of the player has ended, which played the attempt."""

    player: PlayerId
    attempt: AttemptId
    by: str


class SignedOut(Struct, tag=9, array_like=True, frozen=True):
    """To a node's topic: the player's sessions of epochs before this one are to be closed.

    Nodes up to release 0.2.0 check their sessions instead, and close none.
    """

    player: PlayerId
    epoch: int


class Barred(Struct, tag=10, array_like=True, frozen=True):
    """To a node's topic: an operator has barred a player, who may have sessions on it."""

    player: PlayerId


NodeMessage = (
    Replaced | Ended | Joined | Left | Advanced | Opened | Taken | Released | SignedOut | Barred
)
"""The messages of a node's topic."""


class Entered(Struct, array_like=True, frozen=True):
    """To a leaderboard's topic: a player's score has changed; without a payload, any has.

    Attributes:
        score: the new score or the old one, whichever is better: no better row is affected.
    """

    player: PlayerId
    score: int


encode = msgspec.msgpack.Encoder().encode
"""Returns the payload of a message."""


def room_message(payload: bytes | None) -> RoomMessage | None:
    """Decode a message of a room's topic.

    Returns:
        `None` if messages may have been lost: there is no payload, or it cannot be decoded.
    """
    return _decode(_ROOM, payload)


def node_message(payload: bytes | None) -> NodeMessage | None:
    """Decode a message of a node's topic; `None` as for `room_message`."""
    return _decode(_NODE, payload)


def name_message(payload: bytes | None) -> Renamed | NameChanged | None:
    """Decode a message of `topics.NAMES`; `None` as for `room_message`."""
    return _decode(_NAME, payload)


def entered(payload: bytes | None) -> Entered | None:
    """Decode a message of a leaderboard's topic; `None` as for `room_message`."""
    return _decode(_ENTERED, payload)


_ROOM: msgspec.msgpack.Decoder[RoomMessage] = msgspec.msgpack.Decoder(RoomMessage)
_NODE: msgspec.msgpack.Decoder[NodeMessage] = msgspec.msgpack.Decoder(NodeMessage)
_NAME: msgspec.msgpack.Decoder[Renamed | NameChanged] = msgspec.msgpack.Decoder(
    Renamed | NameChanged
)
_ENTERED = msgspec.msgpack.Decoder(Entered)

T = TypeVar("T")


def _decode(decoder: msgspec.msgpack.Decoder[T], payload: bytes | None) -> T | None:
    if not payload:
        return None
    try:
        return decoder.decode(payload)
    except msgspec.MsgspecError:
        return None
