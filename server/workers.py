"""Several nodes on one port: a supervisor starts processes, restarts, replaces and ends them.

Each process has sockets of its own, which the supervisor keeps open. What connects while a process
is being replaced waits for the next one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

import structlog

from server.ports import NodePorts

READY_WITHIN = 60.0
"""Seconds within which a new process serves."""

END_WITHIN = 20.0
"""Seconds for a process to end when it is asked to, before it is killed."""

STEADY_AFTER = 30.0
"""Seconds after which a process that dies is restarted at once, as one that worked well."""

LONGEST_PAUSE = 30.0
"""Seconds between two starts of a process that dies again and again; the first pause is one."""

# Processes that begin anew: what a running event loop and its threads hold is not to be copied.
_SPAWN = multiprocessing.get_context("spawn")

log = structlog.get_logger()

Run = Callable[[int, NodePorts, Connection], None]
"""Runs a node in a process of its own, by its number, until SIGTERM or the supervisor's end.

It sends something through the connection once it serves, and can be pickled.
"""


class StartError(Exception):
    """A process ended before it served; it has said why."""


class Supervisor:
    """Keeps a process running for each set of ports."""

    def __init__(self, run: Run, ports: Sequence[NodePorts]) -> None:
        self._run = run
        self._ports = ports
        self._workers: list[_Worker] = []
        self._alive: set[_Worker] = set()
        self._stopping = asyncio.Event()
        self._replacing = asyncio.Event()

    def stop(self) -> None:
        """End all processes, and then `run`."""
        self._stopping.set()

    def replace(self) -> None:
        """Replace all processes, one after the other, each by one that serves already."""
        self._replacing.set()

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Keep processes running until told to stop; call a function when all serve.

        Raises:
            StartError: one of the first processes ended before it served.
        """
        keeping = asyncio.create_task(self._keep_all(on_ready))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({keeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if keeping.done():
                keeping.result()
        finally:
            keeping.cancel()
            stopping.cancel()
            await asyncio.gather(keeping, stopping, return_exceptions=True)
            await asyncio.gather(*(worker.end() for worker in self._alive))

    async def _keep_all(self, on_ready: Callable[[], None]) -> None:
        self._workers = [self._start(index) for index in range(len(self._ports))]
        if not all(await asyncio.gather(*(worker.serves() for worker in self._workers))):
            raise StartError
        log.info("workers_ready", count=len(self._ports))
        on_ready()
        async with asyncio.TaskGroup() as tasks:
            for index in range(len(self._ports)):
                tasks.create_task(self._keep(index))
            tasks.create_task(self._replace_when_told())

    def _start(self, index: int) -> _Worker:
        worker = _Worker(self._run, index, self._ports[index])
        self._alive.add(worker)
        worker.ended.add_done_callback(lambda _: self._alive.discard(worker))
        log.info("worker_started", worker=index, pid=worker.pid)
        return worker

    async def _keep(self, index: int) -> None:
        """Restart the process with a number whenever it dies."""
        pause = 0.0
        while True:
            worker = self._workers[index]
            code = await asyncio.shield(worker.ended)
            if worker is not self._workers[index]:
                continue
            steady = time.monotonic() - worker.since > STEADY_AFTER
            pause = 0.0 if steady else min(LONGEST_PAUSE, pause * 2 or 1.0)
            log.error("worker_died", worker=index, pid=worker.pid, code=code, pause=pause)
            await asyncio.sleep(pause)
            # It may have been replaced meanwhile.
            if worker is self._workers[index]:
                self._workers[index] = self._start(index)

    async def _replace_when_told(self) -> None:
        while True:
            await self._replacing.wait()
            self._replacing.clear()
            for index in range(len(self._ports)):
                worker = self._start(index)
                if not await worker.serves():
                    log.error("replacement_failed", worker=index, pid=worker.pid)
                    await worker.end()
                    break
                replaced, self._workers[index] = self._workers[index], worker
                await replaced.end()
            else:
                log.info("workers_replaced", count=len(self._ports))


class _Worker:
    """A process.

    Attributes:
        since: when it was started, on the monotonic clock.
        ended: done when the process has ended, with its exit code.
    """

    def __init__(self, run: Run, index: int, ports: NodePorts) -> None:
        self.since = time.monotonic()
        self._ready, says = _SPAWN.Pipe(duplex=False)
        self._process = _SPAWN.Process(target=run, args=(index, ports, says), daemon=True)
        self._process.start()
        says.close()
        self.ended = asyncio.create_task(self._end())

    @property
    def pid(self) -> int | None:
        """The id of the process."""
        return self._process.pid

    async def serves(self) -> bool:
        """Wait until it serves, and return whether it does; it may have ended, or hang."""
        with self._ready as ready:
            try:
                async with asyncio.timeout(READY_WITHIN):
                    await _readable(ready.fileno())
                ready.recv()
            except (EOFError, TimeoutError):
                return False
        return True

    async def end(self) -> None:
        """End it, at first with SIGTERM."""
        self._process.terminate()
        ended, _ = await asyncio.wait({self.ended}, timeout=END_WITHIN)
        if not ended:
            log.error("worker_killed", pid=self.pid)
            self._process.kill()
            await asyncio.wait({self.ended})

    async def _end(self) -> int | None:
        await _readable(self._process.sentinel)
        self._process.join()
        return self._process.exitcode


async def _readable(descriptor: int) -> None:
    """Wait until there is something to read, be it the end."""
    readable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
