"""Log fields that belong to a task: log entries of a player's command name that player.

Unlike context variables, they are not inherited by tasks and callbacks that the task starts. Some
of these serve all players and outlive the command, such as a connection to Redis. Their later log
entries would name an unrelated player and room.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

_fields: dict[asyncio.Task[Any], dict[str, str]] = {}


class TaskFields:
    """Adds fields to the current task's log entries, as a context manager."""

    __slots__ = ("_task",)

    def __init__(self, fields: dict[str, str]) -> None:
        task = asyncio.current_task()
        assert task is not None, "called in a task"
        self._task = task
        _fields[task] = fields

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        del _fields[self._task]


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
