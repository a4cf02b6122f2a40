"""The leaderboards service: pages, standings and change notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from server.base.core import days as daily
from server.base.core.bus_message import encode
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.redis.bus import Bus
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.play.core.result import Row, Rows
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.results.core import boards
from server.results.core import bus as board_bus
from server.results.core.boards import BoardId, Group, Scope
from server.results.core.bus import ScoreChanged
from server.results.histories_store import HistoryStore
from server.results.leaderboards_store import LeaderboardStore, Placement
from server.results.met_store import MetStore

TOP = 10
"""The number of first rows on a page."""

MAX_ROWS = 100
"""The most rows of one request."""

REACH = 3
"""The number of rows on either side of the player's own row."""

RIVALS = 20
"""The most rows of opponents, including the player, on a page."""

CIRCLES_AT_ONCE = 2
"""Players whose opponents are read by one script call, which blocks Redis for a millisecond."""


@dataclass(frozen=True, slots=True)
class Page:
    """A leaderboard as shown to one player.

    Attributes:
        size: the number of rows on the leaderboard.
        top: the first rows, at most `TOP`.
        middle: the score of the middle row, or the better of the two; `None` without rows.
        around: the player's row with up to `REACH` rows on either side; empty without a result.
        rivals: the rows of the player and their opponents in races, at most `RIVALS`; empty without
            opponents.
        profiles: the profiles of these rows' players.
    """

    board: BoardId
    size: int
    top: list[Row]
    middle: int | None
    around: list[Row]
    rivals: list[Row]
    profiles: dict[PlayerId, Profile]


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row on a leaderboard of `size` rows."""

    row: Row
    size: int
    profile: Profile


class Leaderboards:
    """Reads and writes leaderboards, and publishes their changes.

    Attributes:
        score_changed: emitted with the id of a subscribed leaderboard and the change, or `None` if
            messages may have been missed.
        name_changed: emitted with a player renamed by an operator.
    """

    def __init__(
        self,
        store: LeaderboardStore,
        bus: Bus,
        profiles: Profiles,
        *,
        histories: HistoryStore,
        met: MetStore,
        clock: Clock,
    ) -> None:
        self.score_changed: Signal[BoardId, ScoreChanged | None] = Signal()
        self.name_changed = profiles.changed
        self._store = store
        self._histories = histories
        self._met = met
        self._clock = clock
        self._bus = bus
        self._profiles = profiles

    def today(self, game: str) -> DailyId:
        """Return the id of a game's current daily."""
        return DailyId(game, daily.day_at(self._clock.now()))

    def resolve(
        self,
        scope: Scope,
        game: str,
        period: int | None,
        group: Group,
        *,
        variant: str | None = None,
    ) -> BoardId:
        """Return the id of a leaderboard as `boards.resolve` does, using the store's clock."""
        today = daily.day_at(self._clock.now())
        return boards.resolve(scope, game, period, group, today=today, variant=variant)

    def of_daily(self, daily_id: DailyId, group: Group) -> BoardId:
        """Return the id of a daily's leaderboard.

        Raises:
            Refusal: if the game is unknown, or the day is in the future.
        """
        return self.resolve("day", daily_id.game, daily_id.day, group)

    async def own(self, board: BoardId, player: PlayerId) -> BoardId:
        """Return a leaderboard's id with the player's own group, in one round trip."""
        days = boards.days_needed([board])
        (found,) = await self._histories.excerpts([player], days)
        return board._replace(group=found.group_on(board))

    async def place(self, player: PlayerId, placements: Sequence[Placement]) -> int:
        """Set or remove a player's scores, and publish the changes.

        A repeated call changes nothing but publishes again, because a node can die between the
        write and the publication. See `LeaderboardStore.place`.

        Return the version of the player's history afterwards.
        """
        found, version = await self._store.place(player, placements)
        for (board, score, _), (was, elsewhere) in zip(placements, found, strict=True):
            self._publish(board, player, {was, score} if was != score else set())
            if elsewhere is not None:
                self._publish(_other(board), player, {elsewhere})
        return version

    def _publish(self, board: BoardId, player: PlayerId, scores: Iterable[int | None]) -> None:
        """Publish a change between two scores, or a possible change without scores."""
        # Rows better than both scores are not affected.
        best = min((score for score in scores if score is not None), default=None)
        payload = b"" if best is None else encode(ScoreChanged(player, best))
        self._bus.publish(board_bus.topic(board), payload)

    def subscribe(self, board: BoardId) -> None:
        """Subscribe to a leaderboard's changes, which emit `score_changed`.

        Subscriptions are counted: the last `unsubscribe` ends them.
        """
        self._bus.subscribe(board_bus.topic(board), partial(self._receive, board))

    def unsubscribe(self, board: BoardId) -> None:
        """Undo one `subscribe`."""
        self._bus.unsubscribe(board_bus.topic(board))

    def _receive(self, board: BoardId, payload: bytes | None) -> None:
        self.score_changed.emit(board, board_bus.decode(payload))

    async def circle(self, player: PlayerId) -> frozenset[PlayerId]:
        """Return a player and their opponents in races; empty without opponents."""
        met = await self._met.read(player)
        return frozenset([player, *met]) if met else frozenset()

    async def page(
        self, board: BoardId, player: PlayerId, circle: frozenset[PlayerId] = frozenset()
    ) -> Page:
        """Return a leaderboard's page for a player.

        Args:
            board: the leaderboard.
            player: the player.
            circle: the players whose rows are `rivals`, possibly empty.
        """
        found, (around,), (rivals,) = await asyncio.gather(
            self.top(board), self.around(board, [player]), self.among(board, [circle])
        )
        profiles = await self.profiles([*found.rows, *around, *rivals])
        return Page(board, *found, around, rivals, profiles)

    async def top(self, board: BoardId) -> Rows:
        """Return the first `TOP` rows, in one round trip."""
        return await self._store.rows(board, 1, TOP)

    async def rows(self, board: BoardId, first: int, count: int) -> tuple[int, list[Row]]:
        """Return the leaderboard's size and a range of its rows, best first, in one round trip.

        Args:
            board: the leaderboard.
            first: the position of the first row, from 1.
            count: the number of rows, at most `MAX_ROWS`.
        """
        assert first >= 1, "positions count from 1"
        assert 1 <= count <= MAX_ROWS, "more rows would block Redis"
        found = await self._store.rows(board, first, count)
        return found.size, found.rows

    async def around(self, board: BoardId, players: Sequence[PlayerId]) -> list[list[Row]]:
        """Return each player's row with up to `REACH` neighbours on either side, in one round trip.

        The list is empty for a player without a result.
        """
        return await self._store.around(board, players, REACH)

    async def among(
        self, board: BoardId, circles: Sequence[frozenset[PlayerId]]
    ) -> list[list[Row]]:
        """Return the rows of each circle's players, best first, at most `RIVALS`.

        It takes one round trip. Redis serves others after every `CIRCLES_AT_ONCE` circles.
        """
        asked = [list(circle) for circle in circles if circle]
        batches = [
            asked[begin : begin + CIRCLES_AT_ONCE]
            for begin in range(0, len(asked), CIRCLES_AT_ONCE)
        ]
        among = self._store.among
        found = await asyncio.gather(*(among(board, batch, RIVALS) for batch in batches))
        rows = chain.from_iterable(found)
        return [next(rows) if circle else [] for circle in circles]

    async def standing(self, board: BoardId, player: PlayerId) -> Standing | None:
        """Return a player's standing, or `None` without a result; takes at most two round trips."""
        size, row = await self._store.standing(board, player)
        if row is None:
            return None
        return Standing(row, size, (await self.profiles([row]))[player])

    async def profiles(self, rows: Sequence[Row]) -> dict[PlayerId, Profile]:
        """Return the profiles of the rows' players, from the cache if possible."""
        return await self._profiles.load(row.player for row in rows)


def _other(board: BoardId) -> BoardId:
    """Return the other group's leaderboard."""
    return board._replace(group="guests" if board.group == "ranked" else "ranked")
