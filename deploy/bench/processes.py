"""Processes of a measurement: the server on one core, the load generator and Redis on another."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from redis import Redis

from server.base.redis.programs import redis_server_path
from server.base.seals.key_file import own_keys

ROOT = Path(__file__).parents[2]
SERVER_CORE, LOAD_CORE = 0, 1
START_TIMEOUT = 30.0
LOAD_TIMEOUT = 240.0
TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class LoadError(Exception):
    """A load failed; the message says why."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that runs.

    Attributes:
        pid: the process id of the server.
        redis: the process id of its Redis, if it has one.
        socket: the path of that Redis's unix socket.
        load: the command of its load, if it speaks another protocol than ours.
    """

    port: int
    pid: int
    redis: int | None = None
    socket: str | None = None
    load: tuple[str, ...] = ()


def pin(core: int) -> None:
    """Pin this process and its children to a core, if there are several; raise its file limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {core})


def processor_time(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    return sum(_times(pid)[:2])


def helpers_time(pid: int) -> float:
    """Return the processor time of a process's children, in seconds, with those that have ended.

    A node's searcher is one. It is pinned to the node's core, which it takes time from.
    """
    time_ = sum(_times(pid)[2:])
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text(encoding="utf-8").split():
            with suppress(FileNotFoundError, ProcessLookupError):
                time_ += sum(_times(int(child)))
    return time_


def _times(pid: int) -> list[float]:
    """Return a process's time in user mode and in the kernel, and that of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return [int(ticks) / TICKS for ticks in fields[11:15]]


def memory(pid: int) -> int:
    """Return the resident memory of a process, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * _PAGE


def commands(path: str) -> dict[str, int]:
    """Return how many commands the Redis at a unix socket has executed, by name."""
    with Redis(unix_socket_path=path) as redis:
        found = redis.info("commandstats")
    assert isinstance(found, dict)
    return {name.removeprefix("cmdstat_"): each["calls"] for name, each in found.items()}


def free_port() -> int:
    """Return a free port of 127.0.0.1, such that the next one is free too."""
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
    """Run a program on a core until the context is left, and yield its process id."""
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
            process.terminate()
            try:
                process.wait(START_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def kept_awake() -> Iterator[None]:
    """Keep both cores from idling in the block; see `deploy.bench.awake`."""
    with ExitStack() as stack:
        for core in (SERVER_CORE, LOAD_CORE):
            spin = [sys.executable, "-m", "deploy.bench.awake"]
            stack.enter_context(running_program(spin, core=core))
        yield


@contextmanager
def floor(*options: str) -> Iterator[RunningServer]:
    """Run an echo server, warmed up; see `deploy.bench.floor`."""
    port = free_port()
    with running_program(
        [sys.executable, "-m", "deploy.bench.floor", str(port), *options], core=SERVER_CORE
    ) as pid:
        warm(port)
        yield RunningServer(port, pid)


@contextmanager
def node(*options: str) -> Iterator[RunningServer]:
    """Run a node, warmed up, with a Redis of its own, whose `everysec` keeps the disk out of it."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="samedeal-bench-")))
        path = home / "redis.sock"
        server = [redis_server_path(), "--port", "0", "--unixsocket", str(path)]
        server += ["--dir", str(home), "--appendonly", "yes", "--appendfsync", "everysec"]
        redis = stack.enter_context(running_program([*server, "--save", ""]))
        wait_until(path.exists)
        port = free_port()
        arguments = [sys.executable, "-m", "deploy.bench.node", *options, "--host", "127.0.0.1"]
        arguments += ["--port", str(port), "--redis", f"unix://{path}"]
        arguments += ["--secret-key-file", str(own_keys(home))]
        log = home / "node.log"
        pid = stack.enter_context(running_program(arguments, log, SERVER_CORE))
        try:
            warm(port)
        except TimeoutError:
            sys.stderr.write(log.read_text(encoding="utf-8"))
            raise
        yield RunningServer(port, pid, redis, str(path))


def warm(port: int) -> None:
    """Wait until the server listens, open one connection, and close it.

    Without this, connections that a new process accepts all at once stay slow for good.
    """
    wait_until(lambda: _listens(port))
    with socket.create_connection(("127.0.0.1", port), START_TIMEOUT) as one:
        one.sendall(upgrade(port))
        one.settimeout(START_TIMEOUT)
        one.recv(4096)
        one.sendall(b"\x88\x82\0\0\0\0\x03\xe8")
        with suppress(ConnectionResetError):
            while one.recv(4096):
                pass


def upgrade(port: int) -> bytes:
    """Return the WebSocket handshake request, with a constant key."""
    return (
        f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: c2FtZWRlYWwtYmVuY2gtMQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: it did not hold within `START_TIMEOUT`.
    """
    deadline = time.monotonic() + START_TIMEOUT
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"The server did not start within {START_TIMEOUT:.0f} s.")
        time.sleep(0.02)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def load(module: str, served: RunningServer, **task: Any) -> dict[str, Any]:
    """Run a load module on a server, in a process of its own, and return its figures.

    Raises:
        LoadError: it failed, or took too long.
    """
    given = json.dumps({**asdict(served), **task})
    program = served.load or (sys.executable, "-m", f"deploy.bench.{module}")
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [*program, given],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOAD_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LoadError(f"not finished within {LOAD_TIMEOUT:.0f} s") from error
    if done.returncode != 0:
        raise LoadError(done.stderr.decode().strip().rpartition("\n")[2])
    found: dict[str, Any] = json.loads(done.stdout)
    return found
