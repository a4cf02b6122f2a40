"""Scripts: called by digest, and reloaded where Redis has lost them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.redis import scripts
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.results.core.boards import of_daily
from server.results.leaderboards_store import LeaderboardStore
from tests.base.redis.servers import calls
from tests.results.placing import place_player

SERVER = Path(scripts.__file__).parents[2]
BOARD = of_daily(DailyId("robert", 20_000), "ranked")
PLAYER = PlayerId("player0000000001")


async def test_writes_and_reads_send_no_script_as_text(redis: Client, database: Database) -> None:
    boards = LeaderboardStore(database)
    await boards.standing(BOARD, PLAYER)
    before = {name: await calls(redis, name) for name in ("eval", "evalsha")}
    assert await place_player(boards, BOARD, PLAYER, 7) == (None, None)
    _, row = await boards.standing(BOARD, PLAYER)
    assert row is not None
    made = {name: await calls(redis, name) - count for name, count in before.items()}
    assert made == {"eval": 0, "evalsha": 2}


async def test_scripts_are_reloaded_transparently_after_a_flush(
    redis: Client, database: Database
) -> None:
    boards = LeaderboardStore(database)
    assert await place_player(boards, BOARD, PLAYER, 7) == (None, None)
    await redis.script_flush()
    _, row = await boards.standing(BOARD, PLAYER)
    assert row is not None
    assert row.score == 7
    await redis.script_flush()
    placed = [place_player(boards, BOARD, PlayerId(f"player00000000{n}"), n) for n in range(10, 20)]
    assert await asyncio.gather(*placed) == [(None, None)] * 10
    assert (await boards.standing(BOARD, PLAYER))[0] == 11


def test_every_script_of_the_store_is_loaded_on_connections() -> None:
    """Texts that call Redis are in a `Script`, and none is sent as a text."""
    sources = {path: path.read_text() for path in SERVER.rglob("*.py")}
    known = "\n".join(script.text for script in Script.all)
    for path, source in sources.items():
        for text in re.findall(r'"""(.*?)"""', source, re.DOTALL):
            assert "redis.call(" not in text or text in known, f"not a script: {path}: {text}"
    sent = [path.name for path, source in sources.items() if re.search(r'\.eval\(|"EVAL"', source)]
    assert sent == []
