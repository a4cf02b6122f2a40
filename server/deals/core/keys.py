"""Redis keys of deals, and their lifetimes."""

from __future__ import annotations

from server.base.core.days import DailyId
from server.base.core.keys import DAY_SECONDS
from server.base.core.quota import KEPT_DAYS

DEAL_LIFE_S = 400 * DAY_SECONDS  # of a daily's deal and its seed

# Days that a round's deal is kept longer than the runs on it: more than the two hours that a run
# can take.
PLAYED_DEAL_DAYS = 2

# The usual lifetime of a played round's deal.
PLAYED_DEAL_LIFE_S = (KEPT_DAYS + PLAYED_DEAL_DAYS) * DAY_SECONDS

UNPLAYED_DEAL_LIFE_S = DAY_SECONDS  # of an unplayed round's deal

# How long a round's deal can be reserved for another occasion.
MAX_RESERVED_MS = 15 * DAY_SECONDS * 1000

# How long the deal drawn for an occasion is recorded: longer than its creation takes, including
# retries.
OCCASION_LIFE_S = 3_600

# Kinds of keys that need not expire, with the reason; all other keys must expire.
PERMANENT = {
    "pool": "deals that wait to be played",
}


def deal(deal_id: str) -> str:
    """Return the key of a deal: a hash."""
    return f"deal:{{{deal_id}}}"


def daily(daily_id: DailyId) -> str:
    """Return the key of a daily: a string, the id of its deal."""
    return f"daily:{{{daily_id.name}}}"


def of_occasion(occasion: str) -> str:
    """Return the key of an occasion's deal: a string, the id of the deal."""
    return f"occasion:{{{occasion}}}"


def pool(game: str) -> str:
    """Return the key of a game's pool of certified deals: a sorted set by difficulty."""
    return f"pool:{{{game}}}"
