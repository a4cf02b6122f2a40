"""The interfaces that a session uses: its connection, and what carries commands out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from server.base.core.ids import AttemptId, PlayerId
from server.base.wire.messages import Command, Event, MoveMessage

if TYPE_CHECKING:
    from server.base.wire.session import Session
    from server.base.wire.shown import ShownAttempts


class Reason(Enum):
    """Why the server closes a session: the close code, and the text of the `Bye` before it."""

    GOING_AWAY = (1001, "The server is restarting. Your game is kept.")
    BAD_MESSAGES = (4000, "Too many messages were none of the protocol.")
    REPLACED = (4001, "Too many of your windows and devices are open.")
    BAD_VERSION = (4002, "The server does not speak this version of the protocol.")
    HELLO_TIMEOUT = (4003, "There was no hello within five seconds.")
    TOO_SLOW = (4004, "The connection does not keep up. Please come back.")
    TOO_FAST = (4005, "There were too many commands. Please slow down.")
    BARRED = (4008, "You can't play here for now.")
    WENT_BACK = (4006, "The server's store has lost its last moments. Please come back.")
    SIGNED_OUT = (4007, "You have signed out everywhere, or deleted this player.")


class Wire(Protocol):
    """A client's connection."""

    def send(self, frame: bytes, key: Hashable = None) -> None:
        """Queue a frame; one with a key replaces a queued one with the same key.

        Raises:
            TooSlowError: the queue is full, since the client does not read fast enough.
        """

    def is_behind(self) -> bool:
        """Return whether the client reads more slowly than it is written to: frames queue up."""

    def is_full(self) -> bool:
        """Return whether so much is queued that no command is to begin before `Session.go_on`."""

    def in_turn(self, begin: Callable[[], None], cost: float) -> None:
        """Call a function, which begins a command, when it is the turn of the client's address.

        Args:
            begin: the function.
            cost: the cost of the command (`server.base.wire.costs`).
        """

    def hold(self) -> None:
        """Stop reading from the client until `release`."""

    def release(self) -> None:
        """Read from the client again."""

    def close(self, code: int) -> None:
        """Close the connection with a close code, after what is queued has been sent."""


class MoveAnswer(NamedTuple):
    """How a session answers a move.

    Attributes:
        frame: what it sends.
        game: the attempt's.
        outcome: in a word, for metrics and log.
        written: whether the move is in the journal; else the answer is how the attempt stands.
    """

    frame: bytes
    game: str
    outcome: str
    written: bool


class Answerer(Protocol):
    """Carries commands out for sessions."""

    def decode(self, frame: bytes | None, /) -> Command | MoveMessage:
        """Return the command or move in a frame; `None` stands for a text frame.

        Raises:
            BadMessageError: it holds neither.
            OldProtocolError: it holds a message of version 1.
        """

    async def answer(self, session: Session, command: Command) -> Event:
        """Carry a command out, and return the event that answers it.

        Raises:
            Refusal: it is not carried out.
        """

    def play(
        self,
        attempt: AttemptId,
        player: PlayerId,
        move: MoveMessage,
        reply: Callable[[Any], None],
        /,
    ) -> None:
        """Play a move; `reply` is called with what `answer_move` takes, or an exception."""

    def answer_move(self, found: Any, shown: ShownAttempts, number: int, seq: int, /) -> MoveAnswer:
        """Return the answer to a move.

        Args:
            found: what the move has led to.
            shown: the session's attempts.
            number: the attempt's number among them, as the move gave it.
            seq: the entry that the move was to become.
        """
