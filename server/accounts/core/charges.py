"""Charges for kept identities: what they store, for the address of who brings it about.

It is as measured with MEMORY USAGE, and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.accounts.core import keys
from server.base.core.quota import Item
from server.players.core.keys import PLAYER_LIFE_S

CODE: Final = (Item(1_300, PLAYER_LIFE_S * 1000),)
"""A recovery code or a passkey, with the record and the history that say that. Those of who has a
result do not expire, and count for as long as tokens hold."""

OFFER: Final = (Item(350, keys.CODE_OFFER_LIFE_S * 1000),)
"""A recovery code that is not kept yet, with the record that names it."""

DEVICE: Final = (Item(350, keys.DEVICE_LIFE_S * 1000),)
"""A device code, with the record that names it."""

BOT: Final = (Item(500, PLAYER_LIFE_S * 1000),)
"""A bot: its record, and the field in its owner's that names it."""

EPOCH: Final = (Item(150, PLAYER_LIFE_S * 1000),)
"""That a player has signed out everywhere, or is deleted, for as long as tokens hold."""
