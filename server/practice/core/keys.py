"""The Redis key of practice, its lifetime, and its bounds."""

from __future__ import annotations

from server.players.core.keys import PLAYER_LIFE_S

# How long a player's figures are kept after the last report.
PRACTICE_LIFE_S = PLAYER_LIFE_S

# The devices whose last batch is known. The one that reported longest ago is forgotten first; only
# a batch that it sends again without having heard the answer could then count twice.
MAX_DEVICES = 16


def practice(player_id: str) -> str:
    """Return the key of a player's figures and devices (a hash)."""
    return f"practice:{{{player_id}}}"
