"""Servers found in a package and on the PATH."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.base.redis.embedded import embedded_redis
from server.base.redis.programs import (
    EmbeddedServerError,
    Program,
    at_hand,
    log_program,
    redis_server_path,
)
from tests.conftest import client_of


@pytest.fixture
def folder_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put_server(folder: Path, version_output: str, name: str = "redis-server") -> None:
    """Put a server into a folder that prints this as its version."""
    script = folder / name
    script.write_text(f"#!/bin/sh\necho '{version_output}'\n")
    script.chmod(0o755)


async def test_the_wheels_server_is_preferred_to_servers_on_the_path(
    folder_on_path: Path, data: Path
) -> None:
    put_server(folder_on_path, "Redis server v=99.0.0")
    first, *others = at_hand()
    assert (first.name, first.bundled) == ("valkey", True)
    assert [str(each) for each in others] == ["Redis 99.0.0"]
    assert redis_server_path() == first.path
    async with embedded_redis(data) as socket, client_of(socket) as redis:
        await redis.xadd("stream", {"e": "1"}, id="0-1")
        assert await redis.xadd("stream", {"e": "2"}, id="0-2", nomkstream=True) == "0-2"
        assert await redis.xadd("other", {"e": "2"}, id="0-2", nomkstream=True) is None


def test_the_running_server_is_logged() -> None:
    with capture_logs() as logs:
        log_program(Program("valkey", "/bin/valkey-server", (9, 1, 2), True))
    told = {"event": "embedded_redis", "log_level": "info", "server": "valkey"}
    assert logs == [{**told, "version": "9.1.2", "path": "/bin/valkey-server", "bundled": True}]


@pytest.mark.parametrize(
    ("version_output", "taken"),
    [
        ("Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", None),
        ("Redis server v=5.0.3", None),
        ("no version at all", None),
        ("Redis server v=7.0.0 sha=00000000:0", "Redis 7.0.0"),
        ("Redis server v=10.0.1 sha=00000000:0", "Redis 10.0.1"),
        ("Valkey server v=8.1.1 sha=00000000:0", "Valkey 8.1.1"),
    ],
)
def test_an_outdated_redis_server_is_not_used(
    folder_on_path: Path, version_output: str, taken: str | None
) -> None:
    put_server(folder_on_path, version_output)
    mine = [each for each in at_hand() if each.path == str(folder_on_path / "redis-server")]
    assert [str(each) for each in mine] == ([] if taken is None else [taken])


def test_all_servers_on_the_path_are_found_redis_first(
    folder_on_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (older := folder_on_path / "older").mkdir()
    monkeypatch.setenv("PATH", f"{older}{os.pathsep}{folder_on_path}")
    put_server(older, "Redis server v=7.0.0")
    put_server(folder_on_path, "Redis server v=8.2.0")
    put_server(folder_on_path, "Valkey server v=9.0.0", "valkey-server")
    found = [str(each) for each in at_hand() if not each.bundled]
    assert found == ["Redis 7.0.0", "Redis 8.2.0", "Valkey 9.0.0"]


@pytest.mark.parametrize(
    ("version_output", "missing"),
    [(None, r"redis-server\."), ("Redis server v=6.2.14", r"redis-server 7\.0 or newer\.")],
)
def test_without_a_redis_server_the_error_says_what_to_install(
    folder_on_path: Path, monkeypatch: pytest.MonkeyPatch, version_output: str | None, missing: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    if version_output is not None:
        put_server(folder_on_path, version_output)
    with pytest.raises(EmbeddedServerError, match=f"no valkey-server or {missing} Install "):
        redis_server_path()
