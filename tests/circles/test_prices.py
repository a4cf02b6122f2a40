"""The prices of members' commands and other commands on challenges, compared with their work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from server.base.core import days
from server.base.core.ids import ChallengeId, PlayerId
from server.challenges.core.challenge import MAX_PLAYERS
from server.challenges.store import MAX_BLOCKED
from server.circles.core import commands
from server.players.core import keys
from server.results.core.history import History
from tests.builders import ADA, START
from tests.challenges.test_challenges import HOUR, known, made
from tests.challenges.test_feed import crowded
from tests.challenges.test_prices import full
from tests.circles.test_circles import founded
from tests.circles.test_tables import HALF, add
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node
from tests.prices import Given, Prices, same, varied
from tests.results.core.histories import fields_of
from tests.results.test_histories_long import WON

pytestmark = ALONE

RESULTS = 200


async def play_years(node: Node, player: PlayerId) -> None:
    first = days.day_at(START) - 2 * RESULTS
    history = History(kept=1, days={("robert", first + each): WON for each in range(RESULTS)})
    fields: Any = {**fields_of(history), "v": "1"}
    await node.redis.hset(keys.history(player), mapping=fields)


@pytest.mark.parametrize("is_large", [False, True])
async def test_prices_of_members_commands_match_their_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    prices, bob, cyd = Prices(node, monkeypatch), await hub.seat(), await hub.seat()
    await prices.count_baseline(bob)
    circles = node.services.circles
    circle = await circles.join(bob.player, (await founded(node)).link)
    circle = await circles.decide(circle.id, commands.hand_over, ADA, bob.player)
    this: dict[str, Any] = {"circle": circle.id}
    if is_large:
        await full(node, circle)
        await circles.remove(circle.id, bob.player, ADA)
        for player in (bob.player, cyd.player):
            await play_years(node, player)
    await add(node, bob.player, HALF)

    async def link() -> dict[str, str]:
        found = await circles.find(circle.id)
        assert found is not None
        return {"link": found.link}

    async def join() -> None:
        await cyd.ask("JoinCircle", **await link())

    async def leave() -> None:
        await cyd.ask("LeaveCircle", **this)

    await prices.count(cyd, "ShowInvitation", "of all", same(**await link()))
    await prices.count(cyd, "JoinCircle", "of all", same(**await link()), undo=leave)
    await join()
    await prices.count(cyd, "LeaveCircle", "of all", same(**this), undo=join)
    await prices.count(cyd, "MuteCircle", "of all", varied("muted", [True, False, True], **this))

    def unshared(fields: Given) -> Given:
        def given(number: int) -> Mapping[str, Any]:
            node.services.circle_views._shared.clear()
            return fields(number)

        return given

    for span in ("day", "week", "all"):
        asked = same(**this, span=span, period=None)
        await prices.count(bob, "GetCircleTable", span, unshared(asked))
        await prices.count(bob, "GetCircleTable", f"{span}, shared", asked)
    await prices.count(bob, "GetCircleFeed", "of all", unshared(same(**this)))
    await prices.count(bob, "GetCircleFeed", "shared", same(**this))
    both = same(**this, one=bob.player, other=cyd.player)
    await prices.count(bob, "GetHeadToHead", "again", both)

    def unread(number: int) -> Any:
        node.services.circle_tables._histories._duels.clear()
        return both(number)

    await prices.count(bob, "GetHeadToHead", "not in memory", unread)
    item = (await bob.ask("GetCircleFeed", **this))["items"][0]["item"]
    emotes = varied("emote", [1, 2, 3], **this, item=item)
    await prices.count(bob, "EmoteItem", "of all", unshared(emotes))
    await prices.count(bob, "RenewCircleLink", "of all", same(**this))

    async def hand_back() -> None:
        await cyd.ask("HandOverCircle", **this, player=bob.player)

    given = same(**this, player=cyd.player)
    await prices.count(bob, "HandOverCircle", "of all", given, undo=hand_back)
    await prices.count(bob, "RemoveFromCircle", "of all", given, undo=join)
    await prices.count(bob, "UnwatchCircle", "of all", same())
    addresses = [f"http://127.0.0.1:9/{number}" for number in range(3)]
    webhook = varied("url", addresses, **this, form="json")
    await prices.count(bob, "SetCircleWebhook", "of all", webhook)
    prices.check("members", is_repeated=True)


async def given_up(node: Node, seat: Seat, *challenges: ChallengeId) -> None:
    for challenge in challenges:
        begun = await seat.ask("PlayChallenge", challenge=challenge)
        await seat.ask("resign", attempt=begun["attempt"], seq=2)
        await node.apply_effects()


async def test_prices_of_other_commands_on_challenges_match_their_work(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices, bob, cyd = Prices(node, monkeypatch), await hub.seat(), await hub.seat()
    await prices.count_baseline(bob)
    players = [PlayerId(f"n{number:015}") for number in range(MAX_BLOCKED)]
    await known(node, *players)
    await prices.count(bob, "UnwatchChallenge", "of none", same())
    await prices.count(bob, "ListBlocked", "of none", same())
    await prices.count(bob, "BlockChallenger", "of few", varied("player", players, blocked=True))
    for each in players:
        await node.services.challenge_store.block(bob.player, each, START)
    await prices.count(bob, "BlockChallenger", "of many", same(player=players[0], blocked=True))
    await prices.count(bob, "ListBlocked", "of many", same())
    small = [(await made(node, bob.player, key=f"small {number}")).id for number in range(9)]
    await prices.count(bob, "HideChallenge", "small", varied("challenge", small))
    await given_up(node, cyd, *small[3:6])
    await prices.count(cyd, "Rematch", "small", varied("challenge", small[3:]))
    await prices.count(bob, "CloseChallenge", "small", varied("challenge", small[6:]))
    large = [(await crowded(node, f"large {number}", MAX_PLAYERS - 2)).id for number in range(6)]
    await given_up(node, bob, *large)
    await prices.count(bob, "HideChallenge", "large", varied("challenge", large))
    ada = await hub.seat(await node.services.identity.token(ADA, 0))
    await prices.count(ada, "CloseChallenge", "large", varied("challenge", large[3:]))
    node.clock.time += 2 * HOUR + 1
    for size, those in (("small", small[3:6]), ("large", large[:3])):
        shown = [await bob.ask("WatchChallenge", challenge=each) for each in those]
        deals = varied("deal", [each["deal"] for each in shown])
        await prices.count(bob, "GetRuns", size, deals)
    await prices.count(bob, "Rematch", "large", varied("challenge", large))
    await prices.count(bob, "Rematch", "again", same(challenge=large[0]))
    prices.check("other challenges")
