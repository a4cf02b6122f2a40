"""Measure the memory that each kind of data takes in Redis.

python -m deploy.bench.capacity [--table | --write]

It takes a minute. A node's services create objects of each kind in an empty Redis. The growth of
its data (`MEMORY STATS`), divided by their number, plus `KEY_COST` for each new key, is the memory
of one. `--write` records the results in `costs.json`. `--table` measures nothing and only updates
the tables of `deploy/CAPACITY.md` from the recorded results.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from redis.asyncio import BlockingConnectionPool, Redis, UnixDomainSocketConnection

from deploy.bench import sizing
from deploy.bench.client import map_concurrently
from deploy.bench.games import FIRST_ENTRY, recorded
from deploy.bench.node import deal_recorded
from engine.catalog import ruleset
from server.accounts.accounts import parse_typed
from server.app import services_alone
from server.base.core import days
from server.base.core.ids import AttemptId, ChallengeId, DealId, PlayerId
from server.base.redis.database import Database
from server.base.redis.embedded import embedded_redis
from server.base.seals.core.secret_keys import SecretKeys
from server.base.seals.key_file import own_keys
from server.base.work.random_text import random_id
from server.challenges.core.events import Terms
from server.cli.logs import configure
from server.deals.store import DealStore
from server.play.answers import Played
from server.play.core import keys as play_keys
from server.play.core.result import Result
from server.results.core.history import ChallengeResult, DayResult
from server.results.core.race_results import Race
from server.rooms.core import commands
from server.settings import Settings
from server.wings import Services

COUNT = 400  # the number of created objects per kind
AT_ONCE = 16  # the number created concurrently, which must be below the number of connections
SETTLED = 0.05  # seconds until all writes have reached Redis

# The bytes of a key in the tables of keys and expiries: two entries of 24, an object of 16, and a
# slot of 8 in each table. They count separately, since these tables grow by doubling.
KEY_COST = 80

GAME = "deuces"
LENGTHS = (1, 10, 100, 300)  # numbers of moves: a glance, a few, a usual game, a long one
CHALLENGERS = (2, 50, 1_000)  # numbers of players of challenges: a friend, a circle, the maximum
OPEN_FOR = 3 * 86_400_000  # the duration of a challenge in milliseconds
RESIGNED = (20, 32, 180_000, 100, "resigned")  # the result of all players

Make = Callable[[int], Awaitable[object]]  # creates the object with a number


@asynccontextmanager
async def alone() -> AsyncIterator[tuple[Services, Redis]]:
    """Start an empty Redis, and yield a node's services and a connection."""
    configure("console", "warning", "bench")
    with tempfile.TemporaryDirectory(prefix="samedeal") as folder:
        async with embedded_redis(Path(folder)) as socket:
            # One connection, since Redis counts buffers of new ones as data.
            pool = BlockingConnectionPool(
                1, connection_class=UnixDomainSocketConnection, path=str(socket)
            )
            settings = Settings(redis=socket, secret_key_file=own_keys(Path(folder)))
            async with services_alone(settings) as services, Redis.from_pool(pool) as redis:
                yield services, redis


async def guest(services: Services, name: str | None) -> None:
    """Start and end a session of a new guest."""
    claim = await services.identity.claim(None, name)
    recorded = await services.sessions.register(claim.player, "session", claim.epoch, claim.name)
    await services.identity.identify(claim, recorded)
    services.sessions.unregister(claim.player, "session")


async def keep(services: Services, player: PlayerId) -> None:
    """Keep an identity with a recovery code."""
    accounts = services.accounts
    code = await accounts.new_recovery_code(player, 0, confirmed=False)
    await accounts.keep_recovery_code(player, parse_typed(code))


async def play(services: Services, attempt: AttemptId, player: PlayerId, moves: int) -> None:
    """Play the first moves of a recorded game, each after the previous one is stored."""
    for seq, move in enumerate(recorded(GAME)[:moves], FIRST_ENTRY):
        played: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        numbers = ruleset(GAME).numbers_of(move)
        services.attempts.play_soon(attempt, player, seq, numbers, played.set_result)
        outcome = await played
        assert isinstance(outcome, Played), outcome


async def challenge(services: Services, redis: Redis, players: int, _: int) -> None:
    """Create a challenge that `players` open and finish."""
    service = services.challenges
    terms = Terms(GAME, "standard", 900_000, OPEN_FOR)
    made = await service.create(PlayerId(random_id()), terms, "k" * 10)
    entrants = [PlayerId(random_id()) for _ in range(players)]

    async def attempt(number: int) -> None:
        await service.look(made, entrants[number])
        begun = await service.play(made.id, entrants[number])
        await services.attempts.give_up(begun.attempt)

    await map_concurrently(players, attempt, AT_ONCE)
    await services.outbox.flush()
    # Attempts are measured with dailies.
    for player in entrants:
        await redis.delete(play_keys.attempt(made.attempt(player)))


async def kinds(services: Services, redis: Redis) -> AsyncIterator[tuple[str, Make, int]]:
    """Yield each kind of stored object, with its constructor and the number to create."""
    async for name, make in of_play(services, redis):
        yield name, make, COUNT
    yield "a challenge that nobody plays", partial(challenge, services, redis, 0), COUNT
    for players in CHALLENGERS:
        name = f"a challenge of {players:,}, besides their attempts"
        count = max(1, COUNT // players)
        yield name, partial(challenge, services, redis, players), count


async def of_play(services: Services, redis: Redis) -> AsyncIterator[tuple[str, Make]]:
    """Yield each kind of object that dailies and races leave, with its constructor."""
    day = days.day_at(services.clock.now())
    # Twice, since the first run also allocates connections and scripts.
    for _ in range(2):
        yield "a guest who says hello, or opens a page", lambda _: guest(services, None)
    yield "a guest's name", lambda number: guest(services, f"Player {number}")
    kept, guests, hosts, others = ([PlayerId(random_id()) for _ in range(COUNT)] for _ in range(4))
    yield "an identity that is kept, without a name", lambda number: keep(services, kept[number])

    async def daily(moves: int, _: int) -> None:
        player = PlayerId(random_id())
        opened = await services.dailies.open(player, GAME)
        await play(services, opened.attempt, player, moves)

    yield "a daily that is opened", partial(daily, 0)
    for moves in LENGTHS:
        yield f"a daily with {moves} move{'s'[: moves - 1]}", partial(daily, moves)

    async def result(players: list[PlayerId], past: int, number: int) -> None:
        stood = DayResult(*RESIGNED, 39)  # type: ignore[arg-type]
        await services.histories.add_day(players[number], GAME, day - past, stood, ())

    yield "a guest's first result", partial(result, guests, 0)
    yield "a guest's next result of the same week", partial(result, guests, 1)
    yield "a kept player's first result", partial(result, kept, 0)

    async def challenged(number: int) -> None:
        stood = ChallengeResult(0, ChallengeId(random_id()), 1, 2, *RESIGNED)  # type: ignore[arg-type]
        await services.histories.add_challenge(guests[number], GAME, DealId(random_id()), stood)

    yield "a player's result of a challenge", challenged
    codes = {}

    async def room(number: int) -> None:
        made = await services.rooms.create(
            hosts[number], GAME, "standard", seats=2, limit=900_000, creation="k" * 10
        )
        codes[number] = made.opened.code
        await services.rooms.decide(codes[number], commands.take_seat, others[number])

    yield "a room of two", room

    async def given_up(number: int) -> None:
        pair = [hosts[number], others[number]]
        await services.rooms.start(codes[number], hosts[number], pair)
        for player in reversed(pair):
            await services.rooms.leave(codes[number], player)

    yield "a round of two without a move, besides", given_up

    async def race(number: int) -> None:
        stored, now = Result(*RESIGNED), services.clock.now()  # type: ignore[arg-type]
        runs = {hosts[number]: stored, others[number]: stored}
        await services.race_recorder.apply(
            Race(DealId(random_id()), GAME, now, 0, "none", runs, codes[number], now)
        )

    yield "the end of a race of two: record, histories, who met", race
    deals = DealStore(Database(redis), SecretKeys([secrets.token_bytes(32)]))
    yield "the deal of a round", lambda n: deals.draw(GAME, "standard", codes[n])


async def measure(services: Services, redis: Redis) -> dict[str, int]:
    """Return the bytes of one object of each kind."""

    async def used() -> int:
        # Wait for background writes.
        await asyncio.sleep(SETTLED)
        stats = await redis.memory_stats()
        return int(stats["dataset.bytes"]) + KEY_COST * int(stats["keys.count"])

    await services.prepare()
    found: dict[str, int] = {}
    async for name, make, count in kinds(services, redis):
        before = await used()
        await map_concurrently(count, make, AT_ONCE)
        await services.outbox.flush()
        found[name] = round((await used() - before) / count)
    return found


async def file_costs(services: Services, redis: Redis) -> dict[str, float]:
    """Return the costs of dailies of `sizing.MOVES` moves to Redis's file and processor.

    These are appended bytes per move, bytes of the rewritten file per byte of memory, and processor
    time per move in microseconds.
    """

    async def spent() -> tuple[float, int, int]:
        await asyncio.sleep(SETTLED)
        told = await redis.info()
        seconds = told["used_cpu_user"] + told["used_cpu_sys"]
        return seconds, told["aof_current_size"], told["used_memory_dataset"]

    async def rewritten() -> int:
        await redis.bgrewriteaof()
        while True:
            told = await redis.info("persistence")
            if not told["aof_rewrite_in_progress"] and not told["aof_rewrite_scheduled"]:
                return int(told["aof_base_size"])
            await asyncio.sleep(SETTLED)

    async def daily(_: int) -> None:
        player = PlayerId(random_id())
        opened = await services.dailies.open(player, GAME)
        await play(services, opened.attempt, player, sizing.MOVES)

    base, (seconds, size, memory) = await rewritten(), await spent()
    await map_concurrently(COUNT, daily, AT_ONCE)
    await services.outbox.flush()
    later, size_later, memory_later = await spent()
    moves = COUNT * sizing.MOVES
    return {
        "appended": round((size_later - size) / moves),
        "rewritten": round((await rewritten() - base) / (memory_later - memory), 2),
        "processor_us": round(1e6 * (later - seconds) / moves, 1),
    }


async def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench.capacity", description=__doc__)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--table", action="store_true", help="update the tables of CAPACITY.md")
    forms.add_argument("--write", action="store_true", help="record the results")
    options = parser.parse_args()
    if options.table:
        sizing.write_document()
        return
    deal_recorded()
    async with alone() as (services, redis):
        server = await redis.info("server")
        kept = await measure(services, redis)
        file = await file_costs(services, redis)
    # Valkey also reports a compatible Redis version.
    name = next(name for name in ("valkey", "redis") if f"{name}_version" in server)
    found = {"server": f"{name.title()} {server[f'{name}_version']}", "kept": kept, "file": file}
    text = json.dumps(found, indent=1) + "\n"
    if options.write:
        sizing.COSTS_FILE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    asyncio.run(main())
