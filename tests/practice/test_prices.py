"""The cost of practice's commands to players, compared with their work."""

from __future__ import annotations

from typing import Any

import pytest

from engine.catalog import games
from server.practice.core.figures import MAX_DEALS
from server.practice.core.keys import MAX_DEVICES
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node
from tests.practice.test_practice import ONE_WIN, WON, add, kept_seat
from tests.prices import Prices, same

pytestmark = ALONE

MANY = [*[MAX_DEALS] * 4, *ONE_WIN[4:7], [WON] * MAX_DEALS]


async def practise_all(seat: Seat) -> None:
    """Give a player the most statistics, on the most devices."""
    for nth in range(MAX_DEVICES):
        await add(seat, ONE_WIN, f"device{nth:>010}")
    rules = [f"{game} {variant}" for game, each in games().items() for variant in each.variants]
    for number, each in enumerate(rules, 1):
        await add(seat, MANY, number=number, rules=each)


@pytest.mark.parametrize("has_much", [False, True])
async def test_prices_of_practice_match_the_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch, has_much: bool
) -> None:
    prices, ada = Prices(node, monkeypatch), await kept_seat(hub)
    await prices.count_baseline(ada)
    if has_much:
        await practise_all(ada)
    figures = MANY if has_much else ONE_WIN
    rules = {"device": "0" * 16, "game": "klondike", "variant": "standard"}

    def batch(number: int) -> dict[str, Any]:
        return {**rules, "batch": number + 1, "figures": figures}

    await prices.count(ada, "AddPractice", "of all", batch)
    await prices.count(ada, "GetPractice", "of all", same())
    prices.check("practice", is_repeated=True)
