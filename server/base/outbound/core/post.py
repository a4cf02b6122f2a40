"""Posts to third-party servers, and their fate after each try."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from msgspec import Struct

# Maximum milliseconds of tries to send a post, and then of remembering its id to prevent
# duplicates.
LIFE_MS: Final = 86_400_000

# Milliseconds from each failed try to the next one. The post is dropped if the try after the last
# pause fails.
PAUSES_MS: Final = (10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000)

LONGEST_WAIT_MS: Final = 21_600_000  # maximum milliseconds that a server can delay the next try
_PASSING: Final = {408, 425, 429}
_GONE: Final = {404, 410}


class Post(Struct, frozen=True):
    """A post in its stored form (JSON)."""

    id: str  # the idempotency key, chosen by the caller
    channel: str  # builds the request, and is notified of the outcome
    owner: str  # as named by the channel
    content: str  # the channel's data (JSON)
    until: int  # when the post becomes useless, in Unix milliseconds


class Outgoing(NamedTuple):
    """A request: a POST of a body to a URL, with these headers in addition to the common ones."""

    url: str
    headers: dict[str, str]
    body: bytes


class Answer(NamedTuple):
    """The answer to a request: its status, and the requested delay in milliseconds."""

    status: int
    wait_ms: int = 0


# Reasons for a missing answer: the name has no public address; the name is unknown; the URL is not
# allowed; the connection was refused or lost; the certificate does not match; a timeout; an invalid
# answer.
Failure = Literal["address", "name", "url", "connection", "tls", "time", "answer"]

Fate = Literal["sent", "gone", "dropped"]


class Outcome(NamedTuple):
    """The outcome of a try to send a post."""

    code: int | Failure  # the answer's status, or the reason for its absence
    fate: Fate | None  # `None` if it is retried


def fate(answer: Answer | Failure, tries: int) -> Fate | int:
    """Return the fate of a post after some tries, or the milliseconds before the next one."""
    wait = 0
    if isinstance(answer, Answer):
        status = answer.status
        if status in _GONE:
            # The destination no longer accepts posts.
            return "gone"
        if 200 <= status < 300:  # noqa: PLR2004
            return "sent"
        if status < 500 and status not in _PASSING:  # noqa: PLR2004
            # Redirections are not followed: they may lead anywhere.
            return "dropped"
        wait = min(answer.wait_ms, LONGEST_WAIT_MS)
    elif answer in {"address", "url"}:
        return "dropped"
    if tries > len(PAUSES_MS):
        return "dropped"
    return max(wait, PAUSES_MS[max(tries, 1) - 1])
