"""The node that is measured: `samedeal serve` with a fixed deal.

    python -m deploy.bench.node [--unlimited] OPTIONS

OPTIONS are those of `samedeal serve`. Every deal is the recorded one, and rounds start without a
countdown. With --unlimited, sessions have no rate limit. Nothing else differs.
"""

from __future__ import annotations

import secrets
import sys

from deploy.bench.games import SEED
from server.core import race_commands
from server.gateway import limits
from server.store import deals

RATE_LIMITS = ("RATE", "BURST", "BYTES_PER_SECOND", "BYTES_AT_ONCE")
"""The constants of `limits` that bound what a session and its connection may send."""

UNLIMITED = 1e12


class FixedSeed:
    """Replaces the module `secrets` in `store.deals`."""

    choice = staticmethod(secrets.choice)

    @staticmethod
    def token_bytes(length: int) -> bytes:
        """Return the seed of the recorded games."""
        return SEED[:length]


def main() -> None:
    """Run the node until it is terminated."""
    options = sys.argv[1:]
    vars(deals)["secrets"] = FixedSeed
    race_commands.COUNTDOWN = 0
    if "--unlimited" in options:
        options.remove("--unlimited")
        vars(limits).update(dict.fromkeys(RATE_LIMITS, UNLIMITED))
    # Sessions copy the limits when they are imported.
    from server.cli import main as samedeal  # noqa: PLC0415

    samedeal(["serve", *options])


if __name__ == "__main__":
    main()
