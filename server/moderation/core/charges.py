"""Storage charges of reports, for the reporter's address.

Sizes in bytes are measured with MEMORY USAGE and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import DAY, Item

# The first report of a player or a run; each further one takes 60 bytes. Reports do not expire, but
# the oldest are dropped when there are too many.
REPORT: Final = (Item(600, 30 * DAY),)
