"""Storage charges of attempts at dailies, for the address that causes them.

Sizes are measured with MEMORY USAGE and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import HOUR, RUNNER, Item
from server.dailies.core import keys

# An unplayed attempt at a daily, and the record of its start.
DAILY: Final = (Item(RUNNER, 25 * HOUR), Item(100, keys.DIGESTS_LIFE_S * 1000))
