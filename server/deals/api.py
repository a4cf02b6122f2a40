"""Certificates of deals, as answers of the HTTP interface say them."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.days import Level
from server.base.web.api.shared import Count
from server.deals.core import certificate


class Certificate(Struct, frozen=True):
    """The certificate of a daily's deal: what was proved before anybody could play it.

    Attributes:
        winnable: whether it can be won.
        par: the moves of the line that wins it; if it cannot be won, the most cards that can come
            home.
        level: how hard it is among the certified deals of its game: 1 easy, 2 medium, 3 hard.
    """

    winnable: bool
    par: Count
    level: Level

    @classmethod
    def of(cls, found: certificate.Certificate | None) -> Certificate | None:
        """Return what was proved of a deal, if anything."""
        return None if found is None else cls(found.winnable, found.par, found.level)


def moves_of(line: str | None) -> list[str] | None:
    """Return the moves of the line that proves a closed deal's certificate, if there is one."""
    return None if line is None else line.split()
