"""The command `samedeal`, as an operator runs it."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from click.testing import CliRunner

from server.cli import main, serve
from tests.gateway.client import opened
from tests.processes import Running, running


@pytest.fixture
def data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="samedeal") as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def default_logging() -> Iterator[None]:
    """Undo what a command in this process has configured."""
    yield
    structlog.reset_defaults()


def command(data: Path) -> list[str]:
    fixed = ["--port", "0", "--log-format", "json", "--data", str(data)]
    return [sys.executable, "-m", "server", "serve", *fixed]


async def port_of(server: Running) -> int:
    line = await asyncio.to_thread(server.wait_for, "listening")
    return int(json.loads(line)["port"])


def test_help_explains_every_option_and_names_its_variable() -> None:
    told = " ".join(CliRunner().invoke(main, ["serve", "--help"]).output.split())
    for option in serve.params:
        assert option.name is not None
        assert f"--{option.name.replace('_', '-')}" in told
        assert f"SAMEDEAL_{option.name.upper()}" in told.replace(" ", "")


async def test_a_server_that_is_told_to_end_says_so_and_loses_nothing(data: Path) -> None:
    """Moves are still on their way when the signal comes."""
    with running(command(data)) as server:
        async with opened(await port_of(server)) as client:
            token = (await client.hello())["token"]
            attempt = await client.ask("daily.open", game="robert")
            sent = [
                client.send("move", attempt=attempt["attempt"], seq=seq, move="s>w")
                for seq in range(2, 42)
            ]
            await sent[0]
            server.process.terminate()
            assert (await client.next("bye"))["code"] == "going_away"
            assert await client.closed() == 1001
        assert await asyncio.to_thread(server.process.wait, 20) == 0
        acknowledged = [answer.result()["seq"] for answer in sent if answer.done()]
        assert acknowledged == list(range(2, len(acknowledged) + 2))
    with running(command(data)) as server:
        async with opened(await port_of(server)) as client:
            await client.hello(token)
            again = await client.ask("attempt.open", attempt=attempt["attempt"])
            assert again["seq"] >= acknowledged[-1]


async def test_a_server_that_is_killed_loses_nothing_that_was_acknowledged(data: Path) -> None:
    """Its Redis is left behind, and ended by the next server on the same data."""
    with running(command(data)) as server:
        async with opened(await port_of(server)) as client:
            token = (await client.hello())["token"]
            attempt = await client.ask("daily.open", game="robert")
            moved = await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
            server.kill()
    with running(command(data)) as server:
        async with opened(await port_of(server)) as client:
            await client.hello(token)
            again = await client.ask("attempt.open", attempt=attempt["attempt"])
            assert again["seq"] == moved["seq"] == 2


def test_a_redis_that_is_not_there_is_said_to_be_missing() -> None:
    result = CliRunner().invoke(main, ["serve", "--redis", "unix:///nowhere/redis.sock"])
    assert result.exit_code == 1
    assert "Redis does not answer." in result.output


def test_an_address_that_is_none_is_refused() -> None:
    result = CliRunner().invoke(main, ["serve", "--redis", "nonsense"])
    assert result.exit_code == 1
    assert "The server cannot start" in result.output


def test_a_port_in_use_is_said_to_be(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(
            main, ["serve", "--host", "127.0.0.1", "--port", port, "--data", str(data)]
        )
    assert result.exit_code == 1
    assert "The server cannot start" in result.output
    assert "address already in use" in result.output


def test_a_port_that_is_none_is_refused() -> None:
    result = CliRunner().invoke(main, ["serve"], env={"SAMEDEAL_PORT": "70000"})
    assert result.exit_code == 2
    assert "70000" in result.output
