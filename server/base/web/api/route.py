"""Routes: paths, what may be asked there, and the handlers that answer."""

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
from server.base.core.refusal import Refusal

FOREVER: Final = 31_536_000
"""The life of what never changes any more, in seconds."""

HOUR: Final = 3_600
"""The life of what is closed, but may still be corrected: a name, a result that is voided."""

LIVE: Final = 5
"""The life of what changes with every result, in seconds."""

MAX_ROWS: Final = 100
"""The most rows of an answer."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T_co]):
    """An answer.

    Attributes:
        value: what it says.
        life: for how many seconds clients and proxies may keep it.
        is_kept: whether the node keeps it too; not if it says that there is nothing, since there
            are as many of these as somebody asks for.
    """

    value: T_co
    life: int
    is_kept: bool = True


@dataclass(frozen=True, slots=True)
class Download:
    """A file that never changes, as an answer.

    Attributes:
        path: where it is.
        tag: a digest of its content.
    """

    path: Path
    tag: str


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of a request's fields, which are in its path and query."""


class Nothing(Asked, frozen=True):
    """A request without fields."""


class Rows(Asked, frozen=True, kw_only=True):
    """A request for rows of a list.

    Attributes:
        first: the number of the first one, from 1.
        count: how many.
    """

    first: Annotated[int, Meta(ge=1, le=10**9)] = field(name="from", default=1)
    count: Annotated[int, Meta(ge=1, le=MAX_ROWS)] = 50


A = TypeVar("A", bound=Asked)
S_contra = TypeVar("S_contra", contravariant=True)

Handler = Callable[[S_contra, A], Awaitable[Answer[Any] | Download]]
"""Answers a request by services: its module says by a protocol what it calls."""


@dataclass(frozen=True)
class Route(Generic[S_contra]):
    """A path, and the handler of requests for it.

    Attributes:
        path: with the names of fields in braces.
        handler: its docstring says what it answers. It is called only if nobody else's request for
            the same is in flight or has been answered lately.
        codes: what it refuses, in addition to what any request may be refused as.
        cost: the part that a request takes from the client's budget.
    """

    path: str
    handler: Handler[S_contra, Any]
    codes: tuple[str, ...] = ()
    cost: float = 1.0

    @property
    def name(self) -> str:
        """The name of its handler, in camel case."""
        first, *rest = self.handler.__name__.split("_")
        return first + "".join(map(str.capitalize, rest))

    @cached_property
    def asked(self) -> type[Asked]:
        """The type of what is asked for, which takes 40 µs to find out."""
        asked: type[Asked] = get_type_hints(self.handler)["asked"]
        return asked

    @property
    def answer(self) -> Any:
        """The type of the value that answers; `None` for a download."""
        hint = get_type_hints(self.handler)["return"]
        return None if hint is Download else get_args(hint)[0]

    @property
    def in_path(self) -> list[str]:
        """The names of the fields in the path."""
        return re.findall(r"{(\w+)}", self.path)


def day_of(text: str) -> int:
    """Return the number of the UTC day that an ISO date names.

    Raises:
        Refusal: with the code `unknown_day`, if it names none.
    """
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise unknown_day() from None
    if found.isoformat() != text or found.year < 1970:  # noqa: PLR2004 - the first day's
        raise unknown_day()
    return (found - date(1970, 1, 1)).days


def unknown_day() -> Refusal:
    """Return the refusal of a day of which nothing is kept, or known yet."""
    return Refusal("unknown_day", "There is no such day, or nothing is kept of it.")


def game_of(text: str) -> str:
    """Return the id of a game.

    Raises:
        Refusal: with the code `unknown_game`, if there is none.
    """
    if text not in games():
        raise Refusal("unknown_game")
    return text


def deal_of(text: str) -> DealId:
    """Return the id of a deal, which may not exist.

    Raises:
        Refusal: with the code `unknown_deal`, if it is none.
    """
    if not is_id(text):
        raise Refusal("unknown_deal")
    return DealId(text)


def run_of(text: str) -> AttemptId:
    """Return the id of a run, which may not exist.

    Raises:
        Refusal: with the code `unknown_run`, if it is none.
    """
    if split_attempt_id(AttemptId(text)) is None:
        raise Refusal("unknown_run")
    return AttemptId(text)


def player_of(text: str) -> PlayerId:
    """Return the id of a player, who may not exist.

    Raises:
        Refusal: with the code `unknown_player`, if it is none.
    """
    if not is_id(text):
        raise Refusal("unknown_player")
    return PlayerId(text)


def life_of(closes: int, now: int) -> int:
    """Return the life of what follows from the runs of a period, in seconds.

    Args:
        closes: when the period's last runs end, in Unix milliseconds. It takes a while until all
            results are where they belong.
        now: the time.
    """
    return HOUR if now >= closes + days.SETTLED_MS else LIVE
