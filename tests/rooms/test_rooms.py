"""Rooms: seats and rounds, on several nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from engine.catalog import games
from server.base.core.bus_message import encode
from server.base.core.days import DRAWN_AHEAD
from server.base.core.ids import CODE_ALPHABET, PlayerId, RoomCode, is_code
from server.base.core.refusal import Refusal
from server.base.journals.core.entry import AppendedEntry
from server.deals.core import keys as deals_keys
from server.deals.store import Deal
from server.play.core import keys as play_keys
from server.play.core.attempt import Started
from server.play.core.result import Result
from server.rooms.core import bus as room_bus
from server.rooms.core import commands
from server.rooms.core import keys as rooms_keys
from server.rooms.core.events import Terms
from server.rooms.core.room import Room
from tests.base.outbox.outboxes import all_due
from tests.builders import (
    ADA,
    BOB,
    CYD,
    DAN,
    LIMIT,
    PLAYERS,
    START,
    reached,
    refusal_from,
    round_of,
    running_in,
)
from tests.deals.certified import pooled
from tests.nodes import BEGUN, OVER, Node, attempt_of

NOWHERE = RoomCode(CODE_ALPHABET[:5])


TERMS = Terms("roosevelt", "standard", 300_000)


async def create(node: Node, player: PlayerId = ADA, key: str = "key", seats: int = 2) -> Room:
    return await node.rooms.create(
        player, "robert", "standard", seats=seats, limit=LIMIT, creation=key
    )


def members(room: Room) -> list[PlayerId]:
    return [seat.player for seat in room.seats]


async def deals(node: Node) -> int:
    return len(await node.keys("deal:*"))


async def result_of(node: Node, code: RoomCode, player: PlayerId) -> Result | None:
    round_ = (await node.rooms.load(code)).round
    assert round_ is not None
    return round_.results.get(player)


async def outcomes(work: list[Awaitable[Room]]) -> list[str]:
    """Return the sorted outcomes of commands: the codes of their refusals, or `done`."""
    done = await asyncio.gather(*work, return_exceptions=True)
    assert not [one for one in done if not isinstance(one, Room | Refusal)]
    return sorted(one.code.name if isinstance(one, Refusal) else "done" for one in done)


async def test_a_new_room_has_its_host_in_the_first_seat(node: Node, other: Node) -> None:
    room = await create(node)
    assert (is_code(room.opened.code), room.host, members(room)) == (True, ADA, [ADA])
    assert await other.rooms.load(room.opened.code) == room


async def test_a_repeated_creation_returns_the_same_room(node: Node, other: Node) -> None:
    rooms = await asyncio.gather(*(create(n) for n in (node, other) * 5))
    assert len({room.opened.code for room in rooms}) == 1
    assert members(await node.rooms.load(rooms[0].opened.code)) == [ADA]
    assert len({(await create(node, key=key)).opened.code for key in ("key", "other")}) == 2


async def test_a_creation_skips_a_code_in_use(node: Node) -> None:
    code = (await create(node, BOB)).opened.code
    # The key's code now belongs to another player's room.
    await node.redis.delete(rooms_keys.room(code))
    taken = await node.rooms.match(code, ADA, "robert")
    room, again = await create(node, BOB), await create(node, BOB)
    assert room == again
    assert room.opened.code != taken.opened.code
    assert (room.host, members(room)) == (BOB, [BOB])
    assert members(await node.rooms.load(taken.opened.code)) == [ADA]


async def test_an_interrupted_creation_is_completed_by_the_next(node: Node) -> None:
    room = await create(node)
    await node.redis.xtrim(rooms_keys.room(room.opened.code), maxlen=0)
    await node.redis.delete(rooms_keys.room(room.opened.code))
    again = await create(node)
    assert (again.opened.code, members(again)) == (room.opened.code, [ADA])


@pytest.mark.parametrize(
    ("game", "variant", "code"),
    [("no-such-game", "standard", "unknown_game"), ("robert", "blind", "unknown_variant")],
)
async def test_unknown_games_get_no_room(node: Node, game: str, variant: str, code: str) -> None:
    with pytest.raises(Refusal, match=code):
        await node.rooms.create(ADA, game, variant, seats=2, limit=LIMIT, creation="key")
    assert await node.keys() == []


@pytest.mark.parametrize("code", [NOWHERE, RoomCode(""), RoomCode("h7kq2"), RoomCode("x" * 12)])
@pytest.mark.parametrize(
    "act",
    [
        lambda rooms, code: rooms.load(code),
        lambda rooms, code: rooms.leave(code, ADA),
        lambda rooms, code: rooms.start(code, ADA, PLAYERS),
        lambda rooms, code: rooms.set_terms(code, ADA, TERMS),
        lambda rooms, code: rooms.propose_terms(code, ADA, TERMS),
        lambda rooms, code: rooms.decide(code, commands.take_seat, ADA),
        lambda rooms, code: rooms.decide(code, commands.replace_host, ADA, START, PLAYERS),
    ],
    ids=["load", "leave", "start", "terms", "propose", "join", "replace"],
)
async def test_a_missing_room_is_unknown(
    node: Node, act: Callable[[object, RoomCode], Awaitable[Room]], code: RoomCode
) -> None:
    assert await refusal_from(act(node.rooms, code)) == "unknown_room"
    # The room's absence is confirmed by a write next to it, the barrier.
    assert [key for key in await node.keys() if not key.endswith(":barrier")] == []


async def test_unknown_codes_evict_no_room_from_the_cache(node: Node) -> None:
    room = await create(node)
    for code in ("ZZZZ2", "ZZZZ3", "ZZZZ4"):
        for act in (
            node.rooms.load(RoomCode(code)),
            node.rooms.decide(RoomCode(code), commands.take_seat, BOB),
        ):
            assert await refusal_from(act) == "unknown_room"
    assert list(node.services.live._replicas._used.held) == [room.opened.code]


async def test_two_nodes_give_the_last_seat_once(node: Node, other: Node) -> None:
    for attempt in range(5):
        code = (await create(node, key=f"key {attempt}")).opened.code
        await other.rooms.load(code)
        came = [
            n.rooms.decide(code, commands.take_seat, player)
            for n, player in zip((node, other) * 2, PLAYERS[1:], strict=True)
        ]
        assert await outcomes(list(came)) == ["done", "room_full", "room_full", "room_full"]
        assert len(members(await node.rooms.load(code))) == 2


async def test_a_player_who_left_on_another_node_can_join_again(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await other.rooms.load(code)
    await node.rooms.leave(code, BOB)
    assert BOB in members(await other.rooms.decide(code, commands.take_seat, BOB))


async def test_a_round_has_one_deal_and_an_attempt_for_each_runner(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB, CYD)
    assert await deals(node) == 1
    round_ = room.running
    assert round_ is not None
    assert round_.players == (ADA, BOB, CYD)
    deal = await other.services.deal_store.find(round_.deal)
    assert deal is not None
    assert (deal.commitment, deal.room) == (round_.commitment, code)
    for player in round_.players:
        state = await other.state_of(round_.attempt(player))
        assert state.start == Started(
            player, round_.deal, "lady-betty", "standard", code, None, BEGUN, OVER, deal.rules
        )
        assert await refusal_from(other.rooms.open_attempt(state.id, player)) == "not_started"
    node.clock.time = BEGUN
    assert (await other.rooms.open_attempt(round_.attempt(BOB), BOB)).start.room == code


@pytest.mark.parametrize(("player", "code"), [(BOB, "not_host"), (DAN, "unknown_room")])
async def test_a_refused_start_draws_no_deal(node: Node, player: PlayerId, code: str) -> None:
    room = await node.room_of(ADA, BOB)
    assert await refusal_from(node.rooms.start(room.opened.code, player, PLAYERS)) == code
    assert await deals(node) == 0


async def test_a_repeated_start_starts_one_round(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await other.rooms.load(code)
    starts = [n.rooms.start(code, ADA, PLAYERS) for n in (node, other, node, other)]
    assert await outcomes(list(starts)) == ["done", *["round_running"] * 3]
    assert running_in(await node.rooms.load(code)).number == 1
    drawn = await deals(node)
    assert await refusal_from(other.rooms.start(code, ADA, PLAYERS)) == "round_running"
    assert await deals(node) == drawn


async def test_a_room_plays_several_rounds(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    for number in (1, 2):
        assert running_in(room).number == number
        node.clock.time = running_in(room).starts
        for n, player in ((node, ADA), (other, BOB)):
            last = await n.play_out(attempt_of(room, player), player)
            assert await result_of(node, code, player) is None
            await n.apply_effects()
            assert await result_of(node, code, player) == last.result
        room = await node.rooms.load(code)
        assert room.running is None
        assert sum(room.wins.values()) >= number
        assert await all_due(node.services.outbox_store, OVER * 2) == []
        if number == 1:
            room = await node.rematch(code, ADA, BOB)
    assert await deals(node) == 2


async def test_a_finish_counts_once_and_only_in_its_round(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA)
    deal = round_of(room).deal
    for n in (node, other, node):
        await n.rooms.finish(code, deal, ADA, reached(1))
    room = await node.rooms.start(code, ADA, PLAYERS)
    await other.rooms.finish(code, deal, ADA, reached(2))
    assert room.running is not None
    assert await result_of(node, code, ADA) is None
    assert await node.rooms.finish(NOWHERE, deal, ADA, reached(1)) is None


async def test_a_finish_is_recorded_in_a_round_not_yet_read(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await other.rooms.load(code)
    room = await node.rooms.start(code, ADA, PLAYERS)
    await other.rooms.finish(code, round_of(room).deal, BOB, reached(1))
    assert await result_of(node, code, BOB) == reached(1)


@pytest.mark.parametrize("begun", [True, False])
async def test_leaving_during_a_round_resigns(node: Node, other: Node, begun: bool) -> None:
    room, code = await node.race_of(ADA, BOB)
    if begun:
        node.clock.time = BEGUN
        await other.play(attempt_of(room, ADA), ADA)
    left = await other.rooms.leave(code, ADA)
    assert (left.host, members(left)) == (BOB, [BOB])
    await other.apply_effects()
    result = await result_of(node, code, ADA)
    assert result is not None
    assert (result.end, result.moves) == ("resigned", int(begun))
    room = await node.rooms.load(code)
    assert running_in(room).unfinished() == [BOB]
    assert (await other.rooms.leave(code, ADA)).version == room.version


async def test_a_runner_cannot_be_removed_and_continues(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    await node.rooms.decide(code, commands.take_seat, CYD)
    assert await refusal_from(other.rooms.decide(code, commands.remove, BOB, ADA)) == "not_host"
    # From the countdown on, and also after the finish.
    for at in (node.clock.time, BEGUN):
        node.clock.time = at
        with pytest.raises(Refusal, match="round_running"):
            await other.rooms.decide(code, commands.remove, ADA, BOB)
    await other.play(attempt_of(room, BOB), BOB)
    await other.play_out(attempt_of(room, BOB), BOB)
    await other.apply_effects()
    with pytest.raises(Refusal, match="round_running"):
        await other.rooms.decide(code, commands.remove, ADA, BOB)
    for _ in range(2):
        assert members(await other.rooms.decide(code, commands.remove, ADA, CYD)) == [ADA, BOB]
    await node.play_out(attempt_of(room, ADA), ADA)
    await node.apply_effects()
    assert members(await other.rooms.decide(code, commands.remove, ADA, BOB)) == [ADA]
    # The host cannot remove itself.
    assert members(await node.rooms.decide(code, commands.remove, ADA, ADA)) == [ADA]


async def test_a_simultaneous_removal_and_start_follow_each_other(node: Node, other: Node) -> None:
    for number in range(12):
        host, guest = PlayerId(f"h0st{number:012}"), PlayerId(f"gaest{number:011}")
        code = (await node.room_of(host, guest, ADA)).opened.code
        await other.rooms.load(code)
        acts: list[Awaitable[Room]] = [
            node.rooms.decide(code, commands.remove, host, guest),
            other.rooms.start(code, host, [host, guest, ADA]),
        ]
        said = await outcomes(acts if number % 2 else acts[::-1])
        room = await node.rooms.load(code)
        # A removed member is not in the round, and a runner was not removed.
        in_it = guest in running_in(room).players
        assert said == (["done", "round_running"] if in_it else ["done", "done"])
        assert (bool(room.seat_of(guest)), guest in room.removed) == (in_it, not in_it)
        assert set(running_in(room).players) == {seat.player for seat in room.seats}


async def test_a_room_can_play_rounds_of_different_games(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA)
    for game, number in (("lady-betty", 1), ("roosevelt", 2)):
        assert room.running is not None
        assert (room.running.number, room.running.terms.game) == (number, game)
        node.clock.time = room.running.starts
        state = await other.state_of(attempt_of(room, ADA))
        assert (state.start.game, state.start.deadline) == (game, room.running.deadline)
        assert (await other.services.live.load_page(room)).progress[ADA] == state.result
        # The round ends at its deadline, with its own rules.
        await node.redis.delete(deals_keys.deal(room.running.deal), play_keys.attempt(state.id))
        node.clock.time = room.running.deadline
        await other.rooms.pass_deadline(code)
        ended = await result_of(node, code, ADA)
        assert ended is not None
        assert (ended.home, ended.left) == (state.result.home, state.result.left)
        if number == 1:
            await node.rooms.set_terms(code, ADA, TERMS)
            room = await other.rooms.start(code, ADA, [ADA])


async def test_a_round_uses_the_terms_at_its_start(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    draw = node.services.deal_store.draw
    drawn: list[str] = []

    async def draw_slowly(
        game: str, variant: str, room: RoomCode, known: str, *, winnable: bool
    ) -> Deal:
        drawn.append(game)
        await other.rooms.set_terms(code, ADA, TERMS)
        return await draw(game, variant, room, known, winnable=winnable)

    monkeypatch.setattr(node.services.deal_store, "draw", draw_slowly)
    room = await node.rooms.start(code, ADA, PLAYERS)
    assert drawn == ["lady-betty", "roosevelt"]
    deal = await node.services.deal_store.find(running_in(room).deal)
    assert deal is not None
    assert deal.game == running_in(room).terms.game == "roosevelt"


async def test_a_round_says_whether_its_deal_is_certified_as_winnable(
    node: Node, other: Node
) -> None:
    for effort in range(DRAWN_AHEAD + 1):
        await node.services.pool_store.put(replace(pooled("lady-betty", effort), winnable=True))
    code = (await node.room_of(ADA)).opened.code
    terms = Terms("lady-betty", "standard", LIMIT, winnable=True)
    room = await other.rooms.set_terms(code, ADA, terms)
    # Of the pool's deals, one is not needed for dailies.
    for winnable in (True, False):
        room = await node.rooms.start(code, ADA, [ADA])
        round_ = running_in(room)
        assert (room.terms.winnable, round_.winnable) == (True, winnable)
        deal = await other.services.deal_store.find(round_.deal)
        assert deal is not None
        assert (deal.certificate is not None, deal.room) == (winnable, code)
        node.clock.time = round_.starts
        attempt = await other.rooms.open_attempt(round_.attempt(ADA), ADA)
        assert attempt.certificate == deal.certificate
        await node.rooms.finish(code, round_.deal, ADA, reached(3))


@pytest.mark.parametrize(("game", "variant"), [("no-such-game", "standard"), ("robert", "blind")])
async def test_unknown_games_and_variants_are_refused(node: Node, game: str, variant: str) -> None:
    room = await node.room_of(ADA, BOB)
    for act in (node.rooms.set_terms, node.rooms.propose_terms):
        with pytest.raises(Refusal, match="unknown"):
            await act(room.opened.code, ADA, Terms(game, variant, LIMIT))
    assert (await node.rooms.load(room.opened.code)).version == room.version


async def test_a_player_who_leaves_as_a_round_starts_is_finished(node: Node, other: Node) -> None:
    for attempt in range(10):
        room = await node.rooms.create(
            ADA, "robert", "standard", seats=3, limit=LIMIT, creation=f"key {attempt}"
        )
        code = room.opened.code
        for player in (BOB, CYD):
            await other.rooms.decide(code, commands.take_seat, player)
        await asyncio.gather(
            node.rooms.start(code, ADA, PLAYERS),
            other.rooms.leave(code, BOB),
            node.rooms.leave(code, CYD),
        )
        for n in (node, other):
            await n.apply_effects()
        room = await node.rooms.load(code)
        assert running_in(room).unfinished() == [ADA]


async def test_all_runners_are_finished_at_the_deadline(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB, CYD)
    # As if the node had died between appending the round and its attempts.
    await node.redis.delete(play_keys.attempt(attempt_of(room, CYD)))
    node.clock.time = BEGUN
    await node.play_out(attempt_of(room, ADA), ADA)
    await node.apply_effects()
    await node.play(attempt_of(room, BOB), BOB)
    await other.rooms.pass_deadline(code)
    assert (await node.rooms.load(code)).running is not None, "it is not time yet"
    node.clock.time = OVER
    await asyncio.gather(*(n.rooms.pass_deadline(code) for n in (node, other)))
    room = await node.rooms.load(code)
    assert room.running is None
    assert {player: result.end for player, result in round_of(room).results.items()} == {
        ADA: "stuck", BOB: "time", CYD: "time",
    }  # fmt: skip
    assert await all_due(node.services.outbox_store, OVER * 2) == []
    await other.rooms.pass_deadline(code)
    await other.rooms.pass_deadline(NOWHERE)


async def test_a_round_with_a_lost_deal_is_over_at_the_deadline(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    for key in (
        deals_keys.deal(round_of(room).deal),
        *map(play_keys.attempt, map(round_of(room).attempt, (ADA, BOB))),
    ):
        await node.redis.delete(key)
    node.clock.time = OVER
    assert await other.rooms.pass_deadline(code)
    assert (await other.rooms.load(code)).running is None
    assert await result_of(other, code, ADA) == Result(0, 52, 0, 0, "time")
    assert (await node.rematch(code, ADA, BOB)).running is not None


async def test_a_runners_missing_attempt_starts_when_it_is_opened(node: Node, other: Node) -> None:
    room, _ = await node.race_of(ADA, BOB)
    for player in (ADA, BOB, CYD):
        await node.redis.delete(play_keys.attempt(attempt_of(room, player)))
    assert await refusal_from(other.rooms.open_attempt(attempt_of(room, ADA), ADA)) == "not_started"
    node.clock.time = BEGUN + 5_000
    for player in (ADA, BOB):
        start = (await other.rooms.open_attempt(attempt_of(room, player), player)).start
        assert (start.at, start.deadline) == (BEGUN, OVER)
    for player, asks in ((CYD, CYD), (ADA, BOB)):
        with pytest.raises(Refusal, match="unknown_attempt"):
            await other.rooms.open_attempt(attempt_of(room, player), asks)


async def test_a_page_adds_progress_names_presence_and_the_seed(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    await node.services.room_store.put_present(code, ADA, node.registration.id)
    await node.services.room_store.put_present(code, BOB, "dead node")
    await node.services.player_store.update(BOB, "Bob")
    start = Result(0, 52, 0, 0, None)
    page = await node.services.live.load_page(room)
    assert (page.progress, page.profiles[BOB].name) == ({ADA: start, BOB: start}, "Bob")
    assert page.seed is None
    node.clock.time = BEGUN
    await node.play(attempt_of(room, BOB), BOB)
    page = await other.services.live.load_page(room)
    assert (page.progress[ADA], page.progress[BOB].moves, page.online) == (start, 1, set())
    other.registration.note_alive(node.registration.id)
    assert (await other.services.live.load_page(room)).online == {ADA}
    for player in (ADA, BOB):
        await node.rooms.finish(code, round_of(room).deal, player, reached(9))
        page = await node.services.live.load_page(await node.rooms.load(code))
        assert (page.seed is None) == (player == ADA)
    deal = await node.services.deal_store.find(round_of(room).deal)
    assert deal is not None
    assert (page.seed, page.progress) == (deal.seed.hex(), {ADA: reached(9), BOB: reached(9)})


async def test_the_page_includes_a_runner_who_has_left(node: Node) -> None:
    _, code = await node.race_of(ADA, BOB)
    page = await node.services.live.load_page(await node.rooms.leave(code, ADA))
    assert set(page.profiles) == {ADA, BOB}


@pytest.mark.parametrize("game", games())
async def test_a_round_counts_from_the_cards_that_start_at_home(node: Node, game: str) -> None:
    room, _ = await node.race_of(ADA, game=game)
    page = await node.services.live.load_page(room)
    state = await node.state_of(attempt_of(room, ADA))
    assert page.progress[ADA] == state.result
    assert round_of(room).home == state.result.home


async def test_a_room_is_opened_with_its_host_by_one_append(node: Node) -> None:
    appended: list[int] = []
    node.services.live.appended.subscribe(lambda _, room, __: appended.append(room.version))
    room = await create(node)
    assert (appended, members(room)) == ([2], [ADA])
    assert await node.rooms.load(room.opened.code) == room


async def test_every_change_is_published(node: Node) -> None:
    code = (await create(node)).opened.code
    # Nobody can follow a room before it exists.
    assert node.published == []
    await node.rooms.decide(code, commands.take_seat, BOB)
    texts = (await node.services.journal_store.read(rooms_keys.room(code))).texts
    assert node.published == [(room_bus.topic(code), encode(AppendedEntry(3, texts[-1])))]
    node.published.clear()
    await node.rooms.decide(code, commands.take_seat, ADA)
    assert node.published == []


async def test_a_room_expires_soon_unless_a_round_was_started(node: Node) -> None:
    async def life() -> float:
        seconds, _ = await node.redis.time()
        return seconds * 1000 + await node.redis.pttl(rooms_keys.room(code)) - node.clock.time

    code = (await create(node)).opened.code
    node.clock.time += 1_000_000
    await node.rooms.decide(code, commands.take_seat, BOB)
    assert abs(await life() - rooms_keys.UNUSED_ROOM_LIFE_MS) < 60_000
    await node.rooms.start(code, ADA, [ADA, BOB])
    assert abs(await life() - rooms_keys.ROOM_LIFE_MS) < 60_000
    node.clock.time += 1_000_000
    await node.rooms.leave(code, BOB)
    assert abs(await life() - rooms_keys.ROOM_LIFE_MS) < 60_000


async def test_a_cached_room_that_has_expired_is_unknown(node: Node) -> None:
    code = (await create(node)).opened.code
    await node.redis.delete(rooms_keys.room(code))
    assert await refusal_from(node.rooms.decide(code, commands.take_seat, BOB)) == "unknown_room"
    assert await refusal_from(node.rooms.load(code)) == "unknown_room"
