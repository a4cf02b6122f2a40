"""The commands of `samedeal admin` for keys, run alongside nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.catalog import daily_games
from server.base.core import days
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.base.seals import keyring
from server.base.seals.key_file import add_key, read_keys
from server.deals.core import keys
from server.deals.pool_store import PoolStore
from tests.base.redis.servers import until
from tests.clients.client import opened
from tests.clients.play import race_of
from tests.conftest import ALONE, node
from tests.deals.certified import pooled
from tests.test_admin import found, run

pytestmark = ALONE


async def test_a_rotated_key_signs_on_running_nodes_and_keeps_players_signed_in(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring, "READ_EVERY", 0.01)
    async with node(redis_url) as port:
        async with opened(port) as client:
            welcome = await client.hello(name="Ada")
        rotated = await found(redis_url, "rotate-key")

        async def renewed() -> bool:
            async with opened(port) as client:
                again = await client.hello(welcome["token"])
            assert again["player"] == welcome["player"]
            return rotated["signing"] in again["token"]

        await until(renewed)
        await found(redis_url, "rotate-key", "--retire-after", "0")

        async def ended() -> bool:
            async with opened(port) as client:
                return (await client.hello(welcome["token"])).get("code") == "bad_token"

        await until(ended)


async def test_a_race_continues_while_a_key_is_rotated(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring, "READ_EVERY", 0.01)
    async with node(redis_url) as port, opened(port) as ada, opened(port) as bob:
        runs = await race_of(ada, bob)
        code = runs[0]["room"]
        token = (await ada.ask("SignOutEverywhere"))["token"]
        watch_key = (await ada.ask("GetWatchKey", code=code))["key"]
        await found(redis_url, "rotate-key")

        async def is_used() -> bool:
            return bool((await ada.ask("GetWatchKey", code=code))["key"] != watch_key)

        await until(is_used)
        async with opened(port) as again, opened(port) as friend:
            await again.hello(token)
            for client, run in ((ada, runs[0]), (bob, runs[1])):
                answer = await client.ask("move", attempt=run["attempt"], seq=2, move="s>w")
                assert answer["type"] == "moved"
            await again.ask("attempt.open", attempt=runs[0]["attempt"])
            await again.ask("resign", attempt=runs[0]["attempt"], seq=3)
            # The address shared earlier still works.
            await friend.hello()
            watched = await friend.ask("WatchRound", code=code, key=watch_key)
            assert watched["type"] == "Watched"


async def test_seeds_are_sealed_by_a_new_secret_key(
    redis_url: str,
    redis: Client,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "keys"
    old = add_key(path)
    monkeypatch.setenv("SAMEDEAL_SECRET_KEY_FILE", str(path))
    pools, left = PoolStore(database, old), 3
    for _ in range(days.DRAWN_AHEAD + 1 + left):
        await pools.put(pooled())
    async with node(redis_url, secret_key_file=path):
        new = add_key(path)
    near = days.UNCERTIFIED_AHEAD + 1
    dealt = days.DRAWN_AHEAD + 1 + near * (len(daily_games()) - 1)
    count = dealt + left
    assert await found(redis_url, "seal") == {"deals": count, "sealed": 0}
    assert (await found(redis_url, "rotate-key"))["signing"].startswith(new.newest)
    assert await found(redis_url, "seal") == {"deals": count, "sealed": count}
    deals = [await redis.hgetall(str(key)) async for key in redis.scan_iter("deal:*")]
    sealed = [fields[name] for fields in deals for name in ("sealed", "line") if name in fields]
    assert len(sealed) == dealt + days.DRAWN_AHEAD + 1
    members: Any = await redis.zrange(keys.pool("robert"), 0, -1)
    sealed += [text.split(".", 3)[3] for text in members]
    assert {str(text).partition(".")[0] for text in sealed} == {new.newest}
    # No seed needs the old key once its line is removed.
    path.write_text(path.read_text(encoding="ascii").split()[0], encoding="ascii")
    assert old.newest not in read_keys(path)
    _, output = await run(redis_url, "verify-store")
    assert f'"deal":{dealt}' in output
    assert "cannot be opened" not in output
    assert "does not prove" not in output
    await pools.put(pooled("deuces"))
    await PoolStore(database, read_keys(path)).put(replace(pooled("deuces"), par=99))
    _, output = await run(redis_url, "verify-store")
    assert "Deals of pools that cannot be opened: 1" in output, "it is sealed by the old key"
    assert "Deals with a line that does not prove what is said of them: 1" in output
    certified = [key async for key in redis.scan_iter("deal:*") if await redis.hexists(key, "par")]
    await redis.hset(certified[0], "par", "99")
    await redis.hset(certified[1], "line", "00000000.broken")
    _, output = await run(redis_url, "verify-store")
    assert "Deals with a line that does not prove what is said of them: 2" in output
    assert "Certified deals without a line that can be opened: 1" in output
