"""Conversion of leaderboards to messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server.base.core.ids import PlayerId
from server.play.core import result as ranking
from server.players import present as players_present
from server.players.core.names import Profile
from server.results.core.boards import BoardId
from server.results.leaderboards import Page
from server.results.messages import Entry, Leaderboard, Middle


def leaderboard(page: Page, deal: str | None) -> Leaderboard:
    """Return a leaderboard as shown to one player.

    `deal` is the one of the day and game if it is closed, or `None`.
    """
    return Leaderboard(
        game=page.board.game,
        day=page.board.period,
        size=page.size,
        top=entries(page.board, page.top, page.profiles),
        around=entries(page.board, page.around, page.profiles),
        deal=deal,
        scope=page.board.scope,
        group=page.board.group,
        rivals=entries(page.board, page.rivals, page.profiles),
        middle=middle(page.board, page.middle),
        variant=page.board.variant or None,
    )


def entries(
    board: BoardId, rows: Iterable[ranking.Row], profiles: Mapping[PlayerId, Profile]
) -> list[Entry]:
    """Return rows of a leaderboard, given the profiles of their players."""
    return [
        Entry(row.rank, players_present.player(profiles[row.player]), *board.decode(row.score))
        for row in rows
    ]


def middle(board: BoardId, score: int | None) -> Middle | None:
    """Return the score of a leaderboard's middle row, or `None`."""
    return None if score is None else Middle(*board.decode(score))
