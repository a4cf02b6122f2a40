"""Messages between nodes about an attempt, to those where its player has sessions."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import AttemptId, PlayerId
from server.play.core.attempt import Attempt
from server.play.core.result import Result


class Ended(Struct, tag=2, array_like=True, frozen=True):
    """To a node's topic: a player's attempt ended with entry `seq`, without a command."""

    player: PlayerId
    attempt: AttemptId
    seq: int
    result: Result

    @classmethod
    def of(cls, attempt: Attempt) -> Ended:
        """Return the message about an attempt that is over."""
        return cls(attempt.start.player, attempt.id, attempt.seq, attempt.result)


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
    """To a node's topic: a session on `node` shows an attempt; who holds it is to be answered."""

    player: PlayerId
    attempt: AttemptId
    session: str
    node: str


class Taken(Struct, tag=7, array_like=True, frozen=True):
    """To a node's topic: an attempt is held by the session `by` of the player.

    Attributes:
        at: when `by` took it over, in Unix milliseconds; 0 if it holds it without.
        session: the only session to be told, as the answer to `Opened`; `None` for all others.
    """

    player: PlayerId
    attempt: AttemptId
    by: str
    at: int
    session: str | None


class Released(Struct, tag=8, array_like=True, frozen=True):
    """To a node's topic: the session `by` of the player has ended, which held the attempt."""

    player: PlayerId
    attempt: AttemptId
    by: str
