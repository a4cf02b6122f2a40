"""`deploy/PRIVACY.md` states each key's contents and lifetime as in the code."""

from __future__ import annotations

import asyncio
import re
from importlib import import_module

import pytest
from redis import Redis

from server.base.core.keys import kind_of
from tests.base.redis.key_modules import KEY_MODULES, all_of
from tests.clients.client import opened
from tests.clients.play import give_up_daily, race_of, resign
from tests.conftest import node
from tests.processes import ROOT
from tests.redis_servers import running_server, until

PAGE = (ROOT / "deploy/PRIVACY.md").read_text(encoding="utf-8")

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("## Stored data")[2].partition("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]

UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


def seconds(text: str) -> int:
    found = re.search(r"\b(\d+|a|an) (day|hour|minute|second)s?\b", text)
    assert found is not None, text
    number, unit = found.groups()
    return (1 if number in {"a", "an"} else int(number)) * UNITS[unit]


def value_of(constant: str) -> tuple[str, int]:
    """Return the constant's name in the code, and its value in seconds if it is a duration."""
    module, _, name = constant.rpartition(".")
    value: int = getattr(import_module(module), name)
    if name.endswith("_MS"):
        return name, value // 1000
    return name, value * 86_400 if name.endswith("_DAYS") else value


def kinds() -> set[str]:
    """Return the first words of all Redis keys, without partitions and braces."""
    names = [name for module in KEY_MODULES for name in all_of(module).values()]
    bare = [re.sub(r"^\{p\d+\}:", "", name).translate({123: None, 125: None}) for name in names]
    return {name.partition(":")[0] for name in bare if re.fullmatch(r"[a-z-]+(:.*)?", name)}


def test_each_duration_equals_the_constant_that_it_names() -> None:
    compared = 0
    for *_, life, constant in ROWS:
        if constant:
            name, value = value_of(constant.strip("`"))
            if name.startswith("MAX_"):
                assert f"{value:,}" in PAGE
            else:
                # The first of several durations in a cell is the constant's.
                assert seconds(life) == value, (life, constant)
            compared += 1
    assert compared > 15


def test_each_kind_of_key_is_listed_as_personal_or_not() -> None:
    told = {kind for row in ROWS for kind in re.findall(r"`([a-z-]+)`", row[1])}
    nobody = re.search(r"These keys contain no personal data: (.+?)\.\n", PAGE, re.DOTALL)
    assert nobody is not None
    about_nobody = set(re.findall(r"`([a-z-]+)`", nobody[1]))
    assert told.isdisjoint(about_nobody)
    assert told | about_nobody == kinds()


def test_the_pages_browser_storage_is_listed() -> None:
    sources = [*(ROOT / "client_js/web/src").rglob("*"), *(ROOT / "client_js/src").rglob("*.ts")]
    texts = [path.read_text("utf-8") for path in sources if path.suffix in {".ts", ".svelte"}]
    keys = {key for text in texts for key in re.findall(r"[\"`](samedeal\.[a-z]+)", text)}
    assert len(keys) > 10
    assert set(re.findall(r"`(samedeal\.[a-z]+)`", PAGE)) == keys


def contents(client: Redis, key: str) -> str:
    match client.type(key):
        case "string":
            return str(client.get(key))
        case "hash":
            return str(client.hgetall(key))
        case "set":
            return str(client.smembers(key))
        case "zset":
            return str(client.zrange(key, 0, -1))
        case _:
            return str(client.xrange(key))


def kinds_with(client: Redis, text: str) -> set[str]:
    return {
        kind_of(key)[0]
        for key in client.scan_iter(count=1_000)
        if text in key or text in contents(client, key)
    }


@pytest.mark.usefixtures("short_countdown")
async def test_a_deletion_leaves_only_the_documented_data() -> None:
    paragraph = PAGE.partition("**What a deletion leaves**")[2].partition("\n\n")[0]
    left = set(re.findall(r"`([a-z-]+)`", paragraph))
    with running_server() as server, server.client() as redis:
        async with node(server.url) as port, opened(port) as one, opened(port) as other:
            run, others = await race_of(one, other)
            player = run["attempt"].partition(".")[2]
            await one.keep()
            await one.ask("rename", name="Ada Lovelace")
            await give_up_daily(one)
            for client, begun in ((one, run), (other, others)):
                moved = await client.ask("move", attempt=begun["attempt"], seq=2, move="s>w")
                await resign(client, begun | {"seq": moved["seq"]})
            await asyncio.to_thread(until, lambda: bool(redis.exists(f"met:{{{player}}}")))
            before = kinds_with(redis, player)
            assert before >= {"history", "met", "recovery", "sessions", "player"}
            assert "player" in kinds_with(redis, "Ada Lovelace")
            assert kinds_with(redis, "127.0.0.1") == set(), "addresses are hashed"
            assert (await one.ask("DeleteAccount"))["type"] == "done"
            await one.closed()
            assert kinds_with(redis, "Ada Lovelace") == set()
            await asyncio.to_thread(until, lambda: kinds_with(redis, player) <= left)
            assert kinds_with(redis, player) >= {"player", "leaderboard", "attempt", "rated"}
            assert redis.hgetall(f"player:{{{player}}}").keys() == {"deleted"}
