"""Charges for attempts at dailies: what they store, for the address of who brings it about.

It is as measured with MEMORY USAGE, and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import HOUR, RUNNER, Item
from server.dailies.core import keys

DAILY: Final = (Item(RUNNER, 25 * HOUR), Item(100, keys.DIGESTS_LIFE_S * 1000))
"""An attempt at a daily that is not played, and who began it where."""
