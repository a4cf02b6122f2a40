"""The steps of deploy/README.md, carried out without containers: the game is played in production.

Redis and nodes are run with the commands and variables of the compose file, and a cluster with the
documented ones; only addresses and directories are those of the test.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis

from server.cli.main import main
from tests.clients.client import opened
from tests.clients.play import race_of, resign
from tests.conftest import CLUSTER
from tests.deploy.composed import arguments, compose, environment
from tests.processes import PATIENCE, Running, free_port, program, running
from tests.redis_programs import default_program
from tests.redis_servers import until
from tests.redis_users import Secrets, make_secrets, refused

pytestmark = CLUSTER

SAMEDEAL = [sys.executable, "-m", "server"]
MASTERS = 3


def own_address() -> str:
    """Return an address of this machine that is not a loopback one, if it has any.

    Without passwords, Redis's protected mode answers nobody there.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


@pytest.fixture
def made(tmp_path: Path) -> Secrets:
    return make_secrets(tmp_path / "secrets")


def admin(made: Secrets, host: str, port: int) -> Redis:
    """Return a client of the operator's."""
    password = made.passwords["admin"]
    return Redis(host, port, username="admin", password=password, decode_responses=True)


@contextmanager
def node(made: Secrets, folder: Path, **changed: str) -> Iterator[tuple[Running, int]]:
    """Run a node with the variables of the compose file, but for those changed; yield its port."""
    variables = environment(compose()["services"]["node-a"], made.folder)
    own = {"SAMEDEAL_HOST": "127.0.0.1", "SAMEDEAL_PORT": "0", "SAMEDEAL_DATA": str(folder)}
    with running([*SAMEDEAL, "serve"], os.environ | variables | own | changed) as process:
        port = json.loads(process.wait_for('"listening"'))["port"]
        yield process, port


async def play(port: int) -> None:
    """Play a daily and a race to their ends."""
    async with opened(port) as one, opened(port) as other:
        for client, attempt in zip((one, other), await race_of(one, other), strict=True):
            assert (await resign(client, attempt))["type"] == "ended"
        daily = await one.ask("daily.open", game="robert")
        moved = await one.ask("move", attempt=daily["attempt"], seq=2, move="s>w")
        assert moved["seq"] == 2
        watched = await one.ask("leaderboard.watch", game="robert")
        assert watched["type"] == "leaderboard"


async def test_a_node_plays_with_the_settings_of_the_compose_file(
    made: Secrets, tmp_path: Path
) -> None:
    service, port = compose()["services"]["redis"], free_port()
    command = arguments(service["command"], service, made.folder)
    (tmp_path / "redis").mkdir()
    options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(tmp_path / "redis")]
    with running([*command, *options]) as redis:
        redis.wait_for("eady to accept connections")
        url = f"redis://samedeal@127.0.0.1:{port}/0"
        with node(made, tmp_path, SAMEDEAL_REDIS=url) as (process, players_port):
            await play(players_port)
            proc = Path("/proc") / str(process.process.pid)
            for file in ("environ", "cmdline"):
                assert made.passwords["samedeal"] not in (proc / file).read_text()
            env = environment(compose()["services"]["node-a"], made.folder)
            env["SAMEDEAL_REDIS"] = url
            for words in (["nodes"], ["admin", "rooms", "--running"]):
                done = await asyncio.to_thread(CliRunner().invoke, main, words, env=env)
                assert done.exit_code == 0, done.output
        with admin(made, "127.0.0.1", port) as operator:
            assert refused(operator) == []
            assert operator.dbsize() > 0


@pytest.fixture
def cluster(made: Secrets, tmp_path: Path) -> Iterator[list[str]]:
    """Run the servers of a cluster as documented, and yield their addresses."""
    host = own_address()
    with ExitStack() as stack:
        servers = []
        for _ in range(2 * MASTERS):
            port = free_port()
            (data := tmp_path / str(port)).mkdir()
            users = ["--aclfile", str(made.folder / "redis-users.acl")]
            users += ["--include", str(made.folder / "redis-replica.conf")]
            options = ["--dir", str(data), "--port", str(port), "--cluster-port", str(free_port())]
            command = [default_program(), "deploy/redis-cluster.conf", *users, *options]
            server = stack.enter_context(running(command))
            server.wait_for("eady to accept connections")
            servers.append(f"{host}:{port}")
        yield servers


def redis_cli(made: Secrets, *words: str) -> str:
    """Run redis-cli as the operator, and return what it prints."""
    env = os.environ | {"REDISCLI_AUTH": made.passwords["admin"]}
    command = [program("redis-cli"), "--user", "admin", *words]
    done = subprocess.run(  # noqa: S603 - a test's own arguments
        command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def test_a_node_plays_on_the_cluster_as_documented(
    made: Secrets, cluster: list[str], tmp_path: Path
) -> None:
    def client(server: str) -> Redis:
        host, _, port = server.partition(":")
        return admin(made, host, int(port))

    redis_cli(made, "--cluster", "create", *cluster, "--cluster-replicas", "1", "--cluster-yes")
    for server in cluster[:MASTERS]:
        with client(server) as operator:
            until(lambda: operator.execute_command("ROLE")[2])
    url = f"redis+cluster://samedeal@{cluster[0]},{cluster[1]}"
    acks = {"SAMEDEAL_REPLICA_ACKS": "1"}
    with node(made, tmp_path, SAMEDEAL_REDIS=url, **acks) as (_, players_port):
        await play(players_port)
    for server in cluster:
        with client(server) as operator:
            assert refused(operator) == []
