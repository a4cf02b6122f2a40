"""Redis keys of attempts, and their lifetimes."""

from __future__ import annotations

from server.base.core.due import Due
from server.base.core.keys import DAY_SECONDS, partition
from server.base.core.quota import KEPT_DAYS, LEAST_DAYS

# How long the journal of an attempt that counts is kept after its deadline; less if its player's
# address has stored much (`server.base.core.quota`).
ATTEMPT_LIFE_MS = KEPT_DAYS * DAY_SECONDS * 1000

# The guaranteed minimum of that; afterwards it may be deleted, once its day is archived.
CERTAIN_LIFE_MS = LEAST_DAYS * DAY_SECONDS * 1000

# The same for any other attempt, so that its player can still learn how it ended. It
# cannot be restarted, since its deal is not dealt again after the deadline.
UNPLAYED_LIFE_MS = 3_600_000


def attempt(attempt_id: str) -> str:
    """Return the key of an attempt's journal: a stream."""
    return f"{{p{partition(attempt_id)}}}:attempt:{attempt_id}"


class AttemptDue(Due):
    """The deadline of an attempt outside rooms."""

    __slots__ = ()
    kind = "a"
    is_bulk = True

    @property
    def key(self) -> str:
        """The key of its journal."""
        return attempt(self.name)
