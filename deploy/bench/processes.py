"""Processes of a measurement: the server on one core, the load generator and Redis on another."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from redis import Redis

from server.base.redis.programs import redis_server_path
from server.base.seals.key_file import own_keys

ROOT = Path(__file__).parents[2]
SERVER_CORE, LOAD_CORE = 0, 1
START_TIMEOUT = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")


Figures = dict[str, float]  # measured values, by name


class LoadError(Exception):
    """A failed load, with the reason as message."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server under test."""

    port: int
    pid: int
    redis: int = 0  # the process id of its Redis, if any
    socket: str = ""  # the path of that Redis's unix socket
    arguments: tuple[str, ...] = ()  # the command of a node

    def spent(self) -> float:
        """Return its processor time in seconds."""
        return processor_time(self.pid)

    def searched(self) -> float:
        """Return the processor time of its children in seconds, such as a node's searcher."""
        time_ = 0.0
        for thread in Path(f"/proc/{self.pid}/task").iterdir():
            for child in (thread / "children").read_text(encoding="utf-8").split():
                # A child may exit meanwhile.
                with suppress(OSError):
                    time_ += processor_time(int(child))
        return time_

    def memory(self, what: str = "VmRSS") -> int:
        """Return its resident memory in bytes, or its maximum with `VmHWM`."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return 1_024 * int(status.partition(f"{what}:")[2].split()[0])

    def commands(self) -> int:
        """Return the number of commands executed by its Redis."""
        with Redis(unix_socket_path=self.socket) as redis:
            stats = redis.info("stats")
        assert isinstance(stats, dict)
        return int(stats["total_commands_processed"])

    def counted(self, name: str) -> int:
        """Return a counter of its metrics, summed over labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port + 1}/metrics") as response:
            text = response.read().decode()
        found = re.findall(rf"^samedeal_{name}_total(?:\{{.*\}})? (\S+)$", text, re.MULTILINE)
        return sum(int(float(count)) for count in found)


def pin(core: int) -> None:
    """Pin this process and its children to a core, if there are several; raise its file limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {core})


def processor_time(pid: int) -> float:
    """Return the processor time of a process in seconds, from its Linux CPU clock."""
    return time.clock_gettime((~pid << 3) | 2)


def _busy(core: int) -> float:
    _, _, ticks = Path("/proc/stat").read_text(encoding="utf-8").partition(f"\ncpu{core} ")
    user, nice, system, _, _, interrupts, soft = map(int, ticks.split()[:7])
    return (user + nice + system + interrupts + soft) / _TICKS


class Meter:
    """Measures the processor time of a server, its Redis and this process since creation."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._began = self._now()

    def shares(self) -> Figures:
        """Return the seconds since creation, and each process's share of a core.

        `server_share` includes `searcher_share`. `others_share` is other programs' share of the
        server's core.
        """
        spent = {name: now - self._began[name] for name, now in self._now().items()}
        seconds = spent.pop("seconds")
        return {"seconds": seconds, **{f"{name}_share": t / seconds for name, t in spent.items()}}

    def _now(self) -> Figures:
        searcher = self._server.searched()
        server = self._server.spent() + searcher
        return {
            "seconds": time.perf_counter(),
            "server": server,
            "searcher": searcher,
            "redis": processor_time(self._server.redis) if self._server.redis else 0.0,
            "load": time.process_time(),
            "others": _busy(SERVER_CORE) - server,
        }


def spread(times: Sequence[float]) -> dict[str, float]:
    """Return quantiles in milliseconds of times in seconds."""
    ordered = sorted(times) or [0.0]
    last = len(ordered) - 1
    shares = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "worst": 1.0}
    return {name: 1e3 * ordered[round(share * last)] for name, share in shares.items()}


def free_port() -> int:
    """Return a free port of 127.0.0.1 whose successor is also free."""
    while True:
        with socket.socket() as probe, socket.socket() as neighbour:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
            with suppress(OSError, OverflowError):
                neighbour.bind(("127.0.0.1", port + 1))
                return port


@contextmanager
def running_program(
    arguments: Sequence[str], log: Path | None = None, core: int = LOAD_CORE
) -> Iterator[int]:
    """Run a program on a core within the context, and yield its process id."""
    with ExitStack() as stack:
        output = stack.enter_context(log.open("wb")) if log else subprocess.DEVNULL
        pin(core)
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            arguments, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        pin(LOAD_CORE)
        try:
            yield process.pid
        finally:
            # Its data are discarded, and a node's searcher ends with its pipe.
            process.kill()
            process.wait()


@asynccontextmanager
async def beside(*arguments: str | int) -> AsyncIterator[None]:
    """Run `deploy.bench.attacks` within the context, from when it is ready.

    Raises:
        LoadError: it failed to start.
    """
    given = ["-m", "deploy.bench.attacks", *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(sys.executable, *given, stdout=PIPE, cwd=ROOT)
    assert process.stdout is not None
    try:
        if not await process.stdout.readline():
            raise LoadError(f"cannot run {arguments}")
        yield
    finally:
        process.kill()
        await process.wait()


@contextmanager
def running(kind: str, *options: str) -> Iterator[Server]:
    """Run a warm server: a node with options, a kind of floor, or this process itself."""
    if kind == "itself":
        yield Server(0, os.getpid())
    elif kind == "node":
        with _node(*options) as server:
            yield server
    else:
        port = free_port()
        arguments = [sys.executable, "-m", "deploy.bench.floor", kind, str(port)]
        with running_program(arguments, core=SERVER_CORE) as pid:
            warm(port)
            yield Server(port, pid)


@contextmanager
def _node(*options: str) -> Iterator[Server]:
    """Run a node with its own Redis."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="samedeal-bench-")))
        path = home / "redis.sock"
        server = [redis_server_path(), "--port", "0", "--unixsocket", str(path)]
        # `everysec` keeps the disk out of the measurement.
        server += ["--dir", str(home), "--appendonly", "yes", "--appendfsync", "everysec"]
        redis = stack.enter_context(running_program([*server, "--save", ""]))
        wait_until(path.exists)
        port = free_port()
        arguments = [sys.executable, "-m", "deploy.bench.node", *options, "--host", "127.0.0.1"]
        arguments += ["--port", str(port), "--metrics-port", str(port + 1)]
        arguments += ["--redis", f"unix://{path}", "--secret-key-file", str(own_keys(home))]
        log = home / "node.log"
        pid = stack.enter_context(running_program(arguments, log, SERVER_CORE))
        try:
            warm(port)
        except TimeoutError:
            sys.stderr.write(log.read_text(encoding="utf-8"))
            raise
        yield Server(port, pid, redis, str(path), tuple(arguments))


@contextmanager
def restarted(server: Server) -> Iterator[Server]:
    """Stop a node like an operator, and run a warm one with the same port and data."""
    os.kill(server.pid, signal.SIGTERM)
    # It stays a zombie until the end of its own context.
    stat = Path(f"/proc/{server.pid}/stat")
    wait_until(lambda: stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")
    with running_program(server.arguments, core=SERVER_CORE) as pid:
        warm(server.port)
        yield replace(server, pid=pid)


def warm(port: int) -> None:
    """Wait until the server listens, then open and close a connection."""

    def listens() -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens)
    # Otherwise, a burst of first connections to a new process stays slow permanently.
    with socket.create_connection(("127.0.0.1", port), START_TIMEOUT) as one:
        one.sendall(upgrade(port))
        one.settimeout(START_TIMEOUT)
        one.recv(4096)
        one.sendall(b"\x88\x82\0\0\0\0\x03\xe8")
        with suppress(ConnectionError):
            while one.recv(4096):
                pass


def upgrade(port: int, path: str = "/socket") -> bytes:
    """Return the WebSocket handshake request, with a constant key."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: c2FtZWRlYWwtYmVuY2gtMQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: it does not hold within `START_TIMEOUT`.
    """
    deadline = time.monotonic() + START_TIMEOUT
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"The server did not start within {START_TIMEOUT:.0f} s.")
        time.sleep(0.02)
