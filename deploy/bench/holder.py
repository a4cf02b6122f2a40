"""Many idle sessions in a process of their own: when it is killed they are all gone at once.

python -m deploy.bench.holder PORT SESSIONS
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process

import uvloop

from deploy.bench.client import gathered
from deploy.bench.processes import LOAD_CORE, pin
from deploy.bench.races import greeted


async def hold(port: int, sessions: int) -> Process:
    """Start the process, and return it once all its sessions are open.

    Raises:
        RuntimeError: they cannot be opened.
    """
    arguments = ["-m", "deploy.bench.holder", str(port), str(sessions)]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=PIPE)
    assert process.stdout is not None
    if not await process.stdout.readline():
        raise RuntimeError(f"{sessions} sessions cannot be opened")
    return process


async def main(port: int, sessions: int) -> None:
    """Open the sessions, say so, and keep them until the process is killed."""
    clients = await gathered(sessions, lambda _: greeted(port))
    sys.stdout.write(f"{len(clients)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    pin(LOAD_CORE)
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
