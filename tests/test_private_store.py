"""Nodes whose private store is killed, as by the system when memory is short."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.base.redis.servers import pid_of
from tests.base.redis.test_embedded import NOBODY, zombies_of
from tests.clients.client import Client, opened
from tests.conftest import client_of
from tests.processes import PATIENCE, ROOT, running
from tests.test_cli import port_of, serve_command


async def move(client: Client, attempt: str, seq: int) -> list[str]:
    """Send a move until it is acknowledged, and return the codes of its refusals."""
    refused: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await client.ask("move", attempt=attempt, seq=seq, move="s>w")
            if answer["type"] != "refused":
                assert answer["seq"] == seq
                return refused
            refused.append(answer["code"])
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("workers", [1, 2])
async def test_play_continues_without_losses_after_the_private_store_was_killed(
    data: Path, workers: int
) -> None:
    with running(serve_command(data, "--workers", str(workers))) as server:
        port = await port_of(server)
        if workers > 1:
            # All workers must have started: a site with a failed worker exits.
            await asyncio.to_thread(server.wait_for, "workers_ready")
        async with opened(port) as client, client_of(data / "redis.sock") as redis:
            await client.hello()
            attempt = (await client.ask("daily.open", game="robert"))["attempt"]
            assert await move(client, attempt, 2) == []
            killed = await pid_of(redis)
            os.kill(killed, signal.SIGKILL)
            refused = [code for seq in range(3, 12) for code in await move(client, attempt, seq)]
            assert set(refused) <= {"unavailable"}
            assert (await client.ask("attempt.open", attempt=attempt))["seq"] == 11
            assert await pid_of(redis) != killed
        died = json.loads(await asyncio.to_thread(server.wait_for, "embedded_redis_died"))
        assert died["signal"] == "SIGKILL"
        await asyncio.to_thread(server.wait_for, "embedded_redis_restarted")
        assert zombies_of(server.process.pid) == []
        assert server.end() == 0


def test_an_unreadable_directory_is_reported_with_a_remedy(data: Path) -> None:
    """As a container's volume may be. Root can read everything, so it runs as another user."""
    data.chmod(0)
    # That user cannot import anything more from root's installation.
    program = (
        "import encodings.idna, os; from server.cli.main import main\n"
        f"if os.getuid() == 0: os.setuid({NOBODY})\n"
        f"main(['serve', '--port', '0', '--data', {str(data)!r}])"
    )
    env = {name: text for name, text in os.environ.items() if not name.startswith("SAMEDEAL_")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)  # noqa: S603
    data.chmod(0o700)
    assert done.returncode == 1
    assert f"may not write to the data directory {data}" in done.stderr
