"""The stage: node processes and a Redis, subject to faults."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.faults.stores import PrivateServer, Store
from tests.forked import Forked
from tests.processes import free_port

NODES = 3
"""Number of nodes that share a Redis. A private store has a single node."""

COUNTDOWNS = (300, 3_000, 300)
"""By node, milliseconds from the host's start to the first card."""

ABSENCE = 2_000
"""Milliseconds before an absent host is replaced.

Absent members lose their seats after three times as many.
"""

CHECKPOINT_EVERY = 6
"""Entries of a room's journal per checkpoint; few, because rooms are short-lived here."""

WATCH_DELAY_MS = 4_000
"""Milliseconds of delay for spectators; few, because rounds are short here."""

START_WITHIN = 30.0
"""Seconds allowed for a node to start, or to end after SIGTERM."""

READY_WITHIN = 90.0
"""Seconds allowed for a node with a private store to become ready, under other faults."""

T = TypeVar("T")


class Node:
    """A node process on its own port, running `module`."""

    def __init__(
        self,
        number: int,
        options: Sequence[str],
        folder: Path,
        *,
        module: str = "tests.faults.node",
    ) -> None:
        self.number = number
        self.port = free_port()
        self.log = folder / f"node{number}.log"
        self.lock = asyncio.Lock()
        self.crashes = 0
        self._jumps = folder / f"jumps{number}"
        self._jumps.write_text("0")
        self._options = options
        self._module = module
        self._process: Forked | None = None
        self._wanted = False

    def start(self) -> None:
        """Start the process without waiting until it listens."""
        command = [sys.executable, "-m", self._module, "--jumps", str(self._jumps)]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--log-format", "json"]
        with self.log.open("ab") as log:
            self._process = Forked([*command, *self._options], output=log)
        self._wanted = True

    async def until_listening(self) -> None:
        """Wait until the node accepts connections."""
        deadline = time.monotonic() + START_WITHIN
        while not await self.listens():
            assert time.monotonic() < deadline, f"a node does not start: see {self.log}"
            await asyncio.sleep(0.05)

    async def listens(self) -> bool:
        """Return whether the node accepts connections."""
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True

    async def until_ready(self) -> None:
        """Wait until the node is ready; restart it if it ends, as without its private store."""
        deadline = time.monotonic() + READY_WITHIN
        while not await self.is_ready():
            self.revive()
            assert time.monotonic() < deadline, f"a node is not ready: see {self.log}"
            await asyncio.sleep(0.1)

    async def is_ready(self) -> bool:
        """Return the node's own report of its readiness."""
        try:
            async with asyncio.timeout(2.0):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    writer.write(b"GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return b" 200 " in await reader.readline()
                finally:
                    writer.close()
        except (OSError, TimeoutError):
            return False

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        if self._process is not None:
            self._process.send_signal(number)

    def jump(self, seconds: float) -> None:
        """Make the node's clock jump by some seconds."""
        self._jumps.write_text(str(seconds))
        self.signal(signal.SIGUSR1)

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self._wanted = False
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    async def end(self) -> bool:
        """End the node with SIGTERM; kill it if it does not end in time. Return whether it did."""
        self._wanted = False
        if self._process is None:
            return True
        self._process.terminate()
        deadline = time.monotonic() + START_WITHIN
        while self._process.poll() is None and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        ended = self._process.poll() is not None
        self.kill()
        return ended

    def memory(self) -> int:
        """Return the process's resident memory in bytes; 0 where the system does not report it."""
        status = Path(f"/proc/{self._process.pid}/status") if self._process else None
        if status is None or not status.exists():
            return 0
        found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
        return int(found[1]) * 1024 if found else 0

    def revive(self) -> None:
        """Restart the node if it has crashed."""
        if self._wanted and self._process is not None and self._process.poll() is not None:
            self.crashes += 1
            self.start()


class Stage:
    """Nodes and their Redis."""

    def __init__(self, store: Store, nodes: Sequence[Node]) -> None:
        self.store = store
        self.nodes = nodes

    @property
    def is_one_node(self) -> bool:
        """Whether the stage has a single node."""
        return len(self.nodes) == 1

    async def watch(self) -> None:
        """Restart crashed nodes, as a service manager does."""
        while True:
            for node in self.nodes:
                if not node.lock.locked():
                    node.revive()
            await asyncio.sleep(0.2)

    async def in_thread(self, work: Callable[..., T], *given: Any) -> T:
        """Run a blocking function in a thread, and return its result."""
        return await asyncio.to_thread(work, *given)


@asynccontextmanager
async def running_stage(
    store: Store, folder: Path, share: int, *, broken: bool
) -> AsyncIterator[Stage]:
    options = [*store.options(), "--page", str(folder), "--share", str(share)]
    options += ["--absence", str(ABSENCE), "--watch-delay", str(WATCH_DELAY_MS)]
    if broken:
        options.append("--broken")
    options += ["--checkpoint-every", str(CHECKPOINT_EVERY)]
    count = 1 if isinstance(store.servers, PrivateServer) else NODES
    nodes = [
        Node(number, [*options, "--countdown", str(countdown)], folder)
        for number, countdown in enumerate(COUNTDOWNS[:count])
    ]
    stage = Stage(store, nodes)
    watch: asyncio.Task[None] | None = None
    try:
        for node in nodes:
            node.start()
        for node in nodes:
            await (node.until_ready() if stage.is_one_node else node.until_listening())
        watch = asyncio.create_task(stage.watch())
        yield stage
    finally:
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        for node in nodes:
            node.kill()
