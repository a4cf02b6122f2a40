"""The simulated Redis compared with a real one: equal commands have equal answers."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from server.base.core.days import DailyId
from server.base.core.ids import RoomCode
from server.base.core.refusal import UnavailableError
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.deals.core import keys as deals_keys
from server.deals.pool_store import _REPLACE
from server.deals.store import DealStore
from server.foundation import Setup
from server.settings import Settings
from server.wings import Services, services_of
from tests.conftest import ALONE, secret_keys
from tests.deals.certified import pooled
from tests.simulation.link import Link
from tests.simulation.loop import VirtualLoop
from tests.simulation.world import World

pytestmark = ALONE

DAYS = [20_000, 20_001]
CODES = [RoomCode("AAAAA"), RoomCode("BBBBBBBB")]
KEY = deals_keys.pool("robert")
COMMANDS = 3_000

SCRIPT = Script("return redis.call(unpack(ARGV))")

HASH, SCORES, TEXT, JOURNAL, STREAM, SET = (f"{{k}}:{kind}" for kind in "hztjas")
ALL = [HASH, SCORES, TEXT, JOURNAL]


@dataclass(frozen=True)
class Side:
    """A store and its connection."""

    database: Database
    services: Services


def side_on(database: Database) -> Side:
    clock, bus = RedisClock(database), Bus(database)
    setup = Setup(database, secret_keys(), clock, bus, Metrics(), Background(), Settings())
    return Side(database, services_of(setup))


def drawn(rng: random.Random, now: int, length: int) -> tuple[str, ...]:
    """Return a random command that the server or its scripts send.

    Its times to live are past or longer than any test runs, as the two stores set expiries some
    milliseconds apart.
    """
    one, key, number = rng.choice, rng.choice(ALL), str(rng.randint(-3, 9))
    name, other, text = (one(["a", "b", "\u00e9", "1.5", "-7"]) for _ in range(3))
    score, place, last = (str(rng.randint(-3, 3)) for _ in range(3))
    low, high = one(["-inf", score, f"({score}"]), one(["+inf", last, f"({last}"])
    limit = one([(), ("LIMIT", "0", str(rng.randint(1, 3)))])
    scored = one([(), ("WITHSCORES",)])
    ends = str(now + one([-60_000, 10_000_000]))
    entry = f"0-{length + rng.randint(0, 1)}"
    return one(
        [
            *[("EXISTS", key), ("TTL", key), ("PERSIST", key), ("DEL", one([key, JOURNAL]))],
            *[("EXPIRE", key, one(["10000", "20000"])), ("PEXPIREAT", key, ends)],
            *[("SET", TEXT, text), ("SET", TEXT, text, "EX", "10000"), ("GET", TEXT)] * 2,
            *[("SET", TEXT, text, "PX", "10000000"), ("SET", TEXT, text, "PXAT", ends)],
            *[("HSET", HASH, name, number), ("HSET", HASH, name, score, other, number)] * 2,
            *[("HSETNX", HASH, name, number), ("HINCRBY", HASH, "count", number)],
            *[("HDEL", HASH, name), ("HDEL", HASH, name, other), ("HGET", HASH, name)],
            *[("HMGET", HASH, name, other), ("HEXISTS", HASH, name), ("HLEN", HASH)],
            *[("HGETALL", HASH), ("HKEYS", HASH), ("HVALS", HASH), ("SADD", SET, name)],
            *[("ZADD", SCORES, score, name), ("ZADD", SCORES, last, other)] * 3,
            *[("ZADD", SCORES, one(["XX", "GT"]), score, name), ("ZSCORE", SCORES, name)],
            *[("ZREM", SCORES, name), ("ZREM", SCORES, name, other), ("ZCARD", SCORES)],
            *[("ZMSCORE", SCORES, name, other), ("ZRANK", SCORES, name)],
            *[("ZCOUNT", SCORES, low, high), ("ZREVRANGE", SCORES, "0", "-1")],
            *[("ZRANGE", SCORES, place, last, *scored), ("ZRANGE", SCORES, low, high, "BYSCORE")],
            ("ZRANGEBYSCORE", SCORES, low, high, *scored, *limit),
            ("ZREVRANGEBYSCORE", SCORES, high, low, *limit),
            *[("ZREMRANGEBYSCORE", SCORES, low, score), ("ZREMRANGEBYRANK", SCORES, "0", place)],
            *[("XADD", JOURNAL, entry, "e", text)] * 6,
            ("XTRIM", JOURNAL, "MINID", entry),
            *[("XRANGE", JOURNAL, one(["-", entry]), "+", "COUNT", one("123")), ("XLEN", JOURNAL)],
            ("XREVRANGE", JOURNAL, "+", "-", "COUNT", one("12")),
        ]
    )


async def answer_of(on: Side, command: tuple[str, ...], *, scripted: bool) -> object:
    try:
        if scripted:
            answer = await on.database.run(SCRIPT, [command[1]], *command)
        else:
            answer = await on.database.write(command[1], *command)
    except UnavailableError as error:
        return type(error)
    # Redis guarantees no order for hashes.
    return sorted(answer) if command[0] in {"HKEYS", "HVALS"} else answer


class SimulatedStore:
    """A simulated store without faults, which runs each command to completion."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.world = World(0, self.loop, Counter())
        self.world.stop_faults()
        link = Link(self.world, "simulated")
        self.loop.connect = lambda factory, _: link.connect(factory)
        self.side = side_on(Database(connect("redis://simulated:6379"), 0))

    async def close(self) -> None:
        """Close the connections."""
        await self.side.database.close()

    async def answer(self, command: tuple[str, ...], *, scripted: bool) -> Any:
        """Return the answer of a command."""
        running = answer_of(self.side, command, scripted=scripted)
        # A thread cannot run two event loops at a time.
        return await asyncio.to_thread(self.loop.run_until_complete, running)


@pytest.fixture
def simulated() -> Iterator[SimulatedStore]:
    made = SimulatedStore()
    yield made
    made.loop.run_until_complete(made.close())
    made.loop.close()


@pytest.mark.parametrize("scripted", [False, True])
async def test_the_simulated_store_answers_like_a_real_one(
    database: Database, simulated: SimulatedStore, *, scripted: bool
) -> None:
    real, rng, length, seen = side_on(database), random.Random(1), 0, Counter[str]()
    for number in range(COMMANDS):
        await real.services.clock.sample()
        now = real.services.clock.now()
        simulated.world.set_epoch(now)
        command = drawn(rng, now, length)
        found = await simulated.answer(command, scripted=scripted)
        wanted = await answer_of(real, command, scripted=scripted)
        if command[0] == "TTL":
            # Seconds are rounded, and the clocks differ by some milliseconds.
            assert abs(found - wanted) <= 1, f"command {number}: {command}"
        else:
            assert found == wanted, f"command {number}: {command}"
        if command[0] == "XADD" and isinstance(wanted, str):
            length = int(wanted.partition("-")[2])
        if not await real.database.write(JOURNAL, "EXISTS", JOURNAL):
            length = 0
        seen[command[0]] += bool(wanted)
    assert min(seen.values()) > 0, seen


@pytest.mark.parametrize("which", ["real", "simulated"])
async def test_a_stored_deal_is_found_unchanged(
    database: Database, simulated: SimulatedStore, which: str
) -> None:
    real = side_on(database)

    async def story(on: Side) -> None:
        services = on.services
        dailies = [DailyId("robert", day) for day in DAYS[:2]]
        drawn = await services.deal_store.draw("robert", "standard", CODES[0])
        assert await DealStore(on.database, secret_keys()).find(drawn.id) == drawn
        first = await services.deal_store.daily(dailies[0])
        assert (first.day, first.room) == (DAYS[0], None)
        assert await services.deal_store.daily(dailies[0]) == first
        assert await services.deal_store.daily(dailies[1]) != first
        assert await DealStore(on.database, secret_keys()).daily_ids(
            [dailies[0], DailyId("deuces", DAYS[0])]
        ) == {dailies[0]: first.id}
        await services.deal_store.seal(drawn.id)
        assert await services.format_store.read() is None
        await services.format_store.raise_to(2)
        assert await services.format_store.read() == 2
        assert await services.keyring_store.read() is None
        assert await services.keyring_store.keep_first("one") == "one"
        assert await services.keyring_store.keep_first("two") == "one"
        assert [
            await services.keyring_store.change(*each) for each in (("two", "1"), ("one", "3"))
        ] == [False, True]
        assert await services.keyring_store.read() == "3"

    if which == "real":
        await story(real)
    else:
        await asyncio.to_thread(simulated.loop.run_until_complete, story(simulated.side))


@pytest.mark.parametrize("which", ["real", "simulated"])
async def test_a_certified_deal_is_taken_from_its_pool(
    database: Database, simulated: SimulatedStore, which: str
) -> None:
    real = side_on(database)
    made = [pooled("robert", effort) for effort in (7, 5, 6)]
    daily = DailyId("robert", DAYS[0])

    async def story(on: Side) -> None:
        services = on.services
        for deal in made:
            await services.pool_store.put(deal)
        assert await services.pool_store.sizes(["robert", "deuces"]) == {"robert": 3, "deuces": 0}
        assert await services.pool_store.read("robert") == ([made[1], made[2], made[0]], [])
        assert await services.pool_store.seal("robert") == (3, 0)
        assert await on.database.run(_REPLACE, [KEY], "none", "new") == 0
        assert await services.deal_store.draw_certified(DailyId("deuces", DAYS[0])) is None
        found = await services.deal_store.daily(daily)
        assert found.id in {deal.id for deal in made}
        assert await DealStore(on.database, secret_keys()).daily(daily) == found
        assert await services.deal_store.draw_certified(daily) == found.id
        assert await services.pool_store.count("robert") == 2
        member = str((await on.database.ask(lambda r, key: r.zrange(key, 0, -1), KEY))[0][0])
        assert await on.database.run(_REPLACE, [KEY], member, "2.new") == 1
        assert await services.pool_store.sizes(["robert"]) == {"robert": 2}
        assert await services.pool_store.count("robert") == 1

    if which == "real":
        await story(real)
    else:
        await asyncio.to_thread(simulated.loop.run_until_complete, story(simulated.side))
