"""Cached extracts of members' histories, for building tables on request.

An extract is cached with the version of its history. A table costs one round trip for the versions
of all members' histories, and reads only the histories that have changed since this node last
built the same table. `deploy/CAPACITY.md` has measurements.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from engine.catalog import games
from server.base.core.ids import DealId, PlayerId
from server.base.work.tasks import release
from server.circles.core.tables import AllTime, Duel, Score, all_time, duels, score_of
from server.results.core.excerpt import Excerpt
from server.results.core.history import ChallengeResult
from server.results.daily_sets import DailySets
from server.results.histories_store import HistoryStore

MAX_CACHED: Final = 20_000
"""The most extracts cached, 0.3 kB each, evicted in least-recently-used order."""

FIELDS_AT_ONCE: Final = 800
"""History fields read in one batch: at most 2.5 ms of the event loop."""

AT_ONCE: Final = 2
"""Batches read concurrently, across all tables. Others wait."""

MAX_DUELS: Final = 2_000
"""The most pairs of players whose head-to-head results are cached."""

T = TypeVar("T")

OnDeal = tuple[str, DealId]
"""A challenge, identified by its game and deal."""

ChallengeResults = Mapping[OnDeal, ChallengeResult]


class _Part(NamedTuple, Generic[T]):
    """The part of a history that a kind of table needs.

    Attributes:
        name: its name in the cache.
        fields: the number of history fields it reads.
        read: reads excerpts that contain it.
        make: computes the cached extract of an excerpt.
    """

    name: str
    fields: int
    read: Callable[[Sequence[PlayerId]], Awaitable[list[Excerpt]]]
    make: Callable[[Excerpt], T]


class MemberHistories:
    """Reads the extracts of histories that tables need.

    Args:
        store: the history store.
        sets: the games that were dailies on each day.
    """

    def __init__(self, store: HistoryStore, sets: DailySets) -> None:
        self._store = store
        self._sets = sets
        self._known: OrderedDict[tuple[PlayerId, str], tuple[int, Any]] = OrderedDict()
        self._duels: OrderedDict[tuple[PlayerId, PlayerId], tuple[tuple[int, ...], list[Duel]]]
        self._duels = OrderedDict()
        self._reading = asyncio.Semaphore(AT_ONCE)

    async def scores(self, players: Sequence[PlayerId], days: range) -> dict[PlayerId, Score]:
        """Return each player's score over some days."""
        name, sets = f"{days.start}-{days.stop}", await self._sets.load()
        part = await self._of_days(name, days, lambda excerpt: score_of(excerpt, days, sets))
        return await self._read(players, part)

    async def by_day(
        self, players: Sequence[PlayerId], days: range
    ) -> dict[int, dict[PlayerId, Score]]:
        """Return each player's score for each day."""
        sets = await self._sets.load()

        def make(excerpt: Excerpt) -> dict[int, Score]:
            return {day: score_of(excerpt, (day,), sets) for day in days}

        name = f"each {days.start}-{days.stop}"
        found = await self._read(players, await self._of_days(name, days, make))
        return {day: {player: by[day] for player, by in found.items()} for day in days}

    async def _of_days(self, name: str, days: range, make: Callable[[Excerpt], T]) -> _Part[T]:
        dailies = await self._sets.ever()

        def read(some: Sequence[PlayerId]) -> Awaitable[list[Excerpt]]:
            return self._store.excerpts(some, days, dailies=dailies)

        return _Part(name, len(games()) + len(dailies) * len(days), read, make)

    async def all_time(self, players: Sequence[PlayerId]) -> dict[PlayerId, AllTime]:
        """Return each player's all-time score and records."""
        sets = await self._sets.load()
        fields = 7 * len(games())
        part = _Part("all", fields, self._sums, lambda excerpt: all_time(excerpt, sets))
        return await self._read(players, part)

    async def challenges(
        self, players: Sequence[PlayerId], of: Sequence[OnDeal]
    ) -> dict[PlayerId, ChallengeResults]:
        """Return each player's results in some challenges, by game and deal."""
        if not of:
            return {player: {} for player in players}

        def read(some: Sequence[PlayerId]) -> Awaitable[list[Excerpt]]:
            return self._store.excerpts(some, (), challenges=of)

        name = " ".join(sorted(deal for _, deal in of))
        part = _Part(name, len(games()) + len(of), read, _challenges_of)
        return await self._read(players, part)

    async def duels(
        self, one: PlayerId, other: PlayerId, pay: Callable[[int], None] = lambda _: None
    ) -> list[Duel]:
        """Return the head-to-head results of two players over all shared deals.

        Reads both histories in full, unless neither changed since the last call on this node.
        Before a read, `pay` is called with the number of results in both.
        """
        versions = tuple(await asyncio.gather(*map(self._store.version, (one, other))))
        found = self._duels.get((one, other))
        if found is None or found[0] != versions:
            pay(sum(await self._store.sizes((one, other))))
            async with self._reading:
                first, second = [
                    (await self._store.read(player)).history for player in (one, other)
                ]
            read = (first.version, second.version)
            found = self._duels[one, other] = read, duels(first, second)
            if len(self._duels) > MAX_DUELS:
                self._duels.popitem(last=False)
            # Freeing long histories at once would block the event loop.
            await release(first.days, first.rounds, second.days, second.rounds)
        return found[1]

    async def _read(self, players: Sequence[PlayerId], part: _Part[T]) -> dict[PlayerId, T]:
        """Return the extract of each player's history, reading those that changed."""
        found: dict[PlayerId, T] = {}
        changed: list[PlayerId] = []
        versions = await asyncio.gather(*map(self._store.version, players))
        for player, version in zip(players, versions, strict=True):
            known = self._known.get((player, part.name))
            if known is not None and known[0] == version:
                found[player] = known[1]
                self._known.move_to_end((player, part.name))
            else:
                changed.append(player)
        at_once = max(1, FIELDS_AT_ONCE // part.fields)
        for first in range(0, len(changed), at_once):
            batch = changed[first : first + at_once]
            async with self._reading:
                # Limit concurrent reads over all tables: each holds up the event loop.
                read = await part.read(batch)
            for player, excerpt in zip(batch, read, strict=True):
                found[player] = made = part.make(excerpt)
                self._keep((player, part.name), excerpt.version, made)
        return {player: found[player] for player in players}

    async def _sums(self, players: Sequence[PlayerId]) -> list[Excerpt]:
        """Return excerpts with the sums of each game's dailies."""
        dailies = await self._sets.ever()
        of_games = [await self._store.excerpts(players, (), of=game) for game in dailies]
        found = []
        for each in zip(*of_games, strict=True):
            played = {game: sums for one in each for game, sums in one.played.items()}
            # Keep the first version: if the history changed meanwhile, the next call reads it
            # again.
            found.append(replace(each[-1], played=played, version=each[0].version))
        return [
            await self._whole(player) if each.lacks_sums(each.totals) else each
            for player, each in zip(players, found, strict=True)
        ]

    async def _whole(self, player: PlayerId) -> Excerpt:
        """Return the sums of a history stored before sums were, by reading all of it."""
        whole = await self._store.read(player)
        return whole.all(whole.computed)

    def _keep(self, key: tuple[PlayerId, str], version: int, made: object) -> None:
        self._known[key] = version, made
        self._known.move_to_end(key)
        if len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)


def _challenges_of(found: Excerpt) -> ChallengeResults:
    return found.challenges
