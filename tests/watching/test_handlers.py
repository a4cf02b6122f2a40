"""Updates to watchers of a leaderboard: at most one per tick, and only changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.wire import feed as wire_feed
from server.play.core.result import pack
from server.players.core.names import guest_name
from server.results import feed as module
from server.results.core.boards import ALL_GAMES, BoardId, of_daily, week_of
from server.results.leaderboards import RIVALS, Leaderboards
from server.results.leaderboards_store import Placement
from tests.base.redis.servers import until
from tests.builders import START
from tests.clients.seats import HubNode, Seat
from tests.conftest import ALONE
from tests.nodes import Node
from tests.results.placing import place_player
from tests.wire import Message

pytestmark = ALONE

DAY = days.day_at(START)
GAME = "robert"
OTHERS = [PlayerId(f"{number:016}") for number in range(40)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_feed, "TICK", 0.01)


@pytest.fixture
def reads(node: Node, monkeypatch: pytest.MonkeyPatch) -> list[list[PlayerId]]:
    found: list[list[PlayerId]] = []
    around = Leaderboards.around

    async def recording(
        boards: Leaderboards, board: BoardId, players: Sequence[PlayerId]
    ) -> object:
        found.append(list(players))
        return await around(boards, board, players)

    monkeypatch.setattr(Leaderboards, "around", recording)
    return found


async def enter(node: Node, player: PlayerId, score: int) -> None:
    await node.services.leaderboards.place(
        player, [Placement(of_daily(DailyId(GAME, DAY), "guests"), score)]
    )


async def watch(hub: HubNode, seat: Seat) -> None:
    """Watch the leaderboard, and wait until the subscription is active and nothing is pending."""
    await seat.ask("leaderboard.watch", game=GAME)
    await settled(hub)


async def settled(hub: HubNode) -> None:
    async def nothing_pending() -> bool:
        watched = hub.services.leaderboard_feeds._audiences.get(
            of_daily(DailyId(GAME, DAY), "guests")
        )
        # The start of the subscription counts as the first message.
        subscribed = hub.services.leaderboard_feeds._entries_seen > 0
        return subscribed and (watched is None or not watched.is_pending)

    await until(nothing_pending)


def ranked(player: PlayerId, rank: int) -> Callable[[Message], bool]:
    return lambda event: (
        (player, rank) in [(row["player"]["id"], row["rank"]) for row in event["around"]]
    )


async def test_all_watchers_are_sent_the_same_bytes_of_a_change(hub: HubNode, node: Node) -> None:
    seats = [await hub.seat() for _ in range(5)]
    for seat in seats:
        await watch(hub, seat)
    await enter(node, OTHERS[0], 7)
    for seat in seats:
        news = await seat.next("leaderboard", lambda e: e["size"] == 1)
        assert [row["player"]["id"] for row in news["top"]] == [OTHERS[0]]
        assert news["top"][0]["player"]["name"] == guest_name(OTHERS[0])
    # It may not be the last frame.
    assert set.intersection(*({id(frame) for frame in seat.frames} for seat in seats))


async def test_unchanged_fields_are_null(hub: HubNode, node: Node) -> None:
    for score, player in enumerate(OTHERS[:10]):
        await enter(node, player, score)
    seat = await hub.seat()
    await watch(hub, seat)
    await enter(node, OTHERS[10], 100)
    news = await seat.next("leaderboard", lambda e: e["size"] == 11)
    assert len(news["top"]) == 10
    # The kind, no answered command, the size, three nulls, then the middle row.
    assert seat.frames[-1][:7] == b"\x97\x08\x00\x0b\xc0\xc0\xc0"
    assert news["middle"] == {"left": 0, "time": 0, "moves": 5, "value": 0}


async def test_a_watcher_is_sent_the_changes_of_its_own_rows(
    hub: HubNode, node: Node, reads: list[list[PlayerId]]
) -> None:
    seats = [await hub.seat() for _ in range(3)]
    first, middle, last = seats
    for place, player in enumerate(OTHERS[:20]):
        await enter(node, player, 10 * place)
    await enter(node, first.player, 5)
    await enter(node, middle.player, 95)
    await enter(node, last.player, 500)
    for seat in seats:
        await watch(hub, seat)
    reads.clear()
    # Worse than the neighbours of the first, and better than those of the others.
    await enter(node, OTHERS[30], 55)
    for seat, rank in ((middle, 13), (last, 24)):
        news = await seat.next("leaderboard", ranked(seat.player, rank))
        assert (news["size"], len(news["around"])) == (24, 4 if seat is last else 7)
    await settled(hub)
    assert reads == [[middle.player, last.player]]


async def test_own_rows_are_read_only_for_watchers_with_an_entry(
    hub: HubNode, node: Node, reads: list[list[PlayerId]]
) -> None:
    seats = [await hub.seat() for _ in range(4)]
    for seat in seats:
        await watch(hub, seat)
    reads.clear()
    for score, player in enumerate(OTHERS[:5]):
        await enter(node, player, score)
    await enter(node, seats[0].player, 99)
    news = await seats[0].next("leaderboard", lambda e: len(e["around"]) == 4)
    assert news["around"][-1]["rank"] == 6
    await settled(hub)
    assert all(players == [seats[0].player] for players in reads)


async def test_watchers_beyond_the_limit_of_a_tick_are_read_in_the_next(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch, reads: list[list[PlayerId]]
) -> None:
    monkeypatch.setattr(module, "MAX_READ", 3)
    monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    seats = [await hub.seat() for _ in range(7)]
    for place, seat in enumerate(seats):
        await enter(node, seat.player, 100 + place)
    for seat in seats:
        await watch(hub, seat)
    reads.clear()
    await enter(node, OTHERS[0], 1)
    for place, seat in enumerate(seats):
        assert (await seat.next("leaderboard", ranked(seat.player, place + 2)))["size"] == 8
    assert all(len(players) <= 2 for players in reads)
    assert sorted(player for players in reads for player in players) == sorted(
        seat.player for seat in seats
    )


async def test_an_unknown_change_reads_the_own_rows_of_all_watchers(
    hub: HubNode, node: Node, reads: list[list[PlayerId]]
) -> None:
    seat = await hub.seat()
    await enter(node, seat.player, 5)
    await watch(hub, seat)
    reads.clear()
    await place_player(
        node.services.leaderboard_store, of_daily(DailyId(GAME, DAY), "guests"), OTHERS[0], 3
    )
    # As for a reapplied effect, it is published without the entry.
    await enter(node, OTHERS[0], 3)
    news = await seat.next("leaderboard", lambda e: len(e["around"]) == 2)
    assert ([row["rank"] for row in news["around"]], reads) == ([1, 2], [[seat.player]])


async def test_a_worse_score_is_sent_to_the_players_who_pass_it(hub: HubNode, node: Node) -> None:
    seat = await hub.seat()
    await enter(node, seat.player, 50)
    for score, player in enumerate(OTHERS[:9]):
        await enter(node, player, score)
    await watch(hub, seat)
    await enter(node, OTHERS[0], 99)
    news = await seat.next("leaderboard", ranked(seat.player, 9))
    assert news["around"][-1]["player"]["id"] == OTHERS[0]


async def test_rivals_are_sent_when_one_of_them_gets_an_entry(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    seats = [await hub.seat() for _ in range(5)]
    alone, *racers = seats
    for seat in racers:
        await node.services.met_store.add(seat.player, [OTHERS[0], OTHERS[1]], START)
    await enter(node, OTHERS[1], 70)
    await enter(node, racers[0].player, 60)
    for seat in seats:
        await watch(hub, seat)
    told = racers[0].received("leaderboard")
    await enter(node, OTHERS[30], 5)
    await enter(node, OTHERS[0], 65)
    for seat in racers:
        news = await seat.next(
            "leaderboard", lambda e: OTHERS[0] in [row["player"]["id"] for row in e["rivals"]]
        )
        own = [(2, seat.player)] if seat is racers[0] else []
        assert [(row["rank"], row["player"]["id"]) for row in news["rivals"]] == [
            *own,
            (3, OTHERS[0]),
            (4, OTHERS[1]),
        ]
    await settled(hub)
    assert told == []
    assert all(not event["rivals"] for event in alone.received("leaderboard"))


async def test_rivals_and_the_median_are_in_the_answer(hub: HubNode, node: Node) -> None:
    seat = await hub.seat()
    await node.services.met_store.add(seat.player, OTHERS[:30], START)
    for place, player in enumerate(OTHERS):
        await enter(node, player, pack(place, 1_000, 7))
    answer = await seat.ask("leaderboard.watch", game=GAME)
    assert [row["rank"] for row in answer["rivals"]] == list(range(1, RIVALS + 1))
    assert answer["middle"] == {"left": 19, "time": 1_000, "moves": 7, "value": 0}
    assert (answer["scope"], answer["group"], answer["day"]) == ("day", "guests", DAY)


async def test_any_leaderboard_can_be_watched(hub: HubNode, node: Node) -> None:
    seat = await hub.seat()
    week = BoardId("week", ALL_GAMES, week_of(DAY), "ranked")
    await node.services.leaderboards.place(OTHERS[0], [Placement(week, -410)])
    answer = await seat.ask("leaderboard.watch", game="all", scope="week", group="ranked")
    assert answer["day"] == week.period
    (row,) = answer["top"]
    assert (row["value"], row["left"], row["time"], row["moves"]) == (410, 0, 0, 0)
    await node.services.leaderboards.place(OTHERS[1], [Placement(week, -500)])
    news = await seat.next("leaderboard", lambda e: e["size"] == 2)
    assert [row["value"] for row in news["top"]] == [500, 410]
    own = await seat.ask("leaderboard.watch", game="all", scope="week")
    assert (own["group"], own["size"]) == ("guests", 0)
    ever = await seat.ask("leaderboard.watch", game="all", scope="races")
    assert (ever["group"], ever["day"]) == ("ranked", 0)


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"game": "no-such-game"}, "unknown_game"),
        ({"game": "no-such-game", "scope": "week"}, "unknown_game"),
        ({"game": GAME, "day": DAY + 1}, "unknown_day"),
        ({"game": GAME, "scope": "week", "day": week_of(DAY) + 1}, "unknown_day"),
        ({"game": GAME, "scope": "races", "day": 3}, "unknown_board"),
        ({"game": GAME, "scope": "rating", "group": "guests"}, "unknown_board"),
        ({"game": "all", "scope": "best"}, "unknown_board"),
        ({"game": GAME, "scope": "month"}, "bad_message"),
    ],
)
async def test_an_invalid_leaderboard_is_refused(hub: HubNode, wanted: Message, code: str) -> None:
    assert (await (await hub.seat()).ask("leaderboard.watch", **wanted))["code"] == code
    assert not hub.services.leaderboard_feeds._audiences


async def test_a_slow_watcher_is_sent_all_changes_in_one_event_later(hub: HubNode) -> None:
    slow, other = await hub.seat(), await hub.seat()
    await enter(hub.node, slow.player, 50)
    for seat in (slow, other):
        await watch(hub, seat)
    slow.behind = True
    for score, player in enumerate(OTHERS[:3]):
        await enter(hub.node, player, score)
    await other.next("leaderboard", lambda e: e["size"] == 4)
    before = len(slow.news)
    slow.behind = False
    news = await slow.next("leaderboard", lambda e: e["size"] == 4)
    assert ([len(news["top"]), len(news["around"])], len(slow.news)) == ([4, 4], before + 1)


async def test_a_page_is_encoded_once_for_slow_watchers_without_rows(hub: HubNode) -> None:
    slow, other = [await hub.seat() for _ in range(3)], await hub.seat()
    for seat in (*slow, other):
        await watch(hub, seat)
    for seat in slow:
        seat.behind = True
    for score, player in enumerate(OTHERS[:2]):
        await enter(hub.node, player, score)
        await other.next("leaderboard", lambda e, size=score + 1: e["size"] == size)  # type: ignore[misc]
    encoded = hub.node.services.metrics.board_changes
    for seat in slow:
        seat.behind = False
    for seat in slow:
        await seat.next("leaderboard", lambda e: e["size"] == 2)
    assert hub.node.services.metrics.board_changes == encoded + 1


async def test_watching_another_leaderboard_ends_watching_the_first(hub: HubNode) -> None:
    seat, other = await hub.seat(), await hub.seat()
    for each in (seat, other):
        await watch(hub, each)
    await seat.ask("leaderboard.watch", game="deuces")
    await enter(hub.node, OTHERS[0], 3)
    await other.next("leaderboard", lambda e: e["size"] == 1)
    assert seat.received("leaderboard") == []
    await seat.ask("leaderboard.unwatch")
    await other.ask("leaderboard.unwatch")
    assert not [topic for topic in hub.node.bus._topics if topic.startswith("leaderboard")]
    assert not hub.services.leaderboard_feeds._audiences
