"""Entries of a journal, as tests append them."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from server.core.due import AttemptDue
from server.core.ids import AttemptId
from server.store import keys
from server.store.journal import Append, Journals

NAME = "dea1000000000000.ada0000000000000"
KEY = keys.attempt(NAME)
PARTITION = keys.partition(NAME)
FAR = 4_000_000_000_000
EFFECT = (NAME, "finish")
DUE = (AttemptDue(AttemptId("member")), FAR)

FORMS: list[dict[str, Any]] = [{}, {"expires": FAR}, {"effect": EFFECT}, {"due": DUE}]
"""An append by itself, and with each thing that is written together with it."""


def names(count: int) -> list[str]:
    """Return the names of so many attempts."""
    return [f"{number:016}.ada0000000000000" for number in range(count)]


def names_in(partition: int, count: int) -> list[str]:
    """Return the names of so many attempts of one partition."""
    found: list[str] = []
    number = 0
    while len(found) < count:
        name = f"{number:016}.bob0000000000000"
        if keys.partition(name) == partition:
            found.append(name)
        number += 1
    return found


def text_of(number: int) -> str:
    """Return the text that an entry has unless a test says otherwise."""
    return f"entry {number}"


def now() -> int:
    """Return the time in Unix milliseconds; Redis runs on this machine."""
    return time.time_ns() // 1_000_000


async def append(
    journals: Journals,
    number: int,
    payload: str = "",
    *,
    name: str = NAME,
    at: int | None = None,
    generation: int | None = None,
    **more: Any,
) -> int:
    """Append an entry with a text of its own, decided now; return from when it is known."""
    entry = Append(
        keys.attempt(name), number, payload or text_of(number), keys.partition(name), **more
    )
    return await journals.append(entry, now() if at is None else at, generation)


def append_soon(
    journals: Journals,
    number: int,
    payload: str = "",
    *,
    name: str = NAME,
    at: int | None = None,
    generation: int | None = None,
    previous: str | None = None,
) -> asyncio.Future[int]:
    """Append an entry in the next batch; from when it is known to stand, or what is wrong.

    Raises:
        RefusedError: it is not even tried.
    """
    key = keys.attempt(name)
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def done(error: Exception | None, known: int) -> None:
        if error is None:
            answer.set_result(known)
        else:
            answer.set_exception(error)

    tried = journals.append_soon(
        Append(key, number, payload or text_of(number)),
        now() if at is None else at,
        journals.generation(key) if generation is None else generation,
        done,
        text_of(number - 1) if previous is None else previous,
    )
    if not tried:
        raise RefusedError
    return answer


class RefusedError(Exception):
    """An append that was not tried."""


async def texts(journals: Journals, key: str = KEY) -> list[str]:
    """Return the texts of a journal's entries."""
    return (await journals.read(key)).texts


async def texts_on(journals: Journals, after: int, last: str, key: str = KEY) -> list[str] | None:
    """Return the texts after an entry with this text, or `None` if that does not stand."""
    found = await journals.read_on(key, after, last)
    return None if found is None else found.texts
