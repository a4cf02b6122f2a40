"""The HTTP API of leaderboards, with pagination."""

from __future__ import annotations

import re
from datetime import date
from typing import cast

from msgspec import Struct

from engine.catalog import ruleset
from engine.schema import STANDARD
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import DealId, attempt_id
from server.base.core.numbers import Count, Milliseconds
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.web.api.route import LIVE, Answer, Route, Rows, day_of, life_of
from server.play.core.result import Row, unpack
from server.players.api import Player
from server.players.core.names import Profile
from server.results.core import boards
from server.results.core.boards import ALL_GAMES, PERIODIC, BoardId, Group, Scope
from server.results.core.refusals import ResultRefusals
from server.results.services import ResultServices

ALL_TIME = "all"
"""The path segment for the period of an all-time leaderboard."""


class BoardRow(Struct, frozen=True):
    """A row of a leaderboard.

    Attributes:
        rank: 1 for the best; equal values share a rank.
        value: the value compared by the board; `server/HTTP.md` defines it for each scope.
        left: the number of cards not on the foundations; null unless the board compares runs.
        time: milliseconds from the start to the last card that reached a foundation, or null.
        moves: the number of moves, or null.
        run: the run's id once its deal is closed; null before, and on boards not tied to a single
            deal.
    """

    rank: Count
    player: Player
    value: Count
    left: Count | None
    time: Milliseconds | None
    moves: Count | None
    run: str | None


class Board(Struct, frozen=True):
    """A page of a leaderboard.

    Attributes:
        scope: the quantity compared, which determines the kind of period.
        game: the game's id, or `all`.
        period: a day (`2026-11-21`), a week (`2026-W47`), or `all`.
        group: players with a kept identity, or guests.
        variant: the variant whose best runs are compared, or null.
        size: the number of rows on the leaderboard.
        rows: the requested rows.
    """

    scope: Scope
    game: str
    period: str
    group: Group
    variant: str | None
    size: Count
    rows: list[BoardRow]


class OfBoard(Rows, frozen=True, kw_only=True):
    """The parameters of a request for rows of a leaderboard.

    Attributes:
        scope: the quantity compared.
        game: the game's id, or `all`.
        period: a day (`2026-11-21`), a week (`2026-W47`), or `all`, depending on the scope.
        group: players with a kept identity, or guests.
        variant: the variant whose best runs are compared; by default that of the game's dailies.
    """

    scope: str
    game: str
    period: str
    group: Group = "ranked"
    variant: str | None = None


async def show_board(services: ResultServices, asked: OfBoard) -> Answer[Board]:
    """Return rows of a leaderboard, best first."""
    now = services.clock.now()
    board = board_of(asked, days.day_at(now))
    size, rows = await services.leaderboards.rows(board, asked.first, asked.count)
    profiles = await services.leaderboards.profiles(rows)
    deal = None
    if board.scope == "day" and board.game != ALL_GAMES:
        deal = await services.closed_deals.closed_of(DailyId(board.game, board.period))
    value = Board(
        scope=board.scope,
        game=board.game,
        period=asked.period,
        group=board.group,
        variant=board.variant or None,
        size=size,
        rows=[_row(board, row, profiles[row.player], deal) for row in rows],
    )
    return Answer(value, _life(board, now), is_kept=bool(rows))


def board_of(asked: OfBoard, today: int) -> BoardId:
    """Return the leaderboard that a request names.

    Raises:
        Refusal: if it does not exist, or its period is in the future.
    """
    if asked.scope == "day":
        period = day_of(asked.period)
    elif asked.scope == "week":
        period = _week_of(asked.period)
    elif asked.period == ALL_TIME:
        period = 0
    else:
        raise Refusal(ResultRefusals.unknown_board)
    # The scope is unvalidated client input; `resolve` checks it.
    scope = cast("Scope", asked.scope)
    return boards.resolve(
        scope, asked.game, period, asked.group, today=today, variant=asked.variant
    )


def _week_of(text: str) -> int:
    """Return the number of an ISO week such as `2026-W47`.

    Raises:
        Refusal: if there is no such week.
    """
    named = re.fullmatch("([0-9]{4})-W([0-9]{2})", text)
    try:
        year, week = map(int, named.groups()) if named is not None else (0, 0)
        monday = date.fromisocalendar(year, week, 1)
    except ValueError:
        raise _unknown_week() from None
    found = boards.week_of((monday - date(1970, 1, 1)).days)
    if found < 0:
        raise _unknown_week()
    return found


def _unknown_week() -> Refusal:
    return Refusal(BaseRefusals.unknown_day, "There is no such week.")


def _row(board: BoardId, row: Row, profile: Profile, deal: DealId | None) -> BoardRow:
    run = None if deal is None else attempt_id(deal, row.player)
    player = Player.of(profile)
    if not board.is_of_results:
        return BoardRow(row.rank, player, -row.score, None, None, None, run)
    left, time, moves = unpack(row.score)
    total = ruleset(board.game, board.variant or STANDARD).total
    return BoardRow(row.rank, player, total - left, left, time, moves, run)


def _life(board: BoardId, now: int) -> int:
    """Return the cache lifetime of a leaderboard's rows in seconds."""
    if board.scope not in PERIODIC:
        return LIVE
    last = board.period if board.scope == "day" else boards.days_of(board.period)[-1]
    return life_of(days.closes(last), now)


ROUTES = (
    Route(
        "/boards/{scope}/{game}/{period}",
        show_board,
        (ResultRefusals.unknown_board, BaseRefusals.unknown_game, BaseRefusals.unknown_day),
    ),
)
