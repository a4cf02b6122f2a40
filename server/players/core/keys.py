"""Redis keys of players, and how long they live.

The history's key is here because scripts read it with the record: a player with results has a
record that does not expire.
"""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS

# Until a history expires after the last result, the record of its player after the start of the
# last session, and a deletion mark after the deletion. The record of a kept identity does not
# expire once there is a result.
PLAYER_LIFE_S = 400 * DAY_SECONDS

# The same for the record of a guest without results. It is short because any `hello` can create
# such a record, which holds only a name.
GUEST_LIFE_S = 7 * DAY_SECONDS

# The same for a kept identity without results, and for its credentials.
UNUSED_ACCOUNT_LIFE_S = 60 * DAY_SECONDS

MAX_SESSIONS = 8  # of a player; each costs memory, and a frame per move

# Kinds of keys that need not expire, with the reason; all other keys must expire.
PERMANENT = {
    "player": "records of kept identities with results, whose credentials can sign in at any time",
}


def history(player_id: str) -> str:
    """Return the key of a player's history: a hash of results."""
    return f"history:{{{player_id}}}"


def player(player_id: str) -> str:
    """Return the key of a player's record: a hash."""
    return f"player:{{{player_id}}}"


def renames(player_id: str) -> str:
    """Return the key of a string: until when (Unix milliseconds) recent renames count."""
    return f"renames:{{{player_id}}}"
