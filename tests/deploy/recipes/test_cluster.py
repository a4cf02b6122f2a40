"""Run the commands of `deploy/CLUSTER.md` to set up and repair servers.

Each server is a separate machine: the document's `10.0.0.N` is another address of this one.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from server.base.core.ids import AttemptId
from server.cli.main import main
from server.play.core import keys
from tests.clients.client import Client, Message, opened
from tests.clients.play import race_of
from tests.deploy.recipes.documents import blocks
from tests.deploy.recipes.machine import Machine
from tests.processes import Running, free_port, running
from tests.redis_servers import NODE_TIMEOUT, until
from tests.redis_users import Secrets, make_secrets

DOCUMENT = "deploy/CLUSTER.md"
STORE = "samedeal-store.service"


FAST = "repl-diskless-sync-delay 0\nrepl-ping-replica-period 1\n"
"""Settings that make replicas copy and announce themselves sooner than by default."""


class Site:
    """Machines for Redis, by the last number of their addresses, and machine 0 for nodes.

    Attributes:
        port: the port in place of 6379.
        secrets: the secrets made on the machine for nodes.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.port = free_port()
        self._folder = folder
        self._stack = stack
        self._machines: dict[int, Machine] = {}
        self.nodes = self.machine(0)
        self.secrets: Secrets = make_secrets(self.nodes.root / "etc/samedeal/secrets")
        self.nodes.run(blocks(DOCUMENT, "Set up a server")[0])
        (self.nodes.root / "etc/samedeal/node.env").touch()

    def machine(self, number: int) -> Machine:
        """Return a machine, creating it if necessary."""
        if number not in self._machines:
            addresses = {f"10.0.0.{each}:": f"127.0.1.{each}:" for each in range(10, 0, -1)}
            addresses |= {f"10.0.0.{each}": f"127.0.1.{each}" for each in range(10, 0, -1)}
            made = Machine(
                self._folder / str(number),
                {
                    "address=10.0.0.1 ": f"address=10.0.0.{number} ",
                    "address=10.0.0.1\n": f"address=10.0.0.{number}\n",
                    "address=10.0.0.2\n": f"address=10.0.0.{number}\n",
                    "10.0.0.0/24": "127.0.1.0/24",
                    **addresses,
                    "\nbind ": f"\nport {self.port}\n{FAST}bind ",
                    "cluster-node-timeout 5000": f"cluster-node-timeout {2 * NODE_TIMEOUT}",
                    "6379": str(self.port),
                    "redis-cli -h": f"redis-cli -p {self.port} -h",
                    "redis-cli -e": f"redis-cli -p {self.port} -e",
                },
                ["deploy"],
            )
            self._stack.callback(made.close)
            self._machines[number] = made
        return self._machines[number]

    def set_up(self, *numbers: int) -> None:
        """Set up new machines for Redis."""
        for number in numbers:
            machine = self.machine(number)
            # The archive contains paths of this machine.
            machine.run("tar -czf samedeal.tar.gz deploy")
            shutil.copy(self.nodes.checkout / "store-secrets.tar.gz", machine.checkout)
            machine.run(blocks(DOCUMENT, "Set up a server")[1])

    def lose(self, number: int) -> None:
        """Lose a machine with all its data."""
        self.kill(number)
        self._machines.pop(number)
        shutil.rmtree(self._folder / str(number))

    def kill(self, number: int) -> None:
        """Kill a Redis server; its data stay."""
        self.machine(number).services.pop(STORE).kill()

    def operate(self, block: str, **changed: str) -> str:
        """Run the operator's commands, with a shell for `redis-cli`; change these variables."""
        for name, value in changed.items():
            block = block.replace(f"{name}=", f"{name}={value}; : {name}=", 1)
        return self.nodes.run(blocks(DOCUMENT, "Set up a server")[2] + block)

    def client(self, number: int) -> Redis:
        """Return the operator's client of a server."""
        password = self.secrets.passwords["admin"]
        host = f"127.0.1.{number}"
        return Redis(host, self.port, username="admin", password=password, decode_responses=True)

    def ask(self, number: int, *command: str) -> object:
        """Run a command on a server."""
        with self.client(number) as client:
            return client.execute_command(*command)

    def role(self, number: int) -> str:
        """Return the role of a server, or "away"."""
        try:
            found = self.ask(number, "ROLE")
        except (RedisError, OSError):
            return "away"
        assert isinstance(found, list)
        return str(found[0])

    def has_replicas(self, number: int, count: int) -> bool:
        """Return whether a server is a master with `count` up-to-date replicas."""
        with self.client(number) as client:
            found = client.info("replication")
            acknowledged = client.wait(count, 100) if found["role"] == "master" else 0
        states = [found.get(f"slave{each}", {}).get("state") for each in range(count)]
        online = found["role"] == "master" and states == ["online"] * count
        return online and acknowledged >= count

    def configure_nodes(self, heading: str) -> dict[str, str]:
        """Write the nodes' settings as the document says, and return them."""
        block = next(each for each in blocks(DOCUMENT, heading) if "node.env" in each)
        self.nodes.run(block.partition("systemctl")[0])
        lines = (self.nodes.root / "etc/samedeal/node.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def secrets_of_nodes(self) -> dict[str, str]:
        """The variables with the paths of the nodes' secrets."""
        folder = self.secrets.folder
        return {
            "SAMEDEAL_REDIS_PASSWORD_FILE": str(folder / "redis-samedeal"),
            "SAMEDEAL_SECRET_KEY_FILE": str(folder / "secret-keys"),
        }

    def samedeal(self, settings: dict[str, str], *words: str) -> None:
        """Run the command `samedeal` with the nodes' settings; fail unless it succeeds."""
        done = CliRunner().invoke(main, words, env=settings | self.secrets_of_nodes)
        assert done.exit_code == 0, done.output

    @contextmanager
    def node(self, settings: dict[str, str]) -> Iterator[tuple[Running, int]]:
        """Run a node with these settings; yield its port."""
        own = self.secrets_of_nodes | {
            "SAMEDEAL_HOST": "127.0.0.1",
            "SAMEDEAL_PORT": "0",
            "SAMEDEAL_DATA": str(self._folder / "archive"),
            "SAMEDEAL_LOG_FORMAT": "json",
        }
        command = [sys.executable, "-m", "server", "serve"]
        with running(command, os.environ | own | settings, forked=True) as process:
            yield process, json.loads(process.wait_for('"listening"'))["port"]


@pytest.fixture
def site(data: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(data, stack)


async def move(client: Client, attempt: Message, seq: int) -> None:
    """Play a move, and resend it until it is acknowledged. It is played once."""
    while True:
        answer = await client.ask("move", attempt=attempt["attempt"], seq=seq, move="s>w")
        if answer.get("code") != "unavailable":
            break
        await asyncio.sleep(0.1)
    # An earlier append may have succeeded without an acknowledgement.
    assert answer["type"] in {"moved", "attempt"}, answer
    assert answer["seq"] == seq


async def run(function: object, *arguments: object) -> None:
    await asyncio.to_thread(function, *arguments)  # type: ignore[arg-type]


@pytest.fixture
def replicated(site: Site) -> Site:
    """Return a site with master 1 and its replicas 2 and 3."""
    master, replica, _ = blocks(DOCUMENT, "A master and replicas")[:3]
    site.set_up(1, 2, 3)
    site.machine(1).run(master)
    for number in (2, 3):
        site.machine(number).run(replica)
    until(lambda: site.has_replicas(1, 2))
    return site


def write_down(site: Site, master: int, *others: int) -> None:
    promoted, demoted = blocks(DOCUMENT, "Write it down")
    site.machine(master).run(promoted)
    for number in others:
        site.machine(number).run(demoted.replace("new=10.0.0.2", f"new=10.0.0.{master}"))


async def test_play_continues_when_the_master_is_swapped_lost_and_back(replicated: Site) -> None:
    site = replicated
    settings = site.configure_nodes("A master and replicas")
    with site.node(settings) as (process, port):
        async with opened(port) as client:
            (attempt,) = await race_of(client)
            await move(client, attempt, 2)

            (swap,) = blocks(DOCUMENT, "Swap the master")
            await run(site.operate, swap)
            await move(client, attempt, 3)
            await run(write_down, site, 2, 1, 3)
            assert [site.role(number) for number in (1, 2, 3)] == ["slave", "master", "slave"]

            # Restart all of them with the recorded roles.
            for number in (1, 2, 3):
                await run(site.machine(number).run, "systemctl restart samedeal-store")
            await run(until, lambda: site.has_replicas(2, 2))
            await move(client, attempt, 4)

            await run(site.kill, 2)
            choose, promote = blocks(DOCUMENT, "Promote a replica")
            asked = choose.replace("10.0.0.2 10.0.0.3", "10.0.0.1 10.0.0.3")
            told = await asyncio.to_thread(site.operate, asked)
            offsets = re.findall(r"^127\.0\.1\.(\d) slave_repl_offset:(\d+)", told, re.MULTILINE)
            assert len(offsets) == 2
            (_, other), (_, new) = sorted((int(offset), int(server)) for server, offset in offsets)
            chosen = f"new=10.0.0.{new} other=10.0.0.{other}\n"
            await run(site.operate, promote.replace("new=10.0.0.2 other=10.0.0.3\n", chosen))
            await move(client, attempt, 5)
            await run(write_down, site, new, other, 2)
            await run(until, lambda: site.has_replicas(new, 2))
            await move(client, attempt, 6)
            snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
            assert snapshot["seq"] == 6
        assert not [line for line in process.lines if '"data_lost"' in line]


SHARDS = 3
SERVERS = 9


@pytest.fixture
def cluster(site: Site) -> Site:
    """Return a site with a cluster of nine servers, 1 to 9."""
    start, create, _ = blocks(DOCUMENT, "A cluster")[:3]
    numbers = range(1, SERVERS + 1)
    site.set_up(*numbers)
    for number in numbers:
        site.machine(number).run(start)
    assert "[OK] All 16384 slots covered." in site.operate(create)
    until(lambda: sum(site.has_replicas(number, 2) for number in numbers) == SHARDS)
    return site


def nodes_of(site: Site, asked: int) -> dict[int, dict[str, Any]]:
    """Return a server's view of each cluster node, by the number of its address."""
    found = site.ask(asked, "CLUSTER NODES")
    assert isinstance(found, dict)
    return {int(at.partition(":")[0].rpartition(".")[2]): each for at, each in found.items()}


def replicas_of(site: Site, asked: int, master: int) -> list[int]:
    known = nodes_of(site, asked)
    return [each for each in known if known[each]["master_id"] == known[master]["node_id"]]


def masters_of(site: Site, asked: int) -> list[int]:
    flags = {number: each["flags"].split(",") for number, each in nodes_of(site, asked).items()}
    return [each for each in flags if "master" in flags[each] and "fail" not in flags[each]]


def is_whole(site: Site, asked: int) -> bool:
    masters = masters_of(site, asked)
    return len(masters) == SHARDS and all(site.has_replicas(each, 2) for each in masters)


async def replace(site: Site, asked: int, lost: int, new: int) -> None:
    start, *_ = blocks(DOCUMENT, "A cluster")
    forget, add = blocks(DOCUMENT, "Replace a server")
    assert "lost=10.0.0.1:6379 any=10.0.0.2\n" in forget
    assert "new=10.0.0.10:6379 any=10.0.0.2\n" in add
    forget = forget.replace("10.0.0.2\n", f"10.0.0.{asked}\n").replace(
        "10.0.0.1:", f"10.0.0.{lost}:"
    )
    add = add.replace("10.0.0.2\n", f"10.0.0.{asked}\n").replace("10.0.0.10:", f"10.0.0.{new}:")
    await run(site.operate, forget)
    await run(site.set_up, new)
    await run(site.machine(new).run, start)
    told = await asyncio.to_thread(site.operate, add)
    assert "[OK] All 16384 slots covered." in told


async def test_a_server_of_the_cluster_is_replaced_and_a_shard_restored(
    cluster: Site, tmp_path: Path
) -> None:
    site = cluster
    settings = site.configure_nodes("A cluster")
    async with AsyncExitStack() as stack:
        process, port = stack.enter_context(site.node(settings))
        playing = []
        for _ in range(4):
            client = await stack.enter_async_context(opened(port))
            playing.append((client, (await race_of(client))[0]))

        async def move_all(seq: int) -> None:
            await asyncio.gather(*(move(client, attempt, seq) for client, attempt in playing))

        await move_all(2)
        await run(site.lose, 1)
        await run(until, lambda: 1 not in (found := masters_of(site, 2)) and len(found) == SHARDS)
        await move_all(3)
        await replace(site, 2, 1, 10)
        await run(until, lambda: is_whole(site, 2))
        await move_all(4)

        backup = await asyncio.to_thread(back_up, site, settings, tmp_path)
        assert len(list(backup.glob("*.rdb"))) == SHARDS
        _, attempt = playing[0]
        master = master_of(site, 2, keys.attempt(AttemptId(attempt["attempt"])))
        replicas = replicas_of(site, 2, master)
        well = next(each for each in masters_of(site, 2) if each != master)
        for number in (master, *replicas):
            await run(site.lose, number)
        await run(until, lambda: len(masters_of(site, well)) == SHARDS - 1)
        await run(restore_shard, site, backup, master, well)
        for number in replicas:
            await replace(site, well, number, number)
        await run(until, lambda: is_whole(site, well))
        await move_all(5)
        verify = ["admin", "verify-store", "--expect", str(backup / "store.json")]
        await run(site.samedeal, settings, *verify)
        # No client has exceeded the rights of its user.
        assert [site.ask(number, "ACL LOG") for number in range(2, 11)] == [[]] * SERVERS
        assert process.process.poll() is None


def back_up(site: Site, settings: dict[str, str], folder: Path) -> Path:
    env = settings | site.secrets_of_nodes
    env["SAMEDEAL_REPLICA_PASSWORD_FILE"] = str(site.secrets.folder / "redis-replica")
    env["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    site.nodes.run(f"deploy/backup.sh {folder / 'backups'}", **env)
    (made,) = (folder / "backups").iterdir()
    return made


def restore_shard(site: Site, backup: Path, master: int, well: int) -> None:
    """Restore a shard as the document says, on a new machine at its master's address."""
    start, *_ = blocks(DOCUMENT, "A cluster")
    (block,) = blocks(DOCUMENT, "Restore one shard")
    assert "address=10.0.0.1 any=10.0.0.2\n" in block
    site.set_up(master)
    machine = site.machine(master)
    machine.run(start.partition("systemctl")[0])
    snapshot = f"127.0.1.{master}-{site.port}.rdb"
    shutil.copy(backup / snapshot, machine.checkout)
    names = f"address=10.0.0.{master} any=10.0.0.{well}\n"
    block = block.replace("address=10.0.0.1 any=10.0.0.2\n", names)
    password = site.secrets.passwords["admin"]
    machine.run(block.replace("10.0.0.1-6379.rdb", snapshot), REDISCLI_AUTH=password)


def master_of(site: Site, asked: int, key: str) -> int:
    slot = key_slot(key.encode())
    return next(
        number
        for number, each in nodes_of(site, asked).items()
        if any(int(first) <= slot <= int(last) for first, last in each["slots"])
    )
