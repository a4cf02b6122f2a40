"""HTTP API of dailies: each day's deals with their commitments, and curves of their runs."""

from __future__ import annotations

from msgspec import Struct

from engine.catalog import in_order, ruleset
from server.base.core import days as daily
from server.base.core.days import DailyId
from server.base.core.numbers import Count, Milliseconds
from server.base.core.refusal import BaseRefusals
from server.base.web.api.route import (
    FOREVER,
    Answer,
    Asked,
    Nothing,
    Route,
    day_of,
    game_of,
    life_of,
)
from server.base.web.api.shared import Date, Hex
from server.dailies.dailies import ShownDay
from server.dailies.services import DailyServices
from server.deals.core.certificate import Certificate, moves_of
from server.results.core import curve
from server.results.core.daily_sets import CrownSets

TODAY_LIFE_S = 1  # how long the list may be cached: it contains the current time
DAY_LIFE_S = 60  # the longest that a day may be cached before it is closed


class DayDeal(Struct, frozen=True):
    """The deal of a game for a day.

    Attributes:
        deal: its id.
        commitment: to the seed, in hexadecimal; published before play starts.
        rules: the digest of its rules.
        seed: in hexadecimal; null until the day is closed.
        certificate: the proof about the deal, or null.
        line: the moves that prove it; null until the day is closed, and without a certificate.
        best: without a certificate, the most cards brought home by a finished run; null before
            there is one, and with a certificate.
    """

    game: str
    variant: str
    deal: str
    commitment: Hex
    rules: str
    seed: Hex | None
    certificate: Certificate | None
    line: list[str] | None
    best: Count | None


class DailyCrown(Struct, frozen=True):
    """A crown of a day, earned by playing some of its dailies.

    Attributes:
        crown: its id; empty if it is the day's only crown.
        games: the ids of these dailies' games, in menu order.
    """

    crown: str
    games: list[str]


class Day(Struct, frozen=True):
    """A day and its deals.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        date: the same day, in ISO 8601.
        starts: when play starts, in Unix milliseconds.
        ends: the latest start of a run.
        closes: when all runs end and the seeds are published.
        closed: whether that time has passed.
        deals: one for each game that is a daily on that day; for future days, the deals drawn so
            far.
        crowns: the day's crowns.
        earlier: whether the day before has deals; false for the first day of a server.
    """

    day: Count
    date: Date
    starts: Milliseconds
    ends: Milliseconds
    closes: Milliseconds
    closed: bool
    deals: list[DayDeal]
    crowns: list[DailyCrown]
    earlier: bool


class DailySet(Struct, frozen=True):
    """The games that are dailies from a day on, until the next set.

    Attributes:
        since: the first of these days, counted from 1970-01-01; the first set also applies to all
            earlier days.
        games: their ids, in menu order.
        crowns: the crowns of each of these days.
    """

    since: Count
    games: list[str]
    crowns: list[DailyCrown]


class Dailies(Struct, frozen=True):
    """Today and the next 14 days. Tomorrow's commitments are always included.

    Attributes:
        day: today, counted from 1970-01-01.
        date: today, in ISO 8601.
        now: the server's time, in Unix milliseconds.
        days: today, then the days ahead.
        sets: the games that were dailies on each day up to today, the earliest set first.
    """

    day: Count
    date: Date
    now: Milliseconds
    days: list[Day]
    sets: list[DailySet]


class Band(Struct, frozen=True):
    """Cards home at one time: the 10th, the 50th and the 90th percentile of the runs."""

    low: Count
    median: Count
    high: Count


class Curves(Struct, frozen=True):
    """The progress of the runs at a daily: cards home by time since the start of each run.

    Only finished runs are counted; after its end, a run keeps its cards.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        runs: the number of counted runs.
        total: the number of cards in the deal.
        seconds: since the start, ascending.
        low: cards home at each of these seconds: the 10th percentile; empty without runs.
        median: the 50th percentile.
        high: the 90th percentile.
        end: at the end of each run, whenever that was; null without runs.
    """

    day: Count
    game: str
    runs: Count
    total: Count
    seconds: list[Count]
    low: list[Count]
    median: list[Count]
    high: list[Count]
    end: Band | None


class OfDay(Asked, frozen=True):
    """A request about a day.

    Attributes:
        date: the UTC day, in ISO 8601.
    """

    date: str


class OfDaily(OfDay, frozen=True):
    """A request about a daily.

    Attributes:
        date: the UTC day, in ISO 8601.
        game: the game's id.
    """

    game: str


async def list_dailies(services: DailyServices, asked: Nothing) -> Answer[Dailies]:
    """List the deals of today and the days ahead, as far as they are drawn, with commitments."""
    del asked
    days = await services.dailies.ahead()
    now, today = services.clock.now(), days[0].day
    changes = (await services.daily_sets.load()).changes
    sets = [
        DailySet(since, in_order({game for _, of in each for game in of}), _crowns(each))
        for since, each in changes
    ]
    value = Dailies(today, daily.date_text(today), now, list(map(_day, days)), sets)
    return Answer(value, TODAY_LIFE_S)


async def show_day(services: DailyServices, asked: OfDay) -> Answer[Day]:
    """Return a day's deals, up to 14 days ahead; with seeds and lines once the day is closed."""
    shown = await services.dailies.load_day(day_of(asked.date))
    now, closes = services.clock.now(), daily.closes(shown.day)
    if not shown.closed:
        life = max(1, min(DAY_LIFE_S, (closes - now) // 1000))
    elif any(deal.certificate is None for deal in shown.deals):
        life = life_of(closes, now)
    else:
        life = FOREVER
    return Answer(_day(shown), life)


async def show_curves(services: DailyServices, asked: OfDaily) -> Answer[Curves]:
    """Return the progress of the runs at a daily: cards home over time, as percentiles."""
    day, game = day_of(asked.date), game_of(asked.game)
    found = await services.curves.load(DailyId(game, day))
    bands = found.bands
    value = Curves(
        day=day,
        game=game,
        runs=found.runs,
        total=ruleset(game).total,
        seconds=list(curve.SECONDS),
        low=[band.low for band in bands],
        median=[band.median for band in bands],
        high=[band.high for band in bands],
        end=None if found.end is None else Band(*found.end),
    )
    life = life_of(daily.closes(day), services.clock.now())
    return Answer(value, life, is_kept=found.runs > 0)


def _day(shown: ShownDay) -> Day:
    day = shown.day
    return Day(
        day=day,
        date=daily.date_text(day),
        starts=day * daily.DAY,
        ends=daily.ends(day),
        closes=daily.closes(day),
        closed=shown.closed,
        deals=[
            DayDeal(
                game=deal.game,
                variant=deal.variant,
                deal=deal.id,
                commitment=deal.commitment,
                rules=deal.rules,
                seed=deal.seed.hex() if shown.closed else None,
                certificate=deal.certificate,
                line=moves_of(deal.line) if shown.closed else None,
                best=shown.best.get(DailyId(deal.game, day)),
            )
            for deal in shown.deals
        ],
        crowns=_crowns(shown.crowns),
        earlier=shown.earlier,
    )


def _crowns(of: CrownSets) -> list[DailyCrown]:
    return [DailyCrown(crown, in_order(games)) for crown, games in of]


ROUTES = (
    Route("/dailies", list_dailies),
    Route("/dailies/{date}", show_day, (BaseRefusals.unknown_day,)),
    Route(
        "/dailies/{date}/{game}/curves",
        show_curves,
        (BaseRefusals.unknown_day, BaseRefusals.unknown_game),
    ),
)
