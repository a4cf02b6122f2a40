"""The error of a refused command."""

from __future__ import annotations

from datetime import timedelta

# The same command may succeed later.
TEMPORARY = frozenset({"unavailable", "overloaded", "too_fast"})

# Guarantee that the command was not executed.
NOT_CARRIED_OUT = frozenset({"overloaded", "too_fast"})


class Refusal(Exception):
    """A command was refused, or could not be sent.

    Attributes:
        code: the server's, listed in `server/PROTOCOL.md`, or one of this library's: `disconnected`
            (the connection was lost before the answer, and the command may or may not have been
            executed), `unreachable` (no session within the timeout), `closed` (the client was
            closed), `replaced` and `signed_out` (the server has ended the session permanently),
            `overtaken` (another session of the player played first), `no_room`, `no_attempt`
            (nothing that the command could apply to).
        text: one sentence.
        wait: the time to wait before retrying, as the server requests; zero if it does not say.
    """

    def __init__(self, code: str, text: str, wait: timedelta = timedelta()) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text
        self.wait = wait


class Disconnected(Refusal):
    """The connection was lost before the command was sent or answered."""

    def __init__(self) -> None:
        super().__init__("disconnected", "The connection to the server is lost.")


class AttemptEnded(Refusal):
    """The attempt has ended in the meantime: out of time, or stuck; see its `result`."""


def refusal_of(code: str, text: str, wait: int) -> Refusal:
    """Return the error for a server's refusal; `wait` is in milliseconds."""
    kind = AttemptEnded if code == "attempt_ended" else Refusal
    return kind(code, text, timedelta(milliseconds=wait))
