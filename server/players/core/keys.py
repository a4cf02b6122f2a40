"""Keys of players in Redis, and how long they live.

Whether a player's record lives for good follows from the history, so its key is here, too: scripts
read both.
"""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS

PLAYER_LIFE_S = 400 * DAY_SECONDS
"""Seconds that a player's history is kept after the last result, the record of one who has a
history after the last session began, and the note of a deleted player after the deletion. The
record of a player who has kept the identity does not expire once there is a result."""

GUEST_LIFE_S = 7 * DAY_SECONDS
"""Seconds that the record of a guest without a result is kept after the last session began: it
holds no more than the name, which anybody can have stored by a word of `hello`."""

UNUSED_ACCOUNT_LIFE_S = 60 * DAY_SECONDS
"""The same of a player who has kept the identity and has no result yet, with the code or passkeys.
"""

MAX_SESSIONS = 8
"""Sessions that a player may have at once: each costs memory, and a frame for each move."""

FOR_GOOD = {
    "player": "who has kept an identity and has a result, for whoever has the code or a passkey",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""


def history(player_id: str) -> str:
    """Return the key of a player's history: a hash of results."""
    return f"history:{{{player_id}}}"


def player(player_id: str) -> str:
    """Return the key of a player's record: a hash."""
    return f"player:{{{player_id}}}"


def renames(player_id: str) -> str:
    """Return the key of until when a player's latest changes of name count, in Unix milliseconds.

    It expires at that time.
    """
    return f"renames:{{{player_id}}}"
