"""What is kept in Redis, and for how long: nothing for long that nobody has played."""

from __future__ import annotations

from typing import cast

import pytest
from redis.asyncio import Redis

from engine.catalog import games
from server.core import daily
from server.core.boards import of_daily
from server.core.daily import DailyId
from server.core.due import AttemptDue
from server.core.ids import PACE_BOT, AttemptId, PlayerId
from server.service.answers import Advice
from server.store import keys
from tests.conftest import ALONE
from tests.core.builders import ADA, BOB, LIMIT, START
from tests.service.nodes import BEGUN, OVER, Node, SetClock, attempt_of
from tests.store.outboxes import all_due, all_effects

pytestmark = ALONE

DAY = daily.day_at(START)
CLOSE = daily.closes(DAY)


async def expiry(node: Node, key: str) -> int:
    """Return when a key expires, in Unix milliseconds, to a minute; -1 if it does not."""
    left = await node.redis.pttl(key)
    assert left != -2, f"{key} is not there"
    return -1 if left == -1 else _minute(await _now(node) + left)


async def _now(node: Node) -> int:
    """Return Redis's time in Unix milliseconds."""
    seconds, microseconds = await cast("Redis", node.redis).time()
    return seconds * 1000 + microseconds // 1000


def _minute(time: int) -> int:
    return round(time / 60_000) * 60_000


async def new_keys(node: Node, before: list[str]) -> set[str]:
    return set(await node.keys()) - set(before)


@pytest.fixture(autouse=True)
async def newest_format(node: Node, other: Node) -> None:
    """Let the nodes know that no earlier release runs."""
    for each in (node, other):
        await each.services.format.refresh()


async def open_all(node: Node, player: PlayerId) -> list[AttemptId]:
    """Begin a session, open each game's daily, and end the session."""
    await node.services.sessions.enter(player, "session")
    found = [(await node.dailies.open(player, game)).attempt for game in games()]
    node.services.sessions.leave(player, "session")
    await node.store.players.keep(player)  # a write after its end, on the same connection
    return found


async def test_dailies_that_are_opened_and_not_played_are_kept_until_their_close(
    node: Node, other: Node, clock: SetClock
) -> None:
    await node.dailies.draw_ahead()
    before = await node.keys()
    attempts = await open_all(node, ADA)
    assert await new_keys(node, before) == set(map(keys.attempt, attempts))
    for attempt in attempts:
        assert await expiry(node, keys.attempt(attempt)) == CLOSE + keys.UNPLAYED_LIFE
    # A player who has looked is not dealt the same cards with a new clock.
    clock.time = CLOSE - 1
    assert (await other.dailies.open(ADA, min(games()))).start.at == START
    # Whoever looks finds their end, and nothing follows from it.
    clock.time = CLOSE
    for attempt in attempts[1:]:
        assert (await other.state_of(attempt)).end == "time"
    await node.sweep()
    await other.apply_effects()
    clock.time += keys.UNPLAYED_LIFE
    await node.redis.delete(*map(keys.attempt, attempts))
    for each in (node, other):
        assert [await each.attempts.find(attempt) for attempt in attempts] == [None] * len(games())
    left = {key for key in await new_keys(node, before) if not key.startswith(("daily", "deal"))}
    assert {key.partition(":")[0] for key in left} <= {"{sweepers}"}


async def test_a_daily_that_is_given_up_at_once_counts_for_nobody(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "robert")).attempt
    await node.attempts.resign(attempt, ADA, 2)
    assert node.attempts.finishes.empty()
    assert await all_effects(node.store.outboxes) == []
    assert await expiry(node, keys.attempt(attempt)) == CLOSE + keys.UNPLAYED_LIFE
    board = of_daily(DailyId("robert", DAY), "guests")
    assert (await node.store.leaderboards.rows(board, 1, 1))[0] == 0


async def test_the_first_move_of_a_daily_is_kept_and_sets_its_deadline(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "lady-betty")).attempt
    assert await all_due(node.store.outboxes, CLOSE) == []
    for _ in range(2):
        await node.play(attempt, ADA)
        assert await all_due(node.store.outboxes, CLOSE) == [(AttemptDue(attempt), CLOSE)]
        assert await expiry(node, keys.attempt(attempt)) == CLOSE + keys.ATTEMPT_LIFE


async def test_an_attempt_that_an_earlier_release_has_begun_is_kept_by_its_end(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "lady-betty")).attempt
    await node.play(attempt, ADA)
    # The first move was taken by a node that does not extend the life of the journal.
    await node.redis.pexpireat(keys.attempt(attempt), CLOSE + keys.UNPLAYED_LIFE)
    await node.attempts.resign(attempt, ADA, 3)
    assert await expiry(node, keys.attempt(attempt)) == CLOSE + keys.ATTEMPT_LIFE


async def test_a_round_without_a_move_leaves_its_room_and_that_for_a_day(
    node: Node, clock: SetClock
) -> None:
    before = await node.keys()
    room, code = await node.race_of(ADA, BOB)
    assert room.round is not None
    for player in (ADA, BOB):
        await node.rooms.leave(code, player)
    await node.apply_effects()
    assert (await node.rooms.find(code)).running is None
    attempts = {keys.attempt(attempt_of(room, player)) for player in (ADA, BOB)}
    deal, creation = keys.deal(room.round.deal), keys.creation(ADA, f"by {ADA}")
    assert await new_keys(node, before) == {*attempts, deal, creation, keys.room(code)}
    assert {await expiry(node, key) for key in attempts} == {_minute(OVER + keys.UNPLAYED_LIFE)}
    assert 0 < await node.redis.ttl(deal) <= keys.DAY_SECONDS
    assert await expiry(node, keys.room(code)) <= clock.time + keys.ROOM_LIFE + 60_000


@pytest.mark.parametrize("by", ["move", "hint"])
async def test_what_is_played_in_a_round_is_kept_with_its_deal(
    node: Node, clock: SetClock, by: str
) -> None:
    room = await node.rooms.create(
        ADA, "robert", "standard", seats=2, limit=LIMIT, creation="k", allowed="hints"
    )
    room = await node.rooms.start(room.opened.code, ADA, [ADA])
    assert room.round is not None
    attempt = attempt_of(room, ADA)
    clock.time = BEGUN
    if by == "move":
        await node.play(attempt, ADA)
    else:
        assert isinstance(await node.attempts.hint(attempt, ADA, 2), Advice)
    assert await expiry(node, keys.attempt(attempt)) == _minute(OVER + keys.ATTEMPT_LIFE)
    left = await node.redis.ttl(keys.deal(room.round.deal))
    assert left * 1000 > keys.ATTEMPT_LIFE + 2 * LIMIT


async def test_a_round_ends_though_its_attempts_are_not_kept_any_more(
    node: Node, clock: SetClock
) -> None:
    """No node was there between the deadline and the end of what nobody had played."""
    now = await _now(node)
    clock.time = now - (OVER - START) - keys.UNPLAYED_LIFE - 1_000
    room, code = await node.race_of(ADA, BOB)
    assert not await node.redis.exists(*(keys.attempt(attempt_of(room, p)) for p in (ADA, BOB)))
    clock.time = now
    await node.sweep()
    await node.apply_effects()
    found = await node.rooms.find(code)
    assert found.round is not None
    assert found.running is None
    assert {r.end for r in found.round.results.values()} == {"time"}
    assert await all_due(node.store.outboxes, clock.time) == []


@pytest.mark.parametrize("played", [False, True])
async def test_the_pace_bots_run_is_kept_if_somebody_plays_against_it(
    node: Node, clock: SetClock, played: bool
) -> None:
    code = node.rooms.random_code()
    await node.rooms.match(code, ADA, "lady-betty")
    clock.time += 60_000
    await node.rooms.seat_bot(code)
    room = await node.rooms.start(code, None, [ADA, PACE_BOT])
    assert room.round is not None
    clock.time = room.round.starts
    if played:
        await node.play(attempt_of(room, ADA), ADA)
    clock.time = room.round.deadline
    bots = await node.rooms.play_bot(room)
    assert bots is not None
    assert bots.end is not None
    assert bots.is_played
    await node.sweep()
    await node.apply_effects()
    end = await expiry(node, keys.attempt(bots.id))
    unplayed = _minute(room.round.deadline + keys.UNPLAYED_LIFE)
    if played:
        # In these tests, Redis's own time is years before that of the round.
        assert abs(end - await _now(node) - keys.PLAYED_DEAL_LIFE * 1000) < 120_000
    else:
        assert end == unplayed


MOST = {"opened": 1_600, "first move": 1_800}
"""Bytes that the journal of a daily may take, at most: with Redis's own setting it is 4,784."""


async def test_a_short_journal_takes_few_bytes(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "lady-betty")).attempt
    for most in MOST.values():
        taken = await node.redis.memory_usage(keys.attempt(attempt), samples=0)
        assert taken is not None
        assert taken < most
        await node.play(attempt, ADA)
