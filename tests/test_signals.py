"""The command's exit on Ctrl-C or on a closed terminal, at any time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from server.base.redis.embedded import embedded_redis
from tests.base.redis.servers import pid_of
from tests.clients.client import opened
from tests.conftest import client_of
from tests.processes import PATIENCE, ROOT, is_alive, running
from tests.test_cli import port_of, serve_command

_ON_TERMINAL = """
import os, pty, select, signal, sys

pid, terminal = pty.fork()
if pid == 0:
    # The tests themselves may run under nohup.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
while sys.stdin not in (ready := select.select([sys.stdin, terminal], [], [])[0]):
    os.write(1, os.read(terminal, 65536))
os.close(terminal)
_, status = os.waitpid(pid, 0)
print("ended with", status, flush=True)
"""
"""A program that runs Python on a new terminal, and closes the terminal on a line of input."""


def serve(data: Path, *options: str) -> list[str]:
    return serve_command(data, *options)[1:]


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_the_server_shuts_down_cleanly_when_its_terminal_is_closed(
    data: Path, workers: str
) -> None:
    command = ["-c", _ON_TERMINAL, *serve(data, "--workers", workers)]
    terminal = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdin=PIPE, stdout=PIPE, cwd=ROOT
    )
    assert terminal.stdin is not None
    assert terminal.stdout is not None
    lines = [b""]
    async with asyncio.timeout(PATIENCE):
        while (b'"workers_ready"' if workers == "2" else b'"listening"') not in lines[-1]:
            lines.append(await terminal.stdout.readline())
            assert lines[-1], lines
    port = next(json.loads(line)["port"] for line in lines if b'"listening"' in line)
    async with client_of(data / "redis.sock") as redis:
        store = await pid_of(redis)
    async with opened(port) as client:
        await client.hello()
        terminal.stdin.write(b"\n")
        assert (await client.next("bye"))["code"] == "going_away"
        assert await client.closed() == 1001
    async with asyncio.timeout(PATIENCE):
        rest, _ = await terminal.communicate()
    assert rest.splitlines()[-1] == b"ended with 0"
    assert b"Traceback" not in rest
    assert not is_alive(store)


IMPORTS = ["click", "engine.catalog", "redis", "server.app", "server.cli.main"]
"""Modules, in the command's order of import."""

STEPS = ["embedded_redis", "listening"]
"""Events logged afterwards."""


@pytest.mark.parametrize("point", IMPORTS + STEPS)
async def test_ctrl_c_during_the_start_shuts_the_server_down_cleanly(
    data: Path, point: str
) -> None:
    command = [sys.executable, "-X", "importtime", *serve(data)]
    with running(command) as server:
        await asyncio.to_thread(server.wait_for, f'"{point}"' if point in STEPS else f" {point}\n")
        server.process.send_signal(signal.SIGINT)
        code = await asyncio.to_thread(server.process.wait, PATIENCE)
    # Before it has started anything, it may exit like any program.
    assert code in ({-signal.SIGINT, 1, 0} if point in IMPORTS else {0})
    assert not [line for line in server.lines if "Traceback" in line or "KeyboardInterrupt" in line]
    async with embedded_redis(data):
        pass


@pytest.mark.parametrize("point", ["embedded_redis", "worker_started", "listening"])
async def test_ctrl_c_during_the_start_shuts_the_workers_down_cleanly(
    data: Path, point: str
) -> None:
    """A terminal signals all of them."""
    command = ["setsid", sys.executable, *serve(data, "--workers", "2")]
    with running(command) as server:
        await asyncio.to_thread(server.wait_for, f'"{point}"')
        os.killpg(server.process.pid, signal.SIGINT)
        code = await asyncio.to_thread(server.process.wait, PATIENCE)
    assert code == 0, server.lines
    assert not [line for line in server.lines if "Traceback" in line or "KeyboardInterrupt" in line]
    started = [json.loads(line) for line in server.lines if '"worker_started"' in line]
    assert not any(is_alive(line["pid"]) for line in started)
    async with embedded_redis(data):
        pass


async def test_the_server_continues_if_hangup_is_ignored(data: Path) -> None:
    """As under nohup."""
    with running(["nohup", sys.executable, *serve(data)]) as server:
        async with opened(await port_of(server)) as client:
            await client.hello()
            server.process.send_signal(signal.SIGHUP)
            assert (await client.ask("ping"))["type"] == "pong"
        assert server.end() == 0
