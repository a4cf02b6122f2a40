"""Tasks that nobody waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

_tasks: set[asyncio.Task[None]] = set()


def run_soon(work: Coroutine[Any, Any, None]) -> None:
    """Do something in a task of its own, which handles what goes wrong by itself."""
    task = asyncio.create_task(work)
    # A task that nobody refers to may vanish.
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
