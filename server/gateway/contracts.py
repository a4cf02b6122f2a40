"""What a session needs of others: a connection, and somebody who carries commands out."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from server.core.ids import AttemptId, PlayerId
from server.gateway.messages import AnyCommand, AnyEvent
from server.service.moves import MoveNumbers, Reply

if TYPE_CHECKING:
    from server.gateway.session import Session


class Reason(Enum):
    """Why the server closes a session: the close code, and what is said before it."""

    GOING_AWAY = (1001, "The server is restarting. Your game is kept.")
    BAD_MESSAGES = (4000, "Too many messages were none of the protocol.")
    REPLACED = (4001, "The game was opened in another window.")
    BAD_VERSION = (4002, "The server does not speak this version of the protocol.")
    HELLO_TIMEOUT = (4003, "There was no hello within five seconds.")
    TOO_SLOW = (4004, "The connection does not keep up. Please come back.")
    TOO_FAST = (4005, "There were too many commands. Please slow down.")
    WENT_BACK = (4006, "The server's store has lost its last moments. Please come back.")


class Wire(Protocol):
    """The connection as a session uses it."""

    def send(self, frame: bytes, key: Hashable = None) -> None:
        """Send a message; one with a key takes the place of an unsent one with that key.

        Raises:
            TooSlowError: too many messages wait for the client to read.
        """

    def is_behind(self) -> bool:
        """Return whether the client does not read as fast as it is written to."""

    def hold(self) -> None:
        """Read nothing until `release`."""

    def release(self) -> None:
        """Read on."""

    def close(self, code: int) -> None:
        """Close the connection when what waits has been sent."""


class Answerer(Protocol):
    """Carries commands out for sessions."""

    async def answer(self, session: Session, command: AnyCommand) -> AnyEvent:
        """Carry a command out, and return its answer.

        Raises:
            Refusal: it is not carried out.
            UnavailableError: the store does not answer.
        """

    def play(
        self, player: PlayerId, attempt: AttemptId, seq: int, what: MoveNumbers, reply: Reply
    ) -> None:
        """Play a move; `reply` is called with what became of it."""

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
