"""Helpers that append journal entries."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from server.base.core import keys
from server.base.core.ids import AttemptId
from server.base.journals.core.entry import Append, is_checkpoint
from server.base.journals.store import JournalStore
from server.base.redis.connection import Client
from server.play.core import keys as play_keys
from server.play.core.keys import AttemptDue

NAME = "dea1000000000000.ada0000000000000"
KEY = play_keys.attempt(NAME)
PARTITION = keys.partition(NAME)
FAR = 4_000_000_000_000
EFFECT = (NAME, "finish")
DUE = (AttemptDue(AttemptId("member")), FAR)

FORMS: list[dict[str, Any]] = [{}, {"expires": FAR}, {"effect": EFFECT}, {"due": DUE}]
"""Arguments of an append: none, or an additional write with the entry."""


def names(count: int) -> list[str]:
    return [f"{number:016}.ada0000000000000" for number in range(count)]


def names_in(partition: int, count: int) -> list[str]:
    """Return the names of `count` attempts in one partition."""
    found: list[str] = []
    number = 0
    while len(found) < count:
        name = f"{number:016}.bob0000000000000"
        if keys.partition(name) == partition:
            found.append(name)
        number += 1
    return found


def text_of(number: int) -> str:
    return f"entry {number}"


def now() -> int:
    """Return the time in Unix milliseconds; Redis runs on this machine."""
    return time.time_ns() // 1_000_000


def append(
    journals: JournalStore,
    number: int,
    payload: str = "",
    *,
    name: str = NAME,
    at: int | None = None,
    generation: int | None = None,
    previous: str = "",
    **more: Any,
) -> asyncio.Future[int]:
    """Append an entry, by default decided now and on the current connection.

    Returns:
        The future of the generation of the write, or of the error.
    """
    key = play_keys.attempt(name)
    text = payload or text_of(number)
    partition = keys.partition(name) if more or is_checkpoint(text) else None
    entry = Append(key, number, text, partition, **more)
    known = journals.generation(key) if generation is None else generation
    return append_entry(journals, entry, now() if at is None else at, known, previous)


def append_entry(
    journals: JournalStore, entry: Append, at: int, generation: int = 0, previous: str = ""
) -> asyncio.Future[int]:
    """Append an entry, and return the future of the generation of the write."""
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def done(reply: int | Exception) -> None:
        if answer.done():
            return
        if isinstance(reply, int):
            answer.set_result(reply)
        else:
            answer.set_exception(reply)

    journals.append(entry, at, generation, previous, done)
    return answer


async def replace_journal(redis: Client, key: str, *texts: str) -> None:
    """Replace a journal by these entries."""
    await redis.delete(key)
    for number, text in enumerate(texts, 1):
        await redis.xadd(key, {"e": text}, id=f"0-{number}")


async def texts(journals: JournalStore, key: str = KEY) -> list[str]:
    return (await journals.read(key)).texts


async def texts_on(
    journals: JournalStore, after: int, last: str, key: str = KEY
) -> list[str] | None:
    """Return the texts after entry `after`, or `None` if that entry's text is not `last`."""
    found = await journals.read_on(key, after, last)
    return None if found is None else found.texts
