"""Time zones by their names, as the system has them, or else the package tzdata."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

_NAME: Final = re.compile(r"[A-Za-z][\w+-]*(/[A-Za-z][\w+-]*){0,2}", re.ASCII)
"""Nothing else is a path of the files that zones are read from."""

_OFFSET: Final = re.compile(r"([+-])(0\d|1[0-4]):([0-5]\d)")


@lru_cache(1_000)
def zone_of(name: str) -> tzinfo | None:
    """Return a zone, or `None` if there is none of this name.

    Args:
        name: as `Europe/Berlin` (IANA), or how much its clocks are ahead of UTC, as `+05:30`.
    """
    if fixed := _OFFSET.fullmatch(name):
        sign = -1 if fixed[1] == "-" else 1
        return timezone(sign * timedelta(hours=int(fixed[2]), minutes=int(fixed[3])))
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return None


def zone_or_utc(name: str) -> tzinfo:
    """Return a zone, or that of UTC if this node knows none of this name."""
    return zone_of(name) or UTC
