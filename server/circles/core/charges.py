"""Charges for circles: what they store, for the address of who brings it about.

It is as measured with MEMORY USAGE, and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import Item
from server.circles.core import keys

CIRCLE: Final = (Item(1_200, keys.CIRCLE_LIFE_MS),)
"""A circle with its owner: the journal, and that the player is in it."""

MEMBER: Final = (Item(250, keys.CIRCLE_LIFE_MS),)
"""A member: two entries of the journal, and that the player is in it."""

ENTRY: Final = Item(200, keys.CIRCLE_LIFE_MS)
"""A further entry of a circle's journal."""
