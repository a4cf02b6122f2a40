"""Redis keys of rooms, and their lifetimes."""

from __future__ import annotations

from server.base.core.due import Due
from server.base.core.keys import DAY_SECONDS, partition

ROOM_LIFE_MS = DAY_SECONDS * 1000  # milliseconds that a room is kept after its last event

# The same for a room without a round; it is extended while a player is present.
UNUSED_ROOM_LIFE_MS = 1_800_000

ROUND_LIFE_MS = 7 * DAY_SECONDS * 1000  # milliseconds that a round's results are kept after its end

# Seconds that a race's record is kept after it was applied: as long as its attempts.
RACE_LIFE_S = 90 * DAY_SECONDS

# Seconds that a room's presence is kept after the last player entered.
PRESENCE_LIFE_S = 30 * DAY_SECONDS

# Seconds that players' address hashes are kept after the last join: longer than any round.
ADDRESSES_LIFE_S = 3 * 3_600


def room(code: str) -> str:
    """Return the key of a room's journal: a stream."""
    return f"{{p{partition(code)}}}:room:{code}"


def round_in(code: str, deal_id: str) -> str:
    """Return the key of a room's finished round, by its deal: a string (JSON)."""
    return f"{{p{partition(code)}}}:round:{deal_id}"


def addresses(code: str) -> str:
    """Return the key of the address hashes of a room's players: a hash by player."""
    return f"{{p{partition(code)}}}:places:{code}"


def race(deal_id: str) -> str:
    """Return the key of a race's record, by its deal: a hash."""
    return f"rated:{{{deal_id}}}"


class RoundDue(Due):
    """The deadline of a room's running round."""

    __slots__ = ()
    kind = "r"

    @property
    def key(self) -> str:
        """The key of its journal."""
        return room(self.name)
