"""A node to be measured: `samedeal serve`, whose every deal is the recorded one.

    python -m deploy.bench.node [--unlimited] OPTIONS

OPTIONS are those of `samedeal serve`. Rounds begin at once. With --unlimited a session may send as
many commands as it likes. Nothing else of the node is different.
"""

from __future__ import annotations

import secrets
import sys

from deploy.bench.games import SEED
from server.core import race
from server.gateway import limits
from server.store import deals

LIFTED = ("RATE", "BURST", "BYTES_PER_SECOND", "BYTES_AT_ONCE")
"""What `limits` allows a session and its connection."""

UNLIMITED = 1e12


class OneSeed:
    """Stands for the module `secrets` where deals are drawn."""

    choice = staticmethod(secrets.choice)

    @staticmethod
    def token_bytes(length: int) -> bytes:
        """Return the one seed."""
        return SEED[:length]


def main() -> None:
    """Run the node until it is told to end."""
    options = sys.argv[1:]
    vars(deals)["secrets"] = OneSeed
    race.COUNTDOWN = 0
    if "--unlimited" in options:
        options.remove("--unlimited")
        vars(limits).update(dict.fromkeys(LIFTED, UNLIMITED))
    # Sessions take the limits by name when they are imported.
    from server.cli import main as samedeal  # noqa: PLC0415

    samedeal(["serve", *options])


if __name__ == "__main__":
    main()
