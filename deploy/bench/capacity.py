"""Bytes that Redis keeps of everything: on an empty one, by the services of a node.

python -m deploy.bench.capacity

It takes two minutes. What is measured is what Redis says its data takes (`MEMORY STATS`), before
and after so many of a kind were made, divided by their number, and `KEY_COST` for each new key.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import msgspec

from deploy.bench.alone import Alone, services_alone
from deploy.bench.client import map_concurrently
from deploy.bench.games import FIRST_ENTRY, recorded
from engine.catalog import ruleset
from engine.notation import move_text
from server.accounts.accounts import parse_typed
from server.base.core import days, keys
from server.base.core.due import AttemptDue
from server.base.core.ids import AttemptId, DealId, PlayerId
from server.base.journals.core.entry import Append
from server.base.work.random_text import random_id
from server.play.core import keys as play_keys
from server.play.core.attempt import Moved
from server.play.core.result import Result
from server.results.core.history import DayResult
from server.results.core.race_results import Race

COUNT = 400
"""How many of each kind are made."""

AT_ONCE = 16
"""How many are made at once: fewer than there are connections."""

KEY_COST = 80
"""Bytes that a key costs in the tables of keys and of expiries: two entries of 24, an object of 16,
and a slot of 8 in each table. It is measured apart, since these tables double at times."""

GAME = "deuces"

LENGTHS = (1, 10, 100, 300)
"""Moves of attempts: a look, a few, a usual game, a long one."""

RESIGNED = (20, 32, 180_000, 100, "resigned")
"""The result of everybody who has one."""

Make = Callable[[int], Awaitable[object]]
"""Makes one of a kind, given its number."""


async def guest(alone: Alone, name: str | None) -> None:
    """Begin and end the session of a new guest."""
    player = (await alone.services.identity.identify(None, name)).profile.id
    await alone.services.sessions.register(player, "session")
    alone.services.sessions.unregister(player, "session")


async def keep(alone: Alone, player: PlayerId) -> None:
    """Keep an identity by a recovery code."""
    accounts = alone.services.accounts
    code = await accounts.new_recovery_code(player, 0, confirmed=False)
    await accounts.keep_recovery_code(player, parse_typed(code))


async def play(alone: Alone, attempt: AttemptId, moves: int) -> None:
    """Write the moves of a recorded game to the journal of a daily."""
    state = await alone.services.attempts.find(attempt)
    assert state is not None, "it has been opened"
    start = state.start
    for number, move in enumerate(recorded(GAME)[:moves], FIRST_ENTRY):
        now = alone.store.clock.now()
        event = Moved(move_text(ruleset(GAME), move), now)
        entry = Append(play_keys.attempt(attempt), number, msgspec.json.encode(event).decode())
        if number == FIRST_ENTRY:
            entry = entry._replace(
                partition=keys.partition(attempt),
                expires=start.deadline + play_keys.ATTEMPT_LIFE_MS,
                due=(AttemptDue(attempt), start.deadline),
            )
        appended: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        alone.store.journals.append(entry, now, 0, "", appended.set_result)
        await appended


async def kinds(alone: Alone) -> AsyncIterator[tuple[str, Make]]:
    """Yield each kind of thing that is kept, with what makes one of it."""
    services = alone.services
    day = days.day_at(alone.store.clock.now())
    # Twice: the first ones open connections and load scripts, which takes memory, too.
    for _ in range(2):
        yield "a guest who says hello, or opens a page", lambda _: guest(alone, None)
    yield "a guest's name", lambda number: guest(alone, f"Player {number}")
    kept, guests, hosts, others = ([PlayerId(random_id()) for _ in range(COUNT)] for _ in range(4))
    yield "an identity that is kept, without a name", lambda number: keep(alone, kept[number])

    async def daily(moves: int, _: int) -> None:
        opened = await services.dailies.open(PlayerId(random_id()), GAME)
        if moves:
            await play(alone, opened.attempt, moves)

    yield "a daily that is opened", partial(daily, 0)
    for moves in LENGTHS:
        yield f"a daily with {moves} move{'s'[: moves - 1]}", partial(daily, moves)

    async def result(players: list[PlayerId], past: int, number: int) -> None:
        stood = DayResult(*RESIGNED, 39)  # type: ignore[arg-type]
        await services.histories.add_day(players[number], GAME, day - past, stood, ())

    yield "a guest's first result", partial(result, guests, 0)
    yield "a guest's next result of the same week", partial(result, guests, 1)
    yield "a kept player's first result", partial(result, kept, 0)
    codes = {}

    async def room(number: int) -> None:
        made = await services.rooms.create(
            hosts[number], GAME, "standard", seats=2, limit=900_000, creation="k" * 10
        )
        codes[number] = made.opened.code
        await services.rooms.join(codes[number], others[number])

    yield "a room of two", room

    async def given_up(number: int) -> None:
        pair = [hosts[number], others[number]]
        await services.rooms.start(codes[number], hosts[number], pair)
        for player in reversed(pair):
            await services.rooms.leave(codes[number], player)

    yield "a round of two without a move, besides", given_up

    async def race(number: int) -> None:
        stored, now = Result(*RESIGNED), alone.store.clock.now()  # type: ignore[arg-type]
        runs = {hosts[number]: stored, others[number]: stored}
        await services.race_recorder.apply(
            Race(DealId(random_id()), GAME, now, 0, "none", runs, codes[number], now)
        )

    yield "the end of a race of two: record, histories, who met", race
    yield "the deal of a round", lambda n: alone.store.deals.draw(GAME, "standard", codes[n])


async def measure(alone: Alone) -> dict[str, int]:
    """Return the bytes that one of each kind takes."""

    async def used() -> int:
        stats = await alone.redis.memory_stats()
        return int(stats["dataset.bytes"]) + KEY_COST * int(stats["keys.count"])

    await alone.services.prepare()
    found: dict[str, int] = {}
    async for name, make in kinds(alone):
        before = await used()
        await map_concurrently(COUNT, make, AT_ONCE)
        await alone.services.outbox.flush()
        # What nobody waits for has been written before this on the same connection.
        await alone.database.write("", "PING")
        found[name] = round((await used() - before) / COUNT)
    return found


async def main() -> None:
    """Measure, and print a table."""
    async with services_alone() as alone:
        (server,) = await alone.database.infos("server")
        found = await measure(alone)
    lines = [f"| Redis {server['redis_version']} | bytes |", "|---|--:|"]
    lines += [f"| {name} | {size:,} |" for name, size in found.items()]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    asyncio.run(main())
