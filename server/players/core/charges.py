"""Charges for players: what they store, for the address of who brings it about.

It is as measured with MEMORY USAGE, and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import Item
from server.players.core import keys

GUEST: Final = (Item(400, keys.GUEST_LIFE_S * 1000),)
"""A new guest: the record, and the sessions while they are there."""

RECORD: Final = (Item(250, keys.GUEST_LIFE_S * 1000),)
"""A change of name: the record, if there was none."""
