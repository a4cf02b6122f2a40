"""The processes of a measurement: servers on one core, the load and Redis on the other."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from redis import Redis

from server.store.embedded import redis_server_path

ROOT = Path(__file__).parents[2]
SERVER_CORE, LOAD_CORE = 0, 1
START_WITHIN = 30.0
LOAD_WITHIN = 240.0
TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class LoadError(Exception):
    """A load has found nothing; the message says why."""


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs.

    Attributes:
        pid: of the process that is measured.
        redis: the process id of its Redis, or `None` for one without.
        socket: the path at which that Redis listens.
        load: the program of its own load, if it speaks another protocol.
    """

    port: int
    pid: int
    redis: int | None = None
    socket: str | None = None
    load: tuple[str, ...] = ()


def pin(core: int) -> None:
    """Keep this process, and what it starts, to one core, where there are two; raise its files."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {core})


def processor_time(pid: int) -> float:
    """Return the seconds of a core that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> int:
    """Return the bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * _PAGE


def commands(path: str) -> dict[str, int]:
    """Return how many commands of each kind the Redis at a socket has carried out."""
    with Redis(unix_socket_path=path) as redis:
        found = redis.info("commandstats")
    assert isinstance(found, dict)
    return {name.removeprefix("cmdstat_"): each["calls"] for name, each in found.items()}


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def started(
    arguments: Sequence[str], log: Path | None = None, core: int = LOAD_CORE
) -> Iterator[int]:
    """Run a program on a core until the block is left, and yield its process id."""
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
                process.wait(START_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def floor() -> Iterator[Served]:
    """Run the echo server, warmed."""
    port = free_port()
    with started([sys.executable, "-m", "deploy.bench.floor", str(port)], core=SERVER_CORE) as pid:
        warm(port)
        yield Served(port, pid)


@contextmanager
def node(*options: str) -> Iterator[Served]:
    """Run a node, warmed, with a Redis of its own that is set up as the embedded one is."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="samedeal-bench-")))
        path = home / "redis.sock"
        server = [redis_server_path(), "--port", "0", "--unixsocket", str(path)]
        server += ["--dir", str(home), "--appendonly", "yes", "--appendfsync", "everysec"]
        redis = stack.enter_context(started([*server, "--save", ""]))
        wait_until(path.exists)
        port = free_port()
        arguments = [sys.executable, "-m", "deploy.bench.node", *options, "--host", "127.0.0.1"]
        arguments += ["--port", str(port), "--redis", f"unix://{path}"]
        log = home / "node.log"
        pid = stack.enter_context(started(arguments, log, SERVER_CORE))
        try:
            warm(port)
        except TimeoutError:
            sys.stderr.write(log.read_text(encoding="utf-8"))
            raise
        yield Served(port, pid, redis, str(path))


def warm(port: int) -> None:
    """Open one connection, once the server listens, and close it.

    Connections that a fresh process accepts all at once stay slow for their whole life.
    """
    wait_until(lambda: _listens(port))
    with socket.create_connection(("127.0.0.1", port), START_WITHIN) as one:
        one.sendall(upgrade(port))
        one.settimeout(START_WITHIN)
        one.recv(4096)
        one.sendall(b"\x88\x82\0\0\0\0\x03\xe8")
        with suppress(ConnectionResetError):
            while one.recv(4096):
                pass


def upgrade(port: int) -> bytes:
    """Return the request that opens a socket; its key need not be random here."""
    return (
        f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: c2FtZWRlYWwtYmVuY2gtMQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def wait_until(happened: Any) -> None:
    """Wait until something has happened.

    Raises:
        TimeoutError: it has not, for long.
    """
    deadline = time.monotonic() + START_WITHIN
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError("A server does not start.")
        time.sleep(0.02)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def load(module: str, served: Served, **task: Any) -> dict[str, Any]:
    """Run a load module on a server in a process of its own, and return what it found.

    Raises:
        LoadError: it found nothing, since the server did not carry the load.
    """
    given = json.dumps({**asdict(served), **task})
    program = served.load or (sys.executable, "-m", f"deploy.bench.{module}")
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [*program, given],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOAD_WITHIN,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LoadError(f"not done within {LOAD_WITHIN:.0f} s") from error
    if done.returncode != 0:
        raise LoadError(done.stderr.decode().strip().rpartition("\n")[2])
    found: dict[str, Any] = json.loads(done.stdout)
    return found
