"""What the histories of members say for the tables of circles: read when somebody looks.

A member's part of a table is kept in memory with the version of the history that it follows from.
So a table costs a round trip in which the version of each member's history is read, and only those
histories are read further that have changed since somebody on this node has looked. For 200 members
and 26 weeks, all of which are new here, that is 910 fields each: see `deploy/CAPACITY.md`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from engine.catalog import games
from server.base.core.ids import DealId, PlayerId
from server.base.work.tasks import release
from server.circles.core.tables import AllTime, Duel, Score, all_time, duels, score_of
from server.results.core.excerpt import Excerpt
from server.results.core.history import ChallengeResult
from server.results.histories_store import HistoryStore

MAX_CACHED: Final = 20_000
"""Parts of tables that are kept in memory, 0.3 kB each; those used longest ago go first."""

FIELDS_AT_ONCE: Final = 2_000
"""Fields of histories that are read at once: they take an event loop about a millisecond."""

MAX_DUELS: Final = 2_000
"""Pairs of players of whom it is kept in memory how often each was better."""

T = TypeVar("T")

OnDeal = tuple[str, DealId]
"""A challenge, by its game and deal."""

ChallengeResults = Mapping[OnDeal, ChallengeResult]


class MemberHistories:
    """Reads what tables need of histories."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._known: OrderedDict[tuple[PlayerId, str], tuple[int, Any]] = OrderedDict()
        self._duels: OrderedDict[tuple[PlayerId, PlayerId], tuple[tuple[int, ...], list[Duel]]]
        self._duels = OrderedDict()

    async def scores(self, players: Sequence[PlayerId], days: range) -> dict[PlayerId, Score]:
        """Return what the dailies of some days are to each of some players."""
        name = f"{days.start}-{days.stop}"
        return await self._read(players, name, days, lambda found: score_of(found, days))

    async def by_day(
        self, players: Sequence[PlayerId], days: range
    ) -> dict[int, dict[PlayerId, Score]]:
        """Return what the dailies of each of some days are to each of some players."""
        found = await self._read(
            players,
            f"each {days.start}-{days.stop}",
            days,
            lambda excerpt: {day: score_of(excerpt, (day,)) for day in days},
        )
        return {day: {player: by[day] for player, by in found.items()} for day in days}

    async def all_time(self, players: Sequence[PlayerId]) -> dict[PlayerId, AllTime]:
        """Return what all results are to each of some players."""
        return await self._read(players, "all", range(0), all_time, sums=True)

    async def challenges(
        self, players: Sequence[PlayerId], of: Sequence[OnDeal]
    ) -> dict[PlayerId, ChallengeResults]:
        """Return the results of some challenges, by game and deal, of each of some players."""
        if not of:
            return {player: {} for player in players}
        name = " ".join(sorted(deal for _, deal in of))
        return await self._read(
            players, name, range(0), lambda found: found.challenges, challenges=of
        )

    async def duels(self, one: PlayerId, other: PlayerId) -> list[Duel]:
        """Return how often each of two players was better, on all deals that both have played.

        All of both histories is read, unless neither has changed since that was asked here.
        """
        versions = tuple(each.version for each in await self._store.excerpts([one, other], ()))
        found = self._duels.get((one, other))
        if found is None or found[0] != versions:
            first, second = await self._store.read(one), await self._store.read(other)
            read = (first.history.version, second.history.version)
            found = self._duels[one, other] = read, duels(first.history, second.history)
            if len(self._duels) > MAX_DUELS:
                self._duels.popitem(last=False)
            await release(first.history.days, first.history.rounds)
            await release(second.history.days, second.history.rounds)
        return found[1]

    async def _read(
        self,
        players: Sequence[PlayerId],
        name: str,
        days: range,
        make: Callable[[Excerpt], T],
        *,
        sums: bool = False,
        challenges: Sequence[OnDeal] = (),
    ) -> dict[PlayerId, T]:
        """Return what is made of an excerpt of each player's history, by a name in the cache."""
        found: dict[PlayerId, T] = {}
        changed: list[PlayerId] = []
        at_once = FIELDS_AT_ONCE // (2 + len(games()))
        for first in range(0, len(players), at_once):
            batch = players[first : first + at_once]
            for player, now in zip(batch, await self._store.excerpts(batch, ()), strict=True):
                known = self._known.get((player, name))
                if known is not None and known[0] == now.version:
                    found[player] = known[1]
                    self._known.move_to_end((player, name))
                else:
                    changed.append(player)
        fields = 2 + len(games()) * (1 + len(days)) + len(challenges)
        at_once = max(1, FIELDS_AT_ONCE // fields)
        for first in range(0, len(changed), at_once):
            batch = changed[first : first + at_once]
            if sums:
                read = await self._sums(batch)
            else:
                read = await self._store.excerpts(batch, days, challenges=challenges)
            for player, excerpt in zip(batch, read, strict=True):
                found[player] = made = make(excerpt)
                self._keep((player, name), excerpt.version, made)
        return {player: found[player] for player in players}

    async def _sums(self, players: Sequence[PlayerId]) -> list[Excerpt]:
        """Return excerpts with what the dailies of each game add up to."""
        of_games = [await self._store.excerpts(players, (), of=game) for game in games()]
        found = []
        for each in zip(*of_games, strict=True):
            played = {game: sums for one in each for game, sums in one.played.items()}
            # The version of the first one: if it has changed meanwhile, all is read the next time.
            found.append(replace(each[-1], played=played, version=each[0].version))
        return [
            await self._whole(player) if each.has_no_days(each.totals) else each
            for player, each in zip(players, found, strict=True)
        ]

    async def _whole(self, player: PlayerId) -> Excerpt:
        """Return what follows from all of a history, which was written before its sums were."""
        whole = await self._store.read(player)
        return whole.all(whole.computed)

    def _keep(self, key: tuple[PlayerId, str], version: int, made: object) -> None:
        self._known[key] = version, made
        self._known.move_to_end(key)
        if len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)
