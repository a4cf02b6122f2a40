"""Reading many things of which some cannot be read: those are skipped, and named."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec
import structlog

from server.base.core.refusal import UnreadableError

log = structlog.get_logger()

Name = TypeVar("Name", bound=str)
T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Readable(Generic[Name, T]):
    """Several things, as far as they could be read.

    Attributes:
        read: what could be read, by name.
        gone: the names of what is not there.
        unreadable: the names of what is there and cannot be read: what it is, nobody knows here, so
            it is left alone. Where it was read, that has been logged.
    """

    read: dict[Name, T]
    gone: tuple[Name, ...]
    unreadable: tuple[Name, ...]


async def readable(reads: Mapping[Name, Awaitable[T | None]]) -> Readable[Name, T]:
    """Read several things at the same time, and return what could be read.

    Whatever shows or changes many things reads them so: one that is damaged, or that a newer
    release stored, must not keep anybody from the others.

    Args:
        reads: for each name, what returns the thing, or `None` if it is not there.

    Raises:
        Exception: what one of them raises, but `UnreadableError` and `msgspec.DecodeError`.
    """
    found = await asyncio.gather(*(_tried(each) for each in reads.values()))
    pairs = list(zip(reads, found, strict=True))
    return Readable(
        {name: each for name, each in pairs if not (each is None or isinstance(each, _Failed))},
        tuple(name for name, each in pairs if each is None),
        tuple(name for name, each in pairs if isinstance(each, _Failed)),
    )


class _Failed:
    """That something cannot be read."""


async def _tried(read: Awaitable[V]) -> V | _Failed:
    try:
        return await read
    except UnreadableError:
        return _Failed()
    except msgspec.DecodeError as error:
        log.error("item_broken", error=str(error))  # noqa: TRY400 - it says what is wrong
        return _Failed()
