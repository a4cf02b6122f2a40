"""Absences of members, and the reactions of the nodes that follow the room."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.base.work import worker_pool
from server.rooms import absences as module
from server.rooms.core import keys
from server.rooms.core.absence import HOST_ABSENCE_MS, QUICK_ABSENCE_MS, SEAT_ABSENCE_MS
from tests.base.redis.servers import until
from tests.builders import ADA, BOB, CYD, reached, round_of
from tests.conftest import debug_captured
from tests.nodes import Node, running_together
from tests.rooms.test_live_rooms import follow, followed, sees, shows
from tests.timers import AbsenceTime


@pytest.fixture(autouse=True)
async def time(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[AbsenceTime]:
    """Run both nodes, and return their clock for absences."""
    monkeypatch.setattr(module, "RETRY_AFTER_MS", 20)
    monkeypatch.setattr(worker_pool, "RETRY_AFTER", 0.02)
    async with running_together(node, other):
        yield AbsenceTime(monkeypatch)


async def members(node: Node, code: RoomCode) -> list[PlayerId]:
    return [seat.player for seat in (await node.rooms.load(code)).seats]


async def test_both_nodes_make_each_change_once(node: Node, other: Node, time: AbsenceTime) -> None:
    room = await node.room_of(ADA, BOB, CYD)
    code = room.opened.code
    for each, player in ((node, ADA), (node, BOB), (other, CYD)):
        await follow(each, code, player)
    for each in (node, other):
        await shows(each, code, ADA, BOB, CYD)
    assert node.services.absences.size == other.services.absences.size == 0
    node.services.live.unsubscribe(code, ADA)
    for each in (node, other):
        await shows(each, code, BOB, CYD)
    for number, passed in enumerate((HOST_ABSENCE_MS, SEAT_ABSENCE_MS - HOST_ABSENCE_MS), 1):
        time.pass_(passed)
        for each in (node, other):
            await sees(each, code, room.version + number)
    assert ((await node.rooms.load(code)).host, await members(node, code)) == (BOB, [BOB, CYD])
    texts = (await node.services.journal_store.read(keys.room(code))).texts
    assert [text.split('"')[3] for text in texts[room.version :]] == ["host", "left"]
    assert node.services.absences.size == other.services.absences.size == 0


async def test_a_member_back_in_time_keeps_all(node: Node, other: Node, time: AbsenceTime) -> None:
    code = await followed(node, other)
    version = (await node.rooms.load(code)).version
    other.services.live.unsubscribe(code, BOB)
    await shows(node, code, ADA)
    assert node.services.absences.size == 1
    time.pass_(QUICK_ABSENCE_MS - 1)
    await follow(other, code, BOB)
    await shows(node, code, ADA, BOB)
    assert node.services.absences.size == 0
    time.pass_(SEAT_ABSENCE_MS)
    assert (await node.rooms.load(code)).version == version


async def test_a_room_that_is_no_longer_followed_is_left_alone(
    node: Node, time: AbsenceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided: list[RoomCode] = []
    monkeypatch.setattr(node.services.absences._due, "add", decided.append)
    room = await node.room_of(ADA, BOB)
    code = room.opened.code
    await follow(node, code, ADA)
    time.pass_(SEAT_ABSENCE_MS)
    assert decided == [code]
    node.services.live.unsubscribe(code, ADA)
    await node.services.absences._decide(code)
    assert node.services.absences.size == 0
    assert (await node.rooms.load(code)).version == room.version


async def test_members_present_by_the_store_are_not_absent(
    node: Node, other: Node, time: AbsenceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Presence messages may be late: a node that was suspended has not read them yet."""
    code = (await node.room_of(ADA, BOB)).opened.code
    refreshed: list[RoomCode] = []
    await follow(node, code, ADA)
    monkeypatch.setattr(node.services.live, "refresh_soon", refreshed.append)
    await node.services.room_store.put_present(code, BOB, other.registration.id)
    time.pass_(SEAT_ABSENCE_MS)
    await until(lambda: code in refreshed)
    assert await members(node, code) == [ADA, BOB]


async def test_a_failed_decision_is_retried(
    node: Node, time: AbsenceTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await node.room_of(ADA, BOB)
    code = room.opened.code
    decide, failures = node.rooms.decide, 2

    async def failing(*given: Any) -> object:
        nonlocal failures
        if failures:
            failures -= 1
            raise UnavailableError("down")
        return await decide(*given)

    monkeypatch.setattr(node.rooms, "decide", failing)
    with debug_captured() as logs:
        await follow(node, code, ADA)
        time.pass_(SEAT_ABSENCE_MS)
        await sees(node, code, room.version + 1)
    deferred = [line["event"] for line in logs if line.get("work") == "absences"]
    assert deferred == ["work_deferred"] * 2
    assert await members(node, code) == [ADA]


async def test_a_node_restarts_counting_when_it_starts_following_a_room(node: Node) -> None:
    code = await followed(node)
    first = node.services.absences._absences[code]
    node.services.live.unsubscribe(code, ADA)
    await follow(node, code, ADA)
    assert node.services.absences._absences[code] is not first


async def test_a_seat_is_lost_after_the_round(node: Node, other: Node, time: AbsenceTime) -> None:
    room, code = await node.race_of(ADA, BOB)
    await follow(node, code, ADA)
    assert not node.services.absences._due.is_scheduled(code), "it waits for the end of the round"
    time.pass_(SEAT_ABSENCE_MS)
    for player in (ADA, BOB):
        await other.rooms.finish(code, round_of(room).deal, player, reached(1))
    await sees(node, code, room.version + 2)
    assert await members(node, code) == [ADA, BOB]
    time.pass_(SEAT_ABSENCE_MS)
    await sees(node, code, room.version + 3)
    assert await members(node, code) == [ADA]
