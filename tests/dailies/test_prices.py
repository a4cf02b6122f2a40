"""Prices of commands on dailies, leaderboards and runs, compared with the work they cause."""

from __future__ import annotations

from typing import Any

import pytest

from engine.catalog import daily_games
from server.base.core import costs, days
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.journals.cache import ReplicaCache
from server.base.net.budgets import Payer
from server.results.core.boards import of_daily
from server.results.core.keys import MAX_MET
from tests.builders import START
from tests.clients.seats import HubNode
from tests.conftest import ALONE
from tests.nodes import Node
from tests.play.test_prices import play
from tests.prices import Prices, same, varied
from tests.results import leaving
from tests.results.placing import place_player

pytestmark = ALONE

MOVES, PLAYERS = 50, 2_000


async def test_prices_of_dailies_follow_from_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices, bob, cyd = Prices(node, monkeypatch), await hub.seat(), await hub.seat()
    await node.dailies.draw_ahead()
    await prices.count_baseline(bob)

    def unread(number: int) -> dict[str, Any]:
        node.services.attempts._replicas = ReplicaCache()
        return {}

    await prices.count(bob, "daily.list", "of none", same())
    games = [*daily_games()]
    first = games[0]
    await prices.count(bob, "daily.open", "new", varied("game", games))
    await prices.count(bob, "daily.open", "again", same(game=first))
    for game in games:
        await play(node, cyd, await cyd.ask("daily.open", game=game), MOVES)
    await prices.count(cyd, "daily.list", "of all", same())
    await prices.count(cyd, "daily.list", "not in memory", unread)
    await prices.count(cyd, "daily.open", "not in memory", lambda n: unread(n) | {"game": first})
    deal = (await cyd.ask("daily.open", game=first))["deal"]
    await prices.count(cyd, "deal.show", "open", same(deal=deal))
    await prices.count(cyd, "leaderboard.watch", "empty", same(game=first))
    await prices.count(cyd, "leaderboard.unwatch", "empty", same())
    day = days.day_at(START)
    board = of_daily(DailyId(first, day), "guests")
    others = [PlayerId(f"{number:016}") for number in range(PLAYERS)]
    for place, player in enumerate([*others[: PLAYERS // 2], cyd.player, *others[PLAYERS // 2 :]]):
        await place_player(node.services.leaderboard_store, board, player, place)
    await node.services.met_store.add(cyd.player, others[:MAX_MET], START)
    await prices.count(cyd, "leaderboard.watch", "full", same(game=first))
    await prices.count(cyd, "leaderboard.unwatch", "full", same())
    # A game may have ended by itself within the moves played above.
    opened = [await cyd.ask("daily.open", game=game) for game in games]
    both = [mine for mine in opened if "attempt" in mine][:2]
    for mine in both:
        await cyd.ask("resign", attempt=mine["attempt"], seq=mine["seq"] + 1)
    await node.apply_effects()
    node.clock.time = days.closes(day) + 1
    closed = same(game=first, scope="day", day=day, group="guests")
    await prices.count(cyd, "leaderboard.watch", "closed", closed)
    await prices.count(cyd, "deal.show", "closed", same(deal=deal))
    for of, mine in zip(("many", "one"), both, strict=True):
        await prices.count(cyd, "GetRuns", f"of {of}", same(deal=mine["deal"]))
        await prices.count(cyd, "GetRun", f"of {of}", same(attempt=mine["attempt"]))
    prices.check("dailies")


async def test_a_run_to_be_replayed_for_the_curves_is_paid_for_at_its_start(
    hub: HubNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[float] = []

    def pay(_: Payer, cost: float, __: float) -> bool:
        paid.append(cost)
        return True

    monkeypatch.setattr(Payer, "pay", pay)
    bob = await hub.seat()
    found: dict[str, list[float]] = {}
    for game in ("klondike", leaving.GAME, leaving.GAME):
        paid.clear()
        assert (await bob.ask("daily.open", game=game))["type"] == "attempt"
        found.setdefault(game, []).append(sum(paid))
    assert found == {
        "klondike": [costs.OPEN],
        leaving.GAME: [costs.OPEN + costs.SEARCH, costs.OPEN],
    }
