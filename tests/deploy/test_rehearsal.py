"""Play in production with the compose file's commands, without containers.

Redis and nodes run with its commands and variables. Only addresses and directories are the test's.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis

from server.cli.main import main
from tests.clients.client import opened
from tests.clients.play import race_of, resign
from tests.conftest import CLUSTER
from tests.deploy.composed import POSTS, arguments, compose, environment
from tests.processes import ROOT, Running, free_port, program, running
from tests.redis_users import Secrets, make_secrets, refused

pytestmark = CLUSTER

SAMEDEAL = [sys.executable, "-m", "server"]


@pytest.fixture
def made(tmp_path: Path) -> Secrets:
    return make_secrets(tmp_path / "secrets")


def admin(made: Secrets, host: str, port: int) -> Redis:
    password = made.passwords["admin"]
    return Redis(host, port, username="admin", password=password, decode_responses=True)


@contextmanager
def node(
    made: Secrets, folder: Path, *added: Path, **changed: str
) -> Iterator[tuple[Running, int]]:
    """Run a node with the compose file's variables and these changes; yield its port."""
    variables = environment(compose(*added)["services"]["node-a"], made.folder)
    own = {"SAMEDEAL_HOST": "127.0.0.1", "SAMEDEAL_PORT": "0", "SAMEDEAL_DATA": str(folder)}
    env = os.environ | variables | own | changed
    with running([*SAMEDEAL, "serve"], env, forked=True) as process:
        port = json.loads(process.wait_for('"listening"'))["port"]
        yield process, port


@contextmanager
def redis_of(made: Secrets, folder: Path) -> Iterator[tuple[int, str]]:
    service, port = compose()["services"]["redis"], free_port()
    command = arguments(service["command"], service, made.folder)
    (folder / "redis").mkdir()
    options = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder / "redis")]
    with running([*command, *options]) as redis:
        redis.wait_for("eady to accept connections")
        yield port, f"redis://samedeal@127.0.0.1:{port}/0"


async def play(port: int) -> None:
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
    with redis_of(made, tmp_path) as (port, url):
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


async def test_a_node_can_post_with_the_additional_compose_file(
    made: Secrets, tmp_path: Path
) -> None:
    (made.folder / "push-key").write_bytes(made_as_documented(tmp_path))
    with redis_of(made, tmp_path) as (_, url):
        public = {"SAMEDEAL_PUBLIC_URL": "https://play.example.org", "SAMEDEAL_HOSTS": "localhost"}
        with node(made, tmp_path, POSTS, SAMEDEAL_REDIS=url, **public) as (_, port):
            async with opened(port) as client:
                await client.hello()
                assert (await client.ask("GetPush"))["key"]
                circle = (await client.ask("CreateCircle", name="Club", key="0" * 8))["circle"]
                webhook = {"url": "https://hooks.example.com/1", "form": "slack"}
                answer = await client.ask("SetCircleWebhook", circle=circle, **webhook)
                assert answer["webhook"] == "slack"


def made_as_documented(folder: Path) -> bytes:
    text = (ROOT / "deploy/README.md").read_text()
    (command,) = re.findall(r"sh -c '(samedeal push-keygen .+)' >deploy/secrets/push-key\n", text)
    script = command.replace("/tmp/", f"{folder}/").replace("samedeal", shlex.join(SAMEDEAL))  # noqa: S108
    run = subprocess.run([program("sh"), "-euc", script], check=True, capture_output=True)  # noqa: S603
    return run.stdout
