"""Which leaderboard: what it compares, of which game and period, and among whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, get_args

from engine.catalog import games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import Refusal
from server.play.core.result import unpack

Scope = Literal["day", "week", "wins", "best", "rating", "races"]
"""The quantity that a leaderboard compares.

`day`: the results of a game's daily, or of all games the points of a day; `week`: the points of a
week; `wins`: dailies won; `best`: the best run; `rating`: the rating by races; `races`: races won.
All but the first two are of all time. Races add to them if they were contests.
"""

Group = Literal["ranked", "guests"]
"""Among whom: players who have kept an identity, or guests."""

ALL_GAMES: Final = "all"
"""The game of a leaderboard of all games together."""

PERIODIC: Final = ("day", "week")
"""The scopes with a leaderboard for each period; the others have one."""

OF_ALL_GAMES: Final = ("day", "week", "wins", "races")
"""The scopes of which there is a leaderboard of all games together."""

_MONDAY: Final = 3
"""1970-01-01 was the fourth day of its week."""


class Score(NamedTuple):
    """The parts of a score: of a result its first three, else the number.

    Attributes:
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        value: points, wins, races won or the rating; more is better.
    """

    left: int
    time: int
    moves: int
    value: int


class BoardId(NamedTuple):
    """A leaderboard.

    Attributes:
        scope: the quantity that it compares.
        game: the game's id, or `ALL_GAMES`.
        period: the number of the period, a day's or a week's; 0 if it is of all time.
        group: among whom.
    """

    scope: Scope
    game: str
    period: int
    group: Group

    @property
    def name(self) -> str:
        """The name that it shares with the same leaderboard of the other group."""
        of = f"{self.game}:{self.period}"
        return of if self.scope == "day" else f"{self.scope}:{of}"

    @property
    def suffix(self) -> str:
        """The end of the name in keys and topics, apart for each group."""
        return "" if self.group == "guests" else f":{self.group}"

    @property
    def is_of_results(self) -> bool:
        """Whether its scores are packed results, and not negated numbers of which more is better.

        Such as points or wins: in every leaderboard, the lowest score comes first.
        """
        return self.scope == "best" or (self.scope == "day" and self.game != ALL_GAMES)

    def decode(self, score: int) -> Score:
        """Return what one of its scores says."""
        return Score(*unpack(score), 0) if self.is_of_results else Score(0, 0, 0, -score)


def of_daily(daily: DailyId, group: Group) -> BoardId:
    """Return the leaderboard of a daily."""
    return BoardId("day", daily.game, daily.day, group)


def resolve(scope: Scope, game: str, period: int | None, group: Group, today: int) -> BoardId:
    """Return the leaderboard that there is, even if nobody is on it.

    Args:
        scope: the quantity that it compares; like the game and the group, any text of a client.
        game: the game's id, or `ALL_GAMES`.
        period: the number of the day or the week; `None` for the current one. Leaderboards of all
            time have none.
        group: among whom.
        today: the number of the current day.

    Raises:
        Refusal: as `unknown_game`, as `unknown_day` if the period has not begun, or as
            `unknown_board` if scope, game, period and group do not go together.
    """
    if game != ALL_GAMES and game not in games():
        raise Refusal("unknown_game")
    current = {"day": today, "week": week_of(today)}.get(scope, 0)
    board = BoardId(scope, game, current if period is None else period, group)
    if not exists(board):
        raise Refusal("unknown_board")
    if not 0 <= board.period <= current:
        raise Refusal("unknown_day")
    return board


def exists(board: BoardId) -> bool:
    """Return whether there is such a leaderboard, as far as scope, game and group go together.

    Whether the game exists, and the period has begun, is for the caller to check.
    """
    if board.scope not in get_args(Scope) or board.group not in get_args(Group):
        return False
    if board.scope not in PERIODIC and (board.period or board.group != "ranked"):
        return False
    return board.game != ALL_GAMES or board.scope in OF_ALL_GAMES


def week_of(day: int) -> int:
    """Return the number of the week (Monday to Sunday) that contains a day."""
    return (day + _MONDAY) // 7


def days_of(week: int) -> range:
    """Return the days of a week."""
    first = week * 7 - _MONDAY
    return range(first, first + 7)


def boards_of_day(game: str, day: int, group: Group) -> list[BoardId]:
    """Return the leaderboards that the result of a daily counts on."""
    week = week_of(day)
    found = [
        BoardId("day", game, day, group),
        BoardId("day", ALL_GAMES, day, group),
        BoardId("week", game, week, group),
        BoardId("week", ALL_GAMES, week, group),
    ]
    if group == "ranked":
        found += [BoardId("wins", each, 0, group) for each in (game, ALL_GAMES)]
        found.append(BoardId("best", game, 0, group))
    return found


def boards_of_round(game: str) -> list[BoardId]:
    """Return the leaderboards that a round counts on; guests are on none of them."""
    return [
        BoardId("races", game, 0, "ranked"),
        BoardId("races", ALL_GAMES, 0, "ranked"),
        BoardId("rating", game, 0, "ranked"),
        BoardId("best", game, 0, "ranked"),
    ]


def open_boards(games: Iterable[str], now: int, group: Group) -> list[BoardId]:
    """Return the leaderboards that can still change at a time: all but those of closed periods."""
    today = days.day_at(now)
    open_days = [today] if now >= days.closes(today - 1) else [today - 1, today]
    found = [
        board
        for game in games
        for board in (
            *(each for day in open_days for each in boards_of_day(game, day, group)),
            *(boards_of_round(game) if group == "ranked" else ()),
        )
    ]
    return list(dict.fromkeys(found))


def days_needed(boards: Iterable[BoardId]) -> set[int]:
    """Return the days whose results some leaderboards compare; none for those of all time."""
    found: set[int] = set()
    for board in boards:
        if board.scope == "day":
            found.add(board.period)
        elif board.scope == "week":
            found.update(days_of(board.period))
    return found
