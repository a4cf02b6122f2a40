"""The error of a command that was refused."""

from __future__ import annotations

from datetime import timedelta

TEMPORARY = frozenset({"unavailable", "overloaded", "too_fast"})
"""Codes of refusals after which the same command may succeed later."""

NOTHING_DONE = frozenset({"overloaded", "too_fast"})
"""Those after which the command was not carried out, whatever it was."""


class Refusal(Exception):
    """A command was refused, or could not be sent.

    Attributes:
        code: the server's, of the table in `server/PROTOCOL.md`; or one of this library's:
            `disconnected` (the connection was lost before the answer, and it is not known whether
            the command was carried out), `unreachable` (there was no session within the timeout),
            `closed` (the client was closed), `replaced` and `signed_out` (the server has ended the
            session for good), `overtaken` (another session of the player played instead),
            `no_room`, `no_attempt` (there is none that the command could be about).
        text: one sentence.
        wait: after what time to try again, as the server asked; zero leaves that to the caller.
    """

    def __init__(self, code: str, text: str, wait: timedelta = timedelta()) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text
        self.wait = wait


class Disconnected(Refusal):
    """The connection was lost before the answer came, or before the command was sent."""

    def __init__(self) -> None:
        super().__init__("disconnected", "The connection to the server is lost.")


class AttemptEnded(Refusal):
    """The attempt is over, as its `result` says: out of time, or found to be stuck, meanwhile."""


def refusal_of(code: str, text: str, wait: int) -> Refusal:
    """Return the error for what the server has said; `wait` is in milliseconds."""
    kind = AttemptEnded if code == "attempt_ended" else Refusal
    return kind(code, text, timedelta(milliseconds=wait))
