"""Leaderboards as players see them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.catalog import games
from server.core import daily
from server.core.ids import PlayerId
from server.core.names import Profile
from server.core.ranking import Row
from server.core.refusal import Refusal
from server.service.store import Store

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


class Leaderboards:
    """The leaderboard of each game and day."""

    def __init__(self, store: Store) -> None:
        self._store = store

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

    async def page(self, game: str, day: int, player: PlayerId) -> Page:
        """Return what a player is shown.

        Raises:
            UnavailableError: the store does not answer.
        """
        boards = self._store.leaderboards
        top = await boards.top(game, day, TOP)
        around = await boards.around(game, day, player, REACH)
        size = await boards.size(game, day)
        profiles = await self._store.players.profiles({row.player for row in (*top, *around)})
        return Page(game, day, size, top, around, profiles)
