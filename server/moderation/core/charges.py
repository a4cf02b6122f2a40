"""Charges for reports: what they store, for the address of who reports.

It is as measured with MEMORY USAGE, and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import DAY, Item

REPORT: Final = (Item(600, 30 * DAY),)
"""The first report of a player or a run; a further one takes 60 bytes. They do not expire, but are
dropped when there are too many."""
