"""A node without rate limits; `tests.faults.node` describes its options."""

from __future__ import annotations

from server.base.net import limits
from server.base.wire import socket
from tests.faults import node

PLENTY = limits.Rate(1e6, 1e6)


def lift_limits() -> None:
    """Lift the limits of players and addresses, which would refuse almost every frame here."""
    for name, value in vars(limits).items():
        if isinstance(value, limits.Rate):
            setattr(limits, name, PLENTY)
    vars(socket)["BYTES_PER_SECOND"] = PLENTY.second


if __name__ == "__main__":
    lift_limits()
    # Short quick matches, so that none still runs long after the last frame.
    node.QUICK_LIMIT = 3_000
    node.main()
