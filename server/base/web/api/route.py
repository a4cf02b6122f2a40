"""Routes: paths, their parameters, and their handlers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Generic, TypeVar, get_args, get_type_hints

from msgspec import Meta, Struct, field

from engine.catalog import games
from server.base.core import days
from server.base.core.ids import AttemptId, DealId, PlayerId, is_id, split_attempt_id
from server.base.core.refusal import BaseRefusals, Refusal, RefusalCode

FOREVER: Final = 31_536_000  # the lifetime of immutable answers, in seconds

# The lifetime of closed data that may still be corrected, such as names and voided results, in
# seconds.
HOUR: Final = 3_600

LIVE: Final = 5  # the lifetime of data that changes with every result, in seconds
MAX_ROWS: Final = 100  # maximum rows of an answer
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T_co]):
    """An answer."""

    value: T_co
    life: int  # how long clients and proxies may cache it, in seconds
    # Whether the node caches it too. Not if it states that something does not exist, since there
    # are unlimited requests of that kind.
    is_kept: bool = True


@dataclass(frozen=True, slots=True)
class Download:
    """A file that never changes, as an answer."""

    path: Path
    tag: str  # of the content


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of a request's fields, which are in its path and query."""


class Nothing(Asked, frozen=True):
    """A request without fields."""


class Rows(Asked, frozen=True, kw_only=True):
    """A request for rows of a list.

    Attributes:
        first: the number of the first row, from 1.
        count: the number of rows.
    """

    first: Annotated[int, Meta(ge=1, le=10**9)] = field(name="from", default=1)
    count: Annotated[int, Meta(ge=1, le=MAX_ROWS)] = 50


A = TypeVar("A", bound=Asked)
S_contra = TypeVar("S_contra", contravariant=True)

# Answers a request, given the services. Its module declares their interface as a protocol.
Handler = Callable[[S_contra, A], Awaitable[Answer[Any] | Download]]
"""Answers a request, given the services of its wing."""


@dataclass(frozen=True)
class Route(Generic[S_contra]):
    """A path and the handler of its requests."""

    path: str  # with the names of fields in braces
    # Its docstring describes the answer. It is called only if the same request is neither in
    # progress nor cached.
    handler: Handler[S_contra, Any]
    codes: tuple[RefusalCode, ...] = ()  # refusals, in addition to those common to all requests
    cost: float = 1.0  # of a request, charged to the client's budget

    @property
    def name(self) -> str:
        """The name of its handler, in camel case."""
        first, *rest = self.handler.__name__.split("_")
        return first + "".join(map(str.capitalize, rest))

    @cached_property
    def asked(self) -> type[Asked]:
        """The type of its requests."""
        # Cached, since this takes 40 µs.
        asked: type[Asked] = get_type_hints(self.handler)["asked"]
        return asked

    @property
    def answer(self) -> Any:
        """The type of the answer's value; `None` for a download."""
        hint = get_type_hints(self.handler)["return"]
        return None if hint is Download else get_args(hint)[0]

    @property
    def in_path(self) -> list[str]:
        """The names of the fields in the path."""
        return re.findall(r"{(\w+)}", self.path)


def day_of(text: str) -> int:
    """Return the number of the UTC day for an ISO date, or refuse it as `unknown_day`."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise unknown_day() from None
    if found.isoformat() != text or found.year < 1970:  # noqa: PLR2004 - the first day's
        raise unknown_day()
    return (found - date(1970, 1, 1)).days


def unknown_day() -> Refusal:
    """Return the refusal for a day without data."""
    return Refusal(BaseRefusals.unknown_day, "There is no such day, or it is no longer kept.")


def game_of(text: str) -> str:
    """Return a game's id, or refuse an unknown one as `unknown_game`."""
    if text not in games():
        raise Refusal(BaseRefusals.unknown_game)
    return text


def deal_of(text: str) -> DealId:
    """Return a deal's id, or refuse a malformed one as `unknown_deal`. The deal may not exist."""
    if not is_id(text):
        raise Refusal(BaseRefusals.unknown_deal)
    return DealId(text)


def run_of(text: str) -> AttemptId:
    """Return a run's id, or refuse a malformed one as `unknown_run`. The run may not exist."""
    if split_attempt_id(AttemptId(text)) is None:
        raise Refusal(BaseRefusals.unknown_run)
    return AttemptId(text)


def player_of(text: str) -> PlayerId:
    """Return a player's id, or refuse a malformed one as `unknown_player`."""
    if not is_id(text):
        raise Refusal(BaseRefusals.unknown_player)
    return PlayerId(text)


def life_of(closes: int, now: int) -> int:
    """Return the lifetime in seconds of data derived from the runs of a period.

    The period's last runs end when it `closes`, in Unix milliseconds.
    """
    # The results are final some time after the close.
    return HOUR if now >= closes + days.SETTLED_MS else LIVE
