"""HTTP API of the archive: closed days with all their runs, one file per day."""

from __future__ import annotations

from msgspec import Struct

from server.base.core import days as daily
from server.base.core.numbers import Count
from server.base.core.refusal import BaseRefusals, HttpRefusals, Refusal
from server.base.web.api.route import LIVE, Answer, Asked, Download, Nothing, Route, day_of
from server.base.web.api.shared import Date
from server.dailies.services import DailyServices

LIST_COST = 5.0  # reads a number for each game, group and day
FILE_COST = 50.0  # several hundred megabytes at most

SUFFIX = ".jsonl.gz"


class ArchivedDay(Struct, frozen=True):
    """A day with a downloadable file.

    Attributes:
        date: the day.
        url: the path of its file.
        games: the number of runs of each game.
    """

    date: Date
    url: str
    games: dict[str, Count]


class Archive(Struct, frozen=True):
    """The days with downloadable files, latest first."""

    days: list[ArchivedDay]


class OfFile(Asked, frozen=True):
    """A request for a file of the archive.

    Attributes:
        file: the day in ISO 8601, and `.jsonl.gz`.
    """

    file: str


async def list_archive(services: DailyServices, asked: Nothing) -> Answer[Archive]:
    """List the days with downloadable files, latest first."""
    del asked
    days = [
        ArchivedDay(date, f"/api/archive/{date}{SUFFIX}", runs)
        for day, runs in (await services.archive.days()).items()
        for date in [daily.date_text(day)]
    ]
    return Answer(Archive(days), LIVE * 12)


async def get_archive(services: DailyServices, asked: OfFile) -> Download:
    """Download the file of a closed day: one JSON line for the day, then one for each of its runs.

    The first request starts making the file, which takes a while; until then requests are refused.
    """
    date, suffix, rest = asked.file.partition(SUFFIX)
    if not suffix or rest:
        raise Refusal(HttpRefusals.unknown_path)
    found = await services.archive.load(day_of(date))
    return Download(found.path, found.digest)


ROUTES = (
    Route("/archive", list_archive, cost=LIST_COST),
    Route(
        "/archive/{file}",
        get_archive,
        (HttpRefusals.unknown_path, BaseRefusals.unknown_day, HttpRefusals.being_made),
        FILE_COST,
    ),
)
