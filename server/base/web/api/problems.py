"""The HTTP statuses of refusals."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

# The HTTP status of each code.
STATUS: Final = {
    "bad_request": HTTPStatus.BAD_REQUEST,
    "unknown_path": HTTPStatus.NOT_FOUND,
    "unknown_game": HTTPStatus.NOT_FOUND,
    "unknown_day": HTTPStatus.NOT_FOUND,
    "unknown_deal": HTTPStatus.NOT_FOUND,
    "unknown_run": HTTPStatus.NOT_FOUND,
    "unknown_challenge": HTTPStatus.NOT_FOUND,
    "unknown_board": HTTPStatus.NOT_FOUND,
    "unknown_player": HTTPStatus.NOT_FOUND,
    "bad_method": HTTPStatus.METHOD_NOT_ALLOWED,
    "deal_open": HTTPStatus.CONFLICT,
    "too_fast": HTTPStatus.TOO_MANY_REQUESTS,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
    "being_made": HTTPStatus.SERVICE_UNAVAILABLE,
    "overloaded": HTTPStatus.SERVICE_UNAVAILABLE,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    # Another node may be able to read it.
    "unknown_format": HTTPStatus.SERVICE_UNAVAILABLE,
    "seed_not_opened": HTTPStatus.SERVICE_UNAVAILABLE,
    "entries_lost": HTTPStatus.SERVICE_UNAVAILABLE,
    "unknown_rules": HTTPStatus.SERVICE_UNAVAILABLE,
}

OF_ANY: Final = (
    "bad_request",
    "too_fast",
    "internal",
    "overloaded",
    "unavailable",
    "unknown_format",
    "seed_not_opened",
    "entries_lost",
    "unknown_rules",
)
