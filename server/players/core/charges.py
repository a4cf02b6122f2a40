"""Storage charges of players, for the address that causes them.

Sizes in bytes are measured with MEMORY USAGE and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import Item
from server.players.core import keys

# A new guest: the record, and the sessions while they last.
GUEST: Final = (Item(400, keys.GUEST_LIFE_S * 1000),)

# A change of name: the record, if it is new.
RECORD: Final = (Item(250, keys.GUEST_LIFE_S * 1000),)
