"""The Redis of a stage: a single server, a cluster, or the node's private store."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.redis_servers import Cluster, Server, running_cluster, running_server, until

ANSWERS_WITHIN = 120.0
"""Seconds allowed for a private store to answer, whose node may have been killed meanwhile."""


class PrivateServer:
    """A node's private server, on the data in a directory."""

    def __init__(self, data: Path, workers: int) -> None:
        self.data = data
        self.workers = workers
        self._held: int | None = None

    def client(self) -> Redis:
        """Return a client of the server."""
        socket = str(self.data / "redis.sock")
        return Redis(unix_socket_path=socket, decode_responses=True, socket_timeout=2)

    def pid(self) -> int | None:
        """Return the server's process id, or `None` if it does not answer."""
        try:
            with self.client() as client:
                return int(dict(client.info("server"))["process_id"])
        except (RedisError, OSError):
            return None

    def until_answering(self) -> int:
        """Wait until the server answers, and return its process id. Its node restarts it."""
        found: list[int] = []

        def answers() -> bool:
            found.extend(pid for pid in [self.pid()] if pid is not None)
            return bool(found)

        until(answers, ANSWERS_WITHIN)
        return found[0]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; SIGCONT goes to the stopped process, if it still exists."""
        pid = self._held if number == signal.SIGCONT else self.until_answering()
        self._held = pid if number == signal.SIGSTOP else None
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """Kill the server with SIGKILL, as the system does when memory is short."""
        self.signal(signal.SIGKILL)


class Store:
    """The Redis of a stage; `lock` is held during a fault."""

    def __init__(self, servers: Server | Cluster | PrivateServer) -> None:
        self.servers = servers
        self.lock = asyncio.Lock()

    @property
    def cluster(self) -> Cluster | None:
        """The cluster, or `None`."""
        return self.servers if isinstance(self.servers, Cluster) else None

    def options(self) -> list[str]:
        """Return the options of `samedeal serve` for this store."""
        servers = self.servers
        if isinstance(servers, PrivateServer):
            return ["--data", str(servers.data), "--workers", str(servers.workers)]
        options = ["--redis", servers.url]
        return [*options, "--replica-acks", "1"] if self.cluster else options

    def masters(self) -> Sequence[Server | PrivateServer]:
        """Return the current masters (blocks)."""
        servers = self.servers
        return servers.masters() if isinstance(servers, Cluster) else [servers]

    def clients(self) -> list[Redis]:
        """Return a client for each master."""
        return [server.client() for server in self.masters()]

    def until_whole(self) -> None:
        """Wait until the whole store is available (blocks)."""
        if isinstance(self.servers, Cluster):
            self.servers.until_whole()
        elif isinstance(self.servers, PrivateServer):
            self.servers.until_answering()

    def refused(self) -> list[str]:
        """Return the commands that the servers have refused to nodes since their start (blocks)."""
        if isinstance(self.servers, PrivateServer):
            return []
        servers = self.servers.servers if isinstance(self.servers, Cluster) else [self.servers]
        return [str(each) for server in servers if server.runs for each in server.refused()]


@contextmanager
def running_store(kind: str, workers: int = 1) -> Iterator[Store]:
    """Run a Redis within the context: `alone`, `cluster`, or `private`.

    A private store is only a directory here: a node of `workers` processes runs its server.
    """
    if kind == "cluster":
        with running_cluster() as cluster:
            yield Store(cluster)
    elif kind == "private":
        # Not the run's folder, because the path of a Unix socket must be short.
        data = Path(tempfile.mkdtemp(prefix="samedeal"))
        server = PrivateServer(data, workers)
        yield Store(server)
        until(lambda: server.pid() is None)
        shutil.rmtree(data, ignore_errors=True)
    else:
        with running_server() as alone:
            yield Store(alone)
