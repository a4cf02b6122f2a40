"""Progress: the latest of each runner, told now and then."""

from __future__ import annotations

import msgspec
import pytest

from server.core.ranking import Result
from server.service import progress as module
from server.service import topics
from server.service.progress import Progress
from tests.core.builders import ADA, BOB
from tests.service.nodes import BEGUN, Node, SetClock, attempt_of
from tests.store.servers import running, until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gather moves for a moment only."""
    monkeypatch.setattr(module, "EVERY", 0.01)


async def test_what_was_gathered_is_told_at_once(node: Node, clock: SetClock) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = BEGUN
    ids = [attempt_of(room, player) for player in (ADA, BOB)]
    await node.services.close()
    node.published.clear()
    gathered = Progress(node.store, node.services.publish)
    for number in range(5):
        for player, attempt in zip((ADA, BOB), ids, strict=True):
            if number < 4 or player == ADA:
                await node.play(attempt, player)
            gathered.note(await node.look(attempt))

    async def told() -> bool:
        return topics.progress(code) in node.published

    async with running(gathered.run):
        await until(told)
    assert node.published.count(topics.progress(code)) == 1
    texts = await node.store.rooms.progress(code, list(map(str, ids)))
    for attempt in ids:
        result = msgspec.json.decode(texts[attempt], type=Result)
        assert result == (await node.look(attempt)).result


async def test_a_node_tells_of_its_runners_moves(node: Node, other: Node, clock: SetClock) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = BEGUN

    async def seen() -> bool:
        page = await other.rooms.page(room)
        return page.progress[ADA] == (await node.look(attempt_of(room, ADA))).result

    async with running(node.services._progress.run):
        for _ in range(3):
            await node.play(attempt_of(room, ADA), ADA)
            await until(seen)
    assert topics.progress(code) in node.published


async def test_a_start_and_a_daily_are_no_progress(node: Node, clock: SetClock) -> None:
    room, code = await node.race_of(ADA, BOB)
    daily = await node.dailies.open(ADA, "robert")
    await node.play(daily.attempt, ADA)
    clock.time = BEGUN

    async def told() -> bool:
        return topics.progress(code) in node.published

    async with running(node.services._progress.run):
        await node.play(attempt_of(room, BOB), BOB)
        await until(told)
    assert [topic for topic in node.published if topic.startswith("progress")] == [
        topics.progress(code)
    ]
    assert list(await node.store.rooms.progress(code, [attempt_of(room, ADA)])) == []
