"""The first values of short messages, which start with a number instead of a kind."""

from __future__ import annotations

from typing import Final

FIRST_NUMBER: Final = 32
"""The lowest attempt number; moves and their answers start with an attempt number."""

MAX_NUMBERS: Final = 64
"""Maximum attempt numbers of a session; a further attempt then replaces the oldest."""

LAST_NUMBER: Final = FIRST_NUMBER + MAX_NUMBERS - 1
"""The highest attempt number; other numbers at the start of a message are kinds."""

PROGRESS: Final = 6
"""The kind of progress messages, which have no `re`."""
