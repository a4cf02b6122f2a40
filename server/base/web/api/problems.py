"""The HTTP statuses of refusals."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

# The HTTP status of each code.
_MISSING = ("path", "game", "day", "deal", "run", "challenge", "board", "player")
# Another node may be able to read it.
_UNREADABLE = ("unknown_format", "seed_not_opened", "entries_lost", "unknown_rules")

STATUS: Final = {
    "bad_request": HTTPStatus.BAD_REQUEST,
    **{f"unknown_{what}": HTTPStatus.NOT_FOUND for what in _MISSING},
    "bad_method": HTTPStatus.METHOD_NOT_ALLOWED,
    "deal_open": HTTPStatus.CONFLICT,
    "too_fast": HTTPStatus.TOO_MANY_REQUESTS,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
    **dict.fromkeys(
        ("being_made", "overloaded", "unavailable", *_UNREADABLE), HTTPStatus.SERVICE_UNAVAILABLE
    ),
}

OF_ANY: Final = (
    *("bad_request", "too_fast", "internal", "overloaded", "unavailable"),
    *_UNREADABLE,
)
