"""The HTTP statuses of refusals."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from server.base.core.refusal import BaseRefusals, HttpRefusals, RefusalCode

# Another node may be able to read it.
_UNREADABLE = (
    *(BaseRefusals.unknown_format, BaseRefusals.seed_not_opened),
    *(BaseRefusals.entries_lost, BaseRefusals.unknown_rules),
)

_STATUS: Final[dict[RefusalCode, HTTPStatus]] = {
    HttpRefusals.bad_request: HTTPStatus.BAD_REQUEST,
    HttpRefusals.bad_method: HTTPStatus.METHOD_NOT_ALLOWED,
    BaseRefusals.too_fast: HTTPStatus.TOO_MANY_REQUESTS,
    BaseRefusals.internal: HTTPStatus.INTERNAL_SERVER_ERROR,
    **dict.fromkeys(
        (HttpRefusals.being_made, BaseRefusals.overloaded, BaseRefusals.unavailable, *_UNREADABLE),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
}

OF_ANY: Final = (
    *(HttpRefusals.bad_request, BaseRefusals.too_fast, BaseRefusals.internal),
    *(BaseRefusals.overloaded, BaseRefusals.unavailable, *_UNREADABLE),
)
"""The refusals common to all requests."""


def status_of(code: RefusalCode) -> HTTPStatus:
    """Return the HTTP status of a refusal.

    Of a code that is not listed here, 404 if its name is `unknown_…`, and else 409.
    """
    is_missing = code.name.startswith("unknown_")
    return _STATUS.get(code, HTTPStatus.NOT_FOUND if is_missing else HTTPStatus.CONFLICT)
