"""The sweeper: one node finds due items in time, and failing ones are set aside."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from server.accounts.core.effects import Kept
from server.base.core import days, keys
from server.base.core.ids import PlayerId
from server.base.core.refusal import UnavailableError
from server.base.journals.cache import ReplicaCache
from server.base.outbox import sweeper as module
from server.base.outbox.store import OutboxStore, Pending
from server.base.outbox.sweeper import owned_by
from server.moderation.operators import By
from server.play.core import keys as play_keys
from tests.base.outbox.outboxes import all_due, all_effects, all_set_aside
from tests.base.outbox.test_effects import DAY, GAME, begin_daily, finish_daily, rows
from tests.base.redis.servers import running, until_equal
from tests.builders import ADA, BOB, START, reached
from tests.nodes import OVER, Node, SetClock, round_of


async def away(*_: object) -> None:
    raise UnavailableError("away")


async def scan(node: Node) -> None:
    """Scan the partitions that are due, and handle what is found, except dailies."""
    await node.sweeper.scan()
    await node.sweeper._urgent.finish()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time by which the sweeper measures ages, in a list."""
    now = [1_000.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_each_partition_has_one_owner_and_few_change_owners() -> None:
    names = ["a", "b", "c", "d"]
    shares = {name: set(owned_by(name, names)) for name in names}
    assert sum(map(len, shares.values())) == keys.PARTITIONS
    assert set.union(*shares.values()) == set(range(keys.PARTITIONS))
    assert all(keys.PARTITIONS / 8 < len(share) < keys.PARTITIONS / 2 for share in shares.values())
    for gone in names:
        left = [name for name in names if name != gone]
        for name in left:
            assert shares[name] <= set(owned_by(name, left))


async def test_partitions_are_shared_and_taken_over(node: Node, other: Node) -> None:
    for each in (node, other, node):
        await each.sweeper.renew()
    mine, others = node.sweeper._partitions.keys(), other.sweeper._partitions.keys()
    assert not mine & others
    assert mine | others == set(range(keys.PARTITIONS))
    await other.services.sweeper_store.drop()
    await node.sweeper.renew()
    assert node.sweeper._partitions.keys() == set(range(keys.PARTITIONS))
    assert not await all_effects(node.services.outbox_store)
    await finish_daily(other)
    # Newly owned partitions are scanned immediately.
    await node.sweep()
    assert len(await rows(node)) == 1


async def test_a_running_node_sweeps(node: Node, other: Node) -> None:
    await finish_daily(node, ADA)
    await finish_daily(node, BOB)
    async with running(other.run_all):
        await until_equal(lambda: all_effects(node.services.outbox_store), [])
    assert len(await rows(node)) == 2
    # A sweeper that ends gives up its registration.
    assert not await node.redis.exists(keys.SWEEPERS)


async def test_all_nodes_scan_more_often_while_one_is_busy(
    node: Node, other: Node, clock: SetClock
) -> None:
    async def scans(seconds: int) -> int:
        found = 0
        ask = node.services.outbox_store.pending

        async def look(until: int, partitions: list[int]) -> list[Pending]:
            nonlocal found
            found += len(partitions)
            return await ask(until, partitions)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                type(node.services.outbox_store), "pending", lambda _, *given: look(*given)
            )
            for _ in range(int(seconds / module.SCAN_EVERY)):
                clock.time += int(module.SCAN_EVERY * 1000)
                await node.sweeper.scan()
        return found

    await node.sweeper.renew()
    assert await scans(1) == keys.PARTITIONS
    assert keys.PARTITIONS <= await scans(256) < 2 * keys.PARTITIONS
    await other.dailies.open(ADA, GAME)
    for each in (other, node):
        await each.sweeper.renew()
    await other.services.sweeper_store.drop()
    await node.sweeper.renew()
    assert await scans(17) >= 2 * keys.PARTITIONS


async def test_a_known_deadline_is_passed_without_another_scan(node: Node, clock: SetClock) -> None:
    _, code = await node.race_of(ADA, BOB)
    clock.time = OVER - module.HORIZON_MS
    await node.sweeper.renew()
    await node.sweeper.scan()
    for time in (OVER - 1, OVER):
        clock.time = time
        found = [work.name for work in node.sweeper.pop_due()]
        assert found == ([f"r:{code}"] if time == OVER else [])


async def test_a_suspended_node_scans_every_partition_after_the_last_players(
    node: Node, clock: SetClock
) -> None:
    await node.sweeper.renew()
    await node.sweeper.scan()
    await node.dailies.open(ADA, GAME)
    await node.sweeper.renew()
    clock.time += module.IDLE_SCAN_EVERY_MS // 2
    await node.redis.delete(keys.BUSY)
    await node.sweeper.renew()
    clock.time += module.RETRY_AFTER_MS
    await node.sweeper.scan()
    scanned = {known.scanned for known in node.sweeper._partitions.values()}
    assert scanned == {clock.time}


async def test_after_a_clock_jump_every_partition_is_scanned(node: Node, clock: SetClock) -> None:
    await node.sweeper.renew()
    await node.sweeper.scan()
    for jump in (3_600_000, -3_600_000):
        clock.time += jump
        await node.sweeper.scan()
        scanned = {known.scanned for known in node.sweeper._partitions.values()}
        assert scanned == {clock.time}


async def test_deadlines_of_rooms_precede_deadlines_of_dailies(node: Node, clock: SetClock) -> None:
    for player in (ADA, BOB):
        await begin_daily(node, player)
    _, code = await node.race_of(ADA, BOB)
    clock.time = days.closes(DAY)
    await node.sweeper.renew()
    await node.sweeper.scan()
    await node.sweeper.poll()
    assert [work.name for work in node.sweeper._urgent._pending] == [f"r:{code}"]
    assert len(node.sweeper._dailies) == 2
    await node.sweeper._urgent.finish()
    assert (await node.rooms.load(code)).running is None


async def test_a_repeatedly_failing_effect_is_set_aside_and_logged_once(
    node: Node, clock: SetClock
) -> None:
    broken = await begin_daily(node, BOB)
    await node.redis.xadd(play_keys.attempt(broken), {"e": "no entry"}, id="0-9")
    number = keys.partition("broken")
    await node.redis.hset(keys.outbox(number), "broken", "no finish")
    node.attempts._replicas = ReplicaCache()
    clock.time = days.closes(DAY)
    with capture_logs() as logs:
        for _ in range(2 * module.TRIES):
            await node.sweep()
    member = f"a:{broken}"

    def told(event: str, field: str = "name") -> list[str]:
        return sorted(log[field] for log in logs if log["event"] == event)

    assert told("effect_set_aside") == [member, "broken"]
    # A journal with lost entries is not retried, because no node could ever read it.
    assert told("effect_failed") == ["broken"] * (module.TRIES - 1)
    assert told("journal_gap", "key") == [play_keys.attempt(broken)]
    aside = {"broken": "no finish", member: f"due at {days.closes(DAY)}"}
    assert await all_set_aside(node.database) == aside
    assert await all_effects(node.services.outbox_store) == []
    assert await all_due(node.services.outbox_store, clock.time) == []


async def test_failures_are_counted_across_changes_of_nodes(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRIES", 3)
    await other.sweeper.renew()
    await node.sweeper.renew()
    kept = min(node.sweeper._partitions)
    moved = min(set(range(keys.PARTITIONS)) - node.sweeper._partitions.keys())
    await other.services.sweeper_store.drop()
    for number, name in ((kept, "kept"), (moved, "moved")):
        await node.redis.hset(keys.outbox(number), name, "no finish")
    await node.sweep()
    await other.sweeper.renew()
    await node.sweep()
    await other.services.sweeper_store.drop()
    await node.sweep()
    assert await all_set_aside(node.database) == {"kept": "no finish"}
    assert await all_effects(node.services.outbox_store) == [("moved", "no finish")]


async def test_an_effect_failing_without_redis_grows_older_and_is_never_set_aside(
    node: Node, clock: SetClock, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    await finish_daily(node)
    with monkeypatch.context() as patch:
        patch.setattr(type(node.services.leaderboard_store), "place", away)
        for _ in range(2 * module.TRIES):
            await node.sweep()
            now[0] += 10.0
    assert node.sweeper.age() == 2 * module.TRIES * 10.0
    assert len(await all_effects(node.services.outbox_store)) == 1
    clock.time = START + module.RETRY_AFTER_MS
    # It is retried before the next scan of its partition is due.
    await scan(node)
    assert await all_effects(node.services.outbox_store) == []
    assert node.sweeper.age() == 0.0


async def test_a_deadline_postponed_by_a_rematch_has_no_age(
    node: Node, clock: SetClock, now: list[float]
) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = OVER - module.HORIZON_MS
    await node.sweeper.renew()
    await node.sweeper.scan()
    for player in (ADA, BOB):
        await node.rooms.finish(code, round_of(room).deal, player, reached(1))
    await node.rematch(code, ADA, BOB)
    clock.time = OVER
    await node.sweeper.poll()
    await node.sweeper._urgent.finish()
    now[0] += 100.0
    assert node.sweeper.age() == 100.0, "it is looked at once more"
    clock.time += module.RETRY_AFTER_MS
    await node.sweeper.scan()
    assert node.sweeper.age() == 0.0
    assert not any(each.found for each in node.sweeper._partitions.values())


async def test_a_failed_moderation_act_is_retried_soon_without_players(
    node: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token = await node.identify(None, "Ada")
    player = (await node.identify(token))[0].id
    await node.sweep()
    with monkeypatch.context() as patch:
        patch.setattr(type(node.services.moderation_store), "bar", away)
        with pytest.raises(UnavailableError):
            await node.services.operators.bar(By("mod", "testing"), player, 1)
    assert len(await all_effects(node.services.outbox_store)) == 1
    clock.time += module.RETRY_AFTER_MS
    await scan(node)
    assert await all_effects(node.services.outbox_store) == []


@pytest.mark.parametrize("error", [UnavailableError("away"), asyncio.CancelledError()])
async def test_an_effect_stored_without_an_answer_is_soon_applied_by_its_partitions_owner(
    node: Node, other: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    store = type(node.services.outbox_store)
    put = store.put_effect

    async def put_unanswered(self: OutboxStore, field: str, text: str) -> None:
        await put(self, field, text)
        raise error

    for each in (node, other, node):
        await each.sweep()
        await each.sweeper.renew()
    player = next(
        name
        for number in range(1_000)
        if keys.partition(name := PlayerId(f"{number:016}")) in node.sweeper._partitions
    )
    with monkeypatch.context() as patch:
        patch.setattr(store, "put_effect", put_unanswered)
        with pytest.raises(type(error)):
            await other.services.outbox.submit(Kept(player, START, code="0" * 64))
    assert len(await all_effects(node.services.outbox_store)) == 1
    for each in (other, node):
        await each.sweeper.renew()
    for _ in range(2 * int(module.BUSY_SCAN_EVERY_MS / 1000 / module.SCAN_EVERY)):
        clock.time += int(module.SCAN_EVERY * 1000)
        await scan(node)
    assert await all_effects(node.services.outbox_store) == []
