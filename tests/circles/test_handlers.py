"""Circles over sessions: messages to members, and secrecy from others."""

from __future__ import annotations

from typing import Any

import pytest

from engine.catalog import daily_games
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.wire import messages as wire_messages
from server.circles import handlers
from server.circles import messages as circle_messages
from server.request import handlers_in
from tests.base.redis.servers import until
from tests.circles.test_tables import HALF, TODAY, WON, add
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.wire import Message

pytestmark = ALONE

NOBODYS = "0" * 16
LEAGUE = ["day", ["robert"], 600, 1, "none"]


async def seats(hub: HubNode, count: int) -> list[Seat]:
    return [await hub.seat(name=f"Player {number}") for number in range(count)]


async def founded(*players: Seat, key: str = "0123456789") -> Message:
    owner, *others = players
    circle = await owner.ask("CreateCircle", name="Friends", key=key)
    for each in others:
        circle = await each.ask("JoinCircle", link=circle["link"])
    return circle


async def refused(seat: Seat, command: str, **fields: Any) -> str:
    answer = await seat.ask(command, **fields)
    assert answer["type"] == "refused", answer
    return str(answer["code"])


def names(circle: Message) -> list[str]:
    return [each["player"]["name"] for each in circle["members"]]


async def test_a_guest_joins_by_the_link_and_members_see_it(hub: HubNode) -> None:
    ada, bob, cyd = await seats(hub, 3)
    circle = await founded(ada)
    watched = await ada.ask("WatchCircle", circle=circle["circle"])
    assert watched == circle | {"re": watched["re"]}
    invitation = await bob.ask("ShowInvitation", link=circle["link"])
    assert (invitation["name"], invitation["members"], invitation["circle"]) == ("Friends", 1, None)
    assert invitation["owner"]["name"] == "Player 0"
    await bob.ask("JoinCircle", link=circle["link"])
    news = await ada.next("Circle")
    assert (names(news), news["version"]) == (["Player 0", "Player 1"], 2)
    invitation = await bob.ask("ShowInvitation", link=circle["link"])
    assert invitation["circle"] == circle["circle"]
    (row,) = (await bob.ask("ListCircles"))["circles"]
    assert (row["name"], row["owned"], row["members"]) == ("Friends", False, 2)
    assert (await cyd.ask("ListCircles"))["circles"] == []


async def test_a_removed_member_is_notified_and_unsubscribed(hub: HubNode) -> None:
    ada, bob = await seats(hub, 2)
    circle = await founded(ada, bob)
    for each in (ada, bob):
        await each.ask("WatchCircle", circle=circle["circle"])
    after = await ada.ask("RemoveFromCircle", circle=circle["circle"], player=bob.player)
    assert names(after) == ["Player 0"]
    assert after["link"] != circle["link"]
    assert (await bob.next("CircleGone"))["deleted"] is False
    await ada.ask("RenameCircle", circle=circle["circle"], name="The rest")
    await ada.next("Circle", lambda e: e["name"] == "The rest")
    assert all(after["link"] not in str(each) for each in bob.news)
    assert bob.received("Circle") == []


async def test_a_deletion_is_sent_to_all_subscribers(hub: HubNode) -> None:
    ada, bob = await seats(hub, 2)
    circle = await founded(ada, bob)
    await bob.ask("WatchCircle", circle=circle["circle"])
    assert (await ada.ask("DeleteCircle", circle=circle["circle"]))["circles"] == []
    assert (await bob.next("CircleGone"))["deleted"] is True


async def test_an_unsubscribed_session_receives_nothing(hub: HubNode) -> None:
    ada, bob = await seats(hub, 2)
    circle, other = await founded(ada, bob), await founded(ada, key="another one")
    await bob.ask("WatchCircle", circle=circle["circle"])
    await bob.ask("UnwatchCircle")
    await ada.ask("WatchCircle", circle=circle["circle"])
    await ada.ask("WatchCircle", circle=other["circle"])
    assert await refused(ada, "WatchCircle", circle=NOBODYS) == "unknown_circle"
    await ada.ask("MuteCircle", circle=circle["circle"], muted=True)
    await ada.ask("RenameCircle", circle=other["circle"], name="Others")
    await ada.next("Circle", lambda e: e["name"] == "Others")
    ada.leave()
    assert [each["circle"] for each in ada.received("Circle")] == [other["circle"]]
    assert bob.news == []
    await until(lambda: not hub.services.circle_feeds._audiences)


async def test_the_owner_can_set_season_and_league(hub: HubNode) -> None:
    ada, bob = await seats(hub, 2)
    circle = (await founded(ada, bob))["circle"]
    assert await refused(ada, "SetCircleLeague", circle=circle, league=LEAGUE) == "no_season"
    found = await ada.ask("SetCircleSeason", circle=circle, weeks=4)
    assert (found["season"]["number"], found["season"]["weeks"]) == (1, 4)
    assert found["season_weeks"] == 4
    unknown = ["day", ["chess"], 600, 1, "none"]
    assert await refused(ada, "SetCircleLeague", circle=circle, league=unknown) == "unknown_game"
    assert await refused(bob, "SetCircleLeague", circle=circle, league=LEAGUE) == "not_owner"
    found = await ada.ask("SetCircleLeague", circle=circle, league=LEAGUE)
    assert found["league"] == {
        **dict(zip(["every", "games", "limit", "drop", "help"], LEAGUE, strict=True))
    }
    found = await ada.ask("HandOverCircle", circle=circle, player=bob.player)
    assert found["owner"] == bob.player
    assert await refused(ada, "RenewCircleLink", circle=circle) == "not_owner"
    found = await bob.ask("SetCircleLeague", circle=circle, league=None)
    assert found["league"] is None
    assert (await ada.ask("LeaveCircle", circle=circle))["circles"] == []


async def test_members_can_see_tables_duels_and_the_feed(hub: HubNode) -> None:
    ada, bob = await seats(hub, 2)
    circle = (await founded(ada, bob))["circle"]
    await add(hub.node, ada.player, WON)
    await add(hub.node, bob.player, HALF)
    table = await bob.ask("GetCircleTable", circle=circle, span="day")
    assert [(row["player"]["name"], row["points"]) for row in table["rows"]] == [
        ("Player 0", 195),
        ("Player 1", 51),
    ]
    (daily,) = table["rows"][0]["dailies"]
    assert (daily["game"], daily["result"]["end"], daily["points"]) == ("robert", "won", 195)
    assert (table["first"], table["last"], table["games"]) == (TODAY, TODAY, list(daily_games()))
    table = await bob.ask("GetCircleTable", circle=circle, span="all")
    (record,) = table["records"]
    assert (record["game"], record["player"]["name"], record["day"]) == (
        "robert",
        "Player 0",
        TODAY,
    )
    assert (table["first"], table["last"], table["period"]) == (0, 0, 0)
    duels = await bob.ask("GetHeadToHead", circle=circle, one=ada.player, other=bob.player)
    assert [(d["form"], d["won"], d["lost"]) for d in duels["duels"]] == [("daily", 1, 0)]
    feed = await bob.ask("GetCircleFeed", circle=circle)
    item = next(each for each in feed["items"] if each["about"] == "dailies")
    feed = await bob.ask("EmoteItem", circle=circle, item=item["item"], emote=6)
    found = next(each for each in feed["items"] if each["item"] == item["item"])
    assert found["emotes"] == [(bob.player, 6)]
    absent = {"circle": circle, "item": "season:9", "emote": 1}
    assert await refused(bob, "EmoteItem", **absent) == "unknown_item"
    stranger = {"circle": circle, "one": ada.player, "other": NOBODYS}
    assert await refused(bob, "GetHeadToHead", **stranger) == "not_member"
    future = {"circle": circle, "span": "day", "period": TODAY + 1}
    assert await refused(bob, "GetCircleTable", **future) == "unknown_day"


FIELDS: dict[str, Any] = {
    "link": NOBODYS * 2,
    "span": "day",
    "item": "season:1",
    "emote": 1,
    "muted": True,
    "player": NOBODYS,
    "one": NOBODYS,
    "other": NOBODYS,
    "name": "Mine",
    "weeks": 4,
    "league": LEAGUE,
    "url": "https://example.com/",
}
OF_CIRCLES = [
    kind
    for kind, _ in handlers_in(handlers)
    if issubclass(kind, circle_messages.CircleCommand)
    or kind in {circle_messages.JoinCircle, circle_messages.ShowInvitation}
]


@pytest.mark.parametrize("kind", OF_CIRCLES, ids=lambda kind: kind.__name__)
async def test_outsiders_find_no_circle(hub: HubNode, kind: type[wire_messages.Command]) -> None:
    ada, bob, eve = await seats(hub, 3)
    circle = await founded(ada, bob)
    await add(hub.node, ada.player, WON)
    answers = []
    for name, player in ((circle["circle"], bob.player), (NOBODYS, NOBODYS)):
        known = FIELDS | {
            "circle": name,
            "link": name + NOBODYS,
            "player": player,
            "one": player,
            "other": player,
        }
        fields = {each: known[each] for each in kind.__struct_fields__ if each in known}
        answer = await eve.ask(kind.__name__, **fields)
        answers.append({key: value for key, value in answer.items() if key != "re"})
    assert (answers[0], answers[0]["code"]) == (answers[1], "unknown_circle")


async def test_bots_cannot_send_commands_on_circles(hub: HubNode) -> None:
    (ada,) = await seats(hub, 1)
    circle = await founded(ada)
    assert all(
        not kind.for_bots or kind in {circle_messages.ListCircles, circle_messages.UnwatchCircle}
        for kind, _ in handlers_in(handlers)
    )
    assert circle["members"]


async def test_a_full_address_has_no_circle(hub: HubNode, monkeypatch: pytest.MonkeyPatch) -> None:
    (ada,) = await seats(hub, 1)

    async def full(*_: object) -> None:
        raise Refusal(BaseRefusals.address_full)

    monkeypatch.setattr(hub.node.services.quotas, "_take", full)
    assert await refused(ada, "CreateCircle", name="Friends", key="0123456789") == "address_full"
    assert await hub.node.keys("*circle*") == []
