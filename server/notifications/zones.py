"""Time zones by name, from the system or else the package tzdata."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

# Names with other characters are rejected, because a name becomes part of a file path.
_NAME: Final = re.compile(r"[A-Za-z][\w+-]*(/[A-Za-z][\w+-]*){0,2}", re.ASCII)

_OFFSET: Final = re.compile(r"([+-])(0\d|1[0-4]):([0-5]\d)")


@lru_cache(1_000)
def zone_of(name: str) -> tzinfo | None:
    """Return a time zone by its IANA name or offset (`+05:30`), or `None` if it is unknown."""
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
    """Return a time zone, or UTC if this node does not know the name."""
    return zone_of(name) or UTC
