"""Redis keys of players, and how long they live.

The history's key is here because scripts read it with the record: a player with results has a
record that does not expire.
"""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS

PLAYER_LIFE_S = 400 * DAY_SECONDS
"""Seconds before a player's record, history and deletion mark expire.

The history counts from the last result, the record of a player with a history from the start of the
last session, and the mark from the deletion. The record of a kept identity does not expire once
there is a result.
"""

GUEST_LIFE_S = 7 * DAY_SECONDS
"""Seconds that the record of a guest without results is kept after the last session started.

It is short because any `hello` can create such a record, and it holds only a name.
"""

UNUSED_ACCOUNT_LIFE_S = 60 * DAY_SECONDS
"""The same for a kept identity without results, and for its credentials."""

MAX_SESSIONS = 8
"""Maximum number of a player's sessions; each costs memory, and a frame per move."""

FOR_GOOD = {
    "player": "records of kept identities with results, whose credentials can sign in at any time",
}
"""Kinds of keys that need not expire, with the reason; all other keys must expire."""


def history(player_id: str) -> str:
    """Return the key of a player's history: a hash of results."""
    return f"history:{{{player_id}}}"


def player(player_id: str) -> str:
    """Return the key of a player's record: a hash."""
    return f"player:{{{player_id}}}"


def renames(player_id: str) -> str:
    """Return the key of a player's rename limit: the time until which recent renames count.

    A string in Unix milliseconds, which expires at that time.
    """
    return f"renames:{{{player_id}}}"
