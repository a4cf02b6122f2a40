"""Several nodes on one port: a supervisor starts, restarts, replaces and stops worker processes.

The supervisor keeps each worker's listening sockets open, so that connections made while a worker
is being replaced wait for the next one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

import structlog

from server.listening import NodePorts

READY_WITHIN = 60.0
"""Seconds within which a new worker must be ready to serve."""

END_WITHIN = 20.0
"""Seconds from SIGTERM until a worker that still runs is killed."""

STABLE_AFTER = 30.0
"""A worker that dies after running for this many seconds is restarted without a pause."""

MAX_PAUSE = 30.0
"""The most seconds before a worker is restarted: 1 s at first, doubled each time it dies again."""

# Not "fork", which would copy the running event loop and locks that threads hold.
_SPAWN = multiprocessing.get_context("spawn")

log = structlog.get_logger()

Run = Callable[[int, NodePorts, Connection], None]
"""The main function of a worker process: takes its number, its sockets, and a pipe.

It sends any object through the pipe once it serves, and returns on SIGTERM or when the supervisor
has ended. It must be picklable.
"""


class StartError(Exception):
    """A worker ended before it was ready, and printed why, or it took too long."""


class Supervisor:
    """Keeps a worker process running for each set of sockets.

    Args:
        run: the main function of a worker.
        ports: the sockets of each worker.
    """

    def __init__(self, run: Run, ports: Sequence[NodePorts]) -> None:
        self._run = run
        self._ports = ports
        self._workers: list[_Worker] = []
        self._alive: set[_Worker] = set()
        self._stopping = asyncio.Event()
        self._replacing = asyncio.Event()

    def stop(self) -> None:
        """Stop all workers, and make `run` return."""
        self._stopping.set()

    def replace(self) -> None:
        """Replace all workers, one after another; each new one serves before the old one stops."""
        self._replacing.set()

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Keep the workers running until `stop` is called.

        Args:
            on_ready: called once, when all workers serve.

        Raises:
            StartError: one of the first workers did not get ready.
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
        if not all(await asyncio.gather(*(worker.wait_until_ready() for worker in self._workers))):
            raise StartError
        log.info("workers_ready", count=len(self._ports))
        on_ready()
        async with asyncio.TaskGroup() as tasks:
            for index in range(len(self._ports)):
                tasks.create_task(self._keep(index))
            tasks.create_task(self._replace_on_request())

    def _start(self, index: int) -> _Worker:
        worker = _Worker(self._run, index, self._ports[index])
        self._alive.add(worker)
        worker.ended.add_done_callback(lambda _: self._alive.discard(worker))
        log.info("worker_started", worker=index, pid=worker.pid)
        return worker

    async def _keep(self, index: int) -> None:
        """Restart the worker with this number whenever it dies."""
        pause = 0.0
        while True:
            worker = self._workers[index]
            code = await asyncio.shield(worker.ended)
            if worker is not self._workers[index]:
                continue
            stable = time.monotonic() - worker.since > STABLE_AFTER
            pause = 0.0 if stable else min(MAX_PAUSE, pause * 2 or 1.0)
            log.error("worker_died", worker=index, pid=worker.pid, code=code, pause=pause)
            await asyncio.sleep(pause)
            # `replace` may have started another one during the pause.
            if worker is self._workers[index]:
                self._workers[index] = self._start(index)

    async def _replace_on_request(self) -> None:
        while True:
            await self._replacing.wait()
            self._replacing.clear()
            for index in range(len(self._ports)):
                worker = self._start(index)
                if not await worker.wait_until_ready():
                    log.error("replacement_failed", worker=index, pid=worker.pid)
                    await worker.end()
                    break
                replaced, self._workers[index] = self._workers[index], worker
                await replaced.end()
            else:
                log.info("workers_replaced", count=len(self._ports))


class _Worker:
    """A worker process.

    Attributes:
        since: when it was started, in seconds of the monotonic clock.
        ended: a task that is done when the process has ended; its result is the exit code.
    """

    def __init__(self, run: Run, index: int, ports: NodePorts) -> None:
        self.since = time.monotonic()
        self._ready, sender = _SPAWN.Pipe(duplex=False)
        self._process = _SPAWN.Process(target=run, args=(index, ports, sender), daemon=True)
        self._process.start()
        sender.close()
        self.ended = asyncio.create_task(self._join())

    @property
    def pid(self) -> int | None:
        """The process id."""
        return self._process.pid

    async def wait_until_ready(self) -> bool:
        """Wait until the worker is ready; return `False` if it ended or took too long."""
        with self._ready as ready:
            try:
                async with asyncio.timeout(READY_WITHIN):
                    await _readable(ready.fileno())
                ready.recv()
            except (EOFError, TimeoutError):
                return False
        return True

    async def end(self) -> None:
        """Stop the process with SIGTERM, or with SIGKILL after `END_WITHIN` seconds."""
        self._process.terminate()
        ended, _ = await asyncio.wait({self.ended}, timeout=END_WITHIN)
        if not ended:
            log.error("worker_killed", pid=self.pid)
            self._process.kill()
            await asyncio.wait({self.ended})

    async def _join(self) -> int | None:
        await _readable(self._process.sentinel)
        self._process.join()
        return self._process.exitcode


async def _readable(descriptor: int) -> None:
    """Wait until a file descriptor is readable, or at its end."""
    readable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
