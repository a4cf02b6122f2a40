"""Storage charges of challenges, for the address that causes them.

The sizes of journals and lists are measured with MEMORY USAGE and rounded up. The shares of
summaries and sorted sets are estimated. See `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import DAY, HOUR, RUNNER, Item
from server.challenges.core import keys
from server.players.core.keys import PLAYER_LIFE_S

# Bytes of a challenge: its first journal entry, its deal, and the creator's list entries.
_MADE: Final = 2_600

_NAMED: Final = 350  # bytes per invited or notified player: in the journal and in the player's list

# Bytes added by a player's attempt: journal entries, a list entry and a history field.
_BEGUN: Final = 800

ENTRY_BYTES: Final = 120

BLOCKED: Final = Item(80, PLAYER_LIFE_S * 1000)

LOOKER_BYTES: Final = 80

NAMED_COST: Final = 1.0  # the cost per player notified of a new challenge, in units of `costs`
CIRCLE_COST: Final = 6.0  # the cost of announcing it in a circle, and per member
MEMBER_COST: Final = 0.25
RACED_COST: Final = 24.0  # the cost of rewriting the public totals of up to eight racers
ROW_COST: Final = 0.06  # the cost per row shown
ORDER_COST: Final = 0.01  # the cost per player of sorting a table: 1.5 ms for 1,000 players

# The cost per player of reading a challenge's journal: 4.5 ms for 1,000 players.
READ_COST: Final = 0.03


def made(open_for: int, players: int) -> list[Item]:
    """Return the charge for a challenge open for some milliseconds, with a number of players."""
    return [Item(_MADE + _NAMED * players, open_for + keys.CHALLENGE_LIFE_MS)]


def begun(limit: int, left: int) -> list[Item]:
    """Return the charge for an attempt before its first move.

    `limit` is its time limit, and `left` the time until the challenge closes, in milliseconds.
    """
    return [Item(RUNNER, limit + HOUR), Item(_BEGUN, left + keys.CHALLENGE_LIFE_MS)]


def kept(size: int) -> Item:
    """Return the charge for a further entry or record, for the usual lifetime of a challenge."""
    return Item(size, keys.CHALLENGE_LIFE_MS + 14 * DAY)
