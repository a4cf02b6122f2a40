"""A node with a wrong clock: the clock is corrected before anything is shown or written."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from engine.catalog import daily_games
from server.base.core import days
from server.base.core.refusal import Refusal
from server.base.redis import clock as clocks
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.rooms.core.commands import COUNTDOWN_MS
from server.watching.core.sight import WATCH_DELAY_MS
from tests.builders import ADA, BOB, START
from tests.nodes import BEGUN, Node, SetClock, attempt_of, node_on
from tests.play.test_attempts import command, entries

pytestmark = pytest.mark.usefixtures("any_time")


class _JumpedClock(SetClock):
    """A clock that is wrong until it is sampled."""

    def __init__(self, right: SetClock, wrong: int) -> None:
        super().__init__(wrong)
        self._right = right

    async def sample(self) -> None:
        self.time = self._right.time


@pytest.fixture
def jumped(clock: SetClock) -> _JumpedClock:
    """Return a clock that is ahead by more than a countdown."""
    return _JumpedClock(clock, clock.time + 2 * COUNTDOWN_MS)


@pytest.fixture
async def ahead(redis_url: str, node: Node, jumped: _JumpedClock) -> AsyncIterator[Node]:
    """Return a node with such a clock."""
    assert node is not None, "created second, after the other node"
    async with node_on(redis_url, jumped) as ahead:
        yield ahead


async def test_no_card_is_shown_before_the_round_starts(
    node: Node, ahead: Node, clock: SetClock
) -> None:
    room, _ = await node.race_of(ADA, BOB)
    with pytest.raises(Refusal, match="not_started"):
        await ahead.attempts.open(attempt_of(room, ADA), ADA)
    clock.time += COUNTDOWN_MS
    assert (await ahead.attempts.open(attempt_of(room, ADA), ADA)).seq == 1


async def test_no_card_is_turned_before_the_round_starts(node: Node, ahead: Node) -> None:
    room, _ = await node.race_of(ADA, BOB)
    attempt = attempt_of(room, ADA)
    with pytest.raises(Refusal, match="not_started"):
        await command(ahead, attempt, 2, "s>t0")
    assert len(await entries(node, attempt)) == 1


async def test_the_day_follows_the_corrected_clock(ahead: Node, jumped: _JumpedClock) -> None:
    jumped.time += days.DAY
    snapshot = await ahead.dailies.open(ADA, "robert")
    assert snapshot.start.day == days.day_at(START)


async def test_no_seed_is_revealed_early(
    node: Node, ahead: Node, jumped: _JumpedClock, clock: SetClock
) -> None:
    snapshot = await node.dailies.open(ADA, "robert")
    jumped.time = clock.time + 3 * days.DAY
    assert (await ahead.services.closed_deals.load(snapshot.start.deal))[1] is None


async def test_an_entry_after_a_clock_was_set_back_has_the_previous_entrys_time(
    node: Node, clock: SetClock
) -> None:
    room, _ = await node.race_of(ADA, BOB)
    clock.time = BEGUN + 5_000
    await node.play(attempt_of(room, ADA), ADA)
    clock.time = BEGUN + 1_000
    await node.play(attempt_of(room, ADA), ADA)
    assert (await node.state_of(attempt_of(room, ADA))).at == BEGUN + 5_000


class _LeapingClock(_JumpedClock):
    """A clock that leaps ahead each time it has been confirmed."""

    async def confirm(self) -> int:
        confirmed = await super().confirm()
        self.time += 10 * WATCH_DELAY_MS
        return confirmed


async def test_watchers_see_no_move_early_if_the_clock_leaps_while_it_is_read(
    redis_url: str, node: Node, clock: SetClock
) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = BEGUN
    await node.play(attempt_of(room, ADA), ADA)
    async with node_on(redis_url, _LeapingClock(clock, BEGUN)) as leaping:
        watching = leaping.services.watching
        leaping.services.live.subscribe(room, None)
        watching.follow(code)
        await watching._reads.finish()
        shown = [board and board.seq for board, _ in watching.boards(code, "live")]
        assert shown == [2, 1]
        assert [board for board, _ in watching.boards(code, "delayed")] == [None, None]
        await watching._due.finish()
        assert [board for board, _ in watching.boards(code, "delayed")] == [None, None]


class WaveringClock(RedisClock):
    """A clock that its samples set forward and back by 20 ms alternately."""

    _wave = 0.01

    async def _read_time(self) -> float:
        self._wave = -self._wave
        return START / 1000 + time.monotonic() + self._wave


async def test_small_clock_corrections_never_close_an_open_daily(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "CONFIRMED_FOR", 0.0)
    clock = WaveringClock(Database(connect(redis_url)))
    async with node_on(redis_url, clock) as node:
        await clock.sample()
        for player in (ADA, BOB):
            for game in daily_games():
                opened = await node.dailies.open(player, game)
                await node.attempts.open(opened.attempt, player)
