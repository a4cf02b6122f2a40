"""Charges for challenges: what they store, for the address of who brings it about.

Journals and lists are as measured with MEMORY USAGE, and rounded up; the share of summaries and of
places in tables is estimated. See `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import DAY, HOUR, RUNNER, Item
from server.challenges.core import keys
from server.players.core.keys import PLAYER_LIFE_S

_MADE: Final = 2_600
"""Bytes of a challenge: the beginning of its journal, its deal, and its place in the maker's lists.
"""

_NAMED: Final = 350
"""Bytes for each player who is named, or told of it: in the journal and in that player's list."""

_BEGUN: Final = 800
"""Bytes of what a player adds to it: the entries, a place in the list and one in the history."""

ENTRY_BYTES: Final = 120
"""Bytes of a further entry."""

BLOCKED: Final = Item(80, PLAYER_LIFE_S * 1000)
"""A player from whom another one wants no challenges."""

LOOKER_BYTES: Final = 80
"""Bytes of the note that somebody has looked at it."""


NAMED_COST: Final = 1.0
"""The cost of each player who is told of a new challenge, in the measure of `costs`."""

ROW_COST: Final = 0.06
"""The cost of each row that is shown, of which a page has `table.PAGE` at most."""

ORDER_COST: Final = 0.01
"""The cost of the ordering of a table for each player of it: of 1,000, 1.5 ms."""

READ_COST: Final = 0.03
"""The cost for each player of a challenge whose journal is read: of 1,000, 4.5 ms."""


def made(open_for: int, players: int) -> list[Item]:
    """Return what a challenge stores that is open for so many milliseconds, for some players."""
    return [Item(_MADE + _NAMED * players, open_for + keys.CHALLENGE_LIFE_MS)]


def begun(limit: int, left: int) -> list[Item]:
    """Return what an attempt stores at which nothing is played.

    Args:
        limit: its length in milliseconds.
        left: milliseconds until the challenge closes.
    """
    return [Item(RUNNER, limit + HOUR), Item(_BEGUN, left + keys.CHALLENGE_LIFE_MS)]


def kept(size: int) -> Item:
    """Return what a further entry stores, or a note, for as long as most challenges are kept."""
    return Item(size, keys.CHALLENGE_LIFE_MS + 14 * DAY)
