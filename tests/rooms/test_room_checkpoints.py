"""Checkpoints in the journals of rooms: when they are written, and how nodes continue from them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.journals.core.entry import Append, AppendedEntry
from server.play.core.result import Result
from server.rooms import journal as rooms_journal
from server.rooms.core import charges, commands, keys
from server.rooms.core.events import Terms
from server.rooms.core.room import KeptRound, Room, Round
from server.rooms.journal import CHECKPOINT_EVERY
from tests.builders import ADA, BOB, CYD, START
from tests.nodes import Node

OTHER = Terms("deuces", "strict", 600_000)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a checkpoint after 10 entries."""
    monkeypatch.setattr(rooms_journal, "CHECKPOINT_EVERY", 10)


async def room_on(node: Node) -> RoomCode:
    """Open a room of Ada and Bob, which takes three entries."""
    room = await node.rooms.create(
        ADA, "robert", "standard", seats=3, limit=900_000, creation="k" * 10
    )
    code = room.opened.code
    await node.rooms.decide(code, commands.take_seat, BOB)
    return code


async def toggle(node: Node, code: RoomCode, times: int) -> Room:
    room = await node.rooms.load(code)
    for _ in range(times):
        node.clock.time += 10_000
        room = await node.rooms.decide(code, commands.set_lock, ADA, not room.locked)
    return room


async def stored(node: Node, code: RoomCode) -> list[tuple[int, str]]:
    found: Any = await node.redis.xrange(keys.room(code))
    return [(int(id_[2:]), json.loads(entry["e"])["type"]) for id_, entry in found]


async def test_a_journal_is_bounded_but_complete(node: Node, other: Node) -> None:
    code = await room_on(node)
    await node.rooms.set_terms(code, ADA, OTHER)
    lengths = set()
    for number in range(2 * CHECKPOINT_EVERY):
        room = await toggle(node, code, 1)
        entries = await stored(node, code)
        lengths.add(len(entries))
        assert [each for each, _ in entries] == list(range(entries[0][0], room.version + 1))
        if number % 50 == 0:
            assert await other.rooms.load(code) == room
    assert (max(lengths), room.version) == (CHECKPOINT_EVERY, 4 + 2 * CHECKPOINT_EVERY + 2)
    assert entries[0] == (room.begin, "checkpoint")
    assert [kind for _, kind in entries[1:]] == ["lock"] * (len(entries) - 1)
    assert (await other.rooms.load(code)) == room
    opened, terms = await other.rooms.terms(code) or (None, None)
    assert (opened, terms) == (room.opened, OTHER)
    assert (await node.redis.memory_usage(keys.room(code)) or 0) < 20_000


@pytest.mark.usefixtures("few")
async def test_two_nodes_append_past_checkpoints(node: Node, other: Node) -> None:
    code = await room_on(node)
    for number in range(40):
        node.clock.time += 10_000
        await asyncio.gather(
            (node, other)[number % 2].rooms.decide(code, commands.set_public, ADA, number % 2 == 0),
            node.rooms.decide(code, commands.set_ready, BOB, number % 2 == 1),
            other.rooms.leave(code, CYD)
            if number % 2
            else other.rooms.decide(code, commands.take_seat, CYD),
        )
        entries = await stored(node, code)
        assert len(entries) <= 10
    rooms = [await each.rooms.load(code) for each in (node, other)]
    assert rooms[0] == rooms[1]
    assert rooms[0].version == entries[-1][0] > 100
    assert rooms[0].begin == entries[0][0]


@pytest.mark.usefixtures("few")
async def test_a_node_that_lags_behind_a_checkpoint_reads_it_and_has_lost_nothing(
    node: Node, other: Node
) -> None:
    code = await room_on(node)
    node.clock.time += 10_000
    await other.rooms.decide(code, commands.set_ready, BOB, False)
    room = await toggle(node, code, 25)
    after = await other.rooms.decide(code, commands.set_ready, BOB, True)
    assert after.version in {room.version + 1, room.version + 2}
    assert await node.rooms.load(code) == after
    assert other.database.losses.text == ""


@pytest.mark.usefixtures("few")
async def test_entries_apply_past_checkpoints(node: Node, other: Node) -> None:
    code = await room_on(node)
    await other.rooms.load(code)
    told: list[Append] = []
    node.services.live.appended.subscribe(lambda _, __, append: told.append(append))
    room = await toggle(node, code, 25)
    followed = other.services.live.follow(code)
    for append in told:
        other.services.live.fold(code, AppendedEntry(append.number, append.payload))
        assert followed.state is not None
        assert followed.state.version == append.number
    assert followed.state == room
    assert room.begin > 20


@pytest.mark.usefixtures("few")
async def test_a_missing_entry_is_reported(node: Node, other: Node) -> None:
    code = await room_on(node)
    room = await toggle(node, code, 15)
    await node.redis.xdel(keys.room(code), f"0-{room.version - 1}")
    with pytest.raises(Exception, match="entries_lost"):
        await other.rooms.load(code)


async def test_old_results_are_kept_for_a_week(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    first = room.round
    assert first is not None
    node.clock.time = first.starts
    await node.play(first.attempt(ADA), ADA)
    for player in (ADA, BOB):
        seq = (await node.state_of(first.attempt(player))).seq
        await node.attempts.resign(first.attempt(player), player, seq + 1)
    await node.apply_effects()
    over = (await node.rooms.load(code)).round
    assert over is not None
    assert over.over
    assert await other.rooms.round_on(code, first.deal) == over
    key = keys.round_in(code, first.deal)
    seconds = (START + keys.ROUND_LIFE_MS - (await node.redis.time())[0] * 1000) // 1000
    assert abs(await node.redis.ttl(key) - seconds) < 600
    await node.redis.delete(keys.room(code))
    assert await other.rooms.round_on(code, first.deal) == over


def test_results_of_eight_players_fit_into_their_charge() -> None:
    result = Result(104, 0, 7_200_000, 4_095, "resigned", 4_000, 99, peeked=True)
    players = [PlayerId(f"{number:016}") for number in range(charges.MAX_SEATS)]
    round_ = Round(
        99_999,
        Terms("rouge-et-noir", "standard", 7_200_000, "hints"),
        DealId("d" * 16),
        "c" * 64,
        tuple(players),
        2**41,
        2**41,
        dict.fromkeys(players, result),
        "r" * 64,
        100,
    )
    stored = len(msgspec.json.encode(KeptRound(round_)))
    assert stored < charges.ROUND_RESULTS + charges.MAX_SEATS * charges.RUNNER_RESULTS
