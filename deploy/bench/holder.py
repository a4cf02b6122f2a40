"""A process that holds many idle sessions, so that killing it drops all of them at once.

python -m deploy.bench.holder PORT SESSIONS
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process

import uvloop

from deploy.bench.client import map_concurrently
from deploy.bench.processes import LOAD_CORE, pin
from deploy.bench.races import open_session


async def hold(port: int, sessions: int) -> Process:
    """Start the process, and return it when all its sessions are open.

    Raises:
        RuntimeError: the sessions could not be opened.
    """
    arguments = ["-m", "deploy.bench.holder", str(port), str(sessions)]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=PIPE)
    assert process.stdout is not None
    if not await process.stdout.readline():
        raise RuntimeError(f"cannot open {sessions} sessions")
    return process


async def main(port: int, sessions: int) -> None:
    """Open the sessions, print their number, and hold them until the process is killed."""
    clients = await map_concurrently(sessions, lambda _: open_session(port))
    sys.stdout.write(f"{len(clients)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    pin(LOAD_CORE)
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
