"""Leaderboards as players see them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from engine.catalog import games
from server.core import daily
from server.core.ids import PlayerId
from server.core.names import Profile
from server.core.ranking import Row
from server.core.refusal import Refusal
from server.service import news, topics
from server.service.news import Entered
from server.service.profiles import Profiles
from server.service.store import Store
from server.store.bus import Bus

TOP = 10
"""Rows from the first."""

REACH = 3
"""Rows on either side of the player's own."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one player is shown of a day's leaderboard."""

    game: str
    day: int
    size: int
    top: list[Row]
    around: list[Row]
    profiles: dict[PlayerId, Profile]


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's row of a leaderboard of `size` rows."""

    row: Row
    size: int
    profile: Profile


class Leaderboards:
    """The leaderboard of each game and day."""

    def __init__(self, store: Store, bus: Bus, profiles: Profiles) -> None:
        self._store = store
        self._bus = bus
        self._profiles = profiles

    def check(self, game: str, day: int | None) -> int:
        """Return the day that is meant, today if none is named.

        Raises:
            Refusal: there is no leaderboard of this game for this day.
        """
        if game not in games():
            raise Refusal("unknown_game")
        today = daily.day_at(self._store.clock.now())
        if day is not None and day > today:
            raise Refusal("unknown_day")
        return today if day is None else day

    async def enter(self, game: str, day: int, player: PlayerId, score: int) -> None:
        """Enter a player's one result of the day, and let those who watch know.

        Doing so again changes nothing; but that it was done may not have been published.

        Raises:
            UnavailableError: the store does not answer.
        """
        entered = await self._store.leaderboards.enter(game, day, player, score)
        payload = news.encode(Entered(player, score)) if entered else b""
        self._bus.publish(topics.leaderboard(game, day), payload)

    def listen(self, game: str, day: int) -> None:
        """Listen to a leaderboard; as many `unlisten` end it."""
        self._bus.listen(topics.leaderboard(game, day))

    def unlisten(self, game: str, day: int) -> None:
        """Stop listening to a leaderboard."""
        self._bus.unlisten(topics.leaderboard(game, day))

    async def page(self, game: str, day: int, player: PlayerId) -> Page:
        """Return what a player is shown.

        Raises:
            UnavailableError: the store does not answer.
        """
        (size, top), (around,) = await asyncio.gather(
            self.top(game, day), self.around(game, day, [player])
        )
        profiles = await self.profiles([*top, *around])
        return Page(game, day, size, top, around, profiles)

    async def top(self, game: str, day: int) -> tuple[int, list[Row]]:
        """Return the number of rows, and the first of them, in one round trip.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._store.leaderboards.top(game, day, TOP)

    async def around(self, game: str, day: int, players: Sequence[PlayerId]) -> list[list[Row]]:
        """Return each player's row with its neighbours, in one round trip.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._store.leaderboards.around(game, day, players, REACH)

    async def standing(self, game: str, day: int, player: PlayerId) -> Standing | None:
        """Return a player's row, or `None` if there is none; two round trips at most.

        Raises:
            UnavailableError: the store does not answer.
        """
        size, row = await self._store.leaderboards.standing(game, day, player)
        if row is None:
            return None
        return Standing(row, size, (await self.profiles([row]))[player])

    async def profiles(self, rows: Sequence[Row]) -> dict[PlayerId, Profile]:
        """Return the profiles of the players of some rows, read only if they are not held.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._profiles.find(row.player for row in rows)
