"""Watching a round: the boards sent to each viewer, their timing and their cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from engine.board import view_of
from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.base.journals import store as journals_store
from server.base.journals.store import JournalStore
from server.base.wire import codec
from server.base.work import worker_pool
from server.play.core import keys
from server.rooms import progress
from server.rooms.core.room import Room
from server.rooms.live_room import RoomPage
from server.watching import feed as module
from server.watching import watching as service
from tests.base.redis.servers import until
from tests.builders import homewards
from tests.clients.seats import HubNode, Seat, hubs_on, room_of
from tests.conftest import ALONE
from tests.nodes import Node, SetClock, node_on
from tests.watched import SeenBoard, SeenBoards
from tests.wire import Message

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

DELAY = 40
"""Milliseconds by the test's clock."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept entries at the time that a test sets, and shorten all waits."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    monkeypatch.setattr(service, "WATCH_DELAY_MS", DELAY)
    monkeypatch.setattr(worker_pool, "RETRY_AFTER", 0.05)
    monkeypatch.setattr(module, "CATCH_UP_EVERY", 0.02)


class Watcher:
    """A watching session, and the boards that it has received."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._read = 0
        self._boards = SeenBoards()

    async def watch(self, code: str, key: str | None = None) -> dict[str, Any]:
        """Request to watch, and return the answer."""
        self._read = len(self.seat.news)
        answer = await self.seat.ask("WatchRound", code=code, key=key)
        self._boards = SeenBoards()
        self._read = len(self.seat.news)
        self._boards.update(answer)
        return answer

    @property
    def boards(self) -> SeenBoards:
        """The current boards."""
        for event in self.seat.news[self._read :]:
            self._boards.update(event)
        self._read = len(self.seat.news)
        return self._boards

    def of(self, player: PlayerId) -> SeenBoard:
        """Return a runner's board."""
        return self.boards.boards[player]

    async def sees(self, player: PlayerId, seq: int) -> SeenBoard:
        """Wait until a runner's entry is visible, and return the board."""
        await until(
            lambda: (found := self.boards.boards.get(player)) is not None and found.seq == seq
        )
        return self.of(player)

    async def sight(self, sight: str, number: int) -> None:
        """Wait until a round is seen with a certain sight."""
        await until(lambda: (self.boards.sight, self.boards.number) == (sight, number))


async def race_of(node: Node, *seats: Seat) -> RoomCode:
    code = RoomCode(await room_of(*seats))
    await begin(node, node.clock, code, *seats)
    return code


async def begin(node: Node, clock: SetClock, code: RoomCode, *seats: Seat) -> None:
    for seat in seats[1:]:
        await seat.ask("room.ready", code=code, ready=True)
    room = await seats[0].ask("room.start", code=code)
    clock.time = room["round"]["starts"]
    node.services.live.changed.emit(code)
    for seat in seats:
        await seat.next("attempt", lambda e: e["deal"] == room["round"]["deal"])


def attempt_of(seat: Seat) -> AttemptId:
    return AttemptId(seat.received("attempt")[-1]["attempt"])


async def play(node: Node, seat: Seat, seq: int) -> None:
    state = await node.state_of(attempt_of(seat))
    move = homewards(state.board)
    assert move is not None
    numbers = state.board.ruleset.numbers_of(move)
    done: asyncio.Future[Any] = asyncio.Future()
    node.attempts.play_soon(state.id, seat.player, seq, numbers, done.set_result)
    assert (await done).after.seq == seq


async def resign(node: Node, seat: Seat) -> None:
    seq = (await node.state_of(attempt_of(seat))).seq
    await node.attempts.resign(attempt_of(seat), seat.player, seq + 1)
    await node.apply_effects()


def has_moves(moves: int) -> Callable[[Message], bool]:
    return lambda event: event["runners"][0]["result"]["moves"] == moves


async def check(node: Node, seat: Seat, seen: SeenBoard) -> None:
    state = await node.state_of(attempt_of(seat))
    view = view_of(state.board)
    assert (seen.seq, tuple(seen.piles), seen.redeals) == (state.seq, view.piles, view.redeals)
    assert (seen.result["home"], seen.result["end"]) == (state.board.home, state.end)


async def test_a_finished_runner_sees_each_move_immediately(hub: HubNode, node: Node) -> None:
    ada, bob = await hub.seat(), await hub.seat()
    code = await race_of(node, ada, bob)
    await play(node, ada, 2)
    assert (await bob.ask("WatchRound", code=code))["code"] == "still_racing"
    await resign(node, bob)
    watcher = Watcher(bob)
    answer = await watcher.watch(code)
    assert (answer["sight"], answer["delay"], answer["round"]) == ("live", 0, 1)
    await check(node, ada, watcher.of(ada.player))
    await check(node, bob, watcher.of(bob.player))
    for seq in range(3, 12):
        await play(node, ada, seq)
        await check(node, ada, await watcher.sees(ada.player, seq))
    await resign(node, ada)
    await check(node, ada, await watcher.sees(ada.player, 12))
    assert not [e for e in ada.news if e["type"].startswith("Watched")]


async def test_others_see_each_move_delayed_from_the_time_of_its_entry(hub: HubNode) -> None:
    ada, bob, cyd = await hub.seat(), await hub.seat(), await hub.seat()
    code = await race_of(hub.node, ada, bob)
    begun = hub.node.clock.time
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    assert (await cyd.ask("WatchRound", code=code))["code"] == "not_invited"
    assert (await cyd.ask("WatchRound", code=code, key=key[:-1] + "?"))["code"] == "not_invited"
    watcher = Watcher(cyd)
    answer = await watcher.watch(code.lower(), key)
    assert (answer["sight"], [board["seq"] for board in answer["boards"]]) == ("delayed", [0, 0])
    (room,) = cyd.received("room")
    assert [seat["player"]["id"] for seat in room["members"]] == [ada.player, bob.player]
    hub.node.clock.time = begun + 10
    await play(hub.node, ada, 2)
    # The counters are not delayed, since runners get them too.
    await cyd.next("progress")
    hub.node.clock.time = begun + DELAY - 1
    await cyd.ask("ping")
    await asyncio.sleep(0.06)
    assert watcher.of(ada.player).seq == 0
    hub.node.clock.time = begun + DELAY
    for seat in (ada, bob):
        assert (await watcher.sees(seat.player, 1)).result["moves"] == 0
    hub.node.clock.time = begun + DELAY + 9
    await asyncio.sleep(0.03)
    assert watcher.of(ada.player).seq == 1
    hub.node.clock.time = begun + DELAY + 10
    await check(hub.node, ada, await watcher.sees(ada.player, 2))


async def test_the_first_boards_include_only_past_entries(hub: HubNode, node: Node) -> None:
    ada, cyd = await hub.seat(), await hub.seat()
    code = await race_of(node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    for seq in range(2, 10):
        node.clock.time += 10
        await play(node, ada, seq)
    # The entries 2 to 9 have the times 10 to 80.
    watcher = Watcher(cyd)
    answer = await watcher.watch(code, key)
    assert [board["seq"] for board in answer["boards"]] == [5]
    node.clock.time += DELAY
    await check(node, ada, await watcher.sees(ada.player, 9))


async def test_a_public_round_is_shown_when_it_is_over(hub: HubNode, node: Node) -> None:
    ada, bob, cyd = await hub.seat(), await hub.seat(), await hub.seat()
    code = await race_of(node, ada, bob)
    # It stays hidden even if the room becomes private again.
    for public in (True, False):
        await ada.ask("room.public", code=code, public=public)
    await play(node, ada, 2)
    await resign(node, bob)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    watchers = [Watcher(bob), Watcher(cyd)]
    for watcher in watchers:
        answer = await watcher.watch(code, key)
        assert (answer["sight"], answer["boards"]) == ("hidden", [])
    await play(node, ada, 3)
    await cyd.next("progress", lambda e: e["runners"][0]["result"]["moves"] == 2)
    node.clock.time += 2 * DELAY
    for watcher in watchers:
        await watcher.seat.ask("ping")
        assert watcher.seat.received("WatchedMove") == []
    await resign(node, ada)
    await watchers[0].sight("live", 1)
    await check(node, ada, await watchers[0].sees(ada.player, 4))
    node.clock.time += 2 * DELAY
    await watchers[1].sight("delayed", 1)
    await check(node, ada, await watchers[1].sees(ada.player, 4))


async def test_a_strangers_boards_end_when_the_room_is_closed(hub: HubNode, node: Node) -> None:
    ada, bob = await hub.seat(), await hub.seat()
    code = RoomCode(await room_of(ada))
    await ada.ask("room.public", code=code, public=True)
    await bob.ask("room.join", code=code)
    await ada.ask("room.public", code=code, public=False)
    await begin(node, node.clock, code, ada, bob)
    await play(node, bob, 2)
    await resign(node, ada)
    answer = await Watcher(ada).watch(code)
    assert (answer["sight"], answer["boards"]) == ("hidden", [])
    await play(node, bob, 3)
    await ada.next("progress", has_moves(2))
    assert ada.received("WatchedMove") == []


async def test_a_watcher_follows_the_next_round_until_its_player_runs_in_one(hub: HubNode) -> None:
    ada, cyd, dan = await hub.seat(), await hub.seat(), await hub.seat()
    code = await race_of(hub.node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    watchers = [Watcher(cyd), Watcher(dan)]
    for watcher in watchers:
        await watcher.watch(code, key)
    await resign(hub.node, ada)
    # The room has two seats, and one is free.
    joined = await dan.ask("room.join", code=code)
    assert [member["here"] for member in joined["members"]] == [True, True]
    await begin(hub.node, hub.node.clock, code, ada, dan)
    await watchers[0].sight("delayed", 2)
    await watchers[1].sight("ended", 2)
    seen = len(dan.frames)
    await play(hub.node, ada, 2)
    hub.node.clock.time += 2 * DELAY
    await check(hub.node, ada, await watchers[0].sees(ada.player, 2))
    await dan.next("progress", lambda e: e["number"] == 2)
    assert [e["type"] for e in dan.news if e["type"] == "WatchedMove"] == []
    assert len(dan.frames) > seen
    assert (await dan.ask("WatchRound", code=code, key=key))["code"] == "still_racing"


async def test_an_entry_is_encoded_once_and_sent_once_to_each_watcher(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = await hub.seat(), await hub.seat()
    code = await race_of(node, ada, bob)
    await resign(node, bob)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    watchers = [Watcher(bob), *[Watcher(await hub.seat()) for _ in range(5)]]
    for watcher in watchers:
        await watcher.watch(code, key)
    encoded: list[str] = []
    encode = codec.encode

    def counting(event: Any, *args: Any) -> bytes:
        encoded.append(type(event).__name__)
        return encode(event, *args)

    monkeypatch.setattr(codec, "encode", counting)
    for seq in range(2, 7):
        await play(node, ada, seq)
    await watchers[0].sees(ada.player, 6)
    node.clock.time += DELAY
    for watcher in watchers:
        await check(node, ada, await watcher.sees(ada.player, 6))
    # The first two entries of delayed watchers, five moves, and Bob's end.
    assert encoded.count("WatchedMove") == 2 + 5 + 1
    for watcher in watchers:
        moves = watcher.seat.received("WatchedMove")
        assert len([e for e in moves if e["board"] == 0 and e["seq"] > 1]) == 5
    assert len(set.intersection(*[set(map(id, watcher.seat.frames)) for watcher in watchers])) >= 5


async def test_a_slow_watcher_gets_all_boards_once_caught_up(hub: HubNode, node: Node) -> None:
    ada, bob = await hub.seat(), await hub.seat()
    code = await race_of(node, ada, bob)
    await resign(node, bob)
    watcher = Watcher(bob)
    await watcher.watch(code)
    bob.behind = True
    for seq in range(2, 6):
        await play(node, ada, seq)

    async def is_set_aside() -> bool:
        feed = hub.services.watch_feeds._audiences[code]
        return (
            node.services.metrics.watched == 4 and not feed.unsent and bob.session in feed.renewed
        )

    await until(is_set_aside)
    assert bob.received("WatchedMove") == []
    bob.behind = False
    await check(node, ada, await watcher.sees(ada.player, 5))
    assert (len(bob.received("Watched")), bob.received("WatchedMove")) == (1, [])


async def test_watchers_on_another_node_see_the_same_with_one_read(
    hub: HubNode, node: Node, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await hub.seat()
    code = await race_of(node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    async with node_on(redis_url, node.clock) as other_node, hubs_on(other_node) as (there,):
        watchers = [Watcher(await there.seat()) for _ in range(3)]
        for watcher in watchers:
            await watcher.watch(code, key)
        # All watchers of a node share one presence.
        present = await node.services.room_store.present(code)
        assert len(present) == 2
        for seq in range(2, 9):
            await play(node, ada, seq)
            await watchers[0].seat.next("progress", has_moves(seq - 1))
        node.clock.time += DELAY
        for watcher in watchers:
            await check(node, ada, await watcher.sees(ada.player, 8))
        assert node.services.watching.size == 0
        assert not node.services.watching._runners
        for watcher in watchers:
            assert (await watcher.seat.ask("StopWatching"))["type"] == "done"

        async def forgotten() -> bool:
            present = await node.services.room_store.present(code)
            return len(present) == 1 and there.node.services.live.size == 0

        await until(forgotten)
        assert there.node.services.watching.size == 0


async def test_an_unreadable_journal_is_reported_and_read_again(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, cyd = await hub.seat(), await hub.seat()
    code = await race_of(node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    node.clock.time += DELAY

    async def fails(*_: object) -> None:
        raise UnavailableError

    watcher = Watcher(cyd)
    with monkeypatch.context() as away:
        away.setattr(JournalStore, "read", fails)
        (board,) = (await watcher.watch(code, key))["boards"]
        assert (board["seq"], board["piles"], board["problem"]) == (0, [], "unavailable")
    board = await watcher.sees(ada.player, 1)
    assert board.problem is None
    await check(node, ada, board)


async def test_entries_lost_by_the_store_are_gone(hub: HubNode, node: Node, redis_url: str) -> None:
    ada = await hub.seat()
    code = await race_of(node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    async with node_on(redis_url, node.clock) as other_node, hubs_on(other_node) as (there,):
        watcher = Watcher(await there.seat())
        await watcher.watch(code, key)
        await play(node, ada, 2)
        await play(node, ada, 3)
        node.clock.time += DELAY
        await watcher.sees(ada.player, 3)
        await node.redis.xdel(keys.attempt(attempt_of(ada)), "0-3")
        watched = there.node.services.watching
        deal = watched.deal(code)
        assert deal is not None
        watched._reads.add((code, deal, 0))
        assert (await watcher.sees(ada.player, 2)).result["moves"] == 1


async def test_the_number_of_watchers_is_bounded(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_WATCHERS", 2)
    ada = await hub.seat()
    code = await race_of(node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    seats = [await hub.seat() for _ in range(3)]
    answers = [await seat.ask("WatchRound", code=code, key=key) for seat in seats]
    assert [answer.get("code") for answer in answers] == [code, code, "too_many_watchers"]
    # A watching session can request it again, and one that stops makes room.
    assert (await seats[0].ask("WatchRound", code=code, key=key))["code"] == code
    assert (await seats[0].ask("StopWatching"))["type"] == "done"
    assert (await seats[2].ask("WatchRound", code=code, key=key))["code"] == code


async def test_only_the_host_gets_the_key_and_it_opens_only_this_room(hub: HubNode) -> None:
    ada, bob, cyd = [await hub.seat() for _ in range(3)]
    code, other = await room_of(ada, bob), await room_of(cyd)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    assert (await ada.ask("GetWatchKey", code=code))["key"] == key
    assert (await cyd.ask("GetWatchKey", code=other))["key"] != key
    assert (await bob.ask("GetWatchKey", code=code))["code"] == "not_host"
    for known in (code, "ZZZZZZZZ"):
        assert (await cyd.ask("GetWatchKey", code=known))["code"] == "unknown_room"
        assert (await cyd.ask("WatchRound", code=known, key=key[:-1]))["code"] == "not_invited"
    assert (await ada.ask("WatchRound", code=other, key=key))["code"] == "not_invited"


async def test_a_watch_key_ends_and_with_it_who_watches_by_it(hub: HubNode, node: Node) -> None:
    ada, bob, cyd, dan = [await hub.seat() for _ in range(4)]
    code = await race_of(node, ada, bob)
    await resign(node, bob)
    await resign(node, ada)
    host, other = ada, bob
    for act in ("room.lock", "room.host", "room.leave", "room.remove"):
        key = (await host.ask("GetWatchKey", code=code))["key"]
        watchers = [Watcher(cyd), Watcher(host)]
        for watcher in watchers:
            assert (await watcher.watch(code, key))["sight"] in {"live", "delayed"}
        match act:
            case "room.lock":
                await host.ask(act, code=code, locked=True)
            case "room.host":
                await host.ask(act, code=code, player=other.player)
                host, other = other, host
            case "room.leave":
                await host.ask(act, code=code)
                host, other = other, host
                await host.ask("room.lock", code=code, locked=False)
                await dan.ask("room.join", code=code)
            case _:
                await host.ask(act, code=code, player=dan.player)
        assert (await cyd.next("Watched", lambda e: e["sight"] == "ended"))["why"] == "not_invited"
        # The session is sent no more of the room, and the key is void.
        assert hub.services.room_feeds.topic_of(cyd.session) is None
        assert (await cyd.ask("WatchRound", code=code, key=key))["code"] == "not_invited"
        if act != "room.leave":
            # A watcher with a seat continues.
            assert watchers[1].boards.sight == "live"
        assert (await host.ask("GetWatchKey", code=code))["key"] != key
    await room_of(cyd, key="another key")


async def test_watching_ends_with_the_subscription_to_the_room(hub: HubNode, node: Node) -> None:
    ada, bob, cyd = [await hub.seat() for _ in range(3)]
    code = await race_of(node, ada, bob)
    await resign(node, bob)
    await resign(node, ada)
    await bob.ask("WatchRound", code=code)
    await ada.ask("room.remove", code=code, player=bob.player)
    await bob.next("removed")
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    assert (await bob.ask("WatchRound", code=code, key=key))["code"] == "removed"
    await cyd.ask("WatchRound", code=code, key=key)
    await room_of(cyd, key="another key")
    watching = hub.services.watch_feeds
    assert (len(watching._topics), node.services.watching.size) == (0, 0)
    await cyd.ask("WatchRound", code=code, key=key)
    cyd.leave()
    await until(lambda: (len(watching._topics), node.services.watching.size) == (0, 0))
    assert not node.services.watching._runners


async def test_a_session_that_leaves_while_it_is_admitted_does_not_watch(
    hub: HubNode, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = [await hub.seat() for _ in range(2)]
    code = await race_of(node, ada)
    key = (await ada.ask("GetWatchKey", code=code))["key"]
    load_page = node.services.live.load_page

    async def read_late(room: Room) -> RoomPage:
        bob.leave()
        while hub.services.room_feeds.topic_of(bob.session) is not None:
            await asyncio.sleep(0)
        return await load_page(room)

    monkeypatch.setattr(node.services.live, "load_page", read_late)
    assert (await bob.ask("WatchRound", code=code, key=key))["code"] == "not_invited"
    assert (len(hub.services.watch_feeds._topics), node.services.watching.size) == (0, 0)
