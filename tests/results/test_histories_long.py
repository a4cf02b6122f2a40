"""Long histories: the cost of results, and changes to old ones."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine.catalog import games
from server.accounts import accounts
from server.accounts.accounts import _rows
from server.base.core import days as daily
from server.base.core.ids import DealId, PlayerId
from server.players.api import Player
from server.players.core import keys
from server.results import players_api
from server.results.core.boards import ALL_GAMES, BoardId, of_best
from server.results.core.daily_sets import CrownSet, DailySets
from server.results.core.history import DayResult, History, RoundResult
from server.results.core.history_fields import whole_of
from server.results.histories_store import BATCH, HistoryStore
from server.results.players_api import MAX_DAYS, OfPlayer, page_of, show_player
from tests.builders import ADA, BOB, START
from tests.conftest import ALONE
from tests.nodes import Node
from tests.results.core.histories import fields_of, fields_without_sums
from tests.results.core.histories import page_of as shown

pytestmark = ALONE

GAME = "robert"
TODAY = daily.day_at(START)
SETS = DailySets(((0, (CrownSet("", frozenset(games())),)),))
YEARS = range(TODAY - 3 * 365, TODAY)
ROUNDS = 200

WON = DayResult(52, 0, 600_000, 90, "won", 190, ranked=True)
BEST = DayResult(52, 0, 100_000, 90, "won", 198, ranked=True)
HALF = DayResult(27, 25, 400_000, 80, "stuck", 51, ranked=True)
ROUND = RoundResult(
    START,
    1,
    2,
    won=True,
    home=20,
    left=32,
    time=5_000,
    moves=40,
    end="stuck",
    factor=0.99,
    ranked=True,
)


def years(days_of: range = YEARS) -> History:
    """Return the history of three years of all dailies, with 200 rounds of each game."""
    days = {(game, day): WON for game in games() for day in days_of}
    return History(
        kept=1,
        days=days | {(GAME, TODAY - 500): BEST},
        rounds={
            (game, DealId(f"{game[:6]}{number:010}")): replace(ROUND, at=number)
            for game in games()
            for number in range(ROUNDS)
        },
    )


async def store(node: Node, player: PlayerId, fields: Mapping[str, str]) -> None:
    await node.redis.hset(keys.history(player), mapping={**fields, "v": "1"})  # type: ignore[dict-item]


async def fields_in(node: Node, player: PlayerId) -> dict[str, str]:
    found: Any = await node.redis.hgetall(keys.history(player))
    return dict(found)


async def score(node: Node, board: BoardId) -> int | None:
    _, row = await node.services.leaderboard_store.standing(board, ADA)
    return row.score if row else None


async def sent(node: Node) -> int:
    return sum(each["total_net_output_bytes"] for each in await node.database.infos("stats"))


async def passes_of(work: Awaitable[object]) -> int:
    """Return how often the event loop ran another task during some work."""
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    await work
    task.cancel()
    return turns


async def freed_at_once(work: Awaitable[object]) -> int:
    """Return the most memory blocks freed between two runs of another task."""
    most = 0

    async def others() -> None:
        nonlocal most
        before = sys.getallocatedblocks()
        while True:
            await asyncio.sleep(0)
            now = sys.getallocatedblocks()
            before, most = now, max(most, before - now)

    # Exclude reference cycles left by earlier tests.
    gc.disable()
    try:
        task = asyncio.create_task(others())
        # A separate task frees all its objects when it ends.
        await asyncio.ensure_future(work)
        await asyncio.sleep(0)
        task.cancel()
    finally:
        gc.enable()
    return most


async def change_in_all_ways(node: Node, player: PlayerId) -> None:
    histories = node.services.histories
    await histories.add_day(player, GAME, TODAY, HALF, ())
    await histories.void_day(player, GAME, TODAY, (), void=True)
    await histories.add_round(player, GAME, DealId("new0000000000000"), ROUND)
    await histories.add_round(player, GAME, DealId("new0000000000000"), replace(ROUND, place=2))
    await histories.keep(player, START)
    await histories.excerpts([player], [], [(GAME, DealId("new0000000000000"))])


async def test_the_cost_of_a_result_is_independent_of_the_historys_length(node: Node) -> None:
    await store(node, ADA, fields_of(years()))
    week = {(game, day): WON for game in games() for day in range(TODAY - 7, TODAY)}
    await store(node, BOB, fields_of(replace(years(), days=week)))
    costs = {}
    for player in (BOB, ADA):
        before = await sent(node)
        await change_in_all_ways(node, player)
        costs[player] = await sent(node) - before
    assert costs[ADA] < 1.5 * costs[BOB]


async def test_adding_a_result_writes_only_the_result_and_the_totals(node: Node) -> None:
    await store(node, ADA, fields_of(years()))
    before = await fields_in(node, ADA)
    await node.services.histories.add_day(ADA, GAME, TODAY, WON, ())
    after = await fields_in(node, ADA)
    assert dict(after.items() - before.items()).keys() == {
        *(f"d:{GAME}:{TODAY}", f"t:{GAME}", f"p:{GAME}", "v")
    }
    assert before.keys() < after.keys()


async def test_a_long_history_is_read_in_slices(node: Node) -> None:
    life = years()
    await store(node, ADA, fields_of(life))
    results = len(life.days) + len(life.rounds)
    assert await passes_of(node.services.histories.load(ADA)) > results // BATCH


async def test_a_page_costs_the_same_however_long_somebody_has_played(node: Node) -> None:
    costs = {}
    for player, number in ((BOB, 2), (ADA, 8)):
        await store(node, player, fields_of(years(range(TODAY - number * 365, TODAY))))
        before = await sent(node)
        page = await node.services.histories.page(player, MAX_DAYS)
        costs[player] = await sent(node) - before
        assert page.played[GAME].days_played.bit_count() == number * 365
    assert costs[ADA] < 1.1 * costs[BOB]


async def test_a_page_matches_the_whole_history(node: Node) -> None:
    life, whole = years(), {game: frozenset[int]() for game in (*games(), ALL_GAMES)}
    who = Player(ADA, "Ada", "4F2A")
    wanted = await page_of(shown(life), who, TODAY, whole, SETS)
    # The second form was written by a release without sums.
    for fields in (fields_of(life), fields_without_sums(life)):
        await store(node, ADA, fields)
        found = await node.services.histories.page(ADA, MAX_DAYS)
        assert await page_of(found, who, TODAY, whole, SETS) == wanted


async def test_a_page_is_read_in_slices_and_reread_after_a_concurrent_change(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store(node, ADA, fields_of(years()))
    version, asked = HistoryStore.version, 0

    async def after_a_change(self: HistoryStore, player: PlayerId) -> int:
        nonlocal asked
        asked += 1
        if asked == 1:
            # All results have been read; the check of the version follows.
            monkeypatch.setattr(HistoryStore, "version", version)
            await other.services.histories.add_day(ADA, GAME, TODAY, HALF, ())
        return await version(self, player)

    monkeypatch.setattr(HistoryStore, "version", after_a_change)
    found = await node.services.histories.page(ADA, MAX_DAYS)
    assert (found.version, found.days[GAME, TODAY]) == (2, HALF)
    results = len(found.days) + len(found.rounds)
    assert results == len(games()) * (MAX_DAYS + ROUNDS)
    assert await passes_of(node.services.histories.page(ADA, MAX_DAYS)) > results // BATCH


async def test_a_long_history_is_processed_in_slices() -> None:
    life, whole = years(), {game: frozenset[int]() for game in (*games(), ALL_GAMES)}
    page = page_of(shown(life), Player(ADA, "Ada", "4F2A"), TODAY, whole, SETS)
    results = len(life.days) + len(life.rounds)
    assert await passes_of(page) >= results // players_api.SLICE
    assert await passes_of(_rows("day", life.days)) >= len(life.days) // accounts.SLICE


async def test_the_memory_of_a_long_history_is_freed_in_slices(node: Node) -> None:
    life = years()
    await store(node, ADA, fields_of(life))
    held = len(life.days) + len(life.rounds)
    exported = await freed_at_once(node.services.accounts.export(ADA))
    shown = await freed_at_once(show_player(node.services, OfPlayer(player=ADA)))
    # Each result takes five blocks, and each page of the response is freed separately.
    assert max(exported, shown) < 2 * held


async def test_an_old_best_result_can_be_voided_and_reinstated(node: Node) -> None:
    await store(node, ADA, fields_of(years()))
    histories = node.services.histories
    best, wins = (of_best(GAME, "standard"), BoardId("wins", ALL_GAMES, 0, "ranked"))
    for game in games():
        result = replace(WON if game == GAME else HALF, void=False)
        await histories.add_day(ADA, game, TODAY - 1, result, ())
    won = len(YEARS) * len(games())
    assert (await score(node, best), await score(node, wins)) == (BEST.packed, -won)
    await histories.void_day(ADA, GAME, TODAY - 500, (), void=True)
    assert (await score(node, best), await score(node, wins)) == (WON.packed, -(won - 1))
    await histories.void_day(ADA, GAME, TODAY - 500, (), void=False)
    assert (await score(node, best), await score(node, wins)) == (BEST.packed, -won)
    whole = whole_of(await fields_in(node, ADA))
    assert whole.stored == whole.computed


async def test_the_next_result_adds_missing_sums_to_a_history(node: Node) -> None:
    life = years()
    await store(node, ADA, fields_without_sums(life))
    await node.services.histories.add_day(ADA, GAME, TODAY, BEST, ())
    assert await score(node, BoardId("wins", GAME, 0, "ranked")) == -len(YEARS) - 1
    whole = whole_of(await fields_in(node, ADA))
    assert whole.stored == whole.computed
    assert whole.history.days == {**life.days, (GAME, TODAY): BEST}


async def test_rounds_beyond_the_limit_are_moved_to_the_sums(node: Node) -> None:
    await store(node, ADA, fields_of(years()))
    histories = node.services.histories
    for number in range(101):
        deal = DealId(f"late{number:012}")
        await histories.add_round(ADA, GAME, deal, replace(ROUND, at=START + number))
    whole = whole_of(await fields_in(node, ADA))
    assert whole.stored == whole.computed
    assert sum(game == GAME for game, _ in whole.history.rounds) == ROUNDS + 1
    assert await score(node, BoardId("races", GAME, 0, "ranked")) == -(ROUNDS + 101)
    # A round in the sums is not added again.
    before = await fields_in(node, ADA)
    await histories.add_round(ADA, GAME, DealId(f"{GAME[:6]}{0:010}"), replace(ROUND, at=0))
    assert await fields_in(node, ADA) == before


async def test_a_history_that_changes_during_a_read_is_reread(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store(node, ADA, fields_of(years()))
    state, asked = HistoryStore._state, 0

    async def after_a_change(self: HistoryStore, key: str) -> Any:
        nonlocal asked
        asked += 1
        if asked == 2:
            # All fields have been read; the check of the state follows.
            await other.services.histories.add_day(ADA, GAME, TODAY, WON, ())
        return await state(self, key)

    monkeypatch.setattr(HistoryStore, "_state", after_a_change)
    found = await node.services.histories.load(ADA)
    assert (found.version, found.days[GAME, TODAY]) == (2, WON)
