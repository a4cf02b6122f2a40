"""Identities of leaderboards: scope, game, period and group."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, get_args

from engine.catalog import daily_variant, games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import BaseRefusals, Refusal
from server.play.core.result import unpack
from server.results.core.refusals import ResultRefusals

# The quantity compared by a leaderboard. `day`: the results of a game's daily, or the day's points
# over all games; `week`: the week's points; `wins`: dailies won; `best`: the best run of a
# variant; `rating`: the rating from races; `races`: races won. All but the first two are all-time.
# Only races that were contests count.
Scope = Literal["day", "week", "wins", "best", "rating", "races"]

Group = Literal["ranked", "guests"]  # `ranked`: players with a kept identity; `guests`: all others
ALL_GAMES: Final = "all"  # the game of a leaderboard over all games

# The scopes with a leaderboard per period; others have one for all time.
PERIODIC: Final = ("day", "week")

# The scopes that have a leaderboard over all games.
OF_ALL_GAMES: Final = ("day", "week", "wins", "races")

_MONDAY: Final = 3  # 1970-01-01 was a Thursday, three days after Monday


class Score(NamedTuple):
    """A decoded score: either the first three fields (a result) or `value`."""

    left: int  # the number of cards not on the foundations
    time: int  # milliseconds from the start to the last card that reached a foundation
    moves: int
    value: int  # points, wins, races won or the rating; higher is better


class BoardId(NamedTuple):
    """The identity of a leaderboard."""

    scope: Scope
    game: str  # the game's id, or `ALL_GAMES`
    period: int  # the number of the day or week; 0 for all time
    group: Group
    variant: str = ""  # the variant whose runs are compared; empty unless the scope is `best`

    @property
    def name(self) -> str:
        """The name, which both groups' leaderboards share."""
        if self.scope == "best":
            return f"best:{self.game}:{self.variant}"
        of = f"{self.game}:{self.period}"
        return of if self.scope == "day" else f"{self.scope}:{of}"

    @property
    def suffix(self) -> str:
        """The suffix that distinguishes the groups in keys and topics."""
        return "" if self.group == "guests" else f":{self.group}"

    @property
    def is_of_results(self) -> bool:
        """Whether its scores are packed results instead of negated numbers."""
        # Numbers such as points or wins are negated, so that the lowest score is the best on every
        # board.
        return self.scope == "best" or (self.scope == "day" and self.game != ALL_GAMES)

    def decode(self, score: int) -> Score:
        """Decode a score of this leaderboard."""
        return Score(*unpack(score), 0) if self.is_of_results else Score(0, 0, 0, -score)


def of_daily(daily: DailyId, group: Group) -> BoardId:
    """Return the leaderboard of a daily."""
    return BoardId("day", daily.game, daily.day, group)


def of_best(game: str, variant: str) -> BoardId:
    """Return the leaderboard of the best runs of a game's variant."""
    return BoardId("best", game, 0, "ranked", variant)


def resolve(
    scope: Scope,
    game: str,
    period: int | None,
    group: Group,
    *,
    today: int,
    variant: str | None = None,
) -> BoardId:
    """Return the id of an existing leaderboard, which can be empty, for unvalidated input.

    `period` is the number of the day or week, `None` for the current one or all time, and `today`
    the current day. `variant` is that of the best runs; `None` for the one of the game's dailies.
    Refused as `unknown_game`; as `unknown_day` if the period is in the future; or as
    `unknown_board` if the combination does not exist.
    """
    if game != ALL_GAMES and game not in games():
        raise Refusal(BaseRefusals.unknown_game)
    current = {"day": today, "week": week_of(today)}.get(scope, 0)
    if variant is None:
        variant = daily_variant(game) if scope == "best" and game != ALL_GAMES else ""
    board = BoardId(scope, game, current if period is None else period, group, variant)
    if not exists(board):
        raise Refusal(ResultRefusals.unknown_board)
    if not 0 <= board.period <= current:
        raise Refusal(BaseRefusals.unknown_day)
    return board


def exists(board: BoardId) -> bool:
    """Return whether a leaderboard's combination of scope, game, variant and group exists.

    The caller checks that the game exists and the period is not in the future.
    """
    if board.scope not in get_args(Scope) or board.group not in get_args(Group):
        return False
    if board.scope not in PERIODIC and (board.period or board.group != "ranked"):
        return False
    if board.game == ALL_GAMES:
        return board.scope in OF_ALL_GAMES and not board.variant
    variants = games()[board.game].variants if board.scope == "best" else ("",)
    return board.variant in variants


def week_of(day: int) -> int:
    """Return the number of the week (Monday to Sunday) that contains a day."""
    return (day + _MONDAY) // 7


def days_of(week: int) -> range:
    """Return the days of a week."""
    first = week * 7 - _MONDAY
    return range(first, first + 7)


def boards_of_day(game: str, day: int, group: Group, variant: str | None) -> list[BoardId]:
    """Return the leaderboards affected by the result of a daily; `None` for an unknown variant."""
    week = week_of(day)
    found = [
        BoardId("day", game, day, group),
        BoardId("day", ALL_GAMES, day, group),
        BoardId("week", game, week, group),
        BoardId("week", ALL_GAMES, week, group),
    ]
    if group == "ranked":
        found += [BoardId("wins", each, 0, group) for each in (game, ALL_GAMES)]
        found += [] if variant is None else [of_best(game, variant)]
    return found


def boards_of_round(game: str, variant: str | None) -> list[BoardId]:
    """Return the leaderboards affected by a race's round, whose variant is `None` if unknown.

    Guests are on none of them.
    """
    return [
        BoardId("races", game, 0, "ranked"),
        BoardId("races", ALL_GAMES, 0, "ranked"),
        BoardId("rating", game, 0, "ranked"),
        *([] if variant is None else [of_best(game, variant)]),
    ]


def open_boards(of: Iterable[str], now: int, group: Group) -> list[BoardId]:
    """Return the leaderboards of some games that can still change, omitting closed periods."""
    today = days.day_at(now)
    # Running attempts can still finish yesterday's dailies until these close.
    open_days = [today] if now >= days.closes(today - 1) else [today - 1, today]
    found = [
        board
        for game in of
        for board in (
            *(each for day in open_days for each in boards_of_day(game, day, group, None)),
            *(boards_of_round(game, None) if group == "ranked" else ()),
            *(of_best(game, each) for each in games()[game].variants if group == "ranked"),
        )
    ]
    return list(dict.fromkeys(found))


def days_needed(boards: Iterable[BoardId]) -> set[int]:
    """Return the days whose results the leaderboards compare; none for all-time ones."""
    found: set[int] = set()
    for board in boards:
        if board.scope == "day":
            found.add(board.period)
        elif board.scope == "week":
            found.update(days_of(board.period))
    return found
