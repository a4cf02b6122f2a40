"""Messages about an attempt between the nodes of its player's sessions."""

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
        """Return the message about a finished attempt."""
        return cls(attempt.start.player, attempt.id, attempt.seq, attempt.result)


class Advanced(Struct, tag=5, array_like=True, frozen=True):
    """To a node's topic: a player's attempt has a new entry, with this number and text (JSON)."""

    player: PlayerId
    node: str  # the node that appended it
    attempt: AttemptId
    number: int
    text: str
    by: str | None  # the session that caused it, or `None`


class Opened(Struct, tag=6, array_like=True, frozen=True):
    """To a node's topic: a session on `node` opened an attempt and asks for its holder."""

    player: PlayerId
    attempt: AttemptId
    session: str
    node: str


class Taken(Struct, tag=7, array_like=True, frozen=True):
    """To a node's topic: the player's session `by` holds an attempt."""

    player: PlayerId
    attempt: AttemptId
    by: str
    at: int  # when `by` took it over, in Unix milliseconds; 0 if it holds it without a takeover
    session: str | None  # the only recipient, in answer to `Opened`; `None` for all other sessions


class Released(Struct, tag=8, array_like=True, frozen=True):
    """To a node's topic: the player's session `by`, which held the attempt, has ended."""

    player: PlayerId
    attempt: AttemptId
    by: str
