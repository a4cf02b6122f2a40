"""Link previews of leaderboards and their results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from engine.catalog import games, ruleset
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId, is_id
from server.base.core.refusal import Refusal
from server.base.web.previews import Preview, Shown, of_game
from server.play.core.result import unpack
from server.results.leaderboards import Leaderboards, Standing


def of_leaderboard(
    leaderboards: Leaderboards, named: Sequence[str], query: Mapping[str, str]
) -> Shown | None:
    """Return the preview of a game's leaderboard, and how to read a result's preview."""
    if len(named) != 1 or named[0] not in games():
        return None
    game = named[0]
    number = re.fullmatch("[0-9]{1,6}", query.get("day", ""))
    today = leaderboards.today(game)
    shown = DailyId(game, int(number[0])) if number else today
    try:
        leaderboards.of_daily(shown, "guests")
    except Refusal:
        return Shown(todays_leaderboard(game))
    player = PlayerId(query.get("player", ""))
    if not is_id(player):
        return Shown(leaderboard(shown) if number else todays_leaderboard(game))

    async def read() -> Preview | None:
        of_day = leaderboards.of_daily(shown, "ranked")
        board = await leaderboards.own(of_day, player)
        found = await leaderboards.standing(board, player)
        return None if found is None else result(shown, found, today=shown == today)

    # Sites cache a preview with its URL, so the generic preview also gets the result's URL.
    path = result_path(shown, player)
    return Shown(replace(leaderboard(shown), path=path, listed=False), read=read)


def todays_leaderboard(game_id: str) -> Preview:
    """Return the preview of the leaderboard of a game's current daily, without a date."""
    game = games()[game_id]
    about = "Everyone gets the same cards, and one try. Who brings the most home?"
    return of_game(f"{game.name}: today’s leaderboard", about, f"/leaderboard/{game_id}", game)


def leaderboard(shown: DailyId) -> Preview:
    """Return the preview of a daily's leaderboard."""
    game = games()[shown.game]
    return of_game(
        f"{game.name}, {date_words(shown.day)}: leaderboard",
        "Everyone got the same cards, and one try. Who brought the most home?",
        leaderboard_path(shown),
        game,
    )


def result(shown: DailyId, standing: Standing, *, today: bool) -> Preview:
    """Return the preview of a player's result in a daily.

    Args:
        shown: the daily.
        standing: the player's profile and row, and the size of the leaderboard.
        today: whether it is the current day's daily, so that readers can still compete.
    """
    game, rules = games()[shown.game], ruleset(shown.game)
    left, time, _ = unpack(standing.row.score)
    # Games without a tableau have no known winnable deal, so omit the total number of cards.
    of_all = f" of {rules.total}" if rules.tableau else ""
    home = f"{rules.total - left}{of_all} home" if left else f"All {rules.total} cards home"
    when = f" in {clock(time)}" if time else ""
    end = ": can you beat it?" if today else f", on {date_words(shown.day)}."
    name, place = standing.profile.isolated, f"{ordinal(standing.row.rank)} of {standing.size}"
    return of_game(
        # A run without a card home is ahead of no one, even where no other run is better.
        f"{name}: {place} at {game.name}" if time else f"{name} at {game.name}",
        f"{home}{when}. Same cards for everyone{end}",
        result_path(shown, standing.row.player),
        game,
        listed=False,
    )


def leaderboard_path(shown: DailyId) -> str:
    """Return the path and query of a daily's leaderboard."""
    return f"/leaderboard/{shown.game}?day={shown.day}"


def result_path(shown: DailyId, player: PlayerId) -> str:
    """Return the path and query of a player's result."""
    return f"{leaderboard_path(shown)}&player={player}"


def ordinal(number: int) -> str:
    """Return an ordinal number, such as `17th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in {11, 12, 13} else ending}"


def clock(milliseconds: int) -> str:
    """Return a duration as displayed on the page, such as `11:20` or `1:02:03`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def date_words(day: int) -> str:
    """Return the date of a day (in days since the Unix epoch), such as `22 November 2026`."""
    found = date.fromisoformat(days.date_text(day))
    return f"{found.day} {MONTHS[found.month - 1]} {found.year}"


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
