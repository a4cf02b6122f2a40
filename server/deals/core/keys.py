"""Keys of deals in Redis, and how long they live."""

from __future__ import annotations

from server.base.core.days import DailyId
from server.base.core.keys import DAY_SECONDS
from server.base.core.quota import KEPT_DAYS

DEAL_LIFE_S = 400 * DAY_SECONDS
"""Seconds that a daily's deal and its seed are kept."""

PLAYED_DEAL_DAYS = 2
"""Days that the deal of a round is kept beyond what is played on it, after somebody began that:
longer than any attempt at it, which is over within two hours."""

PLAYED_DEAL_LIFE_S = (KEPT_DAYS + PLAYED_DEAL_DAYS) * DAY_SECONDS
"""Seconds that it is kept mostly."""

UNPLAYED_DEAL_LIFE_S = DAY_SECONDS
"""Seconds that the deal of a round is kept that nobody plays."""

MAX_RESERVED_MS = 15 * DAY_SECONDS * 1000
"""Milliseconds for which the deal of a round may be reserved for another occasion at most."""

OCCASION_LIFE_S = 3_600
"""Seconds for which it is known which deal was drawn for an occasion: longer than it takes to begin
it, also by whoever tries that again."""

FOR_GOOD = {
    "pool": "deals that are yet to be played",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""


def deal(deal_id: str) -> str:
    """Return the key of a deal: a hash."""
    return f"deal:{{{deal_id}}}"


def daily(daily_id: DailyId) -> str:
    """Return the key of a daily: a string, the id of its deal."""
    return f"daily:{{{daily_id.name}}}"


def of_occasion(occasion: str) -> str:
    """Return the key of the deal that was drawn for an occasion: a string, its id."""
    return f"occasion:{{{occasion}}}"


def pool(game: str) -> str:
    """Return the key of a game's pool of certified deals: a sorted set by difficulty."""
    return f"pool:{{{game}}}"
