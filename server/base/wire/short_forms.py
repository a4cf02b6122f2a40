"""Short forms of messages, by the numbers that they begin with in place of a kind."""

from __future__ import annotations

from typing import Final

FIRST_NUMBER: Final = 32
"""The least number of an attempt, with which moves and their answers begin."""

MAX_NUMBERS: Final = 64
"""Attempts that a session has numbers for; after that a new one replaces the oldest."""

LAST_NUMBER: Final = FIRST_NUMBER + MAX_NUMBERS - 1
"""The greatest number of an attempt; other numbers at the start of a message are kinds."""

PROGRESS: Final = 6
"""The kind of progress, which has no `re`."""
