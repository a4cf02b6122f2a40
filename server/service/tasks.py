"""Background tasks that are not awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

_tasks: set[asyncio.Task[None]] = set()


def run_soon(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine, which handles its own exceptions, in a task that is not awaited."""
    task = asyncio.create_task(work)
    # The event loop has only weak references: a task without another one may be collected.
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
