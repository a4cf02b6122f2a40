"""Fields of log entries that belong to a task: what a command of a player logs names that player.

They are not inherited by tasks and callbacks that the task starts, as context variables are. Some
of these serve everybody and outlive the command, such as a connection to Redis, and what they log
later would name a player and a room that have nothing to do with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

_fields: WeakKeyDictionary[asyncio.Task[Any], dict[str, str]] = WeakKeyDictionary()


@contextmanager
def task_fields(**fields: str) -> Iterator[None]:
    """Add fields to what the current task logs in the block."""
    task = asyncio.current_task()
    assert task is not None, "called in a task"
    _fields[task] = fields
    try:
        yield
    finally:
        del _fields[task]


def add_task_fields(
    logger: Any, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Add the fields of the current task, a structlog processor; those of the entry prevail."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # No event loop runs here.
        return event
    fields = _fields.get(task) if task is not None else None
    return {**fields, **event} if fields else event
