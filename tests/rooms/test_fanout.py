"""Fan-out to a room's subscribers: each change once, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from server.base.core import keys
from server.base.core.ids import RoomCode
from server.base.journals import store as journals_store
from server.players import hub as hub_module
from server.players.core.keys import MAX_SESSIONS
from server.rooms import present, progress
from server.rooms.core import commands
from server.rooms.core import keys as rooms_keys
from server.rooms.messages import RoomState
from tests.base.redis.servers import until
from tests.clients.seats import KEY, HubNode, Seat, hubs_on, room_of
from tests.conftest import ALONE
from tests.nodes import BEGUN, OVER, Node, node_on

pytestmark = ALONE


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept entries at the time that a test sets, and publish progress every 20 ms."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
    monkeypatch.setattr(progress, "EVERY", 0.02)
    monkeypatch.setattr(hub_module, "CHECK_PAUSE", 0.0)


async def race_of(node: Node, *seats: Seat) -> str:
    code = await room_of(*seats)
    await seats[0].ask("room.start", code=code)
    node.clock.time = BEGUN
    # A change of the room makes the feed check the time.
    node.services.live.changed.emit(RoomCode(code))
    for seat in seats:
        await seat.next("attempt")
    return code


async def play(seat: Seat, number: int) -> None:
    attempt = seat.received("attempt")[-1]["attempt"]
    assert (await seat.ask("move", attempt=attempt, seq=number + 1, move="s>w"))["type"] == "moved"


async def test_a_change_is_encoded_once_for_all(hub: HubNode) -> None:
    seats = [await hub.seat() for _ in range(4)]
    await seats[1].ask("room.ready", code=await room_of(*seats), ready=False)
    others = [seats[0], *seats[2:]]
    for seat in others:
        await seat.next("room", lambda e: e["version"] == 6)
    assert len({id(seat.frames[-1]) for seat in others}) == 1


async def test_an_unchanged_room_is_not_sent_again(hub: HubNode, node: Node) -> None:
    one, other = await hub.seat(), await hub.seat()
    code = await room_of(one, other)
    await one.next("room", lambda e: e["version"] == 3 and e["members"][1]["here"])
    await until(lambda: _was_sent(one, 3))
    before = len(one.received("room"))
    for _ in range(5):
        node.services.live.receive(RoomCode(code), None)
        await one.ask("room.ready", code=code, ready=True)
    await other.ask("room.ready", code=code, ready=False)
    await one.next("room", lambda e: e["version"] == 4)
    assert len(one.received("room")) == before + 1


async def _was_sent(seat: Seat, version: int) -> bool:
    return any(event["version"] == version for event in seat.received("room"))


async def test_leaving_one_room_keeps_the_subscription_to_another(hub: HubNode) -> None:
    one, other = await hub.seat(), await hub.seat()
    first = await room_of(one)
    second = await room_of(other, one, key=KEY + "2")
    await one.ask("room.leave", code=first)
    await other.ask("room.join", code=second)
    before = len(one.news)
    await other.ask("room.lock", code=second, locked=True)
    await one.next("room", lambda e: e["code"] == second and e["locked"])
    assert len(one.news) > before
    assert hub.services.room_feeds.topic_of(one.session) == second


async def test_a_session_subscribed_to_another_room_is_not_sent_the_cards(hub: HubNode) -> None:
    one, other = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(one, other))
    await one.ask("room.start", code=code)
    # The player keeps the seat and the attempt, but the session has subscribed to another room.
    await other.ask("room.create", game="robert", seats=2, limit=600, key=KEY + "other")
    hub.node.clock.time = BEGUN
    hub.node.services.live.changed.emit(code)
    await one.next("attempt")
    assert other.received("attempt") == []
    # When it joins again, it gets the cards before the answer.
    answer = await other.ask("room.join", code=code)
    assert other.received("attempt")[0]["room"] == answer["code"] == code


async def test_cards_are_sent_when_the_round_starts_and_not_before(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "COUNTDOWN_MS", 50)
    one, other = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(one, other))
    starts = (await one.ask("room.start", code=code))["round"]["starts"]
    feed = hub.services.room_feeds._audiences[code]
    await until(lambda: feed.timer is not None)
    # The timer fires before the time by the clock, and is set again.
    node.clock.time = starts - 20
    await asyncio.sleep(0.05)
    assert one.received("attempt") == other.received("attempt") == []
    node.clock.time = starts
    for seat in (one, other):
        assert (await seat.next("attempt"))["now"] >= starts
    assert feed.timer is None


async def test_progress_is_a_few_bytes_and_is_sent_to_the_other_runners(hub: HubNode) -> None:
    one, other = await hub.seat(), await hub.seat()
    await race_of(hub.node, one, other)
    await play(one, 1)
    news = await other.next("progress")
    assert [runner["result"]["moves"] for runner in news["runners"]] == [1]
    assert len(other.frames[-1]) <= 8
    # A player whose own move is the only change is sent nothing.
    await play(other, 1)
    await one.next("progress")
    assert len(one.received("progress")) == len(other.received("progress")) == 1


async def test_a_slow_client_is_sent_all_progress_in_one_event_later(hub: HubNode) -> None:
    one, other, slow = await hub.seat(), await hub.seat(), await hub.seat()
    await race_of(hub.node, one, other, slow)
    slow.behind = True
    for number in range(1, 4):
        await play(one, number)
    await other.next("progress", lambda e: e["runners"][0]["result"]["moves"] == 3)
    assert slow.received("progress") == []
    slow.behind = False
    await play(other, 1)
    (news,) = [await slow.next("progress")]
    assert [runner["result"]["moves"] for runner in news["runners"]] == [3, 1]
    assert len(slow.received("progress")) == 1


async def test_a_decreasing_version_closes_sessions_ahead_of_it(hub: HubNode, node: Node) -> None:
    one, other = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(one, other))
    await until(lambda: _was_sent(one, 3))
    entries: Any = await node.redis.xrange(rooms_keys.room(code))
    await node.redis.delete(rooms_keys.room(code))
    for id_, fields in entries[:-1]:
        await node.redis.xadd(rooms_keys.room(code), fields, id=id_)
    node.services.live.receive(code, None)
    await until(lambda: one.code == other.code == 4006)


async def test_a_session_is_closed_only_if_its_player_has_too_many_others(
    hub: HubNode, redis_url: str, node: Node
) -> None:
    first = Seat(hub)
    token = (await first.hello())["token"]
    seats = [first]
    for _ in range(MAX_SESSIONS - 1):
        node.clock.time += 1
        seats.append(await hub.seat(token))
    assert {seat.code for seat in seats} == {None}
    node.clock.time += 1
    async with node_on(redis_url, node.clock) as other_node, hubs_on(other_node) as (elsewhere,):
        # As if registered: the remains of a dead node do not count.
        other_node.registration.note_alive(node.registration.id)
        last = await elsewhere.seat(token)
        await until(lambda: first.code == 4001)
        assert (await first.next("bye"))["code"] == "replaced"
        assert {seat.code for seat in (*seats[1:], last)} == {None}
        first.leave()
        for seat in (seats[1], last):
            assert (await seat.ask("ping"))["type"] == "pong"


async def test_a_move_costs_one_message_for_each_other_node_with_a_session_of_its_player(
    hub: HubNode, redis_url: str, node: Node
) -> None:
    one = Seat(hub)
    token = (await one.hello())["token"]
    attempt = await one.ask("daily.open", game="robert")

    async def published(first: int) -> int:
        """Play three moves; return the number of messages to other nodes, and drop them."""
        for seq in range(first, first + 3):
            await one.ask("move", attempt=attempt["attempt"], seq=seq, move="s>w")
        await one.ask("ping")
        count = sum(topic.startswith("node:") for topic, _ in node.published)
        node.published.clear()
        return count

    assert await published(2) == 0
    async with node_on(redis_url, node.clock) as other_node, hubs_on(other_node) as (elsewhere,):
        third = await hub.seat(token)
        assert await published(5) == 0
        assert not third.news, "it shows no attempt"
        two = await elsewhere.seat(token)
        await until(
            lambda: all(one.player in each.services.sessions._peers for each in (node, other_node))
        )
        node.published.clear()
        assert await published(8) == 3
        assert not two.news, "it shows no attempt"
        two.leave()
        await until(lambda: one.player not in node.services.sessions._peers)
        assert await published(11) == 0


async def test_events_lost_by_the_bus_are_recovered(hub: HubNode, node: Node) -> None:
    one, other = Seat(hub), await hub.seat()
    await one.hello()
    code = RoomCode(await room_of(one, other))
    await one.ask("room.start", code=code)
    node.clock.time = BEGUN
    node.services.live.changed.emit(code)
    await other.next("attempt")
    # Newer sessions elsewhere, and an end, without notification of this node.
    node.registration.note_alive("elsewhere")
    for number in range(MAX_SESSIONS):
        name = f"elsewhere/{number}"
        await node.services.player_store.add_session(one.player, name, node.clock.time + 1)
    node.services.mirrors.ended.subscribers.clear()
    node.services.live.appended.subscribers.clear()
    node.clock.time = OVER
    await node.rooms.pass_deadline(code)
    node.services.mirrors.ended.subscribe(hub.services.holding._ended)
    node.services.sessions.missed.emit()
    await until(lambda: one.code == 4001)
    assert (await other.next("ended"))["result"]["end"] == "time"


async def test_leaving_ends_only_the_sessions_own_subscriptions(hub: HubNode, node: Node) -> None:
    one, other = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(one, other))
    await one.ask("leaderboard.watch", game="robert")
    one.leave()
    assert (await other.next("room", lambda e: not e["members"][0]["here"]))["members"][1]["here"]
    assert hub.services.room_feeds.topic_of(one.session) is None
    assert one.session not in hub.services.leaderboard_feeds._topics
    other.leave()

    async def nothing_left() -> bool:
        present = await node.services.room_store.present(code)
        topics_left = {topic for topic in node.bus._topics if topic.startswith(("room", "leader"))}
        return not (
            present or topics_left or hub.hub._sessions or hub.services.room_feeds._audiences
        )

    await until(nothing_left)


@pytest.mark.parametrize("passes", [0, 1, 2, 5, 20])
async def test_ending_during_hello_leaves_no_session(hub: HubNode, node: Node, passes: int) -> None:
    seat = Seat(hub)
    hello = asyncio.ensure_future(seat.hello())
    for _ in range(passes):
        await asyncio.sleep(0)
    seat.leave()
    player = (await hello)["player"]["id"]
    assert hub.hub._sessions == {}

    async def nothing_stored() -> bool:
        return not await node.redis.exists(keys.sessions(player))

    await until(nothing_stored)


async def test_a_hello_refused_for_lack_of_redis_can_be_repeated(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = Seat(hub)

    async def fails(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as away:
        away.setattr(node.database, "run", fails)
        assert (await seat.hello())["type"] == "refused"
    assert (await seat.hello())["type"] == "welcome"


async def test_a_players_sessions_on_two_nodes_are_both_sent_the_room(
    hub: HubNode, redis_url: str, node: Node
) -> None:
    one = Seat(hub)
    token = (await one.hello())["token"]
    async with node_on(redis_url, node.clock) as other_node, hubs_on(other_node) as (elsewhere,):
        other_node.registration.note_alive(node.registration.id)
        node.registration.note_alive(other_node.registration.id)
        two = await elsewhere.seat(token)
        code = await room_of(one)
        await two.ask("room.join", code=code)
        # A player is present on only one node, but the other node follows the room too.
        for number, (seat, other) in enumerate([(one, two), (two, one)] * 3):
            state = await seat.ask("room.ready", code=code, ready=number % 2 == 1)
            assert state["version"] == 3 + number

            async def told(other: Seat = other, version: int = 3 + number) -> bool:
                return await _was_sent(other, version)

            await until(told)


async def test_commands_wait_but_moves_dont(hub: HubNode, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = await hub.seat()
    attempt = await seat.ask("daily.open", game="robert")
    begun: list[Callable[[], None]] = []
    monkeypatch.setattr(seat, "in_turn", lambda begin, _: begun.append(begin))
    moved = await seat.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
    assert (moved["type"], begun) == ("moved", [])
    asked = asyncio.ensure_future(seat.ask("ping"))
    await asyncio.sleep(0)
    assert len(begun) == 1
    assert not seat.received("pong")
    begun[0]()
    assert (await asked)["type"] == "pong"


async def test_the_state_in_an_answer_is_not_sent_again(hub: HubNode) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = await room_of(host, guest)
    for ready in (False, True):
        answer = await guest.ask("room.ready", code=code, ready=ready)
        assert answer["members"][1]["ready"] is ready
        version = answer["version"]
        await host.next("room", lambda e, version=version: e["version"] == version)  # type: ignore[misc]
    assert guest.received("room") == []


async def test_a_new_room_is_shown_only_by_the_answer(hub: HubNode) -> None:
    host = await hub.seat()
    wanted = {"game": "robert", "seats": 4, "limit": 600, "key": "k" * 8}
    code = (await host.ask("room.create", **wanted))["code"]
    assert host.received("room") == []
    await host.ask("room.lock", code=code, locked=True)
    assert host.received("room") == []


async def test_a_player_who_returns_to_a_race_gets_the_cards_before_the_only_state(
    hub: HubNode, node: Node
) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = await race_of(node, host, guest)
    host.leave()
    guest.leave()
    await until(lambda: hub.services.live.known(RoomCode(code)) is None)
    back = await hub.seat(token=guest.token)
    room = await back.ask("room.join", code=code)
    assert [member["here"] for member in room["members"]] == [False, True]
    assert len(back.received("attempt")) == 1
    assert back.received("room") == []


async def test_a_state_is_built_once_for_an_answer_and_the_others(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = await race_of(node, host, guest)
    guest.leave()
    await host.next("room", lambda each: not each["members"][1]["here"])
    host.news.clear()
    back = await hub.seat(token=guest.token)
    built: list[RoomState] = []
    room = present.room

    def counted(*given: Any, **named: Any) -> RoomState:
        built.append(room(*given, **named))
        return built[-1]

    monkeypatch.setattr(present, "room", counted)
    joined = await back.ask("room.join", code=code)
    shown = await host.next("room", lambda each: each["members"][1]["here"])
    assert len(built) == 1
    assert {**shown, "re": 0} == {**joined, "re": 0}
    await host.ask("room.lock", code=code, locked=True)
    await back.next("room", lambda each: each["locked"])
    assert len(built) == 2


async def test_a_change_before_the_answer_is_in_the_answer(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = await race_of(node, host, guest)
    guest.leave()
    await host.next("room", lambda each: not each["members"][1]["here"])
    host.news = host.received("attempt")
    back = await hub.seat(token=guest.token)
    confirm = hub.services.live.confirm

    async def after_moves(*given: Any, **named: Any) -> Any:
        found = await confirm(*given, **named)
        # The host has been shown the player's return before the move.
        await host.next("room", lambda each: each["members"][1]["here"])
        await play(host, 1)
        await progressed.wait()
        return found

    progressed = asyncio.Event()
    hub.services.live.progressed.subscribe(lambda *_: progressed.set())
    monkeypatch.setattr(hub.services.live, "confirm", after_moves)
    room = await back.ask("room.join", code=code)
    moves = [runner["result"]["moves"] for runner in room["round"]["runners"]]
    assert moves == [1, 0]


async def test_a_change_after_an_answer_is_in_the_update(hub: HubNode) -> None:
    host, guest = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(host, guest))
    live = hub.services.live
    room, known = live.state(code), live.known(code)
    assert room is not None
    assert known is not None
    live.changed.emit(code)
    assert (await hub.services.room_feeds.state(host.session, room)).members[1].here
    known.presence.set_node(guest.player, None)
    live.changed.emit(code)
    await host.next("room", lambda each: not each["members"][1]["here"])
