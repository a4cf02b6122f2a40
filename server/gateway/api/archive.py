"""The archive: closed days with all their runs, one file a day."""

from __future__ import annotations

from msgspec import Struct

from server.gateway.api.shared import Count, Date


class ArchivedDay(Struct, frozen=True):
    """A day whose file can be downloaded.

    Attributes:
        date: the day.
        url: the path of its file.
        games: how many runs each game has.
    """

    date: Date
    url: str
    games: dict[str, Count]


class Archive(Struct, frozen=True):
    """The days whose files can be downloaded, latest first."""

    days: list[ArchivedDay]
