"""Redis as it is shipped, killed and started again: nothing is lost.

Games were played on nodes before, so that the scripts of the store have written what there is.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from redis import Redis

from server.core import race_commands
from tests.conftest import CLUSTER
from tests.deploy.composed import arguments, compose
from tests.deploy.test_restore import play
from tests.processes import Running, free_port, running
from tests.redis_users import Secrets, make_secrets, refused, secrets

pytestmark = CLUSTER

LASTING = 60_000
"""Milliseconds that a key lives at least if it is compared: others may expire meanwhile."""

EARLIER = "user default reset"
"""The line of `redis.acl` with which a restart lost what scripts had written."""

TRANSACTION = "redis.call('SET', KEYS[1], '1') redis.call('SET', KEYS[2], '1')"
"""A script that writes two keys, which Redis keeps in its file as a transaction."""


class Site(NamedTuple):
    """A directory of Redis on which games were played, as its server left it.

    Attributes:
        data: the directory.
        contents: what was in it.
    """

    data: Path
    contents: dict[str, Any]


@contextmanager
def shipped_redis(data: Path, made: Secrets) -> Iterator[tuple[Running, Redis]]:
    """Run a Redis as the compose file does; yield its process, and the operator's client."""
    service, port = compose()["services"]["redis"], free_port()
    command = arguments(service["command"], service, made.folder)
    own = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(data)]
    with running([*command, *own]) as server:
        server.wait_for("eady to accept connections")
        password = made.passwords["admin"]
        with Redis(port=port, username="admin", password=password, decode_responses=True) as client:
            yield server, client


def contents(redis: Redis) -> dict[str, Any]:
    """Return what a Redis keeps: each key that does not expire soon, with its value."""
    return {
        str(key): _value(redis, str(key))
        for key in sorted(map(str, redis.scan_iter(count=1000)))
        if not 0 <= int(str(redis.pttl(key))) < LASTING
    }


def _value(redis: Any, key: str) -> Any:
    match redis.type(key):
        case "string":
            return redis.get(key)
        case "hash":
            return redis.hgetall(key)
        case "zset":
            return redis.zrange(key, 0, -1, withscores=True)
        case "set":
            return redis.smembers(key)
        case "stream":
            return redis.xrange(key)
        case kind:
            raise AssertionError(f"{key} is a {kind}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    """Return secrets of this module: some tests change the file of users."""
    folder = tmp_path_factory.mktemp("secrets") / "secrets"
    shutil.copytree(secrets().folder, folder)
    return make_secrets(folder)


def with_users(made: Secrets, default: str) -> None:
    """Write another line for `default` into the file of users."""
    file = made.folder / "redis-users.acl"
    lines = file.read_text().splitlines(keepends=True)
    changed = [f"{default}\n" if line.startswith("user default ") else line for line in lines]
    assert changed != lines
    file.write_text("".join(changed))


@pytest.fixture(scope="module")
def played(made: Secrets, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return the directory of a Redis that was killed after games."""
    data = tmp_path_factory.mktemp("redis")
    with shipped_redis(data, made) as (server, client):
        with pytest.MonkeyPatch.context() as shorter:
            shorter.setattr(race_commands, "COUNTDOWN", 50)
            asyncio.run(play(f"redis://127.0.0.1:{port_of(client)}/0"))
        found = contents(client)
        assert refused(client) == []
        server.kill()
    assert len(found) > 30
    return Site(data, found)


def port_of(client: Redis) -> int:
    """Return the port that a client connects to."""
    return int(client.connection_pool.connection_kwargs["port"])


@pytest.fixture
def site(played: Site, tmp_path: Path) -> Site:
    """Return a copy of the directory."""
    return Site(Path(shutil.copytree(played.data, tmp_path / "redis")), played.contents)


@pytest.fixture
def earlier_users(made: Secrets) -> Iterator[None]:
    """Let Redis be started with the users of an earlier `redis.acl`."""
    with_users(made, EARLIER)
    yield
    make_secrets(made.folder)


def test_a_redis_that_is_killed_or_stopped_has_everything_when_it_is_back(
    made: Secrets, site: Site
) -> None:
    with shipped_redis(site.data, made) as (server, client):
        assert contents(client) == site.contents
        assert server.end() == 0
    with shipped_redis(site.data, made) as (_, client):
        assert contents(client) == site.contents
        assert refused(client) == []


@pytest.mark.usefixtures("earlier_users")
def test_a_site_with_earlier_users_is_rescued_while_it_runs(made: Secrets, site: Site) -> None:
    """As in `deploy/README.md`: make the users again, load them, and only then restart."""
    make_secrets(made.folder)
    with shipped_redis(site.data, made) as (_, client):
        with_users(made, EARLIER)
        assert client.acl_load()
        assert "no permissions" in str(client.acl_dryrun("default", "PING"))
        client.eval(TRANSACTION, 2, "one", "two")
        make_secrets(made.folder)
        assert client.acl_load()
        before = contents(client)
    assert before == site.contents | {"one": "1", "two": "1"}
    with shipped_redis(site.data, made) as (_, client):
        assert contents(client) == before


@pytest.mark.usefixtures("earlier_users")
def test_what_a_restart_with_earlier_users_left_out_is_still_in_the_file(
    made: Secrets, site: Site
) -> None:
    """As in `deploy/README.md`: stop Redis before it rewrites its file, and start it anew."""
    with shipped_redis(site.data, made) as (server, client):
        assert len(contents(client)) < len(site.contents) / 2
        server.kill()
    make_secrets(made.folder)
    with shipped_redis(site.data, made) as (_, client):
        assert contents(client) == site.contents
