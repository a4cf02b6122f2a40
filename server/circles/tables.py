"""Tables, head-to-head results and feeds, computed on request from the members' histories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from server.base.core.days import day_at
from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.work.clock import Clock
from server.circles.core import items, tables
from server.circles.core.circle import Challenge, Circle
from server.circles.core.items import Item
from server.circles.core.seasons import ROUND_SETTLED_MS, Round, Season, week_at
from server.circles.core.tables import Duel, Record, Row
from server.circles.histories import MemberHistories
from server.results.core.boards import days_of
from server.results.daily_sets import DailySets
from server.results.histories_store import HistoryStore

Span = Literal["day", "week", "season", "all"]
"""The period covered by a table."""

_ALL: Final = range(1)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a circle.

    Attributes:
        span: the period covered.
        period: the number of the day, the week or the season; 0 for all time.
        days: the days covered.
        rows: best first.
        records: the best run of each game and its player; empty except for all time.
        games: the ids of the day's dailies; empty except for a day.
    """

    span: Span
    period: int
    days: range
    rows: list[Row]
    records: Mapping[str, tuple[PlayerId, Record]] = field(default_factory=dict)
    games: frozenset[str] = frozenset()


class Tables:
    """Computes the tables of circles."""

    def __init__(self, histories: HistoryStore, sets: DailySets, *, clock: Clock) -> None:
        self._histories = MemberHistories(histories, sets)
        self._sets = sets
        self._clock = clock

    async def table(self, circle: Circle, span: Span, period: int | None = None) -> Table:
        """Return a table.

        Args:
            circle: the circle.
            span: the period covered.
            period: the number of the day, week or season; `None` for the current one.

        Raises:
            Refusal: as `unknown_day`, if the period is in the future or there is no such season.
        """
        now = self._clock.now()
        if span == "season":
            return await self._season(circle, _season(circle, period), now)
        if span == "all":
            found = await self._histories.all_time(circle.players)
            rows = tables.table_of_all({player: each.score for player, each in found.items()})
            return Table("all", 0, _ALL, rows, tables.records(found))
        current = day_at(now) if span == "day" else week_at(now)
        number = current if period is None else period
        if number > current:
            raise Refusal(BaseRefusals.unknown_day)
        days = range(number, number + 1) if span == "day" else days_of(number)
        return await self._days(circle.players, span, number, days)

    async def _days(
        self, players: Sequence[PlayerId], span: Span, period: int, days: range
    ) -> Table:
        scores = await self._histories.scores(players, days)
        of_day = (await self._sets.load()).of(period) if span == "day" else frozenset[str]()
        return Table(span, period, days, tables.table(scores), games=of_day)

    async def _season(self, circle: Circle, season: Season, now: int) -> Table:
        """Return a season's table, including the challenges already settled."""
        running = season is circle.season
        players = circle.players if running else circle.players_at(season.ends)
        scores = await self._histories.scores(players, season.days)
        rounds = [each for each in circle.rounds_of(season) if each.settled <= now]
        league = await self._league(players, rounds)
        rows = tables.table(scores, league, season.drop)
        return Table("season", season.number, season.days, rows)

    async def _league(
        self, players: Sequence[PlayerId], rounds: Sequence[Round]
    ) -> dict[PlayerId, list[int]]:
        """Return each player's points in the given league challenges."""
        of = [(each.game, each.deal) for each in rounds]
        found = await self._histories.challenges(players, of)
        return {
            player: [tables.league_points(key[0], results.get(key)) for key in of]
            for player, results in found.items()
        }

    async def duels(
        self, one: PlayerId, other: PlayerId, pay: Callable[[int], None] = lambda _: None
    ) -> list[Duel]:
        """Return the head-to-head results of two members.

        `pay` is called with the number of results to read if they are not cached.
        """
        return await self._histories.duels(one, other, pay)

    async def feed(self, circle: Circle) -> list[Item]:
        """Return the circle's recent events, latest first."""
        now = self._clock.now()
        found = [*items.joined(circle, now)]
        by_day = await self._histories.by_day(circle.players, items.feed_days(now))
        for day, scores in by_day.items():
            found += items.dailies(day, scores)
        all_time = await self._histories.all_time(circle.players)
        found += items.records(tables.records(all_time), now)
        found += await self._challenges(circle, now)
        for season in circle.closed:
            if season.settled >= now - items.FEED_MS:
                rows = (await self._season(circle, season, now)).rows
                first = rows[0] if rows and rows[0].points else None
                winner, points = (first.player, first.points) if first else (None, 0)
                found.append(items.season(season.number, season.settled, winner, points))
        return items.latest(found)

    async def _challenges(self, circle: Circle, now: int) -> list[Item]:
        """Return items for the circle's recently closed challenges."""
        made: list[Round | Challenge] = [*circle.challenges, *circle.rounds]
        for season in circle.closed:
            made += season.rounds
        closed = {
            each.challenge: each
            for each in made
            if now - items.FEED_MS <= each.closes <= now - ROUND_SETTLED_MS
        }
        of = [(each.game, each.deal) for each in closed.values()]
        results = await self._histories.challenges(circle.players, of)
        found = []
        for each, key in zip(closed.values(), of, strict=True):
            own = {player: by[key] for player, by in results.items() if key in by}
            winner = tables.winner(each.game, own)
            found.append(items.challenge(each.challenge, each.game, each.closes, winner))
        return found


def _season(circle: Circle, number: int | None) -> Season:
    """Return the season with a number, or by default the running or latest one.

    Raises:
        Refusal: as `unknown_day`, if there is no such season.
    """
    known = [*([circle.season] if circle.season is not None else []), *circle.closed]
    for each in known:
        if number in {None, each.number}:
            return each
    raise Refusal(BaseRefusals.unknown_day)
