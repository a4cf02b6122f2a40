"""Dailies: the deals of each day with their commitments, and how its runs went on."""

from __future__ import annotations

from msgspec import Struct

from server.gateway.api.shared import Count, Date, Hex


class DayDeal(Struct, frozen=True):
    """The deal of a game for a day.

    Attributes:
        deal: its id.
        commitment: to the seed, in hexadecimal; published before anybody may play.
        rules: the digest of the rules that it is played by; null for those of release 0.1.0.
        seed: in hexadecimal; null until the day is closed.
    """

    game: str
    variant: str
    deal: str
    commitment: Hex
    rules: Hex | None
    seed: Hex | None


class Day(Struct, frozen=True):
    """A day and its deals.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        date: the same day, in ISO 8601.
        starts: from when on its deals can be played, in Unix milliseconds.
        ends: until when a run may be begun.
        closes: until when a run may go on; then the seeds are published.
        closed: whether that time has passed.
        deals: one of each game.
    """

    day: Count
    date: Date
    starts: int
    ends: int
    closes: int
    closed: bool
    deals: list[DayDeal]


class Dailies(Struct, frozen=True):
    """Today, and the days whose commitments are published.

    Attributes:
        day: today, counted from 1970-01-01.
        date: today, in ISO 8601.
        now: the server's time, in Unix milliseconds.
        days: today, then the days ahead.
    """

    day: Count
    date: Date
    now: int
    days: list[Day]


class Band(Struct, frozen=True):
    """Cards home at one time: the 10th, the 50th and the 90th percentile of the runs."""

    low: Count
    median: Count
    high: Count


class Curves(Struct, frozen=True):
    """How the runs at a daily went on: cards home at times since the start of each run.

    A run that is over keeps the cards that it had. Only runs that are over are counted.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        runs: how many runs are counted.
        total: how many cards there are to bring home.
        seconds: since the start, ascending.
        low: cards home at each of these seconds: the 10th percentile; empty without runs.
        median: the 50th percentile.
        high: the 90th percentile.
        end: at the end of the runs, whenever that was; null without runs.
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
