"""Quick matches: pairing players on any nodes, and driving their rooms automatically."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.base.core.ids import PACE_BOT, PlayerId, RoomCode
from server.base.core.refusal import Refusal, UnavailableError
from server.base.work import worker_pool
from server.lobby import quick_matches as module
from server.lobby.core import keys as lobby_keys
from server.rooms.core import absence, quick_match
from server.rooms.core import keys as rooms_keys
from server.rooms.core.room import Room
from tests.base.redis.servers import until
from tests.builders import ADA, BOB, CYD, PLAYERS, START, refusal_from, round_of
from tests.nodes import Node, running_together
from tests.rooms.test_live_rooms import follow

GAME = "lady-betty"


@pytest.fixture(autouse=True)
async def running_nodes(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    """Run both nodes, with short intervals."""
    for each in (node, other):
        each.background.loops["quick_match_renewal"].every = 0.02
    monkeypatch.setattr(module, "BACKUP_AFTER", 0.05)
    monkeypatch.setattr(worker_pool, "RETRY_AFTER", 0.02)
    monkeypatch.setattr(absence, "QUICK_ABSENCE_MS", 60)
    async with running_together(node, other):
        yield


async def match(node: Node, player: PlayerId) -> RoomCode:
    """Find a quick match, and subscribe a session of the player to it."""
    room = await node.services.quick_matches.match(player, GAME)
    await follow(node, room.opened.code, player)
    return room.opened.code


async def has(node: Node, code: RoomCode, *players: PlayerId, begun: bool) -> Room:
    async def is_so() -> bool:
        room = await node.rooms.load(code)
        found = {seat.player for seat in room.seats}
        return found == set(players) and (room.round is not None) == begun

    await until(is_so)
    return await node.rooms.load(code)


async def entries(node: Node, code: RoomCode) -> list[str]:
    texts = (await node.services.journal_store.read(rooms_keys.room(code))).texts
    return [text.split('"')[3] for text in texts]


async def test_two_players_on_two_nodes_race_automatically(node: Node, other: Node) -> None:
    code = await match(node, ADA)
    assert await match(node, ADA) == code, "a waiting player keeps the room"
    assert await match(other, BOB) == code
    assert round_of(await has(node, code, ADA, BOB, begun=True)).players == (ADA, BOB)
    assert await entries(node, code) == ["opened", "taken", "taken", "round"]


@pytest.mark.parametrize(("game", "minutes"), [("robert", 5), ("klondike", 20), ("spider", 45)])
async def test_a_match_has_the_usual_limit_of_its_game(node: Node, game: str, minutes: int) -> None:
    room = await node.services.quick_matches.match(ADA, game)
    assert room.opened.limit == minutes * 60_000


async def test_many_simultaneous_players_are_paired(node: Node, other: Node) -> None:
    nodes = (node, other)
    rooms = await asyncio.gather(
        *(
            nodes[nth % 2].services.quick_matches.match(player, GAME)
            for nth, player in enumerate(PLAYERS[:4])
        )
    )
    codes = [room.opened.code for room in rooms]
    assert sorted(codes.count(code) for code in set(codes)) == [2, 2]


async def test_the_pace_bot_joins_a_waiting_player(node: Node) -> None:
    code = await match(node, ADA)
    node.clock.time += quick_match.BOT_AFTER_MS
    node.services.live.refresh_soon(code)
    room = await has(node, code, ADA, PACE_BOT, begun=True)
    assert room.seats[1].since >= START + quick_match.BOT_AFTER_MS
    assert await match(node, BOB) != code


async def test_a_player_who_has_left_is_not_paired(node: Node, other: Node) -> None:
    code = await match(node, ADA)
    node.services.live.unsubscribe(code, ADA)

    async def withdrawn() -> bool:
        return await node.redis.zscore(lobby_keys.offers(GAME), code) is None

    await until(withdrawn)
    assert await match(other, BOB) != code


async def test_the_partner_of_a_vanished_player_is_paired_again(node: Node, other: Node) -> None:
    """The remaining player keeps waiting, and another player joins."""
    gone = await node.services.quick_matches.match(ADA, GAME)
    code = await match(other, BOB)
    assert code == gone.opened.code
    await has(other, code, BOB, begun=False)

    async def offered() -> bool:
        return await node.redis.zscore(lobby_keys.offers(GAME), code) is not None

    await until(offered)
    assert await match(node, CYD) == code
    await has(node, code, BOB, CYD, begun=True)


async def test_an_offer_that_is_no_longer_available_is_skipped(node: Node) -> None:
    full = await match(node, ADA)
    # A member who is not online would soon lose the seat, and the room would be offered again.
    assert await match(node, BOB) == full
    locked = (await node.room_of(ADA, game=GAME)).opened.code
    for code in (full, locked):
        await node.services.quick_match_store.offer(GAME, code, node.clock.time)
    assert await match(node, CYD) not in {full, locked}


async def test_after_several_tries_a_player_is_told_to_retry(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = (await node.room_of(ADA, game=GAME)).opened.code
    tries = 0

    async def pair(game: str, code: RoomCode, now: int) -> RoomCode:
        nonlocal tries
        tries += 1
        return taken

    monkeypatch.setattr(node.services.quick_match_store, "pair", pair)
    assert await refusal_from(match(node, BOB)) == "overloaded"
    assert tries == module.TRIES


async def test_an_unknown_game_is_refused_and_leaves_no_offer(node: Node) -> None:
    with pytest.raises(Refusal, match="unknown_game"):
        await node.services.quick_matches.match(ADA, "no-such-game")
    assert await node.keys("quick*") == []


async def test_unanswered_starts_are_retried(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    start, failures = node.rooms.start, 2

    async def failing(code: RoomCode, player: PlayerId | None, present: set[PlayerId]) -> Room:
        nonlocal failures
        if failures:
            failures -= 1
            raise UnavailableError("down")
        return await start(code, player, present)

    monkeypatch.setattr(node.rooms, "start", failing)
    code = await match(node, ADA)
    assert await match(node, BOB) == code
    await has(node, code, ADA, BOB, begun=True)
    assert failures == 0


async def test_a_match_continues_when_the_leading_node_has_died(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node still counts as alive, but has not started the round."""
    for each in (node, other):
        monkeypatch.setattr(each.services.live, "leads", lambda _: False)
    code = await match(node, ADA)
    assert await match(other, BOB) == code
    await has(node, code, ADA, BOB, begun=True)
