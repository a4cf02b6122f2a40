"""Redis keys of dailies' starts and digests, and their lifetimes."""

from __future__ import annotations

from server.base.core.days import DailyId
from server.base.core.keys import DAY_SECONDS
from server.base.core.quota import KEPT_DAYS

# How long a daily's run digests and starts are kept after the last one: it has closed by then.
DIGESTS_LIFE_S = 3 * DAY_SECONDS

MAX_AT_ADDRESS = 16  # recorded starts of a daily per address, unless the operator allows more

TRIMMED_DAYS = "trimmed-days"  # a sorted set of the numbers of the days with deleted journals

# How long this is kept after the last one: until all such journals would have expired.
TRIMMED_LIFE_S = KEPT_DAYS * DAY_SECONDS


def digests(daily_id: DailyId) -> str:
    """Return the key of the digests of a daily's boards: a hash of the first player by digest."""
    return f"digests:{{{daily_id.name}}}"


def starts(daily_id: DailyId) -> str:
    """Return the key of a daily's starts: a hash of players by address, and by player."""
    return f"starts:{{{daily_id.name}}}"
