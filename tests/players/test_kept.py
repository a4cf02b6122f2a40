"""Lifetimes of keys in Redis: unplayed games are not kept for long."""

from __future__ import annotations

import asyncio
import re
from typing import cast

import pytest
from redis.asyncio import Redis

from engine.catalog import daily_games
from server.accounts.accounts import parse_typed
from server.accounts.core import keys as accounts_keys
from server.base.core import days, keys
from server.base.core.days import DailyId
from server.base.core.ids import PACE_BOT, AttemptId, PlayerId
from server.base.core.refusal import Refusal
from server.base.quotas.quotas import Scope
from server.base.work.random_text import random_room_code
from server.deals.core import keys as deals_keys
from server.play.core import keys as play_keys
from server.play.core.attempt import Attempt
from server.play.core.keys import AttemptDue
from server.players.core import keys as players_keys
from server.players.core.account import Passkey
from server.players.core.charges import GUEST
from server.results.core.boards import of_daily
from server.rooms.core import keys as rooms_keys
from server.rooms.core import quick_match
from tests.base.outbox.outboxes import all_due
from tests.base.redis.key_modules import PERMANENT
from tests.builders import ADA, BOB, LIMIT, START, round_of
from tests.conftest import ALONE
from tests.nodes import BEGUN, OVER, Node, attempt_of

pytestmark = ALONE

DAY = days.day_at(START)
CLOSE = days.closes(DAY)


async def expiry(node: Node, key: str) -> int:
    """Return a key's expiry in Unix milliseconds, rounded to a minute; -1 if it has none."""
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


async def open_all(node: Node, player: PlayerId) -> list[AttemptId]:
    await node.services.sessions.register(player, "session")
    found = [(await node.dailies.open(player, game)).attempt for game in daily_games()]
    node.services.sessions.unregister(player, "session")
    await node.services.player_store.update(player)  # a write after its end, on the same connection
    return found


async def test_opened_unplayed_dailies_are_kept_until_they_close(node: Node, other: Node) -> None:
    await node.dailies.draw_ahead()
    before = await node.keys()
    attempts = await open_all(node, ADA)
    assert await new_keys(node, before) == set(map(play_keys.attempt, attempts))
    for attempt in attempts:
        assert await expiry(node, play_keys.attempt(attempt)) == CLOSE + play_keys.UNPLAYED_LIFE_MS
    # Opening a daily again does not deal the same cards with a new clock.
    node.clock.time = CLOSE - 1
    assert (await other.dailies.open(ADA, min(daily_games()))).start.at == START
    # The attempt has ended by then, without consequences.
    node.clock.time = CLOSE
    for attempt in attempts[1:]:
        assert (await other.state_of(attempt)).end == "time"
    await node.sweep()
    await other.apply_effects()
    node.clock.time += play_keys.UNPLAYED_LIFE_MS
    await node.redis.delete(*map(play_keys.attempt, attempts))
    for each in (node, other):
        assert not any([await each.attempts.find(attempt) for attempt in attempts])
    left = {key for key in await new_keys(node, before) if not key.startswith(("daily", "deal"))}
    assert {key.partition(":")[0] for key in left} <= {"{sweepers}"}


async def test_a_daily_given_up_without_a_move_counts_as_a_run_without_a_card(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "robert")).attempt
    await node.attempts.resign(attempt, ADA, 2)
    await node.apply_effects()
    assert await expiry(node, play_keys.attempt(attempt)) == CLOSE + play_keys.ATTEMPT_LIFE_MS
    board = of_daily(DailyId("robert", DAY), "guests")
    assert (await node.services.leaderboard_store.rows(board, 1, 1))[0] == 1
    found = await node.services.histories.load(ADA)
    result = found.days["robert", DAY]
    assert (result.home, result.moves, result.end) == (1, 0, "resigned")
    assert (result.counts, found.days_played()) == (False, set())
    assert await node.attempts.run(attempt) is not None, "it can be replayed"


async def test_the_first_move_of_a_daily_is_kept_and_sets_its_deadline(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "lady-betty")).attempt
    assert await all_due(node.services.outbox_store, CLOSE) == []
    for _ in range(2):
        await node.play(attempt, ADA)
        assert await all_due(node.services.outbox_store, CLOSE) == [(AttemptDue(attempt), CLOSE)]
        assert await expiry(node, play_keys.attempt(attempt)) == CLOSE + play_keys.ATTEMPT_LIFE_MS


async def test_an_attempt_started_by_an_earlier_release_is_kept_at_its_end(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "lady-betty")).attempt
    await node.play(attempt, ADA)
    # A node of that release took the first move and did not extend the journal's expiry.
    await node.redis.pexpireat(play_keys.attempt(attempt), CLOSE + play_keys.UNPLAYED_LIFE_MS)
    await node.attempts.resign(attempt, ADA, 3)
    assert await expiry(node, play_keys.attempt(attempt)) == CLOSE + play_keys.ATTEMPT_LIFE_MS


async def test_a_round_without_a_move_leaves_only_its_room_for_a_day(node: Node) -> None:
    before = await node.keys()
    room, code = await node.race_of(ADA, BOB)
    for player in (ADA, BOB):
        await node.rooms.leave(code, player)
    await node.apply_effects()
    assert (await node.rooms.load(code)).running is None
    attempts = {play_keys.attempt(attempt_of(room, player)) for player in (ADA, BOB)}
    deal = deals_keys.deal(round_of(room).deal)
    kept = {*attempts, deal, rooms_keys.room(code), keys.KEYRING}
    assert await new_keys(node, before) == kept
    assert {await expiry(node, key) for key in attempts} == {
        _minute(OVER + play_keys.UNPLAYED_LIFE_MS)
    }
    assert 0 < await node.redis.ttl(deal) <= keys.DAY_SECONDS
    assert (
        await expiry(node, rooms_keys.room(code))
        <= node.clock.time + rooms_keys.ROOM_LIFE_MS + 60_000
    )


@pytest.mark.parametrize("by", ["move", "hint"])
async def test_attempts_played_in_a_round_are_kept_with_the_deal(node: Node, by: str) -> None:
    room = await node.rooms.create(
        ADA, "robert", "standard", seats=2, limit=LIMIT, creation="k", allowed="hints"
    )
    room = await node.rooms.start(room.opened.code, ADA, [ADA])
    attempt = attempt_of(room, ADA)
    node.clock.time = BEGUN
    if by == "move":
        await node.play(attempt, ADA)
    else:
        assert isinstance(await node.attempts.hint(attempt, ADA, 2, lambda _: None), Attempt)
    assert await expiry(node, play_keys.attempt(attempt)) == _minute(
        OVER + play_keys.ATTEMPT_LIFE_MS
    )
    left = await node.redis.ttl(deals_keys.deal(round_of(room).deal))
    assert left * 1000 > play_keys.ATTEMPT_LIFE_MS + 2 * LIMIT


async def test_a_round_outlives_its_attempts(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """No node was running between the deadline and the expiry of unplayed keys."""
    # By Redis's own time, the room opened so long ago that it would expire before its use.
    monkeypatch.setattr(rooms_keys, "UNUSED_ROOM_LIFE_MS", rooms_keys.ROOM_LIFE_MS)
    now = await _now(node)
    node.clock.time = now - (OVER - START) - play_keys.UNPLAYED_LIFE_MS - 1_000
    room, code = await node.race_of(ADA, BOB)
    assert not await node.redis.exists(
        *(play_keys.attempt(attempt_of(room, p)) for p in (ADA, BOB))
    )
    node.clock.time = now
    await node.sweep()
    await node.apply_effects()
    found = await node.rooms.load(code)
    assert (found.running, {r.end for r in round_of(found).results.values()}) == (None, {"time"})
    assert await all_due(node.services.outbox_store, node.clock.time) == []


@pytest.mark.parametrize("played", ["", "refused", "moved"])
async def test_the_pace_bots_run_is_kept_if_an_opponent_plays(node: Node, played: str) -> None:
    code = random_room_code()
    await node.rooms.match(code, ADA, "lady-betty")
    node.clock.time += 60_000
    await node.rooms.decide(code, quick_match.seat_bot)
    room = await node.rooms.start(code, None, [ADA, PACE_BOT])
    node.clock.time = round_of(room).starts
    mine = attempt_of(room, ADA)
    if played == "moved":
        await node.play(mine, ADA)
    elif played:
        done: asyncio.Future[object] = asyncio.Future()
        node.attempts.play_soon(mine, ADA, 2, (0, 0, 1), done.set_result)
        assert isinstance(await done, Refusal)
        with pytest.raises(Refusal):
            await node.attempts.hint(mine, ADA, 2, lambda _: None)
    node.clock.time = round_of(room).deadline
    bots = await node.rooms.play_bot(room)
    assert bots is not None
    assert bots.end is not None
    assert bots.is_played
    await node.sweep()
    await node.apply_effects()
    end = await expiry(node, play_keys.attempt(bots.id))
    unplayed = _minute(round_of(room).deadline + play_keys.UNPLAYED_LIFE_MS)
    if played == "moved":
        # Here, Redis's own time is years before the round's.
        assert abs(end - await _now(node) - deals_keys.PLAYED_DEAL_LIFE_S * 1000) < 120_000
    else:
        assert end == unplayed


async def test_all_keys_expire_except_documented_ones(node: Node) -> None:
    """Covers everything that players can store."""
    services, accounts = node.services, node.services.accounts
    await node.dailies.draw_ahead()
    await services.keyring.refresh()
    place = [Scope("192.0.2.1"), Scope("2001:db8::/48", wide=True)]
    services.quotas.where = lambda _: place
    await node.registration.renew()
    found = [await node.identify(None, f"Guest {number}") for number in range(4)]
    ada, bob, cyd, dot = (each.profile.id for each in found)
    for player in (ada, bob, cyd, dot):
        await services.sessions.register(player, f"session of {player}")
        await services.identity.rename(player, "Other name")
        await services.quotas.take(place, "any", GUEST)
    for player in (ada, bob):
        given = await accounts.new_recovery_code(player, 0, confirmed=True)
        await accounts.keep_recovery_code(player, parse_typed(given))
        passkey = Passkey(f"credential of {player}", player, b"key", 0)
        await accounts.keep_passkey(passkey, 0, confirmed=True)
        await accounts.link_device(player, 0)
    room, code = await node.race_of(ada, cyd)
    await node.room_of(dot)
    services.live.subscribe(room, ada)
    await services.room_addresses.record(code, ada, "192.0.2.1")
    await services.quick_matches.match(dot, "robert")
    node.clock.time = BEGUN
    for player in (ada, cyd):
        await node.play_out(attempt_of(room, player), player)
        attempt = (await node.dailies.open(player, "robert", "192.0.2.1")).attempt
        await node.play(attempt, player)
        await node.attempts.resign(attempt, player, 3)
    await node.apply_effects()
    await accounts.sign_out_everywhere(cyd, "session", 0)
    await accounts.delete(dot)
    await node.sweep()
    for_good = {key for key in await node.keys() if await node.redis.ttl(key) == -1}
    assert {keys.kind_of(key)[0] for key in for_good} <= PERMANENT
    # Among players' keys, only documented ones do not expire.
    credentials = {
        key for key in for_good if keys.kind_of(key)[0] in {"player", "recovery", "passkey"}
    }
    assert credentials == {
        players_keys.player(ada),
        accounts_keys.recovery(str((await accounts.load(ada)).recovery)),
        accounts_keys.passkey(f"credential of {ada}"),
    }
    boards = {key for key in for_good if keys.kind_of(key)[0] == "leaderboard"}
    dated = {key for key in boards if re.search(r":[1-9]\d*\}", key)}
    assert boards
    assert dated == set(), "days and weeks expire"


MOST = {"opened": 1_600, "first move": 1_800}
"""Maximum size of a daily's journal in bytes; with Redis's default setting it is 4,784."""


async def test_a_short_journal_takes_few_bytes(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "lady-betty")).attempt
    for most in MOST.values():
        taken = await node.redis.memory_usage(play_keys.attempt(attempt), samples=0)
        assert taken is not None
        assert taken < most
        await node.play(attempt, ADA)
