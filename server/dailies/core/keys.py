"""Redis keys of dailies' starts and digests, and their lifetimes."""

from __future__ import annotations

from server.base.core.days import DailyId
from server.base.core.keys import DAY_SECONDS
from server.base.core.quota import KEPT_DAYS

DIGESTS_LIFE_S = 3 * DAY_SECONDS
"""Seconds that a daily's run digests and starts are kept after the last one: it has closed by
then."""

MAX_AT_ADDRESS = 16
"""The maximum number of recorded starts of a daily per address, unless the operator allows more."""


TRIMMED_DAYS = "trimmed-days"
"""The key of the days with deleted journals: a sorted set of their numbers."""

TRIMMED_LIFE_S = KEPT_DAYS * DAY_SECONDS
"""Seconds that this is kept after the last one: until all such journals would have expired."""


def digests(daily_id: DailyId) -> str:
    """Return the key of the digests of a daily's boards: a hash of the first player by digest."""
    return f"digests:{{{daily_id.name}}}"


def starts(daily_id: DailyId) -> str:
    """Return the key of a daily's starts: a hash of players by address, and by player."""
    return f"starts:{{{daily_id.name}}}"
