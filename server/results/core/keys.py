"""Redis keys of results and derived data, and their lifetimes."""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS
from server.results.core.boards import BoardId

# Seconds a daily or weekly leaderboard is kept after its last entry.
LEADERBOARD_LIFE_S = 400 * DAY_SECONDS

MAX_MET = 100  # the most opponents stored for a player
REPAIRED_DAYS = "repaired-days"  # the key of the days lost to server faults: a hash by game and day

# The key of the daily sets: a hash by the first day of each set, with the latest set and the last
# day whose set is final.
DAILY_SETS = "daily-sets"

# Kinds of keys that need not expire, with the reason; all other keys must expire.
PERMANENT = {
    "daily-sets": "a field for each change of the operator's list of games",
    "leaderboard": "all-time leaderboards, with one row per kept identity with a result",
    "repaired-days": "a field for each day that an operator repairs",
}


def leaderboard(board: BoardId) -> str:
    """Return the key of a leaderboard: a sorted set of scores by player."""
    return f"leaderboard:{{{board.name}}}{board.suffix}"


def curves(board: BoardId) -> str:
    """Return the key of a daily's curves, given its leaderboard: a hash of counts."""
    return f"curves:{{{board.name}}}"


def met(player_id: str) -> str:
    """Return the key of a player's opponents in races: a sorted set by time in Unix ms."""
    return f"met:{{{player_id}}}"
