"""The cost of a result to a node and Redis, however long its player has played.

python -m deploy.bench.histories

It takes half a minute, on a private Redis. Of an event loop it says how long it was busy in all,
and in the longest single pass, in which nobody else is served; of Redis, the bytes that it sent
and was sent. These are medians of `REPEATS`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from asyncio.events import Handle
from collections.abc import Awaitable, Callable
from itertools import count
from statistics import median
from typing import NamedTuple

import msgspec

from deploy.bench.alone import Alone, services_alone
from deploy.bench.games import GAMES
from server.base.core import days as daily
from server.base.core.ids import DealId, PlayerId
from server.base.work.random_text import random_id
from server.players.core import keys
from server.results.core.history import DayResult, RoundResult
from server.results.players_api import OfPlayer, show_player

REPEATS = 25
"""How often each is measured."""

YEARS = (0, 1, 3, 10)
ROUNDS = 200
"""Rounds of each game that a player has raced who has played for at least a year."""

BEST = DayResult(52, 0, 400_000, 90, "won", 193, ranked=True)
HALF = DayResult(27, 25, 400_000, 80, "stuck", 51, ranked=True)

Act = Callable[[PlayerId], Awaitable[object]]


class Cost(NamedTuple):
    """The cost of one act: milliseconds of the event loop, and bytes of Redis."""

    busy: float
    longest: float
    received: float
    sent: float


class Lives:
    """Players of each age, and what acts on their histories cost."""

    def __init__(self, alone: Alone) -> None:
        self.redis, self.services = alone.redis, alone.services
        self.today = daily.day_at(alone.store.clock.now())
        self.passes: list[float] = []

    async def player(self, years: int) -> PlayerId:
        """Return a player with an identity who has played all games every day for some years."""
        player, fields = PlayerId(random_id()), {"v": "1", "kept": "1"}
        days = range(self.today - 365 * years, self.today)
        fields |= {f"d:{game}:{day}": _text(HALF) for game in GAMES for day in days}
        fields[f"d:{GAMES[0]}:{self.today - 1}"] = _text(BEST)
        if years:
            for game in GAMES:
                for number in range(ROUNDS):
                    fields[f"r:{game}:{random_id()}"] = _text(_race(number, 0.125))
        await self.redis.hset(keys.history(player), mapping=fields)  # type: ignore[arg-type]
        # The first result takes place on a warm connection.
        await self.services.histories.add_day(player, GAMES[0], self.today, HALF, ())
        return player

    async def cost(self, act: Act, player: PlayerId) -> Cost:
        """Return what an act costs, once."""
        before = await self.redis.info("stats")
        self.passes.clear()
        # In a task of its own: the pass that runs this is not over yet.
        await asyncio.ensure_future(act(player))
        passes = list(self.passes)
        after = await self.redis.info("stats")
        sent, received = (
            after[name] - before[name]
            for name in ("total_net_output_bytes", "total_net_input_bytes")
        )
        return Cost(sum(passes) * 1000, max(passes) * 1000, received, sent)

    async def measure(self) -> list[str]:
        """Return the rows of a table."""
        services, numbers = self.services, count(1)
        self._watch()
        acts: dict[str, Act] = {
            "a daily": lambda player: services.histories.add_day(
                player, GAMES[next(numbers) % len(GAMES)], self.today + next(numbers), HALF, ()
            ),
            "a daily, entered again": lambda player: services.histories.add_day(
                player, GAMES[0], self.today, HALF, ()
            ),
            "a round": lambda player: services.histories.add_round(
                player,
                GAMES[next(numbers) % len(GAMES)],
                DealId(random_id()),
                _race(10**6 + next(numbers), 0.25),
            ),
            "a daily taken back, and standing again": lambda player: self.void(player, self.today),
            "so the best of all": lambda player: self.void(player, self.today - 1),
            "a kept identity": lambda player: services.histories.keep(player, 1),
            "a player's page": lambda player: show_player(services, OfPlayer(player=player)),
            "all that is kept of a player": services.accounts.export,
        }
        rows = []
        for name, act in acts.items():
            for years in YEARS:
                player = await self.player(years)
                found = [await self.cost(act, player) for _ in range(REPEATS)]
                busy, longest, received, sent = map(median, zip(*found, strict=True))
                figures = f"{busy:.2f} | {longest:.2f} | {sent:,.0f} | {received:,.0f}"
                rows.append(f"| {name} | {years} | {figures} |")
        return rows

    async def void(self, player: PlayerId, day: int) -> None:
        """Take the result of a daily back, and let it stand again."""
        for void in (True, False):
            await self.services.histories.void_day(player, GAMES[0], day, (), void=void)

    def _watch(self) -> None:
        """Note how long each pass of the event loop takes: one callback, or one step of a task."""
        run = Handle._run  # noqa: SLF001

        def timed(handle: Handle) -> None:
            begun = time.thread_time()
            run(handle)
            self.passes.append(time.thread_time() - begun)

        Handle._run = timed  # type: ignore[method-assign, assignment]  # noqa: SLF001


def _race(at: int, shift: float) -> RoundResult:
    return RoundResult(
        at, 1, 4, won=True, home=20, left=32, time=5_000, moves=40, end="stuck",
        shift=shift, factor=0.999, ranked=True,
    )  # fmt: skip


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def main() -> None:
    """Measure, and print a table."""
    async with services_alone() as alone:
        rows = await Lives(alone).measure()
    head = ["| | years | ms in all | ms, longest pass | bytes read | bytes written |"]
    sys.stdout.write("\n".join([*head, "|---|--:|--:|--:|--:|--:|", *rows, ""]))


if __name__ == "__main__":
    asyncio.run(main())
