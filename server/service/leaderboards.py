"""Leaderboards: pages of them for players, and a signal for changes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.catalog import games
from server.core import boards, daily, topics
from server.core.boards import BoardId, Group
from server.core.daily import DailyId
from server.core.ids import PlayerId
from server.core.names import Profile
from server.core.ranking import Row
from server.core.refusal import Refusal
from server.service import bus_messages
from server.service.bus_messages import Entered
from server.service.ports import MessageBus
from server.service.profiles import Profiles
from server.service.signal import Signal
from server.service.store import Store

TOP = 10
"""Rows of a page from the top."""

REACH = 3
"""Rows of a page on either side of the player's own."""


@dataclass(frozen=True, slots=True)
class Page:
    """The part of a leaderboard that one player is shown.

    Attributes:
        size: number of all rows of the leaderboard.
        top: the first rows, at most `TOP`.
        around: the player's row with up to `REACH` rows on either side; empty without a result.
        profiles: of the players of these rows.
    """

    board: BoardId
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
    """Reads and writes leaderboards, and publishes their changes.

    Attributes:
        entered: emitted with the id of a leaderboard that this node subscribes to, and the result
            that was entered; `None` for the result if messages may have been missed.
        name_changed: emitted with a player whose name an operator has changed.
    """

    def __init__(self, store: Store, bus: MessageBus, profiles: Profiles) -> None:
        self.entered: Signal[BoardId, Entered | None] = Signal()
        self.name_changed = profiles.changed
        self._store = store
        self._bus = bus
        self._profiles = profiles

    def today(self, game: str) -> DailyId:
        """Return the id of a game's daily of the current day."""
        return DailyId(game, daily.day_at(self._store.clock.now()))

    def of_daily(self, daily_id: DailyId, group: Group) -> BoardId:
        """Return the id of the leaderboard of a daily.

        Raises:
            Refusal: there is no such game, or the day is in the future.
        """
        if daily_id.game not in games():
            raise Refusal("unknown_game")
        if daily_id.day > self.today(daily_id.game).day:
            raise Refusal("unknown_day")
        return boards.of_daily(daily_id, group)

    async def group_of(self, player: PlayerId) -> Group:
        """Return the group of leaderboards that a player is shown in, in one round trip.

        Raises:
            UnavailableError: the store does not answer.
        """
        (kept,) = await self._store.histories.kept([player])
        return "ranked" if kept else "guests"

    async def place(
        self, board: BoardId, player: PlayerId, score: int | None, curve: Sequence[str] = ()
    ) -> None:
        """Set a player's score on a leaderboard or take it away, and publish the change.

        A second call changes nothing, but publishes again, since the node that set the score may
        have died before it published. See `LeaderboardStore.place`.

        Raises:
            UnavailableError: the store does not answer.
        """
        here, there = await self._store.leaderboards.place(board, player, score, curve)
        known = None if score is None or not here else Entered(player, score)
        payload = b"" if known is None else bus_messages.encode(known)
        self._bus.publish(topics.leaderboard(board), payload)
        if there:
            self._bus.publish(topics.leaderboard(_other(board)))

    def subscribe(self, board: BoardId) -> None:
        """Subscribe to a leaderboard's changes, which emit `entered`.

        Subscriptions are counted: the last `unsubscribe` ends them.
        """
        self._bus.subscribe(topics.leaderboard(board), partial(self._receive, board))

    def unsubscribe(self, board: BoardId) -> None:
        """End one subscription."""
        self._bus.unsubscribe(topics.leaderboard(board))

    def _receive(self, board: BoardId, payload: bytes | None) -> None:
        self.entered.emit(board, bus_messages.entered(payload))

    async def page(self, board: BoardId, player: PlayerId) -> Page:
        """Return the page of a leaderboard for a player.

        Raises:
            UnavailableError: the store does not answer.
        """
        (size, top), (around,) = await asyncio.gather(self.top(board), self.around(board, [player]))
        profiles = await self.profiles([*top, *around])
        return Page(board, size, top, around, profiles)

    async def top(self, board: BoardId) -> tuple[int, list[Row]]:
        """Return the number of rows, and the first `TOP` of them, in one round trip.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._store.leaderboards.top(board, TOP)

    async def around(self, board: BoardId, players: Sequence[PlayerId]) -> list[list[Row]]:
        """Return each player's row with up to `REACH` neighbours on either side, in one round trip.

        The list is empty for a player without a result.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._store.leaderboards.around(board, players, REACH)

    async def standing(self, board: BoardId, player: PlayerId) -> Standing | None:
        """Return a player's standing, or `None` without a result; at most two round trips.

        Raises:
            UnavailableError: the store does not answer.
        """
        size, row = await self._store.leaderboards.standing(board, player)
        if row is None:
            return None
        return Standing(row, size, (await self.profiles([row]))[player])

    async def profiles(self, rows: Sequence[Row]) -> dict[PlayerId, Profile]:
        """Return the profiles of the players of some rows, from the cache if possible.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._profiles.find(row.player for row in rows)


def _other(board: BoardId) -> BoardId:
    """Return the same leaderboard of the other group."""
    return board._replace(group="guests" if board.group == "ranked" else "ranked")
