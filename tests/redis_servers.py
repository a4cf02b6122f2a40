"""Real Redis servers for tests: a single one, or a cluster of three masters with replicas.

They use the shipped configuration, and can be killed, suspended, and restarted.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.processes import PATIENCE, ROOT, free_port
from tests.redis_programs import default_program
from tests.redis_users import NODES, as_user, refused, secrets

SLOTS = 16_384
MASTERS = 3

NODE_TIMEOUT = 1_500
"""Milliseconds without an answer before a master is replaced, less than shipped."""


class Server:
    """A redis-server with the shipped configuration and users, in its own directory.

    Only its address, its data directory and the options of a test differ.
    """

    def __init__(
        self, data: Path, *, program: str | None = None, config: str = "redis.conf", **options: str
    ) -> None:
        self.port = free_port()
        self.data = data
        users = secrets().folder
        self._command = [program or default_program(), "deploy/redis.conf"]
        if config != "redis.conf":
            self._command += ["--include", f"deploy/{config}"]
        own = {
            "aclfile": str(users / "redis-users.acl"),
            "include": str(users / "redis-replica.conf"),
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(data),
            "logfile": str(data / "redis.log"),
            # A replica that requests a copy gets it immediately.
            "repl-diskless-sync-delay": "0",
            **options,
        }
        self._command += [text for name, value in own.items() for text in (f"--{name}", value)]
        self._process: subprocess.Popen[bytes] | None = None
        data.mkdir(parents=True, exist_ok=True)

    @property
    def url(self) -> str:
        """The address of this server for a node; in a cluster, of one member."""
        return as_user(NODES, f"redis://127.0.0.1:{self.port}/0")

    @property
    def admin_url(self) -> str:
        """The operator's address, with all rights."""
        return as_user("admin", self.url)

    def start(self) -> None:
        """Start it on its directory's data, and return once it answers."""
        self._process = subprocess.Popen(  # noqa: S603 - a test's own arguments
            self._command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until(self._has_started)

    def _has_started(self) -> bool:
        assert self._process is not None, "not started"
        assert self._process.poll() is None, "it has ended: another server may have its port"
        return self.answers()

    def client(self) -> Redis:
        """Return an operator's client of this server, without redirections."""
        return Redis.from_url(self.admin_url, decode_responses=True, socket_timeout=2, protocol=3)

    def ask(self, *command: str | int) -> Any:
        """Run one command on this server."""
        with self.client() as client:
            return client.execute_command(*command)

    def answers(self) -> bool:
        """Return whether it answers; not while it loads its file."""
        try:
            return bool(self.ask("PING"))
        except (RedisError, OSError):
            return False

    def refused(self) -> list[Any]:
        """Return its users' refused commands since the start."""
        with self.client() as client:
            return refused(client)

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        assert self._process is not None, "not started"
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it with SIGKILL; its files remain."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    def end(self) -> None:
        """Stop it with SIGTERM."""
        self.signal(signal.SIGTERM)
        assert self._process is not None
        assert self._process.wait(PATIENCE) == 0
        self._process = None

    @property
    def runs(self) -> bool:
        """Whether it has been started and not killed."""
        return self._process is not None


class Cluster:
    """A Redis Cluster; initially, master `i` owns the i-th third of the slots."""

    def __init__(
        self, data: Path, node_timeout: int = NODE_TIMEOUT, program: str | None = None
    ) -> None:
        self.servers = [
            Server(
                data / str(number),
                program=program,
                config="redis-cluster.conf",
                **{
                    "cluster-node-timeout": str(node_timeout),
                    "cluster-port": str(free_port()),
                    # A replica is listed only after the first message, so ping it soon.
                    "repl-ping-replica-period": "1",
                },
            )
            for number in range(2 * MASTERS)
        ]

    @property
    def url(self) -> str:
        """The address of the cluster for a node."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in self.servers)
        return as_user(NODES, f"redis+cluster://{hosts}")

    @property
    def admin_url(self) -> str:
        """The operator's address, with all rights."""
        return as_user("admin", self.url)

    def start(self) -> None:
        """Start all servers and join them; return once the cluster is complete."""
        for server in self.servers:
            server.start()
        bounds = [SLOTS * number // MASTERS for number in range(MASTERS + 1)]
        for number, master in enumerate(self.servers[:MASTERS]):
            # Masters with equal epochs would have to resolve the conflict first.
            master.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            master.ask("CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
        # Every pair is introduced, since gossip would take seconds.
        for server, other in combinations(self.servers, 2):
            bus = other.ask("CONFIG GET", "cluster-port")["cluster-port"]
            server.ask("CLUSTER", "MEET", "127.0.0.1", other.port, bus)
        until(lambda: all(self._knows_all(server) for server in self.servers))
        for number, replica in enumerate(self.servers[MASTERS:]):
            replica.ask("CLUSTER", "REPLICATE", self.servers[number].ask("CLUSTER", "MYID"))
        self.until_whole()

    def _knows_all(self, server: Server) -> bool:
        # A node is listed under a temporary id until its handshake is done.
        listed = server.ask("CLUSTER", "NODES")
        return all(str(other.ask("CLUSTER", "MYID")) in listed for other in self.servers)

    def until_whole(self) -> None:
        """Return once every slot has a master, and every master a connected replica."""
        until(self.whole)

    def whole(self) -> bool:
        """Return whether all servers see every slot served, and every master with its replica."""
        try:
            return all(self._sees_all(server) for server in self.servers)
        except (RedisError, OSError):
            return False

    def _sees_all(self, server: Server) -> bool:
        info = server.ask("CLUSTER INFO")
        if info["cluster_state"] != "ok" or int(info["cluster_slots_ok"]) != SLOTS:
            return False
        shards = server.ask("CLUSTER", "SLOTS")
        masters = {shard[2][1] for shard in shards}
        if any(len(shard) != 4 for shard in shards) or len(masters) != MASTERS:
            return False
        role = server.ask("ROLE")
        return bool(role[2]) if role[0] == "master" else role[3] == "connected"

    def masters(self) -> list[Server]:
        """Return the servers that answer and are currently masters."""
        return [server for server in self.servers if server.runs and _is_master(server)]

    def master_of(self, key: str) -> Server:
        """Return the current owner of a key."""
        slot = key_slot(key.encode())
        return next(server for server in self.masters() if _owns(server, slot))

    def move_slot(self, slot: int, source: Server, target: Server) -> None:
        """Move a slot and its keys to another master, like an operator's tool."""
        source_id, target_id = source.ask("CLUSTER", "MYID"), target.ask("CLUSTER", "MYID")
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
        while names := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 10):
            login = ("AUTH2", "admin", secrets().passwords["admin"])
            source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 2_000, *login, "KEYS", *names)
        for server in (target, source):
            server.ask("CLUSTER", "SETSLOT", slot, "NODE", target_id)

    def kill(self) -> None:
        """Kill all servers."""
        for server in self.servers:
            server.kill()


def _is_master(server: Server) -> bool:
    try:
        return bool(server.ask("ROLE")[0] == "master")
    except (RedisError, OSError):
        return False


def _owns(server: Server, slot: int) -> bool:
    mine = server.ask("CLUSTER", "MYID")
    shards = server.ask("CLUSTER", "SLOTS")
    return any(first <= slot <= last and shard[2] == mine for first, last, shard, *_ in shards)


def replicate(replica: Server, master: Server) -> None:
    """Make a server a replica of another, and return once it has a copy."""
    replica.ask("REPLICAOF", "127.0.0.1", master.port)
    until(lambda: replica.ask("ROLE")[3] == "connected")
    # The master does not count a replica before its first acknowledgement.
    until(lambda: _counts(master, replica))


def _counts(master: Server, replica: Server) -> bool:
    _, _, replicas = master.ask("ROLE")
    return any(int(port) == replica.port for _, port, _ in replicas)


def promote(replica: Server) -> None:
    """Make a replica a master."""
    assert replica.ask("REPLICAOF", "NO", "ONE") == "OK"


def until(condition: Callable[[], bool], within: float = PATIENCE) -> None:
    """Poll until a condition holds; fail after `within` seconds."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"the condition does not hold after {within} s"
        time.sleep(0.02)


@contextmanager
def running_server(*, program: str | None = None, **options: str) -> Iterator[Server]:
    """Run a redis-server within the block; `program` and options are as for `Server`."""
    data = Path(tempfile.mkdtemp(prefix="samedeal"))
    server = Server(data, program=program, **options)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(data)


@contextmanager
def running_cluster(
    node_timeout: int = NODE_TIMEOUT, program: str | None = None
) -> Iterator[Cluster]:
    """Run a cluster within the block; the arguments are those of `Cluster`."""
    data = Path(tempfile.mkdtemp(prefix="samedeal"))
    cluster = Cluster(data, node_timeout, program)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.kill()
        shutil.rmtree(data)
