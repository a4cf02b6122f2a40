"""Progress: the latest counters of each runner, published at intervals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count
from types import SimpleNamespace

import pytest
from msgspec import structs

from server.base.core.ids import PlayerId, RoomCode
from server.rooms import progress as module
from server.rooms.core import bus as room_bus
from server.rooms.core.bus import Progress
from tests.base.redis.servers import running, until
from tests.builders import ADA, BOB, round_of
from tests.nodes import BEGUN, Node, attempt_of


@pytest.fixture(autouse=True)
async def running_node(node: Node, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(module, "EVERY", 0.05)
    async with running(node.run):
        yield


def published(node: Node, code: RoomCode) -> list[Progress]:
    found = [
        room_bus.decode(payload)
        for topic, payload in node.published
        if topic == room_bus.topic(code)
    ]
    return [each for each in found if isinstance(each, Progress)]


async def test_progress_is_published_together(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    room, code = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    # All moves fall into one interval, even if they take longer here.
    now = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for number in range(4):
        for player in (ADA, BOB):
            if number < 3 or player == ADA:
                await node.play(attempt_of(room, player), player)
    assert published(node, code) == []
    now[0] = module.EVERY
    await until(lambda: bool(published(node, code)))
    boards = [(p, (await node.state_of(attempt_of(room, p))).board) for p in (ADA, BOB)]
    runners = [(player, board.home, board.moves, 0) for player, board in boards]
    assert [moves for _, _, moves, _ in runners] == [4, 3]
    assert published(node, code) == [Progress(round_of(room).deal, runners)]


async def test_progress_is_received_by_other_nodes(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    received: list[list[int]] = []
    other.services.live.progressed.subscribe(lambda _, counters: received.append(counters))
    async with running(other.run):
        other.services.live.subscribe(room, BOB)
        await other.services.live.wait_until_loaded(code)
        node.clock.time = BEGUN
        for number in range(1, 4):
            await node.play(attempt_of(room, ADA), ADA)

            async def seen(number: int = number) -> bool:
                return bool(received) and (received[-1][0], received[-1][2]) == (0, number)

            await until(seen)
    assert len(received) == 3


async def test_a_long_batch_is_continued_later(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    races = [await node.race_of(ADA, BOB), await node.race_of(BOB, ADA)]
    node.clock.time = BEGUN
    seconds = count(step=0.01)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(module, "EVERY", 0.005)
    monkeypatch.setattr(module, "SHARE", 0.125)
    progress = node.services.progress
    schedule, waits = progress._batches.schedule, []

    def schedule_and_note(batch: str, wait: float) -> None:
        waits.append((wait, [len(published(node, code)) for _, code in races]))
        schedule(batch, wait)

    monkeypatch.setattr(progress._batches, "schedule", schedule_and_note)
    attempts = [await node.state_of(attempt_of(room, ADA)) for room, _ in races]
    # Without a pause: publishing in between would start a new interval.
    for attempt in attempts:
        progress._appended(attempt, structs.replace(attempt, seq=2), "")
    await until(lambda: all(published(node, code) for _, code in races))
    assert waits == [(0.005, [0, 0]), (pytest.approx(0.01 / 0.125), [1, 0])]


async def test_starts_and_dailies_publish_no_progress(node: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    await node.play((await node.dailies.open(ADA, "robert")).attempt, ADA)
    node.clock.time = BEGUN
    await node.play(attempt_of(room, BOB), BOB)
    await until(lambda: bool(published(node, code)))
    assert [player_of(each) for each in published(node, code)] == [BOB]


def player_of(progress: Progress) -> PlayerId:
    ((player, _, _, _),) = progress.runners
    return player
