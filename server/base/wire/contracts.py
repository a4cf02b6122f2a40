"""The interfaces used by a session: its connection, and the execution of commands."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from server.base.core.ids import AttemptId, PlayerId
from server.base.wire.messages import Command, Event, MoveMessage

if TYPE_CHECKING:
    from server.base.wire.session import Session
    from server.base.wire.shown import ShownAttempts


class Reason(Enum):
    """Reasons for closing a session: the close code, and the text of the preceding `Bye`."""

    GOING_AWAY = (1001, "The server is restarting. Your game is kept.")
    BAD_MESSAGES = (4000, "Too many invalid messages.")
    REPLACED = (4001, "You have too many windows and devices open.")
    BAD_VERSION = (4002, "The server does not support this version of the protocol.")
    HELLO_TIMEOUT = (4003, "No hello arrived within five seconds.")
    TOO_SLOW = (4004, "The connection is too slow. Please reconnect.")
    TOO_FAST = (4005, "Too many commands. Please slow down.")
    BARRED = (4008, "You can't play here for now.")
    WENT_BACK = (4006, "The server's store has lost its latest data. Please reconnect.")
    SIGNED_OUT = (4007, "You signed out everywhere, or deleted this player.")


class Wire(Protocol):
    """A client's connection."""

    def send(self, frame: bytes, key: Hashable = None) -> None:
        """Queue a frame, replacing a queued one with the same key, if any.

        Raises:
            TooSlowError: the queue is full, since the client reads too slowly.
        """

    def is_behind(self) -> bool:
        """Return whether the client reads too slowly, so that frames are queued."""

    def is_full(self) -> bool:
        """Return whether the queue is too long to start a command before `Session.go_on`."""

    def in_turn(self, begin: Callable[[], None], cost: float) -> None:
        """Call a function that starts a command in a turn of the client's address.

        `cost` is the command's (`server.base.core.costs`).
        """

    def hold(self) -> None:
        """Stop reading from the client until `release`."""

    def release(self) -> None:
        """Resume reading from the client."""

    def close(self, code: int) -> None:
        """Close the connection with a close code, after sending all queued frames."""


class MoveAnswer(Struct, frozen=True, gc=False):
    """A session's answer to a move.

    Attributes:
        frame: the frame to send.
        game: the attempt's game.
        outcome: a word for metrics and log.
        written: whether the move is in the journal; else the answer is the attempt's state.
        cost: the additional cost of the answer, charged as a debt.
    """

    frame: bytes
    game: str
    outcome: str
    written: bool
    cost: float = 0.0


class Answerer(Protocol):
    """Executes commands for sessions."""

    def decode(self, frame: bytes | None, /) -> Command | MoveMessage:
        """Decode a frame; `None` stands for a text frame.

        Raises:
            BadMessageError: it contains neither a command nor a move.
            OldProtocolError: it contains a message of version 1.
        """

    async def answer(self, session: Session, command: Command) -> Event:
        """Execute a command, and return its answer.

        Raises:
            Refusal: the command is refused.
        """

    def play(
        self,
        attempt: AttemptId,
        player: PlayerId,
        move: MoveMessage,
        reply: Callable[[Any], None],
        /,
    ) -> None:
        """Play a move, and call `reply` with a result for `answer_move`, or an exception."""

    def answer_move(self, found: Any, shown: ShownAttempts, number: int, seq: int, /) -> MoveAnswer:
        """Return the answer to a move.

        Args:
            found: the move's result.
            shown: the session's attempts.
            number: the attempt's number, as in the move.
            seq: the number intended for the move's entry.
        """
