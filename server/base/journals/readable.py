"""Reading many items, skipping and listing the unreadable ones."""

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
    """Several items, as far as they could be read.

    Attributes:
        read: the items by name.
        gone: the names of missing items.
        unreadable: the names of existing items that are damaged, or that this release cannot read.
            They are left unchanged, and the failure is logged.
    """

    read: dict[Name, T]
    gone: tuple[Name, ...]
    unreadable: tuple[Name, ...]


async def readable(reads: Mapping[Name, Awaitable[T | None]]) -> Readable[Name, T]:
    """Read several items concurrently, and return the readable ones.

    Use it wherever many items are shown or changed: an item that is damaged, or written by a newer
    release, must not block the others.

    Args:
        reads: for each name, an awaitable of the item, or of `None` if it is missing.

    Raises:
        Exception: the first exception of a read, other than `UnreadableError` and
            `msgspec.DecodeError`.
    """
    found = await asyncio.gather(*(_try_read(each) for each in reads.values()))
    pairs = list(zip(reads, found, strict=True))
    return Readable(
        {name: each for name, each in pairs if not (each is None or isinstance(each, _Failed))},
        tuple(name for name, each in pairs if each is None),
        tuple(name for name, each in pairs if isinstance(each, _Failed)),
    )


class _Failed:
    """The marker of an unreadable item."""


async def _try_read(read: Awaitable[V]) -> V | _Failed:
    try:
        return await read
    except UnreadableError:
        return _Failed()
    except msgspec.DecodeError as error:
        log.error("item_broken", error=str(error))  # noqa: TRY400 - the message is sufficient
        return _Failed()
