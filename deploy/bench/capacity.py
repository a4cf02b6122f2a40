"""Bytes that Redis keeps of everything: on an empty one, by the services of a node.

python -m deploy.bench.capacity

It takes two minutes. What is measured is what Redis says its data takes (`MEMORY STATS`), before
and after so many of a kind were made, divided by their number, and `KEY_COST` for each new key.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from redis.asyncio import Redis

from deploy.bench.games import recorded
from engine.catalog import ruleset
from engine.notation import move_text
from server.accounts.accounts import parse_typed
from server.app import redis_store
from server.base.core import days, keys
from server.base.core.due import AttemptDue
from server.base.core.ids import AttemptId, DealId, PlayerId
from server.base.journals.store import Append
from server.base.nodes.registration import Registration
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.redis.embedded import embedded_redis
from server.base.seals.core.secret_keys import SecretKeys
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.random_id import random_id
from server.cli.logs import configure
from server.play.core import keys as play_keys
from server.play.core.attempt import Moved
from server.play.core.result import Result
from server.results.core.history import DayResult
from server.results.core.race_results import Race
from server.wings import Services

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

Make = Callable[[int], Awaitable[object]]


class Capacity:
    """Makes things of each kind on an empty Redis, and measures what they take."""

    def __init__(self, url: str) -> None:
        self.redis = connect(url)
        self.database = Database(self.redis, 0)
        secret_keys = SecretKeys([secrets.token_bytes(32)])
        self.store = redis_store(self.database, RedisClock(self.database), secret_keys)
        registration = Registration(self.store.nodes, self.store.held)
        bus, background = Bus(self.database), Background()
        self.services = Services(self.store, bus, registration, Metrics(), background)

    async def used(self) -> int:
        """Return the bytes that the data takes."""
        assert isinstance(self.redis, Redis)
        stats = await self.redis.memory_stats()
        return int(stats["dataset.bytes"]) + KEY_COST * int(stats["keys.count"])

    async def each(self, make: Make) -> int:
        """Return the bytes that one of a kind takes, of which `make` makes one."""
        before, few = await self.used(), asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> None:
            async with few:
                await make(number)

        await asyncio.gather(*map(one, range(COUNT)))
        await self.services.outbox.flush()
        # What nobody waits for has been written before this on the same connection.
        await self.database.write("", "PING")
        return round((await self.used() - before) / COUNT)

    async def guest(self, name: str | None) -> PlayerId:
        """Begin and end the session of a new guest."""
        player = (await self.services.identity.identify(None, name)).profile.id
        await self.services.sessions.register(player, "session")
        self.services.sessions.unregister(player, "session")
        return player

    async def keep(self, player: PlayerId) -> None:
        """Keep an identity by a recovery code."""
        accounts = self.services.accounts
        code = await accounts.new_recovery_code(player, 0, confirmed=False)
        await accounts.keep_recovery_code(player, parse_typed(code))

    async def play(self, attempt: AttemptId, moves: int) -> None:
        """Write the moves of a recorded game to the journal of a daily."""
        state = await self.services.attempts.find(attempt)
        assert state is not None, "it has been opened"
        key, start = play_keys.attempt(attempt), state.start
        partition = keys.partition(attempt)
        for number, move in enumerate(recorded(GAME)[:moves], 2):
            now = self.store.clock.now()
            event = Moved(move_text(ruleset(GAME), move), now)
            entry = Append(key, number, msgspec.json.encode(event).decode())
            if number == FIRST:
                expires = start.deadline + play_keys.ATTEMPT_LIFE_MS
                due = AttemptDue(attempt), start.deadline
                entry = entry._replace(partition=partition, expires=expires, due=due)
            await self.store.journals.append(entry, now)

    async def measure(self) -> dict[str, int]:
        """Return the bytes that one of each kind takes."""
        services = self.services
        await self.store.clock.sample()
        await services.prepare()
        day = days.day_at(self.store.clock.now())
        found: dict[str, int] = {}
        # The first ones open connections and load scripts, which takes memory, too.
        await self.each(lambda _: self.guest(None))
        found["a guest who says hello, or opens a page"] = await self.each(
            lambda _: self.guest(None)
        )
        found["a guest's name"] = await self.each(lambda number: self.guest(f"Player {number}"))
        players = [PlayerId(random_id()) for _ in range(COUNT)]
        found["an identity that is kept, without a name"] = await self.each(
            lambda number: self.keep(players[number])
        )
        for moves in (0, *LENGTHS):
            guests = [PlayerId(random_id()) for _ in range(COUNT)]

            async def attempt(number: int, guests: list[PlayerId] = guests, n: int = moves) -> None:
                opened = await services.dailies.open(guests[number], GAME)
                if n:
                    await self.play(opened.attempt, n)

            name = "a daily that is opened"
            if moves:
                name = f"a daily with {moves} move{'s'[: moves - 1]}"
            found[name] = await self.each(attempt)

        result = DayResult(20, 32, 180_000, 100, "resigned", 39)
        guests = [PlayerId(random_id()) for _ in range(COUNT)]
        for name, past in (("first result", 0), ("next result of the same week", 1)):
            found[f"a guest's {name}"] = await self.each(
                lambda number, at=day - past: services.histories.add_day(  # type: ignore[misc]
                    guests[number], GAME, at, result, ()
                )
            )
        found["a kept player's first result"] = await self.each(
            lambda number: services.histories.add_day(players[number], GAME, day, result, ())
        )
        found.update(await self._rooms())
        await services.close()
        await self.database.close()
        return found

    async def _rooms(self) -> dict[str, int]:
        services, found = self.services, {}
        hosts = [PlayerId(random_id()) for _ in range(COUNT)]
        codes = {}

        async def room(number: int) -> None:
            host, guest = hosts[number], PlayerId(random_id())
            opened = await services.rooms.create(
                host, GAME, "standard", seats=2, limit=900_000, creation="k" * 10
            )
            codes[host] = opened.opened.code, guest
            await services.rooms.join(opened.opened.code, guest)

        found["a room of two"] = await self.each(room)

        async def given_up(number: int) -> None:
            code, guest = codes[hosts[number]]
            await services.rooms.start(code, hosts[number], [hosts[number], guest])
            for player in (guest, hosts[number]):
                await services.rooms.leave(code, player)

        found["a round of two without a move, besides"] = await self.each(given_up)

        stored = Result(20, 32, 180_000, 100, "resigned")

        async def race(number: int) -> None:
            room, guest = codes[hosts[number]]
            runs = {hosts[number]: stored, guest: stored}
            over = Race(
                DealId(random_id()), GAME, now := self.store.clock.now(), 0, "none", runs, room, now
            )
            await services.race_recorder.apply(over)

        found["the end of a race of two: record, histories, who met"] = await self.each(race)
        found["the deal of a round"] = await self.each(
            lambda number: self.store.deals.draw(GAME, "standard", codes[hosts[number]][0])
        )
        return found


FIRST = 2
"""The number of a first move's entry."""


async def main() -> None:
    """Measure, and print a table."""
    configure("console", "warning", "capacity")
    with tempfile.TemporaryDirectory(prefix="samedeal") as folder:
        async with embedded_redis(Path(folder)) as socket:
            capacity = Capacity(f"unix://{socket}")
            (server,) = await capacity.database.infos("server")
            found = await capacity.measure()
    lines = [f"| Redis {server['redis_version']} | bytes |", "|---|--:|"]
    lines += [f"| {name} | {size:,} |" for name, size in found.items()]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    asyncio.run(main())
