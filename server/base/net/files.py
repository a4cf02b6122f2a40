"""The limit on open files, each connection being one."""

from __future__ import annotations

import resource

import structlog

from server.base.net.bound_sockets import BACKLOG
from server.base.net.limits import SPARE_CONNECTIONS

OTHER_FILES = 256
"""Files besides players' connections: Redis, listening sockets, logs, downloads of the archive."""

RESERVED = BACKLOG + SPARE_CONNECTIONS + OTHER_FILES
"""Files kept free.

All connections in the backlog may be accepted in one turn of the event loop, before any of them can
be refused.
"""

log = structlog.get_logger()


def most_connections(wanted: int) -> int:
    """Raise the limit on open files as far as possible, and return the connections it allows.

    Args:
        wanted: the desired number of connections.
    """
    limit = _raised_limit()
    # With a low limit, the connections get half of it.
    allowed = max(limit - RESERVED, limit // 2)
    if allowed < wanted:
        log.warning("few_files", limit=limit, connections=allowed)
    return min(wanted, allowed)


def _raised_limit() -> int:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (ValueError, OSError):
        # macOS has a hard limit of infinity, which it does not accept as a soft limit.
        return soft
    return hard
