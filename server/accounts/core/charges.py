"""Storage charges of kept identities, for the address that causes them.

Sizes in bytes are measured with MEMORY USAGE and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.accounts.core import keys
from server.base.core.quota import Item
from server.players.core.keys import PLAYER_LIFE_S

# A recovery code or a passkey, with its fields in the record and the history. Once the player has a
# result these do not expire; they are charged for a token's lifetime.
CODE: Final = (Item(1_300, PLAYER_LIFE_S * 1000),)

# A recovery code not kept yet, with its field in the record.
OFFER: Final = (Item(350, keys.CODE_OFFER_LIFE_S * 1000),)

# A device code, with its field in the record.
DEVICE: Final = (Item(350, keys.DEVICE_LIFE_S * 1000),)

# A bot: its record and the field in its owner's record.
BOT: Final = (Item(500, PLAYER_LIFE_S * 1000),)

# The record of a sign-out everywhere or a deletion, stored while earlier tokens could be valid.
EPOCH: Final = (Item(150, PLAYER_LIFE_S * 1000),)
