"""The operator's limit on starts of a daily per address, over real sockets."""

from __future__ import annotations

import pytest

from tests.clients.client import opened
from tests.conftest import ALONE, node

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]


async def test_only_the_first_player_at_an_address_can_start_a_daily(redis_url: str) -> None:
    async with node(redis_url, ranked_starts=1) as port, opened(port) as one, opened(port) as two:
        for client in (one, two):
            await client.hello()
        assert (await one.ask("daily.open", game="robert"))["type"] == "attempt"
        refused = await two.ask("daily.open", game="robert")
        assert (refused["type"], refused["code"]) == ("refused", "too_many_starts")
        assert (await two.ask("daily.open", game="deuces"))["type"] == "attempt"
        assert (await one.ask("daily.open", game="robert"))["seq"] == 1


async def test_without_the_option_every_player_can_start_it(port: int) -> None:
    async with opened(port) as one, opened(port) as two:
        for client in (one, two):
            await client.hello()
            assert (await client.ask("daily.open", game="robert"))["type"] == "attempt"
