"""Keys in Redis of what follows from results, and how long they live."""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS
from server.results.core.boards import BoardId

LEADERBOARD_LIFE_S = 400 * DAY_SECONDS
"""Seconds that a leaderboard of a day or a week is kept after the last entry."""

MAX_MET = 100
"""Most players of whom it is kept that a player has met them in a race."""

REPAIRED_DAYS = "repaired-days"
"""The key of the days lost by a fault of the server's: a hash by game and day."""

DAILY_SETS = "daily-sets"
"""The key of the sets of dailies: a hash by the first day of each, with the latest one, and with
the last day whose set is fixed."""

FOR_GOOD = {
    "daily-sets": "a field for each change of the operator's list of games",
    "leaderboard": "those of all time, a row for each who has kept an identity and has a result",
    "repaired-days": "a field for each act of an operator",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""


def leaderboard(board: BoardId) -> str:
    """Return the key of a leaderboard: a sorted set of scores by player."""
    return f"leaderboard:{{{board.name}}}{board.suffix}"


def curves(board: BoardId) -> str:
    """Return the key of the curves of a daily, by its leaderboard: a hash of counts."""
    return f"curves:{{{board.name}}}"


def met(player_id: str) -> str:
    """Return the key of those whom a player has met in races.

    It is a sorted set by the time of the last one in Unix milliseconds.
    """
    return f"met:{{{player_id}}}"
