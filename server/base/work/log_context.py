"""Log fields that belong to a task: log entries of a player's command name that player.

Unlike context variables, they are not inherited by tasks and callbacks that the task starts. Some
of these serve all players and outlive the command, such as a connection to Redis. Their later log
entries would name an unrelated player and room.
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
    """Add fields to the current task's log entries in the block."""
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
    """Add the current task's fields to an entry, whose own fields prevail (for structlog)."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # There is no running event loop.
        return event
    fields = _fields.get(task) if task is not None else None
    return {**fields, **event} if fields else event
