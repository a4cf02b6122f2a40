"""Quotas: the charged addresses and amounts, on all nodes together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from server.base.core import keys, quota
from server.base.core.ids import PACE_BOT, PlayerId
from server.base.core.quota import BOT, DAY, HOUR, KEPT_DAYS, PARTS, RUNNER, Item, counted_until
from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError
from server.base.quotas import quotas as module
from server.base.quotas.quotas import Scope
from server.base.work.random_text import random_room_code
from server.deals.core import keys as deals_keys
from server.play.core import keys as play_keys
from server.rooms.core import charges, quick_match
from server.rooms.core import keys as rooms_keys
from tests.builders import ADA, BOB, CYD
from tests.conftest import ALONE
from tests.nodes import BEGUN, Node, SetClock, attempt_of, round_of

pytestmark = ALONE

HERE, ELSEWHERE = Scope("192.0.2.1"), Scope("192.0.2.2")
AROUND = Scope("2001:db8::/48", wide=True)
FIRST, SECOND = Scope("2001:db8:0:1::/64"), Scope("2001:db8:0:2::/64")
SOME = Item(100, HOUR)


@pytest.fixture
def small_quotas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit an address to 1,000 bytes, and a /48 to 4,000."""
    monkeypatch.setattr(quota, "PLAYER_BYTES", 4)


@pytest.fixture
def at(node: Node, other: Node) -> Callable[..., None]:
    """Return a function that sets a player's addresses."""
    places: dict[PlayerId, Sequence[Scope]] = {}
    for each in (node, other):
        each.services.quotas.where = lambda player: places.get(player, ())

    def place(player: PlayerId, *scopes: Scope) -> None:
        places[player] = scopes

    return place


async def used(node: Node, *scopes: Scope) -> list[int]:
    """Return the bytes stored for each scope, including recent charges."""
    await written(node)
    return [each.used for each in await node.services.quotas.stored(scopes)]


async def bytes_of(node: Node, key: str) -> int:
    taken = await node.redis.memory_usage(key, samples=0)
    assert taken is not None
    return taken


async def written(node: Node) -> None:
    pool = node.services.quotas._writes
    for scope in list(node.services.quotas._noted):
        pool.schedule(scope, None)
        pool.add(scope)
    await pool.finish()


@pytest.mark.usefixtures("small_quotas")
async def test_an_address_has_one_quota_on_all_nodes_without_affecting_others(
    node: Node, other: Node
) -> None:
    for number in range(10):
        await (node, other)[number % 2].services.quotas.take([HERE], "any", [SOME])
    for each in (node, other):
        with pytest.raises(Refusal, match="address_full") as refused:
            await each.services.quotas.take([HERE], "any", [SOME])
        assert refused.value.wait == HOUR
        await each.services.quotas.take([ELSEWHERE], "any", [SOME])
    assert await used(node, HERE, ELSEWHERE) == [1_000, 200]
    assert node.services.quotas._limited["address", "stored"] == 1


@pytest.mark.usefixtures("small_quotas")
async def test_expired_data_free_the_quota(node: Node, clock: SetClock) -> None:
    quotas = node.services.quotas
    await quotas.take([HERE], "any", [Item(900, HOUR), Item(100, DAY)])
    clock.time = counted_until(clock.time, HOUR)
    await quotas.take([HERE], "any", [Item(900, HOUR)])
    assert await used(node, HERE) == [1_000]


@pytest.mark.usefixtures("small_quotas")
async def test_rooms_are_refused_first_then_games_then_other_data(node: Node) -> None:
    quotas = node.services.quotas
    await quotas.take([HERE], "any", [Item(int(1_000 * PARTS["room"]) - 50, HOUR)])
    with pytest.raises(Refusal):
        await quotas.take([HERE], "room", [SOME])
    await quotas.take([HERE], "game", [SOME])
    with pytest.raises(Refusal):
        await quotas.take([HERE], "game", [SOME])
    await quotas.take([HERE], "any", [SOME])


@pytest.mark.usefixtures("small_quotas")
async def test_a_48_is_charged_for_all_its_networks_and_a_refusal_charges_none(node: Node) -> None:
    quotas, big = node.services.quotas, [Item(1_000, HOUR)]
    networks = [Scope(f"2001:db8:0:{number}::/64") for number in range(5)]
    for each in networks[:4]:
        await quotas.take([each, AROUND], "any", big)
    for each in (networks[4], networks[0]):
        with pytest.raises(Refusal, match="address_full"):
            await quotas.take([each, AROUND], "any", [SOME])
    assert await used(node, *networks, AROUND) == [1_000] * 4 + [0, 4_000]


@pytest.mark.parametrize("error", [Refusal(BaseRefusals.unknown_game), UnavailableError()])
async def test_charges_of_refused_or_failed_commands_are_returned(
    node: Node, error: Exception
) -> None:
    quotas = node.services.quotas
    with pytest.raises(type(error)):
        async with quotas.paying([FIRST, AROUND], "room", [SOME]):
            raise error
    assert await used(node, FIRST, AROUND) == [0, 0]
    async with quotas.paying([FIRST, AROUND], "room", [SOME]):
        pass
    assert await used(node, FIRST, AROUND) == [100, 100]


async def test_addresses_are_stored_as_keyed_hashes(node: Node) -> None:
    await node.services.quotas.take([HERE], "any", [SOME])
    (key,) = await node.keys("quota:*")
    assert len(key) == len("quota:{}") + 12
    assert "192.0" not in key


async def test_a_played_game_is_charged_to_the_players_current_address(
    node: Node, at: Callable[..., None], clock: SetClock
) -> None:
    at(ADA, HERE)
    at(BOB, ELSEWHERE)
    room, _ = await node.race_of(ADA, BOB, CYD)
    clock.time = BEGUN
    assert await used(node, HERE, ELSEWHERE) == [0, 0], "handlers charge for new work"
    for player, moves in ((ADA, 1), (BOB, module.MOVES), (CYD, 1)):
        for _ in range(moves):
            await node.play(attempt_of(room, player), player)
    entries = module.MOVES * module.ENTRY_BYTES
    results = charges.ROUND_RESULTS + 3 * charges.RUNNER_RESULTS
    played = module.PLAYED + results
    assert await used(node, HERE, ELSEWHERE) == [played, played + entries]
    await node.attempts.resign(attempt_of(room, ADA), ADA, 3)
    kept = module.PLAYED + 3 * module.ENTRY_BYTES
    assert await used(node, HERE) == [kept + results]
    for days, size in ((9, kept), (KEPT_DAYS, kept), (KEPT_DAYS + 10, 0)):
        clock.time = round_of(room).deadline + days * DAY
        assert await used(node, HERE) == [size]


async def test_charges_cover_the_memory_used_in_redis(
    node: Node, at: Callable[..., None], clock: SetClock
) -> None:
    at(ADA, HERE)
    room, code = await node.race_of(ADA)
    clock.time = BEGUN
    taken = await bytes_of(node, rooms_keys.room(code))
    assert taken < charges.ROOM[0].size <= charges.USED_ROOM.size
    attempt = attempt_of(room, ADA)
    assert await bytes_of(node, play_keys.attempt(attempt)) < quota.RUNNER
    assert (await node.play_out(attempt, ADA)).seq > 20
    await node.apply_effects()
    kept = await bytes_of(node, rooms_keys.round_in(code, round_of(room).deal))
    assert 0 < kept < charges.ROUND_RESULTS + charges.RUNNER_RESULTS
    taken = await bytes_of(node, play_keys.attempt(attempt))
    assert taken + kept <= (await used(node, HERE))[0]


@pytest.mark.usefixtures("small_quotas")
async def test_moves_are_refused_only_while_a_quota_is_full(
    node: Node, at: Callable[..., None], clock: SetClock
) -> None:
    quotas = node.services.quotas
    at(ADA, FIRST, AROUND)
    at(BOB, SECOND, AROUND)
    for size, is_full in ((999, False), (1, True)):
        quotas.note(ADA, Item(size, HOUR))
        await written(node)
        assert [*map(quotas.is_full, (ADA, BOB, CYD))] == [is_full, False, False]
    assert quotas._writes.is_scheduled(FIRST), "the next check happens by itself"
    clock.time = counted_until(clock.time, HOUR)
    assert await used(node, FIRST) == [0]
    assert not quotas.is_full(ADA)


async def test_games_are_kept_for_fewer_days_at_an_address_that_stores_much(
    node: Node, at: Callable[..., None], clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "PLAYER_BYTES", 400)
    quotas = node.services.quotas
    at(ADA, HERE)
    at(BOB, ELSEWHERE)
    assert quotas.days([ADA]) == KEPT_DAYS
    await quotas.take([HERE], "any", [Item(25_000, DAY)])
    assert (quotas.days([ADA]), quotas.days([CYD]), quotas.days([PACE_BOT])) == (7, 90, 90)
    assert quotas.days([ADA, BOB]) == KEPT_DAYS, "no address loses other addresses' charges"
    assert quotas.days([ADA, PACE_BOT]) == 7
    with monkeypatch.context() as operator:
        operator.setattr(quotas, "_keep_days", 5)
        assert (quotas.days([ADA]), quotas.days([CYD])) == (5, 5)
    assert (await node.dailies.open(ADA, "robert")).start.days == 7
    room, _ = await node.race_of(ADA)
    clock.time = BEGUN
    for _ in range(2):
        await node.play(attempt_of(room, ADA), ADA)
    seconds, _ = await node.redis.time()
    now, attempt = seconds * 1000, play_keys.attempt(attempt_of(room, ADA))
    expected = round_of(room).deadline + 7 * DAY
    assert abs(now + await node.redis.pttl(attempt) - expected) < HOUR
    left = await node.redis.ttl(deals_keys.deal(round_of(room).deal))
    assert abs(left - (7 + deals_keys.PLAYED_DEAL_DAYS) * keys.DAY_SECONDS) < 60
    await node.attempts.resign(attempt_of(room, ADA), ADA, 4)
    assert abs(now + await node.redis.pttl(attempt) - expected) < HOUR


@pytest.mark.parametrize("known", [True, False])
async def test_the_pace_bots_run_is_charged_for_its_lifetime(
    node: Node,
    at: Callable[..., None],
    clock: SetClock,
    monkeypatch: pytest.MonkeyPatch,
    known: bool,
) -> None:
    at(ADA, HERE)
    code = random_room_code()
    await node.rooms.match(code, ADA, "robert")
    clock.time += 60_000
    await node.rooms.decide(code, quick_match.seat_bot)
    room = await node.rooms.start(code, None, [ADA, PACE_BOT])
    assert charges.round_of(2, HOUR, bot=True)[-1].size == 2 * RUNNER + BOT
    if not known:
        monkeypatch.setattr(node.services.live, "cached", lambda _: None)
    clock.time = round_of(room).starts
    await node.play(attempt_of(room, ADA), ADA)
    results = charges.ROUND_RESULTS + (2 if known else charges.MAX_SEATS) * charges.RUNNER_RESULTS
    assert await used(node, HERE) == [module.PLAYED + results + BOT]
    charged = await node.redis.hgetall(next(iter(await node.keys("quota:*"))))
    kept = counted_until(clock.time, deals_keys.PLAYED_DEAL_LIFE_S * 1000)
    assert int(charged[str(kept)]) >= BOT
