"""Entries of a journal, as tests append them."""

from __future__ import annotations

import time
from typing import Any

from server.store import keys
from server.store.journal import Append, Journals

NAME = "dea1000000000000.ada0000000000000"
KEY = keys.attempt(NAME)
PARTITION = keys.partition(NAME)
FAR = 4_000_000_000_000
EFFECT = (NAME, "finish")
DUE = (f"a:{NAME}", FAR)

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
    """Return the text that an entry has unless a test says otherwise; there is no entry 0."""
    return f"entry {number}" if number else ""


def now() -> int:
    """Return the time in Unix milliseconds; Redis runs on this machine."""
    return time.time_ns() // 1_000_000


async def append(
    journals: Journals,
    number: int,
    payload: str = "",
    *,
    name: str = NAME,
    previous: str | None = None,
    at: int | None = None,
    **more: Any,
) -> None:
    """Append an entry with a text of its own, decided now and after the one before."""
    text = payload or text_of(number)
    await journals.append(
        Append(keys.attempt(name), keys.partition(name), number, text, **more),
        text_of(number - 1) if previous is None else previous,
        now() if at is None else at,
    )
