"""The embedded server: its data, its exclusive use, and the effects of deaths."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.base.redis import embedded, programs
from server.base.redis.embedded import embedded_redis, shared_redis
from server.base.redis.programs import EmbeddedServerError, redis_server_path
from tests.base.redis.servers import is_rewritten, pid_of, until
from tests.conftest import client_of
from tests.processes import PATIENCE, ROOT, is_alive
from tests.sizes import SAMPLED, cases

NOBODY = 65_534
"""A user who owns nothing."""

_SERVE = """
import asyncio, sys
from pathlib import Path
from server.cli.logs import configure
from server.base.redis.connection import connect
from server.base.redis.embedded import embedded_redis

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
    """Run a process with an embedded server, yield the server's id, and kill the process."""
    process = subprocess.Popen(  # noqa: S603 - our own arguments
        [sys.executable, "-c", _SERVE, str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def hanging_orphan(data: Path) -> int:
    """Leave a stopped server whose parent was killed, and return its process id."""
    with serving(data) as pid:
        os.kill(pid, signal.SIGSTOP)
    return pid


def was_logged(logs: Sequence[Mapping[str, object]], event: str, count: int) -> bool:
    return [line["event"] for line in logs].count(event) >= count


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def zombies_of(parent: int) -> list[int]:
    """Return a process's children that have ended and were not waited for."""
    children = Path(f"/proc/{parent}/task").glob("*/children")
    pids = [int(pid) for each in children for pid in each.read_text().split()]
    return [pid for pid in pids if not is_alive(pid)]


async def stored_value(socket: Path) -> object:
    """Return the value stored by the program."""
    async with client_of(socket) as redis:
        return await redis.get("kept")


async def adopt(data: Path, pid: int) -> None:
    """Run a server on the data of another one, which has the value and has ended."""
    async with embedded_redis(data) as socket:
        assert await stored_value(socket) == "yes"
        assert not is_alive(pid)


LOADED = 40
"""Number of keys that `fill` stores."""


async def fill(data: Path) -> None:
    """Store some keys, and have the server rewrite its file so that it loads key by key."""
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        await redis.mset({f"key {number}": os.urandom(2_000).hex() for number in range(LOADED)})
        await redis.bgrewriteaof()
        await until(lambda: is_rewritten(redis))
        assert (await redis.info("persistence"))["aof_last_bgrewrite_status"] == "ok"


def slow_to_load(seconds: float) -> str:
    """Return a shell command for a `redis-server` that takes `seconds` to load each key."""
    slow = f"--key-load-delay {seconds * 1e6:.0f} --loading-process-events-interval-bytes 1024"
    return f'exec {redis_server_path()} "$@" {slow}'


def on_path(monkeypatch: pytest.MonkeyPatch, data: Path, does: str) -> None:
    """Make a script the only available server, which reports a real server's version."""
    folder = data / "bin"
    folder.mkdir()
    program = folder / "redis-server"
    says = f'[ "$1" = --version ] && exec {redis_server_path()} --version'
    program.write_text(f"#!/bin/sh\n{says}\n{does}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(programs, "_bundled", lambda: iter(()))


async def start(data: Path) -> None:
    """Start a server and end it immediately."""
    async with embedded_redis(data):
        pass


async def test_the_server_listens_on_a_unix_socket_only_and_ends_with_its_context(
    data: Path,
) -> None:
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        assert socket == data.resolve() / "redis.sock"
        pid = await pid_of(redis)
        wanted = {"port": "0", "appendonly": "yes", "maxmemory-policy": "noeviction"}
        assert wanted.items() <= (await redis.config_get("*")).items()
    assert not is_alive(pid)
    assert (data.stat().st_mode & 0o077) == 0


async def test_files_in_a_shared_directory_are_private(data: Path) -> None:
    data.chmod(0o755)
    async with embedded_redis(data):
        own = [path for path in data.rglob("*") if path.name not in {"lock", "redis.lock"}]
        own.remove(data / "server.json")
        assert any(path.name.endswith(".aof") for path in own)
        for path in own:
            assert (path.stat().st_mode & 0o077) == 0, path


@pytest.mark.parametrize(
    "name",
    ["made/here", "a#b", "a?b", "a%25b", "a b", "tab\there", "line\nbreak", "ünï-♠", "'\"\\"][
        :: cases(4, 1)
    ],
)
@SAMPLED
async def test_the_data_outlive_the_server_in_a_directory_of_any_name(
    data: Path, name: str
) -> None:
    for before in (None, "1", "2"):
        async with embedded_redis(data / name) as socket, client_of(socket) as redis:
            assert await redis.get("count") == before
            await redis.incr("count")
    assert [path.name for path in data.iterdir()] == [Path(name).parts[0]]


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


async def test_a_slowly_loading_server_is_waited_for(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(data)
    on_path(monkeypatch, data, slow_to_load(0.05))
    # Loading takes 2 s. On a busy machine, even a start can take more than one.
    monkeypatch.setattr(embedded, "START_TIMEOUT", 1.5)
    monkeypatch.setattr(embedded, "TELL_LOADING_EVERY", 0.1)
    with capture_logs() as logs:
        async with embedded_redis(data) as socket, shared_redis(data) as shared:
            assert socket == shared
            async with client_of(socket) as redis:
                assert await redis.dbsize() == LOADED
    seen = [line["percent"] for line in logs if line["event"] == "embedded_redis_loading"]
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert 0 <= seen[0] < seen[-1] <= 100


async def test_a_silent_server_is_given_up(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(monkeypatch, data, "exec sleep 1000")
    monkeypatch.setattr(embedded, "START_TIMEOUT", 0.2)
    with pytest.raises(EmbeddedServerError, match="did not answer"):
        await start(data)


async def test_a_loading_server_ends_immediately(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(data)
    on_path(monkeypatch, data, slow_to_load(1.0))
    monkeypatch.setattr(embedded, "TELL_LOADING_EVERY", 0.0)
    with capture_logs() as logs:
        starting = asyncio.create_task(start(data))
        await until(lambda: was_logged(logs, "embedded_redis_loading", 1))
        starting.cancel()
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait({starting})
    assert starting.cancelled()
    monkeypatch.undo()
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        assert await redis.dbsize() == LOADED


async def test_another_process_on_the_same_data_is_refused(data: Path) -> None:
    with serving(data) as pid:
        with pytest.raises(EmbeddedServerError, match="Another server uses the data in"):
            await start(data)
        assert is_alive(pid)
        async with shared_redis(data) as socket:
            assert await stored_value(socket) == "yes"
    await start(data)
    assert not is_alive(pid), "the server outlives its process"


async def test_a_killed_server_is_restarted_and_loses_nothing(data: Path) -> None:
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        with capture_logs() as logs:
            for number in (1, 2, 3):
                await redis.set(f"key {number}", "kept")
                killed = await pid_of(redis)
                os.kill(killed, signal.SIGKILL)
                await until(partial(was_logged, logs, "embedded_redis_restarted", number))
                assert await pid_of(redis) != killed
                assert await redis.get(f"key {number}") == "kept"
        assert not zombies_of(os.getpid())
    died = [line for line in logs if line["event"] == "embedded_redis_died"]
    told = [(line["signal"], line["pause"]) for line in died]
    assert told == [("SIGKILL", 0.25), ("SIGKILL", 0.5), ("SIGKILL", 1.0)]
    assert [line["event"] for line in logs].count("embedded_redis_restarted") == 3


async def test_a_failed_restart_is_logged_and_retried(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        pid = await pid_of(redis)
        with capture_logs() as logs:
            with monkeypatch.context() as patch:
                patch.setattr(embedded, "at_hand", lambda: _raise(EmbeddedServerError("None.")))
                os.kill(pid, signal.SIGKILL)
                await until(lambda: was_logged(logs, "embedded_redis_not_started", 2))
            await until(lambda: was_logged(logs, "embedded_redis_restarted", 1))
        failed = [line for line in logs if line["event"] == "embedded_redis_not_started"]
        assert failed[0]["error"] == "None."
        assert failed[1]["pause"] == 2 * failed[0]["pause"]
        assert await pid_of(redis) != pid


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("guarded", [True, False])
async def test_a_server_dies_with_its_process_and_its_data_are_reused(
    data: Path, guarded: bool
) -> None:
    with serving(data) as pid:
        if not guarded:
            # The process is stopped, so that it does not restart the server.
            guard = parent_of(pid)
            os.kill(parent_of(guard), signal.SIGSTOP)
            os.kill(guard, signal.SIGKILL)
    if guarded:
        await until(lambda: not is_alive(pid))
    await adopt(data, pid)


async def test_no_server_is_started_next_to_a_hung_orphan(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = hanging_orphan(data)
    with monkeypatch.context() as patch:
        patch.setattr(embedded, "START_TIMEOUT", 0.1)
        with pytest.raises(EmbeddedServerError, match="does not stop"):
            await start(data)
    assert is_alive(pid)
    os.kill(pid, signal.SIGCONT)
    await adopt(data, pid)


async def test_a_socket_file_without_a_server_does_not_prevent_a_start(data: Path) -> None:
    pid = hanging_orphan(data)
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not is_alive(pid))
    assert (data / "redis.sock").exists()
    await adopt(data, pid)


async def test_a_path_too_long_for_a_socket_is_refused(data: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="too long"):
        await start(data / ("x" * 100))


@pytest.mark.parametrize(
    ("limits", "taken"),
    [
        ({}, None),
        ({"memory.max": "max\n"}, None),
        ({"limit_in_bytes": "9223372036854771712\n"}, None),
        ({"memory.max": "1000000\n"}, 500_000),
        ({"limit_in_bytes": "1000000\n"}, 500_000),
    ],
)
def test_the_server_may_use_half_of_a_containers_memory(
    tmp_path: Path, limits: Mapping[str, str], taken: int | None
) -> None:
    for name, text in limits.items():
        (tmp_path / name).write_text(text)
    files = [tmp_path / "memory.max", tmp_path / "limit_in_bytes"]
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert embedded.default_memory(files) == (machine // 2 if taken is None else taken)


async def test_another_users_directory_is_refused_with_a_remedy(data: Path) -> None:
    data.chmod(0o500)
    user = os.geteuid()
    if user == 0:  # root can write anywhere
        os.seteuid(NOBODY)
    try:
        said = rf"user {os.geteuid()} may not write to the data directory {data}.*chown"
        with pytest.raises(EmbeddedServerError, match=said):
            await start(data)
    finally:
        os.seteuid(user)
        data.chmod(0o700)


async def test_unreadable_data_is_reported_with_the_log_to_read(data: Path) -> None:
    folder = data / "appendonlydir"
    folder.mkdir()
    (folder / "appendonly.aof.manifest").write_text("this is no list")
    with pytest.raises(EmbeddedServerError, match=r"redis\.log says why"):
        await start(data)
