"""Several nodes on one port: a supervisor starts, restarts, replaces and stops workers.

The supervisor keeps each worker's listening sockets open, so that connections made during a
replacement wait for the next worker. A running event loop sends a heartbeat every second, also
while it waits for Redis. A worker without heartbeats hangs, and is killed and replaced.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final

import structlog

from server.base.net.bound_sockets import NodePorts

READY_WITHIN = 60.0  # seconds before a new worker must be ready
END_WITHIN = 20.0  # seconds from SIGTERM to SIGKILL of a worker
STABLE_AFTER = 30.0  # uptime in seconds of a worker that is restarted without a pause when it dies

# Seconds before a restart, at most; the pause starts at 1 s and doubles with each death.
MAX_PAUSE = 30.0

HEARTBEAT_EVERY = 1.0  # seconds
MAX_MISSED = 30  # heartbeats before a worker is considered hung, far more than in any busy spell

READY: Final = "ready"
ALIVE: Final = "alive"  # Messages from a worker to the supervisor.

# Signals that a terminal sends to its whole process group; the supervisor handles them.
_FROM_TERMINAL: Final = {signal.SIGINT, signal.SIGHUP}

# Not "fork", which would copy the running event loop and locks held by threads.
_SPAWN = multiprocessing.get_context("spawn")

log = structlog.get_logger()

# The main function of a worker process: takes its number, its sockets, and a pipe. It sends `READY`
# through the pipe once it serves, runs in `heartbeats`, and returns on SIGTERM or when the
# supervisor has ended. It must be picklable.
Run = Callable[[int, NodePorts, Connection], None]


class StartError(Exception):
    """A worker exited before it was ready, having printed the reason, or took too long."""


@contextmanager
def heartbeats(supervisor: Connection) -> Iterator[None]:
    """Send heartbeats to the supervisor within the block."""
    beating = asyncio.create_task(_beat(supervisor))
    try:
        yield
    finally:
        beating.cancel()


async def _beat(supervisor: Connection) -> None:
    while True:
        try:
            supervisor.send(ALIVE)
        except BrokenPipeError:
            # The supervisor has ended; this process ends as well.
            return
        await asyncio.sleep(HEARTBEAT_EVERY)


class Supervisor:
    """Keeps a worker process running for each set of sockets, until `stopping` is set."""

    def __init__(self, run: Run, ports: Sequence[NodePorts], stopping: asyncio.Event) -> None:
        self._run = run
        self._ports = ports
        self._stopping = stopping
        self._workers: list[_Worker] = []
        self._alive: set[_Worker] = set()
        self._replacing = asyncio.Event()

    def replace(self) -> None:
        """Replace all workers one by one; each new one serves before the old one stops."""
        self._replacing.set()

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Keep the workers running until `stopping` is set; call `on_ready` once all serve.

        Raises:
            StartError: one of the first workers did not become ready.
        """
        if self._stopping.is_set():
            return
        supervision = asyncio.create_task(self._supervise(on_ready))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({supervision, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if supervision.done():
                supervision.result()
        finally:
            supervision.cancel()
            stopping.cancel()
            await asyncio.gather(supervision, stopping, return_exceptions=True)
            await asyncio.gather(*(worker.end() for worker in self._alive))

    async def _supervise(self, on_ready: Callable[[], None]) -> None:
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
            # Shielded, since cancelling the supervision must not cancel the join.
            code = await asyncio.shield(worker.ended)
            if worker is not self._workers[index]:
                # It was replaced, and ended on purpose.
                continue
            stable = time.monotonic() - worker.since > STABLE_AFTER
            pause = 0.0 if stable else min(MAX_PAUSE, pause * 2 or 1.0)
            log.error("worker_died", worker=index, pid=worker.pid, code=code, pause=pause)
            await asyncio.sleep(pause)
            # `replace` may have started another worker during the pause.
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
    """A worker process, killed if it hangs."""

    def __init__(self, run: Run, index: int, ports: NodePorts) -> None:
        self.since = time.monotonic()  # its start, in seconds of the monotonic clock
        self._index = index
        self._receiver, sender = _SPAWN.Pipe(duplex=False)
        self._process = _SPAWN.Process(target=run, args=(index, ports, sender), daemon=True)
        _start_with_signals_blocked(self._process)
        sender.close()
        self._ready = asyncio.Event()
        self._beats = 0
        asyncio.get_running_loop().add_reader(self._receiver.fileno(), self._receive)
        self._watching = asyncio.create_task(self._kill_if_hung())
        # A task that completes with the exit code when the process has ended.
        self.ended = asyncio.create_task(self._join())

    @property
    def pid(self) -> int | None:
        """The process id."""
        return self._process.pid

    async def wait_until_ready(self) -> bool:
        """Wait until the worker is ready; return `False` if it ended or took too long."""
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait(
            {ready, self.ended}, timeout=READY_WITHIN, return_when=asyncio.FIRST_COMPLETED
        )
        ready.cancel()
        return self._ready.is_set()

    async def end(self) -> None:
        """Stop the process with SIGTERM, or with SIGKILL after `END_WITHIN` seconds."""
        self._process.terminate()
        ended, _ = await asyncio.wait({self.ended}, timeout=END_WITHIN)
        if not ended:
            log.error("worker_killed", pid=self.pid)
            self._process.kill()
            await asyncio.wait({self.ended})

    def _receive(self) -> None:
        try:
            if self._receiver.recv() == READY:
                self._ready.set()
            self._beats += 1
        except EOFError:
            self._stop_receiving()

    def _stop_receiving(self) -> None:
        if not self._receiver.closed:
            asyncio.get_running_loop().remove_reader(self._receiver.fileno())
            self._receiver.close()

    async def _kill_if_hung(self) -> None:
        """Kill the process after too many intervals without a heartbeat."""
        missing, seen = 0, 0
        # Before its first heartbeat, a worker may still be importing modules.
        while missing < (MAX_MISSED if seen else READY_WITHIN / HEARTBEAT_EVERY):
            await asyncio.sleep(HEARTBEAT_EVERY)
            # Intervals are counted rather than timed: a supervisor that was suspended, as on a
            # sleeping machine, counts at most one.
            missing = missing + 1 if self._beats == seen else 0
            seen = self._beats
        log.error(
            "worker_hangs",
            worker=self._index,
            pid=self.pid,
            seconds=round(missing * HEARTBEAT_EVERY),
        )
        self._process.kill()

    async def _join(self) -> int | None:
        await _readable(self._process.sentinel)
        self._watching.cancel()
        self._stop_receiving()
        self._process.join()
        return self._process.exitcode


def _start_with_signals_blocked(process: SpawnProcess) -> None:
    """Start a process with the terminal's signals blocked from its first moment on."""
    # Otherwise it starts together with the first process, and unblocks SIGINT.
    resource_tracker.ensure_running()
    # The new process inherits the mask. Signals that arrive meanwhile reach the supervisor
    # afterwards. .
    signal.pthread_sigmask(signal.SIG_BLOCK, _FROM_TERMINAL)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FROM_TERMINAL)


async def _readable(descriptor: int) -> None:
    """Wait until a file descriptor is readable, or at its end."""
    readable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
