"""Live rooms: one in-memory state for each room, updated by bus messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.headway import headway
from engine.hints import hint
from server.base.core import keys
from server.base.core.bus_message import encode
from server.base.core.ids import PlayerId, RoomCode
from server.base.journals.core.entry import AppendedEntry
from server.base.work import worker_pool
from server.players.core.names import Profile
from server.rooms import live_rooms as module
from server.rooms import present, progress
from server.rooms.core import bus as room_bus
from server.rooms.core import commands
from server.rooms.core import keys as rooms_keys
from server.rooms.core.bus import Progress
from server.rooms.live_room import LiveRoom, RoomPage
from tests.base.redis.servers import calls, reads, until
from tests.builders import ADA, BOB, CYD, round_of
from tests.conftest import ALONE, debug_captured
from tests.nodes import BEGUN, Node, attempt_of, running_together


@pytest.fixture(autouse=True)
async def running_nodes(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    monkeypatch.setattr(progress, "EVERY", 0.02)
    monkeypatch.setattr(worker_pool, "RETRY_AFTER", 0.1)
    monkeypatch.setattr(module, "LOAD_TIMEOUT", 0.1)
    async with running_together(node, other):
        yield


def live_on(node: Node, code: RoomCode) -> LiveRoom:
    live = node.services.live.known(code)
    assert live is not None
    return live


async def follow(node: Node, code: RoomCode, player: PlayerId) -> None:
    """Subscribe a session of a player to a room, and wait until the room is loaded."""
    node.services.live.subscribe(await node.rooms.load(code), player)
    # Sessions wait at most `LOAD_TIMEOUT`, and a refresh may take longer here.
    await live_on(node, code).loaded.wait()


async def followed(*nodes: Node) -> RoomCode:
    """Open a room of Ada and Bob, who follow it on these nodes."""
    code = (await nodes[0].room_of(ADA, BOB)).opened.code
    for node, player in zip(nodes, (ADA, BOB), strict=False):
        await follow(node, code, player)
    for node in nodes:
        await shows(node, code, *(ADA, BOB)[: len(nodes)])
    return code


def page_of(node: Node, code: RoomCode) -> RoomPage:
    page = node.services.live.page(code)
    assert page is not None
    return page


async def sees(node: Node, code: RoomCode, version: int) -> None:
    await until(
        lambda: (page := node.services.live.page(code)) is not None and page.room.version == version
    )


async def shows(node: Node, code: RoomCode, *players: PlayerId) -> None:
    await until(
        lambda: (page := node.services.live.page(code)) is not None and page.online == set(players)
    )


async def test_an_entry_published_by_another_node_is_applied_without_reading(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (await node.room_of(ADA, BOB, CYD)).opened.code
    await follow(node, code, ADA)
    await follow(other, code, BOB)
    for each in (node, other):
        await shows(each, code, ADA, BOB)
    version = page_of(other, code).room.version
    notified: list[RoomCode] = []
    other.services.live.changed.subscribe(notified.append)
    refreshes: list[RoomCode] = []
    monkeypatch.setattr(other.services.live._reads, "add", refreshes.append)
    for number in range(1, 4):
        await node.rooms.decide(code, commands.set_ready, CYD, bool(number % 2 == 0))
        await sees(other, code, version + number)
    assert (refreshes, notified) == ([], [code] * 3)


async def test_a_node_does_not_read_the_journal_that_it_has_just_written(node: Node) -> None:
    room = await node.room_of(ADA, BOB)
    before = await calls(node.redis, "xrange")
    node.services.live.subscribe(room, ADA)
    await live_on(node, room.opened.code).loaded.wait()
    assert await calls(node.redis, "xrange") == before


async def test_an_entry_appended_before_the_subscription_is_read(node: Node, other: Node) -> None:
    room = await node.room_of(ADA, BOB)
    code = room.opened.code
    after = await other.rooms.decide(code, commands.set_ready, BOB, False)
    node.services.live.subscribe(room, ADA)
    await live_on(node, code).loaded.wait()
    assert page_of(node, code).room == after


async def test_a_player_who_enters_during_the_first_refresh_is_stored(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await node.room_of(ADA, BOB)
    code, store = room.opened.code, node.services.room_store
    enter, entered = store.enter, asyncio.Event()

    async def entering(*given: Any) -> Any:
        found = await enter(*given)
        if not entered.is_set():
            node.services.live.subscribe(room, BOB)
            entered.set()
        return found

    monkeypatch.setattr(store, "enter", entering)
    node.services.live.subscribe(room, ADA)
    await live_on(node, code).loaded.wait()

    async def are_stored() -> bool:
        return (await store.present(code)).keys() == {ADA, BOB}

    await until(are_stored)


async def test_a_gap_in_published_versions_leads_to_a_read(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await follow(other, code, BOB)
    version = page_of(other, code).room.version
    # One entry that is not published, and one that is.
    node.services.live.appended.subscribers.clear()
    await node.rooms.decide(code, commands.set_ready, BOB, False)
    room = await node.rooms.decide(code, commands.set_ready, BOB, True)
    assert page_of(other, code).room.version == version
    text = (await node.services.journal_store.read(rooms_keys.room(code))).texts[-1]
    node.bus.publish(room_bus.topic(code), encode(AppendedEntry(room.version, text)))
    await sees(other, code, version + 2)


async def test_an_unknown_bus_message_leads_to_a_refresh(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await follow(other, code, BOB)
    version = page_of(other, code).room.version
    node.services.live.appended.subscribers.clear()
    for number, payload in enumerate((b"", b"\x91\x63", b"no msgpack"), start=1):
        await node.rooms.decide(code, commands.set_ready, BOB, number % 2 == 0)
        node.bus.publish(room_bus.topic(code), payload)
        await sees(other, code, version + number)


async def test_changes_are_published_only_for_members_elsewhere(node: Node, other: Node) -> None:
    code = await followed(node)
    await follow(node, code, BOB)
    node.published.clear()
    await node.rooms.decide(code, commands.set_ready, BOB, False)
    assert node.published == []
    await follow(other, code, CYD)
    await until(
        lambda: (live := node.services.live.known(code)) is not None and CYD in live.presence.nodes
    )
    node.published.clear()
    await node.rooms.decide(code, commands.set_ready, BOB, True)
    assert [topic for topic, _ in node.published] == [room_bus.topic(code)]


@ALONE
async def test_an_idle_room_reads_nothing(node: Node) -> None:
    for player in (ADA, BOB, CYD):
        code = (await node.room_of(player)).opened.code
        await follow(node, code, player)
    before = await reads(node.redis)
    for code in list(node.services.live._live):
        for _ in range(20):
            page_of(node, code)
    # Counting the reads is itself a read.
    assert await reads(node.redis) - before <= 1


async def test_members_are_present_as_long_as_they_have_a_session(node: Node, other: Node) -> None:
    code = await followed(node, other)
    # The end of a second session does not make the player absent.
    other.services.live.subscribe(await other.rooms.load(code), BOB)
    other.services.live.unsubscribe(code, BOB)
    other.services.live.unsubscribe(code, BOB)
    await shows(node, code, ADA)

    async def written() -> bool:
        return await node.services.room_store.present(code) == {ADA: node.registration.id}

    await until(written)


async def test_a_player_stays_present_with_a_newer_session(node: Node, other: Node) -> None:
    code = await followed(node)
    await follow(node, code, BOB)
    await follow(other, code, BOB)
    presence = live_on(node, code).presence
    await until(lambda: presence.nodes.get(BOB) == other.registration.id)
    node.services.live.unsubscribe(code, BOB)
    await shows(node, code, ADA, BOB)
    await shows(other, code, ADA, BOB)
    assert (await node.services.room_store.present(code))[BOB] == other.registration.id


async def test_a_dead_nodes_players_are_absent_and_its_entry_read(node: Node, other: Node) -> None:
    code = await followed(node, other)
    version = page_of(node, code).room.version
    # It dies after an append, and before it publishes the entry.
    other.services.live.appended.subscribers.clear()
    await other.rooms.decide(code, commands.set_ready, BOB, False)
    mine, dead = node.registration, other.registration.id
    mine._update([mine.id])
    assert mine.is_alive(dead)
    mine._update([mine.id])
    assert not mine.is_alive(dead)
    await shows(node, code, ADA)
    await sees(node, code, version + 1)
    # The node was only slow.
    mine._update([mine.id, dead])
    await shows(node, code, ADA, BOB)


async def test_lost_presence_is_rewritten(node: Node) -> None:
    code = await followed(node)
    await node.redis.delete(keys.presence(code))
    await node.redis.hset(keys.presence(code), BOB, node.registration.id)
    node.services.live.receive(code, None)

    async def written() -> bool:
        return await node.services.room_store.present(code) == {ADA: node.registration.id}

    await until(written)
    assert page_of(node, code).online == {ADA}


async def test_a_node_that_follows_during_a_round_reads_progress(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    await follow(node, code, ADA)
    node.clock.time = BEGUN
    for _ in range(3):
        await node.play(attempt_of(room, ADA), ADA)
    await follow(other, code, BOB)
    live = live_on(other, code)
    board = (await node.state_of(attempt_of(room, ADA))).board
    assert live.all_counters() == [0, board.home, 3, 0]
    assert page_of(other, code).progress[ADA].moves == 3
    # From then on, it receives progress messages.
    notified: list[list[int]] = []
    other.services.live.progressed.subscribe(lambda _, counters: notified.append(counters))
    await other.play(attempt_of(room, BOB), BOB)
    await node.play(attempt_of(room, ADA), ADA)
    boards = [(await node.state_of(attempt_of(room, player))).board for player in (ADA, BOB)]
    expected = [[place, board.home, board.moves, 0] for place, board in enumerate(boards)]
    await until(lambda: live.all_counters() == [*expected[0], *expected[1]])
    assert sorted(notified) == expected


async def test_rivals_see_how_many_cards_are_turned_up(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB, game="klondike")
    await follow(other, code, BOB)
    node.clock.time = BEGUN
    attempt = attempt_of(room, ADA)
    while not (turned := headway((state := await node.state_of(attempt)).board, "turned-up")):
        move = hint(state.board)
        assert move is not None, "this deal turns up a card by hints"
        await node.move(attempt, ADA, state.seq + 1, move)
    await until(lambda: page_of(other, code).headways.get(ADA) == turned)
    shown = present.room(page_of(other, code))
    assert shown.round is not None
    assert [runner.headway for runner in shown.round.runners] == [turned, 0]
    # A node that follows only now reads it.
    live = await other.services.live.load_page(await other.rooms.load(code))
    assert live.headways[ADA] == turned
    # A finished run has a result instead.
    await node.attempts.give_up(attempt)
    await node.apply_effects()
    await until(lambda: page_of(other, code).headways == {})


async def test_counters_are_reset_by_a_new_round_and_never_decrease(node: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    await follow(node, code, ADA)
    live = live_on(node, code)
    deal = round_of(room).deal
    assert live.advance(Progress(deal, [(BOB, 2, 7, 5)])) == [1, 2, 7, 5]
    assert live.advance(Progress(deal, [(BOB, 2, 7, 5), (BOB, 1, 6, 6)])) == []
    node.clock.time = BEGUN
    for player in (ADA, BOB):
        await node.attempts.give_up(attempt_of(room, player))
    await node.apply_effects()
    await node.rematch(code, ADA, BOB)
    assert (live.all_counters(), live.advance(Progress(deal, [(ADA, 2, 7, 0)]))) == ([], [])


async def test_the_seed_of_a_finished_round_is_shown_on_every_node(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    await follow(node, code, ADA)
    await follow(other, code, BOB)
    node.clock.time = BEGUN
    for player in (ADA, BOB):
        await node.attempts.give_up(attempt_of(room, player))
    await node.apply_effects()
    deal = await node.services.deal_store.find(round_of(room).deal)
    assert deal is not None
    for each in (node, other):

        async def notified(each: Node = each) -> bool:
            page = each.services.live.page(code)
            return page is not None and page.seed == deal.seed.hex()

        await until(notified)


async def test_a_new_name_is_shown_in_the_room_on_every_node(node: Node, other: Node) -> None:
    code = await followed(node, other)
    notified: list[RoomCode] = []
    other.services.live.changed.subscribe(notified.append)
    node.services.live.renamed(code, await node.services.identity.rename(ADA, "Ada L"))
    await until(
        lambda: bool(notified) and page_of(other, code).profiles[ADA] == Profile(ADA, "Ada L")
    )
    assert page_of(node, code).profiles[ADA].name == "Ada L"


async def test_leaving_unsubscribes_and_entering_again_refreshes(node: Node) -> None:
    code = await followed(node)
    node.services.live.unsubscribe(code, ADA)
    assert node.services.live.known(code) is None
    assert room_bus.topic(code) not in node.bus._topics
    await node.rooms.decide(code, commands.set_ready, BOB, False)
    await follow(node, code, ADA)
    assert page_of(node, code).room == await node.rooms.load(code)


@ALONE
async def test_refresh_is_retried(node: Node, other: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await followed(node)
    version = page_of(node, code).room.version
    other.services.live.appended.subscribers.clear()
    await other.rooms.decide(code, commands.set_ready, BOB, False)
    with monkeypatch.context() as away, debug_captured() as logs:
        away.setattr(node.database.client, "pipeline", _is_away)
        node.services.live.receive(code, None)
        await until(lambda: any(entry.get("work") == "live_rooms" for entry in logs))
    await sees(node, code, version + 1)


def _is_away(*_: object, **__: object) -> None:
    raise OSError("away")


def slow_refreshes(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> tuple[asyncio.Event, asyncio.Event]:
    """Make a node's refreshes set one event, and wait for the other before they continue."""
    present = node.services.room_store.present
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(asked_for: RoomCode) -> dict[PlayerId, str]:
        found = await present(asked_for)
        asked.set()
        await go_on.wait()
        return found

    monkeypatch.setattr(node.services.room_store, "present", slow)
    return asked, go_on


async def test_entries_in_a_refresh_are_kept(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await followed(node)
    asked, go_on = slow_refreshes(node, monkeypatch)
    node.services.live.receive(code, None)
    await asked.wait()
    room = await node.rooms.decide(code, commands.set_ready, BOB, False)
    assert page_of(node, code).room.version == room.version
    go_on.set()
    await until(lambda: live_on(node, code).presence._changes is None)
    assert page_of(node, code).room.version == room.version


async def test_a_room_left_stays_unfollowed(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await followed(node)
    asked, go_on = slow_refreshes(node, monkeypatch)
    live = live_on(node, code)
    node.services.live.refresh_soon(code)
    await asked.wait()
    node.services.live.unsubscribe(code, ADA)
    go_on.set()
    await until(lambda: live.presence._changes is None)

    async def absent() -> bool:
        return await node.services.room_store.present(code) == {}

    await until(absent)
    assert node.services.live.size == 0


async def test_a_read_page_includes_entries_whose_message_was_lost(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB, CYD)).opened.code
    await follow(node, code, ADA)
    stale = await other.rooms.load(code)
    await follow(other, code, BOB)
    # Messages published from here on are lost.
    other.bus.unsubscribe(room_bus.topic(code))
    room = await node.rooms.decide(code, commands.set_ready, CYD, False)
    page = await other.services.live.load_page(await other.rooms.load(code))
    assert page.room.version == room.version > stale.version


async def test_reading_a_page_excludes_entries_lost_by_redis(node: Node) -> None:
    code = await followed(node)
    lost = page_of(node, code).room.version
    entries: Any = await node.redis.xrange(rooms_keys.room(code))
    await node.redis.delete(rooms_keys.room(code))
    for id_, fields in entries[:-1]:
        await node.redis.xadd(rooms_keys.room(code), fields, id=id_)
    # The host still has a seat, so that nothing is appended.
    room = await node.rooms.decide(code, commands.take_seat, ADA)
    assert room.version < lost
    assert (await node.services.live.load_page(room)).room.version == room.version
    assert page_of(node, code).room.version == room.version


async def test_reading_a_page_of_an_older_state_returns_the_newest(node: Node) -> None:
    code = await followed(node)
    before = await node.rooms.decide(code, commands.take_seat, ADA)
    after = await node.rooms.decide(code, commands.set_ready, BOB, False)
    page = await node.services.live.load_page(before)
    assert page.room.version == after.version > before.version


async def test_a_node_that_follows_no_room_reads_online_players(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    assert await other.services.live.online(code) == set()
    await follow(node, code, ADA)
    await node.services.room_store.put_present(code, BOB, "dead node")
    assert await other.services.live.online(code) == {ADA}
    assert other.services.live.present(code) is None
    before = await calls(node.redis, "hgetall")
    assert await node.services.live.online(code) == {ADA}
    assert await calls(node.redis, "hgetall") == before, "a node that follows it does not read"
