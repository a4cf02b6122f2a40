"""Redis keys of challenges and their lifetimes."""

from __future__ import annotations

from server.base.core.due import Due
from server.base.core.keys import DAY_SECONDS, partition
from server.deals.core.keys import PLAYED_DEAL_LIFE_S

# Milliseconds a challenge is kept after its scheduled close, or a later last entry: the maximum
# lifetime of runs.
CHALLENGE_LIFE_MS = 90 * DAY_SECONDS * 1000

# Seconds a challenge's deal is kept after its scheduled close, longer than any run on it.
DEAL_LIFE_S = PLAYED_DEAL_LIFE_S

# Milliseconds within which a challenge must be created after its deal is reserved.
MAKING_MS = 60_000

# Seconds a player's list is kept after its last addition: longer than a challenge.
LIST_LIFE_S = 120 * DAY_SECONDS

# Seconds a player's open challenges are recorded: longer than a challenge is open.
MADE_LIFE_S = 15 * DAY_SECONDS


def challenge(name: str) -> str:
    """Return the key of a challenge's journal (a stream)."""
    return f"{{p{partition(name)}}}:challenge:{name}"


def summary(name: str) -> str:
    """Return the key of a challenge's summary for lists: JSON text, written with each entry."""
    return f"{{p{partition(name)}}}:challenge-summary:{name}"


def places(name: str) -> str:
    """Return the key of a challenge's scores: a sorted set by player, written with each entry."""
    return f"{{p{partition(name)}}}:challenge-places:{name}"


def lookers(name: str) -> str:
    """Return the key of a challenge's viewers: a hash by player."""
    return f"{{p{partition(name)}}}:lookers:{name}"


def listed(player_id: str) -> str:
    """Return the key of a player's challenges: a sorted set by time of addition."""
    return f"challenges:{{{player_id}}}"


def told(player_id: str) -> str:
    """Return the key of the senders of challenges in a player's list: a hash by challenge."""
    return f"challenges-told:{{{player_id}}}"


def blocked(player_id: str) -> str:
    """Return the key of the challengers that a player blocked: a sorted set by time."""
    return f"challenges-blocked:{{{player_id}}}"


def seen(player_id: str) -> str:
    """Return the key of the time a player last viewed the list: a string, in Unix milliseconds."""
    return f"challenges-seen:{{{player_id}}}"


def made(player_id: str) -> str:
    """Return the key of the open challenges a player created: a sorted set by closing time."""
    return f"challenges-made:{{{player_id}}}"


class ChallengeDue(Due):
    """The closing time of a challenge."""

    __slots__ = ()
    kind = "c"

    @property
    def key(self) -> str:
        """The key of its journal."""
        return challenge(self.name)
