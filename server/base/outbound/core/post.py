"""Posts: what is to be sent to a server of others, and what follows from how that went."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from msgspec import Struct

LIFE_MS: Final = 86_400_000
"""Milliseconds for which a post is tried at most, unless it says less; and for which its id is
known, so that it is not sent again."""

PAUSES_MS: Final = (10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000)
"""Milliseconds after each try that failed until the next one; after the last one there is none."""

LONGEST_WAIT_MS: Final = 21_600_000
"""The longest time for which a server is let wait for the next try, if it asks for one."""

_PASSING: Final = {408, 425, 429}
_GONE: Final = {404, 410}


class Post(Struct, frozen=True):
    """Something to post, in its stored form (JSON).

    Attributes:
        id: what it is posted once by, chosen by whoever posts it.
        channel: who makes a request of it, and hears how it went.
        owner: whose it is, as the channel names it.
        content: what the channel makes the request of (JSON).
        until: when it is of no use any more, in Unix milliseconds.
    """

    id: str
    channel: str
    owner: str
    content: str
    until: int


class Outgoing(NamedTuple):
    """A request: a POST of a body to a URL, with these headers beside those of every request."""

    url: str
    headers: dict[str, str]
    body: bytes


class Answer(NamedTuple):
    """The answer to a request: its status, and for how many milliseconds it asks to wait."""

    status: int
    wait_ms: int = 0


Failure = Literal["address", "name", "url", "connection", "tls", "time", "answer"]
"""Why there is no answer: the name has no public address; it has none; the URL is none that may be
posted to; nobody listens; the certificate is not that of the name; it took too long; what came is
no answer."""

Fate = Literal["sent", "gone", "dropped"]


class Outcome(NamedTuple):
    """How a try to send a post went.

    Attributes:
        code: the status of the answer, or why there is none.
        fate: what becomes of the post; `None` if it is tried again.
    """

    code: int | Failure
    fate: Fate | None


def fate(answer: Answer | Failure, tries: int) -> Fate | int:
    """Return what becomes of a post after a try.

    Args:
        answer: the answer, or why there is none.
        tries: how many tries there have been.

    Returns:
        `sent`; `gone`, if nothing may be posted there any more; `dropped`, if it is of no use to
        try again; or for how many milliseconds to wait before that.
    """
    wait = 0
    if isinstance(answer, Answer):
        status = answer.status
        if status in _GONE:
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
