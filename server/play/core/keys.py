"""Redis keys of attempts, and their lifetimes."""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS, partition
from server.base.core.quota import KEPT_DAYS, LEAST_DAYS

ATTEMPT_LIFE_MS = KEPT_DAYS * DAY_SECONDS * 1000
"""Milliseconds that the journal of a played attempt is kept after its deadline; less if its
player's address has stored much (`server.base.core.quota`)."""

CERTAIN_LIFE_MS = LEAST_DAYS * DAY_SECONDS * 1000
"""The guaranteed minimum of that; afterwards it may be deleted, once its day is archived."""

UNPLAYED_LIFE_MS = 3_600_000
"""The same for an attempt without a move. Until then its player can learn how it ended. Nobody can
restart it, since its deal is not dealt again after the deadline."""


def attempt(attempt_id: str) -> str:
    """Return the key of an attempt's journal: a stream."""
    return f"{{p{partition(attempt_id)}}}:attempt:{attempt_id}"
