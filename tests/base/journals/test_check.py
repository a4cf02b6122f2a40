"""After an outage of the store, a node compares journals with its appends."""

from __future__ import annotations

import pytest

from server.base.core.refusal import UnreadableError
from server.base.redis.connection import Client
from server.base.work.stop import Stop
from server.play.core import keys as play_keys
from server.rooms.core import keys as rooms_keys
from tests.base.journals.entries import replace_journal
from tests.base.redis.servers import calls, lose_connection
from tests.builders import ADA, BOB
from tests.nodes import Node


async def connect_again(node: Node, names: list[str]) -> None:
    """Open new connections to the servers of these keys."""
    for name in names:
        lose_connection(node.database, name)
    for name in names:
        await node.database.write(name, "EXISTS", name)


async def test_losses_in_idle_journals_are_detected(redis: Client, node: Node) -> None:
    check = node.services.journal_check
    whole, cut = [(await node.dailies.open(who, "robert")).attempt for who in (ADA, BOB)]
    for _ in range(3):
        await node.play(whole, ADA)
        await node.play(cut, BOB)
    room = await node.room_of(ADA, BOB)
    names = [play_keys.attempt(whole), play_keys.attempt(cut), rooms_keys.room(room.opened.code)]
    await check.check(Stop())

    (start, first, *_) = await node.services.journal_store.read_from(names[1], 1)
    await replace_journal(redis, names[1], start, first)
    await redis.delete(names[2])
    metrics = node.database.metrics
    await check.check(Stop())
    assert metrics.lost_journals == 0, "no check while the connection lasts"

    await connect_again(node, names)
    await check.check(Stop())
    assert (metrics.lost_journals, metrics.lost_entries) == (2, 2 + room.version)
    before = await calls(redis, "xrange")
    await check.check(Stop())
    assert await calls(redis, "xrange") == before
    # Players continue from the remaining entries.
    assert (await node.play(cut, BOB)).after.seq == 3


@pytest.mark.parametrize("gone", [["0-1"], ["0-1", "0-3"], ["0-2"]])
async def test_a_gap_in_a_journal_is_a_loss_and_not_the_nodes_fault(
    redis: Client, node: Node, gone: list[str]
) -> None:
    """Redis may leave this state if it keeps only some of a script's writes to several keys."""
    check = node.services.journal_check
    attempt = (await node.dailies.open(ADA, "robert")).attempt
    await node.play(attempt, ADA)
    last = (await node.play(attempt, ADA)).after.seq
    name = play_keys.attempt(attempt)
    await check.check(Stop())
    await redis.xdel(name, *gone)
    await connect_again(node, [name])
    await check.check(Stop())
    metrics = node.database.metrics
    assert (metrics.lost_journals, metrics.lost_entries) == (1, 1)
    for _ in range(2):
        # The player is refused, and the loss is counted once.
        with pytest.raises(UnreadableError, match="entries_lost"):
            await node.play(attempt, ADA)
    assert metrics.lost_entries == 1
    assert await redis.xlen(name) == last - len(gone)
