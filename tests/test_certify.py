"""The command `samedeal certify`, run like an operator or a timer does."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from signal import SIGTERM

import pytest

from engine.catalog import games, ruleset
from engine.deal import deal_seed
from server.base.redis.database import Database
from server.base.redis.embedded import shared_redis
from server.deals.core.certificate import proves
from server.deals.pool_store import PooledDeal, PoolStore
from tests.base.redis.servers import until
from tests.conftest import ALONE, SECRET_KEY_FILE, client_of, secret_keys
from tests.processes import PATIENCE, running
from tests.redis_users import as_node
from tests.test_cli import output_of, port_of, serve_command

GAME = "robert"


def certify_command(where: str | Path, count: int) -> list[str]:
    target = (
        ["--redis", as_node(where), "--secret-key-file", str(SECRET_KEY_FILE)]
        if isinstance(where, str)
        else ["--data", str(where)]
    )
    words = ["--game", GAME, "--count", str(count), "--workers", "1"]
    return [sys.executable, "-m", "tests.unhurried", "certify", *target, *words]


async def certified(where: str | Path, count: int) -> str:
    """Run the command to its end, and return its last line."""
    with running(certify_command(where, count)) as process:
        assert await asyncio.to_thread(process.process.wait, PATIENCE) == 0
        process.end()
        return process.lines[-1]


@ALONE
async def test_a_pool_is_filled_with_proved_deals_and_topped_up(
    redis_url: str, database: Database
) -> None:
    pools = PoolStore(database, secret_keys())
    assert "2 of 2 in the pool; 2 kept of" in await certified(redis_url, 2)
    deals, closed = await pools.read(GAME)
    assert (len(deals), closed) == (2, [])
    assert len({deal.seed for deal in deals}) == 2
    for deal in deals:
        board = deal_seed(ruleset(GAME), deal.seed)
        assert proves(board, deal.line, deal.par, winnable=deal.winnable)
        assert board.home < deal.par < ruleset(GAME).total
    assert "3 of 3 in the pool; 1 kept of" in await certified(redis_url, 3)
    assert set((await pools.read(GAME))[0]) > set(deals)


@ALONE
async def test_the_pools_of_the_operators_dailies_are_filled(
    redis_url: str, database: Database
) -> None:
    command = certify_command(redis_url, 1)
    at = command.index("--game")
    del command[at : at + 2]
    with running(command, {"SAMEDEAL_DAILY_GAMES": " lady-betty , robert,"}) as process:
        assert await asyncio.to_thread(process.process.wait, PATIENCE) == 0
    sizes = await PoolStore(database, secret_keys()).sizes(list(games()))
    assert {game for game, size in sizes.items() if size} == {"robert", "lady-betty"}


@ALONE
async def test_deals_found_before_a_stop_are_kept(redis_url: str, database: Database) -> None:
    pools = PoolStore(database, secret_keys())
    with running(certify_command(redis_url, 10_000)) as process:
        await until(lambda: pools.count(GAME))
        process.process.send_signal(SIGTERM)
        assert await asyncio.to_thread(process.process.wait, PATIENCE) == 0
        process.end()
        assert process.lines[-1] == "Stopped. What was found is in the pools.\n"
    first, *_, last, _ = process.lines
    # The first deal may take long, so the progress is printed before it.
    assert f"{GAME}: 0 of 10000 in the pool; 0 kept of 0 drawn" in first
    assert f"{GAME}: {await pools.count(GAME)} of 10000 in the pool" in last


async def test_it_works_alongside_a_server_and_without_one(data: Path) -> None:
    with running(serve_command(data)) as server:
        await port_of(server)
        assert "1 of 1 in the pool" in await certified(data, 1)
    # The server may have used a deal in the meantime.
    assert "2 of 2 in the pool" in await certified(data, 2)
    async with shared_redis(data) as url, client_of(url) as redis:
        deals, closed = await PoolStore(Database(redis), secret_keys()).read(GAME)
    assert ([type(deal) for deal in deals], closed) == ([PooledDeal] * 2, [])


async def test_it_works_before_a_server_has_ever_run(data: Path) -> None:
    assert "1 of 1 in the pool" in await certified(data / "new", 1)


def test_it_uses_every_core_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    async def fill(services: object, wanted: object, count: int, processes: int) -> None:
        started.append(processes)

    monkeypatch.setattr("server.cli.certify._fill", fill)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 3, 4}, raising=False)
    for words in ([], ["--workers", "2"]):
        output_of(0, "certify", "--data", str(tmp_path), *words)
    assert started == [3, 2]


def test_errors_are_reported(tmp_path: Path) -> None:
    assert "There is no game 'chess'" in output_of(2, "certify", "--game", "chess")

    (tmp_path / "file").touch()
    said = output_of(1, "certify", "--data", str(tmp_path / "file" / "data"))
    assert "Error: [Errno" in said
