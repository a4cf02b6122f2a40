"""Tables and feeds shared by all members who look within a second."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.refusal import Refusal
from server.circles.core import commands
from server.circles.views import SHARED_S, Views
from tests.builders import ADA, BOB, CYD
from tests.circles.test_circles import founded
from tests.circles.test_tables import HALF, TODAY, WON, add
from tests.nodes import Node, SetClock, node_on


@pytest.fixture
def seconds() -> list[float]:
    """Return the time of `views`, as a list of one number."""
    return [0.0]


@pytest.fixture
def views(node: Node, seconds: list[float]) -> Views:
    of = node.services
    return Views(of.circle_tables, of.profiles, of.history_store.changed, lambda: seconds[0])


async def test_members_who_look_together_share_one_table_and_one_feed(
    node: Node, views: Views
) -> None:
    circle = await founded(node, BOB)
    await add(node, ADA, WON)
    tables = await asyncio.gather(*(views.table(circle, "day", None) for _ in range(200)))
    feeds = await asyncio.gather(*(views.feed(circle) for _ in range(200)))
    assert len({id(each) for each in tables}) == len({id(each) for each in feeds}) == 1
    assert [row.points for row in tables[0].rows] == [195, 0]
    assert views.has_table(circle, "day", None)
    assert not views.has_table(circle, "day", TODAY - 1)
    assert (await views.table(circle, "day", TODAY - 1)).period == TODAY - 1


async def test_a_members_result_shows_at_once(node: Node, views: Views) -> None:
    circle, other = await founded(node, BOB), await founded(node, key="other")
    other_table = await views.table(other, "day", None)
    for points, result in ((51, HALF), (195, WON)):
        await views.table(circle, "day", None)
        await add(node, BOB, result, game="robert" if result is HALF else "roosevelt")
        first = (await views.table(circle, "day", None)).rows[0]
        assert first.player.id == BOB
        assert first.points >= points
        assert {each.about for each in (await views.feed(circle)).items} >= {"dailies"}
    # Circles without the player still share their tables.
    assert await views.table(other, "day", None) is other_table


async def test_another_nodes_changes_show_within_a_second(
    node: Node, views: Views, redis_url: str, clock: SetClock, seconds: list[float]
) -> None:
    circle = await founded(node, BOB)
    before = await views.table(circle, "day", None)
    async with node_on(redis_url, clock) as other:
        await add(other, BOB, WON)
    seconds[0] += SHARED_S / 2
    assert await views.table(circle, "day", None) is before
    seconds[0] += SHARED_S / 2
    assert (await views.table(circle, "day", None)).rows[0].player.id == BOB


async def test_a_changed_circle_shows_at_once(node: Node, views: Views) -> None:
    circle = await founded(node, BOB, CYD)
    assert len((await views.table(circle, "day", None)).rows) == 3
    circle = await node.services.circles.remove(circle.id, ADA, CYD)
    assert len((await views.table(circle, "day", None)).rows) == 2


async def test_a_refused_or_cancelled_view_is_built_again(node: Node, views: Views) -> None:
    circle = await founded(node, BOB)
    for _ in range(2):
        with pytest.raises(Refusal, match="unknown_day"):
            await views.table(circle, "day", TODAY + 1)
        assert not views.has_table(circle, "day", TODAY + 1)
    impatient, patient = (asyncio.ensure_future(views.table(circle, "day", None)) for _ in range(2))
    await asyncio.sleep(0)
    impatient.cancel()
    assert len((await patient).rows) == 2


async def test_an_emote_shows_at_once_in_a_shared_feed(node: Node, views: Views) -> None:
    circle = await founded(node, BOB)
    await add(node, ADA, WON)
    item = (await views.feed(circle)).items[0]
    circle = await node.services.circles.decide(circle.id, commands.emote, ADA, item.item, 6)
    found = next(e for e in (await views.feed(circle)).items if e.item == item.item)
    assert found.emotes == [(ADA, 6)]
